// SPDX-License-Identifier: Apache-2.0
// The block dispatcher against a plain account of what SMs hold (preset cc80: 2 SMs).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "Vblock_dispatcher.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "verilated.h"

namespace {

using heddle::test::get_bits;
using heddle::test::set_bits;

// Of presets/cc80.toml.
constexpr int kSms = 2, kSlots = 32, kWarps = 64, kSubPartitions = 4, kRows = 512, kShared = 167936;

struct Kernel {
  unsigned registers = 16, shared = 0, warps = 1;
  unsigned grid[3] = {1, 1, 1};

  // Blocks that one SM holds.
  int resident() const {
    const unsigned rows = registers + registers % 2;
    int n = 0;
    while (n < kSlots) {
      const unsigned warps_then = warps * static_cast<unsigned>(n + 1);
      const unsigned a_sub_partition = (warps_then + kSubPartitions - 1) / kSubPartitions;
      if (warps_then > kWarps || a_sub_partition * rows > kRows || shared * static_cast<unsigned>(n + 1) > kShared)
        break;
      n++;
    }
    return n;
  }
};

class BlockDispatcher : public ::testing::Test {
 protected:
  BlockDispatcher() {
    const char* s = std::getenv("HEDDLE_SEED");
    const uint64_t seed = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
    std::cout << "HEDDLE_SEED=" << seed << "\n";
    rng_.seed(seed);
    dut_.max_warps_i = kWarps;
    dut_.rst_ni = 0;
    cycle();
    dut_.rst_ni = 1;
  }

  void cycle() {
    dut_.clk_i = 0;
    dut_.eval();
    dut_.clk_i = 1;
    dut_.eval();
  }

  void give(const Kernel& k) {
    unsigned at = 451;
    const auto field = [&](unsigned width, uint64_t value) {
      at -= width;
      set_bits(dut_.kernel_i, at, width, value);
    };
    field(32, 0), field(8, k.registers), field(18, k.shared), field(18, 0), field(32, 0);
    field(32, k.grid[0]), field(16, k.grid[1]), field(16, k.grid[2]);
    field(11, k.warps * 32), field(11, 1), field(7, 1), field(11, k.warps * 32), field(6, k.warps);
    dut_.start_i = 1;
    cycle();
    dut_.start_i = 0;
  }

  // Runs a grid; blocks last up to `longest` cycles.
  void run(const Kernel& k, int longest) {
    struct Running {
      int left;
      unsigned slot;
    };
    std::vector<Running> running[kSms];
    std::set<std::array<unsigned, 3>> seen;
    size_t most[kSms] = {};
    give(k);
    for (int t = 0; t < 200000 && dut_.running_o; t++) {
      for (int s = 0; s < kSms; s++) {
        dut_.done_valid_i &= ~(1u << s);
        for (size_t i = 0; i < running[s].size(); i++) running[s][i].left--;
        const auto ended =
            std::find_if(running[s].begin(), running[s].end(), [](const Running& r) { return r.left <= 0; });
        if (ended == running[s].end()) continue;
        dut_.done_valid_i |= 1u << s;
        dut_.done_slot_i = static_cast<uint16_t>((dut_.done_slot_i & ~(31u << 5 * s)) | ended->slot << 5 * s);
        running[s].erase(ended);
      }
      dut_.block_ready_i = static_cast<uint8_t>(rng_() & 3);
      dut_.clk_i = 0;
      dut_.eval();
      const unsigned taken = dut_.block_valid_o & dut_.block_ready_i;
      if (taken) {
        ASSERT_TRUE(taken == 1 || taken == 2) << "one block a cycle";
        const int s = taken == 2;
        // block_t: slot 5, first_warp 6, shared_base 18, ctaid 32, 16, 16
        const auto slot = static_cast<unsigned>(get_bits(dut_.block_o, 88, 5));
        EXPECT_EQ(get_bits(dut_.block_o, 82, 6), slot * k.warps);
        EXPECT_EQ(get_bits(dut_.block_o, 64, 18), slot * k.shared);
        for (const Running& r : running[s]) ASSERT_NE(r.slot, slot) << "slot given twice";
        const std::array<unsigned, 3> id = {static_cast<unsigned>(get_bits(dut_.block_o, 32, 32)),
                                            static_cast<unsigned>(get_bits(dut_.block_o, 16, 16)),
                                            static_cast<unsigned>(get_bits(dut_.block_o, 0, 16))};
        for (int d = 0; d < 3; d++) ASSERT_LT(id[d], k.grid[d]);
        ASSERT_TRUE(seen.insert(id).second) << "block given twice";
        running[s].push_back({1 + static_cast<int>(rng_() % static_cast<unsigned>(longest)), slot});
        most[s] = std::max(most[s], running[s].size());
        ASSERT_LE(running[s].size(), static_cast<size_t>(k.resident()));
      }
      dut_.clk_i = 1;
      dut_.eval();
    }
    EXPECT_FALSE(dut_.running_o) << "hangs";
    EXPECT_EQ(seen.size(), size_t{k.grid[0]} * k.grid[1] * k.grid[2]);
    EXPECT_EQ(dut_.blocks_done_o, seen.size());
    if (longest >= 2000 && seen.size() > 2 * kSlots * kSms) {
      EXPECT_EQ(most[0], static_cast<size_t>(k.resident())) << "an SM was not filled";
      EXPECT_EQ(most[1], static_cast<size_t>(k.resident()));
    }
  }

  std::mt19937_64 rng_;
  Vblock_dispatcher dut_;
};

TEST_F(BlockDispatcher, EveryBlockGoesOutOnceWithinTheLimits) {
  for (int i = 0; i < 60; i++) {
    Kernel k;
    k.registers = 1 + static_cast<unsigned>(rng_() % 255);
    k.warps = 1 + static_cast<unsigned>(rng_() % 32);
    k.shared = rng_() % 3 ? 0 : static_cast<unsigned>(rng_() % 49152) / 16 * 16;
    for (unsigned& g : k.grid) g = 1 + static_cast<unsigned>(rng_() % 7);
    if (k.resident() == 0) continue;
    run(k, 50);
    if (HasFatalFailure()) return;
  }
}

TEST_F(BlockDispatcher, FillsTheSmsToTheLimit) {
  for (const unsigned registers : {16u, 40u, 255u}) {
    Kernel k;
    k.registers = registers;
    k.warps = 4;
    k.grid[0] = 300;
    run(k, 2000);
  }
}

TEST_F(BlockDispatcher, RefusesABlockThatNoSmHolds) {
  Kernel k;
  k.registers = 255;
  k.warps = 32;
  ASSERT_EQ(k.resident(), 0);
  give(k);
  bool refused = false;
  for (int i = 0; i < 20; i++) {
    refused |= dut_.no_fit_o;
    cycle();
  }
  EXPECT_TRUE(refused);
  EXPECT_FALSE(dut_.running_o);
  k.registers = 16;
  run(k, 50);
}

TEST_F(BlockDispatcher, RunTimeLimitOfWarpsIsKept) {
  dut_.max_warps_i = 8;
  Kernel k;
  k.warps = 4;
  k.grid[0] = 50;
  give(k);
  // Nobody finishes: two blocks an SM go out and no more.
  dut_.block_ready_i = 3;
  int out = 0;
  for (int i = 0; i < 500; i++) {
    dut_.clk_i = 0;
    dut_.eval();
    out += dut_.block_valid_o != 0;
    dut_.clk_i = 1;
    dut_.eval();
  }
  EXPECT_EQ(out, 4);
  EXPECT_TRUE(dut_.waiting_o);
}

}  // namespace
