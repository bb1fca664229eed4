// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kCaller = kHead + R"(.extern .func (.param .b32 r) triple(.param .b32 x);
.visible .entry caller(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %x;
  ld.param.u64 %p, [p]; ld.global.u32 %x, [%p];
  { .param .b32 a; .param .b32 r; st.param.b32 [a], %x; call (r), triple, (a); ld.param.b32 %x, [r]; }
  st.global.u32 [%p], %x; ret;
}
)";
const std::string kTriple = kHead + R"(.visible .func (.param .b32 r) triple(.param .b32 x) {
  .reg .b32 %x; ld.param.b32 %x, [x]; mul.lo.u32 %x, %x, 3; st.param.b32 [r], %x; ret;
}
)";

class CudaDriverLink : public CudaDriverContext {
 protected:
  CUresult add(const std::string& ptx, const char* name = "part") {
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1, name, 0, nullptr,
                         nullptr);
  }
  void SetUp() override {
    CudaDriverContext::SetUp();
    ASSERT_EQ(cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
    CudaDriverContext::TearDown();
  }
  CUlinkState link = nullptr;
};

TEST_F(CudaDriverLink, AFunctionOfAnotherModuleIsCalled) {
  void* cubin = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(add(kCaller), CUDA_SUCCESS);
  ASSERT_EQ(add(kTriple), CUDA_SUCCESS);
  ASSERT_EQ(cuLinkComplete(link, &cubin, &bytes), CUDA_SUCCESS);
  EXPECT_GT(bytes, 64u);
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, cubin), CUDA_SUCCESS);
  CUdeviceptr p = memory(4);
  ASSERT_EQ(cuMemsetD32(p, 14, 1), CUDA_SUCCESS);
  void* arguments[] = {&p};
  EXPECT_EQ(cuLaunchKernel(function("caller", module), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(p), 42);
  EXPECT_EQ(add(kTriple), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkComplete(link, &cubin, &bytes), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaDriverLink, FilesAreInputsToo) {
  const std::string file = ::testing::TempDir() + "/triple.ptx";
  std::ofstream(file) << kTriple;
  ASSERT_EQ(add(kCaller), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/none/such", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND);
  ASSERT_EQ(cuLinkAddFile(link, CU_JIT_INPUT_PTX, file.c_str(), 0, nullptr, nullptr), CUDA_SUCCESS);
  void* cubin = nullptr;
  size_t bytes = 0;
  EXPECT_EQ(cuLinkComplete(link, &cubin, &bytes), CUDA_SUCCESS);
}

TEST_F(CudaDriverContext, AMissingFunctionIsInTheLog) {
  std::array<char, 500> text{};
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {text.data(), reinterpret_cast<void*>(text.size())};
  CUlinkState link = nullptr;
  ASSERT_EQ(cuLinkCreate(2, names, values, &link), CUDA_SUCCESS);
  ASSERT_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller.c_str()), kCaller.size() + 1, "caller.ptx",
                          0, nullptr, nullptr),
            CUDA_SUCCESS);
  void* cubin = nullptr;
  size_t bytes = 0;
  EXPECT_EQ(cuLinkComplete(link, &cubin, &bytes), CUDA_ERROR_UNKNOWN);
  EXPECT_NE(std::strstr(text.data(), "triple"), nullptr) << text.data();
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace heddle::test
