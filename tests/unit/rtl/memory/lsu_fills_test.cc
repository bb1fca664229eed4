// SPDX-License-Identifier: Apache-2.0
// Answers in beats, against a queue of sectors: what control sees of them, and beats taken once or several times.
#include <array>
#include <deque>

#include "Vlsu_fills_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kDepth = 4;

struct Answer {
  bool atomic = false, error = false;
  unsigned id = 0, beats = 1;
  std::array<uint32_t, 8> words{};
};

TEST(LsuFills, EveryBeatInOrderAsOftenAsAsked) {
  RtlBench<Vlsu_fills_top> bench(seed());
  auto& top = *bench.top;
  auto& rng = bench.rng;
  top.wr_valid_i = top.head_ready_i = top.beat_take_i = 0;
  bench.reset();
  bench.settle();
  const unsigned pieces = top.pieces_o, words = 8 / pieces;
  std::deque<Answer> heads, data;  // known to control; whose beats are not all used
  Answer in;
  unsigned in_beat = 0, out_beat = 0, taken = 0, full = 0, again = 0;
  bool working = false;  // control has handed data.front() to the data stage
  while (taken < 20000) {
    // Offer the next beat, or an idle cycle, also in the midst of an answer.
    const unsigned phase = static_cast<unsigned>(bench.cycle / 500 % 3);  // both, slow reader, slow writer
    if (!top.wr_valid_i && !bench.one_in(phase == 2 ? 2 : 5)) {
      if (in_beat == 0) {
        in.atomic = bench.one_in(4);
        in.error = bench.one_in(8);
        in.id = static_cast<unsigned>(rng() % 256);
        in.beats = in.atomic ? 1 : pieces;
        for (uint32_t& w : in.words) w = static_cast<uint32_t>(rng());
      }
      top.wr_valid_i = 1;
      top.atomic_i = in.atomic;
      top.error_i = in.error;
      top.id_i = in.id;
      top.piece_i = in.atomic ? static_cast<unsigned>(rng() % 4) : in_beat;  // of a single beat it says nothing
      top.last_i = in_beat + 1 == in.beats;
      for (unsigned w = 0; w < 8; w++)
        top.data_i[w] = w < words ? in.words[in_beat * words + w] : static_cast<uint32_t>(rng());
    }
    top.head_ready_i = top.beat_take_i = 0;
    bench.settle();
    ASSERT_EQ(top.head_valid_o, !heads.empty());
    if (top.head_valid_o) {
      ASSERT_EQ(top.head_atomic_o, heads.front().atomic);
      ASSERT_EQ(top.head_error_o, heads.front().error);
      ASSERT_EQ(top.head_id_o, heads.front().id);
    }
    // As in the unit: control hands over one answer, the next one when its last beat is taken.
    bool last = false, repeat = false;
    if (working && top.beat_valid_o && !bench.one_in(phase == 1 ? 2 : 6)) {
      const Answer& a = data.front();
      for (unsigned w = 0; w < words; w++)
        ASSERT_EQ(top.beat_o[w], a.words[out_beat * words + w]) << "beat " << out_beat;
      last = out_beat + 1 == a.beats;
      repeat = bench.one_in(3);
      top.beat_take_i = 1;
      top.beat_last_i = last;
      top.beat_again_i = repeat;
    }
    const bool done = top.beat_take_i && last && !repeat;
    if (!heads.empty() && (!working || done) && !bench.one_in(phase == 1 ? 2 : 8)) top.head_ready_i = 1;
    bench.settle();
    const bool push = top.wr_valid_i && top.wr_ready_o;
    if (top.wr_valid_i) {
      // Room for an answer is room for all of its beats.
      ASSERT_EQ(top.wr_ready_o, in_beat != 0 || heads.size() < kDepth);
      full += !top.wr_ready_o;
    }
    const bool head = top.head_ready_i;
    if (top.beat_take_i) {
      out_beat = last ? 0 : out_beat + 1;
      taken++;
      again += last && repeat;
    }
    bench.tick();
    if (done) {
      data.pop_front();
      working = false;
    }
    if (head) {
      heads.pop_front();
      working = true;
    }
    if (push) {
      if (in_beat == 0) {
        heads.push_back(in);
        data.push_back(in);
      }
      in_beat = in_beat + 1 == in.beats ? 0 : in_beat + 1;
      top.wr_valid_i = 0;
    }
  }
  EXPECT_GT(full, 100u);
  EXPECT_GT(again, 100u);
}

}  // namespace
}  // namespace heddle::test
