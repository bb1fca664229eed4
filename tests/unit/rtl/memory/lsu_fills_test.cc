// SPDX-License-Identifier: Apache-2.0
// Answers in beats, against sectors by id and a queue of atomics: what control is told, and parts of lines that are
// read once or several times, also while the last of their beats are still to come.
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

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

// What the data stage works on.
struct Reading {
  bool atomic = false;
  unsigned first = 0, beat = 0, beats = 1;
  Answer value;
};

TEST(LsuFills, EveryPartAsOftenAsItIsRead) {
  RtlBench<Vlsu_fills_top> bench(seed());
  auto& top = *bench.top;
  auto& rng = bench.rng;
  top.wr_valid_i = top.read_i = top.beat_take_i = 0;
  bench.reset();
  bench.settle();
  const unsigned pieces = top.pieces_o, words = 8 / pieces, sectors = top.pass_sectors_o, ids = 4u * top.mshrs_o;
  std::map<unsigned, Answer> held;        // sectors that have begun to come and are not done with
  std::map<unsigned, unsigned> complete;  // beats of them that have come
  std::deque<Answer> atomics;
  std::optional<Answer> in;
  std::optional<Reading> out;
  unsigned in_beat = 0, taken = 0, full = 0, again = 0, early = 0, errors = 0;
  while (taken < 20000) {
    const unsigned phase = static_cast<unsigned>(bench.cycle / 500 % 3);  // both, slow reader, slow writer
    // Offer the next beat, or an idle cycle, also in the midst of an answer.
    if (!in && !bench.one_in(phase == 2 ? 2 : 5)) {
      Answer a;
      a.atomic = bench.one_in(4);
      a.error = bench.one_in(8);
      a.id = a.atomic ? static_cast<unsigned>(rng() % 64) : static_cast<unsigned>(rng() % ids);
      a.beats = a.atomic ? 1 : pieces;
      for (uint32_t& w : a.words) w = static_cast<uint32_t>(rng());
      // A place is free when its part is not being read and nothing is kept there.
      const bool busy = held.contains(a.id) || (out && !out->atomic && out->first == a.id / sectors * sectors);
      if (a.atomic || !busy) in = a, in_beat = 0;
    }
    top.wr_valid_i = in && !bench.one_in(6);
    if (in) {
      top.kind_atomic_i = in->atomic;
      top.error_i = in->error;
      top.id_i = in->id;
      top.piece_i = in->atomic ? static_cast<unsigned>(rng() % 4) : in_beat;  // of a single beat it says nothing
      top.last_i = in_beat + 1 == in->beats;
      for (unsigned w = 0; w < 8; w++)
        top.data_i[w] = w < words ? in->words[in_beat * words + w] : static_cast<uint32_t>(rng());
    }
    top.read_i = top.beat_take_i = 0;
    bench.settle();
    ASSERT_EQ(top.arrive_valid_o, top.wr_valid_i && !in->atomic && in_beat == 0);
    if (top.arrive_valid_o) {
      ASSERT_EQ(top.arrive_id_o, in->id);
    }
    ASSERT_EQ(top.atomic_valid_o, !atomics.empty());
    if (top.atomic_valid_o) {
      ASSERT_EQ(top.atomic_id_o, atomics.front().id);
    }
    if (top.wr_valid_i) {
      ASSERT_EQ(top.wr_ready_o, !in->atomic || atomics.size() < kDepth) << "a sector always has its place";
      full += !top.wr_ready_o;
    }
    // A beat is shown, and taken.
    bool done = false;
    if (out && top.beat_valid_o) {
      for (unsigned s = 0; s < sectors && !out->atomic; s++) {
        const auto sector = held.find(out->first + s);
        if (sector == held.end()) continue;
        ASSERT_GT(complete[sector->first], out->beat) << "shown before it came";
        for (unsigned w = 0; w < words; w++)
          ASSERT_EQ(top.beat_o[s * words + w], sector->second.words[out->beat * words + w]) << "beat " << out->beat;
        ASSERT_EQ(top.error_o >> s & 1, sector->second.error);
        errors += sector->second.error;
      }
      if (out->atomic) {
        ASSERT_EQ(top.value_o, out->value.words[0] | uint64_t{out->value.words[1]} << 32);
        ASSERT_EQ(top.error_o & 1, out->value.error);
      }
      if (!bench.one_in(phase == 1 ? 2 : 6)) {
        top.beat_take_i = 1;
        top.beat_last_i = out->beat + 1 == out->beats;
        done = top.beat_last_i;
      }
    }
    // What is read next: an atomic, the part again, or another of which all has begun to come.
    std::optional<Reading> next;
    std::optional<unsigned> freed;
    if (!out || done) {
      const bool repeat = done && !out->atomic && bench.one_in(3);
      if (done && !out->atomic && !repeat) freed = out->first;
      if (repeat) {
        next = Reading{false, out->first, 0, pieces, {}};
        again++;
      } else if (!atomics.empty() && bench.one_in(2)) {
        next = Reading{true, 0, 0, 1, atomics.front()};
      } else if (!held.empty() && !bench.one_in(phase == 1 ? 4 : 8)) {
        std::vector<unsigned> parts;
        for (const auto& [id, a] : held)
          if (!(freed && *freed == id / sectors * sectors) &&
              !(in && !in->atomic && in_beat == 0 && in->id / sectors == id / sectors))
            parts.push_back(id / sectors * sectors);
        if (!parts.empty()) next = Reading{false, parts[rng() % parts.size()], 0, pieces, {}};
      }
    }
    if (next) {
      top.read_i = 1;
      top.read_atomic_i = next->atomic;
      top.read_first_i = next->first;
      if (!next->atomic)
        for (unsigned s = 0; s < sectors; s++)
          early += held.contains(next->first + s) && complete[next->first + s] < pieces;
    }
    bench.settle();
    const bool push = top.wr_valid_i && top.wr_ready_o;
    taken += top.beat_take_i;
    const bool took = top.beat_take_i;
    bench.tick();
    if (freed)
      for (unsigned s = 0; s < sectors; s++) held.erase(*freed + s), complete.erase(*freed + s);
    if (next && next->atomic) atomics.pop_front();
    if (push) {
      if (in->atomic) atomics.push_back(*in);
      else if (in_beat == 0) held[in->id] = *in;
      if (!in->atomic) complete[in->id] = in_beat + 1;
      if (++in_beat == in->beats) in.reset();
    }
    if (done) out.reset();
    else if (took) out->beat++;
    if (next) out = next;
  }
  EXPECT_GT(full, 100u);
  EXPECT_GT(again, 100u);
  EXPECT_GT(errors, 100u);
  if (pieces > 1) {
    EXPECT_GT(early, 100u);
  }
}

}  // namespace
}  // namespace heddle::test
