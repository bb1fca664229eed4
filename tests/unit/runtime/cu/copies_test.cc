// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>
#include <vector>

#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

TEST_F(CudaDriverContext, AllocationsAndTheirRanges) {
  CUdeviceptr p = 0, base = 0;
  size_t bytes = 0, pitch = 0;
  EXPECT_EQ(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  p = memory(1000);
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, p + 999), CUDA_SUCCESS);
  EXPECT_EQ(base, p);
  EXPECT_EQ(bytes, 1000u);
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, 12345), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuMemFree(p + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(p), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocPitch(&p, &pitch, 100, 3, 4), CUDA_SUCCESS);
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(cuMemAllocPitch(&p, &pitch, 100, 3, 5), CUDA_ERROR_INVALID_VALUE);
  size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
  EXPECT_LT(free, total);
}

TEST_F(CudaDriverContext, FillsOfEachWidth) {
  const CUdeviceptr p = memory(64);
  std::array<unsigned, 16> all{};
  const auto read = [&] { EXPECT_EQ(cuMemcpyDtoH(all.data(), p, sizeof all), CUDA_SUCCESS); };
  EXPECT_EQ(cuMemsetD32(p, 0x01020304, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD16(p + 2, 0xabcd, 3), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(p + 63, 0xee, 1), CUDA_SUCCESS);
  read();
  EXPECT_EQ(all[0], 0xabcd0304u);
  EXPECT_EQ(all[1], 0xabcdabcdu);
  EXPECT_EQ(all[2], 0x01020304u);
  EXPECT_EQ(all[15], 0xee020304u);
  EXPECT_EQ(cuMemsetD2D32(p, 32, 7, 2, 2), CUDA_SUCCESS);
  read();
  EXPECT_EQ(all[1], 7u);
  EXPECT_EQ(all[9], 7u);
  EXPECT_EQ(all[10], 0x01020304u);
  EXPECT_EQ(cuMemsetD32(p + 2, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD16(p + 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8(p + 60, 1, 1 << 24), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDriverContext, FillsOfPageLockedMemory) {
  void* host = nullptr;
  ASSERT_EQ(cuMemAllocHost(&host, 64), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32(CUdeviceptr(host), 0x01020304, 16), CUDA_SUCCESS);
  EXPECT_EQ(static_cast<unsigned*>(host)[15], 0x01020304u);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
}

TEST_F(CudaDriverContext, CopiesInTwoDimensions) {
  std::array<char, 64> from{}, to{};
  std::iota(from.begin(), from.end(), char{0});
  const CUdeviceptr p = memory(64);
  CUDA_MEMCPY2D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST, in.srcHost = from.data(), in.srcPitch = 8, in.srcXInBytes = 2, in.srcY = 1;
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE, in.dstDevice = p, in.dstPitch = 16;
  in.WidthInBytes = 4, in.Height = 3;
  EXPECT_EQ(cuMemcpy2D(&in), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH(to.data(), p, 64), CUDA_SUCCESS);
  EXPECT_EQ(to[0], 10);
  EXPECT_EQ(to[3], 13);
  EXPECT_EQ(to[4], 0);
  EXPECT_EQ(to[32], 26);
  in.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy2D(&in), CUDA_ERROR_INVALID_VALUE);
  in.srcArray = reinterpret_cast<CUarray>(0x1000);
  EXPECT_EQ(cuMemcpy2D(&in), CUDA_ERROR_NOT_SUPPORTED);
  in.srcMemoryType = static_cast<CUmemorytype>(9);
  EXPECT_EQ(cuMemcpy2D(&in), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDriverContext, CopiesInThreeDimensions) {
  std::array<char, 64> from{}, to{};
  std::iota(from.begin(), from.end(), char{0});
  const CUdeviceptr p = memory(64);
  CUDA_MEMCPY3D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST, in.srcHost = from.data(), in.srcPitch = 4, in.srcHeight = 4, in.srcZ = 1;
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE, in.dstDevice = p, in.dstPitch = 4, in.dstHeight = 2;
  in.WidthInBytes = 4, in.Height = 2, in.Depth = 2;
  EXPECT_EQ(cuMemcpy3D(&in), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH(to.data(), p, 64), CUDA_SUCCESS);
  EXPECT_EQ(to[0], 16);
  EXPECT_EQ(to[7], 23);
  EXPECT_EQ(to[8], 32);
  EXPECT_EQ(to[15], 39);
}

TEST_F(CudaDriverContext, PointersAreAsked) {
  const CUdeviceptr p = memory(1000);
  void* host = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
  CUmemorytype type = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 10), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(host)), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_HOST);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 12345), CUDA_ERROR_INVALID_VALUE);
  int ordinal = 5;
  size_t bytes = 0;
  CUdeviceptr begin = 0;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                 CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
  void* values[] = {&ordinal, &bytes, &begin};
  EXPECT_EQ(cuPointerGetAttributes(3, names, values, p + 10), CUDA_SUCCESS);
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(bytes, 1000u);
  EXPECT_EQ(begin, p);
  EXPECT_EQ(cuPointerGetAttributes(3, names, values, 12345), CUDA_SUCCESS);
  EXPECT_EQ(ordinal, CU_DEVICE_INVALID);
  EXPECT_EQ(begin, 0u);
}

}  // namespace
}  // namespace heddle::test
