// SPDX-License-Identifier: Apache-2.0
// Modules that programs load by themselves, with the options of the compiler.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host-runtime/runtime/cu/jit_options.h"

namespace heddle::cudart::cu {

namespace {

// `image` is read without the lock.
CUresult load(CUmodule* out, const void* image, const std::string& name, JitOptions& o) {
  return call_in_context([&](State& state, driver::Context&) -> cudaError_t {
    if (!out || !image) return cudaErrorInvalidValue;
    const auto began = std::chrono::steady_clock::now();
    auto module = state.load_module([&](const Preset& preset) { return load_image(image, name, preset, o.jit); });
    if (o.milliseconds)
      *o.milliseconds = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - began).count();
    o.info.put(o.jit.warnings);
    o.error.put(module ? "" : module.error().message());
    if (!module) return o.error.to ? code(module.error()) : explained("cuModuleLoadData", module.error());
    *out = *module;
    return cudaSuccess;
  });
}

template <typename F>
CUresult with_module(CUmodule handle, F&& f) {
  if (!handle) return call([](State&) { return cudaErrorInvalidResourceHandle; });
  return call_in_context([&](State& state, driver::Context&) -> cudaError_t {
    FatBinary* module = state.module(handle);
    if (!module) return cudaErrorInvalidResourceHandle;
    return f(state, *module);
  });
}

}  // namespace

namespace body {

CUresult cuModuleLoad(CUmodule* out, const char* file) {
  JitOptions options;
  std::string text;
  const CUresult read = call_in_context([&](State&, driver::Context&) -> cudaError_t {
    if (!out || !file) return cudaErrorInvalidValue;
    std::error_code none;
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file, none)) return cudaErrorFileNotFound;
    text.assign(std::istreambuf_iterator<char>(in), {});
    return cudaSuccess;
  });
  return read == CUDA_SUCCESS ? load(out, text.c_str(), file, options) : read;
}

CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned count, CUjit_option* names, void** values) {
  JitOptions options;
  const CUresult read = call([&](State&) { return read_options(count, names, values, options); });
  return read == CUDA_SUCCESS ? load(out, image, "ptx input", options) : read;
}
CUresult cuModuleLoadData(CUmodule* out, const void* image) {
  return body::cuModuleLoadDataEx(out, image, 0, nullptr, nullptr);
}
CUresult cuModuleLoadFatBinary(CUmodule* out, const void* image) { return body::cuModuleLoadData(out, image); }

CUresult cuModuleUnload(CUmodule handle) {
  const CUresult own = call([&](State& state) {
    const FatBinary* module = state.module(handle);
    return module && module->of_library ? cudaErrorNotPermitted : cudaSuccess;
  });
  if (own != CUDA_SUCCESS) return own;
  return with_module(handle, [&](State& state, FatBinary& module) -> cudaError_t {
    if (!module.of_driver) return cudaErrorNotPermitted;  // the program's own code
    state.unload_module(handle);
    return cudaSuccess;
  });
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
  return with_module(handle, [&](State& state, FatBinary& module) -> cudaError_t {
    if (!out || !name || !*name) return cudaErrorInvalidValue;
    CUfunction found = state.module_function(module, name);
    if (!found) return cudaErrorSymbolNotFound;
    *out = found;
    return cudaSuccess;
  });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  return with_module(handle, [&](State&, FatBinary& module) {
    if (!count) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(module.module->cubin().kernels.size());
    return cudaSuccess;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* out, unsigned count, CUmodule handle) {
  return with_module(handle, [&](State& state, FatBinary& module) {
    if (!out && count) return cudaErrorInvalidValue;
    const auto& kernels = module.module->cubin().kernels;
    for (unsigned i = 0; i < std::min<size_t>(count, kernels.size()); ++i)
      out[i] = state.module_function(module, kernels[i].name);
    return cudaSuccess;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  return with_module(handle, [&](State& state, FatBinary& module) -> cudaError_t {
    if (!name || (!address && !bytes)) return cudaErrorInvalidValue;
    const driver::Variable* found = module.module->variable(name);
    if (!found) return cudaErrorSymbolNotFound;
    const void* managed = state.managed_variable(module, name);
    if (address) *address = managed ? reinterpret_cast<CUdeviceptr>(managed) : found->address;
    if (bytes) *bytes = found->bytes;
    return cudaSuccess;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return call([&](State&) {
    if (!mode) return cudaErrorInvalidValue;
    *mode = CU_MODULE_EAGER_LOADING;
    return cudaSuccess;
  });
}

}  // namespace body
}  // namespace heddle::cudart::cu
