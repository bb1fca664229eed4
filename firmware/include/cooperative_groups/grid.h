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
namespace __v1 {

namespace details {
// What the driver gives a cooperative launch, and no other: %envreg1 and %envreg2 hold its address.
struct grid_workspace {
  unsigned int bytes;
  unsigned int arrived;  // the upper bit changes when all blocks have arrived, the others are 0 then
};
HEDDLE_DEVICE grid_workspace* get_grid_workspace() {
  unsigned int high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return (grid_workspace*)((unsigned long long)high << 32 | low);
}
}  // namespace details

class grid_group {
  static constexpr unsigned int all_here = 0x80000000u;
  details::grid_workspace* workspace_ = details::get_grid_workspace();

 public:
  typedef unsigned int arrival_token;
  HEDDLE_DEVICE bool is_valid() const { return workspace_ != nullptr; }
  HEDDLE_DEVICE void sync() const { barrier_wait(barrier_arrive()); }
  HEDDLE_DEVICE void barrier_sync() const { sync(); }
  HEDDLE_DEVICE arrival_token barrier_arrive() const {
    if (!is_valid()) __trap();
    __syncthreads();
    if (details::thread_in_block() != 0) return 0;
    __threadfence();
    // All blocks together add the upper bit.
    const unsigned int others = gridDim.x * gridDim.y * gridDim.z - 1;
    return atomicAdd(&workspace_->arrived, block_rank() == 0 ? all_here - others : 1u);
  }
  HEDDLE_DEVICE void barrier_wait(arrival_token&& before) const {
    if (details::thread_in_block() == 0) {
      const volatile unsigned int* const arrived = &workspace_->arrived;
      while (((*arrived ^ before) & all_here) == 0) {
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
  HEDDLE_DEVICE unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  HEDDLE_DEVICE unsigned long long thread_rank() const {
    return block_rank() * details::block_size() + details::thread_in_block();
  }
  HEDDLE_DEVICE dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  HEDDLE_DEVICE dim3 dim_blocks() const { return group_dim(); }
  HEDDLE_DEVICE dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HEDDLE_DEVICE dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
};
HEDDLE_DEVICE grid_group this_grid() { return grid_group(); }

}  // namespace __v1
}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif

#endif  // _CG_GRID_H
