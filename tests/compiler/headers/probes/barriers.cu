// SPDX-License-Identifier: Apache-2.0
// ARCH: sm_90
// PTX: mbarrier.init.shared.b64
// PTX: mbarrier.arrive.shared.b64
// PTX: mbarrier.arrive_drop.shared.b64
// PTX: mbarrier.test_wait.parity.shared.b64
// PTX: mbarrier.try_wait.shared.b64
// PTX: mbarrier.arrive.expect_tx.shared.b64
// PTX: cp.async.cg.shared.global
// PTX: cp.async.mbarrier.arrive.shared.b64
// PTX: cp.async.mbarrier.arrive.noinc.shared.b64
// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// NOT: call
// Barriers and pipelines of CUDA C++ are mbarriers, and variables in shared memory as they are.
#include <cooperative_groups.h>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

__global__ void k(const float4* in, float4* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ nvcuda::experimental::awbarrier early;
  __shared__ __mbarrier_t plain;
  __shared__ float4 row[64];
  static_assert(sizeof bar == 8 && sizeof early == 8 && bar.max() == (1 << 20) - 1, "an mbarrier");
  const auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0) init(&bar, 64), init(&early, 64), __mbarrier_init(&plain, 64);
  auto pipe = cuda::make_pipeline(block, &state, cuda::pipeline_role::producer);
  cuda::memcpy_async(block, row, in, cuda::aligned_size_t<16>(sizeof row), bar);
  cuda::device::memcpy_async_tx(row, in, cuda::aligned_size_t<16>(sizeof row), bar);
  bar.wait(cuda::device::barrier_arrive_tx(bar, 1, sizeof row));
  bar.wait_parity(true);
  bar.arrive_and_drop();
  early.arrive_and_wait();
  __pipeline_arrive_on(&plain);
  const __mbarrier_token_t token = __mbarrier_arrive(&plain);
  while (!__mbarrier_try_wait(&plain, token, 100)) {
  }
  pipe.producer_acquire();
  cuda::memcpy_async(&row[threadIdx.x], in, sizeof(float4), pipe);
  pipe.producer_commit();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
