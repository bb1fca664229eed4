// SPDX-License-Identifier: Apache-2.0
// printf from a kernel in every kind of conversion, its return value, and an assert that fails.
#include <cassert>
#include <cstdio>

__global__ void speak(int n, float f, const char* text) {
  const int i = threadIdx.x;
  const int count = printf("thread %d of %d: %f %5.2f %c %lld %u %#x %s %p\n", i, n, f, 2.5, 'a' + i,
                           1234567890123LL + i, 42u, 0xbeef, text, (void*)0x10);
  if (i == 0) printf("returned %d and %d\n", count, printf("plain, 100%%\n"));
}

__global__ void fail() { assert(threadIdx.x != 1 && "as it should"); }

int main() {
  char* text;
  if (cudaMalloc(&text, 16) != cudaSuccess) return 1;
  cudaMemcpy(text, "device text", 12, cudaMemcpyHostToDevice);
  speak<<<1, 2>>>(2, 1.5f, text);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  fail<<<1, 2>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaFree(text)));
  return 0;
}
