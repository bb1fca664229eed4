// SPDX-License-Identifier: Apache-2.0
// The same keywords under CUDA's internal path.
#if !defined(HEDDLE_CRT_HOST_DEFINES_H)
#define HEDDLE_CRT_HOST_DEFINES_H

#include "../host_defines.h"

#endif  // HEDDLE_CRT_HOST_DEFINES_H
