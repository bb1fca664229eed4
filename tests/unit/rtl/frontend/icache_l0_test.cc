// SPDX-License-Identifier: Apache-2.0
// Warps that fetch along random paths, before a cache of the SM that answers when it likes: each request is answered
// once, with this kernel's bytes; what is kept is what a direct-mapped cache keeps, and is answered in the next cycle
// unless the SM's cache answers in it.
#include <Vicache_l0.h>

#include <map>
#include <optional>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSectors = HEDDLE_SECTORS;
constexpr unsigned kWarps = 8;
enum Error { Ok = 0, Pc = 1, Bus = 2 };

class IcacheL0Test : public ::testing::Test {
 protected:
  IcacheL0Test() : bench(seed()), top(*bench.top) {
    top.empty_i = top.req_valid_i = top.miss_ready_i = top.came_valid_i = 0;
    bench.reset();
  }

  std::uint32_t word(std::uint32_t sector, unsigned i) const {
    return (sector * 8 + i) * 0x9e3779b9u + generation * 0x85ebca6bu;
  }
  Error error_of(std::uint32_t sector) const { return sector % 61 == 7 ? Bus : sector % 67 == 9 ? Pc : Ok; }

  void begin() {
    ASSERT_TRUE(under_way.empty());
    generation++;
    kept.clear();
    top.empty_i = 1;
    bench.tick();
    top.empty_i = 0;
  }

  struct Request {
    std::uint32_t sector = 0;
    bool hit = false;
    unsigned waited = 0;
  };

  // A request for this cycle, by a warp that has none under way.
  void offer(unsigned warp, std::uint32_t sector) {
    top.req_valid_i = 1;
    top.req_warp_i = static_cast<std::uint8_t>(warp);
    top.req_sector_i = sector;
  }

  void step() {
    top.miss_ready_i = !asked && !bench.one_in(busy_one_in);
    top.came_valid_i = 0;
    if (asked) {
      // The earliest answer is in the cycle behind the request; another may be taken in the cycle of the answer.
      if (!bench.one_in(late_one_in)) {
        top.came_valid_i = 1;
        top.came_warp_i = static_cast<std::uint8_t>(*asked);
        const std::uint32_t sector = under_way.at(*asked).sector;
        top.came_error_i = error_of(sector);
        for (unsigned i = 0; i < 8; i++) top.came_data_i[i] = word(sector, i);
        top.miss_ready_i = !bench.one_in(busy_one_in);
      }
    }
    bench.settle();
    const bool came = top.came_valid_i != 0;
    check_answer(came);
    if (HasFatalFailure()) return;
    std::optional<unsigned> now_asked = came ? std::nullopt : asked;
    if (top.req_valid_i != 0) {
      const std::uint32_t sector = top.req_sector_i;
      const auto k = kept.find(sector % kSectors);
      const bool hit = k != kept.end() && k->second == sector;
      ASSERT_EQ(top.miss_valid_o != 0, !hit) << "sector " << sector << " cycle " << bench.cycle;
      if (!hit) {
        ASSERT_EQ(top.miss_warp_o, top.req_warp_i);
        ASSERT_EQ(top.miss_sector_o, sector);
        ASSERT_EQ(top.req_ready_o, top.miss_ready_i);
      }
      if (top.req_ready_o != 0) {
        under_way[top.req_warp_i] = {sector, hit, 0};
        (hit ? hits : misses)++;
        if (!hit) now_asked = top.req_warp_i;
        taken = true;
      }
    } else {
      ASSERT_EQ(top.miss_valid_o, 0);
    }
    if (came && error_of(came_sector) == Ok) kept[came_sector % kSectors] = came_sector;
    asked = now_asked;
    bench.tick();
    top.req_valid_i = 0;
  }

  void check_answer(bool came) {
    const Request* hit = nullptr;
    unsigned hit_warp = 0;
    for (auto& [warp, r] : under_way)
      if (r.hit) {
        ASSERT_EQ(hit, nullptr) << "two hits wait";
        hit = &r;
        hit_warp = warp;
      }
    ASSERT_EQ(top.rsp_valid_o != 0, came || hit != nullptr) << "cycle " << bench.cycle;
    if (!came && hit == nullptr) return;
    const unsigned warp = came ? *asked : hit_warp;
    const Request r = under_way.at(warp);
    ASSERT_EQ(top.rsp_warp_o, warp);
    ASSERT_EQ(top.rsp_error_o, error_of(r.sector));
    for (unsigned i = 0; i < 8; i++) ASSERT_EQ(top.rsp_data_o[i], word(r.sector, i)) << "sector " << r.sector;
    came_sector = r.sector;
    under_way.erase(warp);
    answers++;
  }

  RtlBench<Vicache_l0> bench;
  Vicache_l0& top;
  std::uint32_t generation = 0;
  std::map<std::uint32_t, std::uint32_t> kept;  // sector by place
  std::map<unsigned, Request> under_way;        // by warp
  std::optional<unsigned> asked;                // the warp that the SM's cache has yet to answer
  std::uint32_t came_sector = 0;
  unsigned busy_one_in = 3, late_one_in = 3;
  unsigned hits = 0, misses = 0, answers = 0;
  bool taken = false;
};

TEST_F(IcacheL0Test, AnswersEveryRequestWithThisKernelsCode) {
  for (int kernel = 0; kernel < 100 && !HasFatalFailure(); kernel++) {
    for (int n = 0; n < 1000 && !under_way.empty() && !HasFatalFailure(); n++) step();
    begin();
    busy_one_in = static_cast<unsigned>(2 + bench.rng() % 5);
    late_one_in = static_cast<unsigned>(2 + bench.rng() % 5);
    const auto range = static_cast<std::uint32_t>(1 + bench.rng() % (4 * kSectors));
    const auto base = static_cast<std::uint32_t>(bench.rng() % 0x7fff000);
    std::uint32_t at[kWarps] = {};
    for (int n = 0; n < 1000 && !HasFatalFailure(); n++) {
      const auto warp = static_cast<unsigned>(bench.rng() % kWarps);
      if (!under_way.contains(warp) && !bench.one_in(4)) {
        at[warp] = bench.one_in(6) ? static_cast<std::uint32_t>(bench.rng() % range) : (at[warp] + 1) % range;
        offer(warp, base + at[warp]);
      }
      step();
    }
  }
  for (int n = 0; n < 1000 && !under_way.empty() && !HasFatalFailure(); n++) step();
  EXPECT_EQ(answers, hits + misses);
  EXPECT_GT(hits, 5000u);
  EXPECT_GT(misses, 5000u);
}

// A warp a cycle, whatever the others ask.
TEST_F(IcacheL0Test, AnswersAHitEachCycle) {
  begin();
  busy_one_in = late_one_in = 1u << 30;
  for (std::uint32_t s = 0; s < kSectors && !HasFatalFailure(); s++) {
    taken = false;
    for (int n = 0; n < 10 && !taken; n++) {
      offer(0, 1024 + s);
      step();
    }
    while (!under_way.empty() && !HasFatalFailure()) step();
  }
  answers = 0;
  for (unsigned n = 0; n < 100 && !HasFatalFailure(); n++) {
    std::uint32_t sector = 1024 + static_cast<std::uint32_t>(bench.rng() % kSectors);
    if (error_of(sector) != Ok) sector = 1024;
    offer(n % kWarps, sector);
    step();
  }
  EXPECT_EQ(answers, 99u);
}

}  // namespace
}  // namespace heddle::test
