// SPDX-License-Identifier: Apache-2.0
// Division, reciprocal and root as compiled, on the golden model, against the host's: all rounding modes, at the edges
// of the fast paths, beside ties, and everywhere else.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
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
         ".reg ." + f + " %a, %b, %q, %r, %s;\n.reg .b64 %p, %o;\n.reg .b32 %t;\n"
         "ld.param.u64 %p, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, " + more + ";\nadd.s64 %p, %p, %o;\n"
         "ld.global." + f + " %a, [%p];\nld.global." + f + " %b, [%p+" + n + "];\n"
         "div." + mode + "." + f + " %q, %a, %b;\nrcp." + mode + "." + f + " %r, %b;\nsqrt." + mode + "." + f + " %s, %a;\n"
         "st.global." + f + " [%p], %q;\nst.global." + f + " [%p+" + n + "], %r;\nst.global." + f + " [%p+" + size + "], %s;\nret;\n}\n";
}

template <typename T>
std::vector<T> operands(std::mt19937_64& random) {
  using Bits = BitsOf<T>;
  constexpr int kFraction = sizeof(T) == 8 ? 52 : 23, kSpan = sizeof(T) == 8 ? 1022 : 126;
  const int edges[] = {-kSpan - 20, -kSpan, -kSpan + 1, -512, -126, -100, -64, -62, -61, -60, 0, 1, 63, 64, 66, 67, 125, 126, 127, 511, 512, kSpan, kSpan + 1};
  std::vector<T> v;
  for (uint32_t i = 0; i < kThreads; i++) {
    T pair[2];
    for (T& x : pair) {
      const Bits noise = static_cast<Bits>(random());
      if (i % 4 == 0) x = std::bit_cast<T>(noise);  // any at all
      else if (i % 4 == 1) x = std::ldexp(T(1), edges[noise % std::size(edges)]);
      else x = std::bit_cast<T>(std::bit_cast<Bits>(T(1)) | (noise >> (sizeof(T) * 8 - kFraction)));
      if (i % 4 == 1) x = std::bit_cast<T>(std::bit_cast<Bits>(x) + static_cast<Bits>(noise >> 20) % 5 - 2);  // and its neighbours
    }
    if (i % 4 == 3) {  // a quotient beside a number, or beside the middle of two
      const T q = pair[0], half = std::ldexp(q, -kFraction - 1) * T(random() % 2);
      pair[0] = std::fma(q, pair[1], half * pair[1]);
    }
    v.insert(v.end(), {pair[0], pair[1]});
  }
  return v;
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

TEST(Division, SinglePrecisionIsCorrectlyRounded) {
  for (const Mode& mode : kModes) check<float>(mode, 100);
}
TEST(Division, DoublePrecisionIsCorrectlyRounded) {
  for (const Mode& mode : kModes) check<double>(mode, 100);
}

}  // namespace
}  // namespace heddle::compiler
