// SPDX-License-Identifier: Apache-2.0
#include <Vfp16_top.h>

#include "tests/unit/rtl/execute/float_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

constexpr int kScale = scale_of(50);

constexpr isa::Opcode kOps[] = {isa::Opcode::Hadd2, isa::Opcode::Hmul2, isa::Opcode::Hfma2, isa::Opcode::Hmnmx2,
                                isa::Opcode::Hsetp2};

class Fp16Unit : public UnitTest<Vfp16_top> {
 protected:
  Fp16Unit() : UnitTest(kScale) {}

  Reference reference(const Request& r) const override { return fp16_reference(r); }

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    Request r = request_without_operands(op);
    const bool bf16 = r.get("bf16");
    for (unsigned i = 0; i < kWarp; ++i) {
      const auto pair = [&](auto number) {
        const std::uint32_t low = number(0);
        return low | number(1) << 16;
      };
      r.a[i] = pair([&](int) { return random_half(rng, bf16, bf16 ? 127 : 15); });
      r.b[i] = pair([&](int half) {
        if (driver.bench.one_in(16)) return (r.a[i] >> (16 * half) & 0xffff) ^ 0x8000;
        return random_half(rng, bf16, exponent(bf16, r.a[i] >> (16 * half)));
      });
      // Addends near the product, whose exponent is about the sum.
      r.c[i] = pair([&](int half) {
        const int bias = bf16 ? 127 : 15;
        return random_half(rng, bf16,
                           exponent(bf16, r.a[i] >> (16 * half)) + exponent(bf16, r.b[i] >> (16 * half)) - bias);
      });
    }
    return r;
  }

  static int exponent(bool bf16, std::uint32_t x) { return static_cast<int>(bf16 ? x >> 7 & 255 : x >> 10 & 31); }
};

TEST_F(Fp16Unit, FusedMultiplyAdd) {
  run(isa::Opcode::Hfma2, 40'000);
  EXPECT_GT(driver.lanes_checked, 1'000'000u / kScale);
}

TEST_F(Fp16Unit, Add) { run(isa::Opcode::Hadd2, 20'000); }
TEST_F(Fp16Unit, Multiply) { run(isa::Opcode::Hmul2, 20'000); }
TEST_F(Fp16Unit, MinimumAndMaximum) { run(isa::Opcode::Hmnmx2, 10'000); }
TEST_F(Fp16Unit, Comparison) { run(isa::Opcode::Hsetp2, 10'000); }

TEST_F(Fp16Unit, MixedStreamWithGapsAndBackPressure) { run_mixed(kOps, 60, 100); }

TEST_F(Fp16Unit, TakesAnInstructionEveryWarpOverLanesCycles) { expect_rate(isa::Opcode::Hfma2, kWarp / HEDDLE_LANES); }

TEST_F(Fp16Unit, AnswersAfterItsStages) { expect_latency(isa::Opcode::Hfma2, driver.kSlices ? 4 : 1); }

}  // namespace
}  // namespace heddle::test
