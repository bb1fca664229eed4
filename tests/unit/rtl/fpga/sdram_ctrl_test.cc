// SPDX-License-Identifier: Apache-2.0
// The SDRAM controller against AXI traffic on one side and a chip that checks its rules on the other.
#include "Vsdram_top.h"
#include "tests/unit/rtl/fpga/axi_traffic.h"

namespace heddle::test {
namespace {

constexpr uint64_t kBytes = 32 << 20;

class SdramCtrl : public ::testing::Test {
 protected:
  SdramCtrl() : bench_(seed()), traffic_(bench_, kBytes) {
    bench_.top->abort_i = 0;
    bench_.reset();
  }
  void run(int cycles) {
    for (int t = 0; t < cycles && !HasFatalFailure(); t++) traffic_.cycle();
  }
  uint32_t violations() { return bench_.top->violations_o; }

  RtlBench<Vsdram_top> bench_;
  AxiTraffic<Vsdram_top> traffic_;
};

#ifdef HEDDLE_TOO_FAST

// The chip's checks are worth something: a controller in too much of a hurry is found out.
TEST_F(SdramCtrl, ABrokenRuleIsFound) {
  traffic_.spread = 1 << 13;
  for (int t = 0; t < 40000; t++) {
    traffic_.cycle();
    if (HasFatalFailure()) break;
  }
  EXPECT_GT(violations(), 0u);
}

#else

TEST_F(SdramCtrl, ReadsGiveWhatWasWritten) {
  run(20000);
  traffic_.drain();
  EXPECT_GT(traffic_.reads, 150u);
  EXPECT_GT(traffic_.writes, 150u);
  EXPECT_EQ(violations(), 0u);
}

TEST_F(SdramCtrl, RowsAndBanksChangeAllTheTime) {
  traffic_.spread = 1024 * 37;
  run(30000);
  traffic_.drain();
  EXPECT_EQ(violations(), 0u);
}

TEST_F(SdramCtrl, RandomPausesOnEveryChannel) {
  for (int round = 0; round < 20 && !HasFatalFailure(); round++) {
    const auto pause = [&] { return static_cast<unsigned>(bench_.one_in(2) ? 0 : 2 + bench_.rng() % 4); };
    traffic_.ask_pause = pause(), traffic_.w_pause = pause(), traffic_.r_pause = pause(), traffic_.b_pause = pause();
    traffic_.spread = 128u << bench_.rng() % 12;
    run(2000);
  }
  traffic_.drain();
  EXPECT_EQ(violations(), 0u);
}

TEST_F(SdramCtrl, AddressesOutsideAreRefusedAndHarmNothing) {
  traffic_.outside = 4;
  run(10000);
  traffic_.drain();
  EXPECT_EQ(violations(), 0u);
}

TEST_F(SdramCtrl, RefreshGoesOnWhileNobodyAsks) {
  traffic_.asks = false;
  run(40000);
  EXPECT_EQ(violations(), 0u);
  traffic_.asks = true;
  run(2000);
  traffic_.drain();
}

TEST_F(SdramCtrl, AnAbortInTheMidstLosesNothingButTheBurstsUnderWay) {
  for (int round = 0; round < 60 && !HasFatalFailure(); round++) {
    run(100 + static_cast<int>(bench_.rng() % 300));
    bench_.top->abort_i = 1;
    traffic_.forget();
    for (int i = 0; i < 16; i++) bench_.tick();
    bench_.top->abort_i = 0;
  }
  traffic_.drain();
  EXPECT_GT(traffic_.reads, 100u);
  EXPECT_EQ(violations(), 0u);
}

#endif

}  // namespace
}  // namespace heddle::test
