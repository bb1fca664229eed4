// SPDX-License-Identifier: Apache-2.0
// Occupancy without a device: how many blocks fit on an SM, from numbers of cudaDeviceProp and cudaFuncAttributes. The
// rule is that of a Heddle SM (sub-partitions of their own registers, among which the warps are dealt), with four
// sub-partitions and CUDA's steps of allocation; cudaOccupancyMaxActiveBlocksPerMultiprocessor knows the preset's.
#if !defined(__cuda_occupancy_h__)
#define __cuda_occupancy_h__

#include <stddef.h>

typedef enum cudaOccError_enum {
  CUDA_OCC_SUCCESS = 0,
  CUDA_OCC_ERROR_INVALID_INPUT = 1,
  CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

typedef enum cudaOccCacheConfig_enum {
  CACHE_PREFER_NONE = 0,
  CACHE_PREFER_SHARED = 1,
  CACHE_PREFER_L1 = 2,
  CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;

typedef enum cudaOccCarveoutConfig_enum {
  SHAREDMEM_CARVEOUT_DEFAULT = -1,
  SHAREDMEM_CARVEOUT_MAX_L1 = 0,
  SHAREDMEM_CARVEOUT_HALF = 50,
  SHAREDMEM_CARVEOUT_MAX_SHARED = 100
} cudaOccCarveoutConfig;

typedef enum cudaOccPartitionedGCConfig_enum {
  PARTITIONED_GC_OFF = 0,
  PARTITIONED_GC_ON = 1,
  PARTITIONED_GC_ON_STRICT = 2
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum {
  FUNC_SHMEM_LIMIT_DEFAULT = 0,
  FUNC_SHMEM_LIMIT_OPTIN = 1
} cudaOccFuncShmemConfig;

struct cudaOccDeviceProp {
  int computeMajor, computeMinor;
  int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
  int regsPerBlock, regsPerMultiprocessor;
  int warpSize;
  size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
  int numSms;
  size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#if defined(__cplusplus)
  cudaOccDeviceProp() = default;
  // Of cudaDeviceProp, or what has its members.
  template <typename Properties>
  explicit cudaOccDeviceProp(const Properties& p)
      : computeMajor(p.major),
        computeMinor(p.minor),
        maxThreadsPerBlock(p.maxThreadsPerBlock),
        maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor),
        regsPerBlock(p.regsPerBlock),
        regsPerMultiprocessor(p.regsPerMultiprocessor),
        warpSize(p.warpSize),
        sharedMemPerBlock(p.sharedMemPerBlock),
        sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor),
        numSms(p.multiProcessorCount),
        sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
        reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {}
#endif
};

struct cudaOccFuncAttributes {
  int maxThreadsPerBlock;
  int numRegs;
  size_t sharedSizeBytes;
  cudaOccPartitionedGCConfig partitionedGCConfig;
  cudaOccFuncShmemConfig shmemLimitConfig;
  size_t maxDynamicSharedSizeBytes;
  int numBlockBarriers;
#if defined(__cplusplus)
  cudaOccFuncAttributes() = default;
  template <typename Attributes>
  explicit cudaOccFuncAttributes(const Attributes& a)
      : maxThreadsPerBlock(a.maxThreadsPerBlock),
        numRegs(a.numRegs),
        sharedSizeBytes(a.sharedSizeBytes),
        partitionedGCConfig(PARTITIONED_GC_OFF),
        shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
        maxDynamicSharedSizeBytes(a.maxDynamicSharedSizeBytes),
        numBlockBarriers(1) {}
#endif
};

struct cudaOccDeviceState {
  cudaOccCacheConfig cacheConfig;
  int carveoutConfig;
#if defined(__cplusplus)
  cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
};

typedef enum cudaOccLimitingFactor_enum {
  OCC_LIMIT_WARPS = 1,
  OCC_LIMIT_REGISTERS = 2,
  OCC_LIMIT_SHARED_MEMORY = 4,
  OCC_LIMIT_BLOCKS = 8,
  OCC_LIMIT_BARRIERS = 16
} cudaOccLimitingFactor;

struct cudaOccResult {
  int activeBlocksPerMultiprocessor;
  unsigned int limitingFactors;
  int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers;
  int allocatedRegistersPerBlock;
  size_t allocatedSharedMemPerBlock;
  cudaOccPartitionedGCConfig partitionedGCConfig;
};

#if !defined(__cplusplus)
typedef struct cudaOccDeviceProp cudaOccDeviceProp;
typedef struct cudaOccFuncAttributes cudaOccFuncAttributes;
typedef struct cudaOccDeviceState cudaOccDeviceState;
typedef struct cudaOccResult cudaOccResult;
#endif

// Blocks that an SM of this compute capability holds at most.
static inline int heddle_occ_most_blocks(const cudaOccDeviceProp* p) {
  const int capability = p->computeMajor * 10 + p->computeMinor;
  if (capability == 75 || capability == 86 || capability == 87) return 16;
  if (capability == 89) return 24;
  return p->computeMajor < 3 ? 8 : p->computeMajor < 5 ? 16 : 32;
}

static inline cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult* result,
                                                                   const cudaOccDeviceProp* properties,
                                                                   const cudaOccFuncAttributes* attributes,
                                                                   const cudaOccDeviceState* state, int blockSize,
                                                                   size_t dynamicSmemSize) {
  enum { kSubPartitions = 4, kRegisterStep = 256 };
  if (!result || !properties || !attributes || !state || blockSize <= 0 || properties->warpSize <= 0)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  const int none = 0x7fffffff;
  const int warps = (blockSize + properties->warpSize - 1) / properties->warpSize;
  const size_t step = properties->computeMajor >= 8 ? 128 : 256;
  const size_t wanted = attributes->sharedSizeBytes + dynamicSmemSize + properties->reservedSharedMemPerBlock;
  const size_t shared = (wanted + step - 1) / step * step;
  const int registers =
      (attributes->numRegs * properties->warpSize + kRegisterStep - 1) / kRegisterStep * kRegisterStep;
  const int warps_by_registers =
      registers ? properties->regsPerMultiprocessor / kSubPartitions / registers * kSubPartitions : none;
  const size_t by_shared = shared ? properties->sharedMemPerMultiprocessor / shared : (size_t)none;
  const int too_large = blockSize > properties->maxThreadsPerBlock || blockSize > attributes->maxThreadsPerBlock ||
                        dynamicSmemSize > attributes->maxDynamicSharedSizeBytes;
  int blocks;
  result->blockLimitWarps = too_large ? 0 : properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;
  result->blockLimitRegs = warps_by_registers == none ? none : warps_by_registers / warps;
  result->blockLimitSharedMem = by_shared > (size_t)none ? none : (int)by_shared;
  result->blockLimitBlocks = heddle_occ_most_blocks(properties);
  result->blockLimitBarriers = none;
  result->allocatedRegistersPerBlock = registers * warps;
  result->allocatedSharedMemPerBlock = shared;
  result->partitionedGCConfig = PARTITIONED_GC_OFF;
  blocks = result->blockLimitWarps;
  if (result->blockLimitRegs < blocks) blocks = result->blockLimitRegs;
  if (result->blockLimitSharedMem < blocks) blocks = result->blockLimitSharedMem;
  if (result->blockLimitBlocks < blocks) blocks = result->blockLimitBlocks;
  result->activeBlocksPerMultiprocessor = blocks;
  result->limitingFactors = (blocks == result->blockLimitWarps ? (unsigned)OCC_LIMIT_WARPS : 0u) |
                            (blocks == result->blockLimitRegs ? (unsigned)OCC_LIMIT_REGISTERS : 0u) |
                            (blocks == result->blockLimitSharedMem ? (unsigned)OCC_LIMIT_SHARED_MEMORY : 0u) |
                            (blocks == result->blockLimitBlocks ? (unsigned)OCC_LIMIT_BLOCKS : 0u);
  return CUDA_OCC_SUCCESS;
}

// The block size of whole warps that keeps an SM fullest, the largest of several, and the grid that fills the device
// with it.
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int* minGridSize, int* blockSize, const cudaOccDeviceProp* properties, const cudaOccFuncAttributes* attributes,
    const cudaOccDeviceState* state, size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize) {
  int most = 0, size, limit;
  if (!minGridSize || !blockSize || !properties || !attributes || !state || properties->warpSize <= 0)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  *minGridSize = *blockSize = 0;
  limit = attributes->maxThreadsPerBlock < properties->maxThreadsPerBlock ? attributes->maxThreadsPerBlock
                                                                          : properties->maxThreadsPerBlock;
  for (size = limit / properties->warpSize * properties->warpSize; size > 0; size -= properties->warpSize) {
    cudaOccResult result;
    const size_t dynamic = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
    const cudaOccError error =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, size, dynamic);
    if (error != CUDA_OCC_SUCCESS) return error;
    if (result.activeBlocksPerMultiprocessor * size <= most) continue;
    most = result.activeBlocksPerMultiprocessor * size;
    *blockSize = size;
    *minGridSize = result.activeBlocksPerMultiprocessor * properties->numSms;
  }
  return CUDA_OCC_SUCCESS;
}

#endif  // __cuda_occupancy_h__
