// SPDX-License-Identifier: Apache-2.0
// Runtime functions that device code alone may call. The others are declared with the host's. None of those here
// exists: kernels launch no kernels. Libraries name them in code that is never reached; what is reached says so when it
// is linked.
#if !defined(HEDDLE_CUDA_DEVICE_RUNTIME_API_H)
#define HEDDLE_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime_api.h"

#if defined(__cplusplus) && defined(__CUDACC__)
extern "C" {
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void* func, void* parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned int sharedMemSize, cudaStream_t stream);
}
// Of a kernel in a graph, which no program gets.
static __inline__ __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned int) {
  __builtin_trap();
}
#endif

#endif  // HEDDLE_CUDA_DEVICE_RUNTIME_API_H
