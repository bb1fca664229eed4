// SPDX-License-Identifier: Apache-2.0
// Requests of lines against a list of sectors: each leaves once, in order, with what belongs to it, a read's together
// where sectors travel whole; and what is promised as room is there.
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "Vlsu_requests_top.h"
#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Kind { kRead, kWrite, kAtomic, kReduce };

struct Request {
  unsigned kind = kRead, id = 0, piece = 0;
  bool last = true;
  uint64_t sector = 0, rest = 0;
  uint32_t mask = 0;
  std::array<uint32_t, 8> words{};
};

class LsuRequests : public ::testing::Test {
 protected:
  LsuRequests() : bench_(seed()), top_(*bench_.top) {
    top_.wr_valid_i = top_.req_ready_i = 0;
    bench_.reset();
    bench_.settle();
    sectors_ = top_.pass_sectors_o;
    pieces_ = top_.pieces_o;
    words_ = 8 / pieces_;
  }

  // Offers a beat of an operation; what shall leave is noted.
  void offer(unsigned kind, uint64_t line, unsigned first, unsigned sectors, unsigned piece, bool last) {
    auto& rng = bench_.rng;
    top_.wr_valid_i = 1;
    top_.kind_i = kind;
    top_.id_i = kind == kRead ? static_cast<unsigned>(rng() % 32) * 4 : static_cast<unsigned>(rng() % 128);
    top_.line_i = line;
    top_.sector_i = first;
    top_.sectors_i = sectors;
    top_.piece_i = piece;
    top_.last_i = last;
    for (unsigned w = 0; w < 32; w++) top_.data_i[w] = static_cast<uint32_t>(rng());
    for (unsigned w = 0; w < 4; w++) top_.mask_i[w] = static_cast<uint32_t>(rng());
    top_.rest_i = rng();
    leave_ = kind == kRead && pieces_ == 1 ? 1 : static_cast<size_t>(__builtin_popcount(sectors));
    for (unsigned s = 0; s < sectors_; s++) {
      if (!(sectors >> s & 1)) continue;
      if (kind == kRead && pieces_ == 1 && (sectors & ((1u << s) - 1)) != 0) {
        waiting_.back().mask |= 1u << (first + s);
        continue;
      }
      Request r;
      r.kind = kind;
      r.id = kind == kRead ? top_.id_i + first + s : top_.id_i;
      r.sector = line * 4 + first + s;
      r.piece = piece;
      r.last = last;
      r.rest = top_.rest_i;
      for (unsigned w = 0; w < words_; w++) r.words[w] = top_.data_i[s * words_ + w];
      for (unsigned b = 0; b < 4 * words_; b++) {
        const unsigned n = 4 * words_ * s + b;
        r.mask |= (top_.mask_i[n / 32] >> n % 32 & 1) << b;
      }
      if (kind == kRead) r.mask = 0, r.words = {};  // but for further sectors
      waiting_.push_back(r);
    }
  }

  void check(const Request& r) {
    ASSERT_EQ(top_.kind_o, r.kind);
    ASSERT_EQ(top_.id_o, r.id);
    ASSERT_EQ(top_.sector_o, r.sector);
    ASSERT_EQ(top_.piece_o, r.piece);
    ASSERT_EQ(top_.last_o, r.last);
    ASSERT_EQ(top_.mask_o, r.mask);
    for (unsigned w = 0; w < words_; w++) ASSERT_EQ(top_.data_o[w], r.words[w]);
    ASSERT_EQ(top_.rest_o, r.rest & ((1ull << top_.rest_bits_o) - 1));
  }

  RtlBench<Vlsu_requests_top> bench_;
  Vlsu_requests_top& top_;
  std::deque<Request> waiting_;
  size_t leave_ = 0;                               // requests of what was offered last
  unsigned sectors_ = 0, pieces_ = 0, words_ = 0;  // of a pass; of a sector; in a piece
};

TEST_F(LsuRequests, SectorsLeaveFromTheLowestOn) {
  const unsigned all = (1u << sectors_) - 1, some = sectors_ == 1 ? 1 : all & 5;
  offer(kRead, 5, 0, some, 0, true);
  bench_.tick();
  top_.wr_valid_i = 0;
  top_.req_ready_i = 1;
  for (unsigned n = 0; n < 10; n++) {
    bench_.settle();
    if (top_.req_valid_o) {
      ASSERT_FALSE(waiting_.empty());
      check(waiting_.front());
      waiting_.pop_front();
    }
    bench_.tick();
  }
  EXPECT_TRUE(waiting_.empty());
}

// In how many cycles each request leaves after the one before it, when neither link nor sender ever waits.
TEST_F(LsuRequests, AtomicsOfSeveralLanesTakeATurnMoreForEachRun) {
  auto& rng = bench_.rng;
  struct Sent {
    unsigned kind, sector;
    uint64_t line, rest;
    bool swaps, several, half, turn = false;
  };
  std::vector<Sent> all;
  const unsigned top_bit = top_.rest_bits_o - 1;
  const uint64_t atom_op = 15ull << (top_bit - 9), half_bit = 1ull << top_bit;
  while (all.size() < 5000) {
    Sent one{};
    one.kind = bench_.one_in(5) ? kWrite : bench_.one_in(2) ? kAtomic : kReduce;
    one.swaps = bench_.one_in(3);
    one.line = rng() % 4;
    one.rest = rng() & ~atom_op & ~half_bit;
    one.rest |= static_cast<uint64_t>(one.swaps ? isa::AtomOp::Cas : isa::AtomOp::Add) << (top_bit - 9);
    for (unsigned n = 1 + static_cast<unsigned>(rng() % 6); n > 0; n--) {
      if (bench_.one_in(4)) one.line = rng() % 4;
      one.sector = static_cast<unsigned>(rng() % 4) | (bench_.one_in(2) ? one.sector : 0u);
      one.several = bench_.one_in(3);
      one.half = bench_.one_in(2);
      all.push_back(one);
    }
  }
  // Runs, and which of their requests is the first that more than one lane makes.
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    const auto place = [&](size_t n) { return all[n].sector * 2 + (all[n].swaps && all[n].half); };
    end = begin + 1;
    if (all[begin].kind == kWrite) continue;
    while (end < all.size() && all[end].kind != kWrite && all[end].line == all[begin].line &&
           place(end) > place(end - 1) && all[end].rest == all[begin].rest)
      end++;
    if (all[begin].swaps || all[begin].several) all[begin].turn = true;
    else if (end - begin > 1) all[begin + 1].turn = true;
  }
  size_t offered = 0, left = 0;
  uint64_t before = 0;
  unsigned turns = 0;
  top_.req_ready_i = 1;
  while (left < all.size()) {
    top_.wr_valid_i = 0;
    bench_.settle();
    if (offered < all.size() && top_.room_o) {
      const Sent& one = all[offered++];
      offer(one.kind, one.line, sectors_ == 1 ? one.sector : 0, sectors_ == 1 ? 1 : 1u << one.sector, 0, true);
      top_.rest_i = waiting_.back().rest = one.rest | (one.half ? half_bit : 0);
      top_.several_i = one.several;
      bench_.settle();
    }
    if (top_.req_valid_o) {
      check(waiting_.front());
      if (HasFatalFailure()) return;
      waiting_.pop_front();
      const unsigned turn = top_.mask_turn_o && all[left].turn;
      if (left > 0) {
        ASSERT_EQ(bench_.cycle - before, 1 + turn) << left;
      }
      before = bench_.cycle;
      turns += turn;
      left++;
    }
    bench_.tick();
  }
  EXPECT_EQ(turns > 1000, top_.mask_turn_o) << turns;
}

TEST_F(LsuRequests, RandomOperations) {
  auto& rng = bench_.rng;
  unsigned done = 0, full = 0;
  // The operation that is being sent: beats of one sector after the other.
  unsigned kind = kRead, left = 0, piece = 0, beats = 1, first = 0, together = 0;
  uint64_t line = 0;
  while (done < 30000) {
    const unsigned phase = static_cast<unsigned>(bench_.cycle / 400 % 3);  // both, slow link, slow sender
    top_.wr_valid_i = 0;
    bench_.settle();
    if (!left && !together && !bench_.one_in(phase == 2 ? 2 : 6)) {
      if (top_.room_o) {
        kind = static_cast<unsigned>(rng() % 3);
        line = rng() & 0x1ffffffff;
        first = static_cast<unsigned>(rng() % 4) / sectors_ * sectors_;
        const unsigned some = 1 + static_cast<unsigned>(rng() % ((1u << sectors_) - 1));
        const unsigned sectors = kind == kAtomic ? some & -some : some;
        beats = kind == kRead ? 1 : kind == kAtomic ? (pieces_ == 4 ? 2 : 1) : pieces_;
        (kind == kRead || pieces_ == 1 ? together : left) = sectors;
        piece = 0;
      } else {
        full++;
      }
    }
    if (together) {
      offer(kind, line, first, together, 0, true);
      together = 0;
    } else if (left && !bench_.one_in(8)) {
      offer(kind, line, first, left & -left, piece, piece + 1 == beats);
      if (++piece == beats) left &= left - 1, piece = 0;
    }
    top_.req_ready_i = !bench_.one_in(phase == 1 ? 2 : 10) && !(phase == 1 && bench_.one_in(2));
    bench_.settle();
    const size_t offered = top_.wr_valid_i ? leave_ : 0;
    ASSERT_TRUE(!top_.req_valid_o || waiting_.size() > offered);
    if (top_.req_valid_o) {
      check(waiting_.front());
      if (HasFatalFailure()) return;
      if (top_.req_ready_i) {
        waiting_.pop_front();
        done++;
      }
    }
    bench_.tick();
  }
  EXPECT_GT(full, 100u);
}

}  // namespace
}  // namespace heddle::test
