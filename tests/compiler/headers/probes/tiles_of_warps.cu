// SPDX-License-Identifier: Apache-2.0
// Only the kernel that brings none takes the header's shared memory, of 32 warps.
// PTX: .shared .align 4 .b8
// PTX: [1152]
// PTX: [288]
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
template <unsigned Size, typename Parent>
__device__ int sum_of(const cg::thread_block_tile<Size, Parent>& tile, int v) {
  tile.sync();
  return cg::reduce(tile, v, cg::plus<int>());
}
__global__ void without(int* p) {
  const cg::thread_block_tile<128, cg::thread_block> tile = cg::tiled_partition<128>(cg::this_thread_block());
  const cg::thread_block_tile<128> of_any_parent = tile;
  p[0] = sum_of(tile, p[tile.thread_rank()]) + of_any_parent.any(p[1]);
}
__global__ void with(int* p) {
  __shared__ cg::block_tile_memory<256> memory;
  cg::thread_block block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<256>(block);
  auto part = cg::tiled_partition<64>(tile);
  auto warp = cg::tiled_partition<32>(part);
  p[0] = sum_of(tile, 1) + sum_of(part, 2) + sum_of(warp, 3) + cg::exclusive_scan(part, p[1]) + tile.shfl(p[2], 5);
}
