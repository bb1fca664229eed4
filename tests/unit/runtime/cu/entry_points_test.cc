// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "cuda_runtime_api.h"
#include "host-runtime/runtime/symbols.h"
#include "tests/unit/runtime/cu/driver_fixture.h"

extern "C" int cuGraphCreate(...);
extern "C" CUresult cuMemcpyDtoH_v2_ptds(void* to, CUdeviceptr from, size_t bytes);
extern "C" CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device);

namespace heddle::test {
namespace {

// Nothing has called cuInit in this process yet.
TEST(CudaDriverInit, BeforeItNothingWorks) {
  setenv("HEDDLE_DEVICE", "model", 1);
  setenv("HEDDLE_HOME", HEDDLE_BUILD_DIR, 1);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr p = 0;
  int version = 0;
  const char* text = nullptr;
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_NOT_INITIALIZED");
  EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
}

TEST_F(CudaDriver, ErrorsHaveNamesAndTexts) {
  const char* text = "kept";
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(cuGetErrorName(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDriver, WhatTheDeviceIs) {
  char name[100] = "";
  CUdevprop properties;
  cudaDeviceProp same;
  CUuuid uuid;
  size_t bytes = 0;
  int major = 0, minor = 0, value = 0;
  ASSERT_EQ(cudaGetDeviceProperties(&same, 0), cudaSuccess);
  EXPECT_EQ(cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, same.name);
  EXPECT_EQ(cuDeviceGetName(name, 3, 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, std::string(same.name, 2).c_str());
  EXPECT_EQ(cuDeviceGetName(nullptr, 3, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceTotalMem(&bytes, 0), CUDA_SUCCESS);
  EXPECT_EQ(bytes, same.totalGlobalMem);
  EXPECT_EQ(cuDeviceComputeCapability(&major, &minor, 0), CUDA_SUCCESS);
  EXPECT_EQ(major * 10 + minor, same.major * 10 + same.minor);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), CUDA_SUCCESS);
  EXPECT_EQ(value, 32);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetProperties(&properties, 0), CUDA_SUCCESS);
  EXPECT_EQ(properties.SIMDWidth, 32);
  EXPECT_EQ(cuDeviceGetUuid(&uuid, 0), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&uuid, &same.uuid, sizeof uuid), 0);
}

TEST_F(CudaDriver, FunctionsByNameVersionAndDefaultStream) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  EXPECT_EQ(cuGetProcAddress("cuCtxCreate", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
  EXPECT_NE(found, nullptr);
  void* newest = nullptr;
  EXPECT_EQ(cuGetProcAddress("cuCtxCreate", &newest, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
  EXPECT_NE(newest, found);
  EXPECT_EQ(cuGetProcAddress("cuMemcpyDtoH", &found, 12030, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(found, reinterpret_cast<void*>(&cuMemcpyDtoH_v2_ptds));
  EXPECT_EQ(cuGetProcAddress("cuNothing", &found, 12030, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cuGetProcAddress("cuNothing", &found, 12030, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuGetProcAddress("cudaMalloc", &found, 12030, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cuGetProcAddress("cuInit", &found, 13010, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress("cuInit", &found, 12030, 77, nullptr), CUDA_ERROR_INVALID_VALUE);
  cudaDriverEntryPointQueryResult told = cudaDriverEntryPointSymbolNotFound;
  EXPECT_EQ(cudaGetDriverEntryPoint("cuInit", &found, 0, &told), cudaSuccess);
  EXPECT_EQ(told, cudaDriverEntryPointSuccess);
  EXPECT_EQ(reinterpret_cast<CUresult (*)(unsigned)>(found)(0), CUDA_SUCCESS);
}

// A line has the flags, the name, and the versions from which on it means another symbol; "a/b": one function of two
// names; "absent": none.
TEST_F(CudaDriver, NamesMeanWhatSiliconsDriverMeans) {
  std::ifstream recorded(HEDDLE_SYMBOLS);
  std::string line;
  int asked = 0;
  while (std::getline(recorded, line)) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    unsigned flags = 0;
    std::string name, change;
    words >> flags >> name;
    while (words >> change) {
      const auto colon = change.find(':');
      const int version = std::stoi(change.substr(0, colon));
      void* found = nullptr;
      EXPECT_EQ(cuGetProcAddress(name.c_str(), &found, version, flags, nullptr), CUDA_SUCCESS);
      std::istringstream symbols(change.substr(colon + 1));
      std::string symbol;
      bool same = false;
      while (std::getline(symbols, symbol, '/'))
        same = same || found == (symbol == "absent" ? nullptr : cudart::exported_function(symbol));
      EXPECT_TRUE(same) << line << " at " << version;
      ++asked;
    }
  }
  EXPECT_GT(asked, 2000);
}

TEST_F(CudaDriver, WhatIsNotBuiltIsRefusedByName) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cuGraphCreate(nullptr, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("cuGraphCreate: graphs are not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::test
