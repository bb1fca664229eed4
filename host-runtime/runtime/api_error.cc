// SPDX-License-Identifier: Apache-2.0
// Errors, refusals, versions.
#include "host-runtime/runtime/refusal.h"
#include "host-runtime/runtime/state.h"
#include "host-runtime/runtime/version.h"

using heddle::cudart::api;
using heddle::cudart::State;

int heddle::cudart::refuse(const char* function, const char* what) noexcept {
  return api([&](State& state) {
    if (state.refused.insert(function).second) note(function, std::string(what) + " not supported");
    return cudaErrorNotSupported;
  });
}

namespace {

constexpr const char* kUnrecognized = "unrecognized error code";

cudaError_t say_version(int* out, int version) {
  return api(
      [&](State&) {
        if (!out) return cudaErrorInvalidValue;
        *out = version;
        return cudaSuccess;
      },
      heddle::cudart::Allow::Always);
}

}  // namespace

extern "C" {

// Neither takes the lock: they only look at this thread, and handlers call them.
cudaError_t cudaGetLastError() { return heddle::cudart::last_error(true); }
cudaError_t cudaPeekAtLastError() { return heddle::cudart::last_error(false); }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define HEDDLE_CUDA_ERROR(name, text) \
  case name:                          \
    return #name;
#include "host-runtime/runtime/errors.def"
#undef HEDDLE_CUDA_ERROR
  }
  return kUnrecognized;
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define HEDDLE_CUDA_ERROR(name, text) \
  case name:                          \
    return text;
#include "host-runtime/runtime/errors.def"
#undef HEDDLE_CUDA_ERROR
  }
  return kUnrecognized;
}

cudaError_t cudaDriverGetVersion(int* version) { return say_version(version, heddle::cudart::kDriverVersion); }
cudaError_t cudaRuntimeGetVersion(int* version) { return say_version(version, heddle::cudart::runtime_version()); }

cudaError_t cudaProfilerStart() {
  return api([](State&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return api([](State&) { return cudaSuccess; });
}

}  // extern "C"
