// SPDX-License-Identifier: Apache-2.0
// The same checks under CUDA's internal path.
#if !defined(HEDDLE_CRT_HOST_CONFIG_H)
#define HEDDLE_CRT_HOST_CONFIG_H

#include "../host_config.h"

#endif  // HEDDLE_CRT_HOST_CONFIG_H
