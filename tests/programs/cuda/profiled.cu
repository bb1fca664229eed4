// SPDX-License-Identifier: Apache-2.0
// Kernels whose counts profiled.py knows: memory in and out of line, bank conflicts, lanes that part.
#include <cstdio>

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t error = (call);                                      \
    if (error != cudaSuccess) {                                            \
      std::printf("FAIL %s: %s\n", #call, cudaGetErrorString(error));      \
      return 1;                                                            \
    }                                                                      \
  } while (0)

// A warp's load and store: 4 sectors each.
__global__ void coalesced(float* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 2.0f;
}

// 32 sectors each.
__global__ void strided(float* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[8 * i] = data[8 * i] * 2.0f;
}

// 16 sectors each, of 16 bytes a lane.
__global__ void wide(float4* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = data[i];
  v.x += 1;
  v.y += 2;
  v.z += 3;
  v.w += 4;
  data[i] = v;
}

// All lanes read a word: one sector.
__global__ void same(const int* data, int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = data[3]; }

// Shared memory: a store without conflicts, a load with all lanes on `stride` words' distance.
template <int kStride>
__global__ void banks(int* data) {
  __shared__ volatile int words[32 * 32];
  const int i = threadIdx.x;
  words[i] = data[i];
  __syncwarp();
  data[i] = words[i * kStride % 1024];
}

// 8 bytes a lane: two half warps, each without conflicts.
__global__ void pairs(long long* data) {
  __shared__ volatile long long words[32];
  const int i = threadIdx.x;
  words[i] = data[i];
  __syncwarp();
  data[i] = words[31 - i];
}

// 5 of 32 lanes store.
__global__ void divergent(int* data) {
  if (threadIdx.x % 32 < 5) data[threadIdx.x] = data[threadIdx.x] + 1;
}

__global__ void atomics(int* data) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, static_cast<int>(threadIdx.x));
  __syncthreads();
  atomicAdd(&data[threadIdx.x], sum);
}

int main() {
  void* p = nullptr;
  CHECK(cudaMalloc(&p, 1 << 20));
  CHECK(cudaMemset(p, 0, 1 << 20));
  coalesced<<<2, 64>>>(static_cast<float*>(p));
  strided<<<2, 64>>>(static_cast<float*>(p));
  wide<<<1, 64>>>(static_cast<float4*>(p));
  same<<<1, 64>>>(static_cast<int*>(p), static_cast<int*>(p) + 1024);
  banks<1><<<1, 32>>>(static_cast<int*>(p));
  banks<2><<<1, 32>>>(static_cast<int*>(p));
  banks<32><<<1, 32>>>(static_cast<int*>(p));
  pairs<<<1, 32>>>(static_cast<long long*>(p));
  divergent<<<1, 64>>>(static_cast<int*>(p));
  atomics<<<1, 64>>>(static_cast<int*>(p));
  CHECK(cudaDeviceSynchronize());
  std::printf("PASS\n");
  return 0;
}
