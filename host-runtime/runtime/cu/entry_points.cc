// SPDX-License-Identifier: Apache-2.0
// Initialisation, errors, versions, and functions by their names.
#include <cctype>
#include <cstring>
#include <string>

#include "host-runtime/runtime/cu/calls.h"
#include "host-runtime/runtime/symbols.h"
#include "host-runtime/runtime/version.h"

namespace heddle::cudart::cu {

namespace {

struct Words {
  const char *name, *text;
};

// clang-format off
Words words(CUresult error) {
  switch (error) {
    case CUDA_SUCCESS: return {"CUDA_SUCCESS", "no error"};
#define HEDDLE_ERROR(number, name, driver_name, text) HEDDLE_DRIVER_ERROR(number, driver_name, text)
#define HEDDLE_DRIVER_ERROR(number, driver_name, text) case CUDA_ERROR_##driver_name: return {"CUDA_ERROR_" #driver_name, text};
#include "firmware/include/crt/errors.def"
  }
  return {nullptr, nullptr};
}
// clang-format on

CUresult say(const char* text, const char** out) {
  if (out) *out = text;
  return out && text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

struct Since {
  std::string_view name;
  int version;
  std::string_view symbol;
};
constexpr Since kSince[] = {
#define SINCE(name, version, symbol) {#name, version, #symbol},
#include "host-runtime/runtime/cu/functions.def"
};

constexpr int kFirstOfThreadStreams = 7000;  // default streams of threads
constexpr uint64_t kProcAddressFlags =
    CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

struct Found {
  bool known = false;       // a name of any version
  std::string_view symbol;  // what programs of that CUDA mean by it; none: it is newer
};
Found symbol_of(std::string_view name, int version) {
  Found found;
  int newest = 0;
  for (const Since& s : kSince) {
    if (s.name != name) continue;
    found.known = true;
    if (s.version <= version && s.version >= newest) newest = s.version, found.symbol = s.symbol;
  }
  return found;
}

// The form for default streams of threads; null: it has none.
void* of_thread_streams(std::string_view symbol) {
  void* found = nullptr;
  for (const char* suffix : {"_ptsz", "_ptds"})
    if (!found) found = exported_function(std::string(symbol) + suffix);
  return found;
}

}  // namespace

CUresult result(cudaError_t error) {
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  if (error == cudaErrorInvalidSymbol) return CUDA_ERROR_NOT_FOUND;
  const auto same = static_cast<CUresult>(error);
  return words(same).name ? same : CUDA_ERROR_INVALID_VALUE;
}

const char* error_name(CUresult error) {
  const char* name = words(error).name;
  return name ? name : "unrecognized error code";
}

CUdriverProcAddressQueryResult find_function(const char* name, int version, uint64_t flags, void** out) {
  *out = nullptr;
  const Found found = symbol_of(name, version);
  if (!found.known) return CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (found.symbol.empty()) return CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) {
    *out = of_thread_streams(found.symbol);
    if (version < kFirstOfThreadStreams && of_thread_streams(symbol_of(name, kDriverVersion).symbol)) {
      *out = nullptr;
      return CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    }
  }
  if (!*out) *out = exported_function(found.symbol);
  return CU_GET_PROC_ADDRESS_SUCCESS;
}

namespace body {

CUresult cuInit(unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  // Everything else of the driver API waits for this.
  if (forked()) return CUDA_ERROR_NOT_INITIALIZED;
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  if (auto preset = state.preset(); !preset) return cu::result(code(preset.error()));
  state.initialized = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) { return say(words(error).name, name); }
CUresult cuGetErrorString(CUresult error, const char** text) { return say(words(error).text, text); }

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  if (!symbol || !function || (flags & ~kProcAddressFlags) || version > kDriverVersion) return CUDA_ERROR_INVALID_VALUE;
  const auto found = find_function(symbol, version, flags, function);
  if (status) *status = found;
  return CUDA_SUCCESS;  // a null address says the rest
}
CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return body::cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

CUresult cuProfilerStart() {
  return call_in_context([](State&, driver::Context&) { return cudaSuccess; });
}
CUresult cuProfilerStop() {
  return call_in_context([](State&, driver::Context&) { return cudaSuccess; });
}

}  // namespace body
}  // namespace heddle::cudart::cu

namespace heddle::cudart::body {
namespace {

cudaError_t entry_point(const char* symbol, void** function, int version, unsigned long long flags,
                        cudaDriverEntryPointQueryResult* status) {
  return api([&](State&) -> cudaError_t {
    if (!symbol || !function || (flags & ~cu::kProcAddressFlags)) return cudaErrorInvalidValue;
    const auto found = cu::find_function(symbol, version, flags, function);
    if (status) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
    return found == CU_GET_PROC_ADDRESS_SUCCESS || status ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

}  // namespace

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, function, CUDART_VERSION, flags, status);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, function, static_cast<int>(version), flags, status);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return with_context([&](State& state, driver::Context&) -> cudaError_t {
    if (!function) return cudaErrorInvalidValue;
    auto known = state.function(symbol);
    if (!known) return code(known.error());
    *function = static_cast<cudaFunction_t>(const_cast<void*>(symbol));
    return cudaSuccess;
  });
}

}  // namespace heddle::cudart::body
