// SPDX-License-Identifier: Apache-2.0
// Between the driver API and what both APIs share, which speaks the runtime's types.
#pragma once

#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/cu/body.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart::cu {

namespace runtime = heddle::cudart::body;  // the shared bodies

// The numbers are the same where both APIs have the error.
CUresult result(cudaError_t error);

inline void* pointer(CUdeviceptr p) { return reinterpret_cast<void*>(p); }
inline void** pointer(CUdeviceptr* p) { return reinterpret_cast<void**>(p); }

// A call that needs no context: f(State&).
template <typename F>
CUresult call(F&& f) {
  return result(api(f));
}
// One that needs the current context: f(State&, driver::Context&).
template <typename F>
CUresult call_in_context(F&& f) {
  return result(with_context(f));
}
// One that needs the device, of which there is one: f(State&, const Preset&).
template <typename F>
CUresult call_on(CUdevice device, F&& f) {
  return call([&](State& state) -> cudaError_t {
    auto preset = state.preset();
    if (!preset) return code(preset.error());
    if (device != 0) return cudaErrorInvalidDevice;
    return f(state, **preset);
  });
}

}  // namespace heddle::cudart::cu
