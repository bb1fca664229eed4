// SPDX-License-Identifier: Apache-2.0
// The L2's data stage against sectors of bytes: what each request finds, what it leaves, which bytes are dirty.
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Vl2_data_top.h"
#include "tests/unit/rtl/memory/atomic_reference.h"
#include "tests/unit/rtl/memory/beats.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Kind { kRead, kWrite, kAtomic, kReduce };
bool is_atomic(unsigned kind) { return kind == kAtomic || kind == kReduce; }
using Bytes = std::array<uint8_t, 32>;

struct Sector {
  bool known = false;  // all bytes
  uint32_t dirty = 0;
  Bytes data{};
};

struct Op {
  bool evict = false, error = false, fill = false;
  unsigned client = 0, kind = kRead, id = 0, place = 0, sector = 0, offset = 0;
  isa::AtomOp atom_op = isa::AtomOp::Add;
  isa::AtomType atom_type = isa::AtomType::U;
  bool wide = false;
  uint32_t mask = 0;
  uint64_t line = 0;
  Bytes data{}, filled{};
};

// What must come out, three cycles later; what is evicted, two. With a narrow memory port beats three cycles later and
// on, a sector's last piece three and two cycles later than where it goes whole.
struct Outcome {
  bool any = false;
  Op op;
  Bytes seen{};
  unsigned dirty = 0;  // evict
  std::array<Sector, 4> sectors{};
};

class L2Data : public ::testing::Test {
 protected:
  L2Data() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.op_valid_i = top_.store_valid_i = 0;
    bench_.reset();
    places_.resize(256);
    bench_.settle();
    banks_ = top_.banks_o;
    pieces_ = top_.pieces_o;
  }

  template <typename B>
  static uint32_t word(const B& b, unsigned w) {
    uint32_t v;
    std::memcpy(&v, b.data() + 4 * w, 4);
    return v;
  }

  Op op(unsigned kind, unsigned place, unsigned sector) {
    Op o;
    o.kind = kind;
    o.place = place;
    o.sector = sector;
    o.client = static_cast<unsigned>(rng_() % 4);
    o.id = static_cast<unsigned>(rng_() & 0xff);
    o.line = rng_() & 0x1ffffffff;
    o.mask = bench_.one_in(3) ? ~0u : static_cast<uint32_t>(rng_());
    for (uint8_t& b : o.data) b = static_cast<uint8_t>(bench_.one_in(3) ? 0 : rng_());
    for (uint8_t& b : o.filled) b = static_cast<uint8_t>(bench_.one_in(3) ? 0 : rng_());
    const AtomicKind kind_of = random_atomic(rng_, top_.float_atomics_o);
    o.wide = kind_of.wide;
    o.offset = static_cast<unsigned>(o.wide ? rng_() % 4 * 8 : rng_() % 8 * 4);
    o.atom_op = kind_of.op;
    o.atom_type = kind_of.type;
    if (is_atomic(kind) && whole()) {
      o.mask = random_words(rng_, o.wide, o.atom_op == isa::AtomOp::Cas);
      o.offset = static_cast<unsigned>(__builtin_ctz(o.mask));
    }
    return o;
  }

  bool whole() const { return pieces_ == 1; }
  std::vector<AtomicWord> words(const Op& o) const { return atomic_words(whole(), o.mask, o.offset, o.wide); }
  // On one word.
  void at_word(Op& o, unsigned offset) const {
    o.wide = false;
    o.offset = offset;
    if (whole()) o.mask = 0xfu << offset;
  }

  // One cycle, with or without an operation, which with a narrow memory port is four cycles behind the one before. Its
  // request's beats come while that is under way, into another slot, with idle cycles.
  void cycle(const Op* o = nullptr) {
    if (o == nullptr) return clock(nullptr, nullptr, nullptr);
    Op op = *o;
    if (is_atomic(op.kind) && bench_.one_in(2)) meet(op);
    o = &op;
    std::vector<Beat> beats;
    if (!o->evict) beats = split(pieces_, beats_of_request(pieces_, o->kind), o->data, o->mask);
    if (!o->evict) slot_ = (slot_ + 1 + static_cast<unsigned>(rng_() % 15)) % 16;
    size_t n = 0;
    while (apart_ < (banks_ == 1 ? 4 : 1) || n + 1 < beats.size()) {
      const bool comes = n + 1 < beats.size() && !bench_.one_in(3);
      clock(nullptr, comes ? o : nullptr, comes ? &beats[n] : nullptr);
      n += comes;
    }
    clock(o, o, o->evict ? nullptr : &beats.back());
  }

  // The operand is what the word holds: a cas meets it.
  void meet(Op& o) const {
    const Sector& s = places_.at(o.place)[o.sector];
    for (const AtomicWord& w : words(o))
      for (unsigned b = 0; b < (o.wide ? 8u : 4u); b++) {
        const unsigned at = w.at + b;
        o.data[w.operand + b] = o.fill && !(s.dirty >> at & 1) ? o.filled[at] : s.data[at];
      }
  }

  // The operation in its second cycle is an atomic on the word that another changed too few cycles ago, and nothing was
  // changed between.
  bool waits() const {
    const Outcome& later = past_[1];
    const auto works = [](const Outcome& x) { return x.any && !x.op.evict && !x.op.error; };
    if (banks_ == 1 || !works(later) || !is_atomic(later.op.kind)) return false;
    unsigned ago = 0;  // cycles
    while (2 + ago < past_.size()) {
      const Outcome& o = past_[2 + ago];
      if (works(o) && (o.op.kind != kRead || o.op.fill)) break;
      ago++;
    }
    if (2 + ago >= past_.size()) return false;
    const Op& first = past_[2 + ago].op;
    const bool sum = first.atom_type > isa::AtomType::S, returns = later.op.kind == kAtomic;
    return is_atomic(first.kind) &&
           ago < (sum       ? returns ? top_.held_float_o : 1
                  : returns ? top_.held_int_o
                            : 0) &&
           first.place == later.op.place && first.sector == later.op.sector && (first.mask & later.op.mask) != 0;
  }

  // Outputs are those of operations some cycles ago.
  void clock(const Op* o, const Op* stored, const Beat* beat) {
    const bool waiting = waits();
    if (waiting && (o || beat)) {
      clock(nullptr, nullptr, nullptr);
      return clock(o, stored, beat);
    }
    apart_ = o ? 1 : apart_ + 1;
    Outcome out;
    top_.op_valid_i = o != nullptr;
    top_.store_valid_i = beat != nullptr;
    if (beat) {
      top_.slot_i = slot_;
      top_.piece_i = beat->piece;
      top_.last_i = beat->last;
      top_.mask_i = beat->mask;
      for (unsigned w = 0; w < 8; w++) top_.data_i[w] = word(beat->bytes, w);
      top_.client_i = stored->client;
      top_.kind_i = stored->kind;
      top_.id_i = stored->id;
      top_.sector_i = stored->line * 4 + stored->sector;
      top_.offset_i = stored->offset;
      top_.wide_i = stored->wide;
      top_.atom_op_i = static_cast<unsigned>(stored->atom_op);
      top_.atom_type_i = static_cast<unsigned>(stored->atom_type);
    }
    if (o) {
      out = expected(*o);
      top_.evict_i = o->evict;
      top_.error_i = o->error;
      top_.fill_i = o->fill;
      top_.sector_i = o->line * 4 + o->sector;
      top_.place_i = o->place;
      top_.dirty_i = out.dirty;
      for (unsigned w = 0; w < 8; w++) top_.fill_data_i[w] = word(o->filled, w);
    }
    bench_.settle();
    check(past_[pieces_ + 1], past_[pieces_]);
    if (!HasFatalFailure()) check_answer();
    ASSERT_EQ(top_.ready_o, !waiting);
    bench_.tick();
    cycles_++;
    for (size_t n = past_.size() - 1; n > (waiting ? 2u : 0u); n--) past_[n] = past_[n - 1];
    past_[waiting ? 2 : 0] = out;
  }

  // Does the sector belong to those that an eviction reads?
  bool goes(const Op& o, unsigned sector) const { return sector / banks_ == o.sector / banks_; }

  Outcome expected(const Op& o) {
    Outcome out;
    out.any = true;
    out.op = o;
    auto& line = places_.at(o.place);
    for (unsigned s = 0; s < 4; s++) out.dirty |= (line[s].dirty != 0) << s;
    if (o.evict) {
      out.sectors = line;
      for (unsigned s = 0; s < 4; s++)
        if (goes(o, s)) line[s].dirty = 0;
      return out;
    }
    // Other sectors' bits say nothing here.
    out.dirty ^= static_cast<unsigned>(rng_()) & 15 & ~(1u << o.sector);
    if (o.error) return out;
    Sector& s = line[o.sector];
    if (o.fill) {
      for (unsigned b = 0; b < 32; b++)
        if (!(s.dirty >> b & 1)) s.data[b] = o.filled[b];
      s.known = true;
    }
    out.seen = s.data;
    if (o.kind == kWrite) {
      for (unsigned b = 0; b < 32; b++)
        if (o.mask >> b & 1) s.data[b] = o.data[b];
      s.dirty |= o.mask;
      s.known |= o.mask == ~0u;
    } else if (is_atomic(o.kind)) {
      const unsigned bytes = o.wide ? 8 : 4;
      for (const AtomicWord& w : words(o)) {
        uint64_t old = 0, b = 0, c = 0;
        std::memcpy(&old, s.data.data() + w.at, bytes);
        std::memcpy(&b, o.data.data() + w.operand, bytes);
        std::memcpy(&c, o.data.data() + w.fresh, bytes);
        const uint64_t result = atomic_reference(o.atom_op, o.atom_type, o.wide, false, old, b, c);
        std::memcpy(s.data.data() + w.at, &result, bytes);
        s.dirty |= (o.wide ? 0xffu : 0xfu) << w.at;
      }
    }
    return out;
  }

  void check(const Outcome& out, const Outcome& line) {
    const bool evicts = line.any && line.op.evict;
    bool busy = line.any || (out.any && !out.op.evict), rests = !busy;
    // Until its pieces are written.
    if (banks_ == 1)
      for (unsigned n = 1; n < 8; n++)
        (n < pieces_ ? busy : rests) = n < pieces_ ? busy || past_[n].any : rests && !past_[n].any;
    if (busy) {
      ASSERT_TRUE(top_.busy_o);
    }
    if (rests && !busy) {
      ASSERT_FALSE(top_.busy_o);
    }
    ASSERT_EQ(top_.write_back_valid_o, evicts);
    ASSERT_EQ(top_.trace_valid_o, out.any && !out.op.evict && !out.op.error);
    if (evicts) {
      ASSERT_EQ(top_.write_back_sector_o, line.op.sector);
      for (unsigned s = 0; s < 4; s++) {
        // The masks of clean sectors say nothing.
        if (!goes(line.op, s) || line.sectors[s].dirty == 0) continue;
        const unsigned bank = s % banks_;
        ASSERT_EQ(top_.write_back_mask_o[bank], line.sectors[s].dirty) << "sector " << s;
        for (unsigned b = 0; b < 32; b++)
          if (line.sectors[s].dirty >> b & 1) {
            ASSERT_EQ(top_.write_back_data_o[8 * bank + b / 4] >> (8 * (b % 4)) & 0xff, line.sectors[s].data[b])
                << "byte " << b;
          }
        written_back_++;
      }
    }
    if (!out.any || out.op.evict || out.op.error) return;
    ASSERT_EQ(top_.trace_client_o, out.op.client);
    ASSERT_EQ(top_.trace_sector_o, out.op.line * 4 + out.op.sector);
    ASSERT_TRUE(top_.trace_last_o);
    if (is_atomic(out.op.kind)) {
      check_old(out, top_.trace_old_o);
      for (unsigned w = 0; w < (whole() ? 8 : 4); w++)
        ASSERT_EQ(top_.trace_data_o[w], word(out.op.data, w)) << "word " << w;
      ASSERT_EQ(top_.trace_mask_o, whole() ? out.op.mask : 0);
    } else {
      for (unsigned w = 0; w < 8; w++)
        ASSERT_EQ(top_.trace_data_o[w], word(out.op.kind == kRead ? out.seen : out.op.data, w)) << "word " << w;
    }
    if (out.op.kind == kWrite) {
      ASSERT_EQ(top_.trace_mask_o, out.op.mask);
    }
    if (out.op.kind != kRead) {
      const Beat beat = split(pieces_, beats_of_request(pieces_, out.op.kind), out.op.data, out.op.mask).back();
      for (unsigned w = 0; w < 8 / pieces_; w++)
        ASSERT_EQ(top_.trace_beat_data_o[w], word(beat.bytes, w)) << "word " << w;
      if (out.op.kind == kWrite) {
        ASSERT_EQ(top_.trace_beat_mask_o, beat.mask);
      }
    }
  }

  // What an atomic found: its words in the sector, or the word.
  template <typename Port>
  void check_old(const Outcome& out, const Port& port) const {
    for (const AtomicWord& w : words(out.op))
      for (unsigned half = 0; half < (out.op.wide ? 2 : 1); half++)
        ASSERT_EQ(port[w.operand / 4 + half], word(out.seen, w.at / 4 + half)) << "byte " << w.at + 4 * half;
  }

  // A read is answered with each piece, all else with the last.
  void check_answer() {
    const Outcome* out = nullptr;
    unsigned piece = 0;
    for (unsigned p = 0; p < pieces_; p++) {
      const Outcome& o = past_[p + 2];
      if (o.any && !o.op.evict && (o.op.kind == kRead || p == pieces_ - 1)) out = &o, piece = p;
    }
    ASSERT_EQ(top_.rsp_valid_o, out != nullptr);
    if (out == nullptr) return;
    ASSERT_EQ(top_.rsp_client_o, out->op.client);
    ASSERT_EQ(top_.rsp_kind_o, out->op.kind == kReduce ? kWrite : out->op.kind);
    ASSERT_EQ(top_.rsp_id_o, out->op.id);
    ASSERT_EQ(top_.rsp_error_o, out->op.error);
    ASSERT_EQ(top_.rsp_last_o, piece == pieces_ - 1);
    if (out->op.kind == kRead) {
      ASSERT_EQ(top_.rsp_piece_o, piece);
    }
    if (out->op.error) return;
    if (out->op.kind == kAtomic) {
      check_old(*out, top_.rsp_data_o);
    } else if (out->op.kind == kRead) {
      const unsigned words = 8 / pieces_;
      for (unsigned w = 0; w < words; w++)
        ASSERT_EQ(top_.rsp_data_o[w], word(out->seen, piece * words + w)) << "piece " << piece << " word " << w;
    }
  }

  void drain() {
    for (int i = 0; i < 9; i++) cycle();
  }

  RtlBench<Vl2_data_top> bench_;
  Vl2_data_top& top_;
  std::mt19937_64& rng_;
  std::vector<std::array<Sector, 4>> places_;
  std::array<Outcome, 8> past_;  // the operation of the last cycle, of the one before ...
  unsigned apart_ = 4;
  unsigned banks_ = 0, pieces_ = 1, slot_ = 0;
  uint64_t written_back_ = 0, cycles_ = 0;
};

TEST_F(L2Data, AtomicsOnOneWordGoOneACycle) {
  Op first = op(kAtomic, 5, 1);
  first.fill = true;
  at_word(first, 8);
  first.atom_op = isa::AtomOp::Exch;
  first.atom_type = isa::AtomType::U;
  cycle(&first);
  for (int i = 0; i < 200; i++) {
    Op next = op(kAtomic, 5, 1);
    at_word(next, 8);
    next.atom_type = isa::AtomType::U;
    cycle(&next);
    ASSERT_FALSE(HasFatalFailure()) << i;
  }
  drain();
}

// One that needs the sum before it waits a cycle, or as long as the preset says; neighbours in a sector do not.
TEST_F(L2Data, SumsOfFloatingPointNumbersWaitForEachOther) {
  const bool floats = top_.float_atomics_o;
  for (const bool same : {true, false}) {
    Op first = op(kRead, 5, 1);
    first.fill = same;
    cycle(&first);
    drain();
    const uint64_t from = cycles_;
    for (unsigned i = 0; i < 200; i++) {
      Op next = op(kAtomic, 5, 1);
      next.atom_op = isa::AtomOp::Add;
      next.atom_type = floats ? isa::AtomType::F32 : isa::AtomType::U;
      at_word(next, same ? 8 : i % 8 * 4);
      cycle(&next);
      ASSERT_FALSE(HasFatalFailure()) << i;
    }
    const uint64_t cycles = cycles_ - from;
    if (banks_ != 1) {
      EXPECT_LE(cycles, 1 + 200u * (1 + (!same ? 0 : floats ? top_.held_float_o : top_.held_int_o)));
    }
    drain();
  }
}

TEST_F(L2Data, AWriteAndTheEvictionBehindIt) {
  for (int i = 0; i < 50; i++) {
    Op write = op(kWrite, 9, static_cast<unsigned>(i % 4));
    cycle(&write);
    cycle();  // never in the next cycle
    Op evict = op(kRead, 9, banks_ == 1 ? static_cast<unsigned>(i % 4) : 0);
    evict.evict = true;
    cycle(&evict);
    ASSERT_FALSE(HasFatalFailure()) << i;
  }
  drain();
  EXPECT_EQ(written_back_, 50u);
}

TEST_F(L2Data, MemoryComesUnderTheDirtyBytes) {
  Op write = op(kWrite, 3, 2);
  write.mask = 0x00ff00f0;
  cycle(&write);
  Op read = op(kRead, 3, 2);
  read.fill = true;
  cycle(&read);
  Op again = op(kRead, 3, 2);
  cycle(&again);
  drain();
}

TEST_F(L2Data, RandomOperations) {
#ifdef HEDDLE_NETLIST
  const int cycles = 6000;
#else
  const int cycles = 60000;
#endif
  for (int t = 0; t < cycles; t++) {
    if (bench_.one_in(6)) {
      cycle();
    } else {
      const auto place = static_cast<unsigned>(rng_() % (t / 1000 % 2 ? 2 : 40));
      Op o = op(static_cast<unsigned>(rng_() % 4), place, static_cast<unsigned>(rng_() % 4));
      const Sector& s = places_[place][o.sector];
      if (s.dirty != 0 && bench_.one_in(12) && !(past_[0].any && past_[0].op.place == place)) {
        o.evict = true;
      } else if (bench_.one_in(20)) {
        o.error = true;
      } else if (!s.known && (o.kind != kWrite || bench_.one_in(2))) {
        o.fill = true;
      }
      cycle(&o);
    }
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
  }
}

}  // namespace
}  // namespace heddle::test
