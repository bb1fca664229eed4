// SPDX-License-Identifier: Apache-2.0
#include <Vfp32_top.h>

#include <bit>

#include "tests/unit/rtl/execute/float_reference.h"

namespace heddle::test {
namespace {

#ifdef HEDDLE_NETLIST
constexpr int kScale = 60;  // gates are slow
#else
constexpr int kScale = 1;
#endif

constexpr isa::Opcode kOps[] = {isa::Opcode::Fadd, isa::Opcode::Fmul, isa::Opcode::Ffma,
                                isa::Opcode::Fmnmx, isa::Opcode::Fsetp};

class Fp32Unit : public ::testing::Test {
 protected:
  Fp32Unit() : driver(seed()) {}

  Request random_request(isa::Opcode op) {
    auto& rng = driver.bench.rng;
    Request r;
    r.op = static_cast<std::uint8_t>(op);
    r.mod = random_modifiers(r.op, rng);
    r.mask = driver.bench.one_in(4) ? static_cast<std::uint32_t>(rng()) : ~0u;
    r.p = static_cast<std::uint32_t>(rng());
    for (unsigned i = 0; i < kWarp; ++i) {
      r.a[i] = random_float(rng, 0x3f800000);
      // Products in range half of the time; addends near the product or near its negative.
      r.b[i] = random_float(rng, op == isa::Opcode::Ffma || op == isa::Opcode::Fmul ? 0x7f000000 - r.a[i]
                                                                                     : r.a[i]);
      const float product = std::bit_cast<float>(r.a[i]) * std::bit_cast<float>(r.b[i]);
      r.c[i] = random_float(rng, std::bit_cast<std::uint32_t>(product));
      if (driver.bench.one_in(8)) r.c[i] = std::bit_cast<std::uint32_t>(-product);  // massive cancellation
      if (driver.bench.one_in(16)) r.b[i] = r.a[i] ^ 0x80000000;
    }
    return r;
  }

  void run(isa::Opcode op, int requests) {
    for (int i = 0; i < requests / kScale && !HasFatalFailure(); ++i) {
      const Request r = random_request(op);
      driver.send(r, fp32_reference(r));
    }
    driver.drain();
  }

  UnitDriver<Vfp32_top> driver;
};

TEST_F(Fp32Unit, FusedMultiplyAdd) {
  run(isa::Opcode::Ffma, 150'000);
  EXPECT_GT(driver.lanes_checked, 3'000'000u / kScale);
}

TEST_F(Fp32Unit, Add) { run(isa::Opcode::Fadd, 40'000); }
TEST_F(Fp32Unit, Multiply) { run(isa::Opcode::Fmul, 40'000); }
TEST_F(Fp32Unit, MinimumAndMaximum) { run(isa::Opcode::Fmnmx, 20'000); }
TEST_F(Fp32Unit, Comparison) { run(isa::Opcode::Fsetp, 20'000); }

TEST_F(Fp32Unit, MixedStreamWithGapsAndBackPressure) {
  for (int phase = 0; phase < 60 / kScale + 2 && !HasFatalFailure(); ++phase) {
    driver.request_every = 1 + driver.bench.rng() % 4;
    driver.response_every = 1 + driver.bench.rng() % 4;
    for (int i = 0; i < 200 && !HasFatalFailure(); ++i) {
      const Request r = random_request(kOps[driver.bench.rng() % std::size(kOps)]);
      driver.send(r, fp32_reference(r));
    }
  }
  driver.drain();
}

TEST_F(Fp32Unit, TakesAnInstructionEveryWarpOverLanesCycles) {
  const Request r = random_request(isa::Opcode::Ffma);
  driver.send(r, fp32_reference(r));
  const std::uint64_t start = driver.bench.cycle;
  for (int i = 0; i < 50 && !HasFatalFailure(); ++i) driver.send(r, fp32_reference(r));
  EXPECT_EQ(driver.bench.cycle - start, 50u * kWarp / HEDDLE_LANES);
  driver.drain();
}

TEST_F(Fp32Unit, AnswersAfterItsStages) {
  const Request r = random_request(isa::Opcode::Ffma);
  driver.send(r, fp32_reference(r));
  const std::uint64_t start = driver.bench.cycle;
  driver.drain();  // one cycle more to see that it is idle
  EXPECT_EQ(driver.bench.cycle - start, (driver.kSlices ? 6 : 3) + driver.kBeatsToCome + 1);
}

}  // namespace
}  // namespace heddle::test
