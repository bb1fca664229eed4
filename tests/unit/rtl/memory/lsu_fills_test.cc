// SPDX-License-Identifier: Apache-2.0
// Answers in beats, against sectors by id and a queue of atomics: what control is told, and parts of lines that are
// read once or several times, also while the last of their beats are still to come. Where there are two links each
// brings sectors of its own MSHRs, often the same sector of two in one cycle.
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
  top.wr_valid_i = top.read_i = top.beat_take_i = top.atomic_take_i = 0;
  bench.reset();
  bench.settle();
  const unsigned pieces = top.pieces_o, words = 8 / pieces, sectors = top.pass_sectors_o, ids = 4u * top.mshrs_o;
  std::map<unsigned, Answer> held;        // sectors that have begun to come and are not done with
  std::map<unsigned, unsigned> complete;  // beats of them that have come
  const unsigned links = top.links_o;
  std::deque<Answer> atomics[2];
  std::optional<Answer> in[2];
  std::optional<Reading> out;
  unsigned in_beat[2] = {}, turn = 0, taken = 0, full = 0, again = 0, early = 0, errors = 0, together = 0, both = 0,
           left = 0;
  while (taken < 20000) {
    const unsigned phase = static_cast<unsigned>(bench.cycle / 500 % 3);  // both, slow reader, slow writer
    // Offer the next beat of each link, or an idle cycle, also in the midst of an answer.
    top.wr_valid_i = 0;
    for (unsigned p = 0; p < links; p++) {
      if (!in[p] && !bench.one_in(phase == 2 ? 2 : 5)) {
        Answer a;
        a.atomic = bench.one_in(4);
        a.error = bench.one_in(8);
        a.id = static_cast<unsigned>(a.atomic ? rng() % (32u * top.atomics_o)
                                              : (rng() % (ids / 4 / links) * links + p) * 4 + rng() % 4);
        a.beats = a.atomic ? 1 : pieces;
        for (uint32_t& w : a.words) w = static_cast<uint32_t>(rng());
        // A place is free when its part is not being read and nothing is kept there.
        const bool busy = held.contains(a.id) || (out && !out->atomic && out->first == a.id / sectors * sectors);
        if (a.atomic || !busy) in[p] = a, in_beat[p] = 0;
      }
      if (!in[p]) continue;
      const unsigned bit = 1u << p;
      const auto set = [&](auto& port, bool value) {
        port = static_cast<unsigned char>(value ? port | bit : port & ~bit);
      };
      set(top.wr_valid_i, !bench.one_in(6));
      set(top.kind_atomic_i, in[p]->atomic);
      set(top.error_i, in[p]->error);
      set(top.last_i, in_beat[p] + 1 == in[p]->beats);
      top.id_i = (top.id_i & ~(0xffffu << 16 * p)) | in[p]->id << 16 * p;
      const unsigned piece =
          in[p]->atomic ? static_cast<unsigned>(rng() % 4) : in_beat[p];  // of a single beat it says nothing
      top.piece_i = static_cast<unsigned char>((top.piece_i & ~(3u << 2 * p)) | piece << 2 * p);
      for (unsigned w = 0; w < 8; w++)
        top.data_i[8 * p + w] = w < words ? in[p]->words[in_beat[p] * words + w] : static_cast<uint32_t>(rng());
    }
    top.read_i = top.beat_take_i = 0;
    bench.settle();
    const auto begins = [&](unsigned p) { return in[p] && !in[p]->atomic && in_beat[p] == 0; };
    for (unsigned p = 0; p < links; p++) {
      const bool valid = top.wr_valid_i >> p & 1;
      ASSERT_EQ(top.arrive_valid_o >> p & 1, valid && begins(p));
      if (top.arrive_valid_o >> p & 1) {
        ASSERT_EQ(top.arrive_id_o >> 16 * p & 0xffff, in[p]->id);
      }
      if (!valid) continue;
      ASSERT_EQ(top.wr_ready_o >> p & 1, !in[p]->atomic || atomics[p].size() < kDepth)
          << "a sector always has its place";
      full += !(top.wr_ready_o >> p & 1);
    }
    together += top.arrive_valid_o == 3 && (in[0]->id ^ in[1]->id) % 4 == 0;
    // The one that is shown stays; then it is the other link's turn.
    const bool any_atomic = !atomics[0].empty() || !atomics[1].empty();
    if (any_atomic && atomics[turn].empty()) turn = 1 - turn;
    both += !atomics[0].empty() && !atomics[1].empty();
    ASSERT_EQ(top.atomic_valid_o, any_atomic);
    if (top.atomic_valid_o) {
      ASSERT_EQ(top.atomic_id_o, atomics[turn].front().id);
      ASSERT_EQ(top.atomic_error_o, atomics[turn].front().error);
      for (unsigned w = 0; w < (pieces == 1 ? 8 : 2); w++)
        ASSERT_EQ(top.atomic_value_o[w], atomics[turn].front().words[w]);
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
        for (unsigned w = 0; w < (pieces == 1 ? 8 : 2); w++) ASSERT_EQ(top.value_o[w], out->value.words[w]);
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
      } else if (any_atomic && bench.one_in(2)) {
        next = Reading{true, 0, 0, 1, atomics[turn].front()};
      } else if (!held.empty() && !bench.one_in(phase == 1 ? 4 : 8)) {
        std::vector<unsigned> parts;
        for (const auto& [id, a] : held)
          if (!(freed && *freed == id / sectors * sectors) && !(begins(0) && in[0]->id / sectors == id / sectors) &&
              !(begins(1) && in[1]->id / sectors == id / sectors))
            parts.push_back(id / sectors * sectors);
        if (!parts.empty()) next = Reading{false, parts[rng() % parts.size()], 0, pieces, {}};
      }
    }
    // An atomic leaves without the data stage.
    const bool leaves = any_atomic && !(next && next->atomic) && bench.one_in(12);
    top.atomic_take_i = leaves;
    left += leaves;
    if (next) {
      top.read_i = 1;
      top.read_atomic_i = next->atomic;
      top.read_first_i = static_cast<uint16_t>(next->first);
      if (!next->atomic)
        for (unsigned s = 0; s < sectors; s++)
          early += held.contains(next->first + s) && complete[next->first + s] < pieces;
    }
    bench.settle();
    const unsigned push = top.wr_valid_i & top.wr_ready_o;
    taken += top.beat_take_i;
    const bool took = top.beat_take_i;
    bench.tick();
    if (freed)
      for (unsigned s = 0; s < sectors; s++) held.erase(*freed + s), complete.erase(*freed + s);
    if (leaves || (next && next->atomic)) {
      atomics[turn].pop_front();
      if (links == 2) turn = 1 - turn;
    }
    for (unsigned p = 0; p < links; p++) {
      if (!(push >> p & 1)) continue;
      if (in[p]->atomic) atomics[p].push_back(*in[p]);
      else if (in_beat[p] == 0) held[in[p]->id] = *in[p];
      if (!in[p]->atomic) complete[in[p]->id] = in_beat[p] + 1;
      if (++in_beat[p] == in[p]->beats) in[p].reset();
    }
    if (done) out.reset();
    else if (took) out->beat++;
    if (next) out = next;
  }
  EXPECT_GT(full, 100u);
  EXPECT_GT(left, 100u);
  EXPECT_GT(again, 100u);
  EXPECT_GT(errors, 100u);
  if (pieces > 1) {
    EXPECT_GT(early, 100u);
  }
  if (links == 2) {
    EXPECT_GT(together, 100u);
    EXPECT_GT(both, 100u);
  }
}

}  // namespace
}  // namespace heddle::test
