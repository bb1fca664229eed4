// SPDX-License-Identifier: Apache-2.0
// Kernels: launches, attributes, occupancy.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "heddle/sizes.h"
#include "host-runtime/runtime/body.h"
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
Result<std::vector<uint8_t>> pack(State& state, const Kernel& kernel, void** arguments) {
  const auto& params = kernel.info->params;
  std::vector<uint8_t> block(kernel.info->param_bytes);
  if (!params.empty() && !arguments)
    return Error("the kernel has parameters, but no arguments were given", Code::InvalidValue);
  for (size_t i = 0; i < params.size(); ++i) {
    if (!arguments[i]) return Error("argument " + std::to_string(i) + " is a null pointer", Code::InvalidValue);
    std::memcpy(block.data() + params[i].offset, arguments[i], params[i].size);
  }
  if (!state.managed.empty() || !state.host_memory.empty())
    for (const auto& param : params)
      if (auto ok = exchange_pointers(state, block, param); !ok) return ok.error();
  return block;
}

cudaError_t launch(const char* api_name, const void* host, const dim3& grid, const dim3& block, void** arguments,
                   size_t shared_bytes, cudaStream_t handle, bool cooperative) {
  const auto submit = [&](State& state, Context& c, Function& f) -> cudaError_t {
    const auto work = state.work(handle);
    if (!work) return cudaErrorInvalidResourceHandle;
    const auto refuse = [&](const Error& error) {
      if (!c.outcome().status()) return code(error);
      return explained(api_name, error.context(f.kernel->display_name));
    };
    const driver::LaunchShape shape{dim(grid), dim(block), shared_bytes, cooperative};
    if (cooperative) {
      const driver::BlockNeeds needs{static_cast<uint32_t>(shape.block.count()), f.kernel->info->registers,
                                     add_sizes(f.kernel->info->shared_bytes, shared_bytes)};
      const uint64_t room =
          uint64_t{driver::blocks_per_sm(c.preset(), needs)} * static_cast<uint64_t>(c.preset().structure.sms);
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
    note(api_name, f.error().message());
    return cudaErrorInvalidResourceHandle;  // a kernel is launched by its handle
  });
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

namespace body {

cudaError_t cudaLaunchKernel(const void* func, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                             cudaStream_t stream) {
  return launch("cudaLaunchKernel", func, grid, block, args, shared_bytes, stream, false);
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
  return launch("cudaLaunchKernel", kernel, grid, block, args, shared_bytes, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel", func, grid, block, args, shared_bytes, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  if (!config || (config->numAttrs && !config->attrs)) return remember(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& a = config->attrs[i];
    if (a.id == cudaLaunchAttributeCooperative) cooperative = a.val.cooperative != 0;
    if (a.id != cudaLaunchAttributeClusterDimension) continue;
    if (a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z != 1) {
      note("cudaLaunchKernelExC", "thread block clusters are not supported");
      return remember(cudaErrorNotSupported);
    }
  }
  return launch("cudaLaunchKernelExC", func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                config->stream, cooperative);
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
      default: break;
    }
    if (attribute > cudaFuncAttributePreferredSharedMemoryCarveout && attribute < cudaFuncAttributeMax) {
      note("cudaFuncSetAttribute", "thread block clusters are not supported");
      return cudaErrorNotSupported;
    }
    return cudaErrorInvalidValue;
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

// Deprecated since CUDA 10: doubles are kept as they are.
cudaError_t cudaSetDoubleForDevice(double* d) { return remember(d ? cudaSuccess : cudaErrorInvalidValue); }
cudaError_t cudaSetDoubleForHost(double* d) { return remember(d ? cudaSuccess : cudaErrorInvalidValue); }

}  // namespace body
}  // namespace heddle::cudart
