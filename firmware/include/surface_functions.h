// SPDX-License-Identifier: Apache-2.0
// A name that programs include.
#if !defined(HEDDLE_SURFACE_FUNCTIONS_H)
#define HEDDLE_SURFACE_FUNCTIONS_H

#include "surface_types.h"

#endif  // HEDDLE_SURFACE_FUNCTIONS_H
