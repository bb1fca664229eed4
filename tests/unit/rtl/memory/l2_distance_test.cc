// SPDX-License-Identifier: Apache-2.0
// Random requests, an L2 that takes them when it likes: each comes out whole, in order, no sooner than the distance
// allows and no later than L2 lets it.
#include <Vl2_distance.h>

#include <array>
#include <deque>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr uint64_t kCycles = 21;  // PARAMS

TEST(L2DistanceTest, RequestsComeInOrderAfterTheirDistance) {
  RtlBench<Vl2_distance> bench(seed());
  auto& top = *bench.top;
  top.req_valid_i = top.req_ready_i = 0;
  bench.reset();
  constexpr unsigned kWords = sizeof(top.req_i) / 4;
  struct Request {
    std::array<uint32_t, kWords> words;
    uint64_t sent;
  };
  std::deque<Request> under_way;
  Request next{};
  bool offered = false;
  uint64_t taken = 0, exact = 0, held = 0, refused = 0, streamed = 0, idle = 0;
  for (uint64_t cycle = 0; cycle < 100000; cycle++) {
    const unsigned every = std::array{1u, 3u, 100u}[cycle / 700 % 3], takes = std::array{1u, 4u}[cycle / 1100 % 2];
    const bool blocked = cycle / 5000 % 4 == 3;  // for longer than it is far
    if (!offered && bench.one_in(every)) {
      for (uint32_t& w : next.words) w = static_cast<uint32_t>(bench.rng());
      for (unsigned w = 0; w < kWords; w++) set_port_word(top.req_i, w, next.words[w]);
      offered = true;
    }
    top.req_valid_i = offered;
    top.req_ready_i = !blocked && bench.one_in(takes);
    bench.settle();
    ASSERT_EQ(top.busy_o != 0, !under_way.empty()) << "cycle " << cycle;
    idle += under_way.empty();
    const bool due = !under_way.empty() && cycle - under_way.front().sent >= kCycles;
    ASSERT_EQ(top.req_valid_o != 0, due) << "cycle " << cycle;
    if (due && top.req_ready_i) {
      for (unsigned w = 0; w + 1 < kWords; w++)  // the last word has fewer bits
        ASSERT_EQ(port_word(top.req_o, w), under_way.front().words[w]) << "cycle " << cycle;
      const uint64_t late = cycle - under_way.front().sent;
      exact += late == kCycles;
      held += late > 3 * kCycles;
      streamed += under_way.size() > kCycles;
      under_way.pop_front();
      taken++;
    }
    if (offered && top.req_ready_o) {
      next.sent = cycle;
      under_way.push_back(next);
      offered = false;
    } else {
      refused += offered;
    }
    bench.tick();
  }
  EXPECT_GT(taken, 5000u);
  for (const uint64_t seen : {exact, held, refused, streamed, idle}) EXPECT_GT(seen, 20u);
}

}  // namespace
}  // namespace heddle::test
