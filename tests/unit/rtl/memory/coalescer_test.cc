// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "Vcoalescer_top.h"
#include "tests/unit/rtl/memory/pass_lines.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

struct Pass {
  uint64_t line;
  std::array<uint32_t, 4> sector_lanes;
  uint32_t lanes() const { return sector_lanes[0] | sector_lanes[1] | sector_lanes[2] | sector_lanes[3]; }
};

class Coalescer : public ::testing::Test {
 protected:
  Coalescer() : top_(std::make_unique<Vcoalescer_top>(&context_)) {
    top_->eval();
    row_lanes_ = top_->row_lanes_o;
    reach_ = 4 * top_->words_o;
    all_ = ~0u >> (32 - row_lanes_);
  }
  ~Coalescer() override { top_->final(); }

  Pass pass(uint32_t lanes, const std::array<uint64_t, 32>& address, unsigned words = 0) {
    top_->en_i = 1;
    top_->lanes_i = lanes;
    top_->lines_i = words != 0;
    top_->words_i = words;
    for (unsigned b = 0; b < 8; b++) top_->addr_hi_i[b] = 0;
    for (unsigned l = 0; l < 32; l++) {
      top_->addr_i[l] = static_cast<uint32_t>(address[l]);
      top_->addr_hi_i[l / 4] |= static_cast<uint32_t>(address[l] >> 32 & 0xff) << (8 * (l % 4));
    }
    top_->eval();
    Pass p{top_->line_o[0] | uint64_t{top_->line_o[1]} << 32, {}};
    for (unsigned s = 0; s < 4; s++) p.sector_lanes[s] = top_->sector_lanes_o[s];
    return p;
  }

  // The reference: lanes in the line of the lowest one, or its part that a narrower machine reaches.
  Pass expected(uint32_t lanes, const std::array<uint64_t, 32>& address) {
    const uint64_t first = address[static_cast<unsigned>(__builtin_ctz(lanes))];
    Pass p{first >> 7, {}};
    for (unsigned l = 0; l < row_lanes_; l++)
      if (lanes >> l & 1 && address[l] / reach_ == first / reach_) p.sector_lanes[address[l] >> 5 & 3] |= 1u << l;
    return p;
  }

  // Passes until every lane is served.
  unsigned passes(uint32_t lanes, const std::array<uint64_t, 32>& address, unsigned words = 0) {
    unsigned n = 0;
    while (lanes != 0 && n <= 32) {
      const Pass p = pass(lanes, address, words);
      EXPECT_NE(p.lanes(), 0u);
      lanes &= ~p.lanes();
      n++;
    }
    return n;
  }

  // Of lanes with `bytes` each, one behind the other, those of the first pass.
  uint32_t first_lanes(unsigned bytes) const { return all_ & ~0u >> (32 - reach_ / bytes); }

  static std::array<uint64_t, 32> strided(uint64_t base, uint64_t stride) {
    std::array<uint64_t, 32> a;
    for (unsigned l = 0; l < 32; l++) a[l] = base + stride * l;
    return a;
  }

  unsigned row_lanes_ = 0, reach_ = 0;
  uint32_t all_ = 0;
  VerilatedContext context_;
  std::unique_ptr<Vcoalescer_top> top_;
};

TEST_F(Coalescer, FourByteWarpIsOnePass) { EXPECT_EQ(passes(all_, strided(0x1000000080, 4)), 1u); }
TEST_F(Coalescer, MisalignedFourByteWarpIsTwoPasses) { EXPECT_EQ(passes(all_, strided(0x1000000100 - 4, 4)), 2u); }
TEST_F(Coalescer, EightByteWarpGoesByHalfWarps) {
  const auto a = strided(0x1000000000, 8);
  EXPECT_EQ(pass(all_, a).lanes(), first_lanes(8));
  EXPECT_EQ(passes(all_, a), std::max(1u, 8 * row_lanes_ / reach_));
}
TEST_F(Coalescer, SixteenByteWarpGoesByQuarterWarps) {
  const auto a = strided(0x1000000000, 16);
  EXPECT_EQ(pass(all_, a).lanes(), first_lanes(16));
  EXPECT_EQ(passes(all_, a), 16 * row_lanes_ / reach_);
}
TEST_F(Coalescer, StrideOfALineIsAPassALane) { EXPECT_EQ(passes(all_, strided(0x1000000000, 128)), row_lanes_); }
TEST_F(Coalescer, SameAddressIsOnePass) { EXPECT_EQ(passes(all_, strided(0x10000000fc, 0)), 1u); }
TEST_F(Coalescer, UpperAddressBitsCount) {
  auto a = strided(0x1000000000, 4);
  for (unsigned l = row_lanes_ / 2; l < row_lanes_; l++) a[l] += uint64_t{1} << 39;
  EXPECT_EQ(passes(all_, a), 2u);
}
TEST_F(Coalescer, LinesGoTogetherWhereTheirWordsLieInDifferentBanks) {
  if (top_->lines_o == 1) GTEST_SKIP() << "a pass has lanes of one line";
  EXPECT_EQ(passes(all_, strided(0x1000000000, 132), 1), 8u);
  EXPECT_EQ(passes(all_, strided(0x1000000000, 128), 1), 32u);
  EXPECT_EQ(passes(all_, strided(0x1000000000, 132), 0), 32u) << "not asked for";
  EXPECT_EQ(passes(all_, strided(0x1000000000, 136), 2), 8u);
  EXPECT_EQ(passes(all_, strided(0x1000000000, 128 + 64), 4), 16u) << "every other line leaves half of the banks";
  // A word of each lane of local memory: granules of 16 bytes, of which every other line has the halves turned.
  std::array<uint64_t, 32> local;
  for (unsigned l = 0; l < 32; l++) local[l] = 0x1000000004 + (16 * l ^ (l & 8));
  EXPECT_EQ(passes(all_, local, 1), 2u);
  for (unsigned l = 0; l < 32; l++) local[l] = 0x1000000000 + (16 * l ^ (l & 8));
  EXPECT_EQ(passes(all_, local, 4), 4u) << "16 bytes whose second half is first take the same banks";
}
TEST_F(Coalescer, SleepsUnlessEnabled) {
  top_->en_i = 0;
  top_->lanes_i = ~0u;
  top_->eval();
  for (unsigned s = 0; s < 4; s++) EXPECT_EQ(top_->sector_lanes_o[s], 0u);
}
TEST_F(Coalescer, RandomAddressesAgreeWithTheReference) {
  std::mt19937_64 rng(seed());
  for (int n = 0; n < 3000; n++) {
    std::array<uint64_t, 32> a;
    const uint64_t spread = uint64_t{1} << (rng() % 12 + 2), base = 0x1000000000 + (rng() & 0x3fffffffff);
    for (auto& x : a) x = (base + rng() % spread) & 0xffffffffff;
    const uint32_t lanes = (static_cast<uint32_t>(rng()) & all_) | 1u << rng() % row_lanes_;
    const Pass got = pass(lanes, a), want = expected(lanes, a);
    ASSERT_EQ(got.line, want.line);
    ASSERT_EQ(got.sector_lanes, want.sector_lanes);
  }
}
TEST_F(Coalescer, RandomLinesAgreeWithTheReference) {
  if (top_->lines_o == 1) GTEST_SKIP() << "a pass has lanes of one line";
  std::mt19937_64 rng(seed());
  unsigned several = 0;
  for (int n = 0; n < 3000; n++) {
    const unsigned words = 1u << rng() % 3;
    std::array<uint64_t, 32> a;
    const uint64_t spread = uint64_t{1} << (rng() % 10 + 5), base = 0x1000000000 + (rng() & 0x3fffffff80);
    for (auto& x : a) x = (base + rng() % spread / (4 * words) * (4 * words)) & 0xffffffffff;
    const uint32_t lanes = static_cast<uint32_t>(rng() & rng() & (n % 2 ? rng() : ~0ull)) | 1u << rng() % 32;
    const auto want = pass_lines(lanes, a, words, top_->lines_o);
    const Pass got = pass(lanes, a, words);
    std::array<uint32_t, 4> line_lanes{}, sector_lanes{};
    for (const PassLine& l : want) {
      ASSERT_EQ(top_->line_o[2 * l.number] | uint64_t{top_->line_o[2 * l.number + 1]} << 32, l.line);
      line_lanes[l.number] = l.lanes;
      for (const unsigned bank : l.banks) {
        ASSERT_EQ(top_->bank_line_o >> 2 * bank & 3, l.number);
      }
      for (unsigned lane = 0; lane < 32; lane++)
        if (l.lanes >> lane & 1) sector_lanes[a[lane] / 32 % 4] |= 1u << lane;
    }
    for (unsigned k = 0; k < 4; k++) ASSERT_EQ(top_->line_lanes_o[k], line_lanes[k]) << "line " << k;
    ASSERT_EQ(got.sector_lanes, sector_lanes);
    several += want.size() > 1;
  }
  EXPECT_GT(several, 500u);
}

}  // namespace
}  // namespace heddle::test
