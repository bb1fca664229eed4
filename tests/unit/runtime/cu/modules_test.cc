// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "host-runtime/formats/fatbinary.h"
#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

TEST_F(CudaDriverContext, AModuleHasItsOwnFunctionsAndVariables) {
  const CUmodule a = load(), b = load();
  CUdeviceptr table = 0, other = 0;
  size_t bytes = 0;
  EXPECT_EQ(cuModuleGetGlobal(&table, &bytes, a, "table"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(cuModuleGetGlobal(&other, nullptr, b, "table"), CUDA_SUCCESS);
  EXPECT_NE(table, other);
  CUdeviceptr p = memory(4);
  void* arguments[] = {&p};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cuLaunchKernel(function("bump", a), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(p), 1 + 2 + 3);
  EXPECT_EQ(number(table), 4);
  EXPECT_EQ(number(other), 1);
  EXPECT_EQ(function("bump", a), function("bump", a));
  EXPECT_NE(function("bump", a), function("bump", b));

  unsigned count = 0;
  EXPECT_EQ(cuModuleGetFunctionCount(&count, a), CUDA_SUCCESS);
  EXPECT_EQ(count, 4u);
  CUmodule of = nullptr;
  EXPECT_EQ(cuFuncGetModule(&of, function("bump", b)), CUDA_SUCCESS);
  EXPECT_EQ(of, b);
}

TEST_F(CudaDriverContext, WhatIsNotInAModule) {
  const CUmodule module = load();
  CUfunction f = nullptr;
  CUdeviceptr p = 0;
  EXPECT_EQ(cuModuleGetFunction(&f, module, "table"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&f, module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&f, nullptr, "add"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleGetGlobal(&p, nullptr, module, "add"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleGetFunction(&f, module, "add"), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaDriverContext, WrongImages) {
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoad(&module, "/nonexistent.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(&module, "nothing that is known"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
  const char elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  EXPECT_EQ(cuModuleLoadData(&module, elf), CUDA_ERROR_INVALID_IMAGE);
  const auto empty = formats::write_fat_binary({});
  EXPECT_EQ(cuModuleLoadFatBinary(&module, empty.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(CudaDriverContext, WrongPtxIsToldInTheErrorLog) {
  CUmodule module = nullptr;
  char log[400] = "kept", info[100] = "kept";
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                          CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                          CU_JIT_WALL_TIME,        CU_JIT_MAX_REGISTERS};
  const auto size = [](size_t bytes) { return reinterpret_cast<void*>(bytes); };
  void* values[] = {log, size(sizeof log), info, size(sizeof info), nullptr, size(32)};
  EXPECT_EQ(cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_80\nnonsense\n", 6, names, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(log).find(":3:"), std::string::npos) << log;
  EXPECT_EQ(values[1], size(std::string(log).size()));
  EXPECT_STREQ(info, "");
  EXPECT_EQ(values[3], size(0));

  values[1] = size(10);  // as much as there is room for
  EXPECT_EQ(cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_80\nnonsense\n", 2, names, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::string(log).size(), 9u);

  values[1] = size(sizeof log);
  EXPECT_EQ(cuModuleLoadDataEx(&module, kPtx, 6, names, values), CUDA_SUCCESS);
  EXPECT_STREQ(log, "");
  EXPECT_NE(values[4], nullptr);  // milliseconds, as a float
  CUjit_option unknown[] = {static_cast<CUjit_option>(99)};
  EXPECT_EQ(cuModuleLoadDataEx(&module, kPtx, 1, unknown, values), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDriverContext, FilesAndContainers) {
  const std::string file = ::testing::TempDir() + "driver_modules_test.ptx";
  std::FILE* out = std::fopen(file.c_str(), "w");
  ASSERT_NE(out, nullptr);
  std::fputs(kPtx, out);
  std::fclose(out);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoad(&module, file.c_str()), CUDA_SUCCESS);
  function("add", module);
  std::remove(file.c_str());

  const auto container = formats::write_fat_binary({{formats::FatKind::kPtx, 80, kPtx}});
  EXPECT_EQ(cuModuleLoadFatBinary(&module, container.data()), CUDA_SUCCESS);
  function("add", module);
  EXPECT_EQ(cuModuleLoadData(&module, container.data()), CUDA_SUCCESS);
}

// The host reaches it at the address that the program is told.
TEST_F(CudaDriverContext, AManagedVariableIsTheHostsToo) {
  const CUmodule module = load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 number = 5;
.visible .entry twice() {
  .reg .b32 %x; ld.global.u32 %x, [number]; add.u32 %x, %x, %x; st.global.u32 [number], %x; ret;
}
)");
  CUdeviceptr p = 0;
  size_t bytes = 0;
  int managed = 0;
  ASSERT_EQ(cuModuleGetGlobal(&p, &bytes, module, "number"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4u);
  auto* const here = reinterpret_cast<volatile unsigned*>(p);
  EXPECT_EQ(*here, 5u);
  *here = 7;
  EXPECT_EQ(cuLaunchKernel(function("twice", module), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(*here, 14u);
  EXPECT_EQ(number(p), 14);
  EXPECT_EQ(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p), CUDA_SUCCESS);
  EXPECT_EQ(managed & 1, 1);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::test
