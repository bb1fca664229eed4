// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "cuda_runtime_api.h"
#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

CUcontext current() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  return context;
}

TEST_F(CudaDriver, WithoutAContextThereIsNoMemoryAndNoModule) {
  CUdeviceptr p = 0;
  CUmodule module = nullptr;
  CUdevice device = 0;
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuModuleLoadData(&module, kPtx), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPopCurrent(nullptr), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(CudaDriver, ContextsAreAStackInEachThread) {
  const CUcontext a = create(), b = create();
  EXPECT_NE(a, b);
  EXPECT_EQ(current(), b);
  CUcontext popped = nullptr;
  EXPECT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, b);
  EXPECT_EQ(current(), a);
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(cuCtxSetCurrent(b), CUDA_SUCCESS);
    EXPECT_EQ(current(), b);
  }).join();
  EXPECT_EQ(current(), a);
  EXPECT_EQ(cuCtxPushCurrent(b), CUDA_SUCCESS);
  EXPECT_EQ(current(), b);
  EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(current(), a);
  EXPECT_EQ(cuCtxDestroy(b), CUDA_SUCCESS);
}

TEST_F(CudaDriver, WhatAContextOwnsGoesWithIt) {
  const CUcontext a = create();
  const CUdeviceptr of_a = memory(64);
  const CUcontext b = create();
  const CUdeviceptr of_b = memory(64);
  CUstream stream = nullptr;
  CUevent event = nullptr;
  const CUmodule module = load();
  CUfunction f = function("empty", module);
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  CUcontext owner = nullptr;
  EXPECT_EQ(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, of_b), CUDA_SUCCESS);
  EXPECT_EQ(owner, b);
  EXPECT_EQ(cuStreamGetCtx(stream, &owner), CUDA_SUCCESS);
  EXPECT_EQ(owner, b);

  EXPECT_EQ(cuCtxDestroy(b), CUDA_SUCCESS);
  EXPECT_EQ(current(), a);
  int value = 0;
  EXPECT_EQ(cuMemcpyDtoH(&value, of_b, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleGetFunction(&f, module, "empty"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemcpyDtoH(&value, of_a, 4), CUDA_SUCCESS);
}

TEST_F(CudaDriver, ADestroyedContextThatIsCurrentElsewhereSaysSo) {
  const CUcontext a = create();
  std::thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(a), CUDA_SUCCESS);
    std::thread([&] { EXPECT_EQ(cuCtxDestroy(a), CUDA_SUCCESS); }).join();
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  }).join();
  EXPECT_EQ(cuCtxDestroy(a), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSetCurrent(a), CUDA_SUCCESS);
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(CudaDriver, ThePrimaryContextIsTheRuntimes) {
  CUcontext primary = nullptr;
  unsigned flags = 0;
  int active = 1;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  EXPECT_EQ(current(), primary);

  void* p = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 64), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cuMemsetD32Async(CUdeviceptr(p), 77, 16, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(number(CUdeviceptr(p)), 77);
  EXPECT_EQ(cuMemFree(CUdeviceptr(p)), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);  // the runtime still has it
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(CudaDriver, TheRuntimeWorksInTheContextThatIsCurrent) {
  const CUcontext own = create();
  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 64), cudaSuccess);
  CUcontext owner = nullptr;
  EXPECT_EQ(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, CUdeviceptr(p)), CUDA_SUCCESS);
  EXPECT_EQ(owner, own);
  EXPECT_EQ(cuCtxDestroy(own), CUDA_SUCCESS);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
}

TEST_F(CudaDriver, ItsErrorsAreNotForTheRuntimesLastError) {
  create();
  (void)cudaGetLastError();
  EXPECT_EQ(cuMemFree(12345), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(CudaDriverContext, AFailureIsGoneWithTheLastContext) {
  EXPECT_EQ(cuLaunchKernel(function("wild"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
  create();
  EXPECT_EQ(number(memory(4)), 0);
}

TEST_F(CudaDriverContext, FlagsLimitsAndVersions) {
  unsigned flags = 0, version = 0;
  size_t value = 0;
  CUcontext other = nullptr;
  EXPECT_EQ(cuCtxCreate(&other, 0xff00, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate(&other, 0, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxCreate(&other, CU_CTX_SCHED_BLOCKING_SYNC, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetFlags(&flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_BLOCKING_SYNC});
  EXPECT_EQ(cuCtxGetApiVersion(other, &version), CUDA_SUCCESS);
  EXPECT_EQ(version, 3020u);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CUlimit(99)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1), CUDA_SUCCESS);
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_NONE;
  EXPECT_EQ(cuCtxGetCacheConfig(&config), CUDA_SUCCESS);
  EXPECT_EQ(config, CU_FUNC_CACHE_PREFER_L1);
  int least = 1, greatest = 1;
  EXPECT_EQ(cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
  EXPECT_LE(greatest, least);
}

}  // namespace
}  // namespace heddle::test
