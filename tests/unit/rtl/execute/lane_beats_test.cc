// SPDX-License-Identifier: Apache-2.0
// Random requests and, in slices, stalled responses against arithmetic on the time for which the pipeline moved: beat b
// of a request begun at time t is in stage s + 1 at time t + b + s, and the response is there after the last one. Rows
// that move whole are taken with the first beat, slices with the last, which may ask for twice as many beats; their
// stages are one later.
#include <Vlane_beats.h>

#include <deque>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBeats = HEDDLE_ROW_LANES / HEDDLE_LANES;
constexpr std::uint64_t kStages = HEDDLE_STAGES;
constexpr bool kSlices = HEDDLE_ROW_LANES < 32;
constexpr std::uint64_t kOperands = kSlices ? 1 : 0;  // cycles before stage 1

class LaneBeatsTest : public ::testing::Test {
 protected:
  struct Request {
    std::uint64_t begun;  // in cycles in which the pipeline moved
    std::uint64_t beats;
    std::uint64_t end() const { return begun + beats - 1 + kOperands + kStages; }  // the response's time
  };

  LaneBeatsTest() : bench(seed()), top(*bench.top) {
    top.req_valid_i = 0;
    top.rsp_ready_i = 0;
    top.twice_i = 0;
    bench.reset();
  }

  void step(bool request, bool ready) {
    if (!kSlices) ready = true;  // what waits is not begun
    const bool later_beat = !begun.empty() && moved < begun.back().begun + begun.back().beats;
    if (kSlices && later_beat) request = true;  // it stays
    else top.twice_i = kSlices && bench.one_in(2);
    top.req_valid_i = request;
    top.rsp_ready_i = ready;
    bench.settle();
    const std::uint64_t beats = kBeats * (1 + top.twice_i);
    const bool response = !begun.empty() && moved == begun.front().end();
    const bool moves = !response || ready;
    const bool last = later_beat ? moved + 1 == begun.back().begun + begun.back().beats : beats == 1;
    unsigned work = 0;
    const auto works = [&](std::uint64_t begin, std::uint64_t count) {
      for (std::uint64_t b = 0; b < count; b++) {
        const std::uint64_t stage = moved - begin - b - kOperands;  // wraps where the beat is still to come
        if (moves && stage < kStages) work |= 1u << stage;
      }
    };
    for (const Request& r : begun) works(r.begun, r.beats);
    if (!later_beat && request) works(moved, beats);
    ASSERT_EQ(top.rsp_valid_o, response) << "cycle " << bench.cycle;
    ASSERT_EQ(top.req_ready_o, moves && (kSlices ? !request || last : !later_beat)) << "cycle " << bench.cycle;
    ASSERT_EQ(top.req_soon_o, !kSlices && (last || (!later_beat && !request))) << "cycle " << bench.cycle;
    ASSERT_EQ(top.first_o, moves && !later_beat && request) << "cycle " << bench.cycle;
    ASSERT_EQ(top.rest_o, moves && later_beat) << "cycle " << bench.cycle;
    ASSERT_EQ(top.beat_o, later_beat ? moved - begun.back().begun : 0) << "cycle " << bench.cycle;
    ASSERT_EQ(top.work_o, work) << "cycle " << bench.cycle;
    ASSERT_EQ(top.busy_o, !begun.empty()) << "cycle " << bench.cycle;
    if (moves) {
      if (response) {
        begun.pop_front();
        responses++;
      }
      if (!later_beat && request) begun.push_back({moved, beats});
      moved++;
    }
    bench.tick();
  }

  RtlBench<Vlane_beats> bench;
  Vlane_beats& top;
  std::uint64_t moved = 0;    // cycles in which the pipeline moved
  std::deque<Request> begun;  // that have no response yet
  unsigned responses = 0;
};

TEST_F(LaneBeatsTest, BeatsPassTheStagesInOrder) {
  for (int phase = 0; phase < 100 && !HasFatalFailure(); phase++) {
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 6),
               stall = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    for (int n = 0; n < 400 && !HasFatalFailure(); n++) step(bench.one_in(gap), bench.one_in(stall));
  }
  EXPECT_GT(responses, 20000 / kBeats / 4);
}

TEST_F(LaneBeatsTest, BeatsFollowEachOtherWithoutGaps) {
  for (int n = 0; n < 1000 && !HasFatalFailure(); n++) step(true, true);
  EXPECT_GT(responses, 1000 / (2 * kBeats) - 2);
}

}  // namespace
}  // namespace heddle::test
