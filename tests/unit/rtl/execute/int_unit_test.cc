// SPDX-License-Identifier: Apache-2.0
#include <Vint_top.h>

#include <vector>

#include "tests/unit/rtl/execute/int_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

constexpr int kScale = scale_of(20);

std::vector<isa::Opcode> int_ops() {
  std::vector<isa::Opcode> ops;
  for (const isa::OpInfo& info : isa::all()) {
    if (info.unit == isa::Unit::Int && info.status == isa::Status::Built) ops.push_back(info.op);
  }
  return ops;
}

class IntUnit : public UnitTest<Vint_top> {
 protected:
  IntUnit() : UnitTest(kScale) {}

  Reference reference(const Request& r) const override { return int_reference(r); }

  // Corners, small numbers, shift counts, field descriptors, anything.
  std::uint32_t operand() {
    static constexpr std::uint32_t kCorners[] = {
        0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xffff, 0xff00};
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

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    Request r = request_without_operands(op);
    if (driver.bench.one_in(3)) r.mask = static_cast<std::uint32_t>(rng());
    r.p2 = static_cast<std::uint32_t>(rng());
    for (Row* row : {&r.a, &r.b, &r.c, &r.a_hi, &r.b_hi, &r.c_hi}) {
      for (auto& word : *row) word = operand();
    }
    if (driver.bench.one_in(4)) r.b = r.a;  // equal operands
    if (driver.bench.one_in(4)) r.b_hi = r.a_hi;
    return r;
  }
};

TEST_F(IntUnit, EveryOperationWithEveryModifier) {
  for (const isa::Opcode op : int_ops()) send_random(op, 2000);
  driver.drain();
  EXPECT_GT(driver.lanes_checked, 1'000'000u / kScale);
}

TEST_F(IntUnit, MixedStreamWithGapsAndBackPressure) { run_mixed(int_ops(), 40, 300); }

TEST_F(IntUnit, TakesAnInstructionEveryWarpOverLanesCycles) { expect_rate(isa::Opcode::Imad, kWarp / HEDDLE_LANES); }

TEST_F(IntUnit, PairsTakeTwoBeatsALaneWhereRowsMoveInSlices) {
  expect_rate(isa::Opcode::Iadd64, kWarp / HEDDLE_LANES * (driver.kSlices ? 2 : 1));
}

TEST_F(IntUnit, AnswersAfterItsStages) { expect_latency(isa::Opcode::Iadd, driver.kSlices ? 3 : 1); }

}  // namespace
}  // namespace heddle::test
