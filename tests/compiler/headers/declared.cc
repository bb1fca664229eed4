// SPDX-License-Identifier: Apache-2.0
// Every function of the runtime is declared, those that are built as their bodies are, those that are refused with some
// parameters.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <type_traits>

#define BUILT(name, variant, result, parameters, arguments) \
  static_assert(std::is_same_v<decltype(name), result parameters>);
#define REFUSED(name, variant, what) static_assert(std::is_function_v<decltype(name)>);
#include "host-runtime/runtime/functions.def"
#define BUILT(name, variant, result, parameters, arguments) \
  static_assert(std::is_same_v<decltype(name), result parameters>);
#include "host-runtime/runtime/nvrtc/functions.def"
