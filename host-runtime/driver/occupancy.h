// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel fit on one SM, and which launches are possible at all. The rule is the
// block dispatcher's: warps of all resident blocks are dealt to the sub-partitions in turn, and the
// fullest one must hold the registers of its warps.
#pragma once

#include <cstdint>

#include "heddle/result.h"
#include "host-runtime/driver/failure.h"
#include "presets/preset.h"

namespace heddle::driver {

// What one block of a kernel takes.
struct BlockNeeds {
  uint32_t threads = 0;
  uint32_t registers = 0;     // a thread
  uint64_t shared_bytes = 0;  // static and dynamic
};

// What the device is told to set aside: registers a thread and shared bytes a block, rounded up to the
// preset's allocation steps (but never beyond the registers a thread can have).
uint32_t allocated_registers(const Preset& preset, uint32_t registers);
uint64_t allocated_shared(const Preset& preset, uint64_t bytes);

// Blocks resident on one SM at most; 0: not even one fits.
uint32_t blocks_per_sm(const Preset& preset, const BlockNeeds& needs);

// What each resource alone would hold; at least one of them is the number above, unless that is 0.
struct BlockLimits {
  uint64_t slots = 0, warps = 0, registers = 0, shared = 0;
};
BlockLimits block_limits(const Preset& preset, const BlockNeeds& needs);

// The largest block that the register file admits for a kernel: at most limits.threads_per_block.
uint32_t max_threads_per_block(const Preset& preset, uint32_t registers);

// Bytes of dynamic shared memory a block may take so that `blocks` of them stay resident on an SM.
uint64_t dynamic_shared_for(const Preset& preset, const BlockNeeds& static_needs, uint32_t blocks);

// Extents a launch may have.
struct LaunchShape {
  Dim3 grid, block;
  uint64_t dynamic_shared = 0;
  bool cooperative = false;     // all blocks are resident at a time, which the caller has made sure of
  Dim3 cluster{0, 0, 0};        // blocks of a cluster; 0s: none are asked for
  bool large_clusters = false;  // the program allows clusters of more than kPortableClusterBlocks
};
struct KernelLimits {
  uint32_t registers = 0;
  uint64_t static_shared = 0;
  uint64_t max_dynamic_shared = 0;  // as cudaFuncSetAttribute raised it
  uint32_t max_threads = 0;         // of __launch_bounds__; 0: none
  uint32_t max_cluster_blocks = 0;  // likewise
  bool in_clusters_only = false;
};
inline constexpr uint32_t kPortableClusterBlocks = 8;  // every device with clusters has these
inline constexpr uint32_t kMaxGridX = 0x7fffffff, kMaxGridYZ = 65535, kMaxBlockZ = 64;
// Before compute capability 3.0 the x extent was as small as the others.
uint32_t max_grid_x(const Preset& preset);

// Clusters side by side on one SM; 0: not even one of so many blocks fits.
uint32_t clusters_per_sm(const Preset& preset, const BlockNeeds& needs, const Dim3& cluster);

// The clusters of a launch: those asked for, else those required (0s: any). Code::InvalidClusterSize where they differ.
// An extent that alone is not required, 0, may be any, and must then be asked for.
Result<Dim3> choose_cluster(const Dim3& required, const Dim3& asked);

// The largest cluster that a launch may have by what the preset, the kernel and the program allow.
uint32_t max_cluster_blocks(const Preset& preset, const KernelLimits& kernel, bool large_clusters);

// As check_launch on clusters that are asked for: Code::InvalidClusterSize, and NotSupported where the device has none.
Status check_cluster(const Preset& preset, const KernelLimits& kernel, const LaunchShape& shape);

// Code::InvalidValue for an impossible shape or too much shared memory, as CUDA 13 answers on silicon;
// Code::LaunchOutOfResources when registers do not suffice.
Status check_launch(const Preset& preset, const KernelLimits& kernel, const LaunchShape& shape);

}  // namespace heddle::driver
