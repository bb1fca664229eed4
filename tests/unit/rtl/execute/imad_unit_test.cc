// SPDX-License-Identifier: Apache-2.0
#include <Vimad_top.h>

#include "tests/unit/rtl/execute/integer_test.h"

namespace heddle::test {
namespace {

using ImadUnit = IntegerTest<Vimad_top>;

TEST_F(ImadUnit, EveryOperationWithEveryModifier) {
  for (const isa::Opcode op : ops_of(isa::Unit::Imad)) send_random(op, 15'000);
  driver.drain();
  EXPECT_GT(driver.lanes_checked, 1'000'000u / kScale);
}

TEST_F(ImadUnit, MixedStreamWithGapsAndBackPressure) { run_mixed(ops_of(isa::Unit::Imad), 40, 300); }

TEST_F(ImadUnit, TakesAnInstructionEveryWarpOverLanesCycles) { expect_rate(isa::Opcode::Imad, kWarp / HEDDLE_LANES); }

TEST_F(ImadUnit, PairsTakeTwoBeatsALaneWhereRowsMoveInSlices) {
  expect_rate(isa::Opcode::ImadWide, kWarp / HEDDLE_LANES * (driver.kSlices ? 2 : 1));
}

TEST_F(ImadUnit, AnswersAfterItsStages) { expect_latency(isa::Opcode::Imad, driver.kSlices ? 3 : 1); }

}  // namespace
}  // namespace heddle::test
