// SPDX-License-Identifier: Apache-2.0
// ARCH: sm_70
// PTX: atom
// NOT: mbarrier
// NOT: cp.async
// Below compute capability 8.0 there are no mbarriers.
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

__global__ void k(const int* in, int* out, cuda::barrier<cuda::thread_scope_device>* far) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ nvcuda::experimental::awbarrier early;
  __shared__ int row[64];
  if (threadIdx.x == 0) init(&bar, 64), init(&early, 64);
  __syncthreads();
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&row[threadIdx.x], in, sizeof(int), bar);
  cuda::memcpy_async(&row[threadIdx.x], in, sizeof(int), pipe);
  bar.arrive_and_wait();
  early.wait(early.arrive());
  far->arrive_and_wait();
  out[threadIdx.x] = row[63 - threadIdx.x];
}
