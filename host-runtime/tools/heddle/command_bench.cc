// SPDX-License-Identifier: Apache-2.0
// heddle bench: well-known kernels, and kernels with one limit each, on the RTL alone and in lockstep, results checked;
// and what a launch costs the host.
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/bench/kernels.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/session.h"
#include "host-runtime/tools/heddle/summary.h"

namespace heddle::tools {
namespace {

constexpr uint32_t kMatrix = 64, kTile = 16;
constexpr uint32_t kVector = 65536, kSpecial = 4096, kVectorBlock = 256;
constexpr uint32_t kCopied = 512;        // numbers of a row, and rows
constexpr uint32_t kPeakThreads = 4096;  // 64 warps on each of two SMs
constexpr uint32_t kFewThreads = 1024;   // for short latencies: fewer warps begin sooner
constexpr const char *kLaunchAndWait = "launch_and_wait", *kSubmit = "submit";
constexpr const char* kOnRequest = "sgemm512";  // only if its whole name is asked for, since it is long

using Bytes = std::vector<unsigned char>;

// What a kernel can't be faster than, of the preset: lanes that multiply and add in a cycle, bytes of a memory, or
// lanes that add to one.
enum class Limit { None, Fp32, Fp64, Fp16, Tensor, Memory, L2, L1, Shared, SharedAtomics, L2Atomics };

// Inputs, launch and expected result of one benchmark.
struct Work {
  std::string name, kernel;
  Bytes a, b, expected;
  int n = 0;
  driver::LaunchShape shape;
  const char* ptx = bench::kKernels;
  Limit limit = Limit::None;
  double amount = 0;   // products, bytes or lanes
  double written = 0;  // of the amount, where that is memory's bytes
  bool adds = false;   // to what is in the result's place: zero
  bool clean = false;  // the L2 has nothing of the input, and nothing to write back, when the kernel begins
};

struct Measured {
  driver::KernelRun run;
  double cpu_seconds = 0, wall_seconds = 0;
  bool checked = false;  // the result is what the host computes
};

template <typename T>
Bytes bytes(const std::vector<T>& v) {
  Bytes b(v.size() * sizeof(T));
  std::memcpy(b.data(), v.data(), b.size());
  return b;
}

// The same values on every machine: small multiples of `step`, 1/16 so that sums are exact in any
// order.
template <typename T = float>
std::vector<T> values(size_t count, uint32_t seed, T step = T{1} / 16) {
  std::vector<T> v(count);
  for (auto& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<int>(seed >> 24) - 128) * step;
  }
  return v;
}

driver::LaunchShape blocks(uint32_t threads) { return {{threads / kVectorBlock, 1, 1}, {kVectorBlock, 1, 1}, 0}; }

Work vecadd() {
  const auto a = values(kVector, 1), b = values(kVector, 2);
  std::vector<float> c;
  for (size_t i = 0; i < kVector; ++i) c.push_back(a[i] + b[i]);
  Work w{"vecadd65536", "vecadd", bytes(a), bytes(b), bytes(c), kVector, blocks(kVector)};
  w.limit = Limit::Memory;
  w.amount = double(w.a.size() + w.b.size() + w.expected.size());
  w.written = double(w.expected.size());
  return w;
}

// Special functions where they are exact: whole numbers and powers of two.
Work special() {
  auto a = values(kSpecial, 5), b = values(kSpecial, 6);
  std::vector<float> c;
  for (size_t i = 0; i < kSpecial; ++i) {
    a[i] = std::trunc(a[i]);
    b[i] = std::trunc(b[i]);
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += std::ldexp(2.0f, -(static_cast<int>(a[i]) + k));
    c.push_back(b[i] * sum);
  }
  return {"special4096", "special", bytes(a), bytes(b), bytes(c), kSpecial, blocks(kSpecial)};
}

template <typename T>
Work gemm(std::string name, const char* kernel, uint32_t n, const driver::LaunchShape& shape) {
  const auto a = values<T>(n * n, 3), b = values<T>(n * n, 4);
  std::vector<T> c(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) c[i * n + j] = std::fma(a[i * n + k], b[k * n + j], c[i * n + j]);
  Work w{std::move(name), kernel, bytes(a), bytes(b), bytes(c), static_cast<int>(n), shape};
  w.limit = sizeof(T) == 8 ? Limit::Fp64 : Limit::Fp32;
  w.amount = double(n) * n * n;
  return w;
}

template <typename T>
Work gemm(const char* name, const char* kernel) {
  return gemm<T>(name, kernel, kMatrix, {{kMatrix / kTile, kMatrix / kTile, 1}, {kTile, kTile, 1}, 0});
}

// 8 x 8 results a thread.
Work large_gemm(uint32_t n) {
  constexpr uint32_t kBlock = 64;
  return gemm<float>("sgemm" + std::to_string(n), "sgemm_large", n, {{n / kBlock, n / kBlock, 1}, {kBlock, 1, 1}, 0});
}

// f16 of a whole number up to 2048.
uint16_t half(int v) {
  const auto sign = static_cast<uint16_t>(v < 0 ? 0x8000 : 0);
  const unsigned magnitude = static_cast<unsigned>(std::abs(v));
  if (magnitude == 0) return sign;
  const unsigned exponent = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  const unsigned fraction = exponent <= 10 ? magnitude << (10 - exponent) : magnitude >> 1;
  return static_cast<uint16_t>(sign | ((exponent + 15) << 10) | (fraction & 0x3FF));
}

// Products of small whole numbers: sums are exact in f16, too. `result`: a sum in C's format.
template <typename F>
Work half_gemm(std::string name, const char* kernel, uint32_t n, const driver::LaunchShape& shape, F result) {
  std::vector<uint16_t> a, b;
  std::vector<decltype(result(0))> c;
  const auto x = values<int>(n * n, 3, 1), y = values<int>(n * n, 4, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    a.push_back(half(x[i] / 32));
    b.push_back(half(y[i] / 32));
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      int sum = 0;
      for (size_t k = 0; k < n; ++k) sum += (x[i * n + k] / 32) * (y[k * n + j] / 32);
      c.push_back(result(sum));
    }
  Work w{std::move(name), kernel, bytes(a), bytes(b), bytes(c), static_cast<int>(n), shape};
  w.limit = Limit::Fp16;
  w.amount = double(n) * n * n;
  return w;
}

// With sums in f32.
Work tensor_gemm(uint32_t n) {
  const bool large = n >= 256;  // else there are fewer blocks than multiprocessors
  const uint32_t block = large ? 128 : 64, threads = large ? 256 : 128;
  Work w = half_gemm("hgemm" + std::to_string(n) + "_tensor", large ? "hgemm_tensor_large" : "hgemm_tensor", n,
                     {{n / block, n / block, 1}, {threads, 1, 1}, 0}, [](int sum) { return static_cast<float>(sum); });
  w.ptx = bench::kTensorKernels;
  w.limit = Limit::Tensor;
  return w;
}

// A kernel of bench/peaks.cu.
Work peak(const char* name, const char* kernel, Limit limit, double amount, Bytes a, Bytes b, Bytes expected, int n,
          driver::LaunchShape shape = blocks(kPeakThreads)) {
  Work w{name, kernel, std::move(a), std::move(b), std::move(expected), n, shape};
  w.ptx = bench::kPeakKernels;
  w.limit = limit;
  w.amount = amount;
  return w;
}

Work fma_stream() {
  constexpr int kSteps = 192, kChains = 8;
  const auto a = values(kVectorBlock, 7), b = values(kVectorBlock, 8);
  std::vector<float> factors, c;
  for (const float x : a) factors.push_back(x / 16);  // sums stay finite
  for (uint32_t t = 0; t < kPeakThreads; ++t) {
    float x[kChains];
    for (int i = 0; i < kChains; ++i) {
      x[i] = static_cast<float>(i);
      for (int k = 0; k < kSteps; ++k) x[i] = std::fma(x[i], factors[t % kVectorBlock], b[t % kVectorBlock]);
    }
    for (int count = kChains; count > 1; count /= 2)
      for (int i = 0; i < count / 2; ++i) x[i] = x[2 * i] + x[2 * i + 1];
    c.push_back(x[0]);
  }
  return peak("fma_stream", "fma_stream", Limit::Fp32, double(kPeakThreads) * kSteps * kChains, bytes(factors),
              bytes(b), bytes(c), kSteps);
}

Work copy() {
  const auto a = bytes(values(kCopied * kCopied, 9));
  constexpr uint32_t kFours = kCopied * kCopied / 4;
  Work w = peak("copy1m", "copy", Limit::Memory, 2.0 * double(a.size()), a, {}, a, kFours, blocks(kFours));
  w.written = double(a.size());
  w.clean = true;
  return w;
}

Work transpose() {
  constexpr uint32_t kSide = 32;
  const auto a = values(kCopied * kCopied, 10);
  std::vector<float> c(a.size());
  for (size_t i = 0; i < a.size(); ++i) c[i % kCopied * kCopied + i / kCopied] = a[i];
  Work w = peak("transpose512", "transpose", Limit::Memory, 2.0 * double(sizeof c[0] * c.size()), bytes(a), {},
                bytes(c), kCopied, {{kCopied / kSide, kCopied / kSide, 1}, {kSide, kVectorBlock / kSide, 1}, 0});
  w.written = w.amount / 2;
  w.clean = true;
  return w;
}

// Each thread reads 16 bytes `count` times; the buffer has room for `fours` such reads.
Work reads(const char* name, Limit limit, uint32_t fours, uint32_t threads, uint32_t count) {
  const uint32_t step = fours / 4, passes = count / 4;
  std::mt19937 numbers(11);
  std::vector<uint32_t> a, c;
  for (uint32_t i = 0; i < 4 * fours; ++i) a.push_back(static_cast<uint32_t>(numbers()));
  for (uint32_t t = 0; t < threads; ++t) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4; ++i) sum += a[4 * (t % kVectorBlock % step + i * step) + i];
    c.push_back(passes * sum);
  }
  return peak(name, name, limit, 16.0 * threads * count, bytes(a), bytes(std::vector<uint32_t>{passes}), bytes(c),
              static_cast<int>(fours), blocks(threads));
}

Work histogram() {
  constexpr int kNumbers = 32;
  std::vector<uint32_t> a, c(kPeakThreads);
  std::mt19937 numbers(12);
  for (uint32_t t = 0; t < kPeakThreads; ++t) {
    uint32_t x = static_cast<uint32_t>(numbers());
    a.push_back(x);
    for (int i = 0; i < kNumbers; ++i) {
      x = x * 1664525u + 1013904223u;
      ++c[t / kVectorBlock * kVectorBlock + (x >> 24)];
    }
  }
  return peak("histogram256", "histogram", Limit::SharedAtomics, double(kPeakThreads) * kNumbers, bytes(a), {},
              bytes(c), kNumbers);
}

Work atomics() {
  constexpr int kAdditions = 8;
  const auto a = values(kPeakThreads, 13);
  std::vector<float> c(64);
  for (size_t t = 0; t < a.size(); ++t) c[t % c.size()] += kAdditions * a[t];
  Work w = peak("atomics64", "atomics", Limit::L2Atomics, double(kPeakThreads) * kAdditions, bytes(a), {}, bytes(c),
                kAdditions);
  w.adds = true;
  return w;
}

std::vector<Work> works(const Preset& preset, const std::string& only) {
  std::vector<Work> all = {
      gemm<float>("sgemm64", "sgemm"),
      large_gemm(256),
      vecadd(),
      gemm<double>("dgemm64", "dgemm"),
      half_gemm("hgemm64", "hgemm", kMatrix, {{kMatrix / kTile / 2, kMatrix / kTile, 1}, {kTile, kTile, 1}, 0}, half),
      special(),
      fma_stream(),
      copy(),
      transpose(),
      reads("l2_reads", Limit::L2, 1024, kPeakThreads, 40),
      reads("l1_reads", Limit::L1, 256, kFewThreads, 384),
      reads("shared_reads", Limit::Shared, 256, kFewThreads, 384),
      histogram(),
      atomics()};
  if (preset.structure.tensor_fma > 0)
    for (const uint32_t n : {128u, 256u}) all.push_back(tensor_gemm(n));
  if (only == kOnRequest) all.push_back(large_gemm(512));
  return all;
}

double cpu_now() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; };
  return seconds(r.ru_utime) + seconds(r.ru_stime);
}

// As much as the L2 holds: it writes back what it had.
Result<void> read_other_memory(driver::Context& c) {
  Bytes other(static_cast<size_t>(c.preset().structure.l2_bytes));
  auto place = c.memory().allocate(other.size());
  if (!place) return place.error();
  if (auto s = c.copies().copy_out(other.data(), *place, other.size()); !s) return s.error();
  return c.waits().synchronize();
}

// Everything a program would do is in the time: opening the device, compiling, copies, the launch.
Result<Measured> measure(const Work& w, const std::string& device, const std::string& preset) {
  using Clock = std::chrono::steady_clock;
  const double cpu = cpu_now();
  const auto begin = Clock::now();
  auto context = open_context(device, preset);
  if (!context) return context.error();
  driver::Context& c = **context;
  auto module = load_ptx(c, "kernels.ptx", w.ptx);
  if (!module) return module.error();
  const driver::Kernel* kernel = (*module)->kernel(w.kernel);
  if (!kernel) return Error("no kernel '" + w.kernel + "'");
  struct {
    uint64_t a, b, c;
    int32_t n;
  } params{0, 0, 0, w.n};
  uint64_t* places[] = {&params.a, &params.b, &params.c};
  const Bytes* arrays[] = {&w.a, &w.b, &w.expected};
  for (int i = 0; i < 3; ++i) {
    if (arrays[i]->empty()) continue;
    auto place = c.memory().allocate(arrays[i]->size());
    if (!place) return place.error();
    *places[i] = *place;
  }
  Bytes out(w.expected.size());
  if (auto s = c.copies().copy_in(params.a, w.a.data(), w.a.size()); !s) return s.error();
  if (!w.b.empty())
    if (auto s = c.copies().copy_in(params.b, w.b.data(), w.b.size()); !s) return s.error();
  if (w.adds)
    if (auto s = c.copies().copy_in(params.c, out.data(), out.size()); !s) return s.error();
  if (w.clean)
    if (auto s = read_other_memory(c); !s) return s.error();
  if (auto s = c.launcher().launch(*kernel, w.shape, 0, &params); !s) return s.error();
  if (auto s = c.copies().copy_out(out.data(), params.c, out.size()); !s) return s.error();
  if (auto s = c.waits().synchronize(); !s) return s.error();
  if (auto s = c.check_lockstep(); !s) return s.error();
  Measured m;
  m.run = c.report().total;
  m.checked = out == w.expected;
  context->reset();
  m.cpu_seconds = cpu_now() - cpu;
  m.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return m;
}

struct Bound {
  const char *name = "", *unit = "";
  double cycles = 0;  // a kernel needs no fewer; 0: there is no limit, or the preset lacks the unit
};

Bound bound_of(const Work& w, const Preset& preset) {
  const Preset::Structure& s = preset.structure;
  const auto bound = [&w](const char* name, const char* unit, double rate) {
    return Bound{name, unit, rate > 0 ? w.amount / rate : 0};
  };
  const double parts = double(s.sms) * s.sub_partitions, lanes = double(s.sms) * s.row_lanes, sector = 32;
  switch (w.limit) {
    case Limit::Fp32: return bound("fp32", "FMA", parts * s.fp32_lanes);
    case Limit::Fp64: return bound("fp64", "FMA", parts * s.fp64_lanes);
    case Limit::Fp16: return bound("fp16", "FMA", parts * s.fp16_lanes * 2);
    case Limit::Tensor: return bound("tensor", "FMA", parts * s.tensor_fma);
    case Limit::Memory: {  // the port has this width each way
      const double port = s.axi_data_bits / 8, both = preset.dram.bytes_per_cycle;
      return {"memory", "bytes", std::max({(w.amount - w.written) / port, w.written / port, w.amount / both})};
    }
    case Limit::L2: return bound("l2", "bytes", sector * std::min(s.l2_slices, s.sms));
    case Limit::L1: return bound("l1", "bytes", 4 * lanes);
    case Limit::Shared: return bound("shared", "bytes", 4 * lanes);
    case Limit::SharedAtomics: return bound("shared", "lanes", lanes);
    case Limit::L2Atomics: return bound("l2", "lanes", s.l2_slices);
    case Limit::None: break;
  }
  return {};
}

double limit_percent(const Bound& bound, const Measured& m) { return 100 * bound.cycles / double(m.run.cycles); }

double a_cycle(const Work& w, const Measured& m) { return w.amount / double(m.run.cycles); }

nlohmann::ordered_json entry(const Work& w, const std::string& device, const Preset& preset, const Measured& m) {
  const Bound bound = bound_of(w, preset);
  return {{"name", w.name},
          {"device", device},
          {"preset", preset.name},
          {"cycles", m.run.cycles},
          {"thread_instructions", m.run.thread_instructions},
          {"warp_instructions", m.run.warp_instructions},
          {"cpu_seconds", m.cpu_seconds},
          {"wall_seconds", m.wall_seconds},
          {"amount_per_cycle", a_cycle(w, m)},
          {"amount_unit", bound.unit},
          {"limit", bound.name},
          {"limit_percent", limit_percent(bound, m)},
          {"khz", m.run.wall_seconds > 0 ? double(m.run.cycles) / m.run.wall_seconds / 1000 : 0.0},
          {"checked", m.checked}};
}

// What the host needs for a launch, apart from the kernel: on the golden model, of one that does next to nothing.
struct Rates {
  double launch_and_wait = 0, submit = 0;  // microseconds each; the middle one of kRounds
};

Result<Rates> measure_rates(const std::string& preset) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 15, kLaunches = 200;
  auto context = open_context("model", preset);
  if (!context) return context.error();
  driver::Context& c = **context;
  auto module = load_ptx(c, "kernels.ptx", bench::kKernels);
  if (!module) return module.error();
  const driver::Kernel* kernel = (*module)->kernel("vecadd");
  if (!kernel) return Error("no kernel 'vecadd'");
  const struct {
    uint64_t a, b, c;
    int32_t n;
  } nothing{0, 0, 0, 0};
  std::vector<double> waited, submitted;
  for (int round = 0; round < kRounds; ++round) {
    for (const bool wait : {true, false}) {
      const auto begin = Clock::now();
      for (int n = 0; n < kLaunches; ++n) {
        if (auto s = c.launcher().launch(*kernel, blocks(kVectorBlock), 0, &nothing); !s) return s.error();
        if (!wait) continue;
        if (auto s = c.waits().synchronize(); !s) return s.error();
      }
      const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
      (wait ? waited : submitted).push_back(took.count() / kLaunches);
      if (auto s = c.waits().synchronize(); !s) return s.error();
    }
  }
  for (auto* list : {&waited, &submitted}) std::nth_element(list->begin(), list->begin() + kRounds / 2, list->end());
  return Rates{waited[kRounds / 2], submitted[kRounds / 2]};
}

struct BenchOptions {
  std::string preset = "cc80", json, only;
  std::vector<std::string> devices = {"rtl", "lockstep"};
};

int run_benchmarks(const BenchOptions& o) {
  const auto preset = find_preset(o.preset);
  if (!preset) return print_error(preset.error().message()), 1;
  auto list = nlohmann::ordered_json::array();
  bool all_right = true;
  std::printf("%-15s %-9s %-6s %10s %13s %6s %11s %13s %8s %9s %9s %11s %s\n", "name", "device", "preset", "cycles",
              "thread-instr.", "IPC", "a cycle", "of its limit", "kHz", "CPU s", "wall s", "thread-i./s", "checked");
  const auto wanted = [&](const std::string& name) { return name.find(o.only) != std::string::npos; };
  const std::vector<Work> all = works(*preset, o.only);
  for (const Work& w : all) {
    if (!wanted(w.name)) continue;
    for (const auto& device : o.devices) {
      const auto m = measure(w, device, o.preset);
      if (!m) return print_error(m.error().message()), 1;
      list.push_back(entry(w, device, *preset, *m));
      const Bound bound = bound_of(w, *preset);
      char rate[32] = "-", of_limit[32] = "-";
      if (bound.cycles > 0) {
        std::snprintf(rate, sizeof rate, "%.1f %s", a_cycle(w, *m), bound.unit);
        std::snprintf(of_limit, sizeof of_limit, "%.1f%% %s", limit_percent(bound, *m), bound.name);
      }
      std::printf("%-15s %-9s %-6s %10llu %13llu %6.2f %11s %13s %8.0f %9.3f %9.3f %11s %s\n", w.name.c_str(),
                  device.c_str(), preset->name.c_str(), static_cast<unsigned long long>(m->run.cycles),
                  static_cast<unsigned long long>(m->run.thread_instructions), m->run.ipc(), rate, of_limit,
                  list.back()["khz"].get<double>(), m->cpu_seconds, m->wall_seconds,
                  short_number(double(m->run.thread_instructions) / m->cpu_seconds).c_str(), m->checked ? "yes" : "no");
      std::fflush(stdout);
      if (!m->checked) print_error(w.name + " on " + device + ": wrong result");
      all_right &= m->checked;
    }
  }
  if (wanted(kLaunchAndWait) || wanted(kSubmit)) {
    const auto rates = measure_rates(o.preset);
    if (!rates) return print_error(rates.error().message()), 1;
    for (const auto& [name, us] : {std::pair(kLaunchAndWait, rates->launch_and_wait), {kSubmit, rates->submit}}) {
      if (!wanted(name)) continue;
      list.push_back({{"name", name}, {"device", "model"}, {"preset", preset->name}, {"microseconds", us}});
      std::printf("%-15s %-9s %-6s %10.2f microseconds a launch\n", name, "model", preset->name.c_str(), us);
    }
  }
  if (list.empty()) {
    std::string names = std::string(kLaunchAndWait) + ", " + kSubmit + ", " + kOnRequest;
    for (const Work& w : all) names += ", " + w.name;
    return print_error("no benchmark '" + o.only + "' on " + preset->name + "; there are " + names), 2;
  }
  if (o.json.empty()) return all_right ? 0 : 1;
  const std::string text = list.dump(2) + "\n";
  if (auto ok = write_file(o.json, text.data(), text.size()); !ok) return print_error(ok.error().message()), 1;
  return all_right ? 0 : 1;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* c = app.add_subcommand(
      "bench",
      "cycles, what is done in a cycle, percent of the limit that binds (lanes of the unit, or a memory's bytes or "
      "atomics), kHz and CPU seconds of sgemm64, sgemm256 (8 x 8 results a thread), vecadd65536, dgemm64 (f64), "
      "hgemm64 "
      "(f16), special4096 (special functions), fma_stream, copy1m (float4), transpose512, l2_reads, l1_reads, "
      "shared_reads, histogram256 (atomics on shared memory), atomics64 (f32 on 64 words of device memory), "
      "hgemm128_tensor and hgemm256_tensor (f16 by the tensor unit), only by its whole name sgemm512; launch_and_wait "
      "and submit: microseconds that the host needs for a launch, on the golden model");
  c->add_option("--json", o->json, "write the table to this file as a list");
  c->add_option("--only", o->only, "the benchmarks whose name has this part; sgemm512 by its whole name");
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")->capture_default_str();
  c->add_option("--device", o->devices, "devices, in this order")->delimiter(',')->capture_default_str();
  c->callback([o, &status] { status = run_benchmarks(*o); });
}

}  // namespace heddle::tools
