// SPDX-License-Identifier: Apache-2.0
// Instructions in flight: each is answered once, when it is complete and not before, with its rows in order.
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "Vlsu_entries_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kEntries = 4, kWarps = 8;  // preset tiny
enum Class { kLoad, kStore, kAtomic, kFence, kPrefetch, kInvalidate };

struct Entry {
  bool used = false, started = false, ended = false, acquire = false, faults = false;
  bool waits = false, stores_too = false;  // MEMBAR
  bool waited = false;                     // its warp had nothing else in flight
  unsigned cls = kLoad, size = 4, warp = 0, seq = 0;
  unsigned matrix = 0;  // lsu_pkg::matrix_t
  uint32_t mask = 0, left = 0, pc = 0;
  unsigned rows_read = 0;
  unsigned overtaken = 0;  // by others since complete
  bool fresh = false;      // the L1 was emptied since it was complete
  bool reduces = false;    // an atomic whose value nobody reads
  bool copies = false;     // an asynchronous copy
  bool stores = false;     // one that has given its rows away

  bool loads() const {
    if (copies) return !stores && mask != 0;
    return cls == kLoad || (cls == kAtomic && !reduces);
  }
  unsigned rows() const { return !loads() ? 1 : matrix ? 1u << (matrix & 3) : size == 6 ? 4 : size == 5 ? 2 : 1; }
  // Lanes that memory is read for.
  uint32_t lanes() const { return matrix ? mask & static_cast<uint32_t>((uint64_t{1} << 8 * rows()) - 1) : mask; }
  // Every lane has its bytes; of others, the last pass has gone through, and a MEMBAR has waited.
  bool complete() const { return gone() && (!waits || waited); }
  bool gone() const { return used && started && ended && left == 0; }
};

struct Response {
  unsigned warp, seq, index, slice;
  uint32_t mask, row;
  bool we, last;
  bool copies, given;  // of a copy; a row that goes elsewhere
  unsigned entry;
};

class LsuEntries : public ::testing::Test {
 protected:
  LsuEntries() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    quiet();
    top_.rsp_ready_i = top_.invalidate_ready_i = top_.copy_room_i = 1;
    top_.query_entry_i = 0;
    bench_.reset();
    bench_.settle();
    row_lanes_ = top_.row_lanes_o;
    slices_ = 32 / row_lanes_;
    banks_ = top_.banks_o;
  }

  void quiet() {
    top_.alloc_i = top_.cancel_i = top_.start_i = top_.gather_valid_i = top_.device_end_i = top_.shared_end_i = 0;
    top_.pass_waits_i = 0;
    top_.prefer_i = rng_() & 1;
    top_.pending_i = pending_;
  }

  // Presents an instruction; its entry is the module's choice.
  unsigned alloc(const Entry& e) {
    EXPECT_TRUE(top_.free_o);
    top_.alloc_i = 1;
    top_.alloc_warp_i = e.warp;
    top_.alloc_seq_i = e.seq;
    top_.alloc_mask_i = e.mask;
    top_.alloc_pc_i = e.pc;
    bench_.settle();
    new_ = e;
    new_entry_ = top_.free_entry_o;
    return new_entry_;
  }
  void pass(unsigned e, bool waits) {
    top_.pass_cls_i = entry_[e].cls;
    top_.pass_reduces_i = entry_[e].reduces;
    top_.pass_copies_i = entry_[e].copies;
    top_.pass_entry_i = e;
    top_.pass_size_i = entry_[e].size;
    top_.pass_matrix_i = entry_[e].matrix;
    top_.pass_warp_i = entry_[e].warp;
    top_.pass_waits_i = waits;
    top_.pass_stores_too_i = entry_[e].stores_too;
    // What empties the L1: of a MEMBAR another bit says so.
    top_.pass_acquire_i = entry_[e].acquire && !entry_[e].waits;
    top_.pass_invalidate_i = entry_[e].acquire && entry_[e].waits;
  }
  void start(unsigned e) {
    pass(e, entry_[e].waits);
    top_.start_i = 1;
  }
  // Lanes of one slice: those of the lowest among `lanes`.
  uint32_t slice_of(uint32_t lanes) const {
    return lanes & (~0u >> (32 - row_lanes_)) << static_cast<unsigned>(__builtin_ctz(lanes)) / row_lanes_ * row_lanes_;
  }
  void gather(unsigned e, uint32_t lanes) {
    const unsigned slice = static_cast<unsigned>(__builtin_ctz(lanes)) / row_lanes_, bank = bank_of(e);
    top_.gather_valid_i |= 1u << bank;
    top_.gather_entry_i = static_cast<uint16_t>((top_.gather_entry_i & 0xff00u >> 8 * bank) | e << 8 * bank);
    top_.gather_slice_i = static_cast<uint16_t>((top_.gather_slice_i & 0xff00u >> 8 * bank) | slice << 8 * bank);
    top_.gather_lanes_i =
        (top_.gather_lanes_i & 0xffffffff00000000 >> 32 * bank) | uint64_t{lanes >> slice * row_lanes_} << 32 * bank;
    gathered_[bank] = lanes;
  }
  unsigned bank_of(unsigned e) const { return banks_ == 2 ? e & 1 : 0; }
  void gather_all(unsigned e, uint32_t lanes) {
    for (; lanes; lanes &= ~slice_of(lanes)) {
      gather(e, slice_of(lanes));
      cycle();
    }
  }
  // In device memory or in shared memory; a MEMBAR ends in the former. One of each at most in a cycle.
  bool end(unsigned e) {
    if (!top_.device_end_i && !entry_[e].stores && (entry_[e].waits || entry_[e].copies || bench_.one_in(2))) {
      top_.device_end_i = 1;
      top_.device_end_entry_i = e;
    } else if (!top_.shared_end_i && !entry_[e].waits && (!entry_[e].copies || entry_[e].stores)) {
      top_.shared_end_i = 1;
      top_.shared_end_entry_i = e;
    } else {
      return false;
    }
    return true;
  }
  void cancel(unsigned e) {
    top_.cancel_i = 1;
    top_.cancel_entry_i = e;
  }

  void cycle() {
    bench_.settle();
    unsigned used = 0;
    for (const Entry& e : entry_) used += e.used;
    ASSERT_EQ(top_.busy_o, used != 0);
    ASSERT_EQ(top_.free_o, used < kEntries);
    if (top_.free_o) {
      ASSERT_FALSE(entry_.at(top_.free_entry_o).used);
      bool preferred = false;
      for (unsigned e = 0; e < kEntries; e++) preferred |= !entry_[e].used && bank_of(e) == top_.prefer_i;
      ASSERT_TRUE(!preferred || bank_of(top_.free_entry_o) == top_.prefer_i);
    }
    bool earlier = false;
    for (unsigned n = 0; n < kEntries && top_.pass_waits_i; n++)
      earlier |= n != top_.pass_entry_i && entry_[n].used && entry_[n].started && !entry_[n].complete() &&
                 entry_[n].warp == top_.pass_warp_i;
    // A MEMBAR does not ask.
    if (top_.pass_cls_i != kFence) {
      ASSERT_EQ(top_.earlier_o, earlier);
    }
    const Entry& q = entry_.at(top_.query_entry_i);
    if (q.used) {
      ASSERT_EQ(top_.query_pc_o, q.pc);
    }
    if (q.used && q.started && q.left) {
      ASSERT_EQ(top_.query_lane_o, static_cast<unsigned>(__builtin_ctz(q.left)));
    }
    response();
    if (HasFatalFailure()) return;
    for (Entry& e : entry_) e.waited |= e.waits && e.gone() && may_end(e);
    if (top_.invalidate_valid_o) {
      bool asks = false;
      for (Entry& e : entry_) {
        asks |= e.complete() && e.acquire;
        if (e.complete() && top_.invalidate_ready_i) e.fresh = true;
      }
      ASSERT_TRUE(asks) << "empties the L1 for nobody";
    }
    std::optional<unsigned> freed;
    if (top_.read_o) read(freed);
    if (HasFatalFailure()) return;
    const uint32_t row = static_cast<uint32_t>(rng_());
    const bool reads = top_.read_o;
    if (reads) due_.back().row = row;
    bench_.tick();
    // What the cycle did.
    if (reads) top_.row_i = row;
    if (top_.start_i) {
      Entry& e = entry_[top_.pass_entry_i];
      e.started = true;
      e.left = e.loads() ? e.lanes() : 0;
    }
    for (unsigned b = 0; b < banks_; b++)
      if (top_.gather_valid_i >> b & 1) entry_[top_.gather_entry_i >> 8 * b & 0xff].left &= ~gathered_[b];
    if (top_.device_end_i) entry_[top_.device_end_entry_i].ended = true;
    if (top_.shared_end_i) entry_[top_.shared_end_entry_i].ended = true;
    if (top_.cancel_i) entry_[top_.cancel_entry_i].used = false;
    if (freed) entry_[*freed].used = false;
    if (top_.alloc_i) {
      entry_[new_entry_] = new_;
      entry_[new_entry_].used = true;
    }
    quiet();
    bench_.settle();
    for (unsigned w = 0; w < 3; w++) {
      bool fence = false;
      for (const Entry& e : entry_) fence |= e.used && e.waits && e.ended && e.stores_too && e.warp == w;
      const bool told = top_.waiting_o >> w & 1;
      ASSERT_TRUE(fence || !told) << "no fence of warp " << w << " waits for stores";
      ASSERT_TRUE(told || !fence || !(pending_ >> w & 1)) << "nobody hears that a fence of warp " << w << " waits";
      waited_ += told;
    }
  }

  // Of a MEMBAR: nothing else of its warp is in flight, nor are its stores.
  bool may_end(const Entry& fence) const {
    for (const Entry& e : entry_)
      if (&e != &fence && e.used && e.warp == fence.warp && !e.complete()) return false;
    return !(fence.stores_too && pending_ >> fence.warp & 1);
  }

  void read(std::optional<unsigned>& freed) {
    const unsigned n = top_.read_entry_o;
    Entry& e = entry_.at(n);
    ASSERT_TRUE(e.complete()) << "answers entry " << n << " before it is complete";
    if (middle_) {
      ASSERT_EQ(n, *middle_) << "rows of two instructions are mixed";
    }
    // Row by row, slice by slice.
    const unsigned slices = e.loads() ? slices_ : 1;
    ASSERT_EQ(top_.read_index_o, e.rows_read / slices);
    ASSERT_EQ(top_.read_slice_o, e.rows_read % slices);
    if (e.acquire && e.rows_read == 0) {
      ASSERT_TRUE(e.fresh) << "an acquire is answered before the L1 is emptied";
    }
    e.rows_read++;
    const bool last = e.rows_read == e.rows() * slices, gives = e.copies && e.loads();
    ASSERT_EQ(top_.copy_read_o, gives && e.rows_read == 1);
    ASSERT_TRUE(top_.copy_room_i || !gives || e.rows_read > 1) << "rows of a copy for which there is no room";
    middle_ = last ? std::nullopt : std::optional(n);
    if (e.rows_read == 1)
      for (Entry& other : entry_)
        if (&other != &e && other.complete() && !other.waits && !(other.copies && other.loads())) {
          ASSERT_LT(++other.overtaken, kEntries) << "waits forever";
        }
    due_.push_back({e.warp, e.seq, (e.rows_read - 1) / slices, (e.rows_read - 1) % slices, e.mask, 0, e.loads(), last,
                    e.copies, gives, n});
    if (last && gives) e.stores = true, e.ended = false, e.rows_read = 0, e.overtaken = 0, given_++;
    else if (last) freed = n, answered_++;
  }

  // A row is sent the cycle after it was read, and stands until taken.
  void response() {
    ASSERT_EQ(top_.rsp_valid_o, !due_.empty() && !due_.front().given);
    ASSERT_EQ(top_.copy_valid_o, !due_.empty() && due_.front().given);
    if (due_.empty()) return;
    const Response& r = due_.front();
    if (r.given) {
      ASSERT_EQ(top_.copy_entry_o, r.entry);
    } else {
      ASSERT_EQ(top_.rsp_copies_o, r.copies);
    }
    ASSERT_EQ(top_.rsp_warp_o, r.warp);
    ASSERT_EQ(top_.rsp_seq_o, r.seq);
    ASSERT_EQ(top_.rsp_mask_o, r.mask);
    ASSERT_EQ(top_.rsp_we_o, r.we);
    ASSERT_EQ(top_.rsp_index_o, r.index);
    ASSERT_EQ(top_.rsp_slice_o, r.slice);
    ASSERT_EQ(top_.rsp_last_o, r.last);
    if (r.we) {
      ASSERT_EQ(top_.rsp_row_o, r.row);
    }
    if (top_.rsp_ready_i || r.given) due_.pop_front();
  }

  RtlBench<Vlsu_entries_top> bench_;
  Vlsu_entries_top& top_;
  std::mt19937_64& rng_;
  std::array<Entry, kEntries> entry_{};
  Entry new_{};
  unsigned new_entry_ = 0;
  std::optional<unsigned> middle_;
  std::deque<Response> due_;
  uint64_t answered_ = 0, given_ = 0, waited_ = 0;  // waited_: for stores
  unsigned row_lanes_ = 32, slices_ = 1, banks_ = 1;
  std::array<uint32_t, 2> gathered_{};
  unsigned pending_ = 0;  // warps with stores under way
};

TEST_F(LsuEntries, RowsOfAWideLoadFollowEachOther) {
  const unsigned e = alloc({.size = 6, .mask = ~0u});
  cycle();
  start(e);
  cycle();
  end(e);
  cycle();
  gather_all(e, 0x0000ffff);
  for (int i = 0; i < 3; i++) cycle();
  EXPECT_EQ(answered_, 0u) << "lanes still wait";
  gather_all(e, 0xffff0000);
  for (unsigned i = 0; i < 2 + 4 * slices_; i++) cycle();
  EXPECT_EQ(answered_, 1u);
  EXPECT_FALSE(top_.busy_o);
}

TEST_F(LsuEntries, ACopyGivesItsRowsAwayAndWaitsForItsStore) {
  if (row_lanes_ < 32) GTEST_SKIP() << "no copies where rows move in slices";
  const unsigned e = alloc({.size = 6, .mask = ~0u, .copies = true});
  cycle();
  start(e);
  cycle();
  end(e);
  top_.copy_room_i = 0;
  gather(e, ~0u);
  for (int i = 0; i < 9; i++) cycle();
  EXPECT_EQ(given_, 0u);
  top_.copy_room_i = 1;
  for (int i = 0; i < 9; i++) cycle();
  EXPECT_EQ(given_, 1u);
  EXPECT_EQ(answered_, 0u) << "its store has not gone through";
  end(e);
  for (int i = 0; i < 4; i++) cycle();
  EXPECT_EQ(answered_, 1u);
  EXPECT_FALSE(top_.busy_o);
}

TEST_F(LsuEntries, ALoadWithoutLanesIsAnsweredWhenItsPassHasGone) {
  const unsigned e = alloc({});
  cycle();
  start(e);
  cycle();
  end(e);
  for (unsigned i = 0; i < 3 + slices_; i++) cycle();
  EXPECT_EQ(answered_, 1u);
}

TEST_F(LsuEntries, AFaultFreesTheEntryWithoutAnAnswer) {
  const unsigned e = alloc({.mask = 1});
  cycle();
  cancel(e);
  cycle();
  for (int i = 0; i < 4; i++) cycle();
  EXPECT_EQ(answered_, 0u);
  EXPECT_FALSE(top_.busy_o);
}

TEST_F(LsuEntries, AnAcquireEmptiesTheCacheFirst) {
  const unsigned e = alloc({.acquire = true, .mask = 1});
  cycle();
  start(e);
  end(e);
  cycle();
  top_.invalidate_ready_i = 0;
  gather(e, 1);
  cycle();
  for (int i = 0; i < 5; i++) cycle();
  EXPECT_TRUE(top_.invalidate_valid_o);
  EXPECT_EQ(answered_, 0u);
  top_.invalidate_ready_i = 1;
  for (unsigned i = 0; i < 3 + slices_; i++) cycle();
  EXPECT_EQ(answered_, 1u);
}

TEST_F(LsuEntries, AMembarWaitsForLoadsAndStoresOfItsWarpOnly) {
  const unsigned load = alloc({.cls = kLoad, .warp = 1, .mask = 1});
  cycle();
  start(load);
  end(load);
  cycle();
  const unsigned other = alloc({.cls = kLoad, .warp = 2, .mask = 1});
  cycle();
  start(other);
  end(other);
  cycle();
  pending_ = 6;
  const unsigned fence = alloc({.waits = true, .stores_too = true, .cls = kFence, .warp = 1, .seq = 9});
  cycle();
  start(fence);
  cycle();
  end(fence);
  for (int i = 0; i < 10; i++) cycle();
  gather(load, 1);
  for (unsigned i = 0; i < 10 + slices_; i++) cycle();
  EXPECT_EQ(answered_, 1u) << "stores of its warp are under way";
  pending_ = 4;
  for (int i = 0; i < 10; i++) cycle();
  EXPECT_EQ(answered_, 2u);
  gather(other, 1);
  for (unsigned i = 0; i < 10 + slices_; i++) cycle();
  EXPECT_EQ(answered_, 3u);
}

TEST_F(LsuEntries, RandomInstructions) {
  std::deque<unsigned> to_start;  // passes go in the order accepted
  std::optional<unsigned> faulted;
  for (int t = 0; t < 60000; t++) {
    const bool drain = t / 2000 % 4 == 3;
    if (faulted) cancel(*faulted);
    faulted.reset();
    unsigned used = 0;
    for (const Entry& e : entry_) used += e.used;
    if (used < kEntries && !bench_.one_in(drain ? 8 : 3)) {
      Entry e;
      e.cls = static_cast<unsigned>(rng_() % 6);
      e.reduces = e.cls == kAtomic && bench_.one_in(2);
      e.size = static_cast<unsigned>(rng_() % 7);
      if (e.cls == kLoad && bench_.one_in(3)) e.matrix = 8 | static_cast<unsigned>(rng_() % 3), e.size = 6;
      e.warp = static_cast<unsigned>(rng_() % 3);
      e.seq = static_cast<unsigned>(rng_() & 0xffff);
      e.pc = static_cast<uint32_t>(rng_());
      e.mask = bench_.one_in(6) ? 0 : static_cast<uint32_t>(rng_() & rng_());
      e.copies = row_lanes_ == 32 && e.cls == kLoad && !e.matrix && bench_.one_in(2);
      e.acquire = !e.copies && bench_.one_in(6);
      e.waits = e.cls == kFence && !bench_.one_in(3);
      e.stores_too = bench_.one_in(2);
      // Behind a MEMBAR its warp sends nothing.
      bool behind = false;
      for (const Entry& other : entry_) behind |= other.used && other.waits && other.warp == e.warp;
      if (!behind) {
        const unsigned n = alloc(e);
        if (bench_.one_in(10)) faulted = n;
        else to_start.push_back(n);
      }
    }
    // Stores are acknowledged; others are sent, but not behind a MEMBAR.
    for (unsigned w = 0; w < 3; w++) {
      bool behind = false;
      for (const Entry& other : entry_) behind |= other.used && other.waits && other.warp == w;
      if (bench_.one_in(8)) pending_ &= ~(1u << w);
      else if (!behind && bench_.one_in(12)) pending_ |= 1u << w;
    }
    top_.pending_i = pending_;
    // Its first pass: a cycle after it was accepted at the earliest.
    if (!to_start.empty() && !(top_.alloc_i && to_start.front() == new_entry_)) {
      if (bench_.one_in(2)) {
        start(to_start.front());
        to_start.pop_front();
      } else if (entry_[to_start.front()].cls != kFence && bench_.one_in(2)) {
        pass(to_start.front(), true);
      }
    }
    // Lanes and ends of one or two.
    const auto from = static_cast<unsigned>(rng_() % kEntries);
    for (const unsigned n : {from, (from + 1) % kEntries}) {
      const Entry& e = entry_[n];
      if (e.used && e.started && e.left && bench_.one_in(2) && !(top_.gather_valid_i >> bank_of(n) & 1)) {
        const uint32_t some = bench_.one_in(2) ? e.left : e.left & static_cast<uint32_t>(rng_());
        const uint32_t lanes = some ? slice_of(some) : 0;
        if (lanes) gather(n, lanes);
        if (!e.ended && bench_.one_in(3)) end(n);
      } else if (e.used && e.started && !e.ended && (e.left == 0 || bench_.one_in(2))) {
        end(n);
      }
    }
    top_.rsp_ready_i = !bench_.one_in(t / 1000 % 2 ? 2 : 6);
    top_.invalidate_ready_i = !bench_.one_in(3);
    top_.copy_room_i = bench_.one_in(2);
    top_.query_entry_i = rng_() % kEntries;
    cycle();
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
  }
  EXPECT_GT(answered_, 5000u / slices_);
  EXPECT_TRUE(row_lanes_ < 32 || given_ > 300);
}

}  // namespace
}  // namespace heddle::test
