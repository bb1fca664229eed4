// SPDX-License-Identifier: Apache-2.0
#include <cuda_occupancy.h>
__global__ void k(int* p) { p[0] = 1; }
int blocks(int threads, size_t shared) {
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || cudaFuncGetAttributes(&attributes, k) != cudaSuccess) return -1;
  const cudaOccDeviceProp device(properties);
  const cudaOccFuncAttributes function(attributes);
  const cudaOccDeviceState state;
  cudaOccResult result;
  int grid = 0, block = 0;
  if (cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &function, &state, nullptr, shared) != CUDA_OCC_SUCCESS) return -1;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared) != CUDA_OCC_SUCCESS) return -1;
  return result.activeBlocksPerMultiprocessor + grid + block;
}
