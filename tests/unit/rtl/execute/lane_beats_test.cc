// SPDX-License-Identifier: Apache-2.0
// Random requests and stalled responses against arithmetic on the time for which the pipeline moved: beat b of a
// request accepted at time t is in stage s + 1 at time t + b + s, and the response is there after the last one.
#include <Vlane_beats.h>

#include <deque>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBeats = HEDDLE_ROW_LANES / HEDDLE_LANES;
constexpr std::uint64_t kStages = HEDDLE_STAGES;
constexpr std::uint64_t kEnd = kBeats - 1 + kStages;  // the response's time

class LaneBeatsTest : public ::testing::Test {
 protected:
  LaneBeatsTest() : bench(seed()), top(*bench.top) {
    top.req_valid_i = 0;
    top.rsp_ready_i = 0;
    bench.reset();
  }

  void step(bool request, bool ready) {
    top.req_valid_i = request;
    top.rsp_ready_i = ready;
    bench.settle();
    const bool response = !accepted.empty() && moved - accepted.front() == kEnd;
    const bool moves = !response || ready;
    bool later_beat = false;
    unsigned held = 0;
    for (const std::uint64_t t : accepted) {
      const std::uint64_t age = moved - t;
      later_beat = later_beat || (age > 0 && age < kBeats);
      for (std::uint64_t b = 0; b < kBeats; b++)
        if (age > b && age - b < kStages) held |= 1u << (age - b - 1);
    }
    ASSERT_EQ(top.rsp_valid_o, response) << "cycle " << bench.cycle;
    ASSERT_EQ(top.en_o, moves) << "cycle " << bench.cycle;
    ASSERT_EQ(top.req_ready_o, moves && !later_beat) << "cycle " << bench.cycle;
    ASSERT_EQ(top.first_o, moves && !later_beat && request) << "cycle " << bench.cycle;
    ASSERT_EQ(top.rest_o, moves && later_beat) << "cycle " << bench.cycle;
    ASSERT_EQ(top.valid_o, held) << "cycle " << bench.cycle;
    ASSERT_EQ(top.busy_o, !accepted.empty()) << "cycle " << bench.cycle;
    if (moves) {
      if (response) {
        accepted.pop_front();
        responses++;
      }
      if (!later_beat && request) accepted.push_back(moved);
      moved++;
    }
    bench.tick();
  }

  RtlBench<Vlane_beats> bench;
  Vlane_beats& top;
  std::uint64_t moved = 0;              // cycles in which the pipeline moved
  std::deque<std::uint64_t> accepted;   // when, in those
  unsigned responses = 0;
};

TEST_F(LaneBeatsTest, BeatsPassTheStagesInOrder) {
  for (int phase = 0; phase < 100 && !HasFatalFailure(); phase++) {
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 6), stall = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    for (int n = 0; n < 400 && !HasFatalFailure(); n++) step(bench.one_in(gap), bench.one_in(stall));
  }
  EXPECT_GT(responses, 20000 / kBeats / 4);
}

TEST_F(LaneBeatsTest, TakesARequestEveryBeatsCycles) {
  for (std::uint64_t n = 0; n < 20 * kBeats + kEnd && !HasFatalFailure(); n++) step(true, true);
  EXPECT_EQ(responses, 20u);
}

}  // namespace
}  // namespace heddle::test
