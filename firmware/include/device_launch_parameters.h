// SPDX-License-Identifier: Apache-2.0
// threadIdx, blockIdx, blockDim, gridDim and warpSize. Clang's wrapper defines them and this file's
// guard; an editor's parser that is no CUDA compiler finds declarations here.
#if !defined(__DEVICE_LAUNCH_PARAMETERS_H__)
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#if defined(__CUDACC__) && !defined(__clang__)
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern const int warpSize;
#endif

#endif  // __DEVICE_LAUNCH_PARAMETERS_H__
