// SPDX-License-Identifier: Apache-2.0
// f32 division, roots and conversions against the host's IEEE arithmetic, in every rounding mode.
#include <gtest/gtest.h>

#include <bit>

#include "tests/compiler/lower/float_eval.h"
#include "tests/compiler/lower/kernel.h"

namespace heddle::compiler::lower::test {
namespace {

struct Mode {
  const char* name;
  isa::Rounding rounding;
};
constexpr Mode kModes[] = {
    {"rn", isa::Rounding::Rn}, {"rz", isa::Rounding::Rz}, {"rm", isa::Rounding::Rm}, {"rp", isa::Rounding::Rp}};

class Rounded : public ::testing::TestWithParam<Mode> {
 protected:
  FloatMode mode_{GetParam().rounding};
  std::string op(const std::string& name) { return name + "." + GetParam().name + ".f32 %o, %a"; }
};

TEST_P(Rounded, DivisionIsCorrectlyRounded) {
  OpKernel divide(op("div") + ", %b;", "f32 f32", "f32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 20000; ++n) {
    uint32_t a = values.f32(), b = values.f32();
    ASSERT_EQ(divide({a, b})[0], f32_div(a, b, mode_)) << std::hex << a << " / " << b;
  }
}

TEST_P(Rounded, SubnormalQuotientsAreCorrectlyRounded) {
  OpKernel divide(op("div") + ", %b;", "f32 f32", "f32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 10000; ++n) {
    // Exponents whose difference brings the quotient near and below the least normal number.
    uint32_t a = (values.f32() & 0x807FFFFF) | (1 + values.below(30)) << 23;
    uint32_t b = (values.f32() & 0x807FFFFF) | (125 + values.below(30)) << 23;
    ASSERT_EQ(divide({a, b})[0], f32_div(a, b, mode_)) << std::hex << a << " / " << b;
  }
}

TEST_P(Rounded, QuotientsNextToTiesAreCorrectlyRounded) {
  // a = ±1 / 2^25 modulo b: a / b is as near to the middle of two numbers as it gets.
  OpKernel divide(op("div") + ", %b;", "f32 f32", "f32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 4000; ++n) {
    uint64_t b = 0x800001 | values.below(1 << 23), inverse = 1, half = (b + 1) / 2;
    for (int k = 0; k < 24 + n % 2; ++k) inverse = inverse * half % b;
    for (uint64_t a : {inverse, b - inverse}) {
      if (a < 0x800000) a += b;
      if (a >= 0x1000000 || a < 0x800000) continue;
      uint32_t x = 0x3F800000 | (a & 0x7FFFFF), y = 0x3F800000 | (b & 0x7FFFFF);
      ASSERT_EQ(divide({x, y})[0], f32_div(x, y, mode_)) << std::hex << x << " / " << y;
    }
  }
}

TEST_P(Rounded, ReciprocalIsCorrectlyRounded) {
  OpKernel rcp(op("rcp") + ";", "f32", "f32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 20000; ++n) {
    uint32_t a = n < 64 ? 0x3FFFFFFFu - static_cast<uint32_t>(n) : values.f32();
    ASSERT_EQ(rcp({a})[0], f32_div(0x3F800000, a, mode_)) << std::hex << a;
  }
}

TEST_P(Rounded, SquareRootIsCorrectlyRounded) {
  OpKernel root(op("sqrt") + ";", "f32", "f32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 20000; ++n) {
    uint32_t a = values.f32();
    if (n % 4) a &= 0x7FFFFFFF;
    ASSERT_EQ(root({a})[0], f32_sqrt(a, mode_)) << std::hex << a;
  }
}

TEST_P(Rounded, IntegersBecomeFloats) {
  std::string r = GetParam().name;
  OpKernel s32("cvt." + r + ".f32.s32 %o, %a;", "s32", "f32");
  OpKernel u64("cvt." + r + ".f32.u64 %o, %a;", "u64", "f32");
  OpKernel s8("cvt." + r + ".f32.s8 %o, %a;", "s8", "f32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 1000; ++n) {
    uint64_t a = values.integer(64);
    ASSERT_EQ(s32({a & 0xFFFFFFFF})[0], f32_of_s64(static_cast<int32_t>(a), mode_));
    ASSERT_EQ(u64({a})[0], f32_of_u64(a, mode_));
    ASSERT_EQ(s8({a & 0xFFFF})[0], f32_of_s64(static_cast<int8_t>(a), mode_));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Rounded, ::testing::ValuesIn(kModes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Float, FlushedDivisionFlushesBothEnds) {
  OpKernel divide("div.rn.ftz.f32 %o, %a, %b;", "f32 f32", "f32");
  EXPECT_EQ(divide({0x00000001, 0x3F800000})[0], 0u);           // subnormal numerator
  EXPECT_EQ(divide({0xBF800000, 0x00000001})[0], 0xFF800000u);  // by a flushed zero
  EXPECT_EQ(divide({0x00800000, 0xC0000000})[0], 0x80000000u);  // subnormal quotient
  EXPECT_EQ(divide({0x40400000, 0x40000000})[0], 0x3FC00000u);
}

// What an H200 answers: 1/b is zero there.
TEST(Float, ApproximateDivisionByHugeNumbersIsZeroOrNan) {
  OpKernel divide("div.approx.f32 %o, %a, %b;", "f32 f32", "f32");
  EXPECT_EQ(divide({0xCA318AF4, 0xFF072B81})[0], 0u);
  EXPECT_EQ(divide({0xC1B7CB20, 0x7F7FFFFF})[0], 0x80000000u);
  EXPECT_EQ(divide({0x7F800000, 0xFF7FFFFF})[0], 0x7FFFFFFFu);
  EXPECT_EQ(divide({0x40400000, 0x7F800000})[0], 0u);           // by infinity
  EXPECT_EQ(divide({0x7E800000, 0x7E800000})[0], 0x3F800000u);  // 2^126 is not beyond
  EXPECT_EQ(divide({0x40400000, 0x40000000})[0], 0x3FC00000u);
}

// What an H200 answers where scaling, subnormals and special values decide.
TEST(Float, ApproximateFunctionsAnswerAsSiliconAtTheEdges) {
  const struct {
    const char* op;
    uint32_t argument, result;
  } kCases[] = {
      {"rcp.approx.f32", 0x7F7FFFFF, 0x00200000},       {"rcp.approx.ftz.f32", 0x7F7FFFFF, 0},
      {"rcp.approx.f32", 0x7EAE69A1, 0x005DF02C},       {"rcp.approx.f32", 0x807FFFFF, 0xFE800001},
      {"rcp.approx.ftz.f32", 0x807FFFFF, 0xFF800000},   {"rsqrt.approx.f32", 0x00000001, 0x64B504F2},
      {"rsqrt.approx.ftz.f32", 0x00000001, 0x7F800000}, {"rsqrt.approx.f32", 0x80000002, 0x7FFFFFFF},
      {"sqrt.approx.f32", 0x00000002, 0x1A800000},      {"sqrt.approx.ftz.f32", 0x80000001, 0x80000000},
      {"sin.approx.f32", 0x80000001, 0x80000000},       {"sin.approx.f32", 0x3F7FFFFF, 0x3F576AA3},
      {"sin.approx.f32", 0x7F800000, 0x7FFFFFFF},       {"cos.approx.f32", 0x00000000, 0x3F800000},
      {"cos.approx.f32", 0x7F7FFFFF, 0x3F800000},       {"lg2.approx.f32", 0x00000001, 0xC3150000},
      {"lg2.approx.ftz.f32", 0x00000001, 0xFF800000},   {"lg2.approx.f32", 0x00800000, 0xC2FBFFFF},
      {"lg2.approx.f32", 0x3F800000, 0x00000000},       {"ex2.approx.f32", 0xC0000000, 0x3E800000},
      {"ex2.approx.f32", 0xBF7FFFFF, 0x3F000000},       {"ex2.approx.f32", 0x487FF630, 0x7F800000},
      {"tanh.approx.f32", 0x00000001, 0x00000001},      {"tanh.approx.f32", 0x40ADFCB6, 0x3F7FFD8A},
      {"tanh.approx.f32", 0xC1000000, 0xBF800000},
  };
  for (const auto& c : kCases) {
    OpKernel kernel(std::string(c.op) + " %o, %a;", "f32", "f32");
    EXPECT_EQ(kernel({c.argument})[0], c.result) << c.op << std::hex << " of 0x" << c.argument;
  }
}

TEST(Float, ReciprocalRootIsWithinTwoUnits) {
  OpKernel rsqrt("rsqrt.approx.f32 %o, %a;", "f32", "f32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 5000; ++n) {
    uint32_t a = values.f32() & 0x7FFFFFFF;
    if (a == 0 || a >= 0x7F800000) continue;
    // In double, from the exact value of a.
    double x = static_cast<double>(std::bit_cast<float>(a));
    auto want = std::bit_cast<uint32_t>(static_cast<float>(1.0 / __builtin_sqrt(x)));
    auto got = static_cast<uint32_t>(rsqrt({a})[0]);
    EXPECT_LE(got > want ? got - want : want - got, 2u) << std::hex << a;
  }
  EXPECT_EQ(rsqrt({0x80000000})[0], 0xFF800000u);
  EXPECT_EQ(rsqrt({0x7F800000})[0], 0u);
  EXPECT_EQ(rsqrt({0xBF800000})[0], 0x7FFFFFFFu);
}

TEST(Float, FloatsBecomeClampedIntegers) {
  OpKernel u8("cvt.rni.u8.f32 %o, %a;", "f32", "u32");
  EXPECT_EQ(u8({std::bit_cast<uint32_t>(300.0f)})[0], 255u);
  EXPECT_EQ(u8({std::bit_cast<uint32_t>(2.5f)})[0], 2u);
  EXPECT_EQ(u8({std::bit_cast<uint32_t>(-1.0f)})[0], 0u);
  OpKernel s64("cvt.rzi.s64.f32 %o, %a;", "f32", "u64");
  EXPECT_EQ(s64({std::bit_cast<uint32_t>(-1e18f)})[0], static_cast<uint64_t>(-999999984306749440));
}

TEST(Float, SignsOfZeroAndNan) {
  OpKernel neg("neg.f32 %o, %a; abs.f32 %o2, %a;", "f32", "f32 f32");
  EXPECT_EQ(neg({0}), (std::vector<uint64_t>{0x80000000, 0}));
  EXPECT_EQ(neg({0x80000000}), (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(neg({0xFFC00001}), (std::vector<uint64_t>{0x7FFFFFFF, 0x7FFFFFFF}));
}

}  // namespace
}  // namespace heddle::compiler::lower::test
