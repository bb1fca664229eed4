// SPDX-License-Identifier: Apache-2.0
#include <Vfp64_top.h>

#include <bit>

#include "tests/unit/rtl/execute/float_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

using u64 = std::uint64_t;

constexpr int kScale = scale_of(100);

constexpr isa::Opcode kOps[] = {isa::Opcode::Dadd,  isa::Opcode::Dmul, isa::Opcode::Dfma,  isa::Opcode::Dmnmx,
                                isa::Opcode::Dsetp, isa::Opcode::I2d,  isa::Opcode::I642d, isa::Opcode::D2i,
                                isa::Opcode::D2i64, isa::Opcode::Drnd};

class Fp64Unit : public UnitTest<Vfp64_top> {
 protected:
  Fp64Unit() : UnitTest(kScale) {}

  Reference reference(const Request& r) const override { return fp64_reference(r); }

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    Request r = request_without_operands(op);
    const bool integers = op == isa::Opcode::I2d || op == isa::Opcode::I642d;
    for (unsigned i = 0; i < kWarp; ++i) {
      const u64 a = random_double(rng, std::bit_cast<u64>(1.0));
      // Products in range half of the time; addends near the product or near its negative.
      u64 b = random_double(rng, op == isa::Opcode::Dfma || op == isa::Opcode::Dmul ? 0x7fe0000000000000 - a : a);
      const double product = std::bit_cast<double>(a) * std::bit_cast<double>(b);
      u64 c = random_double(rng, std::bit_cast<u64>(product));
      if (driver.bench.one_in(8)) c = std::bit_cast<u64>(-product);  // massive cancellation
      if (driver.bench.one_in(16)) b = a ^ u64 { 1 } << 63;
      if (integers) b = driver.bench.one_in(8) ? u64{1} << rng() % 64 : rng() >> rng() % 64;
      if (integers && driver.bench.one_in(4)) b = 0 - b;
      r.a[i] = static_cast<std::uint32_t>(a), r.a_hi[i] = static_cast<std::uint32_t>(a >> 32);
      r.b[i] = static_cast<std::uint32_t>(b), r.b_hi[i] = static_cast<std::uint32_t>(b >> 32);
      r.c[i] = static_cast<std::uint32_t>(c), r.c_hi[i] = static_cast<std::uint32_t>(c >> 32);
    }
    return r;
  }
};

TEST_F(Fp64Unit, FusedMultiplyAdd) {
  run(isa::Opcode::Dfma, 80'000);
  EXPECT_GT(driver.lanes_checked, 1'500'000u / kScale);
}

TEST_F(Fp64Unit, Add) { run(isa::Opcode::Dadd, 30'000); }
TEST_F(Fp64Unit, Multiply) { run(isa::Opcode::Dmul, 30'000); }
TEST_F(Fp64Unit, MinimumAndMaximum) { run(isa::Opcode::Dmnmx, 10'000); }
TEST_F(Fp64Unit, Comparison) { run(isa::Opcode::Dsetp, 10'000); }
TEST_F(Fp64Unit, FromIntegers) {
  run(isa::Opcode::I2d, 5'000);
  run(isa::Opcode::I642d, 15'000);
}
TEST_F(Fp64Unit, ToIntegers) {
  run(isa::Opcode::D2i, 15'000);
  run(isa::Opcode::D2i64, 15'000);
}
TEST_F(Fp64Unit, ToIntegralNumbers) { run(isa::Opcode::Drnd, 20'000); }

TEST_F(Fp64Unit, MixedStreamWithGapsAndBackPressure) { run_mixed(kOps, 60, 200); }

TEST_F(Fp64Unit, TakesAnInstructionEveryWarpOverLanesCycles) { expect_rate(isa::Opcode::Dfma, kWarp / HEDDLE_LANES); }

TEST_F(Fp64Unit, AnswersAfterItsStages) { expect_latency(isa::Opcode::Dfma, driver.kSlices ? 7 : 2); }

}  // namespace
}  // namespace heddle::test
