// SPDX-License-Identifier: Apache-2.0
// What NVRTC made, loaded and launched by the driver API.
#include "tests/unit/runtime/cu/driver_fixture.h"
#include "tests/unit/runtime/nvrtc/program.h"

namespace heddle::test {
namespace {

constexpr const char* kSource = R"(
namespace N1 {
__constant__ int factor = 2;
static __device__ int own = 5;
}
template <typename T, int N> __global__ void fill(T* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = T(i * N * N1::factor + N1::own);
}
static __global__ void hidden(int* p, int n) { if (threadIdx.x < n) p[threadIdx.x] = -1; }
namespace { __global__ void inner(int* p, int n) { if (threadIdx.x < n) p[threadIdx.x] = -2; } }
)";

using NvrtcLaunches = CudaDriverContext;

int number_at(CUdeviceptr p) {
  int value = 0;
  EXPECT_EQ(cuMemcpyDtoH(&value, p, sizeof value), CUDA_SUCCESS);
  return value;
}

void check(CUmodule module, RtcProgram& program, CUdeviceptr p) {
  int n = 64;
  void* arguments[] = {&p, &n};
  const auto launch = [&](const char* expression) {
    CUfunction f = nullptr;
    ASSERT_EQ(cuModuleGetFunction(&f, module, program.lowered(expression).c_str()), CUDA_SUCCESS) << expression;
    ASSERT_EQ(cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  };
  const auto set = [&](const char* expression, int value) {
    CUdeviceptr at = 0;
    size_t bytes = 0;
    ASSERT_EQ(cuModuleGetGlobal(&at, &bytes, module, program.lowered(expression).c_str()), CUDA_SUCCESS) << expression;
    ASSERT_EQ(bytes, sizeof value);
    ASSERT_EQ(cuMemcpyHtoD(at, &value, sizeof value), CUDA_SUCCESS);
  };
  launch("fill<int, 3>");
  EXPECT_EQ(number_at(p + 4 * 10), 65);
  set("&N1::factor", 7);
  set("N1::own", 1);
  launch("fill<int, 3>");
  EXPECT_EQ(number_at(p + 4 * 10), 211);
  launch("hidden");
  EXPECT_EQ(number_at(p), -1);
  launch("inner");
  EXPECT_EQ(number_at(p), -2);
}

void add_names(RtcProgram& program) {
  for (const char* e : {"fill<int, 3>", "&N1::factor", "N1::own", "hidden", "inner"}) program.add(e);
}

TEST_F(NvrtcLaunches, PtxByNames) {
  for (const char* option : {"-arch=compute_80", "-G", "-lineinfo", "-use_fast_math"}) {
    RtcProgram program(kSource);
    add_names(program);
    const std::string ptx = program.ptx({option});
    check(load(ptx.c_str()), program, memory(256));
  }
}

TEST_F(NvrtcLaunches, MachineCodeByNames) {
  RtcProgram program(kSource);
  add_names(program);
  program.ptx({"--gpu-architecture=sm_80"});
  const std::string cubin = program.cubin();
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, cubin.data()), CUDA_SUCCESS);
  check(module, program, memory(256));
}

// Two programs compiled with -dc, linked by the driver.
TEST_F(NvrtcLaunches, SeparatelyCompiled) {
  RtcProgram kernel("extern __device__ int other(int);\nextern \"C\" __global__ void k(int* p) { *p = other(4); }\n");
  RtcProgram called("static __device__ int add = 1;\n__device__ int other(int x) { return x * x + add++; }\n");
  std::string texts[] = {kernel.ptx({"-dc"}), called.ptx({"-rdc=true"})};
  CUlinkState link = nullptr;
  ASSERT_EQ(cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  for (std::string& text : texts)
    ASSERT_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "part", 0, nullptr, nullptr),
              CUDA_SUCCESS);
  void* cubin = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cuLinkComplete(link, &cubin, &bytes), CUDA_SUCCESS);
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, cubin), CUDA_SUCCESS);
  CUdeviceptr p = memory(4);
  void* arguments[] = {&p};
  ASSERT_EQ(cuLaunchKernel(this->function("k", module), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(number(p), 17);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::test
