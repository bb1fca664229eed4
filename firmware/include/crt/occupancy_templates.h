// SPDX-License-Identifier: Apache-2.0
// Occupancy by kernel pointer, and the search for the block size that keeps an SM fullest.
// Included by crt/runtime_templates.h.
#if !defined(HEDDLE_CRT_OCCUPANCY_TEMPLATES_H)
#define HEDDLE_CRT_OCCUPANCY_TEMPLATES_H

template <class T>
static __inline__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                                            size_t dynamicSMemSize) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, reinterpret_cast<const void*>(func),
                                                                  blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

template <class T>
static __inline__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T func,
                                                                                     int blockSize,
                                                                                     size_t dynamicSMemSize,
                                                                                     unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, reinterpret_cast<const void*>(func),
                                                                  blockSize, dynamicSMemSize, flags);
}

template <class T>
static __inline__ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, T* func, int numBlocks,
                                                                        int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, reinterpret_cast<const void*>(func), numBlocks,
                                                     blockSize);
}

template <class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialClusterSize(int* clusterSize, T* func,
                                                                   const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, reinterpret_cast<const void*>(func), config);
}

template <class T>
static __inline__ cudaError_t cudaOccupancyMaxActiveClusters(int* numClusters, T* func,
                                                             const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(numClusters, reinterpret_cast<const void*>(func), config);
}

// Tries every multiple of the warp size from the kernel's largest downwards and keeps the first that
// has the most resident threads; blockSizeLimit 0: the kernel's own limit. Outputs: that block size,
// and the smallest grid that fills the device with it.
template <typename UnaryFunction, class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* minGridSize, int* blockSize, T func, UnaryFunction blockSizeToDynamicSMemSize, int blockSizeLimit = 0,
    unsigned int flags = 0) {
  if (!minGridSize || !blockSize || !func) return cudaErrorInvalidValue;
  int device = 0, maxThreads = 0, multiProcessors = 0, warpSize = 0, deviceLimit = 0;
  cudaFuncAttributes attr;
  cudaError_t status = ::cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&maxThreads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&multiProcessors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess) status = ::cudaDeviceGetAttribute(&warpSize, cudaDevAttrWarpSize, device);
  if (status == cudaSuccess) status = ::cudaDeviceGetAttribute(&deviceLimit, cudaDevAttrMaxThreadsPerBlock, device);
  if (status == cudaSuccess) status = ::cudaFuncGetAttributes(&attr, reinterpret_cast<const void*>(func));
  if (status != cudaSuccess) return status;

  int limit = attr.maxThreadsPerBlock < deviceLimit ? attr.maxThreadsPerBlock : deviceLimit;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  int bestThreads = 0, bestSize = 0, bestBlocks = 0;
  for (int rounded = (limit + warpSize - 1) / warpSize * warpSize; rounded > 0; rounded -= warpSize) {
    const int size = rounded < limit ? rounded : limit;
    int blocks = 0;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, reinterpret_cast<const void*>(func),
                                                                      size, blockSizeToDynamicSMemSize(size), flags);
    if (status != cudaSuccess) return status;
    if (blocks * size > bestThreads) {
      bestThreads = blocks * size;
      bestSize = size;
      bestBlocks = blocks;
    }
    if (bestThreads >= maxThreads) break;
  }
  *minGridSize = bestBlocks * multiProcessors;
  *blockSize = bestSize;
  return cudaSuccess;
}

template <typename UnaryFunction, class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                                             UnaryFunction blockSizeToDynamicSMemSize,
                                                                             int blockSizeLimit = 0) {
  return ::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit, cudaOccupancyDefault);
}

namespace heddle_cuda_detail {
struct FixedDynamicSharedMemory {
  size_t bytes;
  size_t operator()(int) const { return bytes; }
};
}  // namespace heddle_cuda_detail

template <class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                                          size_t dynamicSMemSize = 0,
                                                                          int blockSizeLimit = 0,
                                                                          unsigned int flags = 0) {
  heddle_cuda_detail::FixedDynamicSharedMemory fixed = {dynamicSMemSize};
  return ::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, fixed, blockSizeLimit,
                                                                   flags);
}

template <class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                                                 size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return ::cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit,
                                                       cudaOccupancyDefault);
}

#endif  // HEDDLE_CRT_OCCUPANCY_TEMPLATES_H
