// SPDX-License-Identifier: Apache-2.0
// The sums that checked hardware demands of every launch's profile.
#include "sim/verilator/profile.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace heddle::rtl {
namespace {

constexpr uint8_t kSelected = HEDDLE_STALL_Selected, kWait = HEDDLE_STALL_Wait, kAbsent = Profile::kAbsent;

struct ProfileSums : ::testing::Test {
  ProfileSums() {
    profile.check([this](const std::string& text) { told.push_back(text); }, [this] { return moved; });
    profile.start(0, 0);
  }
  void states(std::array<uint8_t, 2> warps) { profile.states(0, 0, warps); }

  Profile::Moved moved{7, 5};  // before the launch
  uint64_t cycle = 100;
  Profile profile{cycle, 1};
  std::vector<std::string> told;
};

TEST_F(ProfileSums, CheckedLaunchesAreProfiledWhateverTheHostWants) {
  profile.set_wanted(false);
  EXPECT_TRUE(profile.wanted());
}

TEST_F(ProfileSums, EveryCycleOfAWarpHasAReason) {
  states({kWait, kAbsent});
  cycle = 110;
  states({kSelected, kWait});
  profile.issue(0, 0, 0, 1, 0x10, 0, ~0u, ~0u);
  cycle = 111;
  states({kWait, kWait});
  cycle = 120;
  profile.end(0, 0, 0);
  cycle = 121;
  states({kAbsent, kWait});
  cycle = 130;
  profile.end(0, 0, 1);
  cycle = 140;
  profile.stop();
  EXPECT_TRUE(told.empty()) << told.front();
  EXPECT_EQ(profile.result()->counters[HEDDLE_COUNTER_WarpCycles], 21u + 21u);
}

TEST_F(ProfileSums, ABranchDivergesWhenItsGuardHoldsForSome) {
  states({kSelected, kAbsent});
  const auto branch = static_cast<unsigned>(isa::Opcode::Bra), exit = static_cast<unsigned>(isa::Opcode::Exit);
  profile.issue(0, 0, 0, 1, 8, branch, 0xff, 0x0f);
  profile.issue(0, 0, 0, 2, 8, branch, 0xff, 0xff);
  profile.issue(0, 0, 0, 3, 8, branch, 0xff, 0);
  profile.issue(0, 0, 0, 4, 16, exit, 0xff, 0x0f);
  cycle = 110;
  profile.stop();
  const heddle_profile& p = *profile.result();
  ASSERT_EQ(p.line_count, 2u);
  EXPECT_EQ(p.lines[0].executed, 3u);
  EXPECT_EQ(p.lines[0].divergent, 1u);
  EXPECT_EQ(p.lines[1].divergent, 0u);
}

TEST_F(ProfileSums, WarpsWithoutAReasonAreTold) {
  states({kWait, kAbsent});
  profile.count(HEDDLE_COUNTER_WarpCycles, 3);
  cycle = 110;
  profile.stop();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front(), "profile: warps were there for 13 cycles, of which 10 have a reason");
}

TEST_F(ProfileSums, BytesThatMemoryDidNotMoveAreTold) {
  profile.count(HEDDLE_COUNTER_DramReadBytes, 64, 1);
  profile.count(HEDDLE_COUNTER_DramWriteBytes, 32);
  moved = {7 + 64, 5 + 32};
  profile.stop();
  EXPECT_TRUE(told.empty()) << told.front();
  profile.start(0, 0);
  profile.count(HEDDLE_COUNTER_DramReadBytes, 32);
  moved = {7 + 64 + 64, 5 + 32};
  profile.stop();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front(), "profile: memory gave 64 bytes and took 0, of which 32 and 0 are counted");
}

TEST_F(ProfileSums, CountsOfASmAndOfAChannelAreToldWithIts) {
  std::vector<heddle_event> events;
  const heddle_event_sink sink{
      &events, [](void* all, const heddle_event* e) { static_cast<std::vector<heddle_event>*>(all)->push_back(*e); }};
  profile.stop();
  profile.set_sink(sink, 0);
  profile.start(0, 0);
  profile.count(HEDDLE_COUNTER_L1ReadSectors, 4, 1);
  profile.count(HEDDLE_COUNTER_L2Reads, 4, 1);  // of no place
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].kind, uint32_t{HEDDLE_EVENT_COUNT});
  EXPECT_EQ(events[1].sm, 1u);
  EXPECT_EQ(events[1].value, uint32_t{HEDDLE_COUNTER_L1ReadSectors});
  EXPECT_EQ(events[1].mask, 4u);
}

TEST_F(ProfileSums, SchedulersThatAreNotToldApartAreTold) {
  states({kWait, kAbsent});
  profile.count(HEDDLE_COUNTER_IssueCycles, 2);
  cycle = 110;
  profile.stop();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front(), "profile: schedulers had warps for 10 cycles, of which 12 are told apart");
}

}  // namespace
}  // namespace heddle::rtl
