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
    "S2R R1, SR_CTAID.X", "S2R R0, SR_TID.X", "S2R R4, SR_NTID.X", "IMAD R0, R1, R4, R0",
    "MOV R2, c[0][0x0]",  "MOV R3, c[0][0x4]", "IMAD.WIDE R2, R0, 4, R2",
};
// out[R0] = R5
const Lines kStore = {"STG.32 [R2+0], R5", "EXIT"};

Launch with_out(Launch l) {
  l.params.insert(l.params.begin(), {static_cast<std::uint32_t>(SmBench::kOut), static_cast<std::uint32_t>(SmBench::kOut >> 32)});
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
  for (const std::array<unsigned, 3> block : {std::array<unsigned, 3>{24, 4, 1}, {5, 3, 7}, {1, 1, 64}, {16, 16, 1}, {33, 2, 3}}) {
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
  sm.load(kIndex + Lines{"MOV R5, RZ", "MOV R6, 10", "loop:", "IADD R5, R5, R0", "IADD R6, R6, -1",
                         "ISETP.NE P0, PT, R6, RZ, PT", "@P0 BRA &loop"} + kStore);
  sm.launch(with_out({.block = {64, 1, 1}}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), 10 * i);
}

TEST_F(SmTest, DivergentBranchReconverges) {
  sm.load(kIndex + Lines{"LOP.AND R6, R0, 1", "ISETP.NE P0, PT, R6, RZ, PT", "BSSY B0, &join", "@P0 BRA &odd",
                         "IADD R5, R0, 100", "BSYNC B0", "odd:", "IADD R5, R0, 200", "BSYNC B0", "join:",
                         "S2R R7, SR_ACTIVEMASK", "POPC R7, R7", "SHL R7, R7, 16", "IADD R5, R5, R7"} + kStore);
  sm.launch(with_out({.block = {64, 1, 1}}));
  for (unsigned i = 0; i < 64; i++) EXPECT_EQ(sm.out(i), (i % 2 ? 200 + i : 100 + i) + (32u << 16)) << i;
}

// Lane i leaves the loop after i % 8 + 1 rounds.
TEST_F(SmTest, DivergentLoopReconverges) {
  sm.load(kIndex + Lines{"MOV R5, RZ", "LOP.AND R6, R0, 7", "BSSY B1, &join", "loop:", "IADD R5, R5, R0",
                         "IADD R6, R6, -1", "ISETP.GE.SIGN P0, PT, R6, RZ, PT", "@P0 BRA &loop", "BSYNC B1", "join:",
                         "S2R R7, SR_ACTIVEMASK", "POPC R7, R7", "SHL R7, R7, 16", "IADD R5, R5, R7"} + kStore);
  sm.launch(with_out({.block = {32, 1, 1}}));
  for (unsigned i = 0; i < 32; i++) EXPECT_EQ(sm.out(i), i * (i % 8 + 1) + (32u << 16)) << i;
}

TEST_F(SmTest, SharedMemoryAcrossABarrier) {
  sm.load(kIndex + Lines{"SHL R6, R0, 2", "STS.32 [R6+0], R0", "BAR.SYNC.POPC RZ, 0, RZ, PT",
                         "MOV R8, 127", "IADD R8, R8, -R0", "SHL R8, R8, 2", "LDS.32 R5, [R8+0]"} + kStore);
  sm.launch(with_out({.block = {128, 1, 1}, .shared_bytes = 512}));
  for (unsigned i = 0; i < 128; i++) EXPECT_EQ(sm.out(i), 127 - i) << i;
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
