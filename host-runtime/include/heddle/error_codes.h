// SPDX-License-Identifier: Apache-2.0
// CUDA's error codes, named as in the runtime API, without its "cudaError".
#pragma once

namespace heddle {

enum class Code : int {
  Success = 0,
#define HEDDLE_ERROR(number, name, driver_name, text) name = number,
#define HEDDLE_RUNTIME_ERROR(number, name, text) name = number,
#include "firmware/include/crt/errors.def"
};

}  // namespace heddle
