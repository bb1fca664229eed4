// SPDX-License-Identifier: Apache-2.0
// A name of CUDA's internal layout.
#if !defined(HEDDLE_CRT_DEVICE_FUNCTIONS_H)
#define HEDDLE_CRT_DEVICE_FUNCTIONS_H

#include "../device_functions.h"

#endif  // HEDDLE_CRT_DEVICE_FUNCTIONS_H
