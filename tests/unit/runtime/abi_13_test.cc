// SPDX-License-Identifier: Apache-2.0
// libcudart.so.13: functions that take other structures than under the same name in CUDA 12. Offsets are those of
// CUDA 13's headers.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "cuda_runtime_api.h"

namespace heddle::test {
namespace {

class Cudart13 : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("HEDDLE_DEVICE", "model", 1);
    setenv("HEDDLE_HOME", HEDDLE_BUILD_DIR, 1);
    library_ = dlopen(HEDDLE_BUILD_DIR "/lib/libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  template <typename F>
  F* function(const char* name) {
    auto* found = reinterpret_cast<F*>(dlvsym(library_, name, "libcudart.so.13"));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  void* library_ = nullptr;
};

TEST_F(Cudart13, DevicePropertiesLieWhereItsHeaderSays) {
  cudaDeviceProp wanted;
  ASSERT_EQ(function<cudaError_t(cudaDeviceProp*, int)>("cudaGetDeviceProperties_v2")(&wanted, 0), cudaSuccess);
  unsigned char got[1008 + 16];
  std::memset(got, 0xee, sizeof got);
  auto* get = function<cudaError_t(void*, int)>("cudaGetDeviceProperties");
  ASSERT_EQ(get(got, 0), cudaSuccess);
  const auto same = [&](size_t offset, const auto& member) {
    return std::memcmp(got + offset, &member, sizeof member) == 0;
  };
  EXPECT_TRUE(same(0, wanted.name) && same(288, wanted.totalGlobalMem) && same(336, wanted.maxGridSize));
  EXPECT_TRUE(same(352, wanted.totalConstMem) && same(360, wanted.major) && same(376, wanted.texturePitchAlignment));
  EXPECT_TRUE(same(384, wanted.multiProcessorCount) && same(392, wanted.canMapHostMemory));
  EXPECT_TRUE(same(552, wanted.surfaceAlignment) && same(568, wanted.pciBusID) && same(588, wanted.unifiedAddressing));
  EXPECT_TRUE(same(592, wanted.memoryBusWidth) && same(596, wanted.l2CacheSize) &&
              same(616, wanted.localL1CacheSupported));
  EXPECT_TRUE(same(624, wanted.sharedMemPerMultiprocessor) && same(636, wanted.managedMemory));
  EXPECT_TRUE(same(668, wanted.cooperativeLaunch) && same(672, wanted.sharedMemPerBlockOptin));
  EXPECT_TRUE(same(688, wanted.maxBlocksPerMultiProcessor) && same(696, wanted.reservedSharedMemPerBlock));
  EXPECT_EQ(got[1008], 0xee);
  EXPECT_EQ(get(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(get(got, 1), cudaErrorInvalidDevice);
}

TEST_F(Cudart13, HintsAboutManagedMemoryTakeALocation) {
  void* p = nullptr;
  ASSERT_EQ(function<cudaError_t(void**, size_t, unsigned)>("cudaMallocManaged")(&p, 4000, cudaMemAttachGlobal),
            cudaSuccess);
  auto* prefetch =
      function<cudaError_t(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t)>("cudaMemPrefetchAsync");
  auto* advise = function<cudaError_t(const void*, size_t, cudaMemoryAdvise, cudaMemLocation)>("cudaMemAdvise");
  const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0},
      other{cudaMemLocationTypeDevice, 1};
  EXPECT_EQ(prefetch(p, 4000, device, 0, nullptr), cudaSuccess);
  EXPECT_EQ(prefetch(p, 4000, host, 0, nullptr), cudaSuccess);
  EXPECT_EQ(prefetch(p, 4000, other, 0, nullptr), cudaErrorInvalidDevice);
  auto* prefetch_in_own =
      function<cudaError_t(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t)>("cudaMemPrefetchAsync_ptsz");
  EXPECT_EQ(prefetch_in_own(p, 4000, host, 0, nullptr), cudaSuccess);
  EXPECT_EQ(prefetch_in_own(p, 4000, other, 0, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(advise(p, 4000, cudaMemAdviseSetReadMostly, device), cudaSuccess);
  EXPECT_EQ(function<cudaError_t(void*)>("cudaFree")(p), cudaSuccess);
}

}  // namespace
}  // namespace heddle::test
