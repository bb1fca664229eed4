// SPDX-License-Identifier: Apache-2.0
// The exact path (float.h) and the host's own arithmetic agree on random operands near every edge;
// and both compilations of the handlers give the same bits.
#include "sim/model/float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>

#include "sim/model/float_environment.h"
#include "sim/model/ops.h"
#include "tests/unit/model/program.h"

namespace heddle::test {
namespace {

using model::FloatMode;
using model::Rounding;

// Bit patterns with exponents that meet: zeros, subnormals, ones, huge, special.
class Operands {
 public:
  explicit Operands(uint64_t seed) : random_(seed) {}
  uint32_t next() {
    const uint32_t r = static_cast<uint32_t>(random_());
    switch (random_() % 8) {
      case 0: return r;                               // anything
      case 1: return r & 0x807fffff;                  // subnormal
      case 2: return (r & 0x80000003) | 0x7f7ffffc;   // near the largest, infinity, NaN
      case 3: return (r & 0x80ffffff) | 0x3f000000;   // near one
      case 4: return (r & 0x83ffffff) | 0x1f000000;   // products near the smallest
      case 5: return r & 0x80000001;                  // zeros and the smallest
      case 6: return (last_ ^ 0x80000000) + (r & 3);  // cancels the one before
      default: return last_ = (r & 0x8fffffff) | 0x30000000;
    }
  }

 private:
  std::mt19937_64 random_;
  uint32_t last_ = 0;
};

uint32_t host(float v) { return std::isnan(v) ? model::kNan32 : std::bit_cast<uint32_t>(v); }

TEST(Float, AgreesWithTheHostInFourRoundings) {
  const model::FloatEnvironment environment;
  Operands operands(random_seed());
  static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (int n = 0; n < 400000; n++) {
    const uint32_t a = operands.next(), b = operands.next(), c = operands.next();
    const volatile float fa = std::bit_cast<float>(a), fb = std::bit_cast<float>(b), fc = std::bit_cast<float>(c);
    for (int r = 0; r < 4; r++) {
      const FloatMode mode{static_cast<Rounding>(r), false, false};
      std::fesetround(kModes[r]);
      const volatile float sum = fa + fb, product = fa * fb, fused = std::fma(fa, fb, fc);
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(model::f32_add(a, b, mode), host(sum)) << std::hex << a << " + " << b << " mode " << r;
      ASSERT_EQ(model::f32_mul(a, b, mode), host(product)) << std::hex << a << " * " << b << " mode " << r;
      ASSERT_EQ(model::f32_fma(a, b, c, mode), host(fused))
          << std::hex << a << " * " << b << " + " << c << " mode " << r;
    }
  }
}

// A handler on 32 random operands against the exact path.
void expect_row(const model::OpTable& table, const std::string& text, Operands& operands,
                uint32_t (*exact)(uint32_t, uint32_t, uint32_t)) {
  const model::Decoded d = model::decode(assemble(text)[0]);
  model::Row rows[16];
  for (int r = 0; r < 6; r++)
    for (uint32_t& lane : rows[r].lane) lane = operands.next();
  uint32_t predicates[8] = {};
  model::Lanes l{rows, predicates, &rows[2], ~0u, ~0u, nullptr};
  table[static_cast<size_t>(d.op)](d, l);
  for (int i = 0; i < 32; i++) {
    const uint32_t a = rows[0].lane[i], b = rows[2].lane[i], c = rows[4].lane[i];
    ASSERT_EQ(rows[8].lane[i], exact(a, b, c)) << text << std::hex << " of " << a << ", " << b << ", " << c;
  }
}

void expect_rows(const model::OpTable& table) {
  const model::FloatEnvironment environment;
  Operands operands(random_seed());
  for (int n = 0; n < 20000; n++) {
    expect_row(table, "FFMA R8, R0, R2, R4", operands,
               [](uint32_t a, uint32_t b, uint32_t c) { return model::f32_fma(a, b, c, {}); });
    expect_row(table, "FFMA.FTZ R8, R0, R2, R4", operands, [](uint32_t a, uint32_t b, uint32_t c) {
      return model::f32_fma(a, b, c, {Rounding::Rn, true, false});
    });
    expect_row(table, "FMUL.FTZ.SAT R8, R0, R2", operands, [](uint32_t a, uint32_t b, uint32_t) {
      return model::f32_mul(a, b, {Rounding::Rn, true, true});
    });
    expect_row(table, "FADD.SAT R8, R0, -R2", operands, [](uint32_t a, uint32_t b, uint32_t) {
      return model::f32_add(a, b ^ 0x80000000u, {Rounding::Rn, false, true});
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Float, HandlersAgreeWithTheExactPathInTheGenericCompilation) { expect_rows(model::generic_op_table()); }
TEST(Float, HandlersAgreeWithTheExactPathOnThisProcessor) { expect_rows(model::op_table()); }

TEST(Float, HandlersIgnoreTheHostsSettings) {
  std::fesetround(FE_UPWARD);
  {
    const model::FloatEnvironment environment;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace heddle::test
