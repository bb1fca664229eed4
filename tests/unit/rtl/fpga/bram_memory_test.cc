// SPDX-License-Identifier: Apache-2.0
#include "Vbram_memory.h"
#include "tests/unit/rtl/fpga/axi_traffic.h"

namespace heddle::test {
namespace {

class BramMemory : public ::testing::Test {
 protected:
  BramMemory() : bench_(seed()), traffic_(bench_, HEDDLE_BYTES_VALUE) { bench_.reset(); }
  RtlBench<Vbram_memory> bench_;
  AxiTraffic<Vbram_memory> traffic_;
};

TEST_F(BramMemory, ReadsGiveWhatWasWrittenAtAnyPace) {
  traffic_.spread = 128;
  for (int round = 0; round < 20 && !HasFatalFailure(); round++) {
    const auto pause = [&] { return static_cast<unsigned>(bench_.one_in(2) ? 0 : 2 + bench_.rng() % 4); };
    traffic_.ask_pause = pause(), traffic_.w_pause = pause(), traffic_.r_pause = pause(), traffic_.b_pause = pause();
    traffic_.outside = round % 3 ? 0 : 5;
    for (int t = 0; t < 2000 && !HasFatalFailure(); t++) traffic_.cycle();
  }
  traffic_.drain();
  EXPECT_GT(traffic_.reads, 300u);
  EXPECT_GT(traffic_.writes, 300u);
}

}  // namespace
}  // namespace heddle::test
