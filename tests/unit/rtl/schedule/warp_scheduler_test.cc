// SPDX-License-Identifier: Apache-2.0
// Every pick of the warp scheduler against a list of warps in order of age.
#include <Vwarp_scheduler.h>

#include <algorithm>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 16;  // a sub-partition of cc80
constexpr unsigned kGroup = 8;
constexpr unsigned kFair = 64;  // every 64th pick goes round all warps

// The next set bit after `last`, around the end.
unsigned round_robin(unsigned set, unsigned last) {
  for (unsigned i = 1; i <= kWarps; i++) {
    const unsigned w = (last + i) % kWarps;
    if (set >> w & 1) return w;
  }
  return last;
}

class WarpSchedulerTest : public ::testing::TestWithParam<unsigned> {
 protected:
  WarpSchedulerTest() : bench(seed()) {
    bench.top->policy_i = static_cast<unsigned char>(GetParam());
    bench.top->start_valid_i = 0;
    bench.top->ready_i = 0;
    bench.reset();
    for (unsigned w = 0; w < kWarps; w++) start(w);
  }

  void start(unsigned w) {
    std::erase(age, w);
    age.push_back(w);
    bench.top->ready_i = 0;
    bench.top->start_valid_i = 1;
    bench.top->start_warp_i = static_cast<unsigned char>(w);
    bench.tick();
    bench.top->start_valid_i = 0;
  }

  unsigned expected(unsigned ready) const {
    if (picks % kFair == 0) return round_robin(ready, fair);
    switch (GetParam()) {
      case 1: {
        if (ready >> last & 1) return last;
        return *std::find_if(age.begin(), age.end(), [&](unsigned w) { return ready >> w & 1; });
      }
      case 2: {
        const unsigned group = ((1u << kGroup) - 1) << (last / kGroup * kGroup);
        return round_robin(ready & group ? ready & group : ready, last);
      }
      default: return round_robin(ready, last);
    }
  }

  RtlBench<Vwarp_scheduler> bench;
  std::vector<unsigned> age;
  unsigned last = 0, fair = 0, picks = 0;
};

TEST_P(WarpSchedulerTest, PicksAsThePolicySays) {
  for (int n = 0; n < 20000; n++) {
    if (bench.one_in(50)) start(static_cast<unsigned>(bench.rng() % kWarps));
    const auto ready = static_cast<unsigned>(bench.rng() & bench.rng() & 0xffff);
    bench.top->ready_i = ready;
    bench.settle();
    ASSERT_EQ(bench.top->valid_o, ready != 0);
    if (ready != 0) {
      ASSERT_EQ(bench.top->warp_o, expected(ready)) << "ready " << std::hex << ready << " last " << last;
      last = bench.top->warp_o;
      if (picks++ % kFair == 0) fair = last;
    }
    bench.tick();
  }
}

// Warps that are always ready, as those that spin, keep no other from issuing.
TEST_P(WarpSchedulerTest, LeavesNoReadyWarpWaitingForever) {
  unsigned waits = 0, longest = 0;
  for (unsigned n = 0; n < 4 * kFair * kWarps; n++) {
    bench.top->ready_i = 0xffff;
    bench.settle();
    waits = bench.top->warp_o == 13 ? 0 : waits + 1;
    longest = std::max(longest, waits);
    bench.tick();
  }
  EXPECT_LE(longest, kFair * kWarps);
}

INSTANTIATE_TEST_SUITE_P(Policies, WarpSchedulerTest, ::testing::Values(0u, 1u, 2u), [](const auto& info) {
  return std::string(info.param == 0 ? "Lrr" : info.param == 1 ? "Gto" : "TwoLevel");
});

}  // namespace
}  // namespace heddle::test
