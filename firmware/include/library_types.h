// SPDX-License-Identifier: Apache-2.0
// A name that programs include; the library types come with the libraries.
#if !defined(HEDDLE_LIBRARY_TYPES_H)
#define HEDDLE_LIBRARY_TYPES_H

#include "driver_types.h"

#endif  // HEDDLE_LIBRARY_TYPES_H
