// SPDX-License-Identifier: Apache-2.0
// Kernels on one SM, from assembly: results in memory, faults, deadlocks.
#include <gtest/gtest.h>

#include "tests/unit/rtl/sm/sm_bench.h"

namespace heddle::test {
namespace {

using Lines = std::vector<std::string>;

Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// R0 = linear thread of the grid (1-d), R2:R3 = address of out[R0].
const Lines kIndex = {
    "S2R R1, SR_CTAID.X", "S2R R0, SR_TID.X",  "S2R R4, SR_NTID.X",       "IMAD R0, R1, R4, R0",
    "MOV R2, c[0][0x0]",  "MOV R3, c[0][0x4]", "IMAD.WIDE R2, R0, 4, R2",
};
// out[R0] = R5
const Lines kStore = {"STG.32 [R2+0], R5", "EXIT"};

Launch with_out(Launch l) {
  l.params.insert(l.params.begin(),
                  {static_cast<std::uint32_t>(SmBench::kOut), static_cast<std::uint32_t>(SmBench::kOut >> 32)});
  return l;
}

class SmTest : public ::testing::Test {
 protected:
  SmBench sm{seed()};
};

TEST_F(SmTest, StoresThreadIndex) {
  sm.load(kIndex + Lines{"MOV R5, R0"} + kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), i);
}

TEST_F(SmTest, RunsManyBlocks) {
  sm.load(kIndex + Lines{"SHL R5, R0, 1", "IADD R5, R5, 7"} + kStore);
  sm.launch(with_out({.grid = {40, 1, 1}, .block = {96, 1, 1}}));
  for (unsigned i = 0; i < 40 * 96; i++) ASSERT_EQ(sm.out(i), 2 * i + 7) << i;
}

TEST_F(SmTest, ARunningKernelKeepsItsLaunchAndSettings) {
  sm.load(kIndex + Lines{"MOV R5, R0"} + kStore);
  sm.begin(with_out({.grid = {40, 1, 1}, .block = {96, 1, 1}}));
  for (auto& word : sm.top->settings_i.m_storage) word = 0;  // no code, no memory
  for (auto& word : sm.top->kernel_i.m_storage) word = 0;
  for (unsigned i = 0; i < 200'000 && !sm.finished() && !sm.fault(); i++) sm.step();
  ASSERT_TRUE(sm.finished());
  for (unsigned i = 0; i < 40 * 96; i++) ASSERT_EQ(sm.out(i), i);
}

TEST_F(SmTest, PartialWarpWritesOnlyItsThreads) {
  for (unsigned i = 0; i < 64; i++) sm.set_word(SmBench::kOut + 4 * i, 0xdead);
  sm.load(kIndex + Lines{"MOV R5, R0"} + kStore);
  sm.launch(with_out({.block = {37, 1, 1}}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), i < 37 ? i : 0xdead) << i;
}

TEST_F(SmTest, ThreadIndicesInThreeDimensions) {
  sm.load({"S2R R0, SR_TID.X", "S2R R1, SR_TID.Y", "S2R R4, SR_TID.Z", "S2R R6, SR_NTID.X", "S2R R7, SR_NTID.Y",
           "IMAD R8, R4, R7, R1", "IMAD R8, R8, R6, R0", "MOV R2, c[0][0x0]", "MOV R3, c[0][0x4]",
           "IMAD.WIDE R2, R8, 4, R2", "SHL R1, R1, 8", "SHL R4, R4, 16", "IADD R5, R0, R1", "IADD R5, R5, R4",
           "STG.32 [R2+0], R5", "EXIT"});
  for (const std::array<unsigned, 3> block :
       {std::array<unsigned, 3>{24, 4, 1}, {5, 3, 7}, {1, 1, 64}, {16, 16, 1}, {33, 2, 3}}) {
    const unsigned threads = block[0] * block[1] * block[2];
    if (threads > 32u * static_cast<unsigned>(sm.preset.structure.warps_per_sm())) continue;
    sm.launch(with_out({.block = block}));
    for (unsigned i = 0; i < threads; i++) {
      ASSERT_EQ(sm.out(i), i % block[0] | i / block[0] % block[1] << 8 | i / block[0] / block[1] << 16)
          << "thread " << i << " of " << block[0] << "x" << block[1] << "x" << block[2];
    }
  }
}

TEST_F(SmTest, UniformLoop) {
  sm.load(kIndex +
          Lines{"MOV R5, RZ", "MOV R6, 10", "loop:", "IADD R5, R5, R0", "IADD R6, R6, -1",
                "ISETP.NE P0, PT, R6, RZ, PT", "@P0 BRA &loop"} +
          kStore);
  sm.launch(with_out({.block = {64, 1, 1}}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), 10 * i);
}

TEST_F(SmTest, DivergentBranchReconverges) {
  sm.load(kIndex +
          Lines{"LOP.AND R6, R0, 1", "ISETP.NE P0, PT, R6, RZ, PT", "BSSY B0, &join", "@P0 BRA &odd",
                "IADD R5, R0, 100", "BSYNC B0", "odd:", "IADD R5, R0, 200", "BSYNC B0",
                "join:", "S2R R7, SR_ACTIVEMASK", "POPC R7, R7", "SHL R7, R7, 16", "IADD R5, R5, R7"} +
          kStore);
  sm.launch(with_out({.block = {64, 1, 1}}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), (i % 2 ? 200 + i : 100 + i) + (32u << 16)) << i;
}

// Lane i leaves the loop after i % 8 + 1 rounds.
TEST_F(SmTest, DivergentLoopReconverges) {
  sm.load(kIndex +
          Lines{"MOV R5, RZ", "LOP.AND R6, R0, 7", "BSSY B1, &join", "loop:", "IADD R5, R5, R0", "IADD R6, R6, -1",
                "ISETP.GE.SIGN P0, PT, R6, RZ, PT", "@P0 BRA &loop", "BSYNC B1", "join:", "S2R R7, SR_ACTIVEMASK",
                "POPC R7, R7", "SHL R7, R7, 16", "IADD R5, R5, R7"} +
          kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), i * (i % 8 + 1) + (32u << 16)) << i;
}

TEST_F(SmTest, SharedMemoryAcrossABarrier) {
  sm.load(kIndex +
          Lines{"SHL R6, R0, 2", "STS.32 [R6+0], R0", "BAR.SYNC.POPC RZ, 0, RZ, PT", "MOV R8, 127", "IADD R8, R8, -R0",
                "SHL R8, R8, 2", "LDS.32 R5, [R8+0]"} +
          kStore);
  sm.launch(with_out({.block = {128, 1, 1}, .shared_bytes = 512}));
  for (unsigned i = 0; i < 128; i++) EXPECT_EQ(sm.out(i), 127 - i) << i;
}

// ---- control flow -----------------------------------------------------------------------------------

TEST_F(SmTest, CallsReturnToTheirCallers) {
  sm.load(kIndex +
          Lines{"LOP.AND R6, R0, 1", "ISETP.NE P0, PT, R6, RZ, PT", "MOV R5, R0", "BSSY B0, &join", "@P0 BRA &odd",
                "CALL R10, &triple", "BSYNC B0", "odd:", "CALL R10, &triple", "IADD R5, R5, 1", "BSYNC B0", "join:"} +
          kStore + Lines{"triple:", "IMAD R5, R5, 3, RZ", "RET R10"});
  sm.launch(with_out({.block = {64, 1, 1}}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), 3 * i + i % 2) << i;
}

TEST_F(SmTest, GuardedCallSplitsTheWarp) {
  sm.load(kIndex +
          Lines{"MOV R5, R0", "ISETP.LT P0, PT, R0, 5, PT", "BSSY B0, &join", "@P0 CALL R10, &f", "BSYNC B0", "join:"} +
          kStore + Lines{"f:", "IADD R5, R5, 1000", "RET R10"});
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), i < 5 ? i + 1000 : i) << i;
}

// Lane i jumps to one of four cases, each 16 bytes long.
TEST_F(SmTest, IndirectBranchGoesWhereEachLaneSays) {
  sm.load(kIndex +
          Lines{"LOP.AND R6, R0, 3", "SHL R6, R6, 4", "IADD R6, R6, &cases", "BSSY B3, &join", "BRX R6", "cases:",
                "MOV R5, 100", "BSYNC B3", "MOV R5, 101", "BSYNC B3", "MOV R5, 102", "BSYNC B3", "MOV R5, 103",
                "BSYNC B3", "join:", "S2R R7, SR_ACTIVEMASK", "POPC R7, R7", "SHL R7, R7, 16", "IADD R5, R5, R7"} +
          kStore);
  sm.launch(with_out({.block = {64, 1, 1}}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), 100 + i % 4 + (32u << 16)) << i;
}

// Lanes 0-7 leave the barrier and end; the others still reconverge without them.
TEST_F(SmTest, LanesThatLeaveOrExitDoNotHoldABarrier) {
  for (const bool exits : {false, true}) {
    for (unsigned i = 0; i < 64; i++) sm.set_word(SmBench::kOut + 4 * i, 0);
    sm.load(kIndex +
            Lines{"BSSY B0, &join", "ISETP.LT P0, PT, R0, 8, PT", "ISETP.LT P1, PT, R0, 16, PT", "@P0 BRA &leave",
                  "@P1 BRA &second", "BSYNC B0", "second:", "IADD R8, R0, 1", "BSYNC B0",
                  "leave:", exits ? "EXIT" : "BREAK B0", "MOV R5, 5", "STG.32 [R2+0], R5", "EXIT",
                  "join:", "S2R R5, SR_ACTIVEMASK"} +
            kStore);
    sm.launch(with_out({.block = {32, 1, 1}}));
    for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), i >= 8 ? 0xffffff00u : exits ? 0u : 5u) << i;
  }
}

TEST_F(SmTest, WarpsyncGathersLanesFromDifferentPlaces) {
  sm.load(kIndex +
          Lines{"ISETP.LT P0, PT, R0, 10, PT", "ISETP.LT P1, PT, R0, 20, PT", "@P0 BRA &a", "@P1 BRA &b", "BRA &sync",
                "a:", "IADD R8, R0, 1", "BRA &sync", "b:", "IADD R8, R0, 2", "IADD R8, R8, 2",
                "sync:", "WARPSYNC 0xffffffff", "S2R R5, SR_ACTIVEMASK"} +
          kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), 0xffffffffu) << i;
}

// Two sides of a branch each wait for the whole warp; neither is the other's place.
TEST_F(SmTest, WarpsyncAtTwoPlacesWithOneMask) {
  sm.load(kIndex +
          Lines{"ISETP.LT P0, PT, R0, 10, PT", "@P0 BRA &a", "WARPSYNC 0xffffffff", "S2R R5, SR_ACTIVEMASK",
                "STG.32 [R2+0], R5", "EXIT", "a:", "WARPSYNC 0xffffffff", "S2R R5, SR_ACTIVEMASK"} +
          kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), i < 10 ? 0x3ffu : 0xfffffc00u) << i;
}

TEST_F(SmTest, WarpsyncOfSubsetsAndAnExit) {
  // Lanes 0-15 sync among themselves, lanes 16-31 too; lane 31 ends instead.
  sm.load(kIndex +
          Lines{"ISETP.LT P0, PT, R0, 16, PT", "MOV R6, 0xffff0000", "@P0 MOV R6, 0x0000ffff",
                "ISETP.EQ P1, PT, R0, 31, PT", "LOP.AND R7, R0, 1", "ISETP.EQ P2, PT, R7, RZ, PT", "@P2 BRA &late",
                "@P1 EXIT", "BRA &sync", "late:", "IADD R8, R0, 1", "sync:", "WARPSYNC R6", "S2R R5, SR_ACTIVEMASK"} +
          kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 31; i++)
    EXPECT_EQ(sm.out(i) & (i < 16 ? 0xffffu : 0xffff0000u), i < 16 ? 0xffffu : 0x7fff0000u) << i;
}

// Lane 0 holds what the other lanes of its warp wait for, and reaches it only after them in program order.
TEST_F(SmTest, ASpinningSplitLetsTheOwnerRun) {
  sm.yield_branches = 4;
  sm.load(kIndex +
          Lines{"ISETP.NE P0, PT, R0, RZ, PT", "MOV R8, c[0][0x0]", "MOV R9, c[0][0x4]", "BSSY B0, &join",
                "@!P0 BRA &owner", "spin:", "LDG.32.CV R6, [R8+1024]", "ISETP.EQ P1, PT, R6, RZ, PT", "@P1 BRA &spin",
                "BSYNC B0", "owner:", "MOV R7, 77", "STG.32 [R8+1024], R7", "BSYNC B0",
                "join:", "LDG.32.CV R5, [R8+1024]"} +
          kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), 77u) << i;
}

// The owner has arrived at the barrier behind the loop in which the others spin: it must get out of it.
TEST_F(SmTest, LanesAtABarrierGoOnWhenTheRestSpins) {
  sm.yield_branches = 4;
  sm.load(kIndex +
          Lines{"ISETP.NE P0, PT, R0, RZ, PT", "MOV R8, c[0][0x0]", "MOV R9, c[0][0x4]", "BSSY B0, &join",
                "@P0 BRA &spin", "BSYNC B0", "spin:", "LDG.32.CV R6, [R8+1024]", "ISETP.EQ P1, PT, R6, RZ, PT",
                "@P1 BRA &spin", "BSYNC B0", "join:", "MOV R7, 77", "@!P0 STG.32 [R8+1024], R7", "MOV R5, 1"} +
          kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), 1u) << i;
}

// Two splits spin, each in its turn, one in a loop closed by a table: the owner waits for both at a barrier.
TEST_F(SmTest, LanesAtABarrierGoOnWhenTwoSplitsSpin) {
  sm.yield_branches = 4;
  // clang-format off
  sm.load(kIndex + Lines{"ISETP.NE P0, PT, R0, RZ, PT", "ISETP.LT P2, PT, R0, 16, PT", "MOV R8, c[0][0x0]", "MOV R9, c[0][0x4]",
                         "BSSY B5, &join", "@P0 BRA &two", "BSYNC B5", "two:", "@P2 BRA &table", "spin:",
                         "LDG.32.CV R6, [R8+1024]", "ISETP.EQ P1, PT, R6, RZ, PT", "@P1 BRA &spin", "BSYNC B5", "table:",
                         "MOV R10, &again", "again:", "LDG.32.CV R6, [R8+1024]", "ISETP.NE P1, PT, R6, RZ, PT", "@P1 BRA &out",
                         "BRX R10", "out:", "BSYNC B5", "join:", "MOV R7, 77", "@!P0 STG.32 [R8+1024], R7", "MOV R5, 1"} + kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), 1u) << i;
}

// The loop that spins gathers its lanes at a barrier of its own each time; the owner waits at another one.
TEST_F(SmTest, LanesAtABarrierGoOnWhenALoopSpinsThatOpensAnother) {
  sm.yield_branches = 4;
  sm.load(kIndex + Lines{"ISETP.NE P0, PT, R0, RZ, PT", "LOP.AND R9, R0, 1", "ISETP.NE P2, PT, R9, RZ, PT", "MOV R8, c[0][0x0]",
                         "MOV R9, c[0][0x4]", "BSSY B5, &join", "@P0 BRA &spin", "BSYNC B5", "spin:", "BSSY B2, &met",
                         "@P2 BRA &odd", "MOV R5, 2", "BSYNC B2", "odd:", "MOV R5, 3", "BSYNC B2", "met:",
                         "LDG.32.CV R6, [R8+1024]", "ISETP.EQ P1, PT, R6, RZ, PT", "@P1 BRA &spin", "BSYNC B5", "join:",
                         "MOV R7, 77", "@!P0 STG.32 [R8+1024], R7", "MOV R5, 1"} + kStore);
  // clang-format on
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), 1u) << i;
}

// One warp of many waits for another, under every policy.
TEST_F(SmTest, SpinningWarpsDoNotStarveOthers) {
  const unsigned warps = static_cast<unsigned>(sm.preset.structure.warps_per_sm());
  for (sm.policy = 0; sm.policy < 3; sm.policy++) {
    sm.set_word(SmBench::kOut + 0x8000, 0);
    sm.load(kIndex +
            Lines{"MOV R8, c[0][0x0]", "MOV R9, c[0][0x4]", "MOV R6, 0x00008000", "IMAD.WIDE R8, R6, 1, R8",
                  "MOV R7, c[0][0x8]", "ISETP.GE P0, PT, R0, R7, PT", "@P0 BRA &owner", "spin:", "LDG.32.CV R5, [R8+0]",
                  "ISETP.EQ P1, PT, R5, RZ, PT", "@P1 BRA &spin", "BRA &done", "owner:", "MOV R5, 9",
                  "STG.32 [R8+0], R5", "done:"} +
            kStore);
    Launch l = with_out({.grid = {warps, 1, 1}, .block = {32, 1, 1}, .registers = 10});
    l.params.push_back(32 * (std::min(warps, static_cast<unsigned>(sm.preset.structure.blocks_per_sm)) - 1));
    sm.launch(l);
    EXPECT_EQ(sm.out(0), 9u) << "policy " << sm.policy;
  }
}

TEST_F(SmTest, NanosleepEnds) {
  sm.load(Lines{"S2R.64 R10, SR_CLOCK", "NANOSLEEP 300", "S2R.64 R12, SR_CLOCK"} + kIndex +
          Lines{"IADD R5, R12, -R10"} + kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  EXPECT_GE(sm.out(0), 300u);
  EXPECT_LT(sm.out(0), 600u);
}

// ---- block barriers ----------------------------------------------------------------------------------

TEST_F(SmTest, BarrierReductions) {
  // Predicate: thread index divisible by 3.
  const Lines predicate = {"MOV R6, 0x55555556", "IMAD.HI R7, R0, R6, RZ", "IMAD R7, R7, 3, RZ",
                           "ISETP.EQ P0, PT, R0, R7, PT"};
  sm.load(kIndex + predicate +
          Lines{"BAR.RED.POPC R5, 2, RZ, P0", "SHL R5, R5, 4", "BAR.RED.AND R1, 2, RZ, P0", "@P1 IADD R5, R5, 1",
                "BAR.RED.OR R2, 3, RZ, P0", "@P2 IADD R5, R5, 2", "BAR.RED.OR R3, 2, RZ, !PT", "@P3 IADD R5, R5, 4",
                "BAR.RED.AND R4, 2, RZ, PT", "@P4 IADD R5, R5, 8"} +
          kStore);
  sm.launch(with_out({.grid = {3, 1, 1}, .block = {100, 1, 1}}));
  for (unsigned i = 0; i < 300; i++) {
    const unsigned block = i / 100;
    unsigned count = 0;
    for (unsigned k = 0; k < 100; k++) count += (100 * block + k) % 3 == 0;
    EXPECT_EQ(sm.out(i), count << 4 | 2 | 8) << i;
  }
}

TEST_F(SmTest, ExitedThreadsDoNotHoldABarrier) {
  sm.load(kIndex +
          Lines{"ISETP.GE P0, PT, R0, 70, PT", "@P0 EXIT", "SHL R6, R0, 2", "STS.32 [R6+0], R0",
                "BAR.SYNC.POPC RZ, 0, RZ, PT", "MOV R8, 69", "IADD R8, R8, -R0", "SHL R8, R8, 2", "LDS.32 R5, [R8+0]"} +
          kStore);
  sm.launch(with_out({.block = {128, 1, 1}, .shared_bytes = 512}));
  for (unsigned i = 0; i < 70; i++) EXPECT_EQ(sm.out(i), 69 - i) << i;
}

// Warp 1 produces, warp 0 consumes: arrive and sync with a thread count.
TEST_F(SmTest, ArriveAndSyncPairUp) {
  sm.load(kIndex +
          Lines{"SHL R6, R0, 2", "MOV R11, 64", "ISETP.LT P0, PT, R0, 32, PT", "@P0 BRA &consumer", "IADD R7, R0, 500",
                "STS.32 [R6+0], R7", "BAR.ARRIVE.POPC RZ, 1, R11, PT", "MOV R5, 1", "BRA &out",
                "consumer:", "BAR.SYNC.POPC RZ, 1, R11, PT", "LDS.32 R5, [R6+128]", "out:"} +
          kStore);
  sm.launch(with_out({.block = {64, 1, 1}, .shared_bytes = 512}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), i < 32 ? 532 + i : 1) << i;
}

// The two halves of each warp wait for the same barrier at different places.
TEST_F(SmTest, SplitsOfAWarpMeetAtABlockBarrier) {
  sm.load(kIndex +
          Lines{"SHL R6, R0, 2", "STS.32 [R6+0], R0", "LOP.AND R7, R0, 16", "ISETP.EQ P0, PT, R7, RZ, PT",
                "BSSY B0, &join", "@P0 BRA &low", "BAR.SYNC.POPC RZ, 0, RZ, PT", "BSYNC B0",
                "low:", "BAR.SYNC.POPC RZ, 0, RZ, PT", "BSYNC B0", "join:", "MOV R8, 63", "IADD R8, R8, -R0",
                "SHL R8, R8, 2", "LDS.32 R5, [R8+0]"} +
          kStore);
  sm.launch(with_out({.block = {64, 1, 1}, .shared_bytes = 512}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), 63 - i) << i;
}

TEST_F(SmTest, ABarrierThatCannotCompleteIsADeadlock) {
  sm.load(kIndex + Lines{"MOV R11, 96", "BAR.SYNC.POPC RZ, 0, R11, PT"} + kStore);
  sm.begin(with_out({.block = {64, 1, 1}}));
  // With all live threads waiting, nobody else can come: the barrier opens.
  for (int i = 0; i < 2000 && !sm.finished(); i++) sm.step();
  EXPECT_TRUE(sm.finished());
  // Two barriers, each with one half of the block: neither can open.
  sm.load(kIndex + Lines{"MOV R11, 64", "ISETP.LT P0, PT, R0, 32, PT", "@P0 BRA &low", "BAR.SYNC.POPC RZ, 0, R11, PT",
                         "EXIT", "low:", "BAR.SYNC.POPC RZ, 1, R11, PT", "EXIT"});
  sm.begin(with_out({.block = {64, 1, 1}}));
  for (int i = 0; i < 4000 && !sm.stuck(); i++) sm.step();
  EXPECT_TRUE(sm.stuck());
  EXPECT_FALSE(sm.finished());
  EXPECT_EQ(sm.top->waiting_o, sm.top->resident_o);
}

// ---- operands ----------------------------------------------------------------------------------------

TEST_F(SmTest, ConstantsOfBothBanks) {
  for (unsigned i = 0; i < 256; i++) sm.set_word(SmBench::kConstants + 4 * i, 0xc000 + i);
  sm.load(kIndex + Lines{"MOV R5, c[1][0x10]", "IADD R5, R5, c[0][0x8]", "IADD R5, R5, c[1][0x3fc]"} + kStore);
  Launch l = with_out({.grid = {4, 1, 1}, .block = {64, 1, 1}});
  l.params.push_back(1000);
  sm.launch(l);
  for (unsigned i = 0; i < 256; i++) EXPECT_EQ(sm.out(i), 0xc004u + 1000 + 0xc0ff) << i;
}

TEST_F(SmTest, PairsAndWideResults) {
  sm.load(kIndex +
          Lines{"MOV R10, -1", "MOV R11, RZ", "IADD.64 R12, R10, 1", "IADD.64 R12, R12, R12",
                "IMAD.WIDE R14, R10, R10, R12", "IADD R5, R14, R13", "IADD R5, R5, R15"} +
          kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  // {0, -1} + 1 = {1, 0}; doubled {2, 0}; -1 * -1 unsigned is 0xfffffffe00000001, plus {2, 0}: {0, 1}
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), 1u + 2 + 0) << i;
}

TEST_F(SmTest, ResultsAreNeverReadTooEarlyNorOverwrittenTooLate) {
  // A chain over registers of one bank, with writes right behind reads.
  Lines body;
  for (unsigned k = 0; k < 24; k++) {
    body.push_back("IMAD R8, R4, R12, R16");
    body.push_back("IADD R4, R8, R12");
    body.push_back("IADD R12, R4, R16");
    body.push_back("IADD R16, R0, " + std::to_string(k));
  }
  sm.load(kIndex + Lines{"MOV R4, R0", "MOV R12, 3", "MOV R16, 5"} + body + Lines{"IADD R5, R4, R12"} + kStore);
  sm.launch(with_out({.block = {128, 1, 1}}));
  for (unsigned i = 0; i < 128; i++) {
    unsigned r4 = i, r12 = 3, r16 = 5;
    for (unsigned k = 0; k < 24; k++) {
      const unsigned r8 = r4 * r12 + r16;
      r4 = r8 + r12;
      r12 = r4 + r16;
      r16 = i + k;
    }
    ASSERT_EQ(sm.out(i), r4 + r12) << i;
  }
}

TEST_F(SmTest, SurvivesAStallingMemory) {
  sm.stall_one_in = 3;
  sm.load(kIndex +
          Lines{"MOV R6, 5", "loop:", "STG.32 [R2+0], R6", "LDG.32 R7, [R2+0]", "IADD R5, R7, R0", "IADD R6, R6, -1",
                "ISETP.NE P0, PT, R6, RZ, PT", "@P0 BRA &loop"} +
          kStore);
  sm.launch(with_out({.grid = {16, 1, 1}, .block = {96, 1, 1}}));
  for (unsigned i = 0; i < 16 * 96; i++) ASSERT_EQ(sm.out(i), i + 1) << i;
}

// ---- faults -------------------------------------------------------------------------------------------

class SmFaultTest : public SmTest {
 protected:
  // Runs until the fault.
  Fault run(const Lines& lines, Launch l) {
    sm.load(lines);
    sm.begin(with_out(std::move(l)));
    for (int i = 0; i < 5000 && !sm.fault(); i++) sm.step();
    EXPECT_TRUE(sm.fault());
    return sm.fault().value_or(Fault{});
  }
};

TEST_F(SmFaultTest, TrapNamesThreadAndCode) {
  const Fault f =
      run(kIndex + Lines{"ISETP.EQ P0, PT, R0, 77, PT", "@P0 TRAP 0x00001234"} + kStore, {.block = {96, 1, 1}});
  EXPECT_EQ(f.kind, 5u);
  EXPECT_EQ(f.code, 0x1234u);
  EXPECT_EQ(f.thread, 77u);
  EXPECT_EQ(f.pc, 8u * 8);
}

TEST_F(SmFaultTest, FetchBehindTheCode) {
  const Fault f = run({"MOV R0, 1", "BRA 0x8000"}, {});
  EXPECT_EQ(f.kind, 4u);
  EXPECT_EQ(f.pc, 0x8000u);
}

TEST_F(SmFaultTest, RunningOffTheEnd) {
  const Fault f = run({"MOV R0, 1", "MOV R0, 2"}, {});
  EXPECT_EQ(f.kind, 4u);
  EXPECT_EQ(f.pc, 16u);
}

TEST_F(SmFaultTest, MisalignedTarget) {
  const Fault f = run({"MOV R4, 12", "BRX R4", "EXIT"}, {});
  EXPECT_EQ(f.kind, 4u);
  EXPECT_EQ(f.pc, 12u);
}

TEST_F(SmFaultTest, ConstantOutsideItsBank) {
  const Fault f = run({"MOV R4, c[0][0x40]", "EXIT"}, {.block = {64, 1, 1}});
  EXPECT_EQ(f.kind, 1u);
  EXPECT_EQ(f.code, 3u);
  EXPECT_EQ(f.address, 0x40u);
}

TEST_F(SmFaultTest, RegisterBeyondTheKernels) {
  const Fault f = run({"MOV R40, 1", "EXIT"}, {.registers = 32});
  EXPECT_EQ(f.kind, 3u);
}

TEST_F(SmFaultTest, MisalignedStoreNamesItsThread) {
  const Fault f = run(kIndex + Lines{"ISETP.EQ P0, PT, R0, 37, PT", "@P0 IADD R2, R2, 2", "STG.32 [R2+0], R0", "EXIT"},
                      {.block = {64, 1, 1}});
  EXPECT_EQ(f.kind, 2u);
  EXPECT_EQ(f.thread, 37u);
  EXPECT_EQ(f.pc, 9u * 8);
  EXPECT_EQ(f.address, SmBench::kOut + 4 * 37 + 2);
}

TEST_F(SmFaultTest, NothingIssuesAfterAFault) {
  run({"TRAP 0x00000001", "EXIT"}, {.grid = {64, 1, 1}, .block = {64, 1, 1}});
  const auto count = sm.warp_instructions;
  for (int i = 0; i < 200; i++) sm.step();
  EXPECT_EQ(sm.warp_instructions, count);
  EXPECT_FALSE(sm.finished());
}

TEST_F(SmTest, IllegalInstructionNamesThreadAndPc) {
  sm.load_words({0x00000000000000ffull});
  sm.begin(with_out({.block = {64, 1, 1}}));
  for (int i = 0; i < 2000 && !sm.fault(); i++) sm.step();
  ASSERT_TRUE(sm.fault());
  EXPECT_EQ(sm.fault()->kind, 3u);
  EXPECT_EQ(sm.fault()->pc, 0u);
  EXPECT_EQ(sm.fault()->thread % 32, 0u);
}

}  // namespace
}  // namespace heddle::test
