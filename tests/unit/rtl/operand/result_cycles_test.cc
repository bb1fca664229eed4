// SPDX-License-Identifier: Apache-2.0
// Random requests of all units against a calendar: a result is written in its unit's cycle, once, a pair's rows after each
// other, no two in one cycle; the scoreboard hears of the last one in time; a unit whose cycle is free is taken; none waits for long, nor do other sources.
#include <Vresult_cycles.h>

#include <array>
#include <map>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

// INT, FP32, CVT, FP64, SFU, FP16 of cc80: cycles from the first beat to the result.
constexpr std::array<unsigned, 6> kLatency = {3, 3, 10, 10, 12, 5};
constexpr unsigned kAhead = 3;  // cycles from what the scoreboard hears to the row
constexpr unsigned kPatience = 7, kPairs = 1 << 0 | 1 << 2 | 1 << 3;

struct Row {
  unsigned unit;
  bool upper;
};

class ResultCyclesTest : public ::testing::Test {
 protected:
  ResultCyclesTest() : bench(seed()), top(*bench.top) {
    top.ask_i = top.wide_i = top.wait_i = top.wakes_i = 0;
    bench.reset();
  }

  void step(unsigned ask, unsigned wide, bool wait) {
    top.ask_i = static_cast<unsigned char>(ask);
    top.wide_i = static_cast<unsigned char>(wide & kPairs);
    top.wait_i = wait;
    top.wakes_i = static_cast<unsigned char>(bench.rng() & 0x3f);
    top.warp_i = static_cast<std::uint32_t>(bench.rng() & 0xffffff);
    top.entry_i = static_cast<std::uint32_t>(bench.rng() & 0x3ffff);
    bench.settle();
    const auto now = calendar.find(cycle);
    ASSERT_EQ(top.now_o, now == calendar.end() ? 0 : 1u << now->second.unit) << "cycle " << cycle;
    ASSERT_EQ(top.upper_o, now != calendar.end() && now->second.upper) << "cycle " << cycle;
    ASSERT_EQ(top.take_o & ~top.ask_i, 0);
    const bool urgent = others >= kPatience || std::ranges::any_of(refused, [](unsigned n) { return n >= kPatience; });
    for (unsigned u = 0; u < 6; u++) {
      if ((top.take_o >> u & 1) == 0) continue;
      ASSERT_TRUE(calendar.insert({cycle + kLatency[u], {u, false}}).second) << "unit " << u << " cycle " << cycle;
      if ((top.wide_i >> u & 1) != 0) {
        ASSERT_TRUE(calendar.insert({cycle + kLatency[u] + 1, {u, true}}).second) << "unit " << u << " cycle " << cycle;
      }
      taken[u]++;
      if ((top.wakes_i >> u & 1) == 0) continue;
      wakes[cycle + kLatency[u] + (top.wide_i >> u & 1) - kAhead] = (top.warp_i >> 4 * u & 15) << 3 | (top.entry_i >> 3 * u & 7);
    }
    const auto wake = wakes.find(cycle);
    ASSERT_EQ(top.wake_o >> 7, wake != wakes.end()) << "cycle " << cycle;
    if (wake != wakes.end()) {
      ASSERT_EQ(top.wake_o & 0x7fu, wake->second) << "cycle " << cycle;
      wakes.erase(wake);
    }
    for (unsigned u = 0; u < 6; u++) {
      refused[u] = (top.ask_i & ~top.take_o) >> u & 1 ? refused[u] + 1 : 0;
      if (refused[u] == 0) continue;
      const bool free = !calendar.contains(cycle + kLatency[u]) &&
                        ((top.wide_i >> u & 1) == 0 || !calendar.contains(cycle + kLatency[u] + 1));
      ASSERT_TRUE(urgent || !free) << "unit " << u << " could be taken in cycle " << cycle;
      ASSERT_LT(refused[u], 100u) << "unit " << u << " waits, cycle " << cycle;
    }
    others = wait && now != calendar.end() ? others + 1 : 0;
    ASSERT_LT(others, kPatience + 16) << "the other sources wait, cycle " << cycle;
    if (now != calendar.end()) calendar.erase(now);
    bench.tick();
    cycle++;
  }

  RtlBench<Vresult_cycles> bench;
  Vresult_cycles& top;
  std::uint64_t cycle = 0;
  std::map<std::uint64_t, Row> calendar;
  std::map<std::uint64_t, unsigned> wakes;  // warp and entry
  std::array<unsigned, 6> taken{}, refused{};
  unsigned others = 0;
};

TEST_F(ResultCyclesTest, EachResultHasACycleOfItsOwn) {
  for (int phase = 0; phase < 300 && !HasFatalFailure(); phase++) {
    std::array<std::uint32_t, 6> gap;
    for (std::uint32_t& g : gap) g = static_cast<std::uint32_t>(1 + bench.rng() % 12);
    const auto wait = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    unsigned ask = 0, wide = 0;
    for (int n = 0; n < 200 && !HasFatalFailure(); n++) {
      // Who was refused asks again, for the same.
      for (unsigned u = 0; u < 6; u++) {
        if ((ask >> u & 1) != 0 || !bench.one_in(gap[u])) continue;
        ask |= 1u << u;
        wide = (wide & ~(1u << u)) | static_cast<unsigned>(bench.rng() % 2) << u;
      }
      step(ask, wide, bench.one_in(wait));
      ask &= ~unsigned{top.take_o};
    }
    for (int n = 0; n < 20 && bench.one_in(2) && !HasFatalFailure(); n++) step(0, 0, false);
  }
  for (const unsigned n : taken) EXPECT_GT(n, 500u);
}

// All ask in every cycle: each gets its part.
TEST_F(ResultCyclesTest, NoUnitStarves) {
  for (int n = 0; n < 6000 && !HasFatalFailure(); n++) step(0x3f, 0x3f, bench.one_in(3));
  for (const unsigned n : taken) EXPECT_GT(n, 60u);
}

}  // namespace
}  // namespace heddle::test
