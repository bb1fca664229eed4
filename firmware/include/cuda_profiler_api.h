// SPDX-License-Identifier: Apache-2.0
// cudaProfilerStart and cudaProfilerStop.
#if !defined(HEDDLE_CUDA_PROFILER_API_H)
#define HEDDLE_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif  // HEDDLE_CUDA_PROFILER_API_H
