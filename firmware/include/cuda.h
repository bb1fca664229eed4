// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API. clang reads the next line as text to learn which toolkit this is.
#define CUDA_VERSION 12030

#if !defined(__cuda_cuda_h__)
#define __cuda_cuda_h__

#include <stddef.h>
#include <stdint.h>

#include "crt/driver_types_cu.h"
#include "crt/driver_api_cu.h"

#endif  // __cuda_cuda_h__
