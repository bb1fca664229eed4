// SPDX-License-Identifier: Apache-2.0
// Sector fetches against an AXI4 memory that answers lines in any order, interleaved, with errors.
#include <array>
#include <deque>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

#include "Vaxi_reader.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kMshrs = HEDDLE_DATABITS == 256 ? 16 : 4;  // presets cc80, tiny
constexpr unsigned kPieces = HEDDLE_DATABITS == 256 ? 1 : 4;  // of a sector, as it is read
constexpr unsigned kBeats = 256 / HEDDLE_DATABITS, kBeatWords = HEDDLE_DATABITS / 32;
// l2_pkg::fill_t: error, id {MSHR, sector}.
constexpr unsigned kFillError = 0, kFillId = 1;
constexpr uint64_t kBase = 0x1000000000;

struct Beat {
  uint64_t address;
  bool error;
};

class AxiReader : public ::testing::Test {
 protected:
  AxiReader() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.ask_valid_i = top_.read_valid_i = 0;
    top_.fill_ready_i = top_.m_axi_arready_i = 1;
    top_.m_axi_rvalid_i = 0;
    bench_.reset();
  }

  // How memory and the reader of fills behave: 1 in n cycles they are not ready; 0: always ready.
  unsigned ar_stall_ = 0, r_stall_ = 0, fill_stall_ = 0, errors_ = 0;

  static uint32_t word(uint64_t address) { return static_cast<uint32_t>((address >> 2) * 0x9e3779b1u); }

  template <typename Port>
  static void put(Port& port, const std::array<uint32_t, kBeatWords>& words) {
    for (unsigned w = 0; w < kBeatWords; w++) set_port_word(port, w, words[w]);
  }

  // One cycle, with or without an ask.
  void cycle(int ask = -1, uint64_t line = 0) {
    const auto stall = [&](unsigned n) { return n != 0 && bench_.one_in(n); };
    top_.ask_valid_i = ask >= 0;
    if (ask >= 0) {
      top_.ask_id_i = static_cast<unsigned>(ask);
      top_.ask_line_i = line;
      asked_[static_cast<unsigned>(ask)] = {line, false, false, 0};
    }
    top_.m_axi_arready_i = !stall(ar_stall_);
    top_.fill_ready_i = !stall(fill_stall_);
    if (!beat_out_ && !stall(r_stall_)) {
      std::vector<unsigned> ids;
      for (const auto& [id, beats] : memory_)
        if (!beats.empty()) ids.push_back(id);
      if (!ids.empty()) {
        beat_id_ = ids[rng_() % ids.size()];
        beat_out_ = true;
        const Beat& b = memory_[beat_id_].front();
        top_.m_axi_rid_i = beat_id_;
        top_.m_axi_rresp_i = b.error ? 2 + rng_() % 2 : rng_() % 2;
        std::array<uint32_t, kBeatWords> words;
        for (unsigned w = 0; w < kBeatWords; w++) words[w] = word(b.address + 4 * w);
        put(top_.m_axi_rdata_i, words);
      }
    }
    top_.m_axi_rvalid_i = beat_out_;
    bench_.settle();
    if (ar_held_) {
      ASSERT_TRUE(top_.m_axi_arvalid_o);
      ASSERT_EQ(ar_before_, (std::array<uint64_t, 3>{top_.m_axi_araddr_o, top_.m_axi_arlen_o, top_.m_axi_arid_o}));
    }
    const bool ar = top_.m_axi_arvalid_o && top_.m_axi_arready_i;
    ar_held_ = top_.m_axi_arvalid_o && !ar;
    ar_before_ = {top_.m_axi_araddr_o, top_.m_axi_arlen_o, top_.m_axi_arid_o};
    if (ar) address();
    if (HasFatalFailure()) return;
    if (beat_out_ && top_.m_axi_rready_o) {
      auto& beats = memory_[beat_id_];
      const unsigned id = beat_id_ * 4 + static_cast<unsigned>(beats.front().address / 32 % 4);
      asked_.at(id).beats++;
      asked_.at(id).error |= beats.front().error;
      beats.pop_front();
      beat_out_ = false;
    }
    const bool filled = top_.fill_valid_o && top_.fill_ready_i;
    if (filled) fill();
    if (HasFatalFailure()) return;
    // Data are asked for in the next cycle, and come in the one after that.
    if (reading_) {
      for (unsigned w = 0; w < 8 / kPieces; w++)
        ASSERT_EQ(port_word(top_.read_data_o, w), word(read_address_ + 4 * (8 / kPieces * read_piece_ + w)))
            << "word " << w;
    }
    reading_ = read_next_;
    read_address_ = next_address_;
    top_.read_valid_i = read_next_;
    top_.read_id_i = next_id_;
    top_.read_piece_i = read_piece_ = static_cast<unsigned>(rng_() % kPieces);
    read_next_ = filled;
    next_id_ = filled_id_;
    next_address_ = filled_address_;
    bench_.settle();
    bench_.tick();
    top_.ask_valid_i = 0;
    top_.read_valid_i = 0;
  }

  void address() {
    const uint64_t address = top_.m_axi_araddr_o;
    const unsigned sectors = (top_.m_axi_arlen_o + 1u) / kBeats, mshr = top_.m_axi_arid_o;
    ASSERT_EQ((top_.m_axi_arlen_o + 1u) % kBeats, 0u);
    ASSERT_EQ(address % 32, 0u);
    bursts_.push_back({address, sectors});
    for (unsigned n = 0; n < sectors; n++) {
      const uint64_t sector = address / 32 + n;
      ASSERT_EQ(sector / 4, address / 128) << "burst leaves its line";
      const auto it = asked_.find(mshr * 4 + static_cast<unsigned>(sector % 4));
      ASSERT_NE(it, asked_.end()) << "nobody asked for sector " << sector % 4;
      ASSERT_EQ(it->second.line, (sector * 32 - kBase) / 128);
      ASSERT_FALSE(it->second.sent) << "fetched twice";
      it->second.sent = true;
      for (unsigned b = 0; b < kBeats; b++)
        memory_[mshr].push_back({sector * 32 + b * (32 / kBeats), errors_ != 0 && bench_.one_in(errors_)});
    }
  }

  void fill() {
    const auto id = static_cast<unsigned>(top_.fill_o >> kFillId);
    const auto it = asked_.find(id);
    ASSERT_NE(it, asked_.end()) << "sector that nobody waits for";
    ASSERT_EQ(it->second.beats, kBeats) << "told before it is complete";
    ASSERT_EQ(top_.fill_o >> kFillError & 1, it->second.error);
    filled_id_ = id;
    filled_address_ = kBase + it->second.line * 128 + id % 4 * 32;
    asked_.erase(it);
    fills_++;
  }

  void drain(int limit = 2000) {
    for (int t = 0; t < limit && !asked_.empty(); t++) {
      cycle();
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(asked_.empty()) << asked_.size() << " sectors never came";
  }

  struct Asked {
    uint64_t line;
    bool sent, error;
    unsigned beats;
  };
  RtlBench<Vaxi_reader> bench_;
  Vaxi_reader& top_;
  std::mt19937_64& rng_;
  std::map<unsigned, Asked> asked_;              // by id, until the sector comes
  std::map<unsigned, std::deque<Beat>> memory_;  // beats due, by ARID
  std::vector<std::pair<uint64_t, unsigned>> bursts_;
  bool beat_out_ = false, ar_held_ = false;
  std::array<uint64_t, 3> ar_before_{};
  unsigned beat_id_ = 0;
  uint64_t fills_ = 0;
  unsigned read_piece_ = 0;
  bool reading_ = false, read_next_ = false;
  unsigned next_id_ = 0, filled_id_ = 0;
  uint64_t read_address_ = 0, next_address_ = 0, filled_address_ = 0;
};

using Bursts = std::vector<std::pair<uint64_t, unsigned>>;

TEST_F(AxiReader, AWholeLineIsOneBurst) {
  for (int s = 0; s < 4; s++) cycle(4 + s, 0x10000000);
  cycle();
  cycle();
  EXPECT_EQ(bursts_, (Bursts{{kBase + 0x800000000, 4}}));
  drain();
}

// The header's example.
TEST_F(AxiReader, AGapMakesTwoBursts) {
  cycle(8, 7);
  cycle(9, 7);
  cycle(11, 7);
  for (int t = 0; t < 12; t++) cycle();
  EXPECT_EQ(bursts_, (Bursts{{kBase + 7 * 128, 2}, {kBase + 7 * 128 + 96, 1}}));
  drain();
}

TEST_F(AxiReader, ALoneSectorWaitsOnlyForTheWindow) {
  cycle(2, 9);
  int t = 0;
  while (bursts_.empty() && t < 30) cycle(), t++;
  EXPECT_LE(t, 9);
  drain();
}

TEST_F(AxiReader, TheLineAskedFirstGoesFirst) {
  cycle(0, 5);
  cycle(4, 6);
  cycle(8, 7);
  drain();
  EXPECT_EQ(bursts_, (Bursts{{kBase + 5 * 128, 1}, {kBase + 6 * 128, 1}, {kBase + 7 * 128, 1}}));
}

TEST_F(AxiReader, AnErrorBelongsToItsSectorAlone) {
  for (int round = 0; round < 10; round++) {
    errors_ = 3;
    for (int s = 0; s < 4; s++) cycle(s, 100 + static_cast<uint64_t>(round));
    drain();
  }
}

// A sector asked for in the very cycle in which the rest of its line is sent.
TEST_F(AxiReader, ASectorAskedForAsItsLineLeavesIsNotForgotten) {
  for (int delay = 0; delay < 14; delay++) {
    cycle(4, 50);
    for (int t = 0; t < delay; t++) cycle();
    cycle(6, 50);
    drain(60);
    ASSERT_FALSE(HasFatalFailure()) << "delay " << delay;
  }
}

// The last beats of two lines' sectors follow each other into the last place.
TEST_F(AxiReader, FillsThatAreLeftStandingStopMemory) {
  for (int round = 0; round < 100; round++) {
    fill_stall_ = 1;
    for (unsigned id = 0; id < 4 * kMshrs; id++)
      cycle(static_cast<int>(id), 1000 * static_cast<uint64_t>(round) + id / 4);
    for (int t = 0; t < 150; t++) cycle();
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
    fill_stall_ = 0;
    drain();
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
  }
}

TEST_F(AxiReader, RandomAsks) {
  uint64_t line[kMshrs] = {};
  for (int round = 0; round < 60; round++) {
    ar_stall_ = static_cast<unsigned>(rng_() % 4);
    r_stall_ = static_cast<unsigned>(rng_() % 4);
    fill_stall_ = static_cast<unsigned>(rng_() % 4);
    if (ar_stall_ == 1) ar_stall_ = 2;
    if (r_stall_ == 1) r_stall_ = 2;
    if (fill_stall_ == 1) fill_stall_ = 2;
    errors_ = round % 3 ? 0 : 5;
    const unsigned rate = 1 + static_cast<unsigned>(rng_() % 6);
    for (int t = 0; t < 500; t++) {
      const auto id = static_cast<unsigned>(rng_() % (4 * kMshrs));
      bool used = false;
      for (unsigned s = 0; s < 4; s++) used |= asked_.contains(id / 4 * 4 + s);
      if (!used) line[id / 4] = rng_() & 0x1fffffff;
      if (bench_.one_in(rate) && !asked_.contains(id)) cycle(static_cast<int>(id), line[id / 4]);
      else cycle();
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  drain();
  EXPECT_GT(fills_, kBeats > 4 ? 1500u : 3000u);
}

}  // namespace
}  // namespace heddle::test
