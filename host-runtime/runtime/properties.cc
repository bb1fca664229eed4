// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/properties.h"

#include <cstdio>
#include <cstring>

#include "host-runtime/driver/occupancy.h"

namespace heddle::cudart {
namespace {

constexpr int kConstantBytes = 65536;
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;

// FP32 lanes per FP64 lane where there is none: the ratio of the cards that have the fewest.
constexpr int kSingleToNoDouble = 64;

}  // namespace

cudaDeviceProp device_properties(const Preset& preset) {
  const auto& s = preset.structure;
  const auto& l = preset.limits;
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "Heddle %s", preset.name.c_str());
  const uint32_t hash = preset.structure_hash();
  std::memcpy(p.uuid.bytes, "heddle-gpu--", 12);
  std::memcpy(p.uuid.bytes + 12, &hash, sizeof hash);
  p.totalGlobalMem = preset.runtime.mem_bytes;
  p.sharedMemPerBlock = static_cast<size_t>(l.shared_per_block);
  p.sharedMemPerBlockOptin = static_cast<size_t>(l.shared_per_block_optin);
  p.sharedMemPerMultiprocessor = static_cast<size_t>(s.shared_bytes);
  p.regsPerBlock = s.registers_per_sm();
  p.regsPerMultiprocessor = s.registers_per_sm();
  p.warpSize = 32;
  p.memPitch = kMaxPitch;
  p.maxThreadsPerBlock = l.threads_per_block;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = l.threads_per_block;
  p.maxThreadsDim[2] = driver::kMaxBlockZ;
  p.maxGridSize[0] = static_cast<int>(driver::max_grid_x(preset));
  p.maxGridSize[1] = p.maxGridSize[2] = driver::kMaxGridYZ;
  p.clockRate = preset.runtime.clock_khz;
  p.memoryClockRate = preset.runtime.clock_khz;
  p.memoryBusWidth = preset.dram.bytes_per_cycle * 8;
  p.totalConstMem = kConstantBytes;
  p.major = s.compute_major;
  p.minor = s.compute_minor;
  p.textureAlignment = kTextureAlignment;
  p.texturePitchAlignment = kTexturePitchAlignment;
  p.surfaceAlignment = kTextureAlignment;
  p.multiProcessorCount = s.sms;
  p.maxThreadsPerMultiProcessor = s.warps_per_sm() * 32;
  p.maxBlocksPerMultiProcessor = s.blocks_per_sm;
  p.l2CacheSize = s.l2_bytes;
  p.unifiedAddressing = 1;
  p.canMapHostMemory = 1;
  p.streamPrioritiesSupported = 1;
  p.managedMemory = 1;
  p.cooperativeLaunch = 1;
  p.clusterLaunch = s.features().clusters;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.singleToDoublePrecisionPerfRatio = s.fp64_lanes ? s.fp32_lanes / s.fp64_lanes : kSingleToNoDouble;
  p.hostRegisterSupported = 1;
  p.pciBusID = 1;
  return p;
}

std::optional<int> device_attribute(const Preset& preset, cudaDeviceAttr attribute) {
  const cudaDeviceProp p = device_properties(preset);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX: return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY: return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ: return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory: return static_cast<int>(p.totalConstMem);
    case cudaDevAttrWarpSize: return p.warpSize;
    case cudaDevAttrMaxPitch: return static_cast<int>(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
    case cudaDevAttrClockRate: return p.clockRate;
    case cudaDevAttrTextureAlignment: return static_cast<int>(p.textureAlignment);
    case cudaDevAttrTexturePitchAlignment: return static_cast<int>(p.texturePitchAlignment);
    case cudaDevAttrSurfaceAlignment: return static_cast<int>(p.surfaceAlignment);
    case cudaDevAttrMultiProcessorCount: return p.multiProcessorCount;
    case cudaDevAttrPciBusId: return p.pciBusID;
    case cudaDevAttrMemoryClockRate: return p.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth: return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize: return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrUnifiedAddressing: return p.unifiedAddressing;
    case cudaDevAttrStreamPrioritiesSupported: return p.streamPrioritiesSupported;
    case cudaDevAttrCanMapHostMemory: return p.canMapHostMemory;
    case cudaDevAttrComputeCapabilityMajor: return p.major;
    case cudaDevAttrComputeCapabilityMinor: return p.minor;
    case cudaDevAttrGlobalL1CacheSupported: return p.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported: return p.localL1CacheSupported;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(p.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: return p.singleToDoublePrecisionPerfRatio;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrHostRegisterSupported: return p.hostRegisterSupported;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrManagedMemory: return p.managedMemory;
    case cudaDevAttrCooperativeLaunch: return p.cooperativeLaunch;
    case cudaDevAttrClusterLaunch: return p.clusterLaunch;
    case cudaDevAttrNumaId:
    case cudaDevAttrHostNumaId: return -1;
    default: break;
  }
  // Everything else that CUDA names is a feature or a texture limit that this device does not have.
  if (attribute >= cudaDevAttrMaxThreadsPerBlock && attribute < cudaDevAttrMax) return 0;
  return std::nullopt;
}

}  // namespace heddle::cudart
