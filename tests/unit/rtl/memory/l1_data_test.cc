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
    for (unsigned p = 0; p < kLines; p++)
      for (unsigned s = 0; s < 4; s++) cycle(false, true, p, s, ~0u);
  }

  void cycle(bool read, bool write, unsigned place, unsigned sector, uint32_t mask) {
    top_.read_i = read;
    top_.write_i = write;
    top_.place_i = place;
    top_.sector_i = sector;
    top_.mask_i = mask;
    for (unsigned w = 0; w < 8; w++) top_.data_i[w] = static_cast<uint32_t>(bench_.rng());
    bench_.tick();
    // Reading what is written in the same cycle gives the old bytes.
    if (read) seen_ = lines_[place], first_ = sector / sectors_ * sectors_, known_ = true;
    for (unsigned b = 0; write && b < 32; b++) {
      if (!(mask >> b & 1)) continue;
      const uint32_t bits = 0xffu << 8 * (b % 4);
      uint32_t& word = lines_[place][sector][b / 4];
      word = (word & ~bits) | (top_.data_i[b / 4] & bits);
    }
    bench_.settle();
    for (unsigned w = 0; known_ && w < 8 * sectors_; w++) ASSERT_EQ(top_.data_o[w], seen_[first_ + w / 8][w % 8]) << "word " << w;
  }

  RtlBench<Vl1_data_top> bench_;
  Vl1_data_top& top_;
  std::array<std::array<Sector, 4>, kLines> lines_{};
  std::array<Sector, 4> seen_{};
  unsigned sectors_ = 0, first_ = 0;  // read at once; the first of those read last
  bool known_ = false;
};

TEST_F(L1Data, EveryLineIsItsOwn) {
  for (unsigned p = 0; p < kLines; p++) 
    for (unsigned s = 0; s < 4; s++) cycle(true, false, p, s, 0);
}

TEST_F(L1Data, MasksAndSectors) {
  for (int n = 0; n < 30000; n++) {
    // Full, nearly full, any.
    const uint32_t full = bench_.one_in(2) ? ~0u : ~(1u << bench_.rng() % 32);
    const auto mask = bench_.one_in(3) ? full : static_cast<uint32_t>(bench_.rng());
    cycle(bench_.one_in(2), bench_.one_in(2), static_cast<unsigned>(bench_.rng() % (n % 2 ? 3 : kLines)),
          static_cast<unsigned>(bench_.rng() % 4), mask);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
