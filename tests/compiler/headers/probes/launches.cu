// SPDX-License-Identifier: Apache-2.0
// Host side: launches, typed allocation, symbols, occupancy.
#include <cstdio>
#include <vector>
__constant__ float coefficients[4];
__device__ int counter;
template <class T>
__global__ void fill(T* p, T v) { p[threadIdx.x] = v + (T)coefficients[1] + (T)counter; }
int main() {
  float* p = nullptr;
  const float host[4] = {1, 2, 3, 4};
  if (cudaMalloc(&p, 1024) != cudaSuccess) return 1;
  cudaMemcpyToSymbol(coefficients, host, sizeof host);
  cudaStream_t stream;
  cudaEvent_t event;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  fill<<<dim3(2, 2), 32, 0, stream>>>(p, 1.0f);
  float v = 2.0f;
  void* arguments[] = {&p, &v};
  cudaLaunchKernel(fill<float>, dim3(1), dim3(32), arguments, 0, stream);
  int blocks = 0, size = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<float>, 128, 0);
  cudaOccupancyMaxPotentialBlockSize(&blocks, &size, fill<float>);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, fill<float>);
  cudaFuncSetAttribute(fill<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, counter);
  cudaEventRecord(event, stream);
  cudaEventSynchronize(event);
  std::printf("%s %d %u\n", cudaGetErrorString(cudaGetLastError()), max(blocks, 1), min(3u, 2u));
  return cudaFree(p) != cudaSuccess;
}
