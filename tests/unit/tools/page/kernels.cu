// SPDX-License-Identifier: Apache-2.0
// What profile.jsonl is the profile of: page_test.py shows its lines.
#include <cstdio>

constexpr int kTile = 16;

// A product of square matrices by way of shared memory.
__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Each lane's sector is its own.
__global__ void strided(double* data, double by) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  data[i] = data[i] * by + 1.0;
}

template <typename T>
__global__ void count(const T* data, int* counts) {
  if (data[threadIdx.x] > T(threadIdx.x % 5)) atomicAdd(&counts[threadIdx.x & 7], 1);
}

int main() {
  constexpr int kSide = 32;
  float *a, *b, *c;
  double* d;
  int* counts;
  cudaMalloc(&a, kSide * kSide * 4);
  cudaMalloc(&b, kSide * kSide * 4);
  cudaMalloc(&c, kSide * kSide * 4);
  cudaMalloc(&d, 8 * 4096);
  cudaMalloc(&counts, 64);
  cudaMemset(a, 0, kSide * kSide * 4);
  cudaMemset(b, 0, kSide * kSide * 4);
  cudaMemset(d, 0, 8 * 4096);
  cudaMemset(counts, 0, 64);
  const dim3 tile(kTile, kTile), tiles(kSide / kTile, kSide / kTile);
  multiply<<<tiles, tile>>>(a, b, c, kSide);
  multiply<<<tiles, tile>>>(a, b, c, kSide);
  strided<<<8, 128>>>(d, 0.5);
  count<<<1, 96>>>(a, counts);
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(error == cudaSuccess ? "PASS" : cudaGetErrorString(error));
  return error != cudaSuccess;
}
