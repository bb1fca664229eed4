// SPDX-License-Identifier: Apache-2.0
#include <Vint_top.h>

#include "tests/unit/rtl/execute/integer_test.h"

namespace heddle::test {
namespace {

using IntUnit = IntegerTest<Vint_top>;

TEST_F(IntUnit, EveryOperationWithEveryModifier) {
  for (const isa::Opcode op : ops_of(isa::Unit::Int)) send_random(op, 2000);
  driver.drain();
  EXPECT_GT(driver.lanes_checked, 1'000'000u / kScale);
}

TEST_F(IntUnit, MixedStreamWithGapsAndBackPressure) { run_mixed(ops_of(isa::Unit::Int), 40, 300); }

TEST_F(IntUnit, TakesAnInstructionEveryWarpOverLanesCycles) { expect_rate(isa::Opcode::Iadd, kWarp / HEDDLE_LANES); }

TEST_F(IntUnit, PairsTakeTwoBeatsALaneWhereRowsMoveInSlices) {
  expect_rate(isa::Opcode::Iadd64, kWarp / HEDDLE_LANES * (driver.kSlices ? 2 : 1));
}

TEST_F(IntUnit, AnswersAfterItsStages) { expect_latency(isa::Opcode::Iadd, driver.kSlices ? 3 : 1); }

}  // namespace
}  // namespace heddle::test
