// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/occupancy.h"

#include <algorithm>

#include "heddle/sizes.h"

namespace heddle::driver {
namespace {

constexpr uint32_t kWarpSize = 32;

// Register rows that a warp takes in its sub-partition: whole allocation steps, and whole pairs.
uint64_t rows_per_warp(const Preset& p, uint32_t registers) { return round_up(allocated_registers(p, registers), 2); }

bool fits(const Preset& p, const BlockNeeds& needs, uint64_t blocks) {
  const auto& s = p.structure;
  const uint64_t warps = blocks * ((needs.threads + kWarpSize - 1) / kWarpSize);
  const uint64_t fullest = (warps + s.sub_partitions - 1) / s.sub_partitions;
  return blocks <= uint64_t(s.blocks_per_sm) && warps <= uint64_t(s.warps_per_sm()) &&
         fullest * rows_per_warp(p, needs.registers) <= uint64_t(s.register_rows) &&
         multiply_sizes(blocks, allocated_shared(p, needs.shared_bytes)) <= uint64_t(s.shared_bytes);
}

Error invalid(const std::string& what) { return Error(what, Code::InvalidValue); }
Error invalid_cluster(const std::string& what) { return Error(what, Code::InvalidClusterSize); }

constexpr Dim3 kNone{0, 0, 0};

}  // namespace

uint32_t allocated_registers(const Preset& p, uint32_t registers) {
  const uint64_t step = std::max(p.limits.register_allocation / int(kWarpSize), 1);
  const uint64_t most = std::max<uint64_t>(p.limits.registers_per_thread, registers);
  return static_cast<uint32_t>(std::min(round_up(registers, step), most));
}

uint64_t allocated_shared(const Preset& p, uint64_t bytes) { return round_up(bytes, p.limits.shared_allocation); }

uint32_t blocks_per_sm(const Preset& p, const BlockNeeds& needs) {
  if (needs.threads == 0 || needs.threads > uint32_t(p.limits.threads_per_block)) return 0;
  uint32_t blocks = 0;
  while (fits(p, needs, blocks + 1)) ++blocks;
  return blocks;
}

BlockLimits block_limits(const Preset& p, const BlockNeeds& needs) {
  const auto& s = p.structure;
  const uint64_t warps = std::max<uint64_t>((needs.threads + kWarpSize - 1) / kWarpSize, 1);
  const uint64_t rows = rows_per_warp(p, needs.registers), shared = allocated_shared(p, needs.shared_bytes);
  BlockLimits limits;
  limits.slots = uint64_t(s.blocks_per_sm);
  limits.warps = uint64_t(s.warps_per_sm()) / warps;
  limits.registers = rows ? uint64_t(s.register_rows) / rows * uint64_t(s.sub_partitions) / warps : limits.slots;
  limits.shared = shared ? uint64_t(s.shared_bytes) / shared : limits.slots;
  return limits;
}

uint32_t max_threads_per_block(const Preset& p, uint32_t registers) {
  uint32_t threads = uint32_t(p.limits.threads_per_block);
  while (threads > 0 && !fits(p, {threads, registers, 0}, 1)) threads -= std::min(threads, kWarpSize);
  return threads;
}

uint64_t dynamic_shared_for(const Preset& p, const BlockNeeds& needs, uint32_t blocks) {
  if (blocks == 0 || blocks_per_sm(p, needs) < blocks) return 0;
  const uint64_t step = p.limits.shared_allocation;
  const uint64_t each = uint64_t(p.structure.shared_bytes) / blocks / step * step;
  const uint64_t most = std::min<uint64_t>(each, p.limits.shared_per_block_optin);
  return most > needs.shared_bytes ? most - needs.shared_bytes : 0;
}

uint32_t clusters_per_sm(const Preset& p, const BlockNeeds& needs, const Dim3& cluster) {
  return static_cast<uint32_t>(blocks_per_sm(p, needs) / std::max<uint64_t>(cluster.count(), 1));
}

Result<Dim3> choose_cluster(const Dim3& required, const Dim3& asked) {
  if (required == kNone) return asked;
  if (asked == kNone && required.count()) return required;
  const auto agree = [](uint32_t r, uint32_t a) { return r == 0 || r == a; };
  if (asked != kNone && agree(required.x, asked.x) && agree(required.y, asked.y) && agree(required.z, asked.z))
    return asked;
  return invalid_cluster("a cluster of " + to_string(asked) + " blocks, the kernel requires " + to_string(required));
}

uint32_t max_cluster_blocks(const Preset& p, const KernelLimits& kernel, bool large_clusters) {
  uint32_t most = uint32_t(p.structure.cluster_blocks);
  if (!large_clusters) most = std::min(most, kPortableClusterBlocks);
  return kernel.max_cluster_blocks ? std::min(most, kernel.max_cluster_blocks) : most;
}

Status check_cluster(const Preset& p, const KernelLimits& kernel, const LaunchShape& shape) {
  const Dim3 &cluster = shape.cluster, &grid = shape.grid;
  if (cluster == kNone)
    return kernel.in_clusters_only ? invalid_cluster("the kernel needs clusters, none are asked for") : Status{};
  const std::string text = "a cluster of " + to_string(cluster) + " blocks";
  if (cluster.count() == 0) return invalid_cluster(text + " is empty");
  if (cluster != Dim3{} && p.structure.cluster_blocks == 1)
    return Error("thread block clusters are not supported by this device", Code::NotSupported);
  const uint32_t most = max_cluster_blocks(p, kernel, shape.large_clusters);
  if (std::max({cluster.x, cluster.y, cluster.z}) > most || cluster.count() > most)
    return invalid_cluster(
        text + ", at most " + std::to_string(most) +
        (most != kPortableClusterBlocks ? "" : " (cudaFuncAttributeNonPortableClusterSizeAllowed raises it)"));
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return invalid_cluster(text + " does not divide a grid of " + to_string(grid));
  return {};
}

uint32_t max_grid_x(const Preset& p) { return p.structure.compute_major < 3 ? kMaxGridYZ : kMaxGridX; }

Status check_launch(const Preset& p, const KernelLimits& kernel, const LaunchShape& shape) {
  const Dim3 &grid = shape.grid, &block = shape.block;
  const uint64_t dynamic = shape.dynamic_shared;
  const uint32_t limit = p.limits.threads_per_block;
  if (grid.count() == 0) return invalid("a grid of " + to_string(grid) + " blocks is empty");
  if (block.count() == 0) return invalid("a block of " + to_string(block) + " threads is empty");
  if (grid.x > max_grid_x(p) || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ)
    return invalid("grid " + to_string(grid) + " exceeds " + to_string(Dim3{max_grid_x(p), kMaxGridYZ, kMaxGridYZ}));
  if (block.x > limit || block.y > limit || block.z > kMaxBlockZ)
    return invalid("block " + to_string(block) + " exceeds " + to_string(Dim3{limit, limit, kMaxBlockZ}));
  const uint64_t threads = block.count();
  if (threads > limit) return invalid(std::to_string(threads) + " threads a block, at most " + std::to_string(limit));
  if (kernel.max_threads && threads > kernel.max_threads)
    return invalid(std::to_string(threads) + " threads a block, the kernel's launch bounds allow " +
                   std::to_string(kernel.max_threads));
  if (dynamic > kernel.max_dynamic_shared)
    return invalid(std::to_string(dynamic) + " bytes of dynamic shared memory, at most " +
                   std::to_string(kernel.max_dynamic_shared) +
                   " (cudaFuncAttributeMaxDynamicSharedMemorySize raises it)");
  const uint64_t shared = kernel.static_shared + dynamic;
  const BlockNeeds needs{static_cast<uint32_t>(threads), kernel.registers, shared};
  if (blocks_per_sm(p, needs) == 0)
    return Error("no SM can hold a block of " + std::to_string(threads) + " threads with " +
                     std::to_string(kernel.registers) + " registers each and " + std::to_string(shared) +
                     " bytes of shared memory",
                 Code::LaunchOutOfResources);
  if (auto ok = check_cluster(p, kernel, shape); !ok) return ok;
  if (clusters_per_sm(p, needs, shape.cluster) == 0)
    return invalid_cluster("no SM can hold a cluster of " + to_string(shape.cluster) + " blocks, but " +
                           std::to_string(blocks_per_sm(p, needs)));
  return {};
}

}  // namespace heddle::driver
