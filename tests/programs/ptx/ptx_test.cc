// SPDX-License-Identifier: Apache-2.0
// PTX programs (the .ptx files beside this one), compiled and run on the device that
// HEDDLE_TEST_DEVICE names through the driver, against the same computation in C++. Each has one
// kernel(out, in), a thread a word.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "tests/programs/ptx/device.h"

namespace heddle::test {
namespace {

struct Program {
  const char* name;
  Shape shape;
  // What thread t leaves in out[t]; `untouched` when it writes nothing.
  std::function<uint32_t(uint32_t t, const Data& in)> expected;
};
void PrintTo(const Program& p, std::ostream* out) { *out << p.name; }

constexpr uint32_t kUntouched = 0xdeadbeef;

class PtxPrograms : public testing::TestWithParam<std::tuple<Program, unsigned>> {};

void compare(const Program& program, unsigned optimization) {
  Device device(source(program.name), program.shape, optimization);
  ASSERT_EQ(device.error(), "");
  const uint32_t threads = program.shape.blocks * program.shape.threads;
  Data in = random_data(device.seed(), threads), out(threads, kUntouched);
  const Data before = in;
  const Status status = device.run(out, in);
  ASSERT_TRUE(status.ok()) << status.error().message();
  for (uint32_t t = 0; t < threads; t++)
    ASSERT_EQ(out[t], program.expected(t, before)) << "thread " << t << ", input " << before[t];
}

TEST_P(PtxPrograms, ComputeWhatTheySay) {
  const auto& [program, optimization] = GetParam();
  compare(program, optimization);
}

uint32_t integer(uint32_t t, const Data& in) {
  const uint32_t a = in[t];
  const uint64_t w = (uint64_t{a} * 2654435761u >> 7) ^ t;
  uint32_t b = static_cast<uint32_t>(w % 1000003) + static_cast<uint32_t>(std::popcount(a)) -
               static_cast<uint32_t>(std::countl_zero(a));
  const int32_t s = static_cast<int32_t>(t - 20) | 1;
  const int64_t dividend = static_cast<int32_t>(a);  // -2^31 / -1 wraps
  b += static_cast<uint32_t>(dividend / s) * 7;
  return b + static_cast<uint32_t>(dividend % s);
}

uint32_t constants(uint32_t t, const Data&) {
  const auto square = [](uint32_t n) { return n * n; };
  constexpr uint8_t kBytes[] = {1, 2, 253, 4, 5};
  uint32_t i = t & 31;
  uint32_t sum = square(i) + square(i + 32) + square(i) + square(i + 1) + 11;
  i = t & 12;
  sum += square(i + 4) * 3 + square(i + 7) * 5 + square(i + 3) * 7;
  sum += static_cast<uint32_t>(static_cast<int8_t>(kBytes[(t & 1) + 2])) + kBytes[t & 1];
  return sum + square(i + 1) + square(3) + square(5) + square(6) + square(7) + 1000000;
}

uint32_t parameters(uint32_t t, const Data& in) { return in[t] + 1 + 80 + 7000 + 10000 + 100000 + 3000000; }

uint32_t places(uint32_t t, const Data&) {
  constexpr uint32_t kReserved = 288;
  const uint32_t reversed = t << 24 | (t & 0xff00) << 8 | (t >> 8 & 0xff00) | t >> 24,
                 halves = (t & 0xff) << 8 | (t >> 8 & 0xff);
  return 2 + 3 + 2 * 10 * kReserved + t + (t % 96 < kReserved / 4 ? 3 * t : 0) + reversed + halves;
}

uint32_t atomics(uint32_t t, const Data&) {
  constexpr uint32_t kSum = 96 * 95 / 2;
  const uint32_t words[] = {kSum,      96,         144 + 96,
                            96 - kSum, kSum << 16, t < 32 ? (12u * 100 + 21) * 1000 + 10 * 100 + 20 : 0};
  return words[t % 6];
}

uint32_t half_atomics(uint32_t t, const Data&) {
  // f16: 720 (sums of t & 15), -95, 0; bf16: 95, 0 (the greatest of -t, -0 and 0)
  const uint32_t words[] = {0x61a061a0, 0x61a061a0, 0x0000d5f0, 0xd5f0d5f0, 0x42be0000, 0x42be0000, 0x0000d5f0, 0};
  const uint32_t own = 0x3c004000u, now = 0x42004000u;  // {2, 1} before; the greater of {2, 1} and {1, 3}
  return words[t % 8] ^ (t < 32 ? now ^ own << 1 : 0);
}

// Global memory passes the operand's NaN as it is, else its own; shared memory its own, else the operand's, made quiet.
uint32_t nan_sums(uint32_t t, const Data&) {
  constexpr uint64_t kNumber = 0x3ff8000000000000, kSum = 0x4008000000000000, kQuiet = uint64_t{1} << 51;
  constexpr uint64_t kThere[] = {kNumber, 0x7ff0000000000123, 0x7ff8000000000456, 0xfff7000000000789},
                     kAdded[] = {kNumber, 0x7ff0000000abc000, 0x7ffc000000def000, 0xfff3000000fed000};
  const uint64_t old = kThere[t % 4], b = kAdded[t / 4 % 4];
  const uint64_t global = b != kNumber ? b : old != kNumber ? old : kSum;
  const uint64_t shared = old != kNumber ? old | kQuiet : b != kNumber ? b | kQuiet : kSum;
  const auto of = [](uint64_t sum, uint32_t low, uint32_t high) {
    return static_cast<uint32_t>(sum) * low + static_cast<uint32_t>(sum >> 32) * high;
  };
  return of(t % 2 ? shared : global, 1, 3) + of(global, 7, 5) + of(shared, 13, 11);
}

uint32_t wide(uint32_t t, const Data& in) {
  const uint32_t* w = &in[t / 4 * 4];
  return w[0] + w[3] + w[2] * 3 + w[1] * 5;
}

uint32_t wide_atomics(uint32_t, const Data&) {
  constexpr uint32_t kThreads = 40, kSum = kThreads * (kThreads - 1) / 2, kEven = kThreads / 2 * (kThreads / 2 - 1);
  return kEven * 3 + kSum * 100000 + kThreads * 7;
}

uint32_t floating(uint32_t t, const Data& in) {
  const float a = static_cast<float>(static_cast<int32_t>(in[t])) * std::bit_cast<float>(0x2f800000u);
  float c = std::fma(a, a, -static_cast<float>(t)) / 3.0f;
  if (c < -2.0f) c = a;
  return std::bit_cast<uint32_t>(std::fmin(c, 1.0f));
}

uint32_t branches(uint32_t t, const Data&) {
  if (t % 17 == 13) return kUntouched;
  uint32_t n = t + 1, steps = 0;
  for (uint32_t k = 0; n != 1 && k < 60; k++) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps += n % 5 != 0;
  }
  return steps;
}

// Every third case goes on in the next one.
uint32_t switched_by_table(uint32_t t, const Data&) {
  uint32_t v = 0;
  for (uint32_t n = 0; n < 5; n++) {
    uint32_t c = (t * 7 + n) % 20;
    do v = v * (2 * c + 3) + c * c + 1;
    while (c++ % 3 == 2 && c < 20);
  }
  return v + t;
}

uint32_t switched(uint32_t t, const Data&) {
  const uint32_t v[4] = {100, t * t + 1, ~t, 400};
  return v[t & 3] + t;
}

uint32_t reduced(uint32_t t, const Data& in) {
  uint32_t sum = 0, odd = 0;
  const uint32_t first = t / 128 * 128;
  for (uint32_t i = first; i < first + 128; i++) {
    sum += in[i];
    odd += in[i] & 1;
  }
  return odd * 1000 + sum + (odd ? 10 : 0) + (odd == 128 ? 100 : 0);
}

uint32_t counted(uint32_t t, const Data& in) {
  uint32_t counts[16] = {}, v = in[t], sum = 0;
  for (int i = 0; i < 20; i++) {
    counts[v & 15]++;
    v = v * 1664525 + 1013904223;
    v ^= v >> 3;
  }
  for (uint32_t i = 0; i < 16; i++) sum += counts[i] * counts[i] * i;
  return sum;
}

uint32_t called(uint32_t t, const Data&) {
  static constexpr uint32_t kFib[8] = {0, 1, 1, 2, 3, 5, 8, 13};
  const uint32_t f = kFib[t & 7];
  return t & 1 ? f * f : 2 * f;
}

uint32_t pointed(uint32_t t, const Data&) { return t + 1000 + t % 3 * 10000; }

uint32_t data_of(uint32_t t, const Data&) {
  static constexpr uint32_t kPrimes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
  const uint32_t p = t ^ 1, c = kPrimes[p & 7];
  const auto byte = static_cast<uint32_t>(int32_t{static_cast<int8_t>((p ^ 0xff80) & 0xff)});
  return p * 3 + p * c + byte + (5 + c) * 100000;
}

uint32_t carried(uint32_t t, const Data& in) {
  const auto wide = [](uint32_t x0, uint32_t x1, uint32_t x2) {
    return static_cast<unsigned __int128>(x2) << 64 | static_cast<unsigned __int128>(x1) << 32 | x0;
  };
  const auto word = [](unsigned __int128 v, int i) { return static_cast<uint32_t>(v >> 32 * i); };
  const auto a = wide(in[t], ~t, t), b = wide(in[t] * 3, t, 7);
  const auto sum = a + b, difference = a - b;
  uint32_t s = std::rotl(word(sum, 0) ^ word(sum, 1) ^ word(sum, 2), 5);
  s ^= word(difference, 0) ^ word(difference, 1);
  const uint32_t d = word(difference, 2);
  // prmt 0x1540: bytes 0 and 1 of d as bytes 0 and 3, bytes 4 and 5 (of s) between.
  const uint32_t p = (d & 0xff) | (s & 0xff) << 8 | (s >> 8 & 0xff) << 16 | (d >> 8 & 0xff) << 24;
  return s + p;
}

uint32_t unwritten(uint32_t t, const Data& in) {
  const uint32_t n = t % 96 < 9 ? in[t] : 0, a = n + 1, b = a * n, c = b * a;
  return a ^ b ^ c ^ c * b;
}

// The lane that shfl names and whether it lies in the segment.
std::pair<uint32_t, bool> shuffled(char mode, int lane, uint32_t v, uint32_t c) {
  const int b = static_cast<int>(v & 31), segment = static_cast<int>(c >> 8 & 31);
  const int last = (lane & segment) | (static_cast<int>(c & 31) & ~segment);
  const int from = mode == 'u'   ? lane - b
                   : mode == 'd' ? lane + b
                   : mode == 'b' ? lane ^ b
                                 : (lane & segment) | (b & ~segment);
  const bool inside = mode == 'u' ? from >= last : from <= last;
  return {static_cast<uint32_t>(inside ? from : lane), inside};
}

uint32_t told(uint32_t t, const Data& in) {
  const uint32_t first = t / 32 * 32, lane = t % 32, v = in[t];
  const auto q = [&](uint32_t l) { return (in[first + l] & 3) != 0; };
  uint32_t m = 0, least = ~0u, rest = 0, alike = 0;
  bool odd_some = false, odd_all = true, all_alike = true;
  for (uint32_t l = 0; l < 32; l++) {
    const uint32_t x = in[first + l];
    m |= uint32_t{q(l)} << l;
    if (!q(l)) {
      rest ^= x;
      continue;
    }
    least = std::min(least, x);
    alike |= uint32_t{(x & 4) == (v & 4)} << l;
    odd_some |= (x & 4) != 0, odd_all &= (x & 4) != 0, all_alike &= x == v;
  }
  uint32_t h = (m == ~0u ? 1 : 0) + (m != ~0u ? 2 : 0) + (m == ~0u || m == 0 ? 4 : 0);
  h = h * 31 + ~m;
  h = h * 31 + (lane >= 5 ? in[t - 5] : 1);
  const auto shuffle = [&](char mode, uint32_t c) {
    const auto [from, inside] = shuffled(mode, static_cast<int>(lane), v >> 8, c);
    h = h * 31 + in[first + from] + inside;
  };
  shuffle('i', v >> 3 & 0x1f1f);
  shuffle('d', v >> 3 & 0x1f1f);
  shuffle('b', 0x603);
  shuffle('u', 0x1804);
  h += 77;
  h = h * 31 + (!q(lane) ? 3 : q(lane ^ 1) ? in[t ^ 1] : 0);
  const uint32_t reduced = q(lane) ? least : rest, leader = m != ~0u ? static_cast<uint32_t>(std::countr_one(m)) : 0;
  h = h * 31 + reduced;
  h = h * 31 + (q(lane) ? 0 : leader) + (!q(lane) && lane == leader ? 5 : 0);
  bool p = lane == 0;
  h += p ? 9 : 0;
  h = h * 31 + (q(lane) ? alike : v & 4);
  if (q(lane)) p = odd_all || !odd_some;
  h += p ? 17 : 0;
  h += q(lane) && all_alike ? 19 : 0;
  return h * 31 + (q(lane) ? m : 0);
}

uint32_t video(uint32_t t, const Data& in) {
  const auto byte = [](uint64_t v, int k) { return static_cast<int>(v >> 8 * k & 255); };
  uint32_t a = in[t], b = a * 0x01010101u + t, w = a >> 3, best = 0xffffffff, d = 0;
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t sad = 0, sum = 0;
    for (int k = 0; k < 4; k++) sad += static_cast<uint32_t>(std::abs(byte(a, k) - byte(b, k)));
    if (sad < best) {
      best = sad;
      d = (d & ~255u) | i;
    }
    const uint64_t row = b | uint64_t{w} << 32;
    for (int k = 0; k < 4; k++) sum |= static_cast<uint32_t>((byte(row, k + 1) + byte(w, k)) & 255) << 8 * k;
    b = sum;
    for (int k = 0; k < 32; k += 16) d += (a >> k & 0xffff) > (b >> k & 0xffff);
  }
  // .h01 puts a's lower half into the upper lane.
  const int x = static_cast<int16_t>(a), y = static_cast<int16_t>(b >> 16), sum = x + y;
  a = (a & 0xffff) | static_cast<uint32_t>((sum + (sum >= 0)) >> 1) << 16;
  const int64_t product = static_cast<int64_t>(a >> 24) * static_cast<int32_t>(d);
  return static_cast<uint32_t>((product - static_cast<int32_t>(best)) >> 7);
}

uint32_t vectors(uint32_t t, const Data& in) {
  const Data w(in.begin() + t / 8 * 8, in.begin() + t / 8 * 8 + 8);
  uint32_t h = w[7 - t % 8], x = t & 1 ? t : h, y = t & 1 ? h : t;
  x += w[2], y += w[3];
  const bool greater = x > y;
  if (!greater) x ^= 1;
  h = (h * 31 + x) * 31 + y + (greater ? 7 : 0);
  h = (h * 31 + w[3]) * 31 + w[0];
  h += h >> 16;
  const auto narrowed = [](uint32_t v, int64_t low, int64_t high) {
    return static_cast<uint32_t>(std::clamp<int64_t>(static_cast<int32_t>(v), low, high));
  };
  x = narrowed(w[2], -32768, 32767) << 16 | (narrowed(h, -32768, 32767) & 0xffff);
  x = h << 16 | narrowed(w[1], 0, 255) << 8 | narrowed(x, 0, 255);
  x = x << 8 | (narrowed(t, -8, 7) & 15) << 4 | 8;
  return h ^ x;
}

uint32_t apart(uint32_t t, const Data& in) {
  uint32_t many = 0;
  for (uint32_t n = t / 64 * 64; n < t / 64 * 64 + 64; n++) many += (in[n] & 7) > 3;
  return many * 16 + std::max(1u, in[t] & 7) + (many == 0 ? 0x1000 : 0x2000);
}

uint32_t met(uint32_t t, const Data& in) {
  const uint32_t part = t & 3, first = t / 64 * 64;
  uint32_t total = 0;
  for (uint32_t round = 0; round < 4; round++) {
    const auto k = [&](uint32_t n) { return in[n] >> round & 7; };
    uint32_t many = 0, few = 0, some = 0;
    for (uint32_t n = first; n < first + 64; n++) {
      const bool p = k(n) > 3;
      many += p;
      few += !p && (n & 3) < 2;
      some |= p && (n & 3) >= 2;
    }
    uint32_t sum = 5;
    if (part == 1) {
      do sum += k(t) + 1;
      while (sum < 20);
      total += sum;
    }
    if (part == 2) total += 2 * (k(t) + 1);
    total = total * 3 + many + (part < 2 ? few : 100 * some) + (round & 1 || many == 64 ? 1000 : 0);
  }
  return total;
}

const Program kPrograms[] = {
    {"integer", {}, integer},
    {"atomics", {1, 96}, atomics},
    {"constants", {}, constants},
    {"parameters", {}, parameters},
    {"places", {}, places},
    {"half_atomics", {1, 96}, half_atomics},
    {"wide", {}, wide},
    {"wide_atomics", {1, 40}, wide_atomics},
    {"float", {}, floating},
    {"branches", {2, 64}, branches},
    {"switch", {}, switched},
    {"switch_table", {}, switched_by_table},
    {"reduction", {3, 128}, reduced},
    {"local", {}, counted},
    {"calls", {2, 64}, called},
    {"generic", {2, 64}, pointed},
    {"data", {3, 96, 96 * 16}, data_of},
    {"carry", {}, carried},
    {"vectors", {}, vectors},
    {"video", {}, video},
    {"undefined", {}, unwritten},
    {"warp", {}, told},
    {"apart", {2, 64}, apart},
    {"parts", {2, 64}, met},
};

TEST(Sums, PassNansAsSiliconsMemoryDoes) {
  if (!has_doubles()) GTEST_SKIP() << "no double precision";
  for (const bool loops : {false, true}) {
    SCOPED_TRACE(loops ? "by loops" : "by memory");
    compare({"nan_sums", {.blocks = 1, .threads = 96, .loops = loops}, nan_sums}, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Ptx, PtxPrograms, testing::Combine(testing::ValuesIn(kPrograms), testing::Values(0u, 2u)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_O" +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST(Ptx, ALockLetsEveryThreadOfTheGridThroughOnce) {
  const Shape shape{4, 64};
  Device device(source("lock"), shape, 2);
  ASSERT_EQ(device.error(), "");
  Data in(256, 0), out(256, 0);
  const Status status = device.run(out, in);
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(in[0], 0u);
  EXPECT_EQ(in[1], 256u);
  EXPECT_EQ(in[2], 255u * 256 / 2);
  EXPECT_EQ(in[3], 255u);
  for (uint32_t v : out) ASSERT_EQ(v, 1u);
}

// ---- faults
// -------------------------------------------------------------------------------------------------

struct FaultCase {
  const char* name;
  uint32_t what;
  Code code;
  std::vector<std::string> says;
};
void PrintTo(const FaultCase& c, std::ostream* out) { *out << c.name; }

class PtxFaults : public testing::TestWithParam<FaultCase> {};

TEST_P(PtxFaults, ReachTheHostByName) {
  const FaultCase& c = GetParam();
  Shape shape{1, 64};
  shape.cycle_limit = 20000;
  Device device(source("faults"), shape, 2);
  ASSERT_EQ(device.error(), "");
  Data in(64, c.what), out(64, 0);
  const Status status = device.run(out, in);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), c.code) << status.error().message();
  for (const std::string& part : c.says)
    EXPECT_NE(status.error().message().find(part), std::string::npos) << status.error().message();
}

INSTANTIATE_TEST_SUITE_P(
    Ptx, PtxFaults,
    testing::Values(FaultCase{"null", 1, Code::IllegalAddress, {"kernel", "37"}},
                    FaultCase{"misaligned", 2, Code::MisalignedAddress, {"kernel", "37"}},
                    FaultCase{"past_the_end", 3, Code::IllegalAddress, {"37", "fff0000000"}},
                    FaultCase{"shared", 4, Code::IllegalAddress, {"37"}},
                    FaultCase{"trap", 5, Code::LaunchFailure, {"37"}},
                    FaultCase{"endless", 6, Code::LaunchTimeout, {"kernel"}},
                    FaultCase{"barrier", 7, Code::LaunchFailure, {"barrier"}},
                    FaultCase{"call_through_null", 8, Code::InvalidPc, {"null function pointer", "(37,0,0)"}},
                    FaultCase{"call_through_a_high_pointer", 9, Code::InvalidPc, {"no function's", "(37,0,0)"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Ptx, ANewContextWorksAfterAFault) {
  Data in(64, 1), out(64, 0);
  {
    Device device(source("faults"), {1, 64}, 2);
    ASSERT_EQ(device.error(), "");
    ASSERT_FALSE(device.run(out, in).ok());
    Data again(64, 0);
    EXPECT_FALSE(device.run(out, again).ok()) << "the error must stick";
  }
  Device device(source("switch"), {2, 32}, 2);
  ASSERT_EQ(device.error(), "");
  ASSERT_TRUE(device.run(out, in).ok());
  EXPECT_EQ(out[5], switched(5, in));
}

}  // namespace
}  // namespace heddle::test
