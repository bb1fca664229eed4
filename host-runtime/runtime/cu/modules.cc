// SPDX-License-Identifier: Apache-2.0
// Modules that programs load by themselves, with the options of the compiler.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host-runtime/runtime/cu/calls.h"
#include "host-runtime/runtime/load.h"

namespace heddle::cudart::cu {

namespace {

// A text that the program wants to have: where to, and where the bytes that were written are said.
struct Log {
  char* to = nullptr;
  size_t room = 0;
  void** written = nullptr;

  void put(const std::string& text) const {
    size_t bytes = 0;
    if (to && room) {
      bytes = std::min(text.size(), room - 1);
      std::memcpy(to, text.data(), bytes);
      to[bytes] = 0;
    }
    if (written) *written = reinterpret_cast<void*>(bytes);
  }
};

struct Options {
  Jit jit;
  Log info, error;
  float* milliseconds = nullptr;
  unsigned* threads = nullptr;
  bool verbose = false;
};

// An option's value is a pointer, or a number in a pointer's place. What is not here changes nothing.
cudaError_t read_options(unsigned count, const CUjit_option* names, void** values, Options& o) {
  if (count && (!names || !values)) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
    switch (names[i]) {
      case CU_JIT_MAX_REGISTERS: o.jit.max_registers = number; break;
      case CU_JIT_THREADS_PER_BLOCK: break;
      case CU_JIT_WALL_TIME: o.milliseconds = reinterpret_cast<float*>(&values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER: o.info.to = static_cast<char*>(values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        o.info.room = number;
        o.info.written = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER: o.error.to = static_cast<char*>(values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        o.error.room = number;
        o.error.written = &values[i];
        break;
      case CU_JIT_OPTIMIZATION_LEVEL: o.jit.optimization = std::min(number, 3u); break;
      case CU_JIT_LOG_VERBOSE: o.verbose = number != 0; break;
      default:
        if (names[i] < 0 || names[i] >= CU_JIT_NUM_OPTIONS) return cudaErrorInvalidValue;
    }
  }
  return cudaSuccess;
}

// `image` is read without the lock.
CUresult load(CUmodule* out, const void* image, const std::string& name, Options& o) {
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
  Options options;
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
  Options options;
  const CUresult read = call([&](State&) { return read_options(count, names, values, options); });
  return read == CUDA_SUCCESS ? load(out, image, "ptx input", options) : read;
}
CUresult cuModuleLoadData(CUmodule* out, const void* image) {
  return body::cuModuleLoadDataEx(out, image, 0, nullptr, nullptr);
}
CUresult cuModuleLoadFatBinary(CUmodule* out, const void* image) { return body::cuModuleLoadData(out, image); }

CUresult cuModuleUnload(CUmodule handle) {
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
