// SPDX-License-Identifier: Apache-2.0
// The block dispatcher against a plain account of what SMs hold: presets cc80 (2 SMs) and clusters (2 SMs, clusters of
// up to 16 blocks).
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

// Of presets/cc80.toml, of which the other is made.
constexpr int kSms = 2, kSlots = 32, kWarps = 64, kSubPartitions = 4, kRows = 512, kShared = 167936;
#ifdef HEDDLE_CLUSTER_BLOCKS
constexpr unsigned kClusterBlocks = HEDDLE_CLUSTER_BLOCKS;
#else
constexpr unsigned kClusterBlocks = 1;
#endif

struct Kernel {
  unsigned registers = 16, shared = 0, warps = 1;
  unsigned grid[3] = {1, 1, 1};
  unsigned cluster[3] = {1, 1, 1};

  unsigned cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  // Blocks that one SM holds, of whole clusters.
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
    return n - n % static_cast<int>(cluster_blocks());
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
    unsigned at = 472;
    const auto field = [&](unsigned width, uint64_t value) {
      at -= width;
      set_bits(dut_.kernel_i, at, width, value);
    };
    field(32, 0), field(8, k.registers), field(18, k.shared), field(18, 0), field(32, 0);
    field(32, k.grid[0]), field(16, k.grid[1]), field(16, k.grid[2]);
    field(11, k.warps * 32), field(11, 1), field(7, 1), field(11, k.warps * 32), field(6, k.warps);
    field(1, 1), field(5, k.cluster[0]), field(5, k.cluster[1]), field(5, k.cluster[2]), field(5, k.cluster_blocks());
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
    struct Open {  // a cluster that has not all of its blocks
      int sm;
      unsigned slot;
      std::array<unsigned, 3> first;
    };
    unsigned rank = 0;
    Open open{};
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
        // block_t: slot 5, first_warp 6, shared_base 18, ctaid 32, 16, 16, rank 4, place in the cluster 4, 4, 4
        const auto field = [&](unsigned at, unsigned width) {
          return static_cast<unsigned>(get_bits(dut_.block_o, at, width));
        };
        const unsigned slot = field(104, 5);
        EXPECT_EQ(field(98, 6), slot * k.warps);
        EXPECT_EQ(field(80, 18), slot * k.shared);
        for (const Running& r : running[s]) ASSERT_NE(r.slot, slot) << "slot given twice";
        const std::array<unsigned, 3> id = {field(48, 32), field(32, 16), field(16, 16)};
        for (int d = 0; d < 3; d++) ASSERT_LT(id[d], k.grid[d]);
        ASSERT_TRUE(seen.insert(id).second) << "block given twice";
        // A cluster's blocks come by rank, to one SM, into slots that were all free.
        if (rank == 0) {
          open = {s, slot, id};
          for (const Running& r : running[s])
            ASSERT_TRUE(r.slot < slot || r.slot >= slot + k.cluster_blocks()) << "not all slots are free";
        }
        const unsigned in[3] = {rank % k.cluster[0], rank / k.cluster[0] % k.cluster[1],
                                rank / k.cluster[0] / k.cluster[1]};
        ASSERT_EQ(s, open.sm);
        ASSERT_EQ(slot, open.slot + rank);
        ASSERT_EQ(slot % k.cluster_blocks(), rank);
        ASSERT_EQ(field(12, 4), rank);
        for (unsigned d = 0; d < 3; d++) {
          ASSERT_EQ(field(4 * (2 - d), 4), in[d]);
          ASSERT_EQ(id[d], open.first[d] + in[d]);
          ASSERT_EQ(open.first[d] % k.cluster[d], 0u);
        }
        rank = (rank + 1) % k.cluster_blocks();
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

TEST_F(BlockDispatcher, ClustersGoToOneSm) {
  unsigned ran = 0, refused = 0;
  for (int i = 0; i < 100 && !HasFatalFailure(); i++) {
    Kernel k;
    k.registers = 1 + static_cast<unsigned>(rng_() % 64);
    k.warps = 1 + static_cast<unsigned>(rng_() % 8);
    k.shared = rng_() % 3 ? 0 : static_cast<unsigned>(rng_() % 49152) / 16 * 16;
    do {
      for (unsigned& c : k.cluster) c = 1 + static_cast<unsigned>(rng_() % (1u << rng_() % 5));
    } while (k.cluster_blocks() > kClusterBlocks);
    for (unsigned d = 0; d < 3; d++) k.grid[d] = k.cluster[d] * (1 + static_cast<unsigned>(rng_() % 4));
    if (k.resident() != 0) {
      run(k, 50);
      ran++;
      continue;
    }
    give(k);
    bool no_fit = false;
    for (int n = 0; n < 40; n++) {
      no_fit |= dut_.no_fit_o;
      cycle();
    }
    EXPECT_TRUE(no_fit);
    refused++;
  }
  EXPECT_GT(ran, 20u);
  EXPECT_TRUE(refused > 5 || kClusterBlocks == 1);
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
