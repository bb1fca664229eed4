// SPDX-License-Identifier: Apache-2.0
#include <Vskid_buffer.h>

#include <deque>

#include "tests/unit/rtl/rtl_bench.h"

namespace {

class SkidBuffer : public ::testing::Test {
 protected:
  SkidBuffer() : bench(heddle::test::seed()) {
    bench.top->wr_valid_i = 0;
    bench.top->rd_ready_i = 0;
    bench.reset();
  }

  void step(bool write, std::uint32_t data, bool read) {
    bench.top->wr_valid_i = write;
    bench.top->wr_data_i = data;
    bench.top->rd_ready_i = read;
    bench.settle();
    ASSERT_EQ(bench.top->wr_ready_o, queue.size() < 2) << "cycle " << bench.cycle;
    ASSERT_EQ(bench.top->rd_valid_o, !queue.empty()) << "cycle " << bench.cycle;
    if (!queue.empty()) {
      ASSERT_EQ(bench.top->rd_data_o, queue.front()) << "cycle " << bench.cycle;
    }
    const bool pushed = write && queue.size() < 2;
    if (read && !queue.empty()) {
      queue.pop_front();
      ++reads;
    }
    if (pushed) queue.push_back(data);
    bench.tick();
  }

  heddle::test::RtlBench<Vskid_buffer> bench;
  std::deque<std::uint32_t> queue;
  unsigned reads = 0;
};

TEST_F(SkidBuffer, KeepsOrderUnderRandomTraffic) {
  for (int phase = 0; phase < 40; ++phase) {
    const std::uint32_t write_gap = 1 + bench.rng() % 4, read_gap = 1 + bench.rng() % 4;
    for (int i = 0; i < 200; ++i) {
      step(bench.one_in(write_gap), static_cast<std::uint32_t>(bench.rng()), bench.one_in(read_gap));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(reads, 1000u);
}

TEST_F(SkidBuffer, RunsAtFullRate) {
  step(true, 0, true);
  reads = 0;
  for (std::uint32_t i = 1; i <= 100 && !HasFatalFailure(); ++i) step(true, i, true);
  EXPECT_EQ(reads, 100u);
}

}  // namespace
