// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks of random sizes, whose threads wait for their block, arrive at the cluster's barrier and wait for
// it as a sub-partition lets them, or end; against a count of every block's and every cluster's threads.
#include <Vbarriers_top.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kBlockBarrier = 3, kClusterBarrier = 16;

struct Message {
  bool ends = false, cluster = false, phase = false;
  unsigned warp = 0, threads = 0, came = 0;
};

// As its sub-partition knows it. Threads are free, wait for their block, or for the cluster; of those that are free,
// and of those that wait for their block, some have arrived at the cluster's barrier, which is still closed.
struct Warp {
  unsigned block = 0, free = 0, came = 0, waits_block = 0, waits_block_came = 0, waits_cluster = 0;
  bool phase = false;
};

struct Block {
  unsigned cluster = 0, first = 0, live = 0, waiting = 0;
};

struct Cluster {
  unsigned slot = 0, live = 0, arrived = 0, opened = 0;
};

class BarriersTest : public ::testing::Test {
 protected:
  BarriersTest() : bench(seed()), top(*bench.top) {
    top.block_valid_i = top.warp_valid_i = top.arrive_valid_i = 0;
    top.release_ready_i = 0xf;
    bench.reset();
    bench.settle();
    parts = top.sizes_o & 0xff;
    all_warps = top.sizes_o >> 8 & 0xff;
    slots = top.sizes_o >> 16 & 0xff;
    offered.resize(parts);
  }

  void start() {
    const unsigned size = 1 + static_cast<unsigned>(bench.rng() % 16);
    const unsigned most = std::min(32u, all_warps / size);
    warps_per_block = bench.one_in(2) ? 1 + static_cast<unsigned>(bench.rng() % most) : most;
    const unsigned threads = 32 * warps_per_block - static_cast<unsigned>(bench.one_in(2) ? 0 : bench.rng() % 32);
    top.block_warps_i = static_cast<unsigned char>(warps_per_block);
    top.block_threads_i = static_cast<unsigned short>(threads);
    top.cluster_blocks_i = static_cast<unsigned char>(size);
    const unsigned count = std::min(all_warps / warps_per_block, slots) / size;
    clusters.assign(count, {});
    blocks.clear();
    warps.assign(all_warps, {});
    for (unsigned b = 0; b < count * size; b++) {
      if (b % size == 0) clusters[b / size] = {.slot = b, .live = size * threads, .arrived = 0, .opened = 0};
      blocks.push_back({.cluster = b / size, .first = b * warps_per_block, .live = threads, .waiting = 0});
      top.block_valid_i = 1;
      top.block_slot_i = static_cast<unsigned char>(b);
      top.block_first_i = static_cast<unsigned char>(b * warps_per_block);
      top.block_rank_i = static_cast<unsigned char>(b % size);
      step();
      top.block_valid_i = 0;
      for (unsigned w = 0; w < warps_per_block && !HasFatalFailure(); w++) {
        top.warp_valid_i = 1;
        top.warp_i = static_cast<unsigned char>(b * warps_per_block + w);
        step();
        top.warp_valid_i = 0;
        Warp& warp = warps[b * warps_per_block + w];
        warp = {};
        warp.block = b;
        warp.free = std::min(32u, threads - 32 * w);
      }
      // Warps of the first blocks may act before the last block is there.
      for (int n = 0; n < 10 && !HasFatalFailure(); n++) {
        act(8);
        step();
      }
    }
  }

  // What a message does to the barrier that takes it.
  void apply_to_block(const Message& m) {
    Block& block = blocks[warps[m.warp].block];
    if (m.ends) block.live -= m.threads;
    else block.waiting += m.threads;
    if (block.waiting == 0 || block.waiting != block.live) return;
    block.waiting = 0;
    tell(block.first, warps_per_block, kBlockBarrier);
  }
  void apply_to_cluster(const Message& m) {
    Cluster& cluster = clusters[blocks[warps[m.warp].block].cluster];
    if (m.ends) {
      const bool in_time = m.phase == (cluster.opened % 2 != 0);
      cluster.live -= m.threads;
      if (in_time) cluster.arrived -= m.came;
      exits_after_arrival += m.came != 0;
      exits_meanwhile += m.came != 0 && !in_time && cluster.arrived != 0;
    } else {
      cluster.arrived += m.threads;
    }
    if (cluster.arrived == 0 || cluster.arrived != cluster.live) return;
    cluster.arrived = 0;
    cluster.opened++;
    by_end += m.ends;
    tell(cluster.slot * warps_per_block, warps_per_block * top.cluster_blocks_i, kClusterBarrier);
  }
  void tell(unsigned first, unsigned count, unsigned id) {
    (id == kClusterBarrier ? cluster_opens : block_opens)++;
    for (unsigned w = first; w < first + count; w++) told[w % parts][id == kClusterBarrier].push_back(w);
  }

  // A sub-partition's warps do something, one time in n.
  void act(std::uint32_t n, bool to_the_end = false) {
    for (unsigned part = 0; part < parts; part++) {
      if (offered[part] || !bench.one_in(n)) continue;
      Warp& warp = warps[bench.rng() % (all_warps / parts) * parts + part];
      const auto at = static_cast<unsigned>(&warp - warps.data());
      if (warp.free == 0) continue;
      const unsigned kind = static_cast<unsigned>(bench.rng() % (bench.one_in(4) ? 8 : 7));
      const unsigned fresh = warp.free - warp.came;
      Message m{.phase = warp.phase, .warp = at};
      // More of those end who have yet to hear that the cluster's barrier has opened.
      if (to_the_end || (kind == 0 && bench.one_in(4)) ||
          (warp.came != 0 && !told[part][1].empty() && bench.one_in(3))) {
        m.ends = true;
        m.threads = to_the_end ? warp.free : 1 + static_cast<unsigned>(bench.rng() % warp.free);
        const unsigned least = m.threads > fresh ? m.threads - fresh : 0;
        m.came = least + static_cast<unsigned>(bench.rng() % (std::min(warp.came, m.threads) - least + 1));
        warp.free -= m.threads;
        warp.came -= m.came;
      } else if (kind < 4 && fresh != 0) {
        m.cluster = true;
        m.threads = bench.one_in(3) ? 1 + static_cast<unsigned>(bench.rng() % fresh) : fresh;
        warp.came += m.threads;
      } else if (kind < 7 && warp.came != 0) {  // CBAR.WAIT tells nobody
        const unsigned threads = bench.one_in(3) ? 1 + static_cast<unsigned>(bench.rng() % warp.came) : warp.came;
        warp.came -= threads;
        warp.free -= threads;
        warp.waits_cluster += threads;
        continue;
      } else if (kind == 7 && (warp.came != 0 || bench.one_in(200))) {
        // Who waits for the block without having arrived, while others of it wait for the cluster, waits for ever.
        m.threads = warp.came != 0 ? warp.came : fresh;
        warp.waits_block += m.threads;
        warp.waits_block_came += warp.came;
        warp.free -= m.threads;
        warp.came = 0;
      } else {
        continue;
      }
      const std::uint64_t word = std::uint64_t{m.ends} | std::uint64_t{m.cluster} << 1 | std::uint64_t{m.phase} << 2 |
                                 std::uint64_t{m.warp} << 8 | std::uint64_t{m.threads} << 48 |
                                 std::uint64_t{m.came} << 56;
      top.arrive_i[2 * part] = static_cast<std::uint32_t>(word);
      top.arrive_i[2 * part + 1] = static_cast<std::uint32_t>(word >> 32);
      top.arrive_valid_i |= static_cast<unsigned char>(1u << part);
      offered[part] = m;
    }
  }

  void step() {
    bench.settle();
    const unsigned hears = top.release_valid_o & top.release_ready_i, taken = top.arrive_valid_i & top.arrive_ready_o;
    const unsigned by_block = top.block_takes_o, by_cluster = top.cluster_takes_o;
    ASSERT_LE(std::popcount(by_block), 1);
    ASSERT_LE(std::popcount(by_cluster), 1);
    for (unsigned part = 0; part < parts; part++) {
      const auto shown = std::pair{top.release_warp_o >> 8 * part & 0xff, top.release_id_o >> 8 * part & 0xff};
      if (stays[part]) {
        ASSERT_TRUE(top.release_valid_o >> part & 1 && *stays[part] == shown) << "a release was taken back";
      }
      stays[part].reset();
      if ((top.release_valid_o >> part & 1) == 0) continue;
      if ((hears >> part & 1) == 0) stays[part] = shown;
      else ASSERT_NO_FATAL_FAILURE(hear(part, shown.first * parts + part, shown.second));
    }
    bench.tick();
    for (unsigned part = 0; part < parts; part++) {
      if (by_block >> part & 1) apply_to_block(*offered[part]);
      if (by_cluster >> part & 1) apply_to_cluster(*offered[part]);
      if ((taken >> part & 1) == 0) continue;
      offered[part].reset();
      top.arrive_valid_i &= static_cast<unsigned char>(~(1u << part));
      messages++;
    }
  }

  // A warp goes on.
  void hear(unsigned part, unsigned w, unsigned id) {
    ASSERT_TRUE(id == kBlockBarrier || id == kClusterBarrier);
    auto& expected = told[part][id == kClusterBarrier];
    ASSERT_FALSE(expected.empty()) << "warp " << w << " is told of barrier " << id << " without a reason";
    ASSERT_EQ(w, expected.front());
    expected.pop_front();
    Warp& warp = warps[w];
    if (id == kBlockBarrier) {
      warp.free += warp.waits_block;
      warp.came += warp.waits_block_came;
      warp.waits_block = warp.waits_block_came = 0;
    } else {
      warp.free += warp.waits_cluster;
      warp.waits_cluster = warp.waits_block_came = warp.came = 0;
      warp.phase = !warp.phase;
    }
  }

  // Nothing is under way: all have been told.
  void settle() {
    for (int n = 0; n < 2000 && (top.busy_o || top.arrive_valid_i != 0) && !HasFatalFailure(); n++) {
      top.release_ready_i = static_cast<unsigned char>(bench.rng());
      step();
      bench.settle();
    }
    ASSERT_FALSE(top.busy_o);
    for (const auto& part : told)
      for (const auto& which : part) ASSERT_TRUE(which.empty());
    settled++;
  }

  RtlBench<Vbarriers_top> bench;
  Vbarriers_top& top;
  unsigned parts = 0, all_warps = 0, slots = 0, warps_per_block = 1;
  std::vector<Warp> warps;
  std::vector<Block> blocks;
  std::vector<Cluster> clusters;
  std::vector<std::optional<Message>> offered;
  std::array<std::array<std::deque<unsigned>, 2>, 4> told,
      heard;  // by sub-partition; of a block's, a cluster's barrier
  std::array<std::optional<std::pair<unsigned, unsigned>>, 4> stays;
  unsigned messages = 0, block_opens = 0, cluster_opens = 0, by_end = 0, exits_after_arrival = 0, exits_meanwhile = 0,
           settled = 0, dropped = 0;
};

TEST_F(BarriersTest, TellsTheWarpsOfBlocksAndClusters) {
  for (int kernel = 0; kernel < 400 && !HasFatalFailure(); kernel++) {
    start();
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    for (int n = 0; n < 600 && !HasFatalFailure(); n++) {
      top.release_ready_i = static_cast<unsigned char>(bench.rng() | bench.rng());
      act(gap);
      step();
      if (bench.one_in(60)) settle();
    }
    // To the end: what waits is let go by those that end.
    const auto lives = [&] {
      return std::any_of(clusters.begin(), clusters.end(), [](const Cluster& c) { return c.live != 0; });
    };
    for (int n = 0; n < 5000 && lives() && !HasFatalFailure(); n++) {
      top.release_ready_i = static_cast<unsigned char>(bench.rng());
      act(1, true);
      step();
    }
    settle();
    dropped += lives();  // all threads wait, at different barriers
    for (const Warp& w : warps) ASSERT_TRUE(w.free == 0) << "hangs";
  }
  std::printf(
      "messages %u, opened for blocks %u, clusters %u, by an exit %u; exits after arrival %u, opened before %u\n",
      messages, block_opens, cluster_opens, by_end, exits_after_arrival, exits_meanwhile);
  EXPECT_GT(messages, 20000u);
  EXPECT_GT(block_opens, 200u);
  EXPECT_GT(cluster_opens, 300u);
  EXPECT_GT(by_end, 80u);
  EXPECT_GT(exits_after_arrival, 100u);
  EXPECT_GT(exits_meanwhile, 10u);
  EXPECT_GT(settled, 1000u);
  EXPECT_LT(dropped, 350u);
}

}  // namespace
}  // namespace heddle::test
