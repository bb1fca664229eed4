// SPDX-License-Identifier: Apache-2.0
// math_accuracy [--stride N] [--samples N] [--jobs N] [--only NAME]... : the device library's float functions of one
// argument, as compiled for the host, on every Nth of all 2^32 inputs (N = 1 by default: all), against
// the correctly rounded result; half precision's on all 65,536; and on N samples, with --samples N, its double
// functions and those of two arguments. Prints the tables of docs/math.md; exit status 1 where a bound is passed.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distance.h"
#include "float_functions.h"
#include "half_functions.h"
#include "sampled_functions.h"

namespace heddle::test {
namespace {

struct Tally {
  uint64_t compared = 0, correct = 0, undecided = 0;
  int64_t worst = 0;
  float at = 0;

  void see(float x, int64_t d) {
    ++compared;
    correct += d == 0;
    if (d > worst) {
      worst = d;
      at = x;
    }
  }
  void add(const Tally& t) {
    compared += t.compared;
    correct += t.correct;
    undecided += t.undecided;
    if (t.worst > worst) {
      worst = t.worst;
      at = t.at;
    }
  }
};

struct Outcome {
  Tally bounded, exempt;
};

// Inputs first, first + stride, ... below last, as bit patterns. Of a function with a parity the patterns
// are of positive numbers, and each stands for its negative too.
Outcome measure(const FloatFunction& f, uint64_t first, uint64_t last, uint64_t stride) {
  Outcome o;
  for (uint64_t bits = first; bits < last; bits += stride) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    Tally& tally = f.exempt(x) ? o.exempt : o.bounded;
    const float expected = rounded(f, x, tally.undecided);
    tally.see(x, distance(f.function(x), expected));
    if (f.parity == Parity::kNone) continue;
    tally.see(-x, distance(f.function(-x), f.parity == Parity::kOdd ? -expected : expected));
  }
  return o;
}

// work(first, last) on pieces of all patterns below `end`, in several threads.
template <typename Work>
void in_pieces(uint64_t end, uint64_t stride, unsigned jobs, const Work& work) {
  const uint64_t piece = stride << 20;
  std::atomic<uint64_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < jobs; ++i)
    threads.emplace_back([&] {
      for (uint64_t first; (first = next.fetch_add(piece)) < end;) work(first, std::min(first + piece, end));
    });
}

Outcome measure_all(const FloatFunction& f, uint64_t stride, unsigned jobs) {
  std::mutex mutex;
  Outcome all;
  in_pieces(f.parity == Parity::kNone ? uint64_t{1} << 32 : uint64_t{1} << 31, stride, jobs,
            [&](uint64_t first, uint64_t last) {
              const Outcome o = measure(f, first, last, stride);
              const std::lock_guard lock(mutex);
              all.bounded.add(o.bounded);
              all.exempt.add(o.exempt);
            });
  return all;
}

struct Share {
  uint64_t compared = 0;
  double worst = 0;
  float at = 0;
};

Share measure_all(const Intrinsic& f, uint64_t stride, unsigned jobs) {
  std::mutex mutex;
  Share all;
  in_pieces(uint64_t{1} << 32, stride, jobs, [&](uint64_t first, uint64_t last) {
    Share piece;
    for (uint64_t bits = first; bits < last; bits += stride) {
      const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
      if (!(x >= f.low && x <= f.high)) continue;
      ++piece.compared;
      const double share = f.share(x);
      if (share <= piece.worst) continue;
      piece.worst = share;
      piece.at = x;
    }
    const std::lock_guard lock(mutex);
    all.compared += piece.compared;
    if (piece.worst > all.worst) {
      all.worst = piece.worst;
      all.at = piece.at;
    }
  });
  return all;
}

void print(const char* name, const Tally& t, const char* bound) {
  const std::string worst = t.worst >= kFar ? "no number" : std::to_string(t.worst);
  std::printf("| %s | %s | %s | %a | %.2f%% | %llu | %llu |\n", name, bound, worst.c_str(), t.at,
              100.0 * static_cast<double>(t.correct) / static_cast<double>(t.compared),
              static_cast<unsigned long long>(t.compared), static_cast<unsigned long long>(t.undecided));
  std::fflush(stdout);
}

using Wanted = std::function<bool(const char*)>;

// Each prints its table and says whether all is within bounds.
bool all_floats(uint64_t stride, unsigned jobs, const Wanted& wanted) {
  std::printf(
      "| function | bound | worst | at | correctly rounded | inputs | by MPFR |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  bool within = true;
  for (const auto& f : float_functions()) {
    if (!wanted(f.name)) continue;
    const Outcome o = measure_all(f, stride, jobs);
    print((std::string(f.name) + "f").c_str(), o.bounded, std::to_string(f.bound).c_str());
    if (o.exempt.compared) print("&nbsp; inside", o.exempt, "none");
    within &= o.bounded.worst <= f.bound;
  }
  std::printf("\n| intrinsic | worst error as a share of the bound | at | inputs |\n| --- | --- | --- | --- |\n");
  for (const auto& f : intrinsics()) {
    if (!wanted(f.name)) continue;
    const Share s = measure_all(f, stride, jobs);
    std::printf("| %s | %.2f | %a | %llu |\n", f.name, s.worst, s.at, static_cast<unsigned long long>(s.compared));
    std::fflush(stdout);
    within &= s.worst <= 1;
  }
  return within;
}

bool samples_of_doubles(int count, const Wanted& wanted) {
  constexpr unsigned long kSeed = 1;
  bool within = true;
  std::printf("\n| function | bound | worst | at |\n| --- | --- | --- | --- |\n");
  for (const auto& f : one_argument_functions()) {
    if (!wanted(f.name)) continue;
    const auto ranges = f.ranges_of_double();
    const int each = std::max(1, count / static_cast<int>(2 * ranges.size()));
    const auto d = worst_of<double>(reference1(f.name), f.d, ranges, each, kSeed);
    std::printf("| %s | %d | %lld | %a |\n", f.name, f.double_bound, static_cast<long long>(d.units), d.x);
    std::fflush(stdout);
    within &= d.units <= f.double_bound;
  }
  for (const auto& f : two_argument_functions()) {
    if (!wanted(f.name)) continue;
    const auto single = worst_of<float>(reference2(f.name), f.f, f.x, f.y, count, kSeed);
    const auto d = worst_of<double>(reference2(f.name), f.d, wide(f.x), wide(f.y), count, kSeed);
    std::printf("| %sf | %d | %lld | %a, %a |\n", f.name, f.bound, static_cast<long long>(single.units), single.x,
                single.y);
    std::printf("| %s | %d | %lld | %a, %a |\n", f.name, f.double_bound, static_cast<long long>(d.units), d.x, d.y);
    std::fflush(stdout);
    within &= d.units <= f.double_bound && single.units <= f.bound;
  }
  return within;
}

bool halves(const Wanted& wanted) {
  bool within = true;
  std::printf("\n| function | f16: not correctly rounded | bf16 |\n| --- | --- | --- |\n");
  for (const auto& f : half_functions()) {
    if (!wanted(f.name)) continue;
    const size_t f16 = measure(f, false).all.size(), bf16 = measure(f, true).all.size();
    std::printf("| h%s | %zu | %zu |\n", f.name, f16, bf16);
    within &= f16 == 0 && bf16 == 0;
  }
  return within;
}

}  // namespace
}  // namespace heddle::test

int main(int argc, char** argv) {
  uint64_t stride = 1;
  int samples = 0;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> only;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const char* value = i + 1 < argc ? argv[++i] : nullptr;
    if (option == "--stride" && value) stride = std::strtoull(value, nullptr, 0);
    else if (option == "--samples" && value) samples = std::atoi(value);
    else if (option == "--jobs" && value) jobs = static_cast<unsigned>(std::strtoul(value, nullptr, 0));
    else if (option == "--only" && value) only.push_back(value);
    else stride = 0;
    if (stride == 0 || jobs == 0 || samples < 0) {
      std::fprintf(stderr, "usage: math_accuracy [--stride N] [--samples N] [--jobs N] [--only NAME]...\n");
      return 2;
    }
  }
  const heddle::test::Wanted wanted = [&](const char* name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  bool within = heddle::test::all_floats(stride, jobs, wanted);
  within &= heddle::test::halves(wanted);
  if (samples) within &= heddle::test::samples_of_doubles(samples, wanted);
  return within ? 0 : 1;
}
