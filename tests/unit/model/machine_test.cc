// SPDX-License-Identifier: Apache-2.0
// The functional machine: divergence, barriers, memory spaces, residency, faults.
#include <gtest/gtest.h>

#include <set>

#include "host-runtime/device/contract.h"
#include "tests/unit/model/machine_fixture.h"

namespace heddle::test {
namespace {

using model::Machine;

TEST(Machine, RunsEveryThreadOfEveryBlock) {
  Bench b(kPrologue + R"(
    IADD R0, R10, 100
    STG.32 [R12+0], R0
    EXIT
  )",
          70, 13);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 70 * 13; i++) ASSERT_EQ(b.word(i), i + 100) << i;
  EXPECT_EQ(b.word(70 * 13), 0u);
  EXPECT_EQ(b.machine.counters().blocks_done, 13u);
  EXPECT_EQ(b.machine.counters().thread_instructions, 70u * 13 * 11);
}

TEST(Machine, NumbersThreadsInThreeDimensions) {
  Bench b(R"(
    S2R R0, SR_TID.X
    S2R R1, SR_TID.Y
    S2R R4, SR_TID.Z
    S2R R5, SR_CTAID.Y
    MOV R2, c[0][0x0]
    MOV R3, c[0][0x4]
    MOV R6, 5
    MOV R7, 15
    IMAD R8, R1, R6, R0       # x + 5 y
    IMAD R8, R4, R7, R8       # + 15 z
    MOV R9, 30
    IMAD R8, R5, R9, R8       # + 30 block
    MOV R15, 4
    IMAD.WIDE R12, R8, R15, R2
    IADD R8, R8, 1
    STG.32 [R12+0], R8
    EXIT
  )");
  b.launch.block[0] = 5;
  b.launch.block[1] = 3;
  b.launch.block[2] = 2;
  b.launch.grid[1] = 4;
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 120; i++) ASSERT_EQ(b.word(i), i + 1);
}

TEST(Machine, BringsBothSidesOfABranchTogether) {
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

TEST(Machine, LetsLanesLeaveALoopOneByOne) {
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

TEST(Machine, TakesBrokenOutLanesOffTheBarrier) {
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

TEST(Machine, OpensAConvergenceBarrierWhenTheMissingLanesExit) {
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

TEST(Machine, LetsALockHolderRunWhileItsWarpMatesSpin) {
  // A spin lock taken lane by lane, with all lanes expected at one convergence barrier inside the
  // loop.
  Bench b(kPrologue + R"(
    MOV R20, 0
    MOV R21, 1
  spin:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
    LDG.32 R4, [R2+4]
    IADD R4, R4, 1
    STG.32 [R2+4], R4
    ATOMG.32.EXCH.U RZ, R2, R20, RZ
    EXIT
  )",
          64, 4);
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 256u);
}

TEST(Machine, FreesLanesWaitingForALockHolderParkedAtABarrier) {
  // The winner waits at B0 for the losers, who spin until the winner has released: only forced
  // progress helps.
  Bench b(kPrologue + R"(
    MOV R20, 0
    MOV R21, 1
    BSSY B0, $join
  spin:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
    BSYNC B0
  join:
    LDG.32 R4, [R2+4]
    IADD R4, R4, 1
    STG.32 [R2+4], R4
    ATOMG.32.EXCH.U RZ, R2, R20, RZ
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 32u);
}

TEST(Machine, FreesALockHolderThatTwoSplitsKeepAtABarrier) {
  // The halves of the warp spin in two loops, each in its turn.
  Bench b(kPrologue + R"(
    MOV R20, 0
    MOV R21, 1
    BSSY B3, $join
    ISETP.LT P1, PT, R10, 16, PT
    @P1 BRA $other
  spin:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
    BSYNC B3
  other:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $other
    BSYNC B3
  join:
    LDG.32 R4, [R2+4]
    IADD R4, R4, 1
    STG.32 [R2+4], R4
    ATOMG.32.EXCH.U RZ, R2, R20, RZ
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 32u);
}

TEST(Machine, FreesALockHolderFromALoopThatGathersItsLanesEachTime) {
  Bench b(kPrologue + R"(
    MOV R20, 0
    MOV R21, 1
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
    LDG.32 R4, [R2+4]
    IADD R4, R4, 1
    STG.32 [R2+4], R4
    ATOMG.32.EXCH.U RZ, R2, R20, RZ
    EXIT
  )");
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(1), 32u);
}

TEST(Machine, LeavesLanesTogetherThatMeetInEachTurnOfALoop) {
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

TEST(Machine, GathersLanesAtWarpsync) {
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

TEST(Machine, HoldsABlockAtItsBarrier) {
  // Warp 0 writes after a long loop; the others read after the barrier.
  Bench b(kPrologue + R"(
    ISETP.GE P0, PT, R10, 32, PT
    @P0 BRA $wait
    MOV R0, 0
  loop:
    IADD R0, R0, 1
    ISETP.LT P1, PT, R0, 2000, PT
    @P1 BRA $loop
    MOV R5, 0
    STS.32 [R5+16], R0
  wait:
    BAR.SYNC.POPC RZ, 0, RZ, PT
    MOV R5, 0
    LDS.32 R6, [R5+16]
    STG.32 [R12+0], R6
    EXIT
  )",
          128);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 128; i++) ASSERT_EQ(b.word(i), 2000u);
}

TEST(Machine, ReducesPredicatesOverTheBlock) {
  Bench b(kPrologue + R"(
    ISETP.LT P0, PT, R10, 45, PT
    BAR.RED.POPC R4, 1, RZ, P0
    BAR.RED.AND R1, 1, RZ, P0
    BAR.RED.OR R2, 1, RZ, P0
    SEL R5, R15, RZ, P1
    SEL R6, R15, RZ, P2
    IMAD R4, R4, R15, R5
    IMAD R4, R4, R15, R6
    STG.32 [R12+0], R4
    EXIT
  )",
          96);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 96; i++) ASSERT_EQ(b.word(i), (45u * 4 + 0) * 4 + 4) << i;
}

TEST(Machine, CountsThreadsOfANamedBarrier) {
  // Warps 0 and 1 meet at barrier 2 while warp 2 arrives without waiting at barrier 3 with warp 3.
  Bench b(kPrologue + R"(
    MOV R20, 64
    ISETP.GE P0, PT, R10, 64, PT
    @P0 BRA $pair
    BAR.SYNC.POPC RZ, 2, R20, PT
    BRA $end
  pair:
    ISETP.GE P1, PT, R10, 96, PT
    @P1 BRA $consumer
    BAR.ARRIVE.POPC RZ, 3, R20, PT
    BRA $end
  consumer:
    BAR.SYNC.POPC RZ, 3, R20, PT
  end:
    STG.32 [R12+0], R20
    EXIT
  )",
          128);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 128; i++) ASSERT_EQ(b.word(i), 64u);
}

TEST(Machine, CallsAndReturns) {
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

TEST(Machine, JumpsEachLaneWhereItsRegisterSays) {
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

TEST(Machine, KeepsLocalMemoryApartForEveryThread) {
  Bench b(kPrologue + R"(
    MOV R5, 0
    STL.32 [R5+20], R10
    IADD R6, R10, 7
    MOV R8, 5
    MOV R9, 6
    STL.64 [R5+56], R8
    STL.U8 [R5+21], R6
    LDL.32 R7, [R5+20]
    LDL.64 R16, [R5+56]
    IADD R7, R7, R17
    STG.32 [R12+0], R7
    EXIT
  )",
          64, 20);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 64 * 20; i++) {
    const uint32_t stored = (i & ~0xff00u) | ((i + 7) & 255) << 8;
    ASSERT_EQ(b.word(i), stored + 6) << i;
  }
}

TEST(Machine, SeesSharedAndLocalThroughGenericAddresses) {
  Bench b(kPrologue + R"(
    MOV R4, 64
    MOV R5, 15
    MOV R6, 32
    MOV R7, 14
    IMAD R4, R10, R15, R4
    ST.32 [R4+0], R10
    ST.32 [R6+0], R10
    BAR.SYNC.POPC RZ, 0, RZ, PT
    LDS.32 R0, [R4+0]
    LDL.32 R1, [R6+0]
    LD.32 R16, [R12+0]
    IADD R0, R0, R1
    IADD R0, R0, R16
    ST.32 [R12+0], R0
    EXIT
  )");
  for (uint32_t i = 0; i < 32; i++) b.word(i) = 1000;
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 32; i++) EXPECT_EQ(b.word(i), 1000 + 2 * i);
}

TEST(Machine, ExtendsNarrowLoads) {
  Bench b(kPrologue + R"(
    LDG.U8 R0, [R2+3]
    LDG.S8 R1, [R2+3]
    LDG.U16 R4, [R2+2]
    LDG.S16 R5, [R2+2]
    LDG.128 R16, [R2+0]
    STG.32 [R2+64], R0
    STG.32 [R2+68], R1
    STG.32 [R2+72], R4
    STG.32 [R2+76], R5
    STG.128 [R2+80], R16
    EXIT
  )",
          1);
  b.word(0) = 0x81828384;
  b.word(1) = 5;
  b.word(3) = 6;
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(16), 0x81u);
  EXPECT_EQ(b.word(17), 0xffffff81u);
  EXPECT_EQ(b.word(18), 0x8182u);
  EXPECT_EQ(b.word(19), 0xffff8182u);
  EXPECT_EQ(b.word(20), 0x81828384u);
  EXPECT_EQ(b.word(23), 6u);
}

// ---- faults ----

struct FaultCase {
  const char* name;
  const char* body;  // after the prologue
  uint32_t kind, code, thread;
  uint64_t address;
};
void PrintTo(const FaultCase& c, std::ostream* out) { *out << c.name; }

class Faults : public testing::TestWithParam<FaultCase> {};

TEST_P(Faults, NameKindThreadAndAddress) {
  const FaultCase& c = GetParam();
  Bench b(kPrologue + "ISETP.LT P0, PT, R10, 37, PT\n" + c.body + "\nEXIT\n", 64, 2);
  ASSERT_EQ(b.run(), Machine::State::Fault);
  const model::FaultRecord& f = b.machine.fault();
  EXPECT_EQ(f.info.kind, c.kind);
  EXPECT_EQ(f.info.code, c.code);
  EXPECT_EQ(f.thread, c.thread);
  EXPECT_EQ(f.info.address, c.address);
}

using namespace contract;  // NOLINT(google-build-using-namespace)
INSTANTIATE_TEST_SUITE_P(
    Machine, Faults,
    testing::Values(
        FaultCase{"null", "@!P0 LDG.32 R0, [RZ+0]", kFaultIllegalAddress, 0, 37, 0},
        FaultCase{"past_the_end",
                  "MOV R4, 0\nMOV R5, 16\nIMAD R5, R15, R15, R5\n@!P0 STG.32 [R4+8], R0",
                  kFaultIllegalAddress, kFaultWrite, 37, 0x2000000008},
        FaultCase{"misaligned", "IADD R12, R12, 2\n@!P0 LDG.32 R0, [R12+0]", kFaultMisaligned, 0,
                  37, kData + 4 * 37 + 2},
        FaultCase{"misaligned_and_outside", "MOV R4, 3\nMOV R5, 0\n@!P0 LDG.64 R0, [R4+0]",
                  kFaultMisaligned, 0, 37, 3},
        FaultCase{"shared", "MOV R4, 1020\n@!P0 STS.64 [R4+4], R0", kFaultIllegalAddress,
                  kFaultWrite | kFaultSpaceShared, 37, 1024},
        FaultCase{"local", "MOV R4, 64\n@!P0 LDL.32 R0, [R4+0]", kFaultIllegalAddress,
                  kFaultSpaceLocal, 37, 64},
        FaultCase{"generic_shared", "MOV R4, 4096\nMOV R5, 15\n@!P0 LD.32 R0, [R4+0]",
                  kFaultIllegalAddress, kFaultSpaceShared, 37, 0xf00001000},
        FaultCase{"constant", "MOV R4, 64\n@!P0 LDC.32 R0, R4, c[0][0x0]", kFaultIllegalAddress,
                  kFaultSpaceConst, 37, 64},
        FaultCase{"atomic", "@!P0 ATOMG.32.ADD.U R0, RZ, R4, RZ", kFaultIllegalAddress,
                  kFaultAtomic, 37, 0},
        FaultCase{"trap", "@!P0 TRAP 0x00000011", kFaultTrap, 0x11, 37, 0},
        FaultCase{"reserved", "MAPA R0, R4, R5", kFaultIllegalInstruction, 0, 0, 0},
        FaultCase{"register_out_of_range", "MOV R40, 1", kFaultIllegalInstruction, 0, 0, 0},
        FaultCase{"odd_pair", "S2R.64 R5, SR_CLOCK", kFaultIllegalInstruction, 0, 0, 0},
        FaultCase{"pc_outside", "MOV R4, 4096\nBRX R4", kFaultIllegalPc, 0, 0, 0}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Machine, StopsAKernelAtItsLimit) {
  Bench b("loop:\nBRA $loop\n");
  EXPECT_EQ(b.run(), Machine::State::Timeout);
}

TEST(Machine, FindsABarrierThatCannotComplete) {
  Bench b(kPrologue + R"(
    ISETP.GE P0, PT, R10, 32, PT
    MOV R20, 64
    @P0 BRA $other
    BAR.SYNC.POPC RZ, 0, R20, PT
    EXIT
  other:
    BAR.SYNC.POPC RZ, 1, R20, PT
    EXIT
  )",
          64);
  ASSERT_EQ(b.run(), Machine::State::Deadlock);
  EXPECT_EQ(b.machine.waiting_warps(0), 3u);
  EXPECT_EQ(b.machine.resident_warps(0), 3u);
}

// ---- residency ----

class Residents : public model::Observer {
 public:
  void block_started(const model::Block& block) override {
    now_[block.sm->index]++;
    most_ = std::max(most_, now_[block.sm->index]);
    sms_.insert(block.sm->index);
  }
  void block_ended(const model::Block& block) override { now_[block.sm->index]--; }
  void issued(const model::Warp&, const model::Decoded&, uint32_t, model::Mask,
              model::Mask) override {}
  void executed(const model::Warp&, const model::Decoded&, model::Mask,
                const model::Access*) override {}
  void released(const model::Released&) override {}
  int most_ = 0;
  std::set<uint32_t> sms_;

 private:
  int now_[2] = {};
};

int most_blocks(Bench& b) {
  Residents r;
  b.machine.observe(&r);
  EXPECT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(r.sms_.size(), 2u);
  return r.most_;
}

TEST(Machine, LimitsBlocksByWarps) {
  Bench b("EXIT\n", 160, 100);  // 5 warps of 16
  b.launch.registers = 8;
  EXPECT_EQ(most_blocks(b), 3);
}
TEST(Machine, LimitsBlocksByRegisterRows) {
  Bench b("EXIT\n", 64, 100);  // a warp a sub-partition of 256 rows
  b.launch.registers = 63;     // takes 64
  EXPECT_EQ(most_blocks(b), 4);
}
TEST(Machine, LimitsBlocksBySharedMemory) {
  Bench b("EXIT\n", 32, 100);
  b.launch.shared_bytes = 6000;
  EXPECT_EQ(most_blocks(b), 2);
}
TEST(Machine, LimitsBlocksBySlots) {
  Bench b("EXIT\n", 32, 100);
  b.launch.registers = 8;
  b.launch.shared_bytes = 0;
  EXPECT_EQ(most_blocks(b), 8);
}
TEST(Machine, RefusesABlockThatFitsNoSm) {
  Bench b("EXIT\n", 32, 1);
  b.launch.shared_bytes = 16385;
  EXPECT_EQ(b.run(), Machine::State::Idle);
}

}  // namespace
}  // namespace heddle::test
