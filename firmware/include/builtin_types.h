// SPDX-License-Identifier: Apache-2.0
// All built-in types: vectors, the runtime's types.
#if !defined(HEDDLE_BUILTIN_TYPES_H)
#define HEDDLE_BUILTIN_TYPES_H

#include "device_types.h"
#include "driver_types.h"
#include "vector_types.h"

#endif  // HEDDLE_BUILTIN_TYPES_H
