// SPDX-License-Identifier: Apache-2.0
// Random requests of all units against a calendar: a result is written in its unit's cycle, once, no two in one cycle;
// the scoreboard hears of it in time; a unit whose cycle is free is open; none waits for long, nor do other sources.
#include <Vresult_cycles.h>

#include <array>
#include <map>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

// INT, IMAD, FP32, FP16, CVT, SFU, warp, FP64 of cc80: cycles from the first beat to the result; 0: not booked.
constexpr unsigned kUnits = 8;
constexpr std::array<unsigned, kUnits> kLatency = {3, 3, 3, 3, 10, 12, 0, 6};
constexpr unsigned kAhead = 3;  // cycles from what the scoreboard hears to the result
constexpr unsigned kPatience = 7, kAll = (1u << kUnits) - 1;

class ResultCyclesTest : public ::testing::Test {
 protected:
  ResultCyclesTest() : bench(seed()), top(*bench.top) {
    top.wants_i = top.take_i = top.wait_i = top.wakes_i = 0;
    bench.reset();
  }

  // What came in the last cycle enters its unit.
  void enter() {
    top.take_i = static_cast<unsigned short>(next == kUnits ? 0 : 1u << next);
    top.wakes_i = bench.one_in(2);
    top.warp_i = static_cast<unsigned char>(bench.rng() & 15);
    top.entry_i = static_cast<unsigned char>(bench.rng() & 15);
    if (next == kUnits || kLatency[next] == 0) return;
    ASSERT_TRUE(calendar.insert({cycle + kLatency[next], next}).second) << "unit " << next << " cycle " << cycle;
    if (top.wakes_i) wakes[cycle + kLatency[next] - kAhead] = unsigned{top.warp_i} << 4 | top.entry_i;
  }

  // One of the units that want an instruction and are open is given it; returns which.
  unsigned step(unsigned wants, bool wait) {
    enter();
    top.wants_i = static_cast<unsigned short>(wants);
    top.wait_i = wait;
    bench.settle();
    check(wait);
    next = kUnits;
    for (unsigned u = 0, seen = 0; u < kUnits; u++)
      if ((top.open_o >> u & 1) != 0 && bench.rng() % ++seen == 0) next = u;
    if (bench.one_in(8)) next = kUnits;  // none: an older instruction is for another unit
    if (next < kUnits) taken[next]++;
    bench.tick();
    cycle++;
    return next < kUnits ? 1u << next : 0;
  }

  void check(bool wait) {
    const auto now = calendar.find(cycle);
    ASSERT_EQ(top.now_o, now == calendar.end() ? 0 : 1u << now->second) << "cycle " << cycle;
    const auto wake = wakes.find(cycle);
    ASSERT_EQ(top.wake_o >> 8, wake != wakes.end()) << "cycle " << cycle;
    if (wake != wakes.end()) {
      ASSERT_EQ(top.wake_o & 0xffu, wake->second) << "cycle " << cycle;
      wakes.erase(wake);
    }
    ASSERT_EQ(top.open_o & ~top.wants_i, 0);
    const bool urgent = others >= kPatience || std::ranges::any_of(refused, [](unsigned n) { return n >= kPatience; });
    for (unsigned u = 0; u < kUnits; u++) {
      const bool free = kLatency[u] == 0 || !calendar.contains(cycle + 1 + kLatency[u]);
      const bool open = (top.open_o >> u & 1) != 0;
      ASSERT_TRUE(free || !open) << "unit " << u << " has no cycle for its result, cycle " << cycle;
      refused[u] = (top.wants_i >> u & 1) != 0 && !open ? refused[u] + 1 : 0;
      if (refused[u] == 0) continue;
      ASSERT_TRUE(urgent || !free) << "unit " << u << " could be taken in cycle " << cycle;
      ASSERT_LT(refused[u], 100u) << "unit " << u << " waits, cycle " << cycle;
    }
    others = wait && now != calendar.end() ? others + 1 : 0;
    ASSERT_LT(others, kPatience + 17) << "the other sources wait, cycle " << cycle;
    if (now != calendar.end()) calendar.erase(now);
  }

  RtlBench<Vresult_cycles> bench;
  Vresult_cycles& top;
  std::uint64_t cycle = 0;
  std::map<std::uint64_t, unsigned> calendar;  // units
  std::map<std::uint64_t, unsigned> wakes;     // warp and entry
  std::array<unsigned, kUnits> taken{}, refused{};
  unsigned others = 0;
  unsigned next = kUnits;  // enters in the next cycle
};

TEST_F(ResultCyclesTest, EachResultHasACycleOfItsOwn) {
  for (int phase = 0; phase < 300 && !HasFatalFailure(); phase++) {
    std::array<std::uint32_t, kUnits> gap;
    for (std::uint32_t& g : gap) g = static_cast<std::uint32_t>(1 + bench.rng() % 12);
    const auto wait = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    unsigned wants = 0;
    for (int n = 0; n < 200 && !HasFatalFailure(); n++) {
      // Who was not given one still wants the same.
      for (unsigned u = 0; u < kUnits; u++)
        if (bench.one_in(gap[u])) wants |= 1u << u;
      wants &= ~step(wants, bench.one_in(wait));
    }
    for (int n = 0; n < 20 && bench.one_in(2) && !HasFatalFailure(); n++) step(0, false);
  }
  for (const unsigned n : taken) EXPECT_GT(n, 500u);
}

// All want one in every cycle: each gets its part.
TEST_F(ResultCyclesTest, NoUnitStarves) {
  for (int n = 0; n < 6000 && !HasFatalFailure(); n++) step(kAll, bench.one_in(3));
  for (const unsigned n : taken) EXPECT_GT(n, 60u);
}

}  // namespace
}  // namespace heddle::test
