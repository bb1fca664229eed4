// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(float* p, const float* q, int n) {
  __shared__ float part[64];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  cg::memcpy_async(block, part, q, sizeof part);
  cg::wait_prior<0>(block);
  cg::memcpy_async(tile, part, 64, q + 64, n);
  cg::memcpy_async(tile, static_cast<void*>(part), static_cast<const void*>(q), sizeof(float));
  cg::wait(tile);
  p[block.thread_rank()] = part[block.thread_rank()];
}
