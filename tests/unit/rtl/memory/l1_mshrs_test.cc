// SPDX-License-Identifier: Apache-2.0
// MSHRs of the L1 against lists of sectors and of who waits. The test looks and acts as l1_control does: at once, or
// where rows move in slices in two cycles. Where there are two links, sectors come on both at once.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "Vl1_mshrs_top.h"
#include "tests/unit/rtl/memory/l1_control_model.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

// What a pass does with a line.
struct Act {
  uint64_t line = 0;
  bool close = false, ask = false, alone = false, waits = true;
  unsigned sectors = 0, place = 0;
  uint32_t lanes = 0;
};

class L1Mshrs : public ::testing::Test {
 protected:
  L1Mshrs() : bench_(seed()), top_(*bench_.top) {
    quiet();
    bench_.reset();
    bench_.settle();
    mshrs_ = top_.mshrs_o;
    places_ = top_.places_o;
    lanes_ = top_.lanes_o;
    pass_sectors_ = top_.pass_sectors_o;
    links_ = top_.links_o;
  }

  void quiet() {
    top_.arrive_valid_i = top_.look_i = top_.serving_i = top_.serve_i = 0;
    top_.close_i = top_.close_all_i = top_.ask_i = 0;
    top_.ask_alone_i = top_.ask_waits_i = 0;
    top_.ask_sectors_i = top_.ask_part_i = 0;
  }

  unsigned first_of(unsigned id) const { return id / pass_sectors_ * pass_sectors_; }
  unsigned part_mask(unsigned first) const { return ((1u << pass_sectors_) - 1) << first % 4; }
  unsigned flying(unsigned first) const {
    const auto m = ref_.mshrs.find(first / 4);
    return m == ref_.mshrs.end() ? 0 : m->second.flying & part_mask(first);
  }
  // Sectors of the part that have not come.
  unsigned lacks(unsigned first) const {
    const auto m = ref_.mshrs.find(first / 4);
    return m == ref_.mshrs.end() ? 0 : flying(first) & ~m->second.arrived;
  }
  // Of the link of its MSHR; of a line's slice.
  unsigned link_of(unsigned id) const { return id / 4 % links_; }
  unsigned link_of_line(uint64_t line) const {
    unsigned link = 0;
    for (unsigned b = 0; links_ > 1 && b < 29; b += top_.slice_bits_o) link ^= line >> b & 1;
    return link;
  }
  bool full(unsigned link) const {
    size_t used = 0;
    for (const auto& [n, m] : ref_.mshrs) used += n % links_ == link;
    return used == mshrs_ / links_;
  }
  // The part whose turn it is: the first of a link's that are whole; the links have turns.
  bool whole(unsigned link) const { return !whole_[link].empty() && lacks(whole_[link].front()) == 0; }
  bool part_there() const { return whole(0) || whole(1); }
  unsigned turn() const { return whole(turn_) ? turn_ : 1 - turn_; }
  unsigned part() const { return whole_[turn()].front(); }

  // One clock, with what the caller has set; what comes and what leaves the queues is the same whatever acts.
  void clock() {
    bench_.settle();
    ASSERT_EQ(top_.busy_o, !ref_.mshrs.empty());
    for (unsigned p = 0; p < links_; p++) ASSERT_EQ(top_.full_o >> p & 1, full(p));
    ASSERT_EQ(top_.whole_o, part_there());
    if (part_there()) {
      const unsigned first = part();
      ASSERT_EQ(top_.part_first_o, first) << "another part's turn";
      ASSERT_EQ(top_.part_line_o, ref_.mshrs.at(first / 4).line);
      ASSERT_EQ(top_.part_sectors_o, flying(first));
      ASSERT_EQ(top_.part_open_o, ref_.mshrs.at(first / 4).open);
      turn_ = turn();
    }
    bool drops[2];
    for (unsigned p = 0; p < 2; p++) drops[p] = !whole_[p].empty() && !whole(p);
    const unsigned arrives = top_.arrive_valid_i, ids = top_.arrive_id_i;
    bool becomes_whole[2] = {};
    for (unsigned p = 0; p < 2; p++) {
      const unsigned id = ids >> 16 * p & 0xffff;
      becomes_whole[p] = arrives >> p & 1 && lacks(first_of(id)) == 1u << id % 4;
    }
    both_ += arrives == 3;
    whole_both_ += becomes_whole[0] && becomes_whole[1];
    bench_.tick();
    quiet();
    for (unsigned p = 0; p < 2; p++) {
      if (drops[p]) whole_[p].pop_front();
      if (!(arrives >> p & 1)) continue;
      const unsigned id = ids >> 16 * p & 0xffff;
      ref_.mshrs.at(id / 4).arrived |= 1u << id % 4;
      out_.erase(id);
      auto& queue = whole_[p];
      if (becomes_whole[p] && std::find(queue.begin(), queue.end(), first_of(id)) == queue.end())
        queue.push_back(first_of(id));
    }
  }

  void arrive(unsigned id) {
    const unsigned p = link_of(id);
    top_.arrive_valid_i = static_cast<unsigned char>(top_.arrive_valid_i | 1u << p);
    top_.arrive_id_i = (top_.arrive_id_i & ~(0xffffu << 16 * p)) | id << 16 * p;
  }
  void maybe_arrive(unsigned out_of) {
    for (unsigned p = 0; p < links_; p++) {
      std::vector<unsigned> mine;
      for (const unsigned id : out_)
        if (link_of(id) == p) mine.push_back(id);
      if (!mine.empty() && bench_.one_in(out_of)) arrive(mine[bench_.rng() % mine.size()]);
    }
  }

  // Looks at a line and does something with it.
  void act(const Act& a, unsigned arrivals = 0) {
    if (top_.looks_o) {
      top_.look_i = 1;
      top_.look_line_i = a.line;
      if (arrivals) maybe_arrive(arrivals);
      clock();
      for (int n = 0; arrivals && bench_.one_in(3) && n < 3; n++) {
        maybe_arrive(arrivals);
        clock();
      }
    }
    if (HasFatalFailure()) return;
    top_.look_i = !top_.looks_o;
    top_.look_line_i = top_.looks_o ? bench_.rng() % 64 : a.line;
    top_.line_i = a.line;
    top_.close_i = a.close;
    top_.ask_i = a.ask;
    top_.ask_alone_i = a.alone;
    top_.ask_sectors_i = a.sectors;
    top_.ask_waits_i = a.waits;
    top_.ask_place_i = a.place;
    top_.ask_lanes_i = a.lanes;
    top_.ask_part_i = a.sectors ? first_of(static_cast<unsigned>(__builtin_ctz(a.sectors))) : 0;
    if (arrivals) maybe_arrive(arrivals);
    bench_.settle();
    const unsigned send = top_.ask_send_o;
    unsigned number = top_.ask_mshr_o;
    clock();
    if (HasFatalFailure()) return;
    if (a.close) ref_.close(a.line);
    if (!a.ask) return;
    unsigned joined = 0;
    Reference::Mshr* m = a.alone ? nullptr : ref_.open_for(a.line, &joined);
    if (m) {
      ASSERT_EQ(number, joined) << "joins the line's open MSHR";
    } else {
      ASSERT_FALSE(ref_.mshrs.contains(number)) << "MSHR in use";
      ASSERT_LT(number, mshrs_);
      ASSERT_EQ(number % links_, link_of_line(a.line)) << "on the line's link";
      m = &ref_.mshrs[number];
      m->line = a.line;
      m->open = !a.alone;
    }
    ASSERT_EQ(send, a.sectors & ~m->flying) << "asks for what is not in flight";
    for (unsigned s = 0; s < 4; s++)
      if (send >> s & 1) out_.insert(number * 4 + s);
    m->flying |= a.sectors;
    const unsigned first = first_of(number * 4 + static_cast<unsigned>(__builtin_ctz(a.sectors)));
    if (a.waits) m->waiting[first % 4][a.place] |= a.lanes;
  }

  // Serves one that waits for the part whose turn it is, after a look at it.
  void look_at_part() {
    if (!top_.looks_o) return;
    top_.look_i = 1;
    clock();
  }
  void serve() {
    const unsigned first = part(), from = turn();
    Reference::Mshr& m = ref_.mshrs.at(first / 4);
    auto& waiting = m.waiting[first % 4];
    top_.look_i = !top_.looks_o;
    top_.serving_i = top_.serve_i = 1;
    bench_.settle();
    ASSERT_EQ(top_.serve_first_o, first_use_);
    ASSERT_EQ(top_.serve_last_o, waiting.size() <= 1);
    if (waiting.empty()) {
      ASSERT_EQ(top_.serve_lanes_o, 0u);
    } else {
      const auto w = waiting.find(top_.serve_place_o);
      ASSERT_NE(w, waiting.end()) << "served without having waited";
      ASSERT_EQ(top_.serve_lanes_o, w->second);
      waiting.erase(w);
    }
    const unsigned came = flying(first);
    first_use_ = top_.serve_last_o;
    clock();
    served_++;
    if (!first_use_) return;
    whole_[from].pop_front();
    turn_ = links_ == 2 ? 1 - from : 0;
    m.flying &= ~came;
    m.arrived &= ~came;
    if (!m.flying) ref_.mshrs.erase(first / 4);
  }
  void serve_part() {
    look_at_part();
    do serve();
    while (!first_use_ && !HasFatalFailure());
  }
  // Lets all that is in flight come.
  void finish() {
    while (!ref_.mshrs.empty() && !HasFatalFailure()) {
      if (part_there()) {
        serve_part();
      } else {
        if (!out_.empty()) arrive(*out_.begin());
        clock();
      }
    }
  }

  RtlBench<Vl1_mshrs_top> bench_;
  Vl1_mshrs_top& top_;
  Reference ref_;
  std::set<unsigned> out_;         // ids that L2 was asked for
  std::deque<unsigned> whole_[2];  // parts that became whole, by link
  unsigned turn_ = 0, both_ = 0, whole_both_ = 0;
  bool first_use_ = true;
  uint64_t served_ = 0;
  unsigned mshrs_, places_, lanes_, pass_sectors_, links_;
};

TEST_F(L1Mshrs, ALineThatIsInFlightIsAskedForOnceAndServesAllWhoWait) {
  act({.line = 5, .ask = true, .sectors = 1, .place = 0, .lanes = 1});
  act({.line = 5, .ask = true, .sectors = 1, .place = 1, .lanes = 3});
  EXPECT_EQ(out_.size(), 1u);
  finish();
  EXPECT_EQ(served_, 2u);
}

// As constants do, which go address by address.
TEST_F(L1Mshrs, APlaceWaitsWithMoreLanes) {
  if (lanes_ < 32) return;
  for (unsigned lane = 0; lane < 8; lane++)
    act({.line = 5, .ask = true, .sectors = 1, .place = 3, .lanes = 1u << lane});
  finish();
  EXPECT_EQ(served_, 1u);
}

TEST_F(L1Mshrs, AClosedOneServesWhoWaitsAndIsNotJoined) {
  act({.line = 5, .ask = true, .sectors = 1, .place = 0, .lanes = 1});
  act({.line = 5, .close = true});
  act({.line = 5, .ask = true, .sectors = 1, .place = 1, .lanes = 1});
  EXPECT_EQ(ref_.mshrs.size(), 2u);
  finish();
}

TEST_F(L1Mshrs, APartThatIsAskedForMoreLosesItsTurn) {
  if (pass_sectors_ < 2) return;
  act({.line = 5, .ask = true, .sectors = 1, .place = 0, .lanes = 1});
  arrive(*out_.begin());
  clock();
  act({.line = 5, .ask = true, .sectors = 2, .place = 1, .lanes = 2});
  bench_.settle();
  EXPECT_FALSE(top_.whole_o);
  finish();
  EXPECT_EQ(served_, 2u);
}

TEST_F(L1Mshrs, AllAreTakenAndAllBecomeFree) {
  for (unsigned m = 0; m < mshrs_; m++) act({.line = m, .ask = true, .sectors = 1, .place = 0, .lanes = 1});
  bench_.settle();
  EXPECT_EQ(top_.full_o, (1u << links_) - 1);
  finish();
  EXPECT_FALSE(top_.busy_o);
}

// Passes of all kinds, sectors in any order at any time, each that waits served as soon as it may be or much later.
TEST_F(L1Mshrs, RandomLoads) {
#ifdef HEDDLE_NETLIST
  const int acts = 3000;
#else
  const int acts = 60000;
#endif
  auto& rng = bench_.rng;
  for (int t = 0; t < acts && !HasFatalFailure(); t++) {
    const unsigned phase = static_cast<unsigned>(t / 500 % 3), arrivals = phase == 1 ? 8 : 2;
    if (part_there() && !bench_.one_in(phase == 2 ? 12 : 3)) {
      look_at_part();
      do {
        if (HasFatalFailure()) return;
        if (bench_.one_in(4)) {
          top_.serving_i = top_.looks_o;
          maybe_arrive(arrivals);
          clock();
        }
        if (HasFatalFailure()) return;
        maybe_arrive(arrivals);
        serve();
      } while (!first_use_);
      continue;
    }
    Act a;
    a.line = (uint64_t{1} << 30) + rng() % 6;
    const unsigned first = first_of(static_cast<unsigned>(rng() % 4));
    a.sectors = static_cast<unsigned>(rng() % 15 + 1) & part_mask(first);
    a.place = static_cast<unsigned>(rng() % places_);
    a.lanes = static_cast<uint32_t>(rng()) >> (32 - lanes_);
    a.waits = a.lanes != 0 && !bench_.one_in(6);
    a.alone = bench_.one_in(8);
    a.ask = a.sectors != 0 && !full(link_of_line(a.line)) && !bench_.one_in(5);
    a.close = a.ask ? a.alone : bench_.one_in(2);
    // In slices a place that waits for a part asks for no more of it.
    for (const auto& [n, m] : ref_.mshrs)
      for (const auto& [f, waiting] : m.waiting)
        a.ask &= lanes_ == 32 || !(m.line == a.line && waiting.contains(a.place));
    if (!a.ask && a.alone) a.alone = false;
    if (bench_.one_in(100)) {
      top_.close_all_i = 1;
      maybe_arrive(arrivals);
      clock();
      for (auto& [n, m] : ref_.mshrs) m.open = false;
    } else {
      act(a, arrivals);
    }
  }
  finish();
  EXPECT_GT(served_, static_cast<uint64_t>(acts / 8));
  if (links_ == 2) {
    EXPECT_GT(both_, static_cast<unsigned>(acts / 100));
    EXPECT_GT(whole_both_, static_cast<unsigned>(acts / 1000));
  }
}

}  // namespace
}  // namespace heddle::test
