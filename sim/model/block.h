// SPDX-License-Identifier: Apache-2.0
// A resident block and its barriers; an SM's storage.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "presets/preset.h"
#include "sim/model/warp.h"

namespace heddle::model {

// Counts threads, as BAR's operand does.
struct BlockBarrier {
  uint32_t arrived = 0;   // threads, waiting or passed by (arrive)
  uint32_t waiting = 0;   // threads
  uint32_t expected = 0;  // 0: all threads of the block that live
  uint32_t ones = 0;      // threads whose predicate held (reduce)
};

// A cluster's: counts the threads that arrived since it opened last.
struct ClusterBarrier {
  uint32_t live = 0;  // threads of the cluster
  uint32_t arrived = 0;
};
inline constexpr unsigned kClusterBarrier = isa::kNumBlockBarriers;  // as what lanes wait for

struct Sm;

struct Block {
  bool resident = false;
  uint32_t slot = 0;
  uint32_t first_warp = 0, warps = 0;
  uint32_t shared_base = 0;
  uint32_t ctaid[3] = {};
  uint32_t live_threads = 0;
  std::array<BlockBarrier, isa::kNumBlockBarriers> barriers{};
  uint32_t rank = 0, cluster_blocks = 1;  // a cluster's blocks take slots one after the other
  ClusterBarrier cluster_barrier;         // of the block of rank 0
  Sm* sm = nullptr;

  // `lanes` of a warp execute BAR `id` for `expected` threads; `ones`: those with a true predicate.
  // If they `wait` they have been parked before.
  void arrive(unsigned id, Mask lanes, uint32_t expected, Mask ones, bool wait);
  // All that have to be there have come.
  bool complete(unsigned id) const;

  // The cluster's block of a rank: as long as one of them runs, the slots are theirs.
  Block& of_rank(uint32_t r);
  ClusterBarrier& cluster() { return of_rank(0).cluster_barrier; }
};

// What an opened barrier gives a reduction.
struct Reduction {
  uint32_t ones = 0;
  uint32_t threads = 0;
};

// Lanes of a warp that an opened barrier lets go; they stand at split.pc and are not yet ready.
struct Released {
  Warp* warp = nullptr;
  Parked parked;
  Reduction reduction;
};

struct Sm {
  uint32_t index = 0;
  std::vector<Row> registers;   // sub-partition after sub-partition
  std::vector<uint8_t> shared;  // all blocks' shared memory
  std::vector<Warp> warps;      // by slot
  std::vector<Block> blocks;    // by slot

  Sm(const Preset::Structure& s, uint32_t number);

  // Puts a block with its warps in place: warp slots from first_warp on.
  Block& start_block(const Preset::Structure& s, const Launch& launch, uint32_t slot, uint32_t first_warp,
                     uint32_t shared_base, const uint32_t ctaid[3], const uint64_t* clock);

  // Opens the barriers of the block and of its cluster that are complete, appending who goes on to `released`.
  void open_barriers(Block& block, std::vector<Released>& released);
};

// The value that lane `lane` of reduction `instruction` gets: a count, or 0 / 1.
uint32_t reduce(const Decoded& instruction, const Reduction& reduction);

}  // namespace heddle::model
