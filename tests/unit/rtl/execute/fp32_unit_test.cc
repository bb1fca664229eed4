// SPDX-License-Identifier: Apache-2.0
#include <Vfp32_top.h>

#include <bit>

#include "tests/unit/rtl/execute/float_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

constexpr int kScale = scale_of(60);

constexpr isa::Opcode kOps[] = {isa::Opcode::Fadd, isa::Opcode::Fmul, isa::Opcode::Ffma, isa::Opcode::Fmnmx,
                                isa::Opcode::Fsetp};

class Fp32Unit : public UnitTest<Vfp32_top> {
 protected:
  Fp32Unit() : UnitTest(kScale) {}

  Reference reference(const Request& r) const override { return fp32_reference(r); }

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    Request r = request_without_operands(op);
    for (unsigned i = 0; i < kWarp; ++i) {
      r.a[i] = random_float(rng, 0x3f800000);
      // Products in range half of the time; addends near the product or near its negative.
      r.b[i] = random_float(rng, op == isa::Opcode::Ffma || op == isa::Opcode::Fmul ? 0x7f000000 - r.a[i] : r.a[i]);
      const float product = std::bit_cast<float>(r.a[i]) * std::bit_cast<float>(r.b[i]);
      r.c[i] = random_float(rng, std::bit_cast<std::uint32_t>(product));
      if (driver.bench.one_in(8)) r.c[i] = std::bit_cast<std::uint32_t>(-product);  // massive cancellation
      if (driver.bench.one_in(16)) r.b[i] = r.a[i] ^ 0x80000000;
    }
    return r;
  }
};

TEST_F(Fp32Unit, FusedMultiplyAdd) {
  run(isa::Opcode::Ffma, 150'000);
  EXPECT_GT(driver.lanes_checked, 3'000'000u / kScale);
}

TEST_F(Fp32Unit, Add) { run(isa::Opcode::Fadd, 40'000); }
TEST_F(Fp32Unit, Multiply) { run(isa::Opcode::Fmul, 40'000); }
TEST_F(Fp32Unit, MinimumAndMaximum) { run(isa::Opcode::Fmnmx, 20'000); }
TEST_F(Fp32Unit, Comparison) { run(isa::Opcode::Fsetp, 20'000); }

TEST_F(Fp32Unit, MixedStreamWithGapsAndBackPressure) { run_mixed(kOps, 60, 200); }

TEST_F(Fp32Unit, TakesAnInstructionEveryWarpOverLanesCycles) { expect_rate(isa::Opcode::Ffma, kWarp / HEDDLE_LANES); }

TEST_F(Fp32Unit, AnswersAfterItsStages) { expect_latency(isa::Opcode::Ffma, driver.kSlices ? 6 : 1); }

}  // namespace
}  // namespace heddle::test
