// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

class CudaDriverLaunches : public CudaDriverContext {
 protected:
  void SetUp() override {
    CudaDriverContext::SetUp();
    f = function("add");
    a = memory(kBytes), b = memory(kBytes), c = memory(kBytes);
    ASSERT_EQ(cuMemsetD32(a, 20, kCount), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32(b, 22, kCount), CUDA_SUCCESS);
  }
  // All of c, and clears it.
  bool added() {
    std::vector<int> all(kCount);
    EXPECT_EQ(cuMemcpyDtoH(all.data(), c, kBytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8(c, 0, kBytes), CUDA_SUCCESS);
    return all == std::vector<int>(kCount, 42);
  }

  static constexpr unsigned kCount = 100;
  static constexpr size_t kBytes = kCount * sizeof(int);
  CUfunction f = nullptr;
  CUdeviceptr a = 0, b = 0, c = 0;
  unsigned n = kCount;
  void* list[4] = {&a, &b, &c, &n};
};

TEST_F(CudaDriverLaunches, ArgumentsInAListOrInABlock) {
  EXPECT_EQ(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, list, nullptr), CUDA_SUCCESS);
  EXPECT_TRUE(added());
  struct {
    CUdeviceptr a, b, c;
    unsigned n;
  } block = {a, b, c, n};
  size_t bytes = 28;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  EXPECT_TRUE(added());
  EXPECT_EQ(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, list, extra), CUDA_ERROR_INVALID_VALUE);
  bytes = 27;
  EXPECT_EQ(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDriverLaunches, ByConfigurationAndCooperative) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {4, 1, 1, 32, 1, 1, 0, nullptr, &attribute, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, f, list, nullptr), CUDA_SUCCESS);
  EXPECT_TRUE(added());
  config.gridDimX = 1 << 20;
  EXPECT_EQ(cuLaunchKernelEx(&config, f, list, nullptr), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(cuLaunchKernelEx(nullptr, f, list, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchCooperativeKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, list), CUDA_SUCCESS);
  EXPECT_TRUE(added());
}

TEST_F(CudaDriverLaunches, InSteps) {
  EXPECT_EQ(cuFuncSetBlockShape(f, 32, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(f, 0, &a, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(f, 8, &b, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(f, 16, &c, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSeti(f, 24, n), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetSize(f, 28), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchGrid(f, 4, 1), CUDA_SUCCESS);
  EXPECT_TRUE(added());
  EXPECT_EQ(cuParamSetv(f, 4096, &a, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchGrid(f, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDriverLaunches, WrongShapesAndHandles) {
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 4096, 1, 1, 0, nullptr, list, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, nullptr, list, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(nullptr, 1, 1, 1, 32, 1, 1, 0, nullptr, list, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, CUstream(0x77), list, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaDriverLaunches, AttributesAndOccupancy) {
  int value = 0, grid = 0, block = 0;
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f), CUDA_SUCCESS);
  EXPECT_EQ(value, 80);
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function("empty")), CUDA_SUCCESS);
  EXPECT_EQ(value, 128);
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, f), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f), CUDA_SUCCESS);
  EXPECT_EQ(value, 1024);
  EXPECT_EQ(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 32, 0), CUDA_SUCCESS);
  EXPECT_GT(value, 0);
  EXPECT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 0), CUDA_SUCCESS);
  EXPECT_GE(block, 32);
  EXPECT_GT(grid, 0);
  const char* name = nullptr;
  EXPECT_EQ(cuFuncGetName(&name, f), CUDA_SUCCESS);
  EXPECT_STREQ(name, "add");
  size_t offset = 0, bytes = 0;
  EXPECT_EQ(cuFuncGetParamInfo(f, 3, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(offset, 24u);
  EXPECT_EQ(bytes, 4u);
}

TEST_F(CudaDriver, AFunctionRunsInItsContextsStreamsAlone) {
  const CUcontext a = create();
  const CUfunction of_a = function("empty");
  CUstream stream_a = nullptr;
  CUevent event_a = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream_a, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event_a, 0), CUDA_SUCCESS);
  create();
  const CUfunction of_b = function("empty");
  const auto launch = [](CUfunction f, CUstream s) {
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr);
  };
  EXPECT_EQ(launch(of_a, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(of_b, stream_a), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(of_a, stream_a), CUDA_SUCCESS);
  EXPECT_EQ(launch(of_b, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event_a, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event_a, stream_a), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(nullptr, event_a, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream_a), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(a), CUDA_SUCCESS);
  EXPECT_EQ(launch(of_a, nullptr), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::test
