// SPDX-License-Identifier: Apache-2.0
#include "sim/model/block.h"

#include <algorithm>
#include <bit>

namespace heddle::model {

void Block::arrive(unsigned id, Mask lanes, uint32_t expected, Mask ones, bool wait) {
  BlockBarrier& b = barriers[id];
  const auto threads = static_cast<uint32_t>(std::popcount(lanes));
  b.arrived += threads;
  if (wait) b.waiting += threads;
  b.ones += static_cast<uint32_t>(std::popcount(ones & lanes));
  b.expected = expected;
}

bool Block::complete(unsigned id) const {
  const BlockBarrier& b = barriers[id];
  if (b.waiting != 0 && b.waiting == live_threads) return true;  // nobody else can come
  return b.expected != 0 && b.arrived >= b.expected;
}

Block& Block::of_rank(uint32_t r) { return sm->blocks[slot - rank + r]; }

Sm::Sm(const Preset::Structure& s, uint32_t number)
    : index(number),
      // Some rows more than there are, so that a bad register number reads nothing foreign.
      registers(static_cast<size_t>(s.sub_partitions * s.register_rows) + 256),
      shared(static_cast<size_t>(s.shared_bytes)),
      warps(static_cast<size_t>(s.warps_per_sm())),
      blocks(static_cast<size_t>(s.blocks_per_sm)) {}

Block& Sm::start_block(const Preset::Structure& s, const Launch& launch, uint32_t slot, uint32_t first_warp,
                       uint32_t shared_base, const uint32_t ctaid[3], const uint64_t* clock) {
  Block& b = blocks[slot];
  b = Block{};
  b.resident = true;
  b.slot = slot;
  b.first_warp = first_warp;
  b.warps = launch.warps();
  b.shared_base = shared_base;
  std::copy(ctaid, ctaid + 3, b.ctaid);
  b.live_threads = launch.threads();
  b.sm = this;
  b.rank = launch.rank(ctaid);
  b.cluster_blocks = launch.cluster_blocks();
  b.cluster_barrier.live = launch.threads() * b.cluster_blocks;
  const auto partitions = static_cast<uint32_t>(s.sub_partitions);
  for (uint32_t w = 0; w < b.warps; w++) {
    const uint32_t warp_slot = first_warp + w;
    const uint32_t threads = std::min<uint32_t>(kLanes, launch.threads() - w * kLanes);
    Warp& warp = warps[warp_slot];
    warp.start(launch.entry_pc, threads == kLanes ? kAllLanes : (1u << threads) - 1, launch.undefined);
    const uint32_t local = warp_slot / partitions;
    warp.rows = &registers[warp_slot % partitions * static_cast<uint32_t>(s.register_rows) + local * launch.rows()];
    Row undefined;
    std::fill_n(undefined.lane, kLanes, launch.undefined);
    std::fill_n(warp.rows, launch.rows(), undefined);
    warp.block = &b;
    warp.view = {&launch,
                 {ctaid[0], ctaid[1], ctaid[2]},
                 w,
                 index,
                 warp_slot,
                 shared_base,
                 b.rank,
                 static_cast<uint32_t>(s.sms),
                 static_cast<uint32_t>(s.warps_per_sm()),
                 clock};
  }
  return b;
}

void Sm::open_barriers(Block& block, std::vector<Released>& released) {
  const auto release = [&](Block& b, unsigned id, const Reduction& reduction) {
    for (uint32_t w = 0; w < b.warps; w++) {
      Warp& warp = warps[b.first_warp + w];
      warp.release_parked([&](const Parked& p) { return p.wait == Wait::Block && p.what == id; },
                          [&](const Parked& p) {
                            released.push_back({&warp, p, reduction});
                          });
    }
  };
  for (unsigned id = 0; id < block.barriers.size(); id++) {
    if (!block.complete(id)) continue;
    const Reduction reduction{block.barriers[id].ones, block.barriers[id].arrived};
    block.barriers[id] = {};
    release(block, id, reduction);
  }
  ClusterBarrier& cluster = block.cluster();
  if (cluster.arrived == 0 || cluster.arrived != cluster.live) return;
  cluster.arrived = 0;
  for (uint32_t r = 0; r < block.cluster_blocks; r++) {
    Block& b = block.of_rank(r);
    for (uint32_t w = 0; w < b.warps; w++) warps[b.first_warp + w].arrived = 0;
    release(b, kClusterBarrier, {});
  }
}

uint32_t reduce(const Decoded& instruction, const Reduction& reduction) {
  switch (static_cast<isa::BarRed>(instruction.get(field::BlockBarrier_red))) {
    case isa::BarRed::Popc: return reduction.ones;
    case isa::BarRed::And: return reduction.ones == reduction.threads;
    case isa::BarRed::Or: return reduction.ones != 0;
  }
  return 0;
}

}  // namespace heddle::model
