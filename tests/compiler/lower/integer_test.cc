// SPDX-License-Identifier: Apache-2.0
// Integer expansions against plain C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "host-runtime/compiler/lower/divisor.h"
#include "tests/compiler/lower/kernel.h"

namespace heddle::compiler::lower::test {
namespace {

using Words = std::vector<uint64_t>;
using i128 = __int128;
using u128 = unsigned __int128;

int bits_of(const std::string& type) { return std::atoi(type.c_str() + 1); }
int64_t as_signed(uint64_t v, int bits) {
  return bits == 64 ? static_cast<int64_t>(v) : static_cast<int64_t>(v << (64 - bits)) >> (64 - bits);
}
uint64_t cut(uint64_t v, int bits) { return bits == 64 ? v : v & ((uint64_t{1} << bits) - 1); }

// `body` with two operands of `type` against `reference`, which sees them sign- or zero-extended.
void check_binary(const std::string& body, const std::string& type, const std::string& result,
                  const std::function<uint64_t(i128, i128)>& reference, bool zero_divisor = true) {
  OpKernel kernel(body, type + " " + type, result);
  ASSERT_TRUE(kernel.ok());
  Values values;
  SCOPED_TRACE(values.trace() + " " + body);
  int bits = bits_of(type);
  for (int n = 0; n < 1500; ++n) {
    uint64_t a = values.integer(bits), b = values.integer(bits);
    if (b == 0 && !zero_divisor) b = 1;
    bool is_signed = type[0] == 's';
    i128 x = is_signed ? i128{as_signed(a, bits)} : i128{a};
    i128 y = is_signed ? i128{as_signed(b, bits)} : i128{b};
    uint64_t want = cut(reference(x, y), bits_of(result));
    ASSERT_EQ(kernel({a, b})[0], want) << std::hex << a << " " << b;
  }
}

class OfType : public ::testing::TestWithParam<std::string> {
 protected:
  std::string type_ = GetParam();
  int bits_ = bits_of(GetParam());
};

TEST_P(OfType, Division) {
  check_binary(
      "div." + type_ + " %o, %a, %b;", type_, type_, [](i128 a, i128 b) { return static_cast<uint64_t>(a / b); },
      false);
}

TEST_P(OfType, Remainder) {
  check_binary(
      "rem." + type_ + " %o, %a, %b;", type_, type_, [](i128 a, i128 b) { return static_cast<uint64_t>(a % b); },
      false);
}

TEST_P(OfType, HighProduct) {
  int bits = bits_;
  check_binary("mul.hi." + type_ + " %o, %a, %b;", type_, type_, [bits](i128 a, i128 b) {
    return static_cast<uint64_t>(static_cast<u128>(a) * static_cast<u128>(b) >> bits);
  });
}

TEST_P(OfType, LowProductAndSum) {
  check_binary("mad.lo." + type_ + " %o, %a, %b, %a;", type_, type_, [](i128 a, i128 b) {
    return static_cast<uint64_t>(static_cast<u128>(a) * static_cast<u128>(b) + static_cast<u128>(a));
  });
}

TEST_P(OfType, HighProductAndSum) {
  if (bits_ == 16) return;
  int bits = bits_;
  check_binary("mad.hi." + type_ + " %o, %a, %b, %b;", type_, type_, [bits](i128 a, i128 b) {
    return static_cast<uint64_t>(static_cast<u128>(a) * static_cast<u128>(b) >> bits) + static_cast<uint64_t>(b);
  });
}

TEST_P(OfType, MinimumMaximumAndAbsoluteDifference) {
  check_binary("min." + type_ + " %o, %a, %b;", type_, type_,
               [](i128 a, i128 b) { return static_cast<uint64_t>(std::min(a, b)); });
  check_binary("max." + type_ + " %o, %a, %b;", type_, type_,
               [](i128 a, i128 b) { return static_cast<uint64_t>(std::max(a, b)); });
  check_binary("sad." + type_ + " %o, %a, %b, %a;", type_, type_,
               [](i128 a, i128 b) { return static_cast<uint64_t>((a > b ? a - b : b - a) + a); });
}

TEST_P(OfType, Comparison) {
  check_binary("{ .reg .pred p; setp.lt." + type_ + " p, %a, %b; selp.u32 %o, 1, 0, p; }", type_, "u32",
               [](i128 a, i128 b) { return a < b; });
}

INSTANTIATE_TEST_SUITE_P(Types, OfType, ::testing::Values("u16", "s16", "u32", "s32", "u64", "s64"),
                         [](const auto& info) { return info.param; });

TEST(Integer, DivisionNextToMultiplesIsExact) {
  // Quotients one apart are told apart by one in the remainder: the hard cases of an estimate.
  OpKernel q32("div.u32 %o, %a, %b;", "u32 u32", "u32");
  OpKernel q64("div.u64 %o, %a, %b;", "u64 u64", "u64");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 3000; ++n) {
    uint64_t b = values.integer(32) | 1, k = values.integer(32) % (0xFFFFFFFF / b + 1);
    for (uint64_t a : {k * b, k * b - 1, k * b + b - 1}) {
      a &= 0xFFFFFFFF;
      ASSERT_EQ(q32({a, b})[0], a / b) << std::hex << a << " " << b;
    }
    b = values.integer(64) | 1;
    k = values.integer(64) % (~uint64_t{0} / b + (b == 1 ? 0 : 1));
    for (uint64_t a : {k * b, k * b - 1, k * b + b - 1}) {
      ASSERT_EQ(q64({a, b})[0], a / b) << std::hex << a << " " << b;
    }
  }
}

// Every dividend of few bits by every divisor, in the unsigned form and in the signed one, whose dividends are below
// half.
TEST(Integer, MultipliersForDivisorsAreExact) {
  for (unsigned bits = 2; bits <= 11; ++bits)
    for (unsigned spare : {0u, 1u, 2u})
      for (uint64_t d = 3; d >> bits == 0; ++d) {
        if (std::has_single_bit(d) || spare >= bits) continue;
        const Multiplier m = multiplier_for(d, bits, spare);
        ASSERT_TRUE(spare == 0 || !m.carry) << bits << " bits, by " << d;
        ASSERT_TRUE(!m.carry || m.shift > 0) << bits << " bits, by " << d;
        const uint64_t multiplier = m.low | static_cast<uint64_t>(m.carry) << bits;
        for (uint64_t a = 0; a >> (bits - spare) == 0; ++a)
          ASSERT_EQ(a * multiplier >> (bits + m.shift), a / d) << bits << " bits, " << a << " / " << d;
      }
}

TEST_P(OfType, DivisionByConstants) {
  const bool is_signed = type_[0] == 's';
  Values values;
  SCOPED_TRACE(values.trace());
  std::vector<uint64_t> divisors;
  for (uint64_t d = 1; d <= 20; ++d) divisors.insert(divisors.end(), {d, cut(0 - d, bits_)});
  for (int n = 1; n < bits_; ++n)
    for (uint64_t near : {-1, 0, 1}) divisors.push_back(cut((uint64_t{1} << n) + near, bits_));
  for (int n = 0; n < 40; ++n) divisors.push_back(values.integer(bits_));
  for (const uint64_t divisor : divisors) {
    if (divisor == 0) continue;
    const i128 d = is_signed ? i128{as_signed(divisor, bits_)} : i128{divisor};
    const std::string number = is_signed ? std::to_string(static_cast<int64_t>(d)) : std::to_string(divisor) + "U";
    const OpKernel both("div." + type_ + " %o, %a, " + number + "; { .reg .b" + std::to_string(bits_) + " k; mov.b" +
                            std::to_string(bits_) + " k, " + number + "; rem." + type_ + " %o2, %a, k; }",
                        type_, type_ + " " + type_);
    ASSERT_TRUE(both.ok());
    for (const mir::Block& block : both.compiled().module.functions[0].blocks)
      for (const mir::Instruction& i : block.body) ASSERT_FALSE(i.is(isa::Opcode::Mufu)) << number << ": a reciprocal";
    for (int n = 0; n < 60; ++n) {
      uint64_t a = values.integer(bits_);
      if (n % 2) a = a / divisor * divisor + static_cast<uint64_t>(n / 2 % 3) - 1;  // beside a multiple
      a = cut(a, bits_);
      const i128 x = is_signed ? i128{as_signed(a, bits_)} : i128{a};
      const Words want = {cut(static_cast<uint64_t>(x / d), bits_), cut(static_cast<uint64_t>(x % d), bits_)};
      ASSERT_EQ(both({a}), want) << std::hex << a << " by " << number;
    }
  }
}

TEST(Integer, CarryRunsThroughAChain) {
  OpKernel add("add.cc.u32 %o, %a, %b; addc.cc.u32 %o2, %c, %d;", "u32 u32 u32 u32", "u32 u32");
  OpKernel sub("sub.cc.u32 %o, %a, %b; subc.u32 %o2, %c, %d;", "u32 u32 u32 u32", "u32 u32");
  OpKernel sub64("sub.cc.s64 %o, %a, %b; subc.cc.s64 %o2, %c, %d;", "u64 u64 u64 u64", "u64 u64");
  OpKernel mad("mad.lo.cc.u32 %o, %a, %b, %c; madc.hi.u32 %o2, %a, %b, %d;", "u32 u32 u32 u32", "u32 u32");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 1000; ++n) {
    Words w = {values.integer(32), values.integer(32), values.integer(32), values.integer(32)};
    uint64_t x = w[0] | w[2] << 32, y = w[1] | w[3] << 32;
    EXPECT_EQ(add(w), (Words{cut(x + y, 32), (x + y) >> 32}));
    EXPECT_EQ(sub(w), (Words{cut(x - y, 32), (x - y) >> 32}));
    uint64_t m = w[0] * w[1] + (w[2] | w[3] << 32);
    EXPECT_EQ(mad(w), (Words{cut(m, 32), m >> 32}));
    Words v = {values.integer(64), values.integer(64), values.integer(64), values.integer(64)};
    u128 d = (static_cast<u128>(v[2]) << 64 | v[0]) - (static_cast<u128>(v[3]) << 64 | v[1]);
    EXPECT_EQ(sub64(v), (Words{static_cast<uint64_t>(d), static_cast<uint64_t>(d >> 64)}));
  }
}

TEST(Integer, SaturationClamps) {
  check_binary("add.sat.s32 %o, %a, %b;", "s32", "s32",
               [](i128 a, i128 b) { return static_cast<uint64_t>(std::clamp<i128>(a + b, INT32_MIN, INT32_MAX)); });
  check_binary("sub.sat.s32 %o, %a, %b;", "s32", "s32",
               [](i128 a, i128 b) { return static_cast<uint64_t>(std::clamp<i128>(a - b, INT32_MIN, INT32_MAX)); });
}

TEST(Integer, ConversionsTruncateExtendAndSaturate) {
  const std::string types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  Values values;
  SCOPED_TRACE(values.trace());
  for (const std::string& to : types) {
    for (const std::string& from : types) {
      if (to == from) continue;
      int to_bits = bits_of(to), from_bits = bits_of(from);
      OpKernel plain("cvt." + to + "." + from + " %o, %a;", from, to);
      OpKernel sat("cvt.sat." + to + "." + from + " %o, %a;", from, to);
      for (int n = 0; n < 60; ++n) {
        uint64_t a = values.integer(from_bits);
        i128 x = from[0] == 's' ? i128{as_signed(a, from_bits)} : i128{a};
        EXPECT_EQ(plain({a})[0], cut(static_cast<uint64_t>(x), to_bits)) << to << from;
        i128 top = (i128{1} << (to_bits - (to[0] == 's'))) - 1;
        i128 bottom = to[0] == 's' ? -top - 1 : 0;
        EXPECT_EQ(sat({a})[0], cut(static_cast<uint64_t>(std::clamp(x, bottom, top)), to_bits))
            << to << from << std::hex << a;
      }
    }
  }
}

TEST(Integer, ANarrowResultFillsAWiderRegister) {
  OpKernel narrow("cvt.s8.u32 %o, %a;", "u32", "u32");
  EXPECT_EQ(narrow({0x1FF})[0], 0xFFFFFFFFu);
  OpKernel wide("cvt.s16.s64 %o, %a;", "u64", "u64");
  EXPECT_EQ(wide({0x18000})[0], 0xFFFFFFFFFFFF8000u);
}

TEST(Integer, WideFieldsFollowTheirBits) {
  OpKernel ubfe("bfe.u64 %o, %a, %b, %c;", "u64 u32 u32", "u64");
  OpKernel sbfe("bfe.s64 %o, %a, %b, %c;", "u64 u32 u32", "u64");
  OpKernel bfi("bfi.b64 %o, %a, %d, %b, %c;", "u64 u32 u32 u64", "u64");
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < 2000; ++n) {
    uint64_t a = values.integer(64), d = values.integer(64);
    uint64_t pos = values.below(70), len = values.below(70);
    uint64_t field = 0, mask = 0;
    uint64_t sign = len == 0 ? 0 : a >> std::min<uint64_t>(pos + len - 1, 63) & 1;
    uint64_t extended = 0;
    for (uint64_t i = 0; i < 64; ++i) {
      bool inside = i < len && pos + i < 64;
      uint64_t bit = inside ? a >> (pos + i) & 1 : 0;
      field |= bit << i;
      extended |= (inside ? bit : sign) << i;
      if (inside) mask |= uint64_t{1} << (pos + i);
    }
    uint64_t inserted = (d & ~mask) | ((pos < 64 ? a << pos : 0) & mask);
    ASSERT_EQ(ubfe({a, pos, len})[0], field) << pos << " " << len;
    ASSERT_EQ(sbfe({a, pos, len})[0], extended) << pos << " " << len;
    ASSERT_EQ(bfi({a, pos, len, d})[0], inserted) << pos << " " << len;
  }
}

TEST(Integer, NthSetBitIsFoundBothWays) {
  OpKernel fns("fns.b32 %o, %a, %b, %c;", "u32 u32 u32", "u32");
  EXPECT_EQ(fns({0xAAAAAAAA, 3, 1})[0], 3u);
  EXPECT_EQ(fns({0xAAAAAAAA, 3, static_cast<uint32_t>(-1)})[0], 3u);
  EXPECT_EQ(fns({0xAAAAAAAA, 3, 0})[0], 3u);
  EXPECT_EQ(fns({0xAAAAAAAA, 2, 0})[0], 0xFFFFFFFFu);
  EXPECT_EQ(fns({0xAAAAAAAA, 3, 3})[0], 7u);
  EXPECT_EQ(fns({0xAAAAAAAA, 5, static_cast<uint32_t>(-3)})[0], 1u);
  EXPECT_EQ(fns({0xAAAAAAAA, 3, 16})[0], 0xFFFFFFFFu);
}

TEST(Integer, ImmediatesStandWhereRegistersDo) {
  OpKernel k("sub.s32 %o, 100, %a; shl.b64 %o2, 1, %a;", "u32", "u32 u64");
  EXPECT_EQ(k({40}), (Words{60, uint64_t{1} << 40}));
  OpKernel wide("add.s64 %o, %a, 0x123456789ABC; mul.lo.s64 %o2, %a, -3;", "u64", "u64 u64");
  EXPECT_EQ(wide({5}), (Words{0x123456789AC1, static_cast<uint64_t>(-15)}));
}

}  // namespace
}  // namespace heddle::compiler::lower::test
