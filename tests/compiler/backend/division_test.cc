// SPDX-License-Identifier: Apache-2.0
// Division, reciprocal and root as compiled, on the golden model, against the host's: all rounding modes, at the edges
// of the fast paths, beside ties, and everywhere else.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"

namespace heddle::compiler {
namespace {

struct Mode {
  const char* name;
  int host;
};
constexpr Mode kModes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
constexpr uint32_t kThreads = 256;

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// Pairs of operands: thread i takes the i-th pair and leaves quotient, reciprocal of the second and root of the first.
template <typename T>
std::string kernel(const std::string& mode) {
  const std::string f = sizeof(T) == 8 ? "f64" : "f32", n = std::to_string(sizeof(T));
  const std::string size = std::to_string(2 * sizeof(T)), more = std::to_string(4 * sizeof(T));
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
         ".reg ." +
         f +
         " %a, %b, %q, %r, %s;\n.reg .b64 %p, %o;\n.reg .b32 %t;\n"
         "ld.param.u64 %p, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, " +
         more +
         ";\nadd.s64 %p, %p, %o;\n"
         "ld.global." +
         f + " %a, [%p];\nld.global." + f + " %b, [%p+" + n +
         "];\n"
         "div." +
         mode + "." + f + " %q, %a, %b;\nrcp." + mode + "." + f + " %r, %b;\nsqrt." + mode + "." + f +
         " %s, %a;\n"
         "st.global." +
         f + " [%p], %q;\nst.global." + f + " [%p+" + n + "], %r;\nst.global." + f + " [%p+" + size +
         "], %s;\nret;\n}\n";
}

template <typename T>
std::vector<T> operands(std::mt19937_64& random) {
  using Bits = BitsOf<T>;
  constexpr int kFraction = sizeof(T) == 8 ? 52 : 23, kSpan = sizeof(T) == 8 ? 1022 : 126;
  const int edges[] = {-kSpan - 20, -kSpan, -kSpan + 1, -512, -126, -100, -64, -62, -61, -60,   0,        1,
                       63,          64,     66,         67,   125,  126,  127, 511, 512, kSpan, kSpan + 1};
  std::vector<T> v;
  for (uint32_t i = 0; i < kThreads; i++) {
    T pair[2];
    for (T& x : pair) {
      const Bits noise = static_cast<Bits>(random());
      if (i % 4 == 0) x = std::bit_cast<T>(noise);  // any at all
      else if (i % 4 == 1) x = std::ldexp(T(1), edges[noise % std::size(edges)]);
      else x = std::bit_cast<T>(std::bit_cast<Bits>(T(1)) | (noise >> (sizeof(T) * 8 - kFraction)));
      if (i % 4 == 1)
        x = std::bit_cast<T>(std::bit_cast<Bits>(x) + static_cast<Bits>(noise >> 20) % 5 - 2);  // and its neighbours
      if (i % 4 != 0 && random() % 4 == 0) x = -x;
    }
    if (i % 4 == 3) {  // a quotient beside a number, or beside the middle of two
      const T q = pair[0], half = std::ldexp(q, -kFraction - 1) * T(random() % 2);
      pair[0] = std::fma(q, pair[1], half * pair[1]);
    }
    v.insert(v.end(), {pair[0], pair[1]});
  }
  return v;
}

// Square roots of c, an odd square modulo 8, modulo 2^bits: of x^2 = c mod 2^n one of x, x + 2^(n-1) is one mod
// 2^(n+1).
uint64_t root_modulo(uint64_t c, unsigned bits) {
  uint64_t x = 1;
  for (unsigned n = 3; n < bits; n++)
    if ((x * x - c) >> n & 1) x += uint64_t{1} << (n - 1);
  return x;
}

// All numbers x from 1 to 4 whose root is nearly the middle m of two: m = M 2^-53 with odd M, m^2 - x = c 2^-106, |c|
// < 64. (The root's error before rounding is below 2^-104: root64.cc.)
std::vector<double> nearest_to_middles() {
  std::vector<double> found;
  for (const unsigned bits : {54u, 55u})  // x = X 2^-52 below 2, X 2^-51 above
    for (int c = -63; c < 64; c += 8) {   // 1 modulo 8
      const uint64_t modulus = uint64_t{1} << bits, x = root_modulo(static_cast<uint64_t>(int64_t{c}), bits);
      for (const uint64_t root : {x, modulus - x, x + modulus / 2, modulus / 2 - x})
        for (uint64_t m = root % modulus; m < uint64_t{1} << 54; m += modulus) {
          const __uint128_t square =
              static_cast<__uint128_t>(m) * m - static_cast<__uint128_t>(static_cast<__int128_t>(c));
          const auto number = static_cast<uint64_t>(square >> bits);
          if (m >> 53 == 1 && (square & (modulus - 1)) == 0 && number >> 52 == 1)
            found.push_back(std::ldexp(static_cast<double>(number), bits == 54 ? -52 : -51));
        }
    }
  return found;
}

template <typename T>
bool same(T x, T y) {
  return std::isnan(x) ? std::isnan(y) : std::bit_cast<BitsOf<T>>(x) == std::bit_cast<BitsOf<T>>(y);
}

template <typename T>
void check(const Mode& mode, unsigned launches) {
  const auto compiled = compile({"division.ptx", kernel<T>(mode.name)}, {});
  ASSERT_TRUE(compiled) << compiled.error().message();
  std::mt19937_64 random(sizeof(T));
  for (unsigned n = 0; n < launches; n++) {
    const std::vector<T> in = operands<T>(random);
    std::vector<T> rows(kThreads * 4);
    for (uint32_t i = 0; i < kThreads; i++) rows[4 * i] = in[2 * i], rows[4 * i + 1] = in[2 * i + 1];
    std::vector<uint8_t> bytes(rows.size() * sizeof(T));
    std::memcpy(bytes.data(), rows.data(), bytes.size());
    const auto ran = test::run_on_model(compiled->cubin, "k", bytes, {}, {.threads = kThreads});
    ASSERT_TRUE(ran) << ran.error().message();
    std::memcpy(rows.data(), ran->buffer.data(), bytes.size());
    std::fesetround(mode.host);
    for (uint32_t i = 0; i < kThreads; i++) {
      const volatile T a = in[2 * i], b = in[2 * i + 1], one = 1;
      const T q = a / b, r = one / b, s = std::sqrt(T(a));
      EXPECT_TRUE(same(rows[4 * i], q)) << mode.name << ": " << a << " / " << b;
      EXPECT_TRUE(same(rows[4 * i + 1], r)) << mode.name << ": 1 / " << b;
      EXPECT_TRUE(same(rows[4 * i + 2], s)) << mode.name << ": sqrt " << a;
    }
    std::fesetround(FE_TONEAREST);
    if (testing::Test::HasFailure()) return;
  }
}

// Zero over a number takes the slow path, but not the long way through it.
template <typename T>
void zeros_are_quick() {
  const auto compiled = compile({"division.ptx", kernel<T>("rn")}, {});
  ASSERT_TRUE(compiled) << compiled.error().message();
  const auto executed = [&](T a) {
    std::vector<T> rows(kThreads * 4, T(3));
    for (uint32_t i = 0; i < kThreads; i++) rows[4 * i] = a;
    std::vector<uint8_t> bytes(rows.size() * sizeof(T));
    std::memcpy(bytes.data(), rows.data(), bytes.size());
    const auto ran = test::run_on_model(compiled->cubin, "k", bytes, {}, {.threads = kThreads});
    EXPECT_TRUE(ran);
    return ran ? ran->warp_instructions / (kThreads / 32) : 0;
  };
  const uint64_t ordinary = executed(T(2)), zero = executed(T(0)),
                 subnormal = executed(std::numeric_limits<T>::denorm_min());
  EXPECT_GT(zero, ordinary);
  EXPECT_LT(zero, ordinary + 60);  // quotient and root together
  EXPECT_GT(subnormal, ordinary + 100);
}
TEST(Division, ZerosAreQuick) {
  zeros_are_quick<float>();
  zeros_are_quick<double>();
}

TEST(Division, RootsNextToTiesAreCorrectlyRounded) {
  const auto compiled = compile({"division.ptx", kernel<double>("rn")}, {});
  ASSERT_TRUE(compiled) << compiled.error().message();
  std::vector<double> all = nearest_to_middles();
  ASSERT_EQ(all.size(), 24u);
  for (size_t first = 0; first < all.size(); first += kThreads) {
    std::vector<double> rows(kThreads * 4, 1.0);
    const size_t count = std::min<size_t>(kThreads, all.size() - first);
    for (size_t i = 0; i < count; i++) rows[4 * i] = all[first + i];
    std::vector<uint8_t> bytes(rows.size() * sizeof(double));
    std::memcpy(bytes.data(), rows.data(), bytes.size());
    const auto ran = test::run_on_model(compiled->cubin, "k", bytes, {}, {.threads = kThreads});
    ASSERT_TRUE(ran) << ran.error().message();
    std::memcpy(rows.data(), ran->buffer.data(), bytes.size());
    for (size_t i = 0; i < count; i++)
      EXPECT_EQ(rows[4 * i + 2], std::sqrt(all[first + i])) << std::hexfloat << all[first + i];
  }
}
TEST(Division, SinglePrecisionIsCorrectlyRounded) {
  for (const Mode& mode : kModes) check<float>(mode, 100);
}
TEST(Division, DoublePrecisionIsCorrectlyRounded) {
  for (const Mode& mode : kModes) check<double>(mode, 100);
}

}  // namespace
}  // namespace heddle::compiler
