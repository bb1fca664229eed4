// SPDX-License-Identifier: Apache-2.0
// Stores that are joined, against a memory that takes everything at once and in order: whoever comes to a line finds
// its earlier stores done, every byte arrives, acknowledgements add up, and nobody waits longer than is promised.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "Vwrite_combine_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Kind { kRead, kWrite, kAtomic, kReduce };
constexpr unsigned kWarps = 8;

using LineBytes = std::array<uint8_t, 128>;

struct Request {
  unsigned kind = kRead, line = 0, sectors = 0, warp = 0, seq = 0;
  bool joins = false;
  std::array<bool, 128> mask{};
  LineBytes data{};
};

class WriteCombine : public ::testing::Test {
 protected:
  WriteCombine() : bench_(seed()), top_(*bench_.top) {
    top_.in_valid_i = top_.out_done_i = 0;
    top_.wanted_i = 0;
    bench_.reset();
    bench_.settle();
    lines_ = top_.lines_o;
  }

  Request store(unsigned line, unsigned warp, unsigned first, unsigned bytes) {
    Request r{kWrite, line, 0, warp, seq_++ & 0xffffu, true, {}, {}};
    for (unsigned b = first; b < first + bytes; b++) {
      r.mask[b] = true;
      r.data[b] = static_cast<uint8_t>(bench_.rng());
      r.sectors |= 1u << b / 32;
    }
    return r;
  }

  // A cycle. What is offered stays until it is taken; the link takes a beat if it is ready.
  void cycle(bool link) {
    top_.in_valid_i = offered_.has_value();
    if (offered_) {
      top_.kind_i = offered_->kind;
      top_.line_i = offered_->line;
      top_.sectors_i = offered_->sectors;
      top_.warp_i = offered_->warp;
      top_.seq_i = offered_->seq;
      top_.joins_i = offered_->joins;
      for (unsigned w = 0; w < 4; w++) top_.mask_i[w] = 0;
      for (unsigned b = 0; b < 128; b++) {
        if (offered_->mask[b]) top_.mask_i[b / 32] |= 1u << b % 32;
        top_.data_i[b / 4] = (top_.data_i[b / 4] & ~(0xffu << b % 4 * 8)) | uint32_t{offered_->data[b]} << b % 4 * 8;
      }
    }
    top_.out_done_i = 0;
    bench_.settle();
    const bool valid = top_.out_valid_o;
    unsigned todo = 0;
    bool beat = false, last = false;
    if (valid) {
      todo = top_.sectors_o & ~sent_;
      ASSERT_NE(todo, 0u);
      top_.out_sector_i = static_cast<unsigned char>(__builtin_ctz(todo));
      last = top_.kind_o == kRead || (todo & (todo - 1)) == 0;
      beat = link;
      top_.out_done_i = beat && last;
    }
    bench_.settle();
    ASSERT_EQ(top_.out_valid_o != 0, valid);
    if (top_.joined_o) {
      joined_ += top_.joined_o;
      count_[top_.joined_warp_o] -= top_.joined_o;
    }
    // A beat first: what is taken in the same cycle comes after it.
    if (beat) {
      const unsigned sector = top_.out_sector_i;
      if (top_.kind_o == kWrite) {
        ASSERT_NE(top_.mask_o, 0u);
        for (unsigned b = 0; b < 32; b++)
          if (top_.mask_o >> b & 1)
            memory_[top_.line_o][32 * sector + b] = static_cast<uint8_t>(top_.data_o[b / 4] >> b % 4 * 8);
        const bool direct = offered_ && offered_->kind == kWrite && !offered_->joins && offered_->seq == top_.seq_o &&
                            offered_->warp == top_.warp_o && offered_->line == top_.line_o;
        if (!direct) {
          count_[top_.warp_o]--;
          ASSERT_EQ(top_.warp_o, last_warp_[top_.line_o]);
          ASSERT_EQ(top_.seq_o, sector_seq_[top_.line_o * 4 + sector]);
          if (last) dirty_since_.erase(top_.line_o);
        }
        beats_++;
      }
      sent_ = last ? 0 : sent_ | 1u << sector;
    }
    // What is taken: those before it to its line are done, if they do not wait for it.
    const bool takes = offered_ && top_.in_ready_o;
    const bool passes = takes && valid && beat && last && top_.kind_o == offered_->kind &&
                        top_.line_o == offered_->line && top_.joined_o == 0 &&
                        (offered_->kind != kWrite || !offered_->joins);
    if (takes) {
      Request& r = *offered_;
      const bool keeps = r.kind == kWrite && r.joins;
      ASSERT_TRUE(keeps || passes) << "taken, and it does not leave";
      if (r.kind != kWrite || (keeps && (last_warp_[r.line] != r.warp || last_seq_[r.line] == r.seq)))
        expect_done(r.line);
      if (r.kind == kWrite) {
        if (keeps) {
          count_[r.warp] += __builtin_popcount(r.sectors);
          if (!dirty_since_.count(r.line)) dirty_since_[r.line] = bench_.cycle;
          written_[r.warp].insert(r.line);
          last_warp_[r.line] = r.warp;
          last_seq_[r.line] = r.seq;
          for (unsigned s = 0; s < 4; s++)
            if (r.sectors >> s & 1) sector_seq_[r.line * 4 + s] = r.seq;
        }
        for (unsigned b = 0; b < 128; b++)
          if (r.mask[b]) expected_[r.line][b] = r.data[b];
      }
      taken_++;
    }
    busy_ += valid;
    bench_.tick();
    if (takes) offered_.reset();
    for (unsigned w = 0; w < kWarps; w++) {
      ASSERT_GE(count_[w], 0);
      if (count_[w] == 0) {
        for (const unsigned line : written_[w])
          if (last_warp_[line] == w) expect_done(line);
        written_[w].clear();
      }
    }
  }

  void expect_done(unsigned line) { ASSERT_TRUE(memory_[line] == expected_[line]) << "line " << line; }

  void take(const Request& r) {
    offered_ = r;
    for (unsigned n = 0; n < 100 && offered_; n++) cycle(true);
    ASSERT_FALSE(offered_.has_value());
  }
  // Cycles until all that a warp has stored is out.
  unsigned wait(unsigned warp) {
    unsigned n = 0;
    while (count_[warp] != 0 && n < 1000) cycle(true), n++;
    return n;
  }

  RtlBench<Vwrite_combine_top> bench_;
  Vwrite_combine_top& top_;
  unsigned lines_ = 0, seq_ = 0, sent_ = 0;
  uint64_t joined_ = 0, beats_ = 0, busy_ = 0, taken_ = 0;
  std::optional<Request> offered_;
  std::map<unsigned, LineBytes> expected_, memory_;
  std::map<unsigned, unsigned> last_warp_, last_seq_, sector_seq_;
  std::map<unsigned, uint64_t> dirty_since_;
  std::array<int, 64> count_{};
  std::array<std::set<unsigned>, kWarps> written_;
};

TEST_F(WriteCombine, PiecesOfALineLeaveTogetherWhenItIsWhole) {
  for (unsigned at = 0; at < 128; at += 16) take(store(5, 1, at, 16));
  EXPECT_LE(wait(1), 6u);
  EXPECT_EQ(beats_, 4u);
  EXPECT_EQ(joined_, 4u);  // each sector came twice
}

TEST_F(WriteCombine, ALineThatIsNotWholeWaits) {
  take(store(5, 1, 0, 64));
  for (unsigned n = 0; n < 50; n++) cycle(true);
  EXPECT_EQ(beats_, 0u);
  top_.wanted_i = 2;
  EXPECT_LE(wait(1), 5u);
  EXPECT_EQ(beats_, 2u);
}

TEST_F(WriteCombine, ItLeavesInTheEnd) {
  take(store(5, 1, 0, 64));
  const unsigned cycles = wait(1);
  EXPECT_GE(cycles, 60u);
  EXPECT_LE(cycles, 134u);
}

TEST_F(WriteCombine, ThePlaceOfTheOldestIsGivenAway) {
  for (unsigned n = 0; n <= lines_; n++) take(store(n, 1, 0, 32));
  EXPECT_GE(beats_, 1u);
  expect_done(0);
}

// Each opens one and drives one out.
TEST_F(WriteCombine, LinesOfOneSectorGoOneACycle) {
  for (unsigned n = 0; n < lines_; n++) take(store(n, 1, 0, 32));
  const uint64_t begin = bench_.cycle;
  for (unsigned n = 0; n < 100; n++) take(store(100 + n, 1, 32, 32));
  EXPECT_LE(bench_.cycle - begin, 110u);
  EXPECT_GE(beats_, 98u);
}

TEST_F(WriteCombine, BytesAreToldInATurnOfTheirOwn) {
  take(store(5, 1, 0, 64));  // whole sectors
  top_.wanted_i = 2;
  const unsigned whole = wait(1);
  top_.wanted_i = 0;
  cycle(true), cycle(true);
  take(store(5, 1, 0, 63));
  top_.wanted_i = 2;
  EXPECT_EQ(wait(1), whole + top_.mask_turn_o);
}

TEST_F(WriteCombine, AReadFindsWhatWasStored) {
  take(store(5, 1, 8, 8));
  take(Request{kRead, 5, 1, 2, 0, false, {}, {}});
  EXPECT_EQ(beats_, 1u);
  expect_done(5);
}

TEST_F(WriteCombine, PassesOfAnInstructionAreNotJoined) {
  Request first = store(5, 1, 0, 8), second = store(5, 1, 0, 4);
  second.seq = first.seq;
  take(first);
  take(second);
  EXPECT_EQ(joined_, 0u);
  EXPECT_EQ(beats_, 1u);
}

TEST_F(WriteCombine, RandomRequests) {
  auto& rng = bench_.rng;
  uint64_t seen[4] = {}, overlaps = 0, wanted = 0, longest_wait = 0;
  unsigned waits[kWarps] = {};
  std::vector<unsigned> last_of(kWarps);
  while (taken_ < 60000) {
    const unsigned phase = static_cast<unsigned>(bench_.cycle / 600 % 4);  // free, slow link, few requests, one warp
    if (!offered_ && !bench_.one_in(phase == 2 ? 1 : 8) && !(phase == 2 && !bench_.one_in(40))) {
      const unsigned warp = phase == 3 ? 3 : static_cast<unsigned>(rng() % kWarps);
      const unsigned line = static_cast<unsigned>(rng() % (bench_.one_in(3) ? 64 : lines_ + 2));
      unsigned kind = bench_.one_in(5) ? static_cast<unsigned>(rng() % 4) : unsigned{kWrite};
      if (waits[warp] && kind == kWrite) kind = kRead;  // who waits for its stores sends none
      Request r;
      if (kind == kWrite) {
        const unsigned bytes = 1u << rng() % 8, first = static_cast<unsigned>(rng() % (128 / bytes)) * bytes;
        r = store(line, warp, first, bytes);
        for (unsigned b = 0; b < 128 && bytes > 4; b++)
          if (r.mask[b] && bench_.one_in(40) && b % 32 != first % 32) r.mask[b] = false;
        r.joins = !bench_.one_in(12);
        if (r.joins && bench_.one_in(10)) r.seq = last_of[warp], overlaps++;
        if (r.joins) last_of[warp] = r.seq;
      } else {
        r = Request{kind, line, 1 + static_cast<unsigned>(rng() % 15), warp, seq_++ & 0xffffu, false, {}, {}};
      }
      seen[kind]++;
      offered_ = r;
    }
    // Some wait for their stores.
    for (unsigned w = 0; w < kWarps; w++) {
      if (waits[w] && (count_[w] == 0 || phase == 1)) {
        waits[w] = 0;
        top_.wanted_i &= ~(1ull << w);
      } else if (waits[w]) {
        waits[w]++;
        longest_wait = std::max<uint64_t>(longest_wait, waits[w]);
        ASSERT_LE(waits[w], 12 * lines_ + 20) << "warp " << w << " waits too long for its stores";
      } else if (count_[w] && phase != 1 && bench_.one_in(200)) {
        waits[w] = 1;
        wanted++;
        top_.wanted_i |= 1ull << w;
      }
    }
    cycle(phase == 1 ? bench_.one_in(4) : true);
    if (HasFatalFailure()) return;
    if (phase != 1 && bench_.cycle % 600 > 400) {
      for (const auto& [line, since] : dirty_since_) {
        ASSERT_LE(bench_.cycle - since, 128 + 8 * lines_ + 400) << "line " << line << " never leaves";
      }
    }
  }
  for (unsigned n = 0; n < 400; n++) cycle(true);
  for (const auto& [line, bytes] : expected_) expect_done(line);
  for (unsigned w = 0; w < kWarps; w++) EXPECT_EQ(count_[w], 0);
  for (const uint64_t n : {seen[kRead], seen[kWrite], seen[kAtomic], overlaps, wanted, joined_}) EXPECT_GT(n, 100u);
}

}  // namespace
}  // namespace heddle::test
