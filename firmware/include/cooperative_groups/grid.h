// SPDX-License-Identifier: Apache-2.0
// The grid as a group. Its barrier wants all blocks resident, which a cooperative launch makes sure of.
#if !defined(_CG_GRID_H)
#define _CG_GRID_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE __device__ __forceinline__

namespace cooperative_groups {

// Words of the grid barrier: arrivals, and the barrier's number. One grid at a time uses them.
namespace details {
static __device__ unsigned int grid_arrived;
static __device__ volatile unsigned int grid_phase;
}  // namespace details

class grid_group {
 public:
  typedef unsigned int arrival_token;
  HEDDLE_DEVICE bool is_valid() const { return true; }
  HEDDLE_DEVICE void sync() const { barrier_wait(barrier_arrive()); }
  HEDDLE_DEVICE void barrier_sync() const { sync(); }
  HEDDLE_DEVICE arrival_token barrier_arrive() const {
    __syncthreads();
    if (details::thread_in_block() != 0) return 0;
    __threadfence();
    const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
    const unsigned int phase = details::grid_phase;
    __threadfence();  // read before the last one to arrive changes it
    if (atomicAdd(&details::grid_arrived, 1u) == blocks - 1) {
      details::grid_arrived = 0;
      __threadfence();
      details::grid_phase = phase + 1;
    }
    return phase;
  }
  HEDDLE_DEVICE void barrier_wait(arrival_token&& phase) const {
    if (details::thread_in_block() == 0) {
      while (details::grid_phase == phase) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  HEDDLE_DEVICE unsigned long long size() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * details::block_size();
  }
  HEDDLE_DEVICE unsigned long long num_threads() const { return size(); }
  HEDDLE_DEVICE unsigned long long block_rank() const {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  HEDDLE_DEVICE unsigned long long num_blocks() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  HEDDLE_DEVICE unsigned long long thread_rank() const {
    return block_rank() * details::block_size() + details::thread_in_block();
  }
  HEDDLE_DEVICE dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  HEDDLE_DEVICE dim3 dim_blocks() const { return group_dim(); }
  HEDDLE_DEVICE dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HEDDLE_DEVICE dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
};
HEDDLE_DEVICE grid_group this_grid() { return grid_group(); }

}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif

#endif  // _CG_GRID_H
