// SPDX-License-Identifier: Apache-2.0
// Cubins with damaged bytes: refused, or loaded as what they are then; never the program's end.
#include <cstring>
#include <random>
#include <vector>

#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

std::vector<unsigned char> cubin() {
  CUlinkState link = nullptr;
  void* image = nullptr;
  size_t bytes = 0;
  EXPECT_EQ(cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  EXPECT_EQ(
      cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kPtx), std::strlen(kPtx) + 1, "x", 0, nullptr, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
  const auto* begin = static_cast<const unsigned char*>(image);
  std::vector<unsigned char> copy(begin, begin + bytes);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
  return copy;
}

CUresult load_and_unload(const std::vector<unsigned char>& image) {
  CUmodule module = nullptr;
  const CUresult loaded = cuModuleLoadData(&module, image.data());
  if (loaded == CUDA_SUCCESS) EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  return loaded;
}

void expect_an_answer(CUresult result, unsigned seed) {
  EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
              result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_OUT_OF_MEMORY)
      << "seed " << seed << ": " << result;
}

TEST_F(CudaDriverContext, DamagedHeadersAreAnInvalidImage) {
  const std::vector<unsigned char> good = cubin();
  ASSERT_EQ(load_and_unload(good), CUDA_SUCCESS);
  ::testing::internal::CaptureStderr();
  // Where the sections are, how many, and how large one is.
  for (const size_t field : {40u, 46u, 60u}) {
    std::vector<unsigned char> image = good;
    image[field] = image[field + 1] = 0xff;
    EXPECT_EQ(load_and_unload(image), CUDA_ERROR_INVALID_IMAGE) << field;
  }
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    std::vector<unsigned char> image = good;
    for (unsigned i = 0; i <= seed % 4; ++i) image[4 + random() % 60] = static_cast<unsigned char>(random());
    expect_an_answer(load_and_unload(image), seed);
  }
  (void)::testing::internal::GetCapturedStderr();
}

TEST_F(CudaDriverContext, DamagedContentsAreNoProgramsEnd) {
  const std::vector<unsigned char> good = cubin();
  ::testing::internal::CaptureStderr();
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    std::vector<unsigned char> image = good;
    for (unsigned i = 0; i <= seed % 8; ++i)
      image[64 + random() % (image.size() - 64)] = static_cast<unsigned char>(random());
    expect_an_answer(load_and_unload(image), seed);
  }
  (void)::testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace heddle::test
