// SPDX-License-Identifier: Apache-2.0
// The functional machine's warps: divergence, convergence barriers, lanes that spin, calls and jumps.
#include <gtest/gtest.h>

#include "tests/unit/model/machine_fixture.h"
#include "tests/unit/model/waiting_programs.h"

namespace heddle::test {
namespace {

using model::Machine;

TEST(Convergence, BringsBothSidesOfABranchTogether) {
  Bench b(kPrologue + R"(
    LOP R0, R10, 1
    ISETP.EQ P0, PT, R0, RZ, PT
    BSSY B0, $join
    @P0 BRA $even
    MOV R1, 3
    BRA $end
  even:
    MOV R1, 2
  end:
    BSYNC B0
  join:
    S2R R4, SR_ACTIVEMASK
    IADD R1, R1, R4
    STG.32 [R12+0], R1
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 32; i++) EXPECT_EQ(b.word(i), 0xffffffffu + (i % 2 ? 3 : 2)) << i;
}

TEST(Convergence, LetsLanesLeaveALoopOneByOne) {
  // Each lane counts to its own number, then all join.
  Bench b(kPrologue + R"(
    MOV R0, 0
    BSSY B1, $join
  loop:
    ISETP.GE P0, PT, R0, R10, PT
    @P0 BRA $out
    IADD R0, R0, 1
    BRA $loop
  out:
    BSYNC B1
  join:
    S2R R4, SR_ACTIVEMASK
    STG.32 [R12+0], R0
    STG.32 [R12+128], R4
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 32; i++) {
    EXPECT_EQ(b.word(i), i);
    EXPECT_EQ(b.word(32 + i), 0xffffffffu);
  }
}

TEST(Convergence, TakesBrokenOutLanesOffTheBarrier) {
  Bench b(kPrologue + R"(
    BSSY B0, $join
    ISETP.LT P0, PT, R10, 5, PT
    @P0 BREAK B0
    @P0 BRA $away
    BSYNC B0
  join:
    S2R R4, SR_ACTIVEMASK
    STG.32 [R12+0], R4
    EXIT
  away:
    MOV R4, 7
    STG.32 [R12+0], R4
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(0), 7u);
  EXPECT_EQ(b.word(31), 0xffffffe0u);
}

TEST(Convergence, OpensAConvergenceBarrierWhenTheMissingLanesExit) {
  Bench b(kPrologue + R"(
    BSSY B0, $join
    ISETP.LT P0, PT, R10, 5, PT
    @P0 EXIT
    BSYNC B0
  join:
    S2R R4, SR_ACTIVEMASK
    STG.32 [R12+0], R4
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(31), 0xffffffe0u);
  EXPECT_EQ(b.word(0), 0u);
}

TEST(Convergence, LetsALockHolderRunWhileItsWarpMatesSpin) {
  // A spin lock taken lane by lane, without a convergence barrier.
  Bench b(with_lock(R"(
  spin:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
  )"),
          64, 4);
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 256u);
}

TEST(Convergence, FreesLanesWaitingForALockHolderParkedAtABarrier) {
  // The winner waits at B0 for the losers, who spin until the winner has released: only forced
  // progress helps.
  Bench b(with_lock(R"(
    BSSY B0, $join
  spin:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
    BSYNC B0
  join:
  )"));
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 32u);
}

TEST(Convergence, FreesALockHolderThatTwoSplitsKeepAtABarrier) {
  // The halves of the warp spin in two loops, each in its turn.
  Bench b(kLockTakenInTwoLoops);
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 32u);
}

TEST(Convergence, FreesALockHolderFromALoopThatGathersItsLanesEachTime) {
  Bench b(with_lock(R"(
    LOP.AND R4, R10, 1
    ISETP.NE P1, PT, R4, RZ, PT
    BSSY B3, $join
  spin:
    BSSY B2, $met
    @P1 BRA $odd
    NOP
    BSYNC B2
  odd:
    BSYNC B2
  met:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
    BSYNC B3
  join:
  )"));
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 32u);
}

TEST(Convergence, LeavesLanesTogetherThatMeetInEachTurnOfALoop) {
  // Both sides go back to where they meet, as loops do that spin, and load. Half of the warp waits for the end.
  Bench b(kPrologue + R"(
    MOV R20, 0
    LOP.AND R4, R10, 1
    ISETP.NE P1, PT, R4, RZ, PT
    ISETP.LT P2, PT, R10, 16, PT
    BSSY B3, $end
    @!P2 BRA $loop
    BSYNC B3
  meet:
    BSYNC B2
  next:
    IADD R20, R20, 1
    ISETP.GE P0, PT, R20, 1000, PT
    @P0 BRA $out
  loop:
    BSSY B2, $next
    @P1 BRA $odd
    LDG.32 R5, [R12+0]
    BRA $meet
  odd:
    LDG.32 R5, [R12+0]
    BRA $meet
  out:
    BSYNC B3
  end:
    EXIT
  )",
          32, 1);
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_LT(b.machine.counters().warp_instructions, 11000u + 50u);
}

TEST(Convergence, GathersLanesAtWarpsync) {
  Bench b(kPrologue + R"(
    ISETP.LT P0, PT, R10, 16, PT
    @P0 BRA $low
    NOP
    BRA $meet
  low:
    NOP
    NOP
  meet:
    WARPSYNC 0xffffffff
    S2R R4, SR_ACTIVEMASK
    STG.32 [R12+0], R4
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 32; i++) EXPECT_EQ(b.word(i), 0xffffffffu);
}

TEST(Convergence, CallsAndReturns) {
  Bench b(kPrologue + R"(
    MOV R0, R10
    LOP R4, R10, 1
    ISETP.EQ P0, PT, R4, RZ, PT
    @P0 CALL R20, $twice
    IADD R0, R0, 1000
    STG.32 [R12+0], R0
    EXIT
  twice:
    IADD R0, R0, R0
    RET R20
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 32; i++) EXPECT_EQ(b.word(i), i % 2 ? i + 1000 : 2 * i + 1000);
}

TEST(Convergence, JumpsEachLaneWhereItsRegisterSays) {
  Bench b(kPrologue + R"(
    LOP R0, R10, 3
    MOV R1, 16
    MOV R4, 104              # PC of case0
    IMAD R0, R0, R1, R4
    BRX R0
  case0:
    MOV R5, 10
    BRA $end
    MOV R5, 11
    BRA $end
    MOV R5, 12
    BRA $end
    MOV R5, 13
    BRA $end
  end:
    STG.32 [R12+0], R5
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 32; i++) EXPECT_EQ(b.word(i), 10 + i % 4);
}

}  // namespace
}  // namespace heddle::test
