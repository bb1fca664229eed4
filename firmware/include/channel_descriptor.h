// SPDX-License-Identifier: Apache-2.0
// A name that programs include; the contents are in cuda_runtime_api.h.
#if !defined(__CHANNEL_DESCRIPTOR_H__)
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#endif  // __CHANNEL_DESCRIPTOR_H__
