// SPDX-License-Identifier: Apache-2.0
// Only tiles of several warps take shared memory.
// NOT: .shared
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ float sum_of(cg::thread_group g, float v) { g.sync(); return v + g.thread_rank(); }
__global__ void k(float* p, int* q) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  float v = p[block.thread_rank()];
  for (int i = 8; i > 0; i /= 2) v += tile.shfl_down(v, i);
  cg::sync(block);
  auto active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(q, (int)active.size());
  p[0] = sum_of(tile, v) + sum_of(block, v) + tile.any(v > 0) + tile.ballot(v > 1);
}
