// SPDX-License-Identifier: Apache-2.0
// PTX: .shared .align
// PTX: .extern .shared
// PTX: bar.sync
// PTX: bar.warp.sync
// PTX: membar.gl
extern __shared__ float dynamic[];
__global__ void __launch_bounds__(256, 2) k(float* p) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  dynamic[threadIdx.x] = 1.0f;
  __syncthreads();
  __syncwarp();
  __threadfence();
  p[threadIdx.x] = s[255 - threadIdx.x] + dynamic[0] + __syncthreads_count(p[0] > 0) +
                   __syncthreads_or(p[1] > 0) + __syncthreads_and(p[2] > 0);
}
