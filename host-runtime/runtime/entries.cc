// SPDX-License-Identifier: Apache-2.0
// The exported names of what is built, made from the three functions.def. Variants are for programs with a default
// stream for each thread (CUDA_API_PER_THREAD_DEFAULT_STREAM, see crt/per_thread_stream.h): there no stream means
// cudaStreamPerThread.
#include <type_traits>

#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/call_log.h"
#include "host-runtime/runtime/cu/body.h"
#include "host-runtime/runtime/nvrtc/body.h"
#include "host-runtime/runtime/state.h"

using heddle::cudart::DriverCall;
using heddle::cudart::named;
using heddle::cudart::OwnDefaultStream;
namespace body = heddle::cudart::body;
namespace cu = heddle::cudart::cu;
namespace nvrtc = heddle::cudart::nvrtc;

// Each is declared as its row says; one is declared under its newer name only.
extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device);
#define BUILT(name, variant, result, parameters, arguments) \
  static_assert(std::is_same_v<decltype(&::name), result(*) parameters>, #name);
#include "host-runtime/runtime/functions.def"
#define BUILT(name, variant, result, parameters, arguments) \
  static_assert(std::is_same_v<decltype(&::name), result(*) parameters>, #name);
#include "host-runtime/runtime/cu/functions.def"
#define BUILT(name, variant, result, parameters, arguments) \
  static_assert(std::is_same_v<decltype(&::name), result(*) parameters>, #name);
#include "host-runtime/runtime/nvrtc/functions.def"

#define AFTER_NAME(...) __VA_OPT__(, ) __VA_ARGS__
#define ENTRY(symbol, first, body, name, result, parameters, arguments) \
  extern "C" result symbol parameters { first return heddle::cudart::call(#symbol, body::name AFTER_NAME arguments); }

#define ENTRY_None(...)
#define ENTRY_Ptsz(name, ...) ENTRY(name##_ptsz, const OwnDefaultStream own;, body, name, __VA_ARGS__)
#define ENTRY_Ptds(name, ...) ENTRY(name##_ptds, const OwnDefaultStream own;, body, name, __VA_ARGS__)
#define BUILT(name, variant, result, parameters, arguments) \
  ENTRY(name, , body, name, result, parameters, arguments)  \
  ENTRY_##variant(name, result, parameters, arguments)
#define COMPILER BUILT
#include "host-runtime/runtime/functions.def"

// The driver API's.
#define DRIVER_ENTRY(symbol, stream, ...) ENTRY(symbol, const DriverCall driver(#symbol); stream, cu::body, __VA_ARGS__)
#define DRIVER_ENTRY_None(...)
#define DRIVER_ENTRY_Ptsz(name, ...) DRIVER_ENTRY(name##_ptsz, const OwnDefaultStream own;, name, __VA_ARGS__)
#define DRIVER_ENTRY_Ptds(name, ...) DRIVER_ENTRY(name##_ptds, const OwnDefaultStream own;, name, __VA_ARGS__)
#define BUILT(name, variant, result, parameters, arguments) \
  DRIVER_ENTRY(name, , name, result, parameters, arguments) \
  DRIVER_ENTRY_##variant(name, result, parameters, arguments)
#include "host-runtime/runtime/cu/functions.def"

// NVRTC's.
#define BUILT(name, variant, result, parameters, arguments) \
  ENTRY(name, , nvrtc::body, name, result, parameters, arguments)
#include "host-runtime/runtime/nvrtc/functions.def"
