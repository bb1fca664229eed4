// SPDX-License-Identifier: Apache-2.0
// What a tensor's map may say. What copies make of it: tests/programs/cuda/tensor_copies.cu.
#include <cstring>

#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

// A map that is right, to be made wrong in one thing.
struct Wanted {
  CUtensorMap map{};
  CUtensorMap* place = &map;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  cuuint32_t rank = 3;
  void* address = reinterpret_cast<void*>(4096);
  cuuint64_t dims[5] = {100, 20, 3, 1, 1};
  cuuint64_t strides[4] = {208, 4160, 0, 0};
  cuuint32_t box[5] = {64, 8, 2, 1, 1};
  cuuint32_t steps[5] = {1, 2, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;

  CUresult encode() {
    return cuTensorMapEncodeTiled(place, type, rank, address, dims, strides, box, steps, interleave, swizzle, promotion,
                                  fill);
  }
};

template <class F>
CUresult encode_with(F&& change) {
  Wanted w;
  change(w);
  return w.encode();
}

TEST_F(CudaDriverContext, TensorMapsThatAreRight) {
  EXPECT_EQ(Wanted{}.encode(), CUDA_SUCCESS);
  EXPECT_EQ(encode_with([](Wanted& w) { w.rank = 1; }), CUDA_SUCCESS);
  EXPECT_EQ(encode_with([](Wanted& w) { w.rank = 5; }), CUDA_SUCCESS);
  EXPECT_EQ(encode_with([](Wanted& w) { w.box[0] = 256, w.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; }), CUDA_SUCCESS);
  EXPECT_EQ(encode_with([](Wanted& w) { w.dims[2] = cuuint64_t{1} << 32; }), CUDA_SUCCESS);
}

TEST_F(CudaDriverContext, TensorMapsThatAreWrong) {
  const auto wrong = [](auto&& change) { EXPECT_EQ(encode_with(change), CUDA_ERROR_INVALID_VALUE); };
  wrong([](Wanted& w) { w.place = nullptr; });
  wrong([](Wanted& w) { w.place = reinterpret_cast<CUtensorMap*>(reinterpret_cast<char*>(&w.map) + 16); });
  wrong([](Wanted& w) { w.type = static_cast<CUtensorMapDataType>(99); });
  wrong([](Wanted& w) { w.rank = 0; });
  wrong([](Wanted& w) { w.rank = 6; });
  wrong([](Wanted& w) { w.address = nullptr; });
  wrong([](Wanted& w) { w.address = reinterpret_cast<void*>(4104); });
  wrong([](Wanted& w) { w.dims[1] = 0; });
  wrong([](Wanted& w) { w.dims[0] = (cuuint64_t{1} << 32) + 1; });
  wrong([](Wanted& w) { w.strides[0] = 200; });
  wrong([](Wanted& w) { w.strides[1] = cuuint64_t{1} << 40; });
  wrong([](Wanted& w) { w.box[1] = 0; });
  wrong([](Wanted& w) { w.box[1] = 257; });
  wrong([](Wanted& w) { w.box[0] = 60; });  // 120 bytes
  wrong([](Wanted& w) { w.box[0] = 72; });  // more than are swizzled
  wrong([](Wanted& w) { w.steps[1] = 0; });
  wrong([](Wanted& w) { w.steps[2] = 9; });
  wrong([](Wanted& w) { w.interleave = static_cast<CUtensorMapInterleave>(3); });
  wrong([](Wanted& w) { w.swizzle = static_cast<CUtensorMapSwizzle>(-1); });
  wrong([](Wanted& w) { w.promotion = static_cast<CUtensorMapL2promotion>(4); });
  wrong([](Wanted& w) { w.fill = static_cast<CUtensorMapFloatOOBfill>(2); });
  wrong([](Wanted& w) { w.type = CU_TENSOR_MAP_DATA_TYPE_UINT16; });  // has no NaN
}

TEST_F(CudaDriverContext, WhatTensorMapsLackIsRefused) {
  EXPECT_EQ(encode_with([](Wanted& w) { w.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; }), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(encode_with([](Wanted& w) { w.type = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, w.box[0] = 32; }),
            CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(CudaDriverContext, ATensorMapWithAnotherAddress) {
  Wanted one, other;
  other.address = reinterpret_cast<void*>(8192);
  ASSERT_EQ(one.encode(), CUDA_SUCCESS);
  ASSERT_EQ(other.encode(), CUDA_SUCCESS);
  EXPECT_NE(std::memcmp(&one.map, &other.map, sizeof one.map), 0);
  EXPECT_EQ(cuTensorMapReplaceAddress(&one.map, other.address), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&one.map, &other.map, sizeof one.map), 0);
  EXPECT_EQ(cuTensorMapReplaceAddress(&one.map, reinterpret_cast<void*>(8)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuTensorMapReplaceAddress(nullptr, other.address), CUDA_ERROR_INVALID_VALUE);
  CUtensorMap none{};
  EXPECT_EQ(cuTensorMapReplaceAddress(&none, other.address), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::test
