// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "Vbank_conflict_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using Addresses = std::array<uint32_t, 32>;

class BankConflict : public ::testing::Test {
 protected:
  BankConflict() : top_(std::make_unique<Vbank_conflict_top>(&context_)) {
    top_->eval();
    lanes_ = top_->row_lanes_o;
    banks_ = top_->words_o;
    all_ = ~0u >> (32 - lanes_);
  }
  ~BankConflict() override { top_->final(); }

  uint32_t pass(uint32_t lanes, unsigned words, const Addresses& address, bool store = false, bool alone = false) {
    top_->en_i = 1;
    top_->lanes_i = lanes;
    top_->words_i = words;
    top_->store_i = store;
    top_->alone_i = alone;
    top_->busy_i = busy_;
    for (unsigned l = 0; l < 32; l++) top_->addr_i[l] = address[l];
    top_->eval();
    return top_->lanes_o;
  }
  unsigned row(unsigned bank) const { return top_->row_o[bank / 2] >> (16 * (bank % 2)) & 0xffff; }

  // Cycles of a whole access; every pass must be one that the banks can serve.
  unsigned cycles(uint32_t lanes, unsigned words, const Addresses& address) {
    unsigned n = 0;
    while (lanes != 0 && n <= 32) {
      const uint32_t now = pass(lanes, words, address);
      EXPECT_NE(now, 0u) << "no progress";
      EXPECT_EQ(now & ~lanes, 0u);
      std::map<unsigned, unsigned> rows;
      for (unsigned l = 0; l < lanes_; l++) {
        if (!(now >> l & 1)) continue;
        for (unsigned w = 0; w < words; w++) {
          const unsigned word = address[l] / 4 + w, bank = word % banks_;
          auto [it, fresh] = rows.emplace(bank, word / banks_);
          EXPECT_EQ(it->second, word / banks_) << "bank " << bank << " asked for two words";
          EXPECT_TRUE(top_->used_o >> bank & 1);
          EXPECT_EQ(row(bank), word / banks_);
          (void)fresh;
        }
      }
      // A lane left out, of the same group as those served, must have had a reason.
      const unsigned group = served(words), first = static_cast<unsigned>(__builtin_ctz(lanes)) / group;
      for (unsigned l = first * group; l < (first + 1) * group; l++) {
        if (!(lanes >> l & 1) || now >> l & 1) continue;
        EXPECT_NE(row(address[l] / 4 % banks_), address[l] / 4 / banks_) << "lane " << l << " could have been served";
      }
      lanes &= ~now;
      n++;
    }
    return n;
  }

  // Lanes that the banks can serve in one pass.
  unsigned served(unsigned words) const { return std::min(lanes_, banks_ / words); }

  static Addresses strided(uint32_t stride) {
    Addresses a;
    for (unsigned l = 0; l < 32; l++) a[l] = stride * l;
    return a;
  }

  unsigned lanes_ = 0, banks_ = 0;
  uint32_t all_ = 0, busy_ = 0;  // busy: banks that others have
  VerilatedContext context_;
  std::unique_ptr<Vbank_conflict_top> top_;
};

// Figure F-1 and F-2 of the programming guide: strides and broadcasts.
TEST_F(BankConflict, LinearWordsDoNotConflict) { EXPECT_EQ(cycles(all_, 1, strided(4)), 1u); }
TEST_F(BankConflict, StrideOfTwoWordsMeetsEverySecondBank) {
  EXPECT_EQ(cycles(all_, 1, strided(8)), std::max(1u, 2 * lanes_ / banks_));
}
TEST_F(BankConflict, StrideOfThreeWordsDoesNotConflict) { EXPECT_EQ(cycles(all_, 1, strided(12)), 1u); }
TEST_F(BankConflict, StrideOfARowIsAPassALane) { EXPECT_EQ(cycles(all_, 1, strided(4 * banks_)), lanes_); }
TEST_F(BankConflict, OneWordForAllIsBroadcast) { EXPECT_EQ(cycles(all_, 1, strided(0)), 1u); }
TEST_F(BankConflict, BytesOfOneWordAreOneAccess) { EXPECT_EQ(cycles(all_, 1, strided(1)), 1u); }
TEST_F(BankConflict, SixtyFourBitsTakeTwoHalfWarps) {
  EXPECT_EQ(pass(all_, 2, strided(8)), ~0u >> (32 - served(2)));
  EXPECT_EQ(cycles(all_, 2, strided(8)), lanes_ / served(2));
}
TEST_F(BankConflict, HundredTwentyEightBitsTakeFourQuarterWarps) {
  EXPECT_EQ(pass(all_, 4, strided(16)), ~0u >> (32 - served(4)));
  EXPECT_EQ(cycles(all_, 4, strided(16)), lanes_ / served(4));
}
// Where a slice goes in parts, those of a store with the highest lanes are first, and the lowest lane's value is the
// last.
TEST_F(BankConflict, AStoreOfASliceBeginsWithItsHighestLanes) {
  for (const unsigned words : {2u, 4u}) {
    const unsigned part = served(words), first = lanes_ == 32 ? 0 : lanes_ - part;
    EXPECT_EQ(pass(all_, words, strided(4 * words), true), ~0u >> (32 - part) << first) << words;
  }
}
TEST_F(BankConflict, AnEmptyQuarterWarpTakesNoCycle) {
  const unsigned quarter = served(4);
  EXPECT_EQ(cycles(~0u >> (32 - quarter) | (all_ & all_ << (lanes_ - quarter)), 4, strided(16)),
            lanes_ > quarter ? 2u : 1u);
}

TEST_F(BankConflict, RandomAccesses) {
  std::mt19937_64 rng(seed());
  for (int n = 0; n < 2000; n++) {
    const unsigned words = 1u << rng() % 3;
    const uint32_t spread = 1u << (rng() % 11 + 5);
    Addresses a;
    for (auto& x : a) x = static_cast<uint32_t>(rng() % spread) * 4 * words % std::min(163840u, top_->shared_bytes_o);
    cycles((static_cast<uint32_t>(rng()) & all_) | 1u << rng() % lanes_, words, a);
  }
}

// Atomics: each bank has one lane, its lowest of the lanes that the banks can serve, whatever word the others want.
TEST_F(BankConflict, AtomicsHaveABankToThemselves) {
  if (lanes_ < 32) GTEST_SKIP() << "slices go lane by lane";
  std::mt19937_64 rng(seed());
  unsigned met = 0;
  for (int n = 0; n < 5000; n++) {
    const unsigned words = 1 + static_cast<unsigned>(rng() % 2), span = 1u << (1 + rng() % 9);
    Addresses address{};
    for (uint32_t& a : address) a = 4 * words * static_cast<uint32_t>(rng() % span);
    uint32_t lanes = static_cast<uint32_t>(rng() | rng());
    for (unsigned passes = 0; lanes != 0; passes++) {
      ASSERT_LT(passes, 32u);
      const unsigned group = served(words), first = static_cast<unsigned>(__builtin_ctz(lanes)) / group * group;
      uint32_t want = 0, banks = 0;
      for (unsigned l = first; l < first + group; l++) {
        const uint32_t bank = 1u << address[l] / 4 % banks_;
        if (!(lanes >> l & 1)) continue;
        if (!(banks & bank)) want |= 1u << l;
        else met++;
        banks |= bank;
      }
      ASSERT_EQ(pass(lanes, words, address, false, true), want) << "words " << words;
      for (unsigned l = 0; l < 32; l++)
        if (want >> l & 1)
          for (unsigned w = 0; w < words; w++) ASSERT_EQ(row((address[l] / 4 + w) % banks_), address[l] / 4 / banks_);
      lanes &= ~want;
    }
  }
  EXPECT_GT(met, 10000u);
}

// Lanes of banks that others have stay behind, and their banks are not told.
TEST_F(BankConflict, LanesOfBusyBanksAreLeftOut) {
  if (!top_->joins_o) GTEST_SKIP() << "has all banks";
  std::mt19937_64 rng(seed());
  for (int n = 0; n < 5000; n++) {
    Addresses address{};
    const unsigned span = 1u << (1 + rng() % 9);
    for (uint32_t& a : address) a = 4 * static_cast<uint32_t>(rng() % span);
    busy_ = static_cast<uint32_t>(rng() & (n % 2 ? ~0ull : rng()));
    const auto lanes = static_cast<uint32_t>(rng() | rng());
    uint32_t want = 0, banks = 0;
    for (unsigned l = 0; l < 32; l++) {
      const uint32_t bank = 1u << address[l] / 4 % banks_;
      if (!(lanes >> l & 1) || bank & (busy_ | banks)) continue;
      want |= 1u << l;
      banks |= bank;
    }
    ASSERT_EQ(pass(lanes, 1, address, false, true), want);
    ASSERT_EQ(top_->used_o, banks);
    // Another's row is or-ed to one that is not used.
    std::array<unsigned, 32> rows{};
    for (unsigned l = 0; l < 32; l++)
      if (want >> l & 1) rows[address[l] / 4 % banks_] = address[l] / 4 / banks_;
    for (unsigned bank = 0; bank < 32; bank++) ASSERT_EQ(row(bank), rows[bank]) << "bank " << bank;
  }
}

}  // namespace
}  // namespace heddle::test
