// SPDX-License-Identifier: Apache-2.0
// MSHRs of the L2 against maps of lines and queues of who waits. The test does what l2_control does: a request's line
// has its MSHR or opens a free one, a sector that came is drained, an MSHR of which nothing is pending closes some time
// later.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "Vl2_mshrs_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

struct Waiter {
  unsigned slot, client;
  bool writes;
};

struct Line {
  unsigned place = 0;
  unsigned out = 0, valid = 0, dirty = 0;  // sectors
  std::array<std::deque<Waiter>, 4> waiting;
};

// What a request wants of a sector.
struct Want {
  unsigned place = 0, sector = 0;
  bool writes = false;  // if it waits
  bool stores = false;  // needs no data: is performed where nobody waits
  bool full = false;
  unsigned valid = 0, dirty = 0;  // of the line, if it is not being fetched
};

class L2Mshrs : public ::testing::Test {
 protected:
  L2Mshrs() : bench_(seed()), top_(*bench_.top) {
    top_.look_i = top_.ask_i = top_.wait_i = top_.write_i = top_.fill_valid_i = top_.drain_i = top_.close_i = 0;
    bench_.reset();
    bench_.settle();
    mshrs_ = top_.mshrs_o;
    slots_ = top_.slots_o;
    clients_ = top_.clients_o;
    places_ = top_.places_o;
  }

  // The MSHR of the line at a place.
  std::optional<unsigned> mshr_of(unsigned place) const {
    for (const auto& [n, l] : lines_)
      if (l.place == place) return n;
    return {};
  }

  // One clock: a request, if there is one, and what else the caller has decided. True where the request could do
  // something.
  bool step(const Want* want, bool drain, bool close) {
    bool did = false;
    Line opened;
    bench_.settle();
    look(want, did, opened);
    if (fill_) {
      top_.fill_id_i = fill_->id;
      top_.fill_error_i = fill_->error;
    } else {
      top_.fill_id_i = static_cast<unsigned>(bench_.rng() % (4 * mshrs_));
    }
    top_.fill_valid_i = fill_.has_value();
    top_.drain_i = fill_ && drain;
    bench_.settle();
    check();
    if (HasFatalFailure()) return false;
    const bool changes = top_.ask_i || top_.write_i;
    top_.close_i = close && top_.close_valid_o && !(changes && top_.mshr_i == top_.close_mshr_o);
    bench_.settle();
    const unsigned closed = top_.close_mshr_o;
    const bool closes = top_.close_i, drains = top_.drain_i;
    bench_.tick();
    if (top_.ask_i || top_.wait_i || top_.write_i) requested(*want, opened);
    if (drains) drained();
    if (closes) lines_.erase(closed);
    top_.look_i = top_.ask_i = top_.wait_i = top_.write_i = top_.drain_i = top_.close_i = 0;
    return did;
  }

  // The request's inputs: what it does with its line.
  void look(const Want* want, bool& did, Line& opened) {
    if (!want || waiting_.size() + 1 >= slots_) return;
    const std::optional<unsigned> mshr = mshr_of(want->place);
    const unsigned bit = 1u << want->sector;
    opened = {want->place, 0, want->valid, want->dirty, {}};
    top_.mshr_i = mshr ? *mshr : top_.free_o;
    top_.sector_i = want->sector;
    top_.look_i = mshr.has_value();
    top_.ask_opens_i = !mshr;
    top_.ask_place_i = want->place;
    top_.ask_valid_i = want->valid;
    top_.ask_dirty_i = want->dirty;
    top_.write_full_i = want->full;
    if (!mshr) {
      top_.ask_i = !top_.full_o;
    } else {
      const Line& l = lines_.at(*mshr);
      const bool pending = l.out & bit;
      top_.wait_i = pending && !(fill_ && fill_->id == *mshr * 4 + want->sector);
      top_.write_i = !pending && want->stores;
      top_.ask_i = !pending && !want->stores && !(l.valid & bit);
    }
    did = top_.ask_i || top_.wait_i || top_.write_i;
    do slot_ = static_cast<unsigned>(bench_.rng() % slots_);
    while (waiting_.contains(slot_));
    top_.wait_slot_i = slot_;
    top_.wait_client_i = static_cast<unsigned>(bench_.rng() % clients_);
    top_.wait_writes_i = want->writes;
  }

  void check() {
    ASSERT_EQ(top_.busy_o, !lines_.empty());
    ASSERT_EQ(top_.full_o, lines_.size() == mshrs_);
    if (!top_.full_o) {
      ASSERT_FALSE(lines_.contains(top_.free_o)) << "MSHR in use";
    }
    if (top_.look_i) {
      const Line& l = lines_.at(top_.mshr_i);
      ASSERT_EQ(top_.pending_o, l.out);
      ASSERT_EQ(top_.valid_o, l.valid);
      ASSERT_EQ(top_.dirty_o, l.dirty);
    }
    if (fill_) {
      const Line& l = lines_.at(fill_->id / 4);
      const auto& queue = l.waiting[fill_->id % 4];
      ASSERT_FALSE(queue.empty());
      ASSERT_EQ(top_.fill_place_o, l.place);
      ASSERT_EQ(top_.fill_dirty_o, l.dirty >> fill_->id % 4 & 1);
      ASSERT_EQ(top_.drain_slot_o, queue.front().slot) << "out of turn";
      ASSERT_EQ(top_.drain_client_o, queue.front().client);
      ASSERT_EQ(top_.drain_first_o, !fill_->begun);
      ASSERT_EQ(top_.drain_last_o, queue.size() == 1);
    }
    const bool any = std::any_of(lines_.begin(), lines_.end(), [](const auto& l) { return l.second.out == 0; });
    ASSERT_EQ(top_.close_valid_o, any);
    if (!any) return;
    ASSERT_TRUE(lines_.contains(top_.close_mshr_o));
    const Line& l = lines_.at(top_.close_mshr_o);
    ASSERT_EQ(l.out, 0u) << "closes a line with sectors on their way";
    ASSERT_EQ(top_.close_place_o, l.place);
    ASSERT_EQ(top_.close_known_o, l.valid);
    ASSERT_EQ(top_.close_dirty_o, l.dirty);
  }

  void requested(const Want& want, const Line& opened) {
    if (top_.ask_i && top_.ask_opens_i) lines_[top_.mshr_i] = opened;
    Line& l = lines_.at(top_.mshr_i);
    const unsigned bit = 1u << want.sector;
    if (top_.write_i) {
      l.dirty |= bit;
      if (want.full) l.valid |= bit;
      return;
    }
    if (top_.ask_i) {
      l.out |= bit;
      asked_.insert(top_.mshr_i * 4 + want.sector);
      asks_++;
    }
    l.waiting[want.sector].push_back({slot_, top_.wait_client_i, want.writes});
    waiting_.insert(slot_);
  }

  void drained() {
    Line& l = lines_.at(fill_->id / 4);
    auto& queue = l.waiting[fill_->id % 4];
    const unsigned bit = 1u << fill_->id % 4;
    if (!fill_->error) {
      l.valid |= bit;
      if (queue.front().writes) l.dirty |= bit;
    }
    waiting_.erase(queue.front().slot);
    queue.pop_front();
    fill_->begun = true;
    served_++;
    if (!queue.empty()) return;
    l.out &= ~bit;
    fill_.reset();
  }

  // One of the sectors that have been asked for comes.
  void arrive(bool error = false) {
    if (fill_ || asked_.empty()) return;
    auto id = asked_.begin();
    std::advance(id, static_cast<long>(bench_.rng() % asked_.size()));
    fill_ = {*id, error};
    asked_.erase(id);
  }

  void want(const Want& w) { ASSERT_TRUE(step(&w, false, false)); }
  // All that is on its way comes and is served; without `close` lines stay open.
  void finish(bool close = true, bool error = false) {
    for (unsigned t = 0; (close ? !lines_.empty() : fill_ || !asked_.empty()) && !HasFatalFailure(); t++) {
      ASSERT_LT(t, 10000u) << "stuck";
      arrive(error);
      step(nullptr, true, close);
    }
    bench_.settle();
    check();
  }

  struct Fill {
    unsigned id;
    bool error;
    bool begun = false;  // somebody has been served
  };
  RtlBench<Vl2_mshrs_top> bench_;
  Vl2_mshrs_top& top_;
  std::map<unsigned, Line> lines_;  // by MSHR
  std::set<unsigned> asked_;        // memory has these
  std::set<unsigned> waiting_;      // slots
  std::optional<Fill> fill_;
  unsigned slot_ = 0;
  uint64_t asks_ = 0, served_ = 0;
  unsigned mshrs_, slots_, clients_, places_;
};

TEST_F(L2Mshrs, ASectorIsAskedForOnceAndServesAllWhoWaitInTheirOrder) {
  for (int n = 0; n < 5; n++) want({.place = 3, .sector = 2});
  EXPECT_EQ(asks_, 1u);
  finish();
  EXPECT_EQ(served_, 5u);
  EXPECT_FALSE(top_.busy_o);
}

TEST_F(L2Mshrs, WhatIsKnownOfALineIsKeptUntilItCloses) {
  want({.place = 3, .sector = 0, .valid = 2, .dirty = 6});
  want({.place = 3, .sector = 3, .stores = true, .full = true});
  want({.place = 3, .sector = 0, .writes = true});
  finish(false);
  EXPECT_EQ(top_.close_known_o, 11u);
  EXPECT_EQ(top_.close_dirty_o, 15u);
}

TEST_F(L2Mshrs, AnErrorLeavesASectorUnknown) {
  want({.place = 3, .sector = 1, .writes = true, .dirty = 1});
  want({.place = 3, .sector = 1});
  finish(false, true);
  EXPECT_EQ(served_, 2u);
  EXPECT_EQ(top_.close_known_o, 0u);
  EXPECT_EQ(top_.close_dirty_o, 1u);
}

TEST_F(L2Mshrs, ALineStaysOpenAsLongAsASectorIsOnItsWay) {
  want({.place = 3, .sector = 1});
  want({.place = 3, .sector = 2});
  arrive();
  step(nullptr, true, true);
  step(nullptr, true, true);
  EXPECT_EQ(served_, 1u);
  EXPECT_TRUE(top_.busy_o);
  EXPECT_FALSE(top_.close_valid_o);
  finish();
}

TEST_F(L2Mshrs, AllAreTakenAndAllBecomeFree) {
  for (unsigned m = 0; m < mshrs_; m++) want({.place = m, .sector = m % 4});
  bench_.settle();
  EXPECT_TRUE(top_.full_o);
  const Want more{.place = mshrs_, .sector = 0};
  EXPECT_FALSE(step(&more, false, false));
  finish();
  EXPECT_FALSE(top_.busy_o);
  want(more);
}

// Requests of all kinds, sectors in any order at any time, each waiter served as soon as it may be or much later.
TEST_F(L2Mshrs, RandomRequests) {
#ifdef HEDDLE_NETLIST
  const int cycles = 4000;
#else
  const int cycles = 80000;
#endif
  auto& rng = bench_.rng;
  for (int t = 0; t < cycles && !HasFatalFailure(); t++) {
    const unsigned phase = static_cast<unsigned>(t / 700 % 4);
    const unsigned lines = phase == 3 ? 2 : mshrs_ + 3;
    Want w;
    w.place = static_cast<unsigned>(rng() % lines * 7 % places_);
    w.sector = static_cast<unsigned>(rng() % 4);
    w.writes = bench_.one_in(3);
    w.stores = bench_.one_in(4);
    w.full = w.stores && bench_.one_in(2);
    w.valid = static_cast<unsigned>(rng() % 16) & ~(1u << w.sector);
    w.dirty = static_cast<unsigned>(rng() % 16);
    if (bench_.one_in(phase == 1 ? 12 : 2)) arrive(bench_.one_in(6));
    step(bench_.one_in(phase == 2 ? 4 : 1) ? &w : nullptr, !bench_.one_in(phase == 1 ? 2 : 5), !bench_.one_in(3));
  }
  finish();
  EXPECT_EQ(waiting_.size(), 0u);
  EXPECT_GT(asks_, static_cast<uint64_t>(cycles / 20));
  EXPECT_GT(served_, asks_);
}

}  // namespace
}  // namespace heddle::test
