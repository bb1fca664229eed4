// SPDX-License-Identifier: Apache-2.0
// The L2's look-up, judged by what it tells the data stage to do. The model keeps, for each place of the
// data array, which line it holds and which sectors are fully known or dirty there, and follows the
// operations: every request once, in order within its sector, on data that are there; dirty data leave
// only through an eviction; nothing is fetched while its line is on the way to memory.
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "Vl2_control_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Kind { kRead, kWrite, kAtomic };
constexpr uint64_t kBase = 0x1000000000 >> 5;  // sectors
constexpr uint64_t kSectors = 1 << 20;

struct Request {
  unsigned client, kind, tag;
  uint64_t sector;
  uint32_t mask;
};

struct Fetch {
  uint64_t sector;
  bool error;
  uint64_t due;
};

struct Place {
  bool used = false;
  uint64_t line = 0;
  unsigned known = 0, dirty = 0;  // sectors
};

class L2Control : public ::testing::Test {
 protected:
  L2Control() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.mem_end_i = (kBase + kSectors) << 5;
    top_.flush_i = top_.req_valid_i = top_.fill_valid_i = 0;
    top_.req_room_i = top_.fill_room_i = top_.evict_room_i = 1;
    top_.evict_hit_i = 0;
    top_.op_ready_i = 1;
    bench_.reset();
    bench_.settle();
    sets_ = top_.sets_o;
    apart_ = sets_ * top_.slices_o;
    slices_ = top_.slices_o;
    places_.resize(sets_ * top_.ways_o);
    for (unsigned t = 0; top_.busy_o; t++) {
      bench_.tick();
      bench_.settle();
      if (t > sets_ + 2) ADD_FAILURE() << "does not come out of reset";
      if (t > sets_ + 2) break;
    }
  }

  // How the environment behaves.
  unsigned room_stall_ = 0, evict_stall_ = 0, latency_ = 20, delay_ = 1, errors_ = 0, write_back_ = 30;
  bool op_waits_ = false;  // the data stage did not take it
  bool held_up_ = false;   // nor anything else, in the cycle before
  unsigned op_tag_ = 0;

  void offer(const Request& r) { offered_.push_back(r); }
  Request request(unsigned kind, uint64_t sector, uint32_t mask = ~0u) {
    return {static_cast<unsigned>(rng_() % 3), kind, next_tag_++ & 0xffff, sector, mask};
  }
  static uint64_t at(uint64_t line, unsigned sector) { return kBase + line * 4 + sector; }

  bool in_write_back(uint64_t line) const {
    for (const auto& [l, due] : leaving_)
      if (l == line) return true;
    return false;
  }

  void step() {
    const uint64_t now = bench_.cycle;
    while (!leaving_.empty() && leaving_.front().second <= now) leaving_.pop_front();
    const auto stall = [&](unsigned n) { return n != 0 && bench_.one_in(n); };
    top_.req_valid_i = !offered_.empty();
    if (!offered_.empty()) {
      const Request& r = offered_.front();
      top_.req_client_i = r.client;
      top_.req_kind_i = r.kind;
      top_.req_tag_i = r.tag;
      top_.req_sector_i = r.sector;
      top_.req_mask_i = r.mask;
    }
    if (!filling_) {
      std::vector<unsigned> ready;
      for (const auto& [id, f] : fetches_)
        if (f.due <= now) ready.push_back(id);
      if (!ready.empty()) {
        filling_ = true;
        fill_id_ = ready[rng_() % ready.size()];
      }
    }
    top_.fill_valid_i = filling_;
    if (filling_) {
      top_.fill_id_i = fill_id_;
      top_.fill_error_i = fetches_.at(fill_id_).error;
    }
    top_.req_room_i = !stall(room_stall_);
    top_.fill_room_i = !stall(room_stall_);
    top_.evict_room_i = leaving_.size() < 3 && !stall(evict_stall_);
    top_.op_ready_i = top_.apart_o != 1 || !stall(evict_stall_);
    bench_.settle();
    // The line on its way to the buffer counts, too.
    top_.evict_hit_i = (in_write_back(top_.evict_check_o) ||
                        (top_.op_valid_o && top_.op_evict_o && top_.op_line_o == top_.evict_check_o));
    bench_.settle();
    observe();
    if (::testing::Test::HasFatalFailure()) return;
    const bool took = top_.req_valid_i && top_.req_ready_o;
    const bool filled = filling_ && top_.fill_ready_o;
    slots(took);
    if (HasFatalFailure()) return;
    if (filling_) {
      ASSERT_FALSE(top_.fill_ready_o && !top_.fill_room_i) << "drains without room for the answer";
    }
    if (took) {
      const Request r = offered_.front();
      offered_.pop_front();
      accepted_[r.sector].push_back(r);
      taken_++;
    }
    // What operations of the next cycle may rely on.
    if (filling_) {
      const Fetch& f = fetches_.at(fill_id_);
      fill_sector_ = f.sector;
      filled_id_ = fill_id_;
      error_sector_ = f.error ? f.sector : ~0ull;
    }
    op_waits_ = top_.op_valid_o && !top_.op_ready_i;
    held_up_ = !top_.op_ready_i;
    op_tag_ = top_.op_tag_o;
    bench_.tick();
    if (filled) {
      fetches_.erase(fill_id_);
      filling_ = false;
      fills_++;
    }
  }

  // A request's beats go to its slot from when it is free on, and are read until the next operation may come.
  void slots(bool took) {
    if (took) {
      ASSERT_TRUE(top_.req_slot_free_o);
    }
    if (shown_slot_ >= 0) {
      ASSERT_TRUE(top_.req_slot_free_o && top_.req_slot_o == shown_slot_) << "not the slot that was shown";
    }
    if (top_.op_valid_o && top_.op_ready_i)
      read_slot_ = top_.op_evict_o ? -1 : top_.op_slot_o, reads_until_ = bench_.cycle + top_.apart_o;
    if (top_.req_slot_free_o && bench_.cycle < reads_until_) {
      ASSERT_NE(top_.req_slot_o, read_slot_) << "the slot is still being read";
    }
    shown_slot_ = top_.req_slot_free_o && !took ? top_.req_slot_o : -1;
  }

  // What the module says in this cycle: asks and operations of the cycle before.
  void observe() {
    if (top_.ask_valid_o) {
      const uint64_t sector = top_.ask_line_o * 4 + top_.ask_id_o % 4;
      const unsigned id = top_.ask_id_o;
      ASSERT_FALSE(fetches_.contains(id)) << "id in use";
      for (const auto& [other, f] : fetches_) {
        ASSERT_NE(f.sector, sector) << "asked twice";
        if (other / 4 == id / 4) {
          ASSERT_EQ(f.sector / 4, sector / 4) << "MSHR of two lines";
        } else ASSERT_NE(f.sector / 4, sector / 4) << "line with two MSHRs";
      }
      ASSERT_FALSE(in_write_back(sector / 4)) << "fetches a line that is on its way to memory";
      ASSERT_GE(sector, kBase);
      ASSERT_LT(sector, kBase + kSectors);
      ASSERT_TRUE(accepted_.contains(sector));
      fetches_[id] = {sector, errors_ != 0 && bench_.one_in(errors_),
                      bench_.cycle + delay_ + (latency_ ? rng_() % latency_ : 0)};
    }
    if (op_waits_) {
      ASSERT_TRUE(top_.op_valid_o && (top_.op_evict_o || top_.op_tag_o == op_tag_)) << "not the operation that waited";
      return;
    }
    if (!top_.op_valid_o) return;
    if (top_.op_evict_o) {
      ASSERT_FALSE(held_up_) << "an eviction behind an operation that still waits to be performed";
      evicted();
      return;
    }
    // The oldest request of its sector.
    const Request* r = nullptr;
    for (auto& [sector, queue] : accepted_) {
      for (const Request& q : queue)
        if (q.tag == top_.op_tag_o) {
          ASSERT_EQ(&q, &queue.front()) << "overtakes a request of its sector";
          r = &q;
        }
    }
    ASSERT_NE(r, nullptr) << "operation that nobody asked for, or a second time";
    ASSERT_EQ(top_.op_client_o, r->client);
    performed(*r);
    if (HasFatalFailure()) return;
    auto& queue = accepted_[r->sector];
    queue.pop_front();
    if (queue.empty()) accepted_.erase(accepted_.find(queue_key_));
    performed_++;
  }

  void performed(const Request& r) {
    queue_key_ = r.sector;
    if (r.sector < kBase || r.sector >= kBase + kSectors) {
      ASSERT_TRUE(top_.op_error_o) << "outside memory";
      return;
    }
    const unsigned bit = 1u << r.sector % 4;
    const uint64_t line = r.sector / 4;
    Place& p = places_.at(top_.op_place_o);
    if (top_.op_error_o) {
      ASSERT_EQ(error_sector_, r.sector) << "error without an error of memory";
      // Nothing came, but the place has been given to the line.
      if (p.line != line) {
        ASSERT_EQ(p.dirty, 0u) << "dirty data overwritten";
        p = {true, line, 0, 0};
      }
      return;
    }
    if (!p.used || p.line != line) {
      // The line comes to this place.
      ASSERT_EQ(top_.op_place_o / (places_.size() / sets_), line / slices_ % sets_) << "wrong set";
      ASSERT_EQ(p.dirty, 0u) << "dirty data overwritten";
      for (const Place& other : places_)
        ASSERT_FALSE(other.used && other.line == line && other.dirty) << "a second copy";
      for (Place& other : places_)
        if (other.line == line) other.used = false;
      p = {true, line, 0, 0};
    }
    if (top_.op_fill_o) {
      ASSERT_EQ(top_.op_fill_id_o, filled_id_);
      ASSERT_EQ(fill_sector_, r.sector) << "data of another sector";
      ASSERT_FALSE(p.known & bit) << "memory's data over newer ones";
      p.known |= bit;
    }
    const bool dirty = top_.op_dirty_o & bit;
    ASSERT_EQ(dirty, (p.dirty & bit) != 0) << "dirty bytes before the operation, kind " << r.kind;
    if (r.kind == kWrite && r.mask == ~0u) p.known |= bit;
    if (r.kind != kWrite) {
      ASSERT_TRUE(p.known & bit) << "reads what is not known";
    }
    if (r.kind != kRead) p.dirty |= bit;
  }

  // A line goes in one operation, or its dirty sectors one by one.
  void evicted() {
    Place& p = places_.at(top_.op_place_o);
    ASSERT_TRUE(p.used);
    ASSERT_NE(p.dirty, 0u) << "evicts a clean line";
    ASSERT_EQ(top_.op_first_o, evicting_ == nullptr);
    if (top_.op_first_o) {
      ASSERT_EQ(top_.op_line_o, p.line);
      ASSERT_EQ(top_.op_dirty_o, p.dirty);
      evictions_++;
      leaving_.emplace_back(p.line, bench_.cycle + 1 + rng_() % write_back_);
      if (leaving_.size() > 1)
        leaving_.back().second = std::max(leaving_.back().second, leaving_[leaving_.size() - 2].second);
    } else {
      ASSERT_EQ(evicting_, &p) << "another line before all of this one has gone";
    }
    for (const auto& [id, f] : fetches_) ASSERT_NE(f.sector / 4, p.line) << "evicts a line that is being fetched";
    if (top_.banks_o == 1) {
      ASSERT_EQ(top_.op_sector_o, static_cast<unsigned>(std::countr_zero(p.dirty))) << "not from low to high";
    }
    // What was known only in part is in memory now.
    p.dirty &= top_.banks_o == 1 ? p.dirty - 1 : 0;
    evicting_ = p.dirty ? &p : nullptr;
  }

  bool idle() { return offered_.empty() && accepted_.empty() && fetches_.empty(); }

  void run(uint64_t limit = 3000) {
    for (uint64_t t = 0; t < limit && !idle(); t++) {
      step();
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(idle()) << "hangs: " << offered_.size() << " offered, " << accepted_.size() << " sectors, "
                        << fetches_.size() << " fetches";
    for (int i = 0; i < 12; i++) step();
    bench_.settle();
    ASSERT_FALSE(top_.busy_o);
  }

  void flush() {
    top_.flush_i = 1;
    for (unsigned t = 0; !top_.flush_walked_o; t++) {
      step();
      if (HasFatalFailure()) return;
      ASSERT_LT(t, 10000u);
      bench_.settle();
    }
    step();
    top_.flush_i = 0;
    for (Place& p : places_) {
      ASSERT_EQ(p.dirty, 0u) << "line " << p.line << " left dirty";
    }
    step();
    step();
  }

  RtlBench<Vl2_control_top> bench_;
  Vl2_control_top& top_;
  std::mt19937_64& rng_;
  unsigned sets_ = 0, slices_ = 1;
  uint64_t apart_ = 0;  // lines of one set
  unsigned next_tag_ = 0;
  std::deque<Request> offered_;
  std::map<uint64_t, std::deque<Request>> accepted_;  // by sector, in order
  std::map<unsigned, Fetch> fetches_;                 // by id
  std::vector<Place> places_;
  int shown_slot_ = -1, read_slot_ = -1;  // slots; -1: none
  uint64_t reads_until_ = 0;
  const Place* evicting_ = nullptr;                    // some of its sectors have gone
  std::deque<std::pair<uint64_t, uint64_t>> leaving_;  // line, when memory has it
  bool filling_ = false;
  unsigned fill_id_ = 0, filled_id_ = 0;
  uint64_t fill_sector_ = ~0ull, error_sector_ = ~0ull, queue_key_ = 0;
  uint64_t taken_ = 0, performed_ = 0, fills_ = 0, evictions_ = 0;
};

TEST_F(L2Control, AReadFetchesOnceAndHitsAfterwards) {
  for (int i = 0; i < 4; i++) offer(request(kRead, at(7, 2)));
  run();
  EXPECT_EQ(fills_, 1u);
  EXPECT_EQ(performed_, 4u);
}

TEST_F(L2Control, AFullWriteNeedsNoFetchAndReadsAfterItNeither) {
  offer(request(kWrite, at(7, 0)));
  offer(request(kRead, at(7, 0)));
  run();
  EXPECT_EQ(fills_, 0u);
}

TEST_F(L2Control, AnUnwrittenByteIsFetchedUnderTheDirtyOnes) {
  offer(request(kWrite, at(7, 0), 1));
  run();
  EXPECT_EQ(fills_, 0u);
  offer(request(kRead, at(7, 0)));
  run();
  EXPECT_EQ(fills_, 1u);
}

TEST_F(L2Control, AHitGoesOnUnderAMiss) {
  offer(request(kWrite, at(1, 0)));
  run();
  latency_ = 200;
  offer(request(kRead, at(9, 0)));
  for (int i = 0; i < 5; i++) offer(request(kRead, at(1, 0)));
  // With a narrow memory port operations are four cycles apart.
  for (int i = 0; i < (top_.banks_o == 1 ? 36 : 12); i++) {
    step();
  }
  EXPECT_GE(performed_, 1u + 5u * (fills_ == 0)) << "hits wait for a miss";
  run();
}

TEST_F(L2Control, OutsideMemoryIsRefused) {
  for (const uint64_t s : {uint64_t{0}, kBase - 1, kBase + kSectors, (uint64_t{1} << 35) - 1}) offer(request(kRead, s));
  offer(request(kRead, kBase));
  offer(request(kRead, kBase + kSectors - 1));
  run();
  EXPECT_EQ(performed_, 6u);
  EXPECT_EQ(fills_, 2u);
}

TEST_F(L2Control, AnErrorOfMemoryAnswersAllWhoWaitAndIsForgotten) {
  errors_ = 1;
  delay_ = 20;  // all three wait by then
  for (const unsigned kind : {kRead, kWrite, kAtomic}) offer(request(kind, at(5, 1)));
  run();
  errors_ = 0;
  offer(request(kRead, at(5, 1)));
  run();
  EXPECT_EQ(fills_, 2u);
}

// A hit that stands aside for a drain keeps its place in the data array until it is performed, even if the
// sector that comes to that place arrives at once.
TEST_F(L2Control, APlaceIsNotGivenAwayUnderARequestThatStandsAside) {
  const unsigned ways = static_cast<unsigned>(places_.size()) / sets_;
  latency_ = 0;
  for (int round = 0; round < 40; round++) {
    // Fill the set with clean lines.
    for (unsigned w = 0; w < ways; w++) offer(request(kRead, at(apart_ * (w + 1), 0)));
    run();
    if (HasFatalFailure()) return;
    // A sector with many waiters; hits of all lines of the set, while a new line comes to it.
    latency_ = 12;
    for (int i = 0; i < 12; i++) offer(request(kRead, at(3 + round, 0)));
    const uint64_t skew = rng_() % 6;
    for (uint64_t i = 0; i < skew; i++) offer(request(kRead, at(apart_, 0)));
    latency_ = 12;
    for (unsigned w = 0; w < ways; w++) {
      offer(request(kRead, at(apart_ * (w + 1), 0)));
      offer(request(kRead, at(apart_ * (20 + w + 4 * round), 0)));
    }
    for (int t = 0; t < 400 && !idle(); t++) {
      if (t == 14) latency_ = 0;
      step();
      if (HasFatalFailure()) return;
    }
    latency_ = 0;
  }
}

// One slot after the other becomes free, and is taken at once.
TEST_F(L2Control, MoreRequestsThanSlotsWait) {
  delay_ = 1000;
  for (int i = 0; i < 400; i++) offer(request(i % 2 ? kWrite : kAtomic, at(6, 1)));
  run(6000);
  EXPECT_EQ(performed_, 400u);
  EXPECT_EQ(fills_, 1u);
}

TEST_F(L2Control, FlushWritesBackWhatIsDirtyAndKeepsWhatIsKnown) {
  for (unsigned l = 0; l < 20; l++) offer(request(kWrite, at(l * 3, l % 4), l % 2 ? ~0u : 0xff));
  run();
  flush();
  EXPECT_EQ(evictions_, 20u);
  for (unsigned l = 1; l < 20; l += 2) offer(request(kRead, at(l * 3, l % 4)));
  run();
  EXPECT_EQ(fills_, 0u);
  for (unsigned l = 0; l < 20; l += 2) offer(request(kRead, at(l * 3, l % 4)));
  run();
  EXPECT_EQ(fills_, 10u);
}

// One busy word does not keep other fills out.
TEST_F(L2Control, AnEndlessStreamOfHitsDoesNotStarveAFill) {
  offer(request(kRead, at(1, 0)));
  run();
  latency_ = 10;
  offer(request(kRead, at(2, 0)));
  unsigned t = 0;
  for (; t < 300 && fills_ < 2; t++) {
    if (offered_.size() < 2) offer(request(t % 3 ? kRead : kAtomic, at(1, 0)));
    step();
    if (HasFatalFailure()) return;
  }
  EXPECT_LT(t, 60u);
  run();
}

TEST_F(L2Control, RandomRequests) {
#ifdef HEDDLE_NETLIST
  const int rounds = 4;
#else
  const int rounds = 60;
#endif
  for (int round = 0; round < rounds; round++) {
    room_stall_ = round % 3 == 0 ? 0 : 2 + static_cast<unsigned>(rng_() % 8);
    evict_stall_ = round % 2 ? 3 : 0;
    latency_ = round % 4 == 3 ? 0 : 1u << rng_() % 7;
    errors_ = round % 5 == 4 ? 6 : 0;
    write_back_ = 1 + static_cast<unsigned>(rng_() % 60);
    const unsigned tags = 2 + static_cast<unsigned>(rng_() % 10), set_span = 1 + static_cast<unsigned>(rng_() % 4);
    const unsigned writes = static_cast<unsigned>(rng_() % 4), sectors = 1 + static_cast<unsigned>(rng_() % 4);
    const unsigned density = 1 + static_cast<unsigned>(rng_() % 3);
    for (int t = 0; t < 1500; t++) {
      if (offered_.size() < 2 && bench_.one_in(density)) {
        const unsigned dice = static_cast<unsigned>(rng_() % 8);
        const unsigned kind = dice < writes ? kWrite : dice == 7 ? kAtomic : kRead;
        const uint64_t line = (rng_() % tags) * apart_ + rng_() % set_span;
        const uint64_t sector =
            bench_.one_in(100) ? kBase + kSectors + rng_() % 8 : at(line, static_cast<unsigned>(rng_() % sectors));
        const uint32_t mask = bench_.one_in(2) ? ~0u : static_cast<uint32_t>(rng_());
        offer(request(kind, sector, mask));
      }
      step();
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
    run(5000);
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
    if (round % 4 == 0) {
      flush();
      ASSERT_FALSE(HasFatalFailure()) << "flush after round " << round;
    }
  }
  EXPECT_EQ(taken_, performed_);
  EXPECT_GT(evictions_, static_cast<uint64_t>(rounds));
  EXPECT_GT(fills_, static_cast<uint64_t>(10 * rounds));
}

}  // namespace
}  // namespace heddle::test
