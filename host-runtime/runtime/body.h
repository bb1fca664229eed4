// SPDX-License-Identifier: Apache-2.0
// What the API's functions do, each under its name in namespace body. Programs call the exported ones (entries.cc),
// which the library's own code never does: calls of its own are not in the log.
#pragma once

#include "cuda_runtime_api.h"
#undef cudaGetDeviceProperties  // here it is CUDA 11's, as in the libraries

namespace heddle::cudart::body {

#define BUILT(name, variant, result, parameters, arguments) result name parameters;
#define COMPILER BUILT
#include "host-runtime/runtime/functions.def"

}  // namespace heddle::cudart::body
