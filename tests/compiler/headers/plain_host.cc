// SPDX-License-Identifier: Apache-2.0
// The runtime's and the driver API's headers in a host program that no CUDA compiler sees.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

static_assert(sizeof(cudaDeviceProp) == 1032, "CUDA 12's layout");
static_assert(sizeof(cudaFuncAttributes) == 144, "CUDA 12's layout");
static_assert(alignof(float4) == 16 && alignof(float3) == 4 && alignof(double4) == 16, "the guide's");
static_assert(sizeof(char3) == 3 && sizeof(longlong4) == 32, "the guide's");
static_assert(cudaErrorIllegalAddress == 700 && cudaErrorLaunchTimeout == 702, "CUDA's numbers");
static_assert(CUDA_ERROR_INVALID_PTX == 218, "CUDA's numbers");

static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__nv_bfloat16) == 2, "CUDA's layout");
float headers_half(__half a, __nv_bfloat162 b) { return __half2float(a * a) + __high2float(b + b); }

dim3 headers_make_dim3() { return dim3(4, 2); }
float4 headers_make_float4() { return make_float4(1, 2, 3, 4); }
