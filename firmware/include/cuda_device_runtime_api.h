// SPDX-License-Identifier: Apache-2.0
// Runtime functions that device code may call are declared with the others.
#if !defined(HEDDLE_CUDA_DEVICE_RUNTIME_API_H)
#define HEDDLE_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime_api.h"

#endif  // HEDDLE_CUDA_DEVICE_RUNTIME_API_H
