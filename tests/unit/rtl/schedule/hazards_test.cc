// SPDX-License-Identifier: Apache-2.0
// Random warps: which may issue, and what holds the others, bit by bit.
#include <Vhazards_top.h>

#include <array>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kUnits = static_cast<unsigned>(isa::Unit::Ctl) + 1;

TEST(Hazards, EachWarpByItself) {
  std::mt19937_64 rng(seed());
  Vhazards_top top;
  unsigned ready = 0, held = 0;
  for (int n = 0; n < 20'000; n++) {
    const auto bits = [&](unsigned rarely) {  // fewer ones the greater it is
      std::uint32_t v = ~0u;
      for (unsigned i = 0; i < rarely; i++) v &= static_cast<std::uint32_t>(rng());
      return v;
    };
    const std::uint32_t decoded = ~bits(2), constant = bits(3), drains = bits(3), ordered = bits(3), clear = ~bits(2),
                        entry = ~bits(4), blocked = bits(4), idle = bits(1), unsent = bits(1), stores = bits(1);
    const std::uint32_t room = ~bits(2);
    std::array<std::uint32_t, kUnits> to{};
    for (unsigned w = 0; w < 32; w++) to[rng() % kUnits] |= 1u << w;
    top.decoded_i = decoded, top.constant_i = constant, top.drains_i = drains, top.ordered_i = ordered;
    top.clear_i = clear, top.entry_i = entry, top.blocked_i = blocked, top.idle_i = idle;
    top.unsent_i = unsent, top.store_pending_i = stores, top.room_i = room & ((1u << kUnits) - 1);
    for (unsigned u = 0; u < kUnits; u++) top.to_i[u] = to[u];
    top.eval();
    for (unsigned w = 0; w < top.warps_o; w++) {
      const auto is = [&](std::uint32_t set) { return (set >> w & 1) != 0; };
      bool fits = false;
      for (unsigned u = 0; u < kUnits; u++) fits = fits || (is(to[u]) && (room >> u & 1));
      const bool waits[] = {is(constant),
                            !is(clear),
                            !is(entry),
                            is(blocked),
                            is(drains) && !is(idle),
                            is(ordered) && is(unsent),
                            is(ordered) && is(stores),
                            !fits};
      const std::uint32_t got[] = {top.constant_o, top.depends_o, top.full_o,   top.blocked_o,
                                   top.drain_o,    top.unsent_o,  top.stores_o, top.unit_o};
      bool may = is(decoded);
      ASSERT_EQ(is(top.fetch_o), !is(decoded));
      for (unsigned i = 0; i < std::size(waits); i++) {
        ASSERT_EQ(is(got[i]), is(decoded) && waits[i]) << "reason " << i << " warp " << w;
        may = may && !waits[i];
      }
      ASSERT_EQ(is(top.ready_o), may) << "warp " << w;
      (may ? ready : held)++;
    }
  }
  EXPECT_GT(ready, 1000u);
  EXPECT_GT(held, 1000u);
}

}  // namespace
}  // namespace heddle::test
