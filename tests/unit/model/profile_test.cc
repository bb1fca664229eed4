// SPDX-License-Identifier: Apache-2.0
// What the golden model counts of a launch: sectors, wavefronts, lanes.
#include "sim/model/profile.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/model/machine_fixture.h"

namespace heddle {
namespace {

using model::Access;
using model::Mask;
using test::Bench;

Access access_of(uint8_t bytes, const std::function<uint64_t(int)>& address) {
  Access a;
  a.shape.bytes = bytes;
  a.mask = ~Mask{0};
  for (int i = 0; i < model::kLanes; i++) a.address[i] = address(i);
  return a;
}

TEST(Profile, SectorsAreCountedOnce) {
  const Access row = access_of(4, [](int i) { return 0x1000 + 4u * static_cast<unsigned>(i); });
  EXPECT_EQ(sectors(row, ~Mask{0}), 4u);
  EXPECT_EQ(sectors(row, 0xff), 1u);
  EXPECT_EQ(sectors(row, 0x80000001), 2u);
  EXPECT_EQ(sectors(row, 0), 0u);
  EXPECT_EQ(sectors(access_of(4, [](int i) { return 0x1010 + 4u * static_cast<unsigned>(i); }), ~Mask{0}), 5u);
  EXPECT_EQ(sectors(access_of(16, [](int i) { return 16u * static_cast<unsigned>(i); }), ~Mask{0}), 16u);
  EXPECT_EQ(sectors(access_of(4, [](int i) { return 128u * static_cast<unsigned>(31 - i); }), ~Mask{0}), 32u);
  EXPECT_EQ(sectors(access_of(1, [](int) { return 31u; }), ~Mask{0}), 1u);
}

TEST(Profile, WavefrontsAreTheFullestBanks) {
  const auto stride = [](uint8_t bytes, unsigned words) {
    return wavefronts(access_of(bytes, [=](int i) { return 4u * words * static_cast<unsigned>(i); }), ~Mask{0});
  };
  EXPECT_EQ(stride(4, 0), 1u);  // one word for all
  EXPECT_EQ(stride(4, 1), 1u);
  EXPECT_EQ(stride(4, 2), 2u);
  EXPECT_EQ(stride(4, 3), 1u);
  EXPECT_EQ(stride(4, 32), 32u);
  EXPECT_EQ(stride(4, 33), 1u);
  EXPECT_EQ(stride(8, 2), 2u);  // half warps
  EXPECT_EQ(stride(8, 4), 4u);
  EXPECT_EQ(stride(16, 4), 4u);  // quarter warps
  EXPECT_EQ(stride(16, 8), 8u);
  EXPECT_EQ(stride(16, 0), 4u);
  const Access bytes = access_of(1, [](int i) { return static_cast<unsigned>(i); });
  EXPECT_EQ(wavefronts(bytes, ~Mask{0}), 1u);
  EXPECT_EQ(wavefronts(access_of(8, [](int i) { return 8u * static_cast<unsigned>(i); }), 0xffff),
            1u);  // of half a warp
  EXPECT_EQ(wavefronts(bytes, 0), 0u);
}

struct Counted : Bench {
  using Bench::Bench;
  model::Profile profile;
  const heddle_profile& run_counted() {
    profile.begin(launch);
    machine.observe(&profile);
    EXPECT_EQ(run(), model::Machine::State::Done);
    return *profile.take();
  }
};

uint64_t lines_sum(const heddle_profile& p, uint64_t heddle_profile_line::*part) {
  uint64_t sum = 0;
  for (size_t i = 0; i < p.line_count; i++) sum += p.lines[i].*part;
  return sum;
}

TEST(Profile, NothingRanYet) { EXPECT_EQ(model::Profile().take(), nullptr); }

TEST(Profile, LanesByGuardAndByBranch) {
  Counted b(R"(
    S2R R1, SR_LANEID
    ISETP.LT P0, PT, R1, 5, PT
    @P0 MOV R2, 1
    @!P0 BRA $end
    MOV R3, 2
  end:
    EXIT
  )",
            64, 3);
  const heddle_profile& p = b.run_counted();
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_Blocks], 3u);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_Warps], 6u);
  ASSERT_EQ(p.line_count, 6u);
  EXPECT_EQ(p.lines[2].pc, 16u);
  EXPECT_EQ(p.lines[2].executed, 6u);
  EXPECT_EQ(p.lines[2].threads, 6u * 5);
  EXPECT_EQ(p.lines[2].active_threads, 6u * 32);
  EXPECT_EQ(p.lines[3].threads, 6u * 27);
  EXPECT_EQ(p.lines[3].divergent, 6u);
  EXPECT_EQ(lines_sum(p, &heddle_profile_line::divergent), 6u);  // a guard alone parts no threads
  EXPECT_EQ(p.lines[4].executed, 6u);
  EXPECT_EQ(p.lines[4].active_threads, 6u * 5);
  EXPECT_EQ(p.lines[5].executed, 6u * 2);  // both ways
  EXPECT_EQ(p.lines[5].threads, 6u * 32);
  EXPECT_EQ(lines_sum(p, &heddle_profile_line::executed), p.counters[HEDDLE_COUNTER_Instructions]);
  EXPECT_EQ(lines_sum(p, &heddle_profile_line::threads), p.counters[HEDDLE_COUNTER_ThreadInstructions]);
  EXPECT_EQ(lines_sum(p, &heddle_profile_line::active_threads), p.counters[HEDDLE_COUNTER_ActiveThreads]);
  for (const uint64_t stall : p.stalls) EXPECT_EQ(stall, 0u);
}

// A lane leaves a loop in each of three rounds; then the others go on together.
TEST(Profile, ABranchDivergesWhenSomeThreadsTakeIt) {
  Counted b(R"(
    S2R R1, SR_LANEID
    MOV R2, 0
  loop:
    ISETP.EQ P0, PT, R1, R2, PT
    @P0 BRA $end
    IADD R2, R2, 1
    ISETP.LT P1, PT, R2, 3, PT
    @P1 BRA $loop
    BRA $end
  end:
    EXIT
  )",
            32, 1);
  const heddle_profile& p = b.run_counted();
  EXPECT_EQ(p.lines[3].executed, 3u);
  EXPECT_EQ(p.lines[3].divergent, 3u);
  EXPECT_EQ(p.lines[6].executed, 3u);
  EXPECT_EQ(p.lines[6].divergent, 0u);
  EXPECT_EQ(p.lines[7].executed, 1u);
  EXPECT_EQ(p.lines[7].divergent, 0u);
}

TEST(Profile, EachKindOfMemoryHasItsOwnCounters) {
  Counted b(test::kPrologue + R"(
    LDG.32 R4, [R12+0]
    STG.32 [R12+128], R4
    SHL R5, R10, 2
    STS.32 [R5+0], R4
    LDS.32 R6, [R5+0]
    STL.32 [RZ+0], R6
    LDL.32 R7, [RZ+0]
    ATOMG.32.ADD.U R8, R12, R4, RZ
    ATOMS.32.ADD.U R9, R5, R4, RZ
    EXIT
  )");
  const heddle_profile& p = b.run_counted();
  const auto expect = [&](heddle_counter requests, heddle_counter amounts, uint64_t amount) {
    EXPECT_EQ(p.counters[requests], 1u) << requests;
    EXPECT_EQ(p.counters[amounts], amount) << amounts;
  };
  expect(HEDDLE_COUNTER_GlobalLoads, HEDDLE_COUNTER_GlobalLoadSectors, 4);
  expect(HEDDLE_COUNTER_GlobalStores, HEDDLE_COUNTER_GlobalStoreSectors, 4);
  expect(HEDDLE_COUNTER_GlobalAtomics, HEDDLE_COUNTER_GlobalAtomicSectors, 4);
  expect(HEDDLE_COUNTER_LocalStores, HEDDLE_COUNTER_LocalStoreSectors, 16);  // a lane's 16 bytes lie side by side
  expect(HEDDLE_COUNTER_LocalLoads, HEDDLE_COUNTER_LocalLoadSectors, 16);
  expect(HEDDLE_COUNTER_SharedLoads, HEDDLE_COUNTER_SharedLoadWavefronts, 1);
  expect(HEDDLE_COUNTER_SharedStores, HEDDLE_COUNTER_SharedStoreWavefronts, 1);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_SharedAtomics], 1u);
  EXPECT_EQ(lines_sum(p, &heddle_profile_line::sectors), 4u * 3 + 16 * 2);
  EXPECT_EQ(lines_sum(p, &heddle_profile_line::wavefronts), 2u);
}

// Lanes of a generic access go where their addresses say.
TEST(Profile, AGenericAccessIsOneOfEachMemoryThatItTouches) {
  Counted b(test::kPrologue + R"(
    S2R R1, SR_LANEID
    ISETP.LT P0, PT, R1, 8, PT
    @P0 MOV R13, 15
    @P0 SHL R12, R1, 2
    ISETP.GE P1, PT, R1, 30, PT
    @P1 MOV R13, 14
    @P1 MOV R12, 0
    LD.32 R4, [R12+0]
    EXIT
  )");
  const heddle_profile& p = b.run_counted();
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_SharedLoads], 1u);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_SharedLoadWavefronts], 1u);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_LocalLoads], 1u);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_LocalLoadSectors], 1u);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_GlobalLoads], 1u);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_GlobalLoadSectors], 3u);
}

TEST(Profile, AMatrixTakesAWavefront) {
  Counted b("S2R R1, SR_LANEID\nSHL R1, R1, 4\nLDSM.128 R4, [R1+0]\nLDSM.32 R8, [R1+0]\nEXIT\n");
  const heddle_profile& p = b.run_counted();
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_SharedLoads], 2u);
  EXPECT_EQ(p.counters[HEDDLE_COUNTER_SharedLoadWavefronts], 5u);
}

TEST(Profile, ALaunchBeginsAtZero) {
  Counted b("EXIT\n");
  EXPECT_EQ(b.run_counted().counters[HEDDLE_COUNTER_Instructions], 1u);
  EXPECT_EQ(b.run_counted().counters[HEDDLE_COUNTER_Instructions], 1u);
}

}  // namespace
}  // namespace heddle
