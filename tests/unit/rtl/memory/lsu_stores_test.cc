// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "Vlsu_stores.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 8;  // preset tiny

class LsuStores : public ::testing::Test {
 protected:
  LsuStores() : bench_(seed()), top_(*bench_.top) {
    top_.sent_i = top_.ack_i = 0;
    bench_.reset();
  }

  void cycle(int sent, int ack, unsigned sectors = 1) {
    top_.sent_i = sent >= 0 ? sectors : 0;
    if (sent >= 0) top_.sent_warp_i = static_cast<unsigned>(sent), count_[static_cast<unsigned>(sent)] += sectors;
    top_.ack_i = ack >= 0;
    if (ack >= 0) top_.ack_warp_i = static_cast<unsigned>(ack), count_[static_cast<unsigned>(ack)]--;
    bench_.tick();
    top_.sent_i = top_.ack_i = 0;
    bench_.settle();
    for (unsigned w = 0; w < kWarps; w++) ASSERT_EQ(top_.pending_o >> w & 1, count_[w] != 0) << "warp " << w;
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
  for (int t = 0; t < 20000; t++) {
    const unsigned busy = t / 500 % 3;  // fills, drains, both
    const int sent = busy == 1 && !bench_.one_in(6) ? -1 : static_cast<int>(bench_.rng() % kWarps);
    int ack = static_cast<int>(bench_.rng() % kWarps);
    if (count_[static_cast<unsigned>(ack)] == 0 || (busy == 0 && !bench_.one_in(6))) ack = -1;
    cycle(sent, ack, 1 + static_cast<unsigned>(bench_.rng() % 4));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
