// SPDX-License-Identifier: Apache-2.0
// Kernels: launches, attributes, occupancy.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

#include "heddle/sizes.h"
#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/launches.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart {
using driver::Context;
using driver::Kernel;

namespace {

// What a kernel may take dynamically: what the program raised it to, else the rest of the block's default.
uint64_t max_dynamic_shared(const Preset& preset, const Function& f) {
  if (f.max_dynamic_shared) return static_cast<uint64_t>(*f.max_dynamic_shared);
  const auto limit = static_cast<uint64_t>(preset.limits.shared_per_block);
  return limit > f.kernel->info->shared_bytes ? limit - f.kernel->info->shared_bytes : 0;
}

// The capability that PTX was written for, which libraries choose their launches by: "sm_80" is 80.
int written_for(const std::string& target, int fallback) {
  int capability = 0;
  const char* digits = target.c_str() + std::min<size_t>(target.size(), 3);
  return std::from_chars(digits, target.c_str() + target.size(), capability).ec == std::errc() ? capability : fallback;
}

driver::Dim3 dim(const dim3& d) { return {d.x, d.y, d.z}; }

// What cannot be loaded has said why.
cudaError_t refused_function(const char* api_name, const Error& error) {
  return code(error) == cudaErrorInvalidDeviceFunction ? explained(api_name, error) : code(error);
}

template <typename F>
cudaError_t with_function(const char* api_name, const void* host, F&& body) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    auto f = state.function(host);
    return f ? body(state, c, **f) : refused_function(api_name, f.error());
  });
}

// The program knows its managed variables by its own addresses. A pointer is an aligned word of one parameter: what two
// of them happen to make up is none.
// Those into page-locked memory, too.
Status exchange_pointers(State& state, std::vector<uint8_t>& block, const formats::CubinParam& param) {
  size_t at = round_up(param.offset, sizeof(void*));
  for (; at + sizeof(void*) <= size_t{param.offset} + param.size; at += sizeof(void*)) {
    void* p;
    std::memcpy(&p, block.data() + at, sizeof p);
    auto device = state.kernel_pointer(p);
    if (!device) return device.error();
    std::memcpy(block.data() + at, &*device, sizeof p);
  }
  return {};
}

// Copies the arguments into one parameter block.
Result<std::vector<uint8_t>> pack(State& state, const Kernel& kernel, const Arguments& arguments) {
  const auto& params = kernel.info->params;
  std::vector<uint8_t> block(kernel.info->param_bytes);
  if (!params.empty() && !arguments.list && !arguments.block)
    return Error("the kernel has parameters, but no arguments were given", Code::InvalidValue);
  if (arguments.block) {
    const uint64_t needed = params.empty() ? 0 : uint64_t{params.back().offset} + params.back().size;
    if (arguments.bytes < needed)
      return Error("its parameters take " + std::to_string(needed) + " bytes, " + std::to_string(arguments.bytes) +
                       " were given",
                   Code::InvalidValue);
    std::memcpy(block.data(), arguments.block, std::min(block.size(), arguments.bytes));
  } else {
    for (size_t i = 0; i < params.size(); ++i) {
      if (!arguments.list[i]) return Error("argument " + std::to_string(i) + " is a null pointer", Code::InvalidValue);
      std::memcpy(block.data() + params[i].offset, arguments.list[i], params[i].size);
    }
  }
  if (!state.managed.empty() || !state.host_memory.empty())
    for (const auto& param : params)
      if (auto ok = exchange_pointers(state, block, param); !ok) return ok.error();
  return block;
}

// The clusters that the kernel was compiled for; 0s: any.
driver::Dim3 compiled_cluster(const Function& f) { return f.marked_cluster.value_or(f.kernel->required_cluster); }

// What the kernel and the program say of a launch's clusters.
Status set_cluster(driver::LaunchShape& shape, const Function& f) {
  for (const driver::Dim3& required : {f.required_cluster, compiled_cluster(f)}) {
    const auto cluster = driver::choose_cluster(required, shape.cluster);
    if (!cluster) return cluster.error();
    shape.cluster = *cluster;
  }
  if (f.marked_cluster && shape.cluster == driver::Dim3{0, 0, 0})
    return Error("its __cluster_dims__ are not written as numbers, and the launch has none", Code::InvalidClusterSize);
  shape.large_clusters = f.large_clusters;
  return {};
}

driver::BlockNeeds needs_of(const Function& f, const driver::LaunchShape& shape) {
  return {static_cast<uint32_t>(shape.block.count()), f.kernel->info->registers,
          add_sizes(f.kernel->info->shared_bytes, shape.dynamic_shared)};
}

}  // namespace

cudaError_t launch(const char* api_name, const void* host, driver::LaunchShape shape, const Arguments& arguments,
                   cudaStream_t handle) {
  const auto submit = [&](State& state, Context& c, Function& f) -> cudaError_t {
    const auto work = state.work(handle);
    if (!work) return cudaErrorInvalidResourceHandle;
    const auto refuse = [&](const Error& error) {
      if (!c.outcome().status()) return code(error);
      return explained(api_name, error.context(f.kernel->display_name));
    };
    // A module's function runs in its context alone, in a stream of that.
    if (f.binary->of_driver && state.stream_owner(handle) != f.binary->owner) return cudaErrorInvalidResourceHandle;
    const auto& required = f.kernel->info->required_threads;
    if (required[0] && (shape.block.x != required[0] || shape.block.y != std::max(1u, required[1]) ||
                        shape.block.z != std::max(1u, required[2])))
      return refuse(Error("a block of other threads than the kernel requires", Code::InvalidValue));
    if (const Status ok = set_cluster(shape, f); !ok) return refuse(ok.error());
    if (shape.cooperative) {
      const driver::BlockNeeds needs = needs_of(f, shape);
      const uint64_t blocks = std::max<uint64_t>(shape.cluster.count(), 1);
      const uint64_t room = uint64_t{driver::clusters_per_sm(c.preset(), needs, shape.cluster)} * blocks *
                            static_cast<uint64_t>(c.preset().structure.sms);
      if (shape.grid.count() > room)
        return refuse(Error("a cooperative grid of " + std::to_string(shape.grid.count()) +
                                " blocks, the device holds " + std::to_string(room),
                            Code::CooperativeLaunchTooLarge));
    }
    auto block_of_arguments = pack(state, *f.kernel, arguments);
    if (!block_of_arguments) return refuse(block_of_arguments.error());
    auto sequence = c.launcher().launch(*f.kernel, shape, max_dynamic_shared(c.preset(), f), block_of_arguments->data(),
                                        work.get());
    return sequence ? cudaSuccess : refuse(sequence.error());
  };
  return with_context([&](State& state, Context& c) -> cudaError_t {
    auto f = state.function(host);
    if (f) return submit(state, c, **f);
    if (state.functions.contains(host)) return refused_function(api_name, f.error());
    (void)explained(api_name, f.error());
    return cudaErrorInvalidResourceHandle;  // a kernel is launched by its handle
  });
}

namespace {

// What the kernel was compiled for stays.
cudaError_t require_cluster(Function& f, uint32_t driver::Dim3::*extent, int value) {
  const uint32_t compiled = compiled_cluster(f).*extent;
  if (value < 0 || (compiled && compiled != static_cast<uint32_t>(value))) return cudaErrorInvalidValue;
  if (!compiled) f.required_cluster.*extent = static_cast<uint32_t>(value);
  return cudaSuccess;
}

cudaError_t occupancy(int* blocks, const void* host, int threads, size_t dynamic) {
  return with_function(
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor", host, [&](State&, Context& c, Function& f) -> cudaError_t {
        if (!blocks || threads <= 0) return cudaErrorInvalidValue;
        *blocks = static_cast<int>(
            driver::blocks_per_sm(c.preset(), {static_cast<uint32_t>(threads), f.kernel->info->registers,
                                               add_sizes(f.kernel->info->shared_bytes, dynamic)}));
        return cudaSuccess;
      });
}

}  // namespace

driver::LaunchShape shape_of(const cudaLaunchConfig_t& config) {
  driver::LaunchShape shape{dim(config.gridDim), dim(config.blockDim), config.dynamicSmemBytes};
  for (const cudaLaunchAttribute& a : std::span(config.attrs, config.numAttrs)) {
    if (a.id == cudaLaunchAttributeCooperative) shape.cooperative = a.val.cooperative != 0;
    if (a.id == cudaLaunchAttributeClusterDimension)
      shape.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
  }
  return shape;
}
bool is_complete(const cudaLaunchConfig_t* config) { return config && (!config->numAttrs || config->attrs); }

namespace {

// Calls `body(shape, limits, needs)` with a configuration whose clusters are possible.
template <typename F>
cudaError_t cluster_occupancy(const char* api_name, int* answer, const void* host, const cudaLaunchConfig_t* config,
                              F&& body) {
  return with_function(api_name, host, [&](State&, Context& c, Function& f) -> cudaError_t {
    if (!answer || !is_complete(config)) return cudaErrorInvalidValue;
    driver::LaunchShape shape = shape_of(*config);
    const driver::KernelLimits limits{.max_cluster_blocks = f.kernel->info->max_cluster_blocks};
    Status ok = set_cluster(shape, f);
    if (ok) ok = driver::check_cluster(c.preset(), limits, shape);
    if (!ok) return explained(api_name, ok.error().context(f.kernel->display_name));
    *answer = static_cast<int>(body(c.preset(), shape, limits, needs_of(f, shape)));
    return cudaSuccess;
  });
}

}  // namespace

namespace body {

cudaError_t cudaLaunchKernel(const void* func, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                             cudaStream_t stream) {
  return launch("cudaLaunchKernel", func, {dim(grid), dim(block), shared_bytes}, {args}, stream);
}

// What nvcc's host code calls, from CUDA 13 on: a kernel's handle is its stub's address.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* func) {
  return api([&](State& state) -> cudaError_t {
    if (!kernel || !state.functions.contains(func)) return cudaErrorInvalidDeviceFunction;
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(func));
    return cudaSuccess;
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                               cudaStream_t stream) {
  return launch("cudaLaunchKernel", kernel, {dim(grid), dim(block), shared_bytes}, {args}, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel", func, {dim(grid), dim(block), shared_bytes, true}, {args}, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  if (!is_complete(config)) return remember(cudaErrorInvalidValue);
  return launch("cudaLaunchKernelExC", func, shape_of(*config), {args}, config->stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* func) {
  return with_function("cudaFuncGetAttributes", func, [&](State&, Context& c, Function& f) -> cudaError_t {
    if (!out) return cudaErrorInvalidValue;
    const auto& k = *f.kernel->info;
    const auto& s = c.preset().structure;
    std::memset(out, 0, sizeof *out);
    out->sharedSizeBytes = k.shared_bytes;
    out->constSizeBytes = f.kernel->module->cubin().const_bytes;
    out->localSizeBytes = k.local_bytes;
    out->numRegs = static_cast<int>(k.registers);
    uint32_t threads = driver::max_threads_per_block(c.preset(), k.registers);
    if (f.kernel->max_threads) threads = std::min(threads, f.kernel->max_threads);
    out->maxThreadsPerBlock = static_cast<int>(threads);
    out->binaryVersion = s.compute_major * 10 + s.compute_minor;
    out->ptxVersion = written_for(f.kernel->module->cubin().target, out->binaryVersion);
    out->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared(c.preset(), f));
    out->preferredShmemCarveout = f.carveout;
    const driver::Dim3 cluster = f.required_cluster == driver::Dim3{0, 0, 0} ? compiled_cluster(f) : f.required_cluster;
    out->clusterDimMustBeSet = k.explicit_cluster || f.marked_cluster;
    out->requiredClusterWidth = static_cast<int>(cluster.x);
    out->requiredClusterHeight = static_cast<int>(cluster.y);
    out->requiredClusterDepth = static_cast<int>(cluster.z);
    out->clusterSchedulingPolicyPreference = f.cluster_policy;
    out->nonPortableClusterSizeAllowed = f.large_clusters;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attribute, int value) {
  return with_function("cudaFuncSetAttribute", func, [&](State&, Context& c, Function& f) -> cudaError_t {
    const int optin = c.preset().limits.shared_per_block_optin;
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value > optin - static_cast<int>(f.kernel->info->shared_bytes)) return cudaErrorInvalidValue;
        f.max_dynamic_shared = value;
        return cudaSuccess;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
          return cudaErrorInvalidValue;
        f.carveout = value;
        return cudaSuccess;
      case cudaFuncAttributeRequiredClusterWidth: return require_cluster(f, &driver::Dim3::x, value);
      case cudaFuncAttributeRequiredClusterHeight: return require_cluster(f, &driver::Dim3::y, value);
      case cudaFuncAttributeRequiredClusterDepth: return require_cluster(f, &driver::Dim3::z, value);
      case cudaFuncAttributeNonPortableClusterSizeAllowed: f.large_clusters = value != 0; return cudaSuccess;
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if (value < cudaClusterSchedulingPolicyDefault || value > cudaClusterSchedulingPolicyLoadBalancing)
          return cudaErrorInvalidValue;
        f.cluster_policy = value;
        return cudaSuccess;
      default: return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache config) {
  return with_function("cudaFuncSetCacheConfig", func, [&](State&, Context&, Function& f) -> cudaError_t {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    f.cache_config = config;
    return cudaSuccess;
  });
}

// Shared memory has 32 banks of four bytes; the wish for wider ones is void on today's silicon too.
cudaError_t cudaFuncSetSharedMemConfig(const void* func, cudaSharedMemConfig) {
  return with_function("cudaFuncSetSharedMemConfig", func, [](State&, Context&, Function&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  return with_function("cudaFuncGetName", func, [&](State&, Context&, Function& f) -> cudaError_t {
    if (!name) return cudaErrorInvalidValue;
    *name = f.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* func, size_t index, size_t* offset, size_t* size) {
  return with_function("cudaFuncGetParamInfo", func, [&](State&, Context&, Function& f) -> cudaError_t {
    const auto& params = f.kernel->info->params;
    if (!offset || index >= params.size()) return cudaErrorInvalidValue;
    *offset = params[index].offset;
    if (size) *size = params[index].size;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* func, int threads, size_t dynamic) {
  return occupancy(blocks, func, threads, dynamic);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* func, int threads,
                                                                   size_t dynamic, unsigned flags) {
  if (flags > cudaOccupancyDisableCachingOverride) return remember(cudaErrorInvalidValue);
  return occupancy(blocks, func, threads, dynamic);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* func, int blocks, int threads) {
  return with_function(
      "cudaOccupancyAvailableDynamicSMemPerBlock", func, [&](State&, Context& c, Function& f) -> cudaError_t {
        if (!bytes || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
        *bytes = driver::dynamic_shared_for(
            c.preset(), {static_cast<uint32_t>(threads), f.kernel->info->registers, f.kernel->info->shared_bytes},
            static_cast<uint32_t>(blocks));
        return cudaSuccess;
      });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* func, const cudaLaunchConfig_t* config) {
  return cluster_occupancy("cudaOccupancyMaxActiveClusters", clusters, func, config,
                           [](const Preset& p, const auto& shape, const auto&, const driver::BlockNeeds& needs) {
                             if (shape.cluster.count() == 0) return 0u;  // none are asked for
                             return driver::clusters_per_sm(p, needs, shape.cluster) * uint32_t(p.structure.sms);
                           });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* func, const cudaLaunchConfig_t* config) {
  return cluster_occupancy("cudaOccupancyMaxPotentialClusterSize", size, func, config,
                           [](const Preset& p, const auto& shape, const auto& limits, const driver::BlockNeeds& needs) {
                             return std::min(driver::max_cluster_blocks(p, limits, shape.large_clusters),
                                             driver::blocks_per_sm(p, needs));
                           });
}

// Deprecated since CUDA 10: doubles are kept as they are.
cudaError_t cudaSetDoubleForDevice(double* d) { return remember(d ? cudaSuccess : cudaErrorInvalidValue); }
cudaError_t cudaSetDoubleForHost(double* d) { return remember(d ? cudaSuccess : cudaErrorInvalidValue); }

}  // namespace body
}  // namespace heddle::cudart
