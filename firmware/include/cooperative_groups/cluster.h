// SPDX-License-Identifier: Apache-2.0
// The cluster as a group: the blocks that see each other's shared memory. From compute capability 9.0 on.
#if !defined(_CG_CLUSTER_H)
#define _CG_CLUSTER_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)

#define _CG_HAS_CLUSTER_GROUP

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

class cluster_group {
 public:
  struct arrival_token {};
  static HEDDLE_DEVICE void sync() { barrier_wait(barrier_arrive()); }
  static HEDDLE_DEVICE void barrier_sync() { sync(); }
  static HEDDLE_DEVICE arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return {};
  }
  static HEDDLE_DEVICE void barrier_wait() { __cluster_barrier_wait(); }
  static HEDDLE_DEVICE void barrier_wait(arrival_token&&) { __cluster_barrier_wait(); }
  // Whose shared memory it is, and what lies at the same place in a block's.
  static HEDDLE_DEVICE unsigned int query_shared_rank(const void* p) { return __cluster_query_shared_rank(p); }
  template <typename T>
  static HEDDLE_DEVICE T* map_shared_rank(T* p, int rank) {
    return static_cast<T*>(__cluster_map_shared_rank(p, static_cast<unsigned int>(rank)));
  }
  static HEDDLE_DEVICE dim3 block_index() { return __clusterRelativeBlockIdx(); }
  static HEDDLE_DEVICE unsigned int block_rank() { return __clusterRelativeBlockRank(); }
  static HEDDLE_DEVICE dim3 dim_blocks() { return __clusterDim(); }
  static HEDDLE_DEVICE unsigned int num_blocks() { return __clusterSizeInBlocks(); }
  static HEDDLE_DEVICE dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
  static HEDDLE_DEVICE unsigned int thread_rank() {
    return block_rank() * details::block_size() + details::thread_in_block();
  }
  static HEDDLE_DEVICE dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  static HEDDLE_DEVICE unsigned int num_threads() { return num_blocks() * details::block_size(); }
  static HEDDLE_DEVICE unsigned int size() { return num_threads(); }
};
HEDDLE_DEVICE cluster_group this_cluster() { return cluster_group(); }

}  // namespace __v1
}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif

#endif  // _CG_CLUSTER_H
