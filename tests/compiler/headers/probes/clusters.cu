// SPDX-License-Identifier: Apache-2.0
// ARCH: sm_90
// PTX: barrier.cluster.arrive;
// PTX: barrier.cluster.arrive.relaxed;
// PTX: barrier.cluster.wait;
// PTX: mapa.u64
// PTX: getctarank.u64
// PTX: isspacep.shared::cluster
// PTX: fence.sc.cluster
// PTX: %is_explicit_cluster
// PTX: %cluster_nctaid.y
// PTX: %cluster_ctaid.z
// PTX: %nclusterid.x
// PTX: %clusterid.x
// PTX: %cluster_ctarank
// PTX: %cluster_nctarank
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned* p) {
  __shared__ unsigned s[2];
  const cg::cluster_group cluster = cg::this_cluster();
  s[0] = cluster.thread_rank() + cluster.num_threads() + cluster.size() + cluster.dim_threads().x;
  cg::sync(cluster);
  p[0] = *cluster.map_shared_rank(s, 1) + cluster.query_shared_rank(s) + cluster.block_index().z + cluster.dim_blocks().y;
  cluster.barrier_wait(cluster.barrier_arrive());
  __cluster_barrier_arrive_relaxed();
  __threadfence_cluster();
  __cluster_barrier_wait();
  p[1] = __clusterIdx().x + __clusterGridDimInClusters().x + __clusterDimIsSpecified() + __isCtaShared(p) +
         __isClusterShared(p) + cluster.thread_index().y + cluster.num_blocks();
}
