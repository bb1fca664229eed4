// SPDX-License-Identifier: Apache-2.0
// Random reads and masked writes of every warp's predicates against an array that a warp's start clears. Sources come a
// cycle later, or where rows move whole two, with all that is written by then.
#include <Vpredicate_file_top.h>

#include <array>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

class PredicateFileTest : public ::testing::Test {
 protected:
  PredicateFileTest() : rng(seed()) {
    context.randReset(2);
    context.randSeed(static_cast<int>(rng() & 0x7fffffff) | 1);
    top.rd_valid_i = top.wr_valid_i = 0;
    top.eval();
    lanes = top.sizes_o >> 8;
    slices = 32 / lanes;
    warps = top.sizes_o & 0xff;
    p.resize(warps);
    for (unsigned w = 0; w < warps; w++) {
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
  // A slice of a result; mask counts from its first lane.
  void write(unsigned w, unsigned slice, unsigned pd, unsigned pq, std::uint32_t mask) {
    top.wr_valid_i = 1;
    top.wr_warp_i = static_cast<unsigned char>(w);
    top.wr_slice_i = static_cast<unsigned char>(slice);
    set(top.wr_lanes_i, mask);
    top.pd_i = static_cast<unsigned char>(pd);
    top.pq_i = static_cast<unsigned char>(pq);
    set(top.p_i, static_cast<std::uint32_t>(rng()));
    set(top.q_i, static_cast<std::uint32_t>(rng()));
  }
  void written() {
    const unsigned w = top.wr_warp_i;
    const std::uint32_t first = top.wr_slice_i * lanes, mask = top.wr_lanes_i << first;
    const auto merge = [&](std::uint32_t& old, std::uint32_t value) { old = (old & ~mask) | (value << first & mask); };
    if (top.pq_i != 7 && top.pq_i != top.pd_i) merge(p[w][top.pq_i], top.q_i);
    if (top.pd_i != 7) merge(p[w][top.pd_i], top.p_i);
  }
  void set(std::uint32_t& port, std::uint32_t value) const { port = value & ~0u >> (32 - lanes); }
  std::uint32_t source(unsigned w, unsigned s) const {
    const std::uint32_t value = s % 8 == 7 ? ~0u : p[w][s % 8];
    return s >= 8 ? ~value : value;
  }

  VerilatedContext context;
  std::mt19937_64 rng;
  Vpredicate_file_top top{&context};
  unsigned lanes, slices, warps;  // lanes of a slice
  std::vector<std::array<std::uint32_t, 7>> p;
};

TEST_F(PredicateFileTest, ReadsWhatWasWritten) {
  struct Asked {
    unsigned warp = 0, psrc = 7, psrc2 = 7;
    std::uint32_t p = 0, p2 = 0;  // before this cycle's write
    bool valid = false;
  } last, before_last;
  for (int n = 0; n < 100000; n++) {
    const auto w = static_cast<unsigned>(rng() % warps);
    top.rd_valid_i = rng() % 8 != 0;
    top.rd_warp_i = static_cast<unsigned char>(w);
    top.guard_i = static_cast<unsigned char>(rng() % 16);
    top.psrc_i = static_cast<unsigned char>(rng() % 16);
    top.psrc2_i = static_cast<unsigned char>(rng() % 16);
    top.wr_valid_i = 0;
    top.start_valid_i = 0;
    const bool starts = rng() % 40 == 0;
    const auto starter = static_cast<unsigned>(rng() % warps);
    if (rng() % 2 == 0) {
      const auto warp = static_cast<unsigned>(rng() % warps);
      const std::uint32_t mask = rng() % 4 == 0 ? ~0u : rng() % 8 == 0 ? 0u : static_cast<std::uint32_t>(rng());
      // No warp starts while an instruction of its reads.
      if (!starts || warp != starter)
        write(warp, static_cast<unsigned>(rng() % slices), static_cast<unsigned>(rng() % 8),
              static_cast<unsigned>(rng() % 8), mask);
    }
    // Guards are what was written before this cycle.
    top.eval();
    if (top.rd_valid_i) {
      ASSERT_EQ(top.guard_o, source(w, top.guard_i)) << "cycle " << n;
    }
    Asked now = {w, top.psrc_i, top.psrc2_i, source(w, top.psrc_i), source(w, top.psrc2_i), top.rd_valid_i != 0};
    if (slices > 1 && last.valid) {
      ASSERT_EQ(top.p_o, last.p) << "cycle " << n;
      ASSERT_EQ(top.p2_o, last.p2) << "cycle " << n;
    }
    if (top.wr_valid_i) written();
    if (slices == 1 && before_last.valid && (before_last.psrc % 8 != 7 || before_last.psrc2 % 8 != 7)) {
      ASSERT_EQ(top.p_o, source(before_last.warp, before_last.psrc)) << "cycle " << n;
      ASSERT_EQ(top.p2_o, source(before_last.warp, before_last.psrc2)) << "cycle " << n;
    }
    if (starts) {
      start(starter);
      for (Asked* asked : {&last, &now})
        if (asked->warp == starter) asked->valid = false;
    }
    before_last = last;
    last = now;
    tick();
  }
}

// Lanes that the first result of a new warp leaves out are false, those of its other slices too.
TEST_F(PredicateFileTest, StartsFalseUnderAPartialWrite) {
  const auto write_ones = [&](unsigned slice, std::uint32_t mask) {
    write(5, slice, 2, 7, mask);
    set(top.p_i, ~0u);
    tick();
    top.wr_valid_i = 0;
  };
  for (unsigned slice = 0; slice < slices; slice++) write_ones(slice, ~0u);
  start(5);
  tick();
  top.start_valid_i = 0;
  write_ones(slices - 1, 0x5);
  top.rd_valid_i = 1;
  top.rd_warp_i = 5;
  top.guard_i = 2;
  top.psrc_i = 2 | 8;
  top.psrc2_i = 7;
  top.eval();
  const std::uint32_t expected = 0x5u << (slices - 1) * lanes;
  EXPECT_EQ(top.guard_o, expected);
  tick();
  if (slices == 1) tick();
  EXPECT_EQ(top.p_o, ~expected);
}

}  // namespace
}  // namespace heddle::test
