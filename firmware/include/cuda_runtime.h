// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime for C++ programs: the API plus typed forms of it. nvcc and clang include this file
// before every .cu file; host programs may include it too.
//
// Brings <math.h> and <utility>, as nvcc's does: much code calls ::isnan, ::fabsf and friends, swaps and loops over
// lists in braces without including what declares them.
#if !defined(__CUDA_RUNTIME_H__)
#define __CUDA_RUNTIME_H__

#include "channel_descriptor.h"
#include "cuda_device_runtime_api.h"
#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "driver_functions.h"
#include "host_config.h"
#include "host_defines.h"
#include "vector_functions.h"

// A program that holds libcudart_static finds the runtime from where this file lies, too. Not const: clang
// would put it into device code, too.
#if defined(__cplusplus)
extern "C" {
#endif
extern __attribute__((weak)) char __cudaHeddleHeader[];
char __cudaHeddleHeader[] = __FILE__;
#if defined(__cplusplus)
}
#endif

#if defined(__cplusplus)

// CUB 1 and 2.0 write `template` before a member's name alone, which clang takes for an error from 19 on.
#if defined(__clang__) && __clang_major__ >= 19
#pragma clang diagnostic ignored "-Wmissing-template-arg-list-after-template-kw"
#endif

// Programs that are compiled at run time (NVRTC) have no headers of the host, and no host.
#if !defined(__CUDACC_RTC__)
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <utility>

#include "crt/host_math.h"
#include "crt/runtime_templates.h"
#endif
#include "crt/texture_templates.h"

#endif  // __cplusplus

#endif  // __CUDA_RUNTIME_H__
