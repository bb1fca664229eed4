// SPDX-License-Identifier: Apache-2.0
// The data stage of shared memory against an array of bytes: what passes read, write and change, in order, with their
// ends and trace events, and how many cycles they take.
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "Vlsu_shared_top.h"
#include "tests/unit/rtl/memory/atomic_reference.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Class { kLoad, kStore, kAtomic };
constexpr unsigned kCas = static_cast<unsigned>(isa::AtomOp::Cas);
using Row = std::array<uint8_t, 128>;

struct Pass {
  unsigned cls = kLoad, entry = 0, size = 4, atom_op = 0, warp = 0, seq = 0, slice = 0;
  bool atom_sign = false, reduces = false, last = false;  // atom_sign: S, else U
  uint32_t lanes = 1, banks = 0;
  std::array<unsigned, 32> row{};
  unsigned pieces = 1;            // with words of the lanes
  Row data{}, others{};           // store: the row of banks; atomic: operands first, or at their banks
  std::array<bool, 128> bytes{};  // store
  unsigned offset = 0;            // atomic of one lane

  bool gathers() const { return cls == kLoad || (cls == kAtomic && !reduces); }
};

template <typename Bytes>
uint32_t word(const Bytes& b, unsigned w) {
  return b[4 * w] | b[4 * w + 1] << 8 | b[4 * w + 2] << 16 | static_cast<uint32_t>(b[4 * w + 3]) << 24;
}

class LsuShared : public ::testing::Test {
 protected:
  LsuShared() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.pass_valid_i = 0;
    top_.gather_done_i = 1;
    bench_.reset();
    bench_.settle();
    reach_ = top_.reach_o, pieces_ = top_.sector_pieces_o, lanes_ = top_.row_lanes_o;
    words_ = 8 / pieces_;
    memory_.resize(top_.bank_rows_o);
    // It is written before it is read.
    for (unsigned row = 0; row < memory_.size(); row++) {
      Pass p = random_pass(kStore);
      p.banks = reach_ == 8 ? 255 : ~0u;
      p.row.fill(row);
      p.bytes.fill(true);
      p.pieces = (1u << pieces_) - 1;
      run(p);
    }
  }

  Pass random_pass(unsigned cls) {
    Pass p;
    p.cls = cls;
    p.entry = static_cast<unsigned>(rng_() % 4);
    p.size = static_cast<unsigned>(rng_() % 7);
    p.atom_op = static_cast<unsigned>(rng_() % 10);
    p.atom_sign = rng_() & 1;
    p.warp = static_cast<unsigned>(rng_() % 8);
    p.seq = static_cast<unsigned>(rng_() & 0xffff);
    p.last = rng_() & 1;
    p.slice = static_cast<unsigned>(rng_() % (32 / lanes_));
    p.lanes = (static_cast<uint32_t>(rng_()) | 1) & ~0u >> (32 - lanes_);
    p.pieces = 1 + static_cast<unsigned>(rng_() % ((1u << pieces_) - 1));
    p.banks = static_cast<uint32_t>(rng_()) & (reach_ == 8 ? 255 : ~0u);
    for (unsigned& r : p.row) r = static_cast<unsigned>(rng_() % memory_.size());
    if (bench_.one_in(2)) p.row = rows_;  // those of the pass before
    for (uint8_t& b : p.data) b = static_cast<uint8_t>(rng_());
    for (uint8_t& b : p.others) b = static_cast<uint8_t>(rng_());
    for (bool& b : p.bytes) b = rng_() & 1;
    if (cls == kAtomic) atomic(p);
    rows_ = p.row;
    return p;
  }

  // Words, or doublewords, of the banks, where each has its ALU; else one lane's. Values are alike now and then.
  void atomic(Pass& p) {
    p.reduces = bench_.one_in(3);
    p.size = 4 + static_cast<unsigned>(rng_() % 2);
    if (p.size == 5 && bench_.one_in(4)) {
      p.atom_op = static_cast<unsigned>(isa::AtomOp::Arrive);
      p.atom_sign = false;
    }
    if (top_.bank_atomics_o) {
      const unsigned words = p.size - 3;
      if (words == 2) p.banks = (p.banks & 0x55555555) * 3;
      for (unsigned b = 0; b < 32; b++) {
        p.row[b] = p.row[b / words * words];
        if (bench_.one_in(3)) std::copy_n(&memory_[p.row[b]][4 * b], 4, &p.data[4 * b]);
      }
      return;
    }
    p.lanes &= ~p.lanes + 1;
    const unsigned first = static_cast<unsigned>(rng_() % reach_) & ~(p.size - 4);
    p.offset = 4 * first;
    p.banks = (p.size == 5 ? 3u : 1u) << first;
    p.row.fill(p.row[0]);
    p.pieces = 1u << first % 8 / words_;
    if (bench_.one_in(2)) std::copy_n(&memory_[p.row[0]][p.offset], 8, p.data.begin());
  }

  // Of what stands beside each other in a piece: its word in what the pass reaches.
  unsigned word_of(unsigned i, unsigned piece) const { return i / words_ * 8 + piece * words_ + i % words_; }

  // What comes with the pass, and what of it stands beside it while it is here.
  void present(const Pass& p) {
    top_.cls_i = p.cls;
    top_.entry_i = p.entry;
    top_.size_i = p.size;
    top_.atom_op_i = p.atom_op;
    top_.atom_type_i = p.atom_sign;
    top_.reduces_i = p.reduces;
    top_.warp_i = p.warp;
    top_.seq_i = p.seq;
    top_.last_i = p.last;
    top_.slice_i = p.slice;
    top_.lanes_i = p.lanes;
    top_.bank_used_i = p.banks;
    for (unsigned w = 0; w < 16; w++) top_.bank_row_i[w] = p.row[2 * w] | p.row[2 * w + 1] << 16;
  }
  void stands(const Pass& p) {
    for (unsigned w = 0; w < 32; w++) top_.words_i[w] = word(p.data, w), top_.others_i[w] = word(p.others, w);
    for (unsigned w = 0; w < 4; w++) top_.bytes_i[w] = 0;
    for (unsigned b = 0; b < 128; b++) top_.bytes_i[b / 32] |= static_cast<uint32_t>(p.bytes[b]) << b % 32;
    top_.atom_offset_i = p.offset;
    top_.pieces_i = p.pieces;
  }

  // One cycle: `next` is offered; true when it is taken.
  bool cycle(const Pass* next) {
    top_.pass_valid_i = next != nullptr;
    if (next) present(*next);
    bench_.settle();
    EXPECT_EQ(top_.valid_o, here_.has_value());
    EXPECT_EQ(top_.stores_o, here_ && here_->cls != kLoad);
    EXPECT_EQ(top_.idle_o, !here_ && !top_.gather_valid_o);
    if (top_.gather_valid_o) gathered();
    if (top_.end_valid_o) {
      EXPECT_FALSE(ends_.empty());
      if (!ends_.empty()) {
        EXPECT_EQ(top_.end_entry_o, ends_.front());
        ends_.pop_front();
      }
    }
    if (top_.trace_valid_o) traced();
    if (here_ && top_.pass_ready_o) here_.reset();
    const bool taken = next && top_.pass_ready_o;
    bench_.tick();
    if (taken) {
      here_ = *next;
      stands(*next);
      perform(*next);
    }
    bench_.settle();
    return taken;
  }
  void run(const Pass& p) {
    for (int n = 0; !cycle(&p); n++) ASSERT_LT(n, 100);
  }
  void drain() {
    for (int n = 0; here_ || !shows_.empty() || !ends_.empty() || !events_.empty(); n++) {
      ASSERT_LT(n, 100);
      cycle(nullptr);
    }
    cycle(nullptr);
    EXPECT_TRUE(top_.idle_o);
  }

  // Passes are performed in the order in which they are taken.
  void perform(const Pass& p) {
    Row read{};
    for (unsigned b = 0; b < reach_; b++)
      if (p.banks >> b & 1) std::copy_n(&memory_[p.row[b]][4 * b], 4, &read[4 * b]);
    for (unsigned left = p.pieces; p.gathers() && left; left &= left - 1)
      shows_.push_back({p, read, static_cast<unsigned>(__builtin_ctz(left)), (left & (left - 1)) == 0});
    if (p.last) ends_.push_back(p.entry);
    events_.push_back(p);
    if (p.cls == kStore) {
      for (unsigned b = 0; b < 4 * reach_; b++)
        if (p.banks >> b / 4 & 1 && p.bytes[b] && p.pieces >> b / 4 % 8 / words_ & 1)
          memory_[p.row[b / 4]][b] = p.data[b];
    } else if (p.cls == kAtomic && top_.bank_atomics_o) {
      const unsigned size = p.size == 5 ? 8 : 4;
      for (unsigned at = 0; at < 128; at += size)
        if (p.banks >> at / 4 & 1) change(p, &memory_[p.row[at / 4]][at], &p.data[at], &p.others[at]);
    } else if (p.cls == kAtomic) {
      change(p, &memory_[p.row[0]][p.offset], &p.data[0], &p.data[8]);
    }
  }
  static void change(const Pass& p, uint8_t* at, const uint8_t* b, const uint8_t* c) {
    const unsigned size = p.size == 5 ? 8 : 4;
    const auto number = [size](const uint8_t* from) {
      return word(from, 0) | (size == 8 ? uint64_t{word(from, 1)} << 32 : 0);
    };
    const uint64_t now =
        atomic_reference(static_cast<isa::AtomOp>(p.atom_op), p.atom_sign ? isa::AtomType::S : isa::AtomType::U,
                         size == 8, true, number(at), number(b), number(c));
    for (unsigned i = 0; i < size; i++) at[i] = static_cast<uint8_t>(now >> 8 * i);
  }

  // What is shown stands until it is gathered.
  void gathered() {
    ASSERT_FALSE(shows_.empty());
    const Shown& s = shows_.front();
    ASSERT_EQ(top_.gather_entry_o, s.pass.entry);
    ASSERT_EQ(top_.gather_slice_o, s.pass.slice);
    ASSERT_EQ(top_.gather_size_o, s.pass.size);
    ASSERT_EQ(top_.gather_lanes_o, s.pass.lanes);
    ASSERT_EQ(top_.gather_last_o, pieces_ == 1 || s.last);
    if (pieces_ > 1) {
      ASSERT_EQ(top_.gather_piece_o, s.piece);
    }
    for (unsigned i = 0; i < reach_ / pieces_; i++) {
      const unsigned w = word_of(i, s.piece);
      if (s.pass.banks >> w & 1) {
        ASSERT_EQ(top_.gather_line_o[i], word(s.read, w)) << "word " << w;
      }
    }
    if (top_.gather_done_i) shows_.pop_front();
  }

  void traced() {
    ASSERT_FALSE(events_.empty());
    const Pass& p = events_.front();
    ASSERT_EQ(top_.trace_stores_o, p.cls != kLoad);
    ASSERT_EQ(top_.trace_warp_o, p.warp);
    ASSERT_EQ(top_.trace_seq_o, p.seq);
    ASSERT_EQ(top_.trace_lanes_o, p.lanes << p.slice * lanes_);
    events_.pop_front();
  }

  // Cycles in which so many passes are taken, one after the other.
  unsigned cycles_for(const std::vector<Pass>& passes) {
    unsigned cycles = 0;
    for (const Pass& p : passes) do
        cycles++;
      while (!cycle(&p) && cycles < 10000);
    return cycles;
  }

  struct Shown {
    Pass pass;
    Row read;
    unsigned piece;
    bool last;
  };

  RtlBench<Vlsu_shared_top> bench_;
  Vlsu_shared_top& top_;
  std::mt19937_64& rng_;
  std::vector<Row> memory_;
  std::array<unsigned, 32> rows_{};
  std::optional<Pass> here_;
  std::deque<Shown> shows_;
  std::deque<unsigned> ends_;
  std::deque<Pass> events_;
  unsigned reach_ = 0, lanes_ = 0;   // words of a pass, its lanes
  unsigned pieces_ = 1, words_ = 8;  // of a sector; in a piece
};

// The first is taken at once, each other one when that before it is through.
TEST_F(LsuShared, ALoadAndAStoreTakeACycleForEachPiece) {
  drain();
  std::vector<Pass> passes;
  unsigned pieces = 1;
  for (int n = 0; n < 100; n++) {
    passes.push_back(random_pass(n % 2 ? kStore : kLoad));
    if (n < 99) pieces += static_cast<unsigned>(__builtin_popcount(pieces_ == 1 ? 1 : passes.back().pieces));
  }
  EXPECT_EQ(cycles_for(passes), pieces);
  drain();
}

// Where the banks have ALUs one pass is read while the one before it is written.
TEST_F(LsuShared, AnAtomicIsReadChangedAndWritten) {
  drain();
  std::vector<Pass> passes;
  for (int n = 0; n < 50; n++) {
    passes.push_back(random_pass(kAtomic));
    if (top_.bank_atomics_o && passes.back().atom_op == kCas) passes.back().atom_op = 0;
  }
  EXPECT_EQ(cycles_for(passes), 1u + 49 * (top_.bank_atomics_o ? 1 : 4));
  drain();
}

// Words to compare, then new ones.
TEST_F(LsuShared, ACompareAndSwapTakesTwoTurnsOfTheBanks) {
  if (!top_.bank_atomics_o) GTEST_SKIP() << "atomics go lane by lane";
  drain();
  std::vector<Pass> passes;
  for (int n = 0; n < 50; n++) {
    passes.push_back(random_pass(kAtomic));
    passes.back().atom_op = kCas;
  }
  EXPECT_EQ(cycles_for(passes), 1u + 49 * 2);
  drain();
}

TEST_F(LsuShared, RandomPasses) {
  for (int n = 0; n < 20000; n++) {
    const Pass p = random_pass(static_cast<unsigned>(rng_() % 3));
    do {
      while (bench_.one_in(4)) {
        top_.gather_done_i = !bench_.one_in(3);
        cycle(nullptr);
      }
      top_.gather_done_i = !bench_.one_in(3);
    } while (!cycle(&p));
    ASSERT_FALSE(HasFailure()) << "pass " << n;
  }
  top_.gather_done_i = 1;
  drain();
}

}  // namespace
}  // namespace heddle::test
