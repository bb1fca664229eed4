// SPDX-License-Identifier: Apache-2.0
// Requests of all sub-partitions reach a load/store unit that stalls, whole, once, in order and in turn; responses
// reach the sub-partition of their warp.
#include <Vlsu_port_top.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

class LsuPortTest : public ::testing::Test {
 protected:
  LsuPortTest() : bench(seed()), top(*bench.top) {
    top.req_valid_i = 0;
    top.lsu_ready_i = top.rsp_valid_i = 0;
    bench.reset();
    bench.settle();
    parts = top.parts_o;
    taken.resize(parts);
    waits.resize(parts);
  }

  void step() {
    top.rsp_valid_i = bench.one_in(2);
    top.rsp_warp_i = static_cast<unsigned char>(bench.rng() % (8 * parts));
    top.rsp_ready_i = static_cast<unsigned char>(bench.rng() & 0xf);
    bench.settle();
    const unsigned part = top.rsp_warp_i % parts;
    ASSERT_EQ(top.rsp_valid_o, top.rsp_valid_i ? 1u << part : 0u);
    ASSERT_EQ(top.rsp_ready_o, top.rsp_ready_i >> part & 1);

    ASSERT_EQ(top.lsu_valid_o, !under_way.empty()) << "cycle " << bench.cycle;
    if (top.lsu_valid_o) {
      ASSERT_EQ(top.lsu_req_o, under_way.front()) << "cycle " << bench.cycle;
      ASSERT_TRUE(top.whole_o);
    }
    // One is taken whenever the register is or becomes free.
    const unsigned takes = top.req_ready_o & top.req_valid_i;
    const bool room = under_way.empty() || top.lsu_ready_i;
    ASSERT_EQ(std::popcount(takes), room && top.req_valid_i != 0 ? 1 : 0) << "cycle " << bench.cycle;
    if (!under_way.empty() && top.lsu_ready_i) under_way.pop_front();
    for (unsigned p = 0; p < parts; p++) {
      if ((takes >> p & 1) != 0) {
        under_way.push_back(top.req_i[p]);
        taken[p]++;
        waits[p] = 0;
      } else if (takes != 0 && (top.req_valid_i >> p & 1) != 0) {
        ASSERT_LT(++waits[p], parts) << "others are served in between more than once";
      }
    }
    bench.tick();
    top.req_valid_i &= static_cast<unsigned char>(~takes);
  }

  void request(unsigned p) {
    top.req_valid_i |= static_cast<unsigned char>(1u << p);
    top.req_i[p] = static_cast<std::uint32_t>(bench.rng());
  }

  RtlBench<Vlsu_port_top> bench;
  Vlsu_port_top& top;
  unsigned parts = 0;
  std::deque<std::uint32_t> under_way;
  std::vector<unsigned> taken, waits;
};

TEST_F(LsuPortTest, BringsEveryRequestOnceInTurn) {
  for (int phase = 0; phase < 60 && !HasFatalFailure(); phase++) {
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 6), stall = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    for (int n = 0; n < 300 && !HasFatalFailure(); n++) {
      for (unsigned p = 0; p < parts; p++)
        if ((top.req_valid_i >> p & 1) == 0 && bench.one_in(gap)) request(p);
      top.lsu_ready_i = bench.one_in(stall);
      step();
    }
  }
  for (const unsigned n : taken) EXPECT_GT(n, 500u);
}

TEST_F(LsuPortTest, OneRequestACycle) {
  top.lsu_ready_i = 1;
  for (int n = 0; n < 100 && !HasFatalFailure(); n++) {
    for (unsigned p = 0; p < parts; p++)
      if ((top.req_valid_i >> p & 1) == 0) request(p);
    step();
  }
  unsigned all = 0;
  for (const unsigned n : taken) all += n;
  EXPECT_EQ(all, 100u);
}

}  // namespace
}  // namespace heddle::test
