// SPDX-License-Identifier: Apache-2.0
// Memory instructions of random warps under way, against a count a warp.
#include <Vunsent.h>

#include <array>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 16;  // a sub-partition of cc80
constexpr unsigned kMost = 9;    // operand collectors and request registers hold fewer

TEST(UnsentTest, AWarpHasUnsentInstructionsUntilTheLastIsSent) {
  const std::uint64_t s = seed();
  std::mt19937_64 rng(s);
  VerilatedContext context;
  context.randReset(2);
  context.randSeed(static_cast<int>(s) | 1);
  Vunsent top(&context);
  std::array<unsigned, kWarps> count{};
  const auto tick = [&] {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  };
  // There is no reset: every warp begins.
  top.issue_valid_i = top.sent_valid_i = 0;
  for (unsigned w = 0; w < kWarps; w++) {
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    tick();
  }
  unsigned both = 0, full = 0;
  for (int n = 0; n < 200000; n++) {
    unsigned expected = 0;
    for (unsigned w = 0; w < kWarps; w++) expected |= (count[w] != 0 ? 1u : 0u) << w;
    ASSERT_EQ(top.unsent_o, expected) << "cycle " << n;
    // Few warps for a while, so that counts go up and down.
    const unsigned range = n / 1000 % 3 == 0 ? 1 : n / 1000 % 3 == 1 ? 3 : kWarps;
    const auto issue = static_cast<unsigned>(rng() % range), sent = static_cast<unsigned>(rng() % range);
    top.issue_valid_i = count[issue] < kMost && rng() % 3 != 0;
    top.issue_warp_i = static_cast<unsigned char>(issue);
    top.sent_valid_i = count[sent] != 0 && rng() % 3 != 0;
    top.sent_warp_i = static_cast<unsigned char>(sent);
    const auto start = static_cast<unsigned>(rng() % kWarps);
    top.start_valid_i = count[start] == 0 && start != issue && rng() % 8 == 0;
    top.start_warp_i = static_cast<unsigned char>(start);
    both += top.issue_valid_i && top.sent_valid_i && issue == sent;
    count[issue] += top.issue_valid_i;
    count[sent] -= top.sent_valid_i;
    full += count[issue] == kMost;
    tick();
  }
  EXPECT_GT(both, 1000u);
  EXPECT_GT(full, 100u);
}

}  // namespace
}  // namespace heddle::test
