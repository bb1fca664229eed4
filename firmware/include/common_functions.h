// SPDX-License-Identifier: Apache-2.0
// A name that programs include; clang's wrapper has brought the contents already.
#if !defined(HEDDLE_COMMON_FUNCTIONS_H)
#define HEDDLE_COMMON_FUNCTIONS_H

#include "cuda_runtime.h"

#endif  // HEDDLE_COMMON_FUNCTIONS_H
