// SPDX-License-Identifier: Apache-2.0
// The kernels of `heddle bench`. bench/kernels.ptx is what clang 19 makes of this file:
//   clang++-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 -O3 -S
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

constexpr int kTile = 16;

extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) c[i] = a[i] + b[i];
}

// C = A B, n x n row by row, n a multiple of kTile; blocks of kTile x kTile threads.
extern "C" __global__ void sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
  const int row = __nvvm_read_ptx_sreg_ctaid_y() * kTile + ty;
  const int column = __nvvm_read_ptx_sreg_ctaid_x() * kTile + tx;
  float sum = 0;
  for (int tile = 0; tile < n; tile += kTile) {
    as[ty][tx] = a[row * n + tile + tx];
    bs[ty][tx] = b[(tile + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
