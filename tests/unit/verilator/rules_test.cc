// SPDX-License-Identifier: Apache-2.0
// The checkers of links and of AXI let right traffic pass, and each rule that is broken stops the model.
#include <Vrules_top.h>

#include <deque>

#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/verilator/stops.h"

namespace heddle::test {
namespace {

class Rules : public ::testing::Test {
 protected:
  Rules() {
    top.awvalid_i = top.wvalid_i = top.arvalid_i = 0;
    bench.reset();
  }
  void address(unsigned at, unsigned len, bool taken = true) {
    top.awvalid_i = 1;
    top.awready_i = taken;
    top.awaddr_i = static_cast<std::uint16_t>(at);
    top.awlen_i = static_cast<unsigned char>(len);
    bench.tick();
    top.awvalid_i = !taken;
  }
  void beat(unsigned data, bool last, bool taken = true) {
    top.wvalid_i = 1;
    top.wready_i = taken;
    top.wdata_i = data;
    top.wlast_i = last;
    bench.tick();
    top.wvalid_i = !taken;
  }

  RtlBench<Vrules_top> bench{seed()};
  Vrules_top& top = *bench.top;
};

// Addresses before their data, after them, with them; waits.
TEST_F(Rules, RightTrafficPasses) {
  std::deque<unsigned> addresses, data;  // lengths of bursts whose address, or data, are still to come
  unsigned sent = 0, bursts = 0;
  bool aw_waits = false, w_waits = false;
  for (int n = 0; n < 100000; n++) {
    if (addresses.size() < 20 && data.size() < 20 && bench.one_in(4)) {
      const auto len = static_cast<unsigned>(bench.rng() % 6);
      addresses.push_back(len);
      data.push_back(len);
      bursts++;
    }
    if (!aw_waits) top.awvalid_i = !addresses.empty() && bench.one_in(3);
    if (top.awvalid_i && !aw_waits) {
      top.awlen_i = static_cast<unsigned char>(addresses.front());
      top.awaddr_i = static_cast<std::uint16_t>(bench.rng() % 16 * 4096 + bench.rng() % 1000 * 4);
    }
    if (!w_waits) top.wvalid_i = !data.empty() && bench.one_in(2);
    if (top.wvalid_i && !w_waits) {
      top.wdata_i = static_cast<std::uint32_t>(bench.rng());
      top.wlast_i = sent == data.front();
    }
    top.awready_i = bench.one_in(2);
    top.wready_i = bench.one_in(2);
    bench.tick();
    aw_waits = top.awvalid_i && !top.awready_i;
    w_waits = top.wvalid_i && !top.wready_i;
    if (top.awvalid_i && top.awready_i) addresses.pop_front();
    if (top.wvalid_i && top.wready_i) {
      sent++;
      if (top.wlast_i) data.pop_front(), sent = 0;
    }
  }
  EXPECT_GT(bursts, 5000u);
}

TEST_F(Rules, AnOfferStays) {
  address(64, 0, false);
  top.awvalid_i = 0;
  EXPECT_STOP(bench.tick(), "an offer was withdrawn");
}

TEST_F(Rules, ThePayloadStandsStill) {
  beat(1, false, false);
  EXPECT_STOP(beat(2, false), "the payload changed while it waited");
}

TEST_F(Rules, BeatsAreAsManyAsTheAddressSays) {
  address(64, 2);
  beat(1, false);
  EXPECT_STOP(beat(2, true), "last beat is not that of its address");
}

TEST_F(Rules, AlsoWhereTheDataComeFirst) {
  beat(1, false);
  beat(2, true);
  EXPECT_STOP(address(64, 2), "last beat is not that of its address");
}

TEST_F(Rules, NoBurstCrossesAPage) {
  address(4096 - 12, 2);
  EXPECT_STOP(address(2 * 4096 - 12, 3), "a write crosses a page");
  top.arvalid_i = 1;
  top.araddr_i = 4092;
  top.arlen_i = 1;
  EXPECT_STOP(bench.tick(), "a read crosses a page");
}

}  // namespace
}  // namespace heddle::test
