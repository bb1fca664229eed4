// SPDX-License-Identifier: Apache-2.0
// Kernels that wait for one reason each; stalled.py looks at what `heddle prof` says of them.
#include <cstdio>

constexpr int kSteps = 256;

// Each result is the next one's operand.
__global__ void wait(float* out) {
  float x = out[threadIdx.x];
#pragma unroll 64
  for (int i = 0; i < kSteps; i++) x = x * 1.0009765625f + 0.5f;
  out[threadIdx.x] = x;
}

__global__ void long_scoreboard(const int* next, int* out) {
  int at = threadIdx.x;
#pragma unroll 64
  for (int i = 0; i < kSteps; i++) at = __ldcg(next + at);
  out[threadIdx.x] = at;
}

__global__ void short_scoreboard(int* out) {
  __shared__ int next[32];
  next[threadIdx.x] = (threadIdx.x + 1) % 32;
  __syncthreads();
  int at = threadIdx.x;
#pragma unroll 64
  for (int i = 0; i < kSteps; i++) at = next[at];
  out[threadIdx.x] = at;
}

// One warp works while the others wait for it.
__global__ void barrier(float* out) {
  float x = out[threadIdx.x];
  for (int round = 0; round < 8; round++) {
    if (threadIdx.x < 32) {
#pragma unroll 32
      for (int i = 0; i < kSteps; i++) x = x * 1.0009765625f + 0.5f;
    }
    __syncthreads();
  }
  out[threadIdx.x] = x;
}

__global__ void sleeping() {
  for (int i = 0; i < 8; i++) __nanosleep(4000);
}

__global__ void membar(volatile int* out) {
#pragma unroll 1
  for (int i = 0; i < 64; i++) {
    out[threadIdx.x] = i;
    __threadfence();
  }
}

// More threads than lanes, each with work that depends on nothing.
__global__ void math_pipe_throttle(float* out) {
  float x[8];
  for (int i = 0; i < 8; i++) x[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 32
  for (int i = 0; i < kSteps; i++)
    for (float& v : x) v = __frcp_rn(0.5f) * v + 0.5f;
  float sum = 0;
  for (float v : x) sum += v;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Stores that each touch 32 sectors.
__global__ void lg_throttle(int* out) {
#pragma unroll 32
  for (int i = 0; i < 128; i++) out[(i % 8 * blockDim.x + threadIdx.x) * 8] = i;
}

// Stores that all go to one bank.
__global__ void mio_throttle(int* out) {
  __shared__ int s[32 * 32];
#pragma unroll 32
  for (int i = 0; i < 128; i++) static_cast<volatile int*>(s)[threadIdx.x % 32 * 32] = i;
  out[threadIdx.x] = s[threadIdx.x % 32 * 32];
}

__device__ __noinline__ void nothing() { asm volatile(""); }

__global__ void branch_resolving() {
  for (int i = 0; i < 16; i++) {
    nothing();
    nothing();
    nothing();
    nothing();
    nothing();
    nothing();
    nothing();
    nothing();
  }
}

int main() {
  int *ints, *chain;
  float* floats;
  cudaMalloc(&ints, 1 << 18);
  cudaMalloc(&chain, 4096 * sizeof(int));
  cudaMalloc(&floats, 1 << 16);
  cudaMemset(floats, 0, 1 << 16);
  static int next[4096];
  for (int i = 0; i < 4096; i++) next[i] = (i + 1031) % 4096;
  cudaMemcpy(chain, next, sizeof next, cudaMemcpyHostToDevice);
  wait<<<1, 32>>>(floats);
  long_scoreboard<<<1, 32>>>(chain, ints);
  short_scoreboard<<<1, 32>>>(ints);
  barrier<<<1, 256>>>(floats);
  sleeping<<<1, 32>>>();
  membar<<<1, 32>>>(ints);
  math_pipe_throttle<<<2, 256>>>(floats);
  lg_throttle<<<1, 128>>>(ints);
  mio_throttle<<<1, 256>>>(ints);
  branch_resolving<<<1, 32>>>();
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}
