// SPDX-License-Identifier: Apache-2.0
#include "Vclock_gate_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

TEST(ClockGate, TicksExactlyInEnabledCycles) {
  RtlBench<Vclock_gate_top> bench(seed());
  auto& top = *bench.top;
  top.en_i = 0;
  bench.reset();
  std::uint32_t enabled = 0;
  for (std::uint32_t cycle = 0; cycle < 10'000; ++cycle) {
    top.en_i = bench.one_in(cycle / 1000 + 1);
    enabled += top.en_i;
    bench.tick();
    ASSERT_EQ(top.gated_o, enabled);
    ASSERT_EQ(top.free_o, cycle + 1);
    ASSERT_EQ(top.wired_o, cycle + 1);
  }
}

TEST(ClockGate, EnableMayChangeWhileTheClockIsHigh) {
  RtlBench<Vclock_gate_top> bench(seed());
  auto& top = *bench.top;
  top.en_i = 0;
  bench.reset();
  std::uint32_t enabled = 0;
  for (int cycle = 0; cycle < 10'000; ++cycle) {
    const bool en = bench.one_in(2);
    top.en_i = en;
    enabled += en;
    bench.tick();
    for (int change = 0; change < 3; ++change) {
      top.en_i = bench.one_in(2);
      top.eval();
      ASSERT_EQ(top.clk_o, en) << "a partial pulse";
      ASSERT_EQ(top.gated_o, enabled);
    }
  }
}

}  // namespace
}  // namespace heddle::test
