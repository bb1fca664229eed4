// SPDX-License-Identifier: Apache-2.0
// A name that programs include; the contents are in driver_types.h.
#if !defined(__SURFACE_TYPES_H__)
#define __SURFACE_TYPES_H__

#include "driver_types.h"

#endif  // __SURFACE_TYPES_H__
