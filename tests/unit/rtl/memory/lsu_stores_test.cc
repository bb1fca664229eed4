// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "Vlsu_stores.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 8;  // presets tiny, links2
constexpr unsigned kWarpBits = 3;
#ifdef HEDDLE_TWO_LINKS
constexpr unsigned kLinks = 2;
#else
constexpr unsigned kLinks = 1;
#endif

class LsuStores : public ::testing::Test {
 protected:
  LsuStores() : bench_(seed()), top_(*bench_.top) {
    top_.sent_i = top_.ack_i = top_.joined_i = 0;
    bench_.reset();
  }

  // Of two links a second acknowledgement, where there are so many.
  void cycle(int sent, int ack, unsigned sectors = 1, int second = -1) {
    top_.sent_i = sent >= 0 ? sectors : 0;
    if (sent >= 0) top_.sent_warp_i = static_cast<unsigned>(sent), count_[static_cast<unsigned>(sent)] += sectors;
    top_.ack_i = 0;
    top_.ack_warp_i = static_cast<unsigned char>(bench_.rng() % (1u << kWarpBits * kLinks));
    if (ack >= 0) acknowledge(0, static_cast<unsigned>(ack));
    if (second >= 0) acknowledge(1, static_cast<unsigned>(second));
    bench_.tick();
    top_.sent_i = top_.ack_i = top_.joined_i = 0;
    bench_.settle();
    for (unsigned w = 0; w < kWarps; w++) ASSERT_EQ(top_.pending_o >> w & 1, count_[w] != 0) << "warp " << w;
  }

  // With the next cycle: so many of a warp's sectors were joined to others.
  void join(unsigned warp, unsigned sectors) {
    top_.joined_i = static_cast<unsigned char>(sectors);
    top_.joined_warp_i = static_cast<unsigned char>(warp);
    count_[warp] -= sectors;
  }

  void acknowledge(unsigned link, unsigned warp) {
    top_.ack_i = static_cast<unsigned char>(top_.ack_i | 1u << link);
    const unsigned at = kWarpBits * link;
    top_.ack_warp_i = static_cast<unsigned char>((top_.ack_warp_i & ~((kWarps - 1) << at)) | warp << at);
    count_[warp]--;
  }

  RtlBench<Vlsu_stores> bench_;
  Vlsu_stores& top_;
  std::array<unsigned, kWarps> count_{};
};

TEST_F(LsuStores, NobodyIsPendingAfterReset) {
  bench_.settle();
  EXPECT_EQ(top_.pending_o, 0u);
}

TEST_F(LsuStores, OneInOneOutOfTheSameWarpChangesNothing) {
  cycle(3, -1);
  for (int i = 0; i < 5; i++) cycle(3, 3);
  cycle(-1, 3);
}

TEST_F(LsuStores, SectorsOfALineComeTogether) {
  cycle(3, -1, 4);
  cycle(3, 3, 2);
  for (int i = 0; i < 5; i++) cycle(-1, 3);
}

TEST_F(LsuStores, CountsSomeThousand) {
  for (int i = 0; i < 4092; i++) cycle(5, -1);
  for (int i = 0; i < 4092; i++) cycle(-1, 5);
}

TEST_F(LsuStores, RandomStoresAndAcknowledgements) {
  [[maybe_unused]] unsigned seconds = 0;
  unsigned joins = 0, joins_too = 0;
  for (int t = 0; t < 20000; t++) {
    const unsigned busy = t / 500 % 3;  // fills, drains, both
    const int sent = busy == 1 && !bench_.one_in(6) ? -1 : static_cast<int>(bench_.rng() % kWarps);
    int ack = static_cast<int>(bench_.rng() % kWarps);
    if (count_[static_cast<unsigned>(ack)] == 0 || (busy == 0 && !bench_.one_in(6))) ack = -1;
    const unsigned sectors = 1 + static_cast<unsigned>(bench_.rng() % 4);
    int second = -1;
#ifdef HEDDLE_TWO_LINKS
    // Often of the warp of the first; of one that has stores for both.
    second = ack >= 0 && bench_.one_in(2) ? ack : static_cast<int>(bench_.rng() % kWarps);
    if (count_[static_cast<unsigned>(second)] < (second == ack ? 2u : 1u) || (busy == 0 && !bench_.one_in(4)))
      second = -1;
    seconds += second >= 0 && second == ack;
#endif
    // Often of the warp that is acknowledged, or that sends.
    const int pick = bench_.one_in(3) ? ack : bench_.one_in(2) ? sent : static_cast<int>(bench_.rng() % kWarps);
    if (pick >= 0 && bench_.one_in(busy == 0 ? 8 : 2)) {
      const unsigned left = count_[static_cast<unsigned>(pick)] - (pick == ack) - (pick == second);
      const unsigned joined = std::min(left, 1 + static_cast<unsigned>(bench_.rng() % 4));
      join(static_cast<unsigned>(pick), joined);
      joins += joined != 0, joins_too += joined != 0 && (pick == ack || pick == sent);
    }
    cycle(sent, ack, sectors, second);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(joins, 1000u);
  EXPECT_GT(joins_too, 300u);
#ifdef HEDDLE_TWO_LINKS
  EXPECT_GT(seconds, 100u);
#endif
}

}  // namespace
}  // namespace heddle::test
