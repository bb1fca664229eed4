// SPDX-License-Identifier: Apache-2.0
// A name that programs include; the contents are in driver_types.h.
#if !defined(__TEXTURE_TYPES_H__)
#define __TEXTURE_TYPES_H__

#include "driver_types.h"

#endif  // __TEXTURE_TYPES_H__
