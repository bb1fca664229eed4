// SPDX-License-Identifier: Apache-2.0
// Tags of the L2 against a list of lines by set. The test reads, looks and acts as l2_control does: in cycles that
// follow each other, the next read in the cycle of an act; or with a narrow memory port one step after the other.
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "Vl2_tags_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

struct Line {
  bool present = false, fetching = false;
  unsigned sectors = 0;
  uint64_t tag = 0;
};

struct Set {
  std::vector<Line> ways;
  std::optional<unsigned> turn;  // not known until a line comes
};

class L2Tags : public ::testing::Test {
 protected:
  L2Tags() : bench_(seed()), top_(*bench_.top) {
    quiet();
    bench_.settle();
    ways_ = top_.number_of_ways_o;
    sets_.resize(top_.sets_o);
    narrow_ = top_.narrow_o;
    for (unsigned s = 0; s < sets_.size(); s++) {
      sets_[s].ways.resize(ways_);
      top_.state_write_i = 1;
      top_.state_set_i = s;
      top_.state_ways_i = (1u << ways_) - 1;
      top_.present_i = top_.fetching_i = top_.sectors_i = 0;
      clock();
    }
  }

  void quiet() {
    top_.read_i = top_.match_i = top_.look_i = top_.visit_i = top_.evict_i = top_.place_i = top_.state_write_i = 0;
    top_.state_ways_i = 0;
  }
  void clock() {
    bench_.tick();
    quiet();
  }

  struct Request {
    unsigned set;
    uint64_t tag;
  };
  void read(const Request& r) {
    top_.read_i = 1;
    top_.read_set_i = r.set;
  }

  unsigned way_of(const Request& r) const {
    for (unsigned w = 0; w < ways_; w++)
      if (sets_[r.set].ways[w].present && sets_[r.set].ways[w].tag == r.tag) return 1u << w;
    return 0;
  }

  // Checks what a look finds, and returns it.
  unsigned look(const Request& r) {
    top_.look_i = 1;
    bench_.settle();
    const Set& s = sets_[r.set];
    const unsigned hit = way_of(r), found = top_.ways_o;
    EXPECT_EQ(top_.hit_o, hit != 0);
    unsigned idle = 0, present = 0;
    for (unsigned w = 0; w < ways_; w++) {
      idle |= static_cast<unsigned>(!s.ways[w].fetching) << w;
      present |= static_cast<unsigned>(s.ways[w].present) << w;
    }
    const unsigned free = ~present & ((1u << ways_) - 1);
    if (hit) {
      EXPECT_EQ(found, hit);
    } else if (free) {
      EXPECT_EQ(found, free & (~free + 1)) << "a free way goes first";
    } else if (!idle) {
      EXPECT_EQ(found, 0u) << "fetches hold them all";
    } else if (s.turn) {
      const unsigned after = idle >> *s.turn << *s.turn, next = after ? after : idle;
      EXPECT_EQ(found, next & (~next + 1)) << "not the way whose turn it is";
    } else {
      EXPECT_TRUE(std::has_single_bit(found) && (found & idle));
    }
    if (std::has_single_bit(found)) expect_state(s.ways[static_cast<unsigned>(std::countr_zero(found))]);
    return found;
  }

  void expect_state(const Line& l) {
    EXPECT_EQ(top_.present_o, l.present);
    EXPECT_EQ(top_.fetching_o, l.fetching);
    EXPECT_EQ(top_.sectors_o, l.sectors);
  }

  // Looks at what has been read, then acts: the line comes to the way or changes there. `next` is read in the same
  // cycle, if it may be.
  void request(const Request& r, const Request* next, bool fetching) {
    top_.set_i = r.set;
    top_.tag_i = r.tag;
    top_.match_i = 1;
    if (narrow_) {
      clock();
      for (int n = bench_.one_in(3); n > 0; n--) clock();
    }
    const unsigned found = look(r);
    if (narrow_) clock();
    top_.ways_i = found;
    if (std::has_single_bit(found)) {
      Set& s = sets_[r.set];
      const unsigned way = static_cast<unsigned>(std::countr_zero(found));
      Line& l = s.ways[way];
      const bool comes = !(l.present && l.tag == r.tag);
      if (l.present) {
        top_.evict_i = 1;
        bench_.settle();
        EXPECT_EQ(top_.victim_tag_o, l.tag);
        evictions_ += comes;
      }
      top_.place_i = comes;
      top_.state_write_i = 1;
      top_.state_set_i = r.set;
      top_.state_ways_i = found;
      if (comes) s.turn = (way + 1) % ways_;
      l = {true, fetching, static_cast<unsigned>(bench_.rng() % 256), r.tag};
      top_.present_i = 1;
      top_.fetching_i = fetching;
      top_.sectors_i = l.sectors;
    }
    if (next && !narrow_) read(*next);
    clock();
    if (next && narrow_) {
      read(*next);
      clock();
    }
  }

  // A fetch of a place ends, or its line goes.
  void change(unsigned set, unsigned way, bool present) {
    Line& l = sets_[set].ways[way];
    l.present = present;
    l.fetching = false;
    l.sectors = static_cast<unsigned>(bench_.rng() % 256);
    top_.state_write_i = 1;
    top_.state_set_i = set;
    top_.state_ways_i = 1u << way;
    top_.present_i = present;
    top_.fetching_i = 0;
    top_.sectors_i = l.sectors;
  }

  void one(const Request& r, bool fetching = false) {
    read(r);
    clock();
    request(r, nullptr, fetching);
  }

  RtlBench<Vl2_tags_top> bench_;
  Vl2_tags_top& top_;
  std::vector<Set> sets_;
  unsigned ways_ = 0;
  uint64_t evictions_ = 0;
  bool narrow_ = false;
};

TEST_F(L2Tags, LinesTakeFreeWaysThenTurns) {
  for (unsigned n = 0; n < 3 * ways_; n++) one({1, 100 + n});
  EXPECT_EQ(evictions_, 2 * ways_);
  one({1, 100 + 3 * ways_ - 1});
  EXPECT_EQ(evictions_, 2 * ways_) << "it was there";
}

TEST_F(L2Tags, WhatIsBeingFetchedKeepsItsWay) {
  for (unsigned n = 0; n < ways_; n++) one({1, n}, n != 1);
  one({1, 50}, true);
  EXPECT_NE(way_of({1, 50}), 0u);
  one({1, 51});  // finds no way
  EXPECT_EQ(way_of({1, 51}), 0u);
  change(1, 0, true);
  clock();
  one({1, 51});
  EXPECT_NE(way_of({1, 51}), 0u);
}

// A walk looks at each place, as if it were the victim.
TEST_F(L2Tags, EachPlaceCanBeVisited) {
  for (unsigned n = 0; n < 4 * ways_; n++) one({n % 4, 100 + n});
  for (unsigned s = 0; s < 4; s++)
    for (unsigned w = 0; w < ways_; w++) {
      read({s, 0});
      clock();
      top_.set_i = s;
      top_.visit_i = 1;
      top_.visit_way_i = w;
      bench_.settle();
      EXPECT_EQ(top_.ways_o, 1u << w);
      EXPECT_FALSE(top_.hit_o);
      expect_state(sets_[s].ways[w]);
      top_.ways_i = 1u << w;
      top_.evict_i = 1;
      bench_.settle();
      EXPECT_EQ(top_.victim_tag_o, sets_[s].ways[w].tag);
      clock();
    }
}

TEST_F(L2Tags, RandomRequests) {
#ifdef HEDDLE_NETLIST
  const int requests = 2000;
#else
  const int requests = 40000;
#endif
  auto& rng = bench_.rng;
  const auto random = [&] {
    return Request{static_cast<unsigned>(rng() % 3), rng() % (2 * ways_) << (rng() % 2 ? top_.tag_bits_o - 6 : 0)};
  };
  Request now = random();
  read(now);
  clock();
  for (int n = 0; n < requests && !HasFailure(); n++) {
    const Request next = random();
    const bool goes_on = !bench_.one_in(4);
    request(now, goes_on ? &next : nullptr, bench_.one_in(3));
    now = next;
    if (goes_on) continue;
    for (unsigned k = rng() % (2 * ways_); k > 0; k--) {
      const unsigned set = static_cast<unsigned>(rng() % 3), way = static_cast<unsigned>(rng() % ways_);
      change(set, way, sets_[set].ways[way].present && !bench_.one_in(6));
      clock();
    }
    read(now);
    clock();
  }
  EXPECT_GT(evictions_, static_cast<uint64_t>(requests / 20));
}

}  // namespace
}  // namespace heddle::test
