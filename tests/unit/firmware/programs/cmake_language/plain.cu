// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
__global__ void store(int* p) { p[threadIdx.x] = int(threadIdx.x); }
int main() {
  int *d, out[32] = {};
  if (cudaMalloc(&d, sizeof out) != cudaSuccess) return 1;
  store<<<1, 32>>>(d);
  if (cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost) != cudaSuccess || out[31] != 31) return 1;
  std::puts("PASS");
}
