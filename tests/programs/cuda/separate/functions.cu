// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

namespace {
__device__ int own(int x) { return x + 100; }
}  // namespace

__constant__ int table[4] = {1, 10, 100, 1000};
__device__ int twice(int x) { return 2 * x; }
__device__ int recursive(int n) { return n < 2 ? 1 : n * recursive(n - 1); }
__device__ int (*chosen)(int) = twice;
extern __shared__ int words[];
__device__ int sum_of_block(int x) {
  words[threadIdx.x] = x;
  __syncthreads();
  int sum = 0;
  for (unsigned t = 0; t < blockDim.x; t++) sum += words[t];
  return sum;
}
__device__ int (*pick(int i))(int) { return i % 2 ? twice : own; }
