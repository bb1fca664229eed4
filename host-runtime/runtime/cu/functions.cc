// SPDX-License-Identifier: Apache-2.0
// Functions of modules: launches, attributes, occupancy.
#include <algorithm>
#include <cstring>
#include <optional>

#include "host-runtime/runtime/cu/calls.h"
#include "host-runtime/runtime/launches.h"

namespace heddle::cudart::cu {

namespace {

constexpr int kMaxBlock = 1024, kLastAttribute = 16;  // of CUDA 13

template <typename F>
CUresult with_function(CUfunction handle, F&& f) {
  if (!handle) return call([](State&) { return cudaErrorInvalidResourceHandle; });
  return call_in_context([&](State& state, driver::Context&) -> cudaError_t {
    auto function = state.function(handle);
    return function ? f(state, **function) : code(function.error());
  });
}

// Arguments are a list, or a block that `extra` tells of; nothing: the function has none.
std::optional<Arguments> arguments_of(void** list, void** extra) {
  Arguments arguments{.list = list};
  if (!extra) return arguments;
  if (list) return std::nullopt;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) arguments.block = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1]) arguments.bytes = *static_cast<const size_t*>(extra[1]);
    else return std::nullopt;
  }
  return arguments;
}

// The same structure under the runtime's names.
cudaLaunchConfig_t of_runtime(const CUlaunchConfig& c) {
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(c.gridDimX, c.gridDimY, c.gridDimZ);
  config.blockDim = dim3(c.blockDimX, c.blockDimY, c.blockDimZ);
  config.dynamicSmemBytes = c.sharedMemBytes;
  config.stream = c.hStream;
  config.attrs = reinterpret_cast<cudaLaunchAttribute*>(c.attrs);
  config.numAttrs = c.numAttrs;
  return config;
}

// By the block's shape and the parameters that earlier calls left with the function.
CUresult launch_configured(CUfunction handle, int width, int height, CUstream stream) {
  driver::LaunchShape shape;
  std::vector<uint8_t> block;
  const CUresult found = with_function(handle, [&](State&, const Function& f) {
    if (width <= 0 || height <= 0) return cudaErrorInvalidValue;
    shape = {{static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1}, f.block, f.dynamic_shared};
    block = f.parameters;
    return cudaSuccess;
  });
  if (found != CUDA_SUCCESS) return found;
  return result(launch("cuLaunch", handle, shape, {nullptr, block.data(), block.size()}, stream));
}

CUresult set_parameter(CUfunction handle, int offset, const void* from, size_t bytes) {
  return with_function(handle, [&](State&, Function& f) {
    if (!from || offset < 0 || offset + bytes > f.kernel->info->param_bytes) return cudaErrorInvalidValue;
    f.parameters.resize(std::max(f.parameters.size(), offset + bytes));
    std::memcpy(f.parameters.data() + offset, from, bytes);
    return cudaSuccess;
  });
}

}  // namespace

namespace body {

CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** list,
                        void** extra) {
  const auto arguments = arguments_of(list, extra);
  if (!arguments) return CUDA_ERROR_INVALID_VALUE;
  return result(launch("cuLaunchKernel", f, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes},
                       *arguments, stream));
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void** list) {
  return result(launch("cuLaunchCooperativeKernel", f,
                       {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, true}, {list}, stream));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** list, void** extra) {
  const auto arguments = arguments_of(list, extra);
  if (!config || !arguments) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; config->attrs && i < config->numAttrs; ++i)
    if (config->attrs[i].id < 0 || config->attrs[i].id > kLastAttribute) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = of_runtime(*config);
  if (!is_complete(&same)) return CUDA_ERROR_INVALID_VALUE;
  return result(launch("cuLaunchKernelEx", f, shape_of(same), *arguments, same.stream));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return result(runtime::cudaLaunchHostFunc(stream, function, data));
}

// ---- launches in steps, as before CUDA 4 ----
CUresult cuFuncSetBlockShape(CUfunction handle, int x, int y, int z) {
  return with_function(handle, [&](State&, Function& f) {
    if (x <= 0 || y <= 0 || z <= 0 || x > kMaxBlock || y > kMaxBlock || z > kMaxBlock) return cudaErrorInvalidValue;
    f.block = {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
    return cudaSuccess;
  });
}
CUresult cuFuncSetSharedSize(CUfunction handle, unsigned bytes) {
  return with_function(handle, [&](State& state, Function& f) {
    const auto preset = state.preset();
    if (!preset || bytes > static_cast<uint64_t>((*preset)->limits.shared_per_block_optin))
      return cudaErrorInvalidValue;
    f.dynamic_shared = bytes;
    return cudaSuccess;
  });
}
CUresult cuParamSetSize(CUfunction handle, unsigned bytes) {
  return with_function(handle, [&](State&, Function& f) {
    if (bytes > f.kernel->info->param_bytes) return cudaErrorInvalidValue;
    f.parameters.resize(bytes);
    return cudaSuccess;
  });
}
CUresult cuParamSeti(CUfunction handle, int offset, unsigned value) {
  return set_parameter(handle, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction handle, int offset, float value) {
  return set_parameter(handle, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction handle, int offset, void* from, unsigned bytes) {
  return set_parameter(handle, offset, from, bytes);
}
CUresult cuLaunch(CUfunction f) { return launch_configured(f, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction f, int width, int height) { return launch_configured(f, width, height, nullptr); }
CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream) {
  return launch_configured(f, width, height, stream);
}

// ---- attributes ----
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (!handle) return call([](State&) { return cudaErrorInvalidResourceHandle; });
  cudaFuncAttributes a;
  if (const cudaError_t error = runtime::cudaFuncGetAttributes(&a, handle); error != cudaSuccess) return result(error);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(a.sharedSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = static_cast<int>(a.constSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(a.localSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = a.cacheModeCA; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = a.maxDynamicSharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = a.preferredShmemCarveout; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = a.clusterDimMustBeSet; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = a.requiredClusterWidth; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = a.requiredClusterHeight; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = a.requiredClusterDepth; break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = a.nonPortableClusterSizeAllowed; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *value = a.clusterSchedulingPolicyPreference; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  return result(runtime::cudaFuncSetAttribute(handle, static_cast<cudaFuncAttribute>(attribute), value));
}
CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  return result(runtime::cudaFuncSetCacheConfig(handle, static_cast<cudaFuncCache>(config)));
}
CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
    return CUDA_ERROR_INVALID_VALUE;
  return result(runtime::cudaFuncSetSharedMemConfig(handle, static_cast<cudaSharedMemConfig>(config)));
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](State& state, Function& f) {
    if (!module) return cudaErrorInvalidValue;
    *module = state.module_handle(*f.binary);
    return cudaSuccess;
  });
}
CUresult cuFuncGetName(const char** name, CUfunction handle) {
  return handle ? result(runtime::cudaFuncGetName(name, handle)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* bytes) {
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  return result(runtime::cudaFuncGetParamInfo(handle, index, offset, bytes));
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState* loaded, CUfunction handle) {
  return with_function(handle, [&](State&, Function&) {
    if (!loaded) return cudaErrorInvalidValue;
    *loaded = CU_FUNCTION_LOADING_STATE_LOADED;
    return cudaSuccess;
  });
}
CUresult cuFuncLoad(CUfunction handle) {
  return with_function(handle, [](State&, Function&) { return cudaSuccess; });
}

// ---- occupancy ----
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction f, int threads, size_t dynamic) {
  return result(runtime::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, dynamic));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction f, int threads, size_t dynamic,
                                                              unsigned flags) {
  return result(runtime::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, dynamic, flags));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction f, int blocks, int threads) {
  return result(runtime::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}

// The largest of the block sizes, multiples of a warp, that keep the most threads resident.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction f, CUoccupancyB2DSize shared_of,
                                                   size_t shared, int limit, unsigned flags) {
  if (!grid || !block || limit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) return CUDA_ERROR_INVALID_VALUE;
  int most = 0, sms = 0, warp = 0;
  CUresult error = body::cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
  if (error == CUDA_SUCCESS) error = body::cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
  if (error == CUDA_SUCCESS) error = body::cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
  if (error != CUDA_SUCCESS) return error;
  if (limit > 0) most = std::min(most, limit);
  int best_threads = 0;
  *grid = *block = 0;
  for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    const int size = std::min(threads, most);
    int blocks = 0;
    error = body::cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, size, shared_of ? shared_of(size) : shared);
    if (error != CUDA_SUCCESS) return error;
    if (blocks * size > best_threads) best_threads = blocks * size, *block = size, *grid = blocks * sms;
  }
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction f, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit) {
  return body::cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared_of, shared, limit,
                                                         CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction f, const CUlaunchConfig* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = of_runtime(*config);
  return result(runtime::cudaOccupancyMaxActiveClusters(clusters, f, &same));
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction f, const CUlaunchConfig* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = of_runtime(*config);
  return result(runtime::cudaOccupancyMaxPotentialClusterSize(size, f, &same));
}

}  // namespace body
}  // namespace heddle::cudart::cu
