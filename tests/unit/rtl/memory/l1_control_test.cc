// SPDX-License-Identifier: Apache-2.0
// Tags and MSHRs of the L1 against a cache of lists and maps.
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/rtl/memory/l1_control_bench.h"

namespace heddle::test {
namespace {

TEST_F(L1Control, AMissIsFetchedOnceForAllWhoWaitAndHitsAfterwards) {
  const Pass first = line_pass(kLoad, 0, 5, 3), second = line_pass(kLoad, 1, 5, 7), third = line_pass(kLoad, 2, 5, 7);
  run_pass(first);
  run_pass(second);
  answer_all();
  run_pass(third);
  EXPECT_EQ(top_.send_o, 0);
  EXPECT_EQ(top_.lanes_o, third.lanes);
}

TEST_F(L1Control, AStoreKeepsTheSectorsInFlightOutOfTheCache) {
  run_pass(line_pass(kLoad, 0, 5, 1));
  run_pass(line_pass(kStore, 1, 5, 1));
  run_pass(line_pass(kLoad, 2, 5, 1));
  EXPECT_EQ(top_.send_o, 1) << "asks again: what flies is older than the store";
  answer_all();
}

TEST_F(L1Control, EmptyingBetweenTwoUsesOfAnAnswerLeavesNothingInTheCache) {
  for (unsigned e = 0; e < entries_; e++) run_pass(line_pass(kLoad, e, 9, 1));
  top_.arrive_valid_i = 1;
  top_.arrive_id_i = answers_.begin()->second;
  cycle();
  top_.arrive_valid_i = 0;
  cycle();
  // Where it looks before, that is not interrupted.
  if (row_lanes_ == 32) {
    top_.invalidate_valid_i = 1;
    cycle();
    top_.invalidate_valid_i = 0;
  }
  use_all();
  if (row_lanes_ < 32) return;
  run_pass(line_pass(kLoad, 0, 9, 1));
  EXPECT_EQ(top_.send_o, 1);
  answer_all();
}

TEST_F(L1Control, AFillWaitsForAllSectorsOfItsPart) {
  if (pass_sectors_ < 4) return;
  run_pass(line_pass(kLoad, 0, 5, 1));
  const unsigned first = answers_.begin()->second;
  top_.arrive_valid_i = 1;
  top_.arrive_id_i = first;
  // While its sector comes, another load asks for more of the line.
  const Pass second = line_pass(kLoad, 1, 5, 6);
  run_pass(second);
  top_.arrive_valid_i = 0;
  for (int n = 0; n < 3; n++) cycle();
  EXPECT_EQ(done_[kDidFill], 0u);
  answer_all();
  EXPECT_EQ(done_[kDidFill], 2u) << "one for each that waits";
  EXPECT_FALSE(top_.busy_o);
}

TEST_F(L1Control, ALineEvictedInFlightIsNotInstalledAtItsOldPlace) {
  run_pass(line_pass(kLoad, 0, 3, 1));
  const auto first = *answers_.begin();
  for (unsigned w = 1; w <= ways_; w++) {
    run_pass(line_pass(kLoad, 1, 3 + uint64_t{sets_} * w, 1));
    if (w < ways_) {
      const auto a = *answers_.rbegin();
      answer(a.first, a.second);
    }
  }
  answer(first.first, first.second);
  EXPECT_FALSE(top_.install_o);
  answer_all();
}

TEST_F(L1Control, LinesOfAPassThatAreThereGoTogether) {
  if (pass_lines_ == 1) GTEST_SKIP() << "a pass has lanes of one line";
  for (uint64_t line = 4; line < 7; line++) run_pass(line_pass(kLoad, 0, line, 15));
  answer_all();
  Pass p = line_pass(kLoad, 1, 4, 15, 0xff);
  for (unsigned n = 1; n < 4; n++) add_line(p, n, 4 + n, 15, 0xffu << 8 * n);
  done_[kDidPass] = 0;
  run_pass(p);
  EXPECT_EQ(done_[kDidPass], 2u) << "line 7 is not there";
  EXPECT_EQ(went_along_, 2u);
  answer_all();
  run_pass(p);
  EXPECT_EQ(done_[kDidPass], 3u);
}

// The first line of a pass misses and takes the place of the second, which is read in another operation: not from
// there.
TEST_F(L1Control, ALineThatThePassDrivesOutDoesNotGoAlong) {
  if (pass_lines_ == 1) GTEST_SKIP() << "a pass has lanes of one line";
  for (unsigned w = 0; w < ways_; w++) run_pass(line_pass(kLoad, 0, 3 + uint64_t{sets_} * w, 15));
  answer_all();
  Pass p = line_pass(kLoad, 1, 3 + uint64_t{sets_} * ways_, 1, 1);
  add_line(p, 1, 3, 1, 2);
  add_line(p, 2, 3 + sets_, 1, 4);
  run_pass(p);
  EXPECT_EQ(went_along_, 1u);
  answer_all();
}

TEST_F(L1Control, AnAtomicBeyondThoseThatMayBeUnderWayWaits) {
  for (unsigned e = 0; e < atomics_; e++) {
    for (unsigned l = 0; l < 32; l++) {
      Pass p = line_pass(kAtomic, e, l % 3, 1u << l % 4, 1u << l);
      p.first = l == 0;
      p.last = l == 31;
      run_pass(p);
    }
  }
  const Pass further = line_pass(kAtomic, atomics_ % entries_, 1, 1, 1);
  run_pass(further);
  EXPECT_EQ(ref_.atomics.size(), atomics_);
  EXPECT_EQ(answers_.size(), 32u * atomics_);
  answer_all();
  EXPECT_FALSE(top_.busy_o);
}

TEST_F(L1Control, AtomicsWhoseValuesNobodyReadsTakeNoTurn) {
  for (unsigned e = 0; e < 4; e++) {
    Pass p = line_pass(kAtomic, e, 0, 1, 1u << e);
    p.op.reduces = true;
    run_pass(p);
  }
  EXPECT_TRUE(ref_.atomics.empty());
  EXPECT_FALSE(top_.busy_o);
}

// The last lanes of an atomic are in shared memory (a later slice): it ends with a pass without lanes, whether its
// answers come before or after that.
TEST_F(L1Control, AnAtomicMayEndInSharedMemory) {
  for (const bool early : {false, true}) {
    Pass first = line_pass(kAtomic, 1, 3, 1, 1), last;
    first.last = last.first = false;
    last.op = first.op;
    run_pass(first);
    if (early) answer_all();
    EXPECT_TRUE(top_.busy_o);
    run_pass(last);
    answer_all();
    EXPECT_FALSE(top_.busy_o);
  }
}

// All kinds of passes, answers in any order, emptying, back-pressure everywhere.
TEST_F(L1Control, RandomPasses) {
#ifdef HEDDLE_NETLIST
  const int cycles = 4000;
#else
  const int cycles = 200000;
#endif
  auto& rng = bench_.rng;
  // An entry is taken from its instruction's first pass until all its lanes are served.
  const auto entry_busy = [&](unsigned e) {
    for (const auto& [n, m] : ref_.mshrs)
      for (const auto& [s, waiting] : m.waiting)
        for (const auto& [w, lanes] : waiting)
          if (w / kMaxSlices == e) return true;
    for (const auto& [b, a] : ref_.atomics)
      if (a.entry == e) return true;
    return false;
  };
  std::optional<Pass> pass;
  std::optional<unsigned> atomic;
  bool direct = false;  // it goes past the data stage
  unsigned more = 0;    // passes of the instruction still to come
  for (int t = 0; t < cycles; t++) {
    const unsigned phase = static_cast<unsigned>(t / 1000 % 4);
    if (!pass && !bench_.one_in(5)) {
      Op op;
      bool first = true;
      if (more > 0) {
        op = pass_->op;
        first = false;
        more--;
      } else {
        std::vector<unsigned> free;
        for (unsigned e = 0; e < entries_; e++)
          if (!entry_busy(e)) free.push_back(e);
        if (!free.empty()) {
          op.entry = free[rng() % free.size()];
          static constexpr unsigned kMix[] = {kLoad,  kLoad,   kLoad,  kLoad,     kStore,
                                              kStore, kAtomic, kFence, kPrefetch, kInvalidate};
          op.cls = kMix[rng() % std::size(kMix)];
          op.seq = static_cast<uint16_t>(rng());
          op.bypass = (op.cls == kLoad || op.cls == kPrefetch) && bench_.one_in(8);
          op.invalidate = op.cls == kFence && bench_.one_in(8);
          op.waits = op.cls == kFence || bench_.one_in(8);
          op.reduces = op.cls == kAtomic && bench_.one_in(2);
          if (op.cls != kFence) more = bench_.one_in(3) ? static_cast<unsigned>(rng() % 6) : 0;
        } else {
          first = false;
          op.entry = ~0u;
        }
      }
      if (op.entry != ~0u) {
        // Few sets and tags, so that lines meet.
        const uint64_t tag = rng() % (phase == 0 ? 2 : 5);
        const uint64_t line = (uint64_t{1} << 29) + tag * sets_ + rng() % (phase == 2 ? 1 : 3);
        const unsigned sectors = 1 + static_cast<unsigned>(rng() % 15);
        uint32_t lanes = static_cast<uint32_t>(rng() & rng());
        if (op.cls == kAtomic) {
          // Lanes go up within an instruction.
          const unsigned lane =
              first ? static_cast<unsigned>(rng() % 8) : static_cast<unsigned>(__builtin_ctz(pass_->lanes)) + 1;
          lanes = 1u << lane;
          // Where the L2 works on a sector's words at once, others go with it.
          if (pass_lines_ > 1) lanes |= static_cast<uint32_t>(rng()) & ~0u << lane;
        }
        if (op.cls == kFence) lanes = 0;
        Pass p = lanes ? line_pass(op.cls, op.entry, line, sectors, lanes) : Pass{};
        p.op = op;
        p.first = first;
        p.last = more == 0;
        if (op.cls == kAtomic && !first && p.last && bench_.one_in(3)) p = Pass{.op = op, .first = false};
        if (first && lanes && bench_.one_in(20) && op.cls != kAtomic) p = Pass{.op = op, .last = p.last};
        // Lanes of other lines in the same pass.
        if (p.lanes && pass_lines_ > 1 && op.cls == kLoad && !op.bypass) {
          for (unsigned n = 1; n < pass_lines_; n++) {
            const uint32_t others = static_cast<uint32_t>(rng() & rng()) & ~p.lanes;
            const uint64_t other = (uint64_t{1} << 29) + rng() % 5 * sets_ + rng() % 3;
            bool fresh = other != p.line;
            for (const auto& o : p.others) fresh &= !(o.lanes && o.line == other);
            if (others && fresh && bench_.one_in(2))
              add_line(p, n, other, 1 + static_cast<unsigned>(rng() % 15), others);
          }
        }
        // A slice comes to a part once.
        bool again = false;
        for (unsigned l = 0; l < pass_lines_; l++) {
          const Pass in_line = p.of_line(l);
          for (const auto& [n, m] : ref_.mshrs)
            for (const auto& [first, waiting] : m.waiting)
              again |= in_line.lanes && m.line == in_line.line && sectors_of(in_line) & part_mask(first) &&
                       waiting.contains(waiter(in_line));
        }
        if (again) more++;
        else pass = p;
      }
    }
    top_.arrive_valid_i = 0;
    if (!answers_.empty() && bench_.one_in(phase == 3 ? 12 : 3)) {
      auto it = answers_.begin();
      std::advance(it, static_cast<long>(rng() % answers_.size()));
      if (!it->first) {
        top_.arrive_valid_i = 1;
        top_.arrive_id_i = it->second;
      } else if (!atomic) {
        atomic = it->second;
      }
    }
    top_.pass_valid_i = pass.has_value();
    if (pass) {
      current_ = *pass;
      pass_ = &current_;
      present(current_);
    }
    top_.atomic_valid_i = atomic.has_value();
    if (atomic) top_.atomic_id_i = *atomic;
    else direct = top_.directs_o && !bench_.one_in(8);
    top_.atomic_direct_i = direct;
    top_.atomic_take_i = atomic && direct && bench_.one_in(2);
    top_.invalidate_valid_i = bench_.one_in(200);
    top_.hold_i = pass && bench_.one_in(6);
    top_.room_i = !bench_.one_in(6);
    top_.data_ready_i = !bench_.one_in(4);
    bench_.settle();
    const bool took_pass = top_.pass_valid_i && top_.pass_ready_o,
               took_atomic = (top_.fill_o && top_.fill_atomic_o) || top_.atomic_take_i;
    cycle();
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
    if (took_pass) pass.reset();
    if (took_atomic) atomic.reset();
  }
  if (pass_lines_ > 1) EXPECT_GT(went_along_, static_cast<uint64_t>(cycles / 400));
  EXPECT_TRUE(!top_.directs_o || directly_ > static_cast<uint64_t>(cycles / 1000)) << directly_;
  EXPECT_GT(done_[kDidPass], static_cast<uint64_t>(cycles / 8));
  EXPECT_GT(done_[kDidFill], static_cast<uint64_t>(cycles / 16));
  EXPECT_GT(done_[kDidInvalidate], static_cast<uint64_t>(cycles / 1000));
}

}  // namespace
}  // namespace heddle::test
