// SPDX-License-Identifier: Apache-2.0
#include <Vint_top.h>

#include <vector>

#include "tests/unit/rtl/execute/int_reference.h"

namespace heddle::test {
namespace {

#ifdef HEDDLE_NETLIST
constexpr int kScale = 20;  // gates are slow
#else
constexpr int kScale = 1;
#endif

std::vector<std::uint8_t> int_ops() {
  std::vector<std::uint8_t> ops;
  for (const isa::OpInfo& info : isa::all()) {
    if (info.unit == isa::Unit::Int && info.status == isa::Status::Built) {
      ops.push_back(static_cast<std::uint8_t>(info.op));
    }
  }
  return ops;
}

class IntUnit : public ::testing::Test {
 protected:
  IntUnit() : driver(seed()) {}

  // Corners, small numbers, shift counts, field descriptors, anything.
  std::uint32_t operand() {
    static constexpr std::uint32_t kCorners[] = {0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 0x7fffffff,
                                                 0x80000000, 0x80000001, 0xffffffff, 0xffff, 0xff00};
    auto& rng = driver.bench.rng;
    const std::uint64_t r = rng();
    switch (r % 5) {
      case 0: return kCorners[(r >> 8) % std::size(kCorners)];
      case 1: return static_cast<std::uint32_t>(r >> 8) % 70;
      case 2: return static_cast<std::uint32_t>((r >> 8) % 40 | ((r >> 20) % 40) << 8);
      case 3: return 0u - static_cast<std::uint32_t>(r >> 8) % 70;
      default: return static_cast<std::uint32_t>(r >> 32);
    }
  }

  Request random_request(std::uint8_t op) {
    auto& rng = driver.bench.rng;
    Request r;
    r.op = op;
    r.mod = random_modifiers(op, rng);
    r.mask = driver.bench.one_in(2) ? ~0u : static_cast<std::uint32_t>(rng());
    r.p = static_cast<std::uint32_t>(rng());
    r.p2 = static_cast<std::uint32_t>(rng());
    for (Row* row : {&r.a, &r.b, &r.c, &r.a_hi, &r.b_hi, &r.c_hi}) {
      for (auto& word : *row) word = operand();
    }
    if (driver.bench.one_in(4)) r.b = r.a;  // equal operands
    if (driver.bench.one_in(4)) r.b_hi = r.a_hi;
    return r;
  }

  void send(const Request& r) { driver.send(r, int_reference(r)); }

  UnitDriver<Vint_top> driver;
};

TEST_F(IntUnit, EveryOperationWithEveryModifier) {
  for (const std::uint8_t op : int_ops()) {
    for (int i = 0; i < 2000 / kScale && !HasFatalFailure(); ++i) send(random_request(op));
  }
  driver.drain();
  EXPECT_GT(driver.lanes_checked, 1'000'000u / kScale);
}

TEST_F(IntUnit, MixedStreamWithGapsAndBackPressure) {
  const auto ops = int_ops();
  for (int phase = 0; phase < 40 / kScale + 2 && !HasFatalFailure(); ++phase) {
    driver.request_every = 1 + driver.bench.rng() % 4;
    driver.response_every = 1 + driver.bench.rng() % 4;
    for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
      send(random_request(ops[driver.bench.rng() % ops.size()]));
    }
  }
  driver.drain();
}

TEST_F(IntUnit, TakesAnInstructionEveryWarpOverLanesCycles) {
  const Request r = random_request(static_cast<std::uint8_t>(isa::Opcode::Imad));
  send(r);
  const std::uint64_t start = driver.bench.cycle;
  for (int i = 0; i < 50 && !HasFatalFailure(); ++i) send(r);
  EXPECT_EQ(driver.bench.cycle - start, 50u * kWarp / HEDDLE_LANES);
  driver.drain();
}

TEST_F(IntUnit, PairsTakeTwoBeatsALaneWhereRowsMoveInSlices) {
  const Request r = random_request(static_cast<std::uint8_t>(isa::Opcode::Iadd64));
  send(r);
  const std::uint64_t start = driver.bench.cycle;
  for (int i = 0; i < 50 && !HasFatalFailure(); ++i) send(r);
  EXPECT_EQ(driver.bench.cycle - start, 50u * kWarp / HEDDLE_LANES * (driver.kSlices ? 2 : 1));
  driver.drain();
}

TEST_F(IntUnit, AnswersAfterItsStages) {
  const Request r = random_request(static_cast<std::uint8_t>(isa::Opcode::Iadd));
  send(r);
  const std::uint64_t start = driver.bench.cycle;
  driver.drain();  // one cycle more to see that it is idle
  EXPECT_EQ(driver.bench.cycle - start, (driver.kSlices ? 3 : 1) + driver.kBeatsToCome + 1);
}

}  // namespace
}  // namespace heddle::test
