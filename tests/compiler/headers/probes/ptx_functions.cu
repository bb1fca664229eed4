// SPDX-License-Identifier: Apache-2.0
// ARCH: sm_90
// PTX: mbarrier.init.shared.b64
// PTX: mbarrier.expect_tx.relaxed.cta.shared::cta.b64
// PTX: mbarrier.arrive.release.cluster.shared::cluster.b64 _
// PTX: mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64
// PTX: mbarrier.arrive.noComplete.shared.b64
// PTX: mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64
// PTX: mbarrier.try_wait.shared.b64
// PTX: cp.async.mbarrier.arrive.noinc.shared.b64
// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// PTX: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
// PTX: cp.async.bulk.global.shared::cta.bulk_group
// PTX: cp.async.bulk.wait_group.read 1;
// PTX: cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32
// PTX: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b32
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32
// PTX: mapa.u64
// PTX: getctarank.shared::cluster.u32
// PTX: fence.acquire.cluster
// PTX: fence.mbarrier_init.release.cluster
// PTX: fence.proxy.async.shared::cta
// PTX: barrier.cluster.arrive.release
// PTX: %cluster_ctarank
// PTX: %is_explicit_cluster
// PTX: atom.relaxed.gpu.cas.b128
// NOT: call
// Functions of cuda::ptx are instructions; atomics of 16 bytes are, too.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

struct alignas(16) Wide {
  long long a, b;
};

__global__ void k(const int* in, int* out, Wide* wide) {
  __shared__ __align__(16) int row[64];
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 64);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 64);
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                       ptx::mapa(ptx::space_cluster, &bar, 1));
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, 16);
  const uint64_t state = ptx::mbarrier_arrive_no_complete(&bar, 2);
  while (!ptx::mbarrier_test_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
  }
  while (!ptx::mbarrier_try_wait(&bar, state)) {
  }
  ptx::cp_async_mbarrier_arrive_noinc(&bar);
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, row, in, 64, &bar);
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, row, row + 32, 64, &bar);
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, row, 64);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, out, row, 16);
  ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_xor_op, row, row + 4, 16, &bar);
  const int four[4] = {1, 2, 3, 4};
  ptx::st_async(row, four, &bar);
  ptx::red_async(ptx::op_inc, reinterpret_cast<uint32_t*>(row), 9, &bar);
  ptx::fence(ptx::sem_acquire, ptx::scope_cluster);
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait();
  out[ptx::get_sreg_cluster_ctarank()] = static_cast<int>(ptx::getctarank(ptx::space_cluster, row));
  if (ptx::get_sreg_is_explicit_cluster()) out[1] = row[1];
  const cuda::atomic_ref<Wide, cuda::thread_scope_device> both(*wide);
  both.exchange(Wide{1, 2}, cuda::memory_order_relaxed);
}
