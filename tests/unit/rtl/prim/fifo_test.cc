// SPDX-License-Identifier: Apache-2.0
#include <Vfifo.h>

#include <deque>

#include "tests/unit/rtl/rtl_bench.h"

namespace {

constexpr unsigned kDepth = HEDDLE_DEPTH;
#ifdef HEDDLE_RAM
constexpr bool kRam = HEDDLE_RAM;
#else
constexpr bool kRam = false;
#endif

class Fifo : public ::testing::Test {
 protected:
  Fifo() : bench(heddle::test::seed()) {
    bench.top->wr_valid_i = 0;
    bench.top->rd_ready_i = 0;
    bench.reset();
  }

  // One cycle; checks the outputs against the reference queue.
  void step(bool write, std::uint32_t data, bool read) {
    bench.top->wr_valid_i = write;
    bench.top->wr_data_i = data;
    bench.top->rd_ready_i = read;
    bench.settle();
    ASSERT_EQ(bench.top->wr_ready_o, queue.size() < kDepth) << "cycle " << bench.cycle;
    // In block RAM an entry shows a cycle later.
    const bool shows = queue.size() > (kRam && fresh ? 1 : 0);
    ASSERT_EQ(bench.top->rd_valid_o, shows) << "cycle " << bench.cycle;
    ASSERT_EQ(bench.top->count_o, queue.size()) << "cycle " << bench.cycle;
    if (shows) {
      ASSERT_EQ(bench.top->rd_data_o, queue.front()) << "cycle " << bench.cycle;
    }
    const bool pushed = write && queue.size() < kDepth;
    if (read && shows) {
      queue.pop_front();
      ++reads;
    }
    if (pushed) queue.push_back(data);
    fresh = pushed;
    bench.tick();
  }

  heddle::test::RtlBench<Vfifo> bench;
  std::deque<std::uint32_t> queue;
  unsigned reads = 0;
  bool fresh = false;  // the last cycle wrote
};

TEST_F(Fifo, KeepsOrderUnderRandomTraffic) {
  for (int phase = 0; phase < 40; ++phase) {
    const std::uint32_t write_gap = 1 + bench.rng() % 4, read_gap = 1 + bench.rng() % 4;
    for (int i = 0; i < 200; ++i) {
      step(bench.one_in(write_gap), static_cast<std::uint32_t>(bench.rng()), bench.one_in(read_gap));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(reads, 1000u);
}

TEST_F(Fifo, RunsAtFullRateWhenHalfFull) {
  // One entry more than are on their way to the output.
  for (std::uint32_t i = 0; i < (kRam ? 2 : 1); ++i) step(true, i, false);
  reads = 0;
  for (std::uint32_t i = 0; i < 100 && !HasFatalFailure(); ++i) step(true, i, true);
  EXPECT_EQ(reads, 100u);
}

TEST_F(Fifo, RefusesWritesWhenFull) {
  for (std::uint32_t i = 0; i < kDepth + 3 && !HasFatalFailure(); ++i) step(true, i, false);
  EXPECT_EQ(queue.size(), kDepth);
  while ((!queue.empty() || fresh) && !HasFatalFailure()) step(false, 0, true);
}

}  // namespace
