// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

TEST_F(CudaDriverContext, StreamsEventsAndCallbacks) {
  CUstream stream = nullptr, other = nullptr;
  CUevent begin = nullptr, end = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreateWithPriority(&other, 0, -1), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&begin, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC), CUDA_SUCCESS);
  EXPECT_EQ(cuEventCreate(&end, 0x80), CUDA_ERROR_INVALID_VALUE);
  int priority = 0;
  unsigned flags = 0;
  EXPECT_EQ(cuStreamGetPriority(other, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -1);
  EXPECT_EQ(cuStreamGetFlags(stream, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});

  const CUdeviceptr p = memory(64);
  EXPECT_EQ(cuEventRecord(begin, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(p, 5, 16, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(end, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(other, end, 0), CUDA_SUCCESS);
  static int called;
  called = 0;
  EXPECT_EQ(
      cuStreamAddCallback(
          other, [](CUstream, CUresult status, void* data) { *static_cast<int*>(data) += status == CUDA_SUCCESS; },
          &called, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchHostFunc(
                other,
                [](void* data) {
                  *static_cast<int*>(data) += 10;
                  int count = 0;
                  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
                  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_NOT_PERMITTED);
                },
                &called),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  EXPECT_EQ(called, 11);
  EXPECT_EQ(number(p), 5);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, begin, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventDestroy(end), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::test
