// SPDX-License-Identifier: Apache-2.0
// Drives the L1's control and follows it with the model, which takes from the device what the contract leaves open
// (which free MSHR, which way of the set is which) and checks it to be lawful.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "Vl1_control_top.h"
#include "tests/unit/rtl/memory/l1_control_model.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {

class L1Control : public ::testing::Test {
 protected:
  L1Control() : bench_(seed()), top_(*bench_.top) {
    quiet();
    bench_.reset();
    quiet();
    bench_.settle();
    entries_ = top_.entries_o;
    mshrs_ = top_.mshrs_o;
    ways_ = top_.ways_o;
    row_lanes_ = top_.row_lanes_o;
    sets_ = top_.sets_o;
    pass_sectors_ = top_.pass_sectors_o;
    pass_lines_ = top_.pass_lines_o;
    atomics_ = top_.atomics_o;
  }

  void quiet() {
    top_.invalidate_valid_i = top_.arrive_valid_i = top_.atomic_valid_i = top_.pass_valid_i = 0;
    top_.atomic_direct_i = top_.atomic_take_i = 0;
    top_.hold_i = 0;
    top_.room_i = top_.data_ready_i = 1;
  }

  void present(const Pass& p) {
    top_.pass_valid_i = 1;
    top_.cls_i = p.op.cls;
    top_.reduces_i = p.op.reduces;
    top_.entry_i = p.op.entry;
    top_.bypass_i = p.op.bypass;
    top_.invalidate_i = p.op.invalidate;
    top_.seq_i = p.op.seq;
    top_.waits_i = p.op.waits;
    top_.first_i = p.first;
    top_.last_i = p.last;
    top_.lanes_i = p.lanes;
    for (unsigned s = 0; s < 4; s++) top_.sector_lanes_i[s] = p.sector_lanes[s];
    top_.line_i = p.line;
    top_.bank_line_i = p.bank_line;
    for (unsigned n = 1; n < 4; n++) {
      top_.other_lanes_i[n - 1] = p.others[n].lanes;
      top_.other_line_i[2 * (n - 1)] = static_cast<uint32_t>(p.others[n].line);
      top_.other_line_i[2 * (n - 1) + 1] = static_cast<uint32_t>(p.others[n].line >> 32);
    }
  }

  // Everything that stands at the data port.
  std::array<uint64_t, 20> data_now() const {
    return {top_.kind_o,           top_.cls_o,        top_.entry_o,  top_.seq_o,   top_.last_o,  top_.lanes_o,
            top_.send_o,           top_.update_o,     top_.place_o,  top_.mshr_o,  top_.line_o,  top_.sector_o,
            top_.install_o,        top_.fill_event_o, top_.atomic_o, top_.which_o, top_.evict_o, top_.evict_line_o,
            top_.invalidate_all_o, top_.bank_line_o};
  }

  // What the next data operation must be; checked one cycle later by the functions below.
  enum What { kNothing, kDidInvalidate, kDidFill, kDidPass };

  void cycle() {
    bench_.settle();
    const bool ready = top_.data_ready_i;
    const bool held = top_.data_valid_o && !ready;
    const auto before = data_now();
    What what = kNothing;
    const bool fill_atomic = top_.fill_atomic_o;
    const unsigned fill_first = top_.fill_first_o, atomic_id = looked_ == kDidFill ? looked_atomic_ : top_.atomic_id_i;
    // An atomic first, then the part that was whole first, if it still is.
    const bool part_there = !whole_.empty() && is_whole(whole_.front());
    const bool atomic_there = top_.atomic_valid_i && !top_.atomic_direct_i;
    const bool fill_there = atomic_there || part_there;
    const bool atomic = looked_ == kDidFill ? looked_is_atomic_ : atomic_there;
    if (looked_ == kNothing) looked_is_atomic_ = atomic_there, looked_atomic_ = top_.atomic_id_i;
    const bool last = atomic || whole_.empty() || waiters(whole_.front()).size() <= 1;
    // One operation a cycle: emptying, then an answer, then a pass. Where rows move in slices, answers and passes look
    // in a cycle and act in another.
    ASSERT_EQ(top_.invalidate_ready_o, ready && looked_ == kNothing);
    ASSERT_EQ(top_.busy_o, !ref_.mshrs.empty() || !ref_.atomics.empty());
    if (looked_ != kNothing) what = looked_;
    else if (top_.invalidate_valid_i) what = kDidInvalidate;
    else if (fill_there) what = kDidFill;
    else if (top_.pass_valid_i && may_go(*pass_)) what = kDidPass;
    const bool at_once = row_lanes_ == 32 || looked_ != kNothing || what == kDidInvalidate;
    if (!at_once) looked_ = std::exchange(what, kNothing);
    else if (!ready) what = kNothing;
    else if (!(what == kDidFill && !last)) looked_ = kNothing;
    // A pass goes on with each of its lines that is not there as a whole.
    if (what == kDidPass) take_line(*pass_);
    ASSERT_EQ(top_.pass_valid_i && top_.pass_ready_o, what == kDidPass && left_ == 0);
    ASSERT_EQ(top_.fill_o, what == kDidFill);
    if (what == kDidFill) {
      ASSERT_EQ(fill_atomic, atomic);
      if (!atomic) {
        ASSERT_EQ(fill_first, whole_.front()) << "another part's turn";
      }
    }
    if (top_.atomic_valid_i && top_.atomic_direct_i) {
      const Reference::Atomic& a = ref_.atomics.at(top_.atomic_id_i >> 5);
      ASSERT_EQ(top_.gather_entry_o, a.entry);
      ASSERT_EQ(top_.gather_lanes_o, a.lanes.at(top_.atomic_id_i & 31));
      ASSERT_EQ(top_.gather_size_o, ref_.ops.at(a.entry).seq & 7);
    }
    const bool takes = top_.atomic_take_i;
    const unsigned taken = top_.atomic_id_i;
    const bool arrives = top_.arrive_valid_i, drops = !whole_.empty() && !part_there;
    const unsigned arrived = top_.arrive_id_i;
    // With the state before this cycle's operation: whole by what was asked for until now.
    const bool becomes_whole = arrives && lacks(first_of(arrived)) == 1u << arrived % 4;
    bench_.tick();
    bench_.settle();
    if (drops) whole_.pop_front();
    if (arrives) arrive(arrived, becomes_whole);
    if (takes) answered_atomic(taken), directly_++;
    if (held) {
      ASSERT_TRUE(top_.data_valid_o);
      ASSERT_EQ(data_now(), before) << "data operation changed while stalled";
      return;
    }
    ASSERT_EQ(top_.data_valid_o, what != kNothing);
    ASSERT_TRUE(what == kDidInvalidate || what == kNothing || !top_.invalidate_all_o ||
                (what == kDidPass && pass_->lanes == 0 && pass_->op.invalidate && !pass_->op.waits));
    switch (what) {
      case kDidInvalidate:
        ASSERT_TRUE(top_.invalidate_all_o);
        ASSERT_EQ(top_.kind_o, kNone);
        ASSERT_FALSE(top_.last_o);
        ref_.empty();
        break;
      case kDidFill:
        if (atomic) filled_atomic(atomic_id);
        else filled(whole_.front(), last);
        break;
      case kDidPass: passed(pass_->of_line(line_now_)); break;
      default: break;
    }
    if (what != kNothing) done_[what]++;
  }

  bool may_go(const Pass& p) const {
    if (top_.hold_i || !top_.room_i) return false;
    const bool load = p.lanes && (p.op.cls == kLoad || p.op.cls == kPrefetch);
    if (load && ref_.mshrs.size() == mshrs_) return false;
    return !(p.op.answered() && p.lanes && !atomic_began_ && ref_.atomics.size() == atomics_);
  }

  // Of the pass's lines that are left the first, and those that go with it.
  void take_line(const Pass& p) {
    if (left_ == 0) {
      left_ = 1;
      for (unsigned n = 1; n < 4; n++) left_ |= static_cast<unsigned>(p.others[n].lanes != 0) << n;
    }
    line_now_ = static_cast<unsigned>(__builtin_ctz(left_));
    left_ &= left_ - 1;
    along_ = 0;
    if (left_ == 0) return;
    const Pass first = p.of_line(line_now_);
    // The line that the first drives out goes by itself.
    std::optional<uint64_t> gone;
    if (!ref_.lines.contains(first.line)) gone = ref_.line_at(ref_.next_place(first.line, sets_, ways_));
    for (unsigned n = 1; n < 4; n++) {
      const Pass other = p.of_line(n);
      if (left_ >> n & 1 && ref_.has_all(other) && other.line != gone) along_ |= 1u << n;
    }
    left_ &= ~along_;
    went_along_ += static_cast<unsigned>(__builtin_popcount(along_));
  }

  unsigned place(unsigned n) const { return top_.place_o >> 16 * n & 0xffff; }

  void check_op(const Op& op) {
    ASSERT_EQ(top_.cls_o, op.cls);
    ASSERT_EQ(top_.entry_o, op.entry);
    ASSERT_EQ(top_.seq_o, op.seq);
  }
  void check_evict(std::optional<uint64_t> line) {
    ASSERT_EQ(top_.evict_o, line.has_value());
    if (line) {
      ASSERT_EQ(top_.evict_line_o, *line);
    }
  }

  // Parts are known by the id of their first sector.
  unsigned first_of(unsigned id) const { return id / pass_sectors_ * pass_sectors_; }
  unsigned part_mask(unsigned first) const { return ((1u << pass_sectors_) - 1) << first % 4; }
  // Sectors of the part that are in flight and have not come.
  unsigned lacks(unsigned first) const {
    const auto m = ref_.mshrs.find(first / 4);
    return m == ref_.mshrs.end() ? 0 : m->second.flying & ~m->second.arrived & part_mask(first);
  }
  bool is_whole(unsigned first) const { return lacks(first) == 0; }
  std::map<unsigned, uint32_t>& waiters(unsigned first) { return ref_.mshrs.at(first / 4).waiting[first % 4]; }

  void arrive(unsigned id, bool becomes_whole) {
    ref_.mshrs.at(id / 4).arrived |= 1u << id % 4;
    answers_.erase({false, id});
    const unsigned first = first_of(id);
    // Known already, where it was whole before more was asked for.
    if (becomes_whole && std::find(whole_.begin(), whole_.end(), first) == whole_.end()) whole_.push_back(first);
  }

  void filled_data() {
    ASSERT_EQ(top_.kind_o, kDataFill);
    ASSERT_FALSE(top_.last_o);
    ASSERT_EQ(top_.send_o, 0);
    ASSERT_FALSE(top_.evict_o);
  }

  void filled_atomic(unsigned id) {
    filled_data();
    Reference::Atomic& a = ref_.atomics.at(id >> 5);
    ASSERT_TRUE(top_.atomic_o);
    ASSERT_FALSE(top_.fill_event_o || top_.install_o);
    ASSERT_EQ(top_.lanes_o, a.lanes.at(id & 31));
    ASSERT_EQ(top_.which_o, id >> 5);
    check_op(ref_.ops.at(a.entry));
    answered_atomic(id);
  }
  void answered_atomic(unsigned id) {
    Reference::Atomic& a = ref_.atomics.at(id >> 5);
    a.lanes.erase(id & 31);
    answers_.erase({true, id});
    if (a.lanes.empty() && a.sent) ref_.atomics.erase(id >> 5);
  }

  void filled(unsigned first, bool last_use) {
    filled_data();
    Reference::Mshr& m = ref_.mshrs.at(first / 4);
    const unsigned came = m.flying & part_mask(first);
    ASSERT_FALSE(top_.atomic_o);
    ASSERT_EQ(top_.line_o, m.line);
    ASSERT_EQ(top_.sector_o, first % 4);
    ASSERT_EQ(top_.update_o, came);
    ASSERT_EQ(top_.mshr_o, first / 4);
    ASSERT_EQ(top_.fill_event_o, fill_first_);
    const auto line = ref_.lines.find(m.line);
    const bool install = fill_first_ && m.open && line != ref_.lines.end();
    ASSERT_EQ(top_.install_o, install);
    if (install) {
      ASSERT_EQ(place(0), line->second.place);
      line->second.sectors |= came;
    }
    auto& waiting = waiters(first);
    if (waiting.empty()) {
      ASSERT_EQ(top_.lanes_o, 0u);
    } else {
      // Once for each instruction that waits, in any order.
      const auto w = waiting.find(kMaxSlices * top_.entry_o + top_.slice_o);
      ASSERT_NE(w, waiting.end()) << "fill given to an instruction that does not wait for it";
      check_op(ref_.ops.at(w->first / kMaxSlices));
      ASSERT_EQ(top_.lanes_o, w->second);
      waiting.erase(w);
    }
    fill_first_ = last_use;
    if (last_use) {
      whole_.pop_front();
      m.flying &= ~came;
      m.arrived &= ~came;
      if (!m.flying) ref_.mshrs.erase(first / 4);
    }
  }

  void passed(const Pass& p) {
    if (p.lanes) ref_.ops[p.op.entry] = p.op;
    check_op(p.op);
    ASSERT_EQ(top_.last_o, p.last && left_ == 0);
    ASSERT_FALSE(top_.install_o);
    if (p.lanes == 0) {
      // Behind lanes of an atomic: it ends, with lanes in shared memory.
      if (p.op.answered() && std::exchange(atomic_began_, false)) {
        ref_.atomics.at(atomic_now_).sent = true;
        if (ref_.atomics.at(atomic_now_).lanes.empty()) ref_.atomics.erase(atomic_now_);
      }
      ASSERT_EQ(top_.kind_o, kNone);
      ASSERT_EQ(top_.send_o, 0);
      // A MEMBAR empties it when it has waited, by invalidate_valid_i.
      const bool empties = p.op.invalidate && !p.op.waits;
      ASSERT_EQ(top_.invalidate_all_o, empties);
      check_evict({});
      if (empties) ref_.empty();
      return;
    }
    ASSERT_EQ(top_.line_o, p.line);
    const auto line = ref_.lines.find(p.line);
    const bool hit = line != ref_.lines.end();
    switch (p.op.cls) {
      case kLoad:
      case kPrefetch: load(p); break;
      case kStore:
        ASSERT_EQ(top_.kind_o, kDataStore);
        ASSERT_EQ(top_.send_o, sectors_of(p));
        ASSERT_EQ(top_.update_o, hit ? line->second.sectors : 0u);
        if (hit) {
          ASSERT_EQ(place(0), line->second.place);
        }
        ASSERT_EQ(top_.lanes_o, p.lanes);
        check_evict({});
        ref_.close(p.line);
        break;
      case kAtomic: {
        ASSERT_EQ(top_.kind_o, kDataAtomic);
        ASSERT_EQ(top_.send_o, sectors_of(p));
        ASSERT_EQ(top_.lanes_o, 0u);
        drop(p.line);
        if (!p.op.answered()) break;
        const unsigned bank = top_.which_o, lane = static_cast<unsigned>(__builtin_ctz(p.lanes));
        if (!atomic_began_) {
          ASSERT_FALSE(ref_.atomics.contains(bank));
          ref_.atomics[bank].entry = p.op.entry;
          atomic_now_ = bank;
        }
        ASSERT_EQ(bank, atomic_now_);
        ref_.atomics[bank].lanes[lane] = p.lanes;
        ref_.atomics[bank].sent = p.last;
        atomic_began_ = !p.last;
        answers_.insert({true, bank << 5 | lane});
        break;
      }
      default:  // CCTL
        ASSERT_EQ(top_.kind_o, kNone);
        ASSERT_EQ(top_.send_o, 0);
        drop(p.line);
        break;
    }
  }

  // The line goes, and what is in flight is not installed.
  void drop(uint64_t line) {
    check_evict(ref_.lines.erase(line) ? std::optional(line) : std::nullopt);
    ref_.close(line);
  }

  void load(const Pass& p) {
    const unsigned need = sectors_of(p);
    ASSERT_EQ(top_.kind_o, kDataLoad);
    unsigned present = 0;
    if (p.op.bypass) {
      drop(p.line);
    } else if (const auto line = ref_.lines.find(p.line); line != ref_.lines.end()) {
      present = line->second.sectors;
      if (need & present) {
        ASSERT_EQ(place(line_now_), line->second.place);
      }
    }
    const unsigned miss = need & ~present;
    uint32_t now = 0;
    for (unsigned s = 0; s < 4; s++)
      if (p.op.cls == kLoad && need & present & 1u << s) now |= p.sector_lanes[s];
    for (unsigned n = 1; n < 4; n++) {
      if (!(along_ >> n & 1)) continue;
      now |= pass_->others[n].lanes;
      ASSERT_EQ(place(n), ref_.lines.at(pass_->others[n].line).place);
    }
    ASSERT_EQ(top_.bank_line_o, p.bank_line);
    ASSERT_EQ(top_.lanes_o, now) << "lanes served at once";
    if (miss == 0) {
      ASSERT_EQ(top_.send_o, 0);
      check_evict({});
      return;
    }
    unsigned number = top_.mshr_o;
    Reference::Mshr* m = ref_.open_for(p.line, &number);
    if (m) {
      ASSERT_EQ(top_.mshr_o, number) << "joins the line's open MSHR";
    } else {
      ASSERT_FALSE(ref_.mshrs.contains(number)) << "MSHR in use";
      ASSERT_LT(number, mshrs_);
      m = &ref_.mshrs[number];
      m->line = p.line;
      m->open = !p.op.bypass;
    }
    for (unsigned s = 0; s < 4; s++) {
      const bool missed = miss >> s & 1;
      ASSERT_EQ(top_.send_o >> s & 1, missed && !(m->flying >> s & 1)) << "sector " << s;
      if (!missed) continue;
      if (!(m->flying >> s & 1)) answers_.insert({false, number * 4 + s});
      m->flying |= 1u << s;
      if (p.op.cls == kLoad) waiters(first_of(number * 4 + s))[waiter(p)] |= p.sector_lanes[s];
    }
    if (p.op.bypass) return;
    if (ref_.lines.contains(p.line)) {
      check_evict({});
      return;
    }
    // Takes the way of its set that was filled longest ago.
    const unsigned place = ref_.next_place(p.line, sets_, ways_);
    auto& age = ref_.age[p.line % sets_];
    age.push_back(age.front());
    age.pop_front();
    const std::optional<uint64_t> victim = ref_.line_at(place);
    check_evict(victim);
    if (victim) ref_.lines.erase(*victim);
    ref_.lines[p.line] = {place, 0};
    // Which place it is shows when the line is read.
  }

  // Who waits for a pass's lanes: each slice of an instruction by itself.
  unsigned waiter(const Pass& p) const {
    return kMaxSlices * p.op.entry + (p.lanes ? static_cast<unsigned>(__builtin_ctz(p.lanes)) / row_lanes_ : 0);
  }

  // Runs one pass and no answers.
  void run_pass(const Pass& p) {
    pass_ = &p;
    present(p);
    bench_.settle();
    if (row_lanes_ < 32 && !top_.pass_ready_o) cycle();  // looks
    do cycle();
    while (left_ != 0 && !HasFatalFailure());
    top_.pass_valid_i = 0;
  }
  // Brings an answer, and lets all that waits go.
  void answer(bool atomic, unsigned id) {
    top_.pass_valid_i = 0;
    if (atomic) {
      top_.atomic_valid_i = 1;
      top_.atomic_id_i = id;
      for (bool gone = false; !gone && !HasFatalFailure();) {
        bench_.settle();
        gone = top_.fill_o && top_.fill_atomic_o;
        cycle();
      }
    } else {
      top_.arrive_valid_i = 1;
      top_.arrive_id_i = id;
      cycle();
    }
    top_.arrive_valid_i = top_.atomic_valid_i = 0;
    use_all();
  }
  void use_all() {
    while ((!whole_.empty() || looked_ != kNothing) && !HasFatalFailure()) cycle();
  }
  void answer_all() {
    while (!answers_.empty() && !HasFatalFailure()) {
      const auto a = *answers_.begin();
      answer(a.first, a.second);
    }
  }

  Pass line_pass(unsigned cls, unsigned entry, uint64_t line, unsigned sectors, uint32_t lanes = ~0u) {
    Pass p;
    p.op.cls = cls;
    p.op.entry = entry;
    p.op.seq = static_cast<uint16_t>(bench_.rng());
    p.line = line;
    // A narrow machine's pass has lanes of one slice, in one sector.
    if (row_lanes_ < 32 && lanes) {
      sectors &= ~sectors + 1;
      uint32_t slice = 0;
      while ((lanes & slice) == 0) slice = ~0u >> (32 - row_lanes_) << bench_.rng() % (32 / row_lanes_) * row_lanes_;
      lanes &= slice;
    }
    std::vector<unsigned> which;
    for (unsigned s = 0; s < 4; s++)
      if (sectors >> s & 1) which.push_back(s);
    for (unsigned l = 0; l < 32; l++)
      if (lanes >> l & 1) p.sector_lanes[which[bench_.rng() % which.size()]] |= 1u << l;
    for (const uint32_t s : p.sector_lanes) p.lanes |= s;
    return p;
  }

  // To a load's pass, which does not bypass: lanes of it are in another line.
  void add_line(Pass& p, unsigned n, uint64_t line, unsigned sectors, uint32_t lanes) {
    const Pass other = line_pass(p.op.cls, p.op.entry, line, sectors, lanes);
    p.others[n] = {line, other.lanes};
    for (unsigned s = 0; s < 4; s++) p.sector_lanes[s] = (p.sector_lanes[s] & ~other.lanes) | other.sector_lanes[s];
    p.lanes |= other.lanes;
    p.bank_line = bench_.rng();
  }

  RtlBench<Vl1_control_top> bench_;
  Vl1_control_top& top_;
  Reference ref_;
  const Pass* pass_ = nullptr;
  bool fill_first_ = true;
  unsigned atomic_now_ = 0;
  uint64_t directly_ = 0;          // atomics that went past the data stage
  bool atomic_began_ = false;      // lanes of the instruction have gone to L2, others come
  std::deque<unsigned> whole_;     // parts that became whole
  bool looked_is_atomic_ = false;  // with looked_ == kDidFill
  unsigned looked_atomic_ = 0;
  std::set<std::pair<bool, unsigned>> answers_;  // due: {atomic, id}
  unsigned entries_, mshrs_, ways_, sets_, row_lanes_ = 32, pass_sectors_ = 4, pass_lines_ = 1, atomics_ = 2;
  unsigned left_ = 0;                  // lines of the pass that are left when some have been served
  unsigned line_now_ = 0, along_ = 0;  // the line that is served, and those that go with it
  uint64_t went_along_ = 0;
  Pass current_;
  uint64_t done_[4] = {};
  What looked_ = kNothing;  // what acts next
};

}  // namespace heddle::test
