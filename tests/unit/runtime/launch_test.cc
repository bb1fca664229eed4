// SPDX-License-Identifier: Apache-2.0
// Launches, their errors, faults of kernels, attributes. Codes are an H200's, see memory_test.cc.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/unit/runtime/cudart_fixture.h"

extern "C" {
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* func);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                               cudaStream_t stream);
}

namespace heddle::test {
namespace {

// As the host code of CUDA 13's nvcc does it, with a kernel out of its container.
TEST_F(Cudart, AKernelOfNvccIsLaunchedThroughItsHandle) {
  int out = 0, value = 42;
  int* d = device(1);
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&kernel, &stubs.of_nvcc), cudaSuccess);
  void* args[] = {&d, &value};
  EXPECT_EQ(__cudaLaunchKernel(kernel, 1, 1, args, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, 42);
  EXPECT_EQ(__cudaGetKernel(&kernel, &out), cudaErrorInvalidDeviceFunction);
}

TEST_F(Cudart, AKernelReadsItsArgumentsGlobalsAndConstants) {
  int in[4] = {1, 2, 3, 4}, out[4] = {};
  int* d = device(4);
  ASSERT_EQ(cudaMemcpy(d, in, 16, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(launch(&stubs.scale, 1, 4, d, 10), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out, d, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[0], 10 + 1 + 5);
  EXPECT_EQ(out[1], 20 + 2 + 6);
  EXPECT_EQ(out[2], 30 + 3 + 5);
  EXPECT_EQ(out[3], 40 + 4 + 6);
}

TEST_F(Cudart, ImpossibleLaunchesAreInvalidAndNotSticky) {
  int* d = device(64);
  EXPECT_EQ(launch(&stubs.store, 1, 2048, d), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&stubs.store, 1, dim3(0, 1, 1), d), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&stubs.store, dim3(0, 1, 1), 1, d), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&stubs.store, dim3(1, 70000, 1), 1, d), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&stubs.store, 1, dim3(1, 1, 65), d), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&stubs.bounded, 1, 129), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(launch(&stubs.bounded, 1, 128), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Cudart, SharedMemoryNeedsTheOptIn) {
  int* d = device(1);
  void* args[] = {&d};
  EXPECT_EQ(cudaLaunchKernel(&stubs.big_shared, 1, 1, args, 9153, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(&stubs.big_shared, 1, 1, args, 9152, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(&stubs.big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&stubs.big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(&stubs.big_shared, 1, 1, args, 100000, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Cudart, UnknownAndMissingKernelsAreRefused) {
  char unknown = 0;
  cudaFuncAttributes attributes{};
  EXPECT_EQ(launch(&unknown, 1, 1), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(launch(nullptr, 1, 1), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &unknown), cudaErrorInvalidDeviceFunction);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&stubs.missing, 1, 1), cudaErrorInvalidDeviceFunction);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("'not_in_the_module'"), std::string::npos);
}

// A kernel that faults: the launch succeeds, the next synchronisation fails, and so does all that follows until
// a reset. The text on stderr names the cause.
class Fault : public Cudart {
 protected:
  template <typename... Args>
  void expect(cudaError_t error, const std::vector<std::string>& texts, const char* stub, dim3 block, Args... args) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(launch(stub, 1, block, args...), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), error);
    const std::string text = ::testing::internal::GetCapturedStderr();
    for (const auto& part : texts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, 4), error);
    EXPECT_EQ(cudaStreamQuery(nullptr), error);
    EXPECT_EQ(launch(&stubs.bounded, 1, 1), error);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(cudaGetLastError(), error);  // sticky: asking does not clear it
    EXPECT_EQ(cudaPeekAtLastError(), error);
    int n = 0;
    EXPECT_EQ(cudaGetDeviceCount(&n), cudaSuccess);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
    EXPECT_EQ(launch(&stubs.bounded, 1, 1), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
};

TEST_F(Fault, StoreToNull) {
  expect(cudaErrorIllegalAddress, {"store to global address 0x0 (null pointer)", "kernel store", "thread (0,0,0)"},
         &stubs.store, 1, static_cast<int*>(nullptr));
}
TEST_F(Fault, LoadFromNull) {
  expect(cudaErrorIllegalAddress, {"load from global address 0x0"}, &stubs.load, 1, static_cast<int*>(nullptr));
}
TEST_F(Fault, StoreFarBeyondAnyAllocation) {
  int* d = device(100);
  expect(cudaErrorIllegalAddress, {"illegal address: store to global"}, &stubs.store, 1, d + (1 << 24));
}
TEST_F(Fault, MisalignedStore) {
  char* d = device<char>(400);
  expect(cudaErrorMisalignedAddress, {"misaligned address: store to global"}, &stubs.store, 64, d + 2);
}
TEST_F(Fault, MisalignedLoad) {
  char* d = device<char>(400);
  expect(cudaErrorMisalignedAddress, {"misaligned address: load from global"}, &stubs.load, 1, d + 1);
}
TEST_F(Fault, CallThroughNull) { expect(cudaErrorInvalidPc, {"null function pointer"}, &stubs.null_call, 1); }
TEST_F(Fault, CallThroughAPointerWhoseUpperHalfIsNoFunctions) {
  expect(cudaErrorInvalidPc, {"or one that is no function's address", "thread (0,0,0)"}, &stubs.wild_jump, 1,
         0x7f0000000080LL);
}
TEST_F(Fault, FetchOutsideTheCode) {
  expect(cudaErrorInvalidPc, {"instruction fetch from illegal address"}, &stubs.wild_jump, 1, 0x40000000LL);
}
TEST_F(Fault, MisalignedFetch) {
  expect(cudaErrorInvalidPc, {"instruction fetch from illegal address"}, &stubs.wild_jump, 1, 132LL);
}
TEST_F(Fault, Trap) { expect(cudaErrorLaunchFailure, {"trap"}, &stubs.trap, 1); }
TEST_F(Fault, EndlessKernel) {
  expect(cudaErrorLaunchTimeout, {"ran longer than the limit of 200000 cycles", "kernel spin"}, &stubs.spin, 32);
}
TEST_F(Fault, BarrierThatCannotComplete) {
  expect(cudaErrorLaunchFailure, {"a barrier can never complete", "warps waiting at a barrier: 0,1"}, &stubs.dead, 64);
}
TEST_F(Fault, FailedAssertion) {
  expect(cudaErrorAssert, {"grain:42: grain: block: [0,0,0], thread: [1,0,0] Assertion `grain` failed."}, &stubs.check,
         2);
}

TEST_F(Fault, AtomicOnNull) {
  expect(cudaErrorIllegalAddress, {"atomic on global address 0x0 (null pointer)"}, &stubs.atomic, 1,
         static_cast<int*>(nullptr));
}
TEST_F(Fault, StoreBeyondSharedMemory) {
  expect(cudaErrorIllegalAddress, {"store to shared address 0x100000"}, &stubs.shared_store, 1, 0x100000);
}
// The first thread that faults is named, in its block.
TEST_F(Fault, TheThreadThatFaultedIsNamed) {
  int* d = device(1);
  expect(cudaErrorIllegalAddress, {"thread (3,2,0)", "PC 0x"}, &stubs.one_thread, dim3(8, 4), d, 3 + 2 * 8);
}

TEST_F(Cudart, DamagedDeviceCodeIsRefusedWithItsCause) {
  for (const char* stub : {&stubs.damaged, &stubs.cut, &stubs.foreign}) {
    ::testing::internal::CaptureStderr();
    const cudaError_t error = launch(stub, 1, 1);
    const std::string text = ::testing::internal::GetCapturedStderr();
    if (stub == &stubs.foreign) {
      EXPECT_EQ(error, cudaErrorNoKernelImageForDevice) << text;
      EXPECT_NE(text.find("in no container that is known"), std::string::npos) << text;
    } else {
      EXPECT_EQ(error, cudaErrorInvalidKernelImage) << text;
      EXPECT_NE(text.find(stub == &stubs.cut ? "not a Heddle cubin" : "checksum"), std::string::npos) << text;
    }
    cudaGetLastError();
  }
}

TEST_F(Cudart, PtxThatDoesNotCompileIsRefusedWithItsPlace) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&stubs.bad_ptx, 1, 1), cudaErrorInvalidPtx);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(":4:23: error: "), std::string::npos) << text;
  EXPECT_NE(text.find("frobnicate"), std::string::npos) << text;
}

TEST_F(Cudart, PrintfReachesStdoutInOrder) {
  ::testing::internal::CaptureStdout();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(&stubs.print, 1, 1, i), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "value 0 of grain\nvalue 1 of grain\nvalue 2 of grain\n");
}

TEST_F(Cudart, APrintfBufferThatOverflowsSaysHowManyAreLost) {
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096), cudaSuccess);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&stubs.print, 1, 1024, 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("records are lost"), std::string::npos);
  EXPECT_GT(::testing::internal::GetCapturedStdout().size(), 100u);
}

TEST_F(Cudart, FunctionAttributes) {
  cudaFuncAttributes a{};
  ASSERT_EQ(cudaFuncGetAttributes(&a, &stubs.big_shared), cudaSuccess);
  EXPECT_EQ(a.sharedSizeBytes, 40000u);
  EXPECT_EQ(a.maxDynamicSharedSizeBytes, 9152);
  EXPECT_EQ(a.maxThreadsPerBlock, 1024);
  EXPECT_EQ(a.binaryVersion, 80);
  EXPECT_EQ(a.ptxVersion, 80);
  EXPECT_EQ(a.constSizeBytes, 8u);
  EXPECT_GT(a.numRegs, 0);
  ASSERT_EQ(cudaFuncGetAttributes(&a, &stubs.bounded), cudaSuccess);
  EXPECT_EQ(a.maxThreadsPerBlock, 128);
  EXPECT_EQ(cudaFuncGetAttributes(nullptr, &stubs.bounded), cudaErrorInvalidValue);
}

TEST_F(Cudart, ParametersOfAKernel) {
  size_t offset = 99, size = 99;
  EXPECT_EQ(cudaFuncGetParamInfo(&stubs.keep, 2, &offset, &size), cudaSuccess);
  EXPECT_EQ(offset, 12u);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(cudaFuncGetParamInfo(&stubs.keep, 3, &offset, nullptr), cudaSuccess);
  EXPECT_EQ(offset, 16u);
  EXPECT_EQ(cudaFuncGetParamInfo(&stubs.keep, 4, &offset, &size), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncGetParamInfo(&stubs.keep, 0, nullptr, &size), cudaErrorInvalidValue);
}

TEST_F(Cudart, OccupancyOfAKernel) {
  int blocks = -1;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs.store, 256, 0), cudaSuccess);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs.big_shared, 32, 0), cudaSuccess);
  EXPECT_EQ(blocks, 4);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs.store, 2048, 0), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stubs.store, 0, 0), cudaErrorInvalidValue);
}

// The workspace of a cooperative launch, by which the grid's blocks wait for each other, is there beside printf's
// buffer.
TEST_F(Cudart, TheBlocksOfACooperativeGridWaitForEachOther) {
  constexpr int n = 12;
  int out[2 * n];
  int* d = device(2 * n);
  const auto run = [&](bool cooperative) {
    void* args[] = {&d};
    ::testing::internal::CaptureStdout();
    EXPECT_EQ((cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(&stubs.around, n, 1, args, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
    const std::string text = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), n) << text;
  };
  for (const bool cooperative : {true, false, true}) {
    ASSERT_EQ(cudaMemset(d, 0, sizeof out), cudaSuccess);
    run(cooperative);
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[n + i], cooperative ? (i + 1) % n + 1 : 99) << i;
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = n, config.blockDim = 1, config.attrs = &attribute, config.numAttrs = 1;
  void* args[] = {&d};
  EXPECT_EQ(cudaLaunchKernelExC(&config, &stubs.around, args), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[2 * n - 1], 1);
}

TEST_F(Cudart, ACooperativeGridMustFit) {
  int* d = device(1024);
  void* args[] = {&d};
  EXPECT_EQ(cudaLaunchCooperativeKernel(&stubs.store, 16, 256, args, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&stubs.store, 17, 256, args, 0, nullptr), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace heddle::test
