// SPDX-License-Identifier: Apache-2.0
#include <Vrr_arbiter.h>

#include "tests/unit/rtl/rtl_bench.h"

namespace {

constexpr unsigned kN = HEDDLE_N;

class RrArbiter : public ::testing::Test {
 protected:
  RrArbiter() : bench(heddle::test::seed()) {
    bench.top->req_i = 0;
    bench.top->advance_i = 0;
    bench.reset();
  }

  // The winner of `requests`, or -1; moves the turn on if `advance`.
  int step(std::uint64_t requests, bool advance) {
    bench.top->req_i = requests;
    bench.top->advance_i = advance && requests != 0;
    bench.settle();
    EXPECT_EQ(bench.top->valid_o, requests != 0);
    const int winner = requests == 0 ? -1 : static_cast<int>(bench.top->index_o);
    EXPECT_EQ(bench.top->gnt_o, requests == 0 ? 0 : std::uint64_t{1} << winner);
    bench.tick();
    return winner;
  }

  // Reference: from the one after `last` upwards, around.
  static int expected(std::uint64_t requests, int last) {
    for (unsigned i = 1; i <= kN; ++i) {
      const unsigned candidate = (static_cast<unsigned>(last + 1) + i - 1) % kN;
      if ((requests >> candidate & 1) != 0) return static_cast<int>(candidate);
    }
    return -1;
  }

  std::uint64_t random_requests() {
    const std::uint64_t all = kN == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << kN) - 1;
    return (bench.one_in(2) ? bench.rng() : bench.rng() & bench.rng() & bench.rng()) & all;
  }

  heddle::test::RtlBench<Vrr_arbiter> bench;
};

TEST_F(RrArbiter, ServesInTurn) {
  int last = -1;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t requests = random_requests();
    const bool advance = !bench.one_in(4);
    const int winner = step(requests, advance);
    ASSERT_EQ(winner, expected(requests, last)) << "requests " << requests << " last " << last;
    if (advance && winner >= 0) last = winner;
  }
}

TEST_F(RrArbiter, KeepsTheTurnWithoutAdvance) {
  const std::uint64_t all = (std::uint64_t{1} << kN) - 1;
  const int next = kN == 1 ? 0 : 1;
  EXPECT_EQ(step(all, true), 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(step(all, false), next);
}

}  // namespace
