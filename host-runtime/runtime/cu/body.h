// SPDX-License-Identifier: Apache-2.0
// What the driver API's functions do, each under its symbol's name in namespace body; as host-runtime/runtime/body.h.
#pragma once

#define __CUDA_API_VERSION_INTERNAL  // first versions' names are their own
#include "cuda.h"

namespace heddle::cudart::cu {

// CUDA_ERROR_…, or a text that says that it is none.
const char* error_name(CUresult error);

namespace body {

#define BUILT(name, variant, result, parameters, arguments) result name parameters;
#include "host-runtime/runtime/cu/functions.def"

}  // namespace body
}  // namespace heddle::cudart::cu
