// SPDX-License-Identifier: Apache-2.0
// Random results with random lags and passes, and fences: each is heard of in the cycle that a calendar of all that is
// to come names, and none is lost, told twice or told early.
#include <Vresult_lag.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 16, kEntries = 16;
constexpr unsigned kLongestLag = 255;
constexpr unsigned kLongestFence = 2047;
constexpr unsigned kLongest = 511;  // lag and passes together: what is longer is as long as this
constexpr unsigned kPasses = 127;   // beyond the first

struct Event {
  unsigned warp = 0, entry = 0;
  bool has = true;
  uint64_t came = 0;
};

// What comes when, without an end to time.
class Calendar {
 public:
  void end(uint64_t due, const Event& e) {
    while (ends_.count(due)) due++;
    ends_[due] = e;
  }
  bool wake(uint64_t due, const Event& e) { return wakes_.try_emplace(due, e).second; }
  std::optional<Event> end_of(uint64_t cycle) const { return of(ends_, cycle); }
  std::optional<Event> wake_of(uint64_t cycle) const { return of(wakes_, cycle); }

 private:
  static std::optional<Event> of(const std::map<uint64_t, Event>& all, uint64_t cycle) {
    const auto found = all.find(cycle);
    return found == all.end() ? std::nullopt : std::optional<Event>(found->second);
  }
  std::map<uint64_t, Event> ends_, wakes_;
};

TEST(ResultLagTest, ResultsAreHeardOfAfterTheirLag) {
  RtlBench<Vresult_lag> bench(seed());
  auto& top = *bench.top;
  top.issue_valid_i = top.end_valid_i = top.wake_i = 0;
  bench.reset();

  struct Flight {
    unsigned lag, each;
    bool woken;
  };
  std::map<std::pair<unsigned, unsigned>, Flight> flights;  // issued, and the unit has not answered
  std::set<std::pair<unsigned, unsigned>> taken;            // entries that the scoreboard has not freed
  unsigned fence_lag[kWarps] = {};                          // of the warp's last instruction without a result
  unsigned bare_ends[kWarps] = {};                          // that wait, of each warp
  uint64_t bare_due[kWarps] = {};
  for (unsigned w = 0; w < kWarps; w++) {
    top.issue_valid_i = 1;
    top.issue_has_i = 0;
    top.issue_warp_i = static_cast<unsigned char>(w);
    top.issue_lag_i = 0;
    bench.tick();
  }
  Calendar calendar;
  uint64_t ends = 0, wakes = 0, dropped = 0, pushed = 0, at_once = 0, bare = 0, fences = 0, longest = 0, waited = 0,
           several = 0;
  for (uint64_t cycle = 0; cycle < 200000; cycle++) {
    // Bursts and lulls, so that many are due at once and time stands still between.
    const unsigned every = cycle / 500 % 4 == 3 ? 60 : 1 + cycle / 500 % 4;
    top.issue_valid_i = 0;
    std::optional<unsigned> fence;  // of a warp: counts for ends that come after this cycle
    if (bench.one_in(16)) {
      fence = static_cast<unsigned>(bench.rng() % kWarps);
      top.issue_valid_i = 1;
      top.issue_has_i = 0;
      top.issue_warp_i = static_cast<unsigned char>(*fence);
      top.issue_lag_i =
          static_cast<uint16_t>(bench.one_in(2) ? 0 : bench.rng() % (bench.one_in(2) ? 36 : kLongestFence + 1));
    } else if (bench.one_in(every)) {
      const auto warp = static_cast<unsigned>(bench.rng() % kWarps),
                 entry = static_cast<unsigned>(bench.rng() % kEntries);
      if (taken.insert({warp, entry}).second) {
        const unsigned most = bench.one_in(4) ? kLongestLag : 35;
        const unsigned lag = bench.one_in(2) ? 0 : static_cast<unsigned>(bench.rng() % (most + 1));
        top.issue_valid_i = 1;
        top.issue_has_i = 1;
        top.issue_warp_i = static_cast<unsigned char>(warp);
        top.issue_entry_i = static_cast<unsigned char>(entry);
        top.issue_lag_i = static_cast<uint16_t>(lag);
        const unsigned each = static_cast<unsigned>(bench.rng() % (bench.one_in(16) ? kLongestLag + 1 : 12));
        top.issue_each_i = static_cast<uint16_t>(each);
        flights[{warp, entry}] = {lag, each, false};
      }
    }
    const auto any = [&]() {
      auto f = flights.begin();
      std::advance(f, static_cast<long>(bench.rng() % flights.size()));
      return f;
    };
    const auto issued_now = [&](const auto& f) {
      return top.issue_valid_i && top.issue_has_i &&
             f->first == std::make_pair(unsigned{top.issue_warp_i}, unsigned{top.issue_entry_i});
    };
    // One result's rows are on their way; another instruction ends.
    top.wake_i = 0;
    if (!flights.empty() && bench.one_in(every)) {
      const auto f = any();
      if (!f->second.woken && !issued_now(f)) {
        const auto [warp, entry] = f->first;
        top.wake_i = static_cast<unsigned short>(0x100 | warp << 4 | entry);
        f->second.woken = true;
        if (!calendar.wake(cycle + f->second.lag, {warp, entry, true, cycle})) dropped++;
      }
    }
    top.end_valid_i = 0;
    std::optional<unsigned> late;  // a warp whose end without a result waits
    if (bench.one_in(8 * every)) {
      top.end_valid_i = 1;
      top.end_has_i = 0;
      top.end_warp_i = static_cast<unsigned char>(bench.rng() % kWarps);
      top.end_entry_i = static_cast<unsigned char>(bench.rng() % kEntries);
      const unsigned lag = fence_lag[top.end_warp_i];
      if (lag > kLongest) late = top.end_warp_i;
      else calendar.end(cycle + lag, {top.end_warp_i, top.end_entry_i, false, cycle});
      bare++;
      fences += lag != 0;
    } else if (!flights.empty() && bench.one_in(every)) {
      const auto f = any();
      const bool woken_now = top.wake_i == (0x100 | f->first.first << 4 | f->first.second);
      if (!issued_now(f) && !woken_now) {
        const auto [warp, entry] = f->first;
        top.end_valid_i = top.end_has_i = 1;
        top.end_warp_i = static_cast<unsigned char>(warp);
        top.end_entry_i = static_cast<unsigned char>(entry);
        const unsigned passes = bench.one_in(4) ? static_cast<unsigned>(bench.rng() % (kPasses + 1)) : 0;
        top.end_passes_i = static_cast<unsigned char>(passes);
        const unsigned lag = f->second.lag + passes * f->second.each;
        longest += lag > kLongest;
        const uint64_t due = cycle + std::min(lag, kLongest);
        pushed += calendar.end_of(due).has_value();
        at_once += due == cycle && !calendar.end_of(due);
        calendar.end(due, {warp, entry, true, cycle});
        flights.erase(f);
      }
    }

    bench.settle();
    auto end = calendar.end_of(cycle);
    waited += end.has_value() && std::any_of(bare_due, bare_due + kWarps, [&](const uint64_t& due) {
                return bare_ends[&due - bare_due] && due <= cycle;
              });
    for (unsigned w = 0; w < kWarps && !end; w++) {
      if (!bare_ends[w] || bare_due[w] > cycle) continue;
      end = {w, 0, false, cycle};
      bare_ends[w]--;
    }
    if (late) {
      several += bare_ends[*late] != 0;
      bare_ends[*late]++;
      bare_due[*late] = cycle + fence_lag[*late];
    }
    ASSERT_EQ(top.end_valid_o != 0, end.has_value()) << "cycle " << cycle;
    if (end) {
      ASSERT_EQ(top.end_warp_o, end->warp) << "cycle " << cycle;
      ASSERT_EQ(top.end_has_o != 0, end->has) << "cycle " << cycle;
      if (end->has) {
        ASSERT_EQ(top.end_entry_o, end->entry) << "cycle " << cycle;
        ASSERT_LE(cycle - end->came, kLongest) << "later than the longest lag";
        taken.erase({end->warp, end->entry});
      }
      ends++;
    }
    const auto wake = calendar.wake_of(cycle);
    ASSERT_EQ(top.wake_o >> 8, wake.has_value()) << "cycle " << cycle;
    if (wake) {
      ASSERT_EQ(top.wake_o & 0xff, wake->warp << 4 | wake->entry) << "cycle " << cycle;
      wakes++;
    }
    bench.tick();
    if (fence) fence_lag[*fence] = top.issue_lag_i;
  }
  // The rare cases came.
  for (const uint64_t seen :
       {ends / 1000, wakes / 1000, dropped, pushed, at_once, bare, fences, longest, waited, several})
    EXPECT_GT(seen, 20u);
}

}  // namespace
}  // namespace heddle::test
