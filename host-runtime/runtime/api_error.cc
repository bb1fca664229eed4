// SPDX-License-Identifier: Apache-2.0
// Errors, refusals, versions.
#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/call_log.h"
#include "host-runtime/runtime/refusal.h"
#include "host-runtime/runtime/state.h"
#include "host-runtime/runtime/version.h"

namespace heddle::cudart {

namespace {

cudaError_t refuse_once(const char* function, const char* what) {
  return api([&](State& state) {
    if (state.refused.insert(function).second) note(function, std::string(what) + " not supported");
    return cudaErrorNotSupported;
  });
}

void log_refusal(const char* symbol, const std::string& error) {
  log_call(symbol, "...", error, driver::Timeline::Clock::now());
}

}  // namespace

int refuse(const char* symbol, const char* function, const char* what) noexcept {
  const cudaError_t error = refuse_once(function, what);
  if (logs_calls()) log_refusal(symbol, text(error));
  return error;
}

int refuse_driver(const char* symbol, const char* function, const char* what) noexcept {
  const DriverCall driver(symbol);
  const auto error = static_cast<CUresult>(refuse_once(function, what));
  if (logs_calls()) log_refusal(symbol, text(error));
  return error;
}

namespace {

struct Words {
  const char *name, *text;
};

// clang-format off
Words words(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return {"cudaSuccess", "no error"};
#define HEDDLE_ERROR(number, name, driver_name, text) HEDDLE_RUNTIME_ERROR(number, name, text)
#define HEDDLE_RUNTIME_ERROR(number, name, text) case cudaError##name: return {"cudaError" #name, text};
#include "firmware/include/crt/errors.def"
  }
  return {"unrecognized error code", "unrecognized error code"};
}
// clang-format on

}  // namespace

cudaError_t say_version(int* out, int version) {
  return api(
      [&](State&) {
        if (!out) return cudaErrorInvalidValue;
        *out = version;
        return cudaSuccess;
      },
      Allow::Always);
}

namespace body {

// Neither takes the lock: they only look at this thread, and handlers call them.
cudaError_t cudaGetLastError() { return last_error(true); }
cudaError_t cudaPeekAtLastError() { return last_error(false); }

const char* cudaGetErrorName(cudaError_t error) { return words(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return words(error).text; }

cudaError_t cudaDriverGetVersion(int* version) { return say_version(version, kDriverVersion); }
cudaError_t cudaRuntimeGetVersion(int* version) { return say_version(version, CUDART_VERSION); }

cudaError_t cudaProfilerStart() {
  return api([](State&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return api([](State&) { return cudaSuccess; });
}

}  // namespace body
}  // namespace heddle::cudart
