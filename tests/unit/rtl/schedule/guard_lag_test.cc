// SPDX-License-Identifier: Apache-2.0
// Random instructions that write predicates, and guards that ask for them: a warp is held for exactly the lag behind
// the last end of a writer of its guard, and never for another predicate.
#include <Vguard_lag.h>

#include <array>
#include <map>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 16, kEntries = 16, kNone = 7;
constexpr uint64_t kLag = HEDDLE_LAG;

struct Warp {
  unsigned guard = kNone;
  std::array<uint64_t, 7> late_until{};                      // the last cycle in which it is
  std::map<unsigned, std::pair<unsigned, unsigned>> flying;  // entry: the predicates
};

TEST(GuardLagTest, GuardsWaitForTheLagBehindTheLastEnd) {
  RtlBench<Vguard_lag> bench(seed());
  auto& top = *bench.top;
  top.start_valid_i = top.check_valid_i = top.issue_valid_i = top.end_valid_i = 0;
  bench.reset();
  std::array<Warp, kWarps> warps;
  for (unsigned w = 0; w < kWarps; w++) {
    top.check_valid_i = 1;
    top.check_warp_i = w;
    top.check_guard_i = kNone;
    bench.tick();
  }
  top.check_valid_i = 0;

  uint64_t held = 0, again = 0, free = 0, restarted = 0;
  for (uint64_t cycle = 1; cycle < 300000; cycle++) {
    // Few warps and predicates for a while, so that one is written again within the lag; and lulls, in which time
    // stands still.
    const unsigned range = cycle / 3000 % 3 == 0 ? 1 : cycle / 3000 % 3 == 1 ? 3 : kWarps;
    const unsigned predicates = cycle / 1500 % 2 == 0 ? 2 : 7;
    const unsigned every = cycle / 700 % 5 == 4 ? 50 : 1 + cycle / 700 % 5;
    const auto predicate = [&] { return bench.one_in(3) ? kNone : static_cast<unsigned>(bench.rng() % predicates); };

    const auto issuer = static_cast<unsigned>(bench.rng() % range),
               entry = static_cast<unsigned>(bench.rng() % kEntries);
    const unsigned pd = predicate(), pq = predicate();
    const bool issues = bench.one_in(every) && !warps[issuer].flying.count(entry);
    top.issue_valid_i = issues;
    top.issue_warp_i = issuer;
    top.issue_entry_i = entry;
    top.issue_pd_i = pd;
    top.issue_pq_i = pq;

    const auto ender = static_cast<unsigned>(bench.rng() % range);
    const bool ends = bench.one_in(every) && !warps[ender].flying.empty();
    auto ended = warps[ender].flying.begin();
    top.end_valid_i = ends;
    if (ends) {
      std::advance(ended, bench.rng() % warps[ender].flying.size());
      top.end_warp_i = ender;
      top.end_entry_i = ended->first;
    }

    const auto checked = static_cast<unsigned>(bench.rng() % range);
    const unsigned guard = predicate();
    top.check_valid_i = bench.one_in(2);
    top.check_warp_i = checked;
    top.check_guard_i = guard;

    const auto starter = static_cast<unsigned>(bench.rng() % range);
    const bool starts = bench.one_in(10) && warps[starter].flying.empty() && !(issues && issuer == starter);
    top.start_valid_i = starts;
    top.start_warp_i = starter;
    if (starts && top.check_valid_i && checked == starter) top.check_valid_i = 0;

    bench.settle();
    unsigned expected = 0;
    for (unsigned w = 0; w < kWarps; w++)
      if (warps[w].guard != kNone && warps[w].late_until[warps[w].guard] >= cycle) expected |= 1u << w;
    ASSERT_EQ(top.held_o, expected) << "cycle " << cycle;
    held += expected != 0;

    if (ends) {
      for (const unsigned p : {ended->second.first, ended->second.second}) {
        if (p == kNone) continue;
        again += warps[ender].late_until[p] > cycle;
        warps[ender].late_until[p] = cycle + kLag;
      }
      warps[ender].flying.erase(ended);
    }
    if (issues) warps[issuer].flying[entry] = {pd, pq};
    if (top.check_valid_i) {
      warps[checked].guard = guard;
      free += guard != kNone && warps[checked].late_until[guard] <= cycle;
    }
    if (starts) {
      for (const uint64_t until : warps[starter].late_until) restarted += until >= cycle;
      warps[starter].late_until = {};
    }
    bench.tick();
  }
  std::printf("held %llu, written again %llu, free %llu, started anew %llu\n", static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(again), static_cast<unsigned long long>(free),
              static_cast<unsigned long long>(restarted));
  EXPECT_GT(held, 10000u);
  EXPECT_GT(again, 1000u);
  EXPECT_GT(free, 10000u);
  EXPECT_GT(restarted, 50u);
}

}  // namespace
}  // namespace heddle::test
