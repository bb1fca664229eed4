// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API. clang reads the next line as text to learn which toolkit this is.
#define CUDA_VERSION 12030

#if !defined(__cuda_cuda_h__)
#define __cuda_cuda_h__

#include <stddef.h>
#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#endif

// Only while clang's wrapper is in its first half: not when a program includes this file.
#if defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__) && !defined(__CUDA_RUNTIME_H__)
#define HEDDLE_MACROS_HIDDEN
#include "crt/hide_macros.h"
#endif

#include "crt/driver_api_cu.h"
#include "crt/driver_types_cu.h"
#include "crt/tensor_map_cu.h"

#endif  // __cuda_cuda_h__
