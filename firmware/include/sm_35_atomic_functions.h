// SPDX-License-Identifier: Apache-2.0
// A name that programs include; clang's wrapper has brought the contents already.
#if !defined(HEDDLE_SM_35_ATOMIC_FUNCTIONS_H)
#define HEDDLE_SM_35_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif  // HEDDLE_SM_35_ATOMIC_FUNCTIONS_H
