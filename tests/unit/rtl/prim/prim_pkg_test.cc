// SPDX-License-Identifier: Apache-2.0
#include <Vprim_pkg_top.h>

#include <bit>

#include "tests/unit/rtl/rtl_bench.h"

namespace {

TEST(PrimPkg, EqualsTheBitInstructionsOfTheHost) {
  std::mt19937_64 rng(heddle::test::seed());
  VerilatedContext context;
  Vprim_pkg_top top(&context);
  for (int i = 0; i < 100000; ++i) {
    const unsigned shift = rng() % 64;
    const std::uint64_t x = i == 0 ? 0 : rng() >> shift << (rng() % 64);
    const auto low = static_cast<std::uint32_t>(x);
    top.x_i = x;
    top.eval();
    ASSERT_EQ(top.lowest32_o, low & -low) << x;
    ASSERT_EQ(top.lowest64_o, x & -x) << x;
    ASSERT_EQ(top.first32_o, low == 0 ? 0 : std::countr_zero(low)) << x;
    ASSERT_EQ(top.first64_o, x == 0 ? 0 : std::countr_zero(x)) << x;
    ASSERT_EQ(top.popcount32_o, std::popcount(low)) << x;
  }
}

}  // namespace
