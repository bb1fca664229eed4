// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

int device_count();

__global__ void answer(int* p) { *p = 42; }

int main() {
  int *p, value = 0;
  cudaMalloc(&p, sizeof(int));
  answer<<<1, 1>>>(p);
  cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d on %d device(s)\n", value, device_count());
  return value != 42;
}
