// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "Vl1_data_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kLines = 64;  // 8 KiB, preset tiny
using Sector = std::array<uint32_t, 8>;

class L1Data : public ::testing::Test {
 protected:
  L1Data() : bench_(seed()), top_(*bench_.top) {
    top_.read_i = 0;
    bench_.settle();
    sectors_ = top_.sectors_o;
    pieces_ = top_.pieces_o;
    words_ = 8 / pieces_;
    for (unsigned p = 0; p < kLines; p++)
      for (unsigned i = 0; i < 4 * pieces_; i++) cycle(false, true, p, i / pieces_, i % pieces_, ~0u);
  }

  void cycle(bool read, bool write, unsigned place, unsigned sector, unsigned piece, uint32_t mask) {
    top_.read_i = read;
    top_.write_i = write;
    top_.place_i = place;
    top_.sector_i = sector;
    top_.piece_i = piece;
    top_.mask_i = mask;
    for (unsigned w = 0; w < 8; w++) top_.data_i[w] = static_cast<uint32_t>(bench_.rng());
    bench_.tick();
    if (read) seen_ = lines_[place], first_ = sector / sectors_ * sectors_, piece_ = piece, known_ = true;
    for (unsigned b = 0; write && b < 4 * words_; b++) {
      if (!(mask >> b & 1)) continue;
      const uint32_t bits = 0xffu << 8 * (b % 4);
      uint32_t& word = lines_[place][sector][piece * words_ + b / 4];
      word = (word & ~bits) | (top_.data_i[b / 4] & bits);
    }
    bench_.settle();
    for (unsigned w = 0; known_ && w < words_ * sectors_; w++)
      ASSERT_EQ(top_.data_o[w], seen_[first_ + w / words_][piece_ * words_ + w % words_]) << "word " << w;
  }

  RtlBench<Vl1_data_top> bench_;
  Vl1_data_top& top_;
  std::array<std::array<Sector, 4>, kLines> lines_{};
  std::array<Sector, 4> seen_{};
  unsigned sectors_ = 0, pieces_ = 0, words_ = 0;  // read at once; of a sector; of a piece
  unsigned first_ = 0, piece_ = 0;                 // of what was read last
  bool known_ = false;
};

TEST_F(L1Data, EveryLineIsItsOwn) {
  for (unsigned p = 0; p < kLines; p++)
    for (unsigned i = 0; i < 4 * pieces_; i++) cycle(true, false, p, i / pieces_, i % pieces_, 0);
}

TEST_F(L1Data, MasksAndSectors) {
  for (int n = 0; n < 30000; n++) {
    // Full, nearly full, any.
    const uint32_t full = bench_.one_in(2) ? ~0u : ~(1u << bench_.rng() % (4 * words_));
    const auto mask = bench_.one_in(3) ? full : static_cast<uint32_t>(bench_.rng());
    const bool read = bench_.one_in(2);
    cycle(read, !read && bench_.one_in(2), static_cast<unsigned>(bench_.rng() % (n % 2 ? 3 : kLines)),
          static_cast<unsigned>(bench_.rng() % 4), static_cast<unsigned>(bench_.rng() % pieces_), mask);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
