// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/runtime/cu/driver_fixture.h"

#include <cstdlib>

namespace heddle::test {

const char* const kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .b64 %a, %b, %c, %o; .reg .b32 %i, %n, %x, %y; .reg .pred %p;
  ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c]; ld.param.u32 %n, [n];
  mov.u32 %i, %ctaid.x; mov.u32 %x, %ntid.x; mov.u32 %y, %tid.x; mad.lo.u32 %i, %i, %x, %y;
  setp.ge.u32 %p, %i, %n; @%p ret;
  mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o; add.u64 %b, %b, %o; add.u64 %c, %c, %o;
  ld.global.u32 %x, [%a]; ld.global.u32 %y, [%b]; add.u32 %x, %x, %y; st.global.u32 [%c], %x;
  ret;
}
.visible .entry bump(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %x, %t;
  ld.param.u64 %p, [p]; ld.global.u32 %t, [table]; ld.global.u32 %x, [%p]; add.u32 %x, %x, %t; st.global.u32 [%p], %x;
  add.u32 %t, %t, 1; st.global.u32 [table], %t;
  ret;
}
.visible .entry empty() .maxntid 128, 1, 1 { ret; }
.visible .entry wild() { .reg .b64 %a; .reg .b32 %x; mov.u64 %a, 8; mov.u32 %x, 1; st.global.u32 [%a], %x; ret; }
)";

void CudaDriver::SetUpTestSuite() {
  setenv("HEDDLE_DEVICE", "model", 1);
  setenv("HEDDLE_HOME", HEDDLE_BUILD_DIR, 1);
}

void CudaDriver::SetUp() { ASSERT_EQ(cuInit(0), CUDA_SUCCESS); }

void CudaDriver::TearDown() {
  CUcontext context = nullptr;
  while (cuCtxPopCurrent(&context) == CUDA_SUCCESS) (void)cuCtxDestroy(context);
  EXPECT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  while (cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS) {
  }
}

CUcontext CudaDriver::create() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  return context;
}

CUmodule CudaDriver::load(const char* ptx) {
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
  return module;
}

CUfunction CudaDriver::function(const char* name, CUmodule module) {
  CUfunction f = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&f, module ? module : load(), name), CUDA_SUCCESS);
  return f;
}

CUdeviceptr CudaDriver::memory(size_t bytes) {
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAlloc(&p, bytes), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(p, 0, bytes), CUDA_SUCCESS);
  return p;
}

int CudaDriver::number(CUdeviceptr p) {
  int value = -1;
  EXPECT_EQ(cuMemcpyDtoH(&value, p, sizeof value), CUDA_SUCCESS);
  return value;
}

void CudaDriverContext::SetUp() {
  CudaDriver::SetUp();
  context = create();
}

}  // namespace heddle::test
