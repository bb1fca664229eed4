// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

extern __device__ int base;
__device__ int plus(int a, int b);

__global__ void answer(int* p) { *p = plus(base, 2); }

int main() {
  int *p, value = 0;
  cudaMalloc(&p, sizeof(int));
  answer<<<1, 1>>>(p);
  cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d: %s\n", value, cudaGetErrorString(cudaGetLastError()));
  return value != 42;
}
