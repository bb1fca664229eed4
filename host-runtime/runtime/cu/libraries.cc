// SPDX-License-Identifier: Apache-2.0
// Libraries of kernels, of both APIs.
#include "host-runtime/runtime/libraries.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "host-runtime/runtime/cu/jit_options.h"

namespace heddle::cudart::cu {

namespace {

// A library without a name of itself: f(State&, Library&).
template <typename F>
CUresult with_library(CUlibrary handle, F&& f) {
  return call([&](State& state) -> cudaError_t {
    Library* library = state.library(handle);
    return library ? f(state, *library) : cudaErrorInvalidResourceHandle;
  });
}

// A kernel, without a context: f(State&, const LibraryKernel&).
template <typename F>
CUresult with_kernel(CUkernel handle, F&& f) {
  return call([&](State& state) -> cudaError_t {
    const auto found = state.kernels.find(handle);
    return found != state.kernels.end() ? f(state, found->second) : cudaErrorInvalidResourceHandle;
  });
}

// The context in which a library is loaded is current meanwhile, where none is.
class InSomeContext {
 public:
  explicit InSomeContext(CUlibrary handle) {
    (void)call([&](State& state) {
      Library* library = state.library(handle);
      if (library && !state.contexts.current() && !library->modules.empty()) {
        const CUcontext owner = library->modules.begin()->first;
        state.contexts.push(owner ? owner : state.contexts.primary());
        pushed_ = true;
      }
      return cudaSuccess;
    });
  }
  ~InSomeContext() {
    if (!pushed_) return;
    (void)call([](State& state) {
      (void)state.contexts.pop();
      return cudaSuccess;
    });
  }
  InSomeContext(const InSomeContext&) = delete;
  InSomeContext& operator=(const InSomeContext&) = delete;

 private:
  bool pushed_ = false;
};

// The kernel as a function of the current context.
CUresult function_of(CUkernel kernel, CUfunction& out) {
  return call_in_context([&](State& state, driver::Context&) {
    auto function = state.kernel_function(kernel);
    if (function) out = *function;
    return code(function);
  });
}

CUlibrary library_of(CUkernel kernel) {
  CUlibrary library = nullptr;
  (void)with_kernel(kernel, [&](State&, const LibraryKernel& k) {
    library = k.library;
    return cudaSuccess;
  });
  return library;
}

CUresult check_device(CUdevice device) {
  return call_on(device, [](State&, const Preset&) { return cudaSuccess; });
}

// `image` is read now; what is wrong with it is said when it is used.
CUresult load(CUlibrary* out, const void* image, const std::string& name, CUjit_option* names, void** values,
              unsigned count, CUlibraryOption* library_names, void** library_values, unsigned library_count) {
  JitOptions options;
  return call([&](State& state) -> cudaError_t {
    if (!out || !image || (library_count && (!library_names || !library_values))) return cudaErrorInvalidValue;
    if (const cudaError_t error = read_options(count, names, values, options); error != cudaSuccess) return error;
    auto preset = state.preset();
    if (!preset) return code(preset.error());
    std::optional<Result<formats::Cubin>> read;
    state.apart([&] { read = load_image(image, name, **preset, options.jit); });
    options.info.put(options.jit.warnings);
    options.error.put(*read ? "" : read->error().message());
    Library library;
    if (*read) library.image = std::move(**read);
    else library.failure = read->error();
    *out = new_handle<CUlibrary>();
    state.libraries.emplace(*out, std::move(library));
    return cudaSuccess;
  });
}

}  // namespace

namespace body {

CUresult cuLibraryLoadData(CUlibrary* out, const void* image, CUjit_option* names, void** values, unsigned count,
                           CUlibraryOption* library_names, void** library_values, unsigned library_count) {
  return load(out, image, "ptx input", names, values, count, library_names, library_values, library_count);
}
CUresult cuLibraryLoadFromFile(CUlibrary* out, const char* file, CUjit_option* names, void** values, unsigned count,
                               CUlibraryOption* library_names, void** library_values, unsigned library_count) {
  if (!out || !file) return CUDA_ERROR_INVALID_VALUE;
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in && text.empty()) return call([](State&) { return cudaErrorFileNotFound; });
  return load(out, text.c_str(), file, names, values, count, library_names, library_values, library_count);
}
CUresult cuLibraryUnload(CUlibrary handle) {
  return with_library(handle, [&](State& state, Library&) {
    state.unload_library(handle);
    return cudaSuccess;
  });
}

CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary handle, const char* name) {
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  return with_library(handle, [&](State& state, Library& library) -> cudaError_t {
    if (library.failure) return explained("cuLibraryGetKernel", *library.failure);
    CUkernel const found = state.library_kernel(handle, name);
    if (!found) return cudaErrorSymbolNotFound;
    *out = found;
    return cudaSuccess;
  });
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  return with_library(handle, [&](State&, Library& library) {
    if (library.failure) return explained("cuLibraryGetKernelCount", *library.failure);
    *count = static_cast<unsigned>(library.image->kernels.size());
    return cudaSuccess;
  });
}
CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned count, CUlibrary handle) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  return with_library(handle, [&](State& state, Library& library) {
    if (library.failure) return explained("cuLibraryEnumerateKernels", *library.failure);
    const auto& kernels = library.image->kernels;
    for (size_t i = 0; i < std::min<size_t>(count, kernels.size()); ++i)
      out[i] = state.library_kernel(handle, kernels[i].name);
    return cudaSuccess;
  });
}

CUresult cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult there = with_library(handle, [](State&, Library&) { return cudaSuccess; }); there != CUDA_SUCCESS)
    return there;
  return call_in_context([&](State& state, driver::Context&) -> cudaError_t {
    auto binary = state.library_module(handle);
    if (!binary) return explained("cuLibraryGetModule", binary.error());
    *out = state.module_handle(**binary);
    return cudaSuccess;
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary handle, const char* name) {
  if (!name || (!address && !bytes)) return CUDA_ERROR_INVALID_VALUE;
  CUmodule module = nullptr;
  const CUresult loaded = body::cuLibraryGetModule(&module, handle);
  return loaded == CUDA_SUCCESS ? body::cuModuleGetGlobal_v2(address, bytes, module, name) : loaded;
}
// Each context has its own.
CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary handle, const char* name) {
  if (!name || (!address && !bytes)) return CUDA_ERROR_INVALID_VALUE;
  const InSomeContext context(handle);
  const CUresult found = with_library(handle, [&](State&, Library& library) -> cudaError_t {
    if (library.failure) return explained("cuLibraryGetManaged", *library.failure);
    const formats::CubinVariable* variable = library.image->find_variable(name);
    return variable && variable->managed ? cudaSuccess : cudaErrorSymbolNotFound;
  });
  return found == CUDA_SUCCESS ? body::cuLibraryGetGlobal(address, bytes, handle, name) : found;
}

CUresult cuKernelGetFunction(CUfunction* out, CUkernel kernel) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!library_of(kernel)) return call([](State&) { return cudaErrorInvalidResourceHandle; });
  return function_of(kernel, *out);
}
CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel kernel) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  return with_kernel(kernel, [&](State&, const LibraryKernel& k) {
    *out = k.library;
    return cudaSuccess;
  });
}
CUresult cuKernelGetName(const char** out, CUkernel kernel) {
  if (!out || !kernel) return CUDA_ERROR_INVALID_VALUE;
  return with_kernel(kernel, [&](State&, const LibraryKernel& k) {
    *out = k.name.c_str();
    return cudaSuccess;
  });
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  CUfunction function = nullptr;
  if (!kernel || !offset) return CUDA_ERROR_INVALID_VALUE;
  const CUresult found = body::cuKernelGetFunction(&function, kernel);
  return found == CUDA_SUCCESS ? body::cuFuncGetParamInfo(function, index, offset, bytes) : found;
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult there = check_device(device); there != CUDA_SUCCESS) return there;
  const InSomeContext context(library_of(kernel));
  CUfunction function = nullptr;
  const CUresult found = body::cuKernelGetFunction(&function, kernel);
  return found == CUDA_SUCCESS ? body::cuFuncGetAttribute(value, attribute, function) : found;
}
// Of the current context's function.
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  if (const CUresult there = check_device(device); there != CUDA_SUCCESS) return there;
  const InSomeContext context(library_of(kernel));
  CUfunction function = nullptr;
  const CUresult found = body::cuKernelGetFunction(&function, kernel);
  return found == CUDA_SUCCESS ? body::cuFuncSetAttribute(function, attribute, value) : found;
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  if (const CUresult there = check_device(device); there != CUDA_SUCCESS) return there;
  const InSomeContext context(library_of(kernel));
  CUfunction function = nullptr;
  const CUresult found = body::cuKernelGetFunction(&function, kernel);
  return found == CUDA_SUCCESS ? body::cuFuncSetCacheConfig(function, config) : found;
}

}  // namespace body
}  // namespace heddle::cudart::cu

// ---- the same of the runtime: the codes have the same numbers ----
namespace heddle::cudart::body {
namespace {

cudaError_t of(CUresult result) { return remember(static_cast<cudaError_t>(result)); }
CUjit_option* options(cudaJitOption* names) { return reinterpret_cast<CUjit_option*>(names); }
CUlibraryOption* options(cudaLibraryOption* names) { return reinterpret_cast<CUlibraryOption*>(names); }
CUdeviceptr* device_pointer(void** p) { return reinterpret_cast<CUdeviceptr*>(p); }

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* image, cudaJitOption* names, void** values,
                                unsigned count, cudaLibraryOption* library_names, void** library_values,
                                unsigned library_count) {
  return of(cu::body::cuLibraryLoadData(library, image, options(names), values, count, options(library_names),
                                        library_values, library_count));
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* file, cudaJitOption* names, void** values,
                                    unsigned count, cudaLibraryOption* library_names, void** library_values,
                                    unsigned library_count) {
  return of(cu::body::cuLibraryLoadFromFile(library, file, options(names), values, count, options(library_names),
                                            library_values, library_count));
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) { return of(cu::body::cuLibraryUnload(library)); }
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return of(cu::body::cuLibraryGetKernel(kernel, library, name));
}
cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return of(cu::body::cuLibraryGetGlobal(device_pointer(address), bytes, library, name));
}
cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return of(cu::body::cuLibraryGetManaged(device_pointer(address), bytes, library, name));
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return of(cu::body::cuLibraryGetKernelCount(count, library));
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return of(cu::body::cuLibraryEnumerateKernels(kernels, count, library));
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int device) {
  return of(cu::body::cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel, device));
}

}  // namespace heddle::cudart::body
