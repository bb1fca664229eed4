// SPDX-License-Identifier: Apache-2.0
// The runtime's and the driver API's headers in a host program that no CUDA compiler sees.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

static_assert(sizeof(cudaDeviceProp) == 1032, "CUDA 12's layout");
static_assert(sizeof(cudaFuncAttributes) == 144, "CUDA 12's layout");
static_assert(sizeof(cudaGraphNodeParams) == 256 && sizeof(cudaMemcpyNodeParams) == 176, "CUDA 12's layout");
static_assert(sizeof(cudaMemPoolProps) == 88 && sizeof(cudaMemAllocNodeParams) == 120, "CUDA 12's layout");
static_assert(sizeof(cudaExternalSemaphoreSignalParams) == 144 && sizeof(cudaExternalSemaphoreWaitParams) == 144,
              "CUDA 12's layout");
static_assert(alignof(float4) == 16 && alignof(float3) == 4 && alignof(double4) == 16, "the guide's");
static_assert(sizeof(char3) == 3 && sizeof(longlong4) == 32, "the guide's");
static_assert(cudaErrorInvalidValue == 1 && cudaErrorMemoryAllocation == 2 && cudaErrorDevicesUnavailable == 46 &&
                  cudaErrorInvalidKernelImage == 200 && cudaErrorNoKernelImageForDevice == 209 &&
                  cudaErrorSymbolNotFound == 500 && cudaErrorIllegalAddress == 700 &&
                  cudaErrorLaunchOutOfResources == 701 && cudaErrorLaunchTimeout == 702 && cudaErrorAssert == 710 &&
                  cudaErrorHardwareStackError == 714 && cudaErrorIllegalInstruction == 715 &&
                  cudaErrorMisalignedAddress == 716 && cudaErrorInvalidPc == 718 && cudaErrorLaunchFailure == 719 &&
                  cudaErrorUnknown == 999,
              "CUDA's numbers");
static_assert(CUDA_SUCCESS == 0 && CUDA_ERROR_OUT_OF_MEMORY == 2 && CUDA_ERROR_INVALID_PTX == 218 &&
                  CUDA_ERROR_CONTEXT_ALREADY_CURRENT == 202 && CUDA_ERROR_LAUNCH_FAILED == 719,
              "CUDA's numbers");

static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__nv_bfloat16) == 2, "CUDA's layout");
float headers_half(__half a, __nv_bfloat162 b) { return __half2float(a * a) + __high2float(b + b); }

dim3 headers_make_dim3() { return dim3(4, 2); }
float4 headers_make_float4() { return make_float4(1, 2, 3, 4); }
