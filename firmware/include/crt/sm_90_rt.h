// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks, of compute capability 9.0: where a block is in its cluster, the cluster's barrier, and the shared
// memory of its blocks. For clang 16: newer ones have them in their own headers. Included by device_extras.h.
#if !defined(HEDDLE_CRT_SM_90_RT_H)
#define HEDDLE_CRT_SM_90_RT_H

#if __clang_major__ < 17 && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)

#pragma push_macro("HEDDLE_DEVICE")
#define HEDDLE_DEVICE static __device__ __forceinline__

// ---- the cluster, the block in it ----
#define HEDDLE_REGISTER(fn, name)             \
  HEDDLE_DEVICE unsigned int fn() {           \
    unsigned int v;                           \
    asm("mov.u32 %0, %%" name ";" : "=r"(v)); \
    return v;                                 \
  }
#define HEDDLE_REGISTERS(fn, name)                                                                                    \
  HEDDLE_DEVICE dim3 fn() {                                                                                           \
    unsigned int x, y, z;                                                                                             \
    asm("mov.u32 %0, %%" name ".x; mov.u32 %1, %%" name ".y; mov.u32 %2, %%" name ".z;" : "=r"(x), "=r"(y), "=r"(z)); \
    return dim3(x, y, z);                                                                                             \
  }
HEDDLE_REGISTERS(__clusterDim, "cluster_nctaid")
HEDDLE_REGISTERS(__clusterRelativeBlockIdx, "cluster_ctaid")
HEDDLE_REGISTERS(__clusterGridDimInClusters, "nclusterid")
HEDDLE_REGISTERS(__clusterIdx, "clusterid")
HEDDLE_REGISTER(__clusterRelativeBlockRank, "cluster_ctarank")
HEDDLE_REGISTER(__clusterSizeInBlocks, "cluster_nctarank")
#undef HEDDLE_REGISTERS
#undef HEDDLE_REGISTER
HEDDLE_DEVICE unsigned int __clusterDimIsSpecified() {
  unsigned int is;
  asm("{ .reg .pred %%p; mov.pred %%p, %%is_explicit_cluster; selp.u32 %0, 1, 0, %%p; }" : "=r"(is));
  return is;
}

// ---- its barrier ----
HEDDLE_DEVICE void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
HEDDLE_DEVICE void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
HEDDLE_DEVICE void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
HEDDLE_DEVICE void __threadfence_cluster() { asm volatile("fence.sc.cluster;" ::: "memory"); }

// ---- shared memory of its blocks ----
#define HEDDLE_IS(fn, space)                                                                            \
  HEDDLE_DEVICE unsigned int fn(const void* p) {                                                        \
    unsigned int is;                                                                                    \
    asm("{ .reg .pred %%p; isspacep." space " %%p, %1; selp.u32 %0, 1, 0, %%p; }" : "=r"(is) : "l"(p)); \
    return is;                                                                                          \
  }
HEDDLE_IS(__isCtaShared, "shared::cta")
HEDDLE_IS(__isClusterShared, "shared::cluster")
#undef HEDDLE_IS
HEDDLE_DEVICE void* __cluster_map_shared_rank(const void* p, unsigned int target_block_rank) {
  void* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(target_block_rank));
  return there;
}
HEDDLE_DEVICE unsigned int __cluster_query_shared_rank(const void* p) {
  unsigned int rank;
  asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
  return rank;
}

#pragma pop_macro("HEDDLE_DEVICE")

#endif

#endif  // HEDDLE_CRT_SM_90_RT_H
