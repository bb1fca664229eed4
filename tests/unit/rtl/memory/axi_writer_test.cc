// SPDX-License-Identifier: Apache-2.0
// Write-backs against an AXI4 memory that takes addresses and data apart and answers in any order.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <vector>

#include "Vaxi_writer.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kPlaces = 4, kBeatBytes = HEDDLE_DATABITS / 8;
// l2_pkg::write_back_t: data and mask of a bank's piece, as many banks as the preset has; piece, sector.
constexpr unsigned kBanks = sizeof(Vaxi_writer::row_i) > 100 ? 4 : 1, kPieces = kBanks == 4 ? 1 : 4,
                   kPieceBytes = 32 / kPieces;
constexpr unsigned kPieceBits = 9 * kPieceBytes, kMask = 8 * kPieceBytes, kPiece = kBanks * kPieceBits,
                   kSector = kPiece + (kPieces > 1 ? 2 : 1);
constexpr uint64_t kBase = 0x1000000000;

struct Line {
  uint64_t line;
  unsigned sectors;  // that are dirty, perhaps without a dirty byte
  std::array<uint8_t, 128> data;
  std::array<bool, 128> dirty;
};

// Bits that lie in one word.
template <typename Port>
uint64_t bits_of(const Port& port, unsigned lsb, unsigned width) {
  return port_word(port, lsb / 32) >> lsb % 32 & ((1u << width) - 1);
}

class AxiWriter : public ::testing::Test {
 protected:
  AxiWriter() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.reserve_i = top_.row_valid_i = top_.m_axi_bvalid_i = 0;
    top_.m_axi_awready_i = top_.m_axi_wready_i = 1;
    bench_.reset();
    bench_.settle();
  }

  unsigned aw_stall_ = 0, w_stall_ = 0, b_stall_ = 0;
  bool refuse_ = false;

  Line random_line(unsigned sectors, unsigned density) {
    Line l{};
    l.line = rng_() & 0x1fffffff;
    l.sectors = sectors;
    for (unsigned b = 0; b < 128; b++) {
      l.data[b] = static_cast<uint8_t>(rng_());
      l.dirty[b] = sectors >> b / 32 & 1 && bench_.one_in(density);
    }
    return l;
  }

  // One cycle: perhaps a line is reserved, perhaps a piece of each sector, or of one, of the oldest reserved one comes.
  void cycle(const Line* reserve = nullptr, bool bring = false) {
    const auto stall = [&](unsigned n) { return n != 0 && bench_.one_in(n); };
    top_.reserve_i = reserve != nullptr;
    if (reserve) top_.reserve_line_i = reserve->line, top_.reserve_dirty_i = reserve->sectors;
    top_.row_valid_i = bring;
    bool whole = false;
    if (bring) {
      const Line& l = due_.front();
      unsigned first = brought_;
      if (kBanks == 1)
        while (!(l.sectors >> first & 1)) first++;
      set_bits(top_.row_i, kPiece, kSector - kPiece, piece_);
      set_bits(top_.row_i, kSector, 2, first);
      for (unsigned n = 0; n < kPieceBytes * kBanks; n++) {
        const unsigned bank = n / kPieceBytes, at = n % kPieceBytes,
                       b = 32 * (first + bank) + kPieceBytes * piece_ + at;
        // The mask of a clean sector says nothing.
        const bool dirty = l.sectors >> (first + bank) & 1 ? l.dirty[b] : rng_() & 1;
        set_bits(top_.row_i, bank * kPieceBits + at * 8, 8, l.data[b]);
        set_bits(top_.row_i, bank * kPieceBits + kMask + at, 1, dirty);
      }
      piece_ = (piece_ + 1) % kPieces;
      if (piece_ == 0) brought_ = first + kBanks;
      whole = piece_ == 0 && l.sectors >> brought_ == 0;
      if (whole) brought_ = 0;
    }
    top_.m_axi_awready_i = !stall(aw_stall_);
    top_.m_axi_wready_i = !stall(w_stall_);
    if (!answering_ && !written_.empty() && !stall(b_stall_)) {
      const size_t n = rng_() % written_.size();
      top_.m_axi_bid_i = written_[n];
      top_.m_axi_bresp_i = refuse_ ? 2 : 0;
      written_.erase(written_.begin() + static_cast<long>(n));
      answering_ = true;
    }
    top_.m_axi_bvalid_i = answering_;
    // Some line that is held, or any other.
    uint64_t check = rng_() & 0x1fffffff;
    if (!held_.empty() && bench_.one_in(2)) check = held_[rng_() % held_.size()].line;
    top_.check_line_i = check;
    bench_.settle();
    bool held = false;
    for (const Line& l : held_) held |= l.line == check;
    ASSERT_EQ(top_.check_hit_o, held);
    ASSERT_EQ(top_.busy_o, !held_.empty());
    ASSERT_EQ(top_.room_o, !used_[reserved_ % kPlaces] && !used_[(reserved_ + 1) % kPlaces]);
    ASSERT_EQ(top_.error_o, error_);
    channel();
    if (HasFatalFailure()) return;
    const bool answered = answering_ && top_.m_axi_bready_o;
    const unsigned id = top_.m_axi_bid_i;
    bench_.tick();
    if (reserve) held_.push_back(*reserve), due_.push_back(*reserve), used_[reserved_++ % kPlaces] = true;
    if (whole) due_.pop_front();
    if (answered) {
      answering_ = false;
      used_.at(id) = false;
      error_ |= refuse_;
      const uint64_t line = id_line_.at(id);
      for (size_t n = 0; n < held_.size(); n++)
        if (held_[n].line == line) {
          held_.erase(held_.begin() + static_cast<long>(n));
          break;
        }
      id_line_.erase(id);
      done_++;
    }
    top_.reserve_i = top_.row_valid_i = 0;
    bench_.settle();
  }

  static uint64_t line_of(uint64_t address) { return (address - kBase) / 128; }

  void channel() {
    if (aw_held_) {
      ASSERT_TRUE(top_.m_axi_awvalid_o && top_.m_axi_awaddr_o == aw_.address && top_.m_axi_awlen_o == aw_.length &&
                  top_.m_axi_awid_o == aw_.id);
    }
    aw_held_ = top_.m_axi_awvalid_o && !top_.m_axi_awready_i;
    aw_ = {top_.m_axi_awaddr_o, top_.m_axi_awlen_o, top_.m_axi_awid_o};
    if (top_.m_axi_awvalid_o && top_.m_axi_awready_i) {
      ASSERT_FALSE(id_line_.contains(aw_.id)) << "id in use";
      id_line_[aw_.id] = line_of(aw_.address);
      addresses_.push_back(aw_);
    }
    std::vector<uint64_t> beat;
    for (unsigned b = 0; b < kBeatBytes; b++)
      beat.push_back(bits_of(top_.m_axi_wdata_o, 8 * b, 8) | bits_of(top_.m_axi_wstrb_o, b, 1) << 8);
    beat.push_back(top_.m_axi_wlast_o);
    if (w_held_) {
      ASSERT_TRUE(top_.m_axi_wvalid_o);
      ASSERT_EQ(beat, w_) << "data changed while stalled";
    }
    w_held_ = top_.m_axi_wvalid_o && !top_.m_axi_wready_i;
    w_ = beat;
    if (top_.m_axi_wvalid_o && top_.m_axi_wready_i) beats_.push_back(beat);
    burst();
  }

  // Address and all its data are there: what arrived must be a held line.
  void burst() {
    if (addresses_.empty() || beats_.size() < addresses_.front().length + 1u) return;
    const Aw aw = addresses_.front();
    addresses_.pop_front();
    const Line* line = nullptr;
    for (const Line& l : held_)
      if (l.line == line_of(aw.address)) line = &l;
    ASSERT_NE(line, nullptr) << "line that nobody brought";
    unsigned first = 4, last = 0;
    for (unsigned s = 0; s < 4; s++)
      if (line->sectors >> s & 1) first = std::min(first, s), last = std::max(last, s);
    ASSERT_EQ(aw.address, kBase + line->line * 128 + first * 32);
    ASSERT_EQ(aw.length + 1, (last - first + 1) * 32 / kBeatBytes);
    for (unsigned n = 0; n <= aw.length; n++) {
      const auto& beat = beats_.front();
      ASSERT_EQ(beat.back(), n == aw.length) << "wlast";
      for (unsigned b = 0; b < kBeatBytes; b++) {
        const unsigned at = first * 32 + n * kBeatBytes + b;
        ASSERT_EQ(beat[b] >> 8, line->dirty[at]) << "strobe of byte " << at;
        if (line->dirty[at]) {
          ASSERT_EQ(beat[b] & 0xff, line->data[at]) << "byte " << at;
        }
      }
      beats_.pop_front();
    }
    written_.push_back(aw.id);
  }

  void write(const Line& l) {
    cycle(&l);
    while (!due_.empty() && !HasFatalFailure()) cycle(nullptr, true);
    drain();
  }
  void drain() {
    for (int t = 0; t < 500 && !held_.empty(); t++) {
      cycle();
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(held_.empty()) << "write-back hangs";
  }

  struct Aw {
    uint64_t address;
    unsigned length, id;
  };
  RtlBench<Vaxi_writer> bench_;
  Vaxi_writer& top_;
  std::mt19937_64& rng_;
  std::array<bool, kPlaces> used_{};
  unsigned piece_ = 0;                   // of the sectors that come
  unsigned reserved_ = 0, brought_ = 0;  // lines; sectors of the oldest line that is due, from 0 on
  std::vector<Line> held_;               // from reservation to the answer
  std::deque<Line> due_;                 // reserved, data to come
  std::deque<Aw> addresses_;
  std::deque<std::vector<uint64_t>> beats_;
  std::vector<unsigned> written_;  // ids to be answered
  std::map<unsigned, uint64_t> id_line_;
  Aw aw_{};
  std::vector<uint64_t> w_;
  bool aw_held_ = false, w_held_ = false, answering_ = false, error_ = false;
  uint64_t done_ = 0;
};

TEST_F(AxiWriter, EverySetOfDirtySectorsIsOneBurst) {
  for (unsigned sectors = 1; sectors < 16; sectors++) {
    for (const unsigned density : {1u, 3u, 30u}) {
      write(random_line(sectors, density));
      ASSERT_FALSE(HasFatalFailure()) << "sectors " << sectors;
    }
  }
}

TEST_F(AxiWriter, ALineWithoutDirtyBytesIsOneSectorWithoutStrobes) {
  Line l = random_line(4, 1);
  l.dirty = {};
  write(l);
  EXPECT_EQ(done_, 1u);
}

TEST_F(AxiWriter, AnErrorOfMemoryIsRememberedUntilReset) {
  refuse_ = true;
  write(random_line(1, 1));
  refuse_ = false;
  write(random_line(15, 1));
  EXPECT_TRUE(top_.error_o);
}

TEST_F(AxiWriter, RandomLines) {
  for (int round = 0; round < 60; round++) {
    const auto stall = [&] { return static_cast<unsigned>(rng_() % 4 == 0 ? 0 : 2 + rng_() % 4); };
    aw_stall_ = stall();
    w_stall_ = stall();
    b_stall_ = stall();
    const unsigned rate = 1 + static_cast<unsigned>(rng_() % 4);
    for (int t = 0; t < 300; t++) {
      Line l;
      const bool reserve = top_.room_o && bench_.one_in(rate);
      if (reserve) l = random_line(1 + static_cast<unsigned>(rng_() % 15), 1 + static_cast<unsigned>(rng_() % 8));
      cycle(reserve ? &l : nullptr, !due_.empty() && bench_.one_in(rate));
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  while (!due_.empty()) cycle(nullptr, true);
  drain();
  EXPECT_GT(done_, 1000u / kPieces);
}

}  // namespace
}  // namespace heddle::test
