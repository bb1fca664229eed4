// SPDX-License-Identifier: Apache-2.0
// Random reads and masked writes of every warp's predicates against an array that a warp's start clears.
#include <Vpredicate_file.h>

#include <array>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 16;  // a sub-partition of cc80

class PredicateFileTest : public ::testing::Test {
 protected:
  PredicateFileTest() : rng(seed()) {
    context.randReset(2);
    context.randSeed(static_cast<int>(rng() & 0x7fffffff) | 1);
    top.rd_valid_i = top.wr_valid_i = 0;
    for (unsigned w = 0; w < kWarps; w++) {
      start(w);
      tick();
    }
    top.start_valid_i = 0;
  }

  void tick() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
  void start(unsigned w) {
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    p[w].fill(0);
  }
  void write(unsigned w, unsigned pd, unsigned pq, std::uint32_t mask) {
    top.wr_valid_i = 1;
    top.wr_warp_i = static_cast<unsigned char>(w);
    top.wr_mask_i = mask;
    top.pd_i = static_cast<unsigned char>(pd);
    top.pq_i = static_cast<unsigned char>(pq);
    top.p_i = static_cast<std::uint32_t>(rng());
    top.q_i = static_cast<std::uint32_t>(rng());
  }
  void written() {
    const unsigned w = top.wr_warp_i;
    const auto merge = [&](std::uint32_t& old, std::uint32_t value) { old = (old & ~top.wr_mask_i) | (value & top.wr_mask_i); };
    if (top.pq_i != 7 && top.pq_i != top.pd_i) merge(p[w][top.pq_i], top.q_i);
    if (top.pd_i != 7) merge(p[w][top.pd_i], top.p_i);
  }
  std::uint32_t source(unsigned w, unsigned s) const {
    const std::uint32_t value = s % 8 == 7 ? ~0u : p[w][s % 8];
    return s >= 8 ? ~value : value;
  }

  VerilatedContext context;
  std::mt19937_64 rng;
  Vpredicate_file top{&context};
  std::array<std::array<std::uint32_t, 7>, kWarps> p{};
};

TEST_F(PredicateFileTest, ReadsWhatWasWritten) {
  for (int n = 0; n < 100000; n++) {
    const auto w = static_cast<unsigned>(rng() % kWarps);
    top.rd_valid_i = 1;
    top.rd_warp_i = static_cast<unsigned char>(w);
    top.guard_i = static_cast<unsigned char>(rng() % 16);
    top.psrc_i = static_cast<unsigned char>(rng() % 16);
    top.psrc2_i = static_cast<unsigned char>(rng() % 16);
    top.wr_valid_i = 0;
    top.start_valid_i = 0;
    const bool starts = rng() % 40 == 0;
    const auto starter = static_cast<unsigned>(rng() % kWarps);
    if (rng() % 2 == 0) {
      const auto warp = static_cast<unsigned>(rng() % kWarps);
      const std::uint32_t mask = rng() % 4 == 0 ? ~0u : rng() % 8 == 0 ? 0u : static_cast<std::uint32_t>(rng());
      if (!starts || warp != starter) write(warp, static_cast<unsigned>(rng() % 8), static_cast<unsigned>(rng() % 8), mask);
    }
    // Reads see what was written before this cycle.
    top.eval();
    ASSERT_EQ(top.guard_o, source(w, top.guard_i)) << "cycle " << n;
    ASSERT_EQ(top.p_o, source(w, top.psrc_i)) << "cycle " << n;
    ASSERT_EQ(top.p2_o, source(w, top.psrc2_i)) << "cycle " << n;
    if (top.wr_valid_i) written();
    if (starts) start(starter);
    tick();
  }
}

// A result of nobody's lanes leaves a predicate of a new warp false.
TEST_F(PredicateFileTest, StartsFalseUnderAPartialWrite) {
  write(5, 2, 7, ~0u);
  top.p_i = ~0u;
  tick();
  top.wr_valid_i = 0;
  start(5);
  tick();
  top.start_valid_i = 0;
  write(5, 2, 7, 0x0f0f);
  top.p_i = ~0u;
  tick();
  top.wr_valid_i = 0;
  top.rd_valid_i = 1;
  top.rd_warp_i = 5;
  top.guard_i = 2;
  top.psrc_i = 2 | 8;
  top.eval();
  EXPECT_EQ(top.guard_o, 0x0f0fu);
  EXPECT_EQ(top.p_o, ~0x0f0fu);
}

}  // namespace
}  // namespace heddle::test
