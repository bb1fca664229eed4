// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA has and this library refuses: each says so by name, once, and returns
// cudaErrorNotSupported, so that a program that asks and goes on without still works.
#include "host-runtime/runtime/state.h"

using namespace heddle::cudart;

namespace {

cudaError_t refuse(const char* function, const char* what) {
  return api([&](State& state) {
    if (state.refused.insert(function).second) note(function, std::string(what) + " not supported");
    return cudaErrorNotSupported;
  });
}

}  // namespace

// HEDDLE_REFUSE(name, what, parameters)
#define HEDDLE_REFUSE(name, what, ...) \
  extern "C" cudaError_t name(__VA_ARGS__) { return refuse(#name, what); }
#include "host-runtime/runtime/unsupported.def"
#undef HEDDLE_REFUSE

extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
