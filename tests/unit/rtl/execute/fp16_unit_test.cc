// SPDX-License-Identifier: Apache-2.0
#include <Vfp16_top.h>

#include "tests/unit/rtl/execute/float_reference.h"

namespace heddle::test {
namespace {

#ifdef HEDDLE_NETLIST
constexpr int kScale = 50;  // gates are slow
#else
constexpr int kScale = 1;
#endif

constexpr isa::Opcode kOps[] = {isa::Opcode::Hadd2, isa::Opcode::Hmul2, isa::Opcode::Hfma2, isa::Opcode::Hmnmx2,
                                isa::Opcode::Hsetp2};

class Fp16Unit : public ::testing::Test {
 protected:
  Fp16Unit() : driver(seed()) {}

  Request random_request(isa::Opcode op) {
    auto& rng = driver.bench.rng;
    Request r;
    r.op = static_cast<std::uint8_t>(op);
    r.mod = random_modifiers(r.op, rng);
    r.mask = driver.bench.one_in(4) ? static_cast<std::uint32_t>(rng()) : ~0u;
    r.p = static_cast<std::uint32_t>(rng());
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
        return random_half(rng, bf16, exponent(bf16, r.a[i] >> (16 * half)) + exponent(bf16, r.b[i] >> (16 * half)) - bias);
      });
    }
    return r;
  }

  static int exponent(bool bf16, std::uint32_t x) { return static_cast<int>(bf16 ? x >> 7 & 255 : x >> 10 & 31); }

  void run(isa::Opcode op, int requests) {
    for (int i = 0; i < requests / kScale && !HasFatalFailure(); ++i) {
      const Request r = random_request(op);
      driver.send(r, fp16_reference(r));
    }
    driver.drain();
  }

  UnitDriver<Vfp16_top> driver;
};

TEST_F(Fp16Unit, FusedMultiplyAdd) {
  run(isa::Opcode::Hfma2, 40'000);
  EXPECT_GT(driver.lanes_checked, 1'000'000u / kScale);
}

TEST_F(Fp16Unit, Add) { run(isa::Opcode::Hadd2, 20'000); }
TEST_F(Fp16Unit, Multiply) { run(isa::Opcode::Hmul2, 20'000); }
TEST_F(Fp16Unit, MinimumAndMaximum) { run(isa::Opcode::Hmnmx2, 10'000); }
TEST_F(Fp16Unit, Comparison) { run(isa::Opcode::Hsetp2, 10'000); }

TEST_F(Fp16Unit, MixedStreamWithGapsAndBackPressure) {
  for (int phase = 0; phase < 60 / kScale + 2 && !HasFatalFailure(); ++phase) {
    driver.request_every = 1 + driver.bench.rng() % 4;
    driver.response_every = 1 + driver.bench.rng() % 4;
    for (int i = 0; i < 100 && !HasFatalFailure(); ++i) {
      const Request r = random_request(kOps[driver.bench.rng() % std::size(kOps)]);
      driver.send(r, fp16_reference(r));
    }
  }
  driver.drain();
}

TEST_F(Fp16Unit, TakesAnInstructionEveryWarpOverLanesCycles) {
  const Request r = random_request(isa::Opcode::Hfma2);
  driver.send(r, fp16_reference(r));
  const std::uint64_t start = driver.bench.cycle;
  for (int i = 0; i < 50 && !HasFatalFailure(); ++i) driver.send(r, fp16_reference(r));
  EXPECT_EQ(driver.bench.cycle - start, 50u * kWarp / HEDDLE_LANES);
  driver.drain();
}

TEST_F(Fp16Unit, AnswersAfterItsStages) {
  const Request r = random_request(isa::Opcode::Hfma2);
  driver.send(r, fp16_reference(r));
  const std::uint64_t start = driver.bench.cycle;
  driver.drain();  // one cycle more to see that it is idle
  EXPECT_EQ(driver.bench.cycle - start, (driver.kSlices ? 4 : 3) + driver.kBeatsToCome + 1);
}

}  // namespace
}  // namespace heddle::test
