// SPDX-License-Identifier: Apache-2.0
// A name of CUDA's internal layout.
#if !defined(HEDDLE_CRT_MATH_FUNCTIONS_H)
#define HEDDLE_CRT_MATH_FUNCTIONS_H

#include "../math_functions.h"

#endif  // HEDDLE_CRT_MATH_FUNCTIONS_H
