// SPDX-License-Identifier: Apache-2.0
// A name that programs include; clang's wrapper has brought the contents already.
#if !defined(HEDDLE_DEVICE_FUNCTIONS_H)
#define HEDDLE_DEVICE_FUNCTIONS_H

#include "cuda_runtime.h"

#endif  // HEDDLE_DEVICE_FUNCTIONS_H
