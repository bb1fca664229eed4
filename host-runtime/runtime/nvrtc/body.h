// SPDX-License-Identifier: Apache-2.0
// What NVRTC's functions do, each under its name in namespace body; as host-runtime/runtime/body.h.
#pragma once

#include "nvrtc.h"

namespace heddle::cudart::nvrtc {

// NVRTC_ERROR_…, or a text that says that it is none.
const char* error_name(nvrtcResult result);

namespace body {

#define BUILT(name, variant, result, parameters, arguments) result name parameters;
#include "host-runtime/runtime/nvrtc/functions.def"

}  // namespace body
}  // namespace heddle::cudart::nvrtc
