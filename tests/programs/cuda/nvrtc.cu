// SPDX-License-Identifier: Apache-2.0
// Kernels compiled at run time: a template by its name, a header in memory, constants, a source that is wrong; as PTX and as machine
// code, launched by the driver API beside a kernel of the program itself.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../../../examples/common/example.h"

#define CHECK_DRIVER(call)                                                      \
  do {                                                                          \
    const CUresult result = (call);                                             \
    const char* name = "?";                                                     \
    if (result != CUDA_SUCCESS) {                                               \
      cuGetErrorName(result, &name);                                            \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name); \
      return 1;                                                                 \
    }                                                                           \
  } while (0)
#define CHECK_NVRTC(call)                                                                              \
  do {                                                                                                 \
    const nvrtcResult result = (call);                                                                 \
    if (result != NVRTC_SUCCESS) {                                                                     \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nvrtcGetErrorString(result)); \
      return 1;                                                                                        \
    }                                                                                                  \
  } while (0)

static const char* const kSource = R"(
#include "steps.h"
namespace weights { __constant__ float scale; }
template <typename T, int Rounds> __global__ void blend(const T* a, const T* b, T* out, int n) {
  __shared__ T tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? a[i] : T(0);
  __syncthreads();
  T sum = tile[blockDim.x - 1 - threadIdx.x];
#pragma unroll
  for (int r = 0; r < Rounds; ++r) sum = step(sum, i < n ? b[i] : T(0));
  if (i < n) out[i] = sum * T(weights::scale);
}
)";
static const char* const kHeader = "template <typename T> __device__ T step(T x, T y) { return x + y * T(STEP); }\n";

__global__ void add_one(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1.0f;
}

constexpr int kCount = 256, kBlock = 64;
constexpr const char* kKernel = "blend<float, 3>";

// The image of the program's module, and its names.
static int build(const char* architecture, std::vector<char>& image, std::string& kernel, std::string& scale) {
  nvrtcProgram program;
  const char* names[] = {"steps.h"};
  CHECK_NVRTC(nvrtcCreateProgram(&program, kSource, "blend.cu", 1, &kHeader, names));
  CHECK_NVRTC(nvrtcAddNameExpression(program, kKernel));
  CHECK_NVRTC(nvrtcAddNameExpression(program, "&weights::scale"));
  const char* options[] = {architecture, "-DSTEP=2", "--std=c++17"};
  const nvrtcResult compiled = nvrtcCompileProgram(program, 3, options);
  size_t bytes = 0;
  CHECK_NVRTC(nvrtcGetProgramLogSize(program, &bytes));
  std::vector<char> log(bytes);
  CHECK_NVRTC(nvrtcGetProgramLog(program, log.data()));
  if (compiled != NVRTC_SUCCESS) std::fprintf(stderr, "%s", log.data());
  CHECK_NVRTC(compiled);
  const bool machine = std::strstr(architecture, "sm_");
  CHECK_NVRTC(machine ? nvrtcGetCUBINSize(program, &bytes) : nvrtcGetPTXSize(program, &bytes));
  image.resize(bytes);
  CHECK_NVRTC(machine ? nvrtcGetCUBIN(program, image.data()) : nvrtcGetPTX(program, image.data()));
  const char* name = nullptr;
  CHECK_NVRTC(nvrtcGetLoweredName(program, kKernel, &name));
  kernel = name;
  CHECK_NVRTC(nvrtcGetLoweredName(program, "&weights::scale", &name));
  scale = name;
  CHECK_NVRTC(nvrtcDestroyProgram(&program));
  return 0;
}

static int check_errors() {
  nvrtcProgram program;
  CHECK_NVRTC(nvrtcCreateProgram(&program, "__global__ void k() { wrong; }\n", "wrong.cu", 0, nullptr, nullptr));
  if (nvrtcCompileProgram(program, 0, nullptr) != NVRTC_ERROR_COMPILATION) return 1;
  size_t bytes = 0;
  CHECK_NVRTC(nvrtcGetProgramLogSize(program, &bytes));
  std::vector<char> log(bytes);
  CHECK_NVRTC(nvrtcGetProgramLog(program, log.data()));
  CHECK_NVRTC(nvrtcDestroyProgram(&program));
  return std::strstr(log.data(), "wrong.cu(1): error: ") == log.data() ? 0 : 1;
}

int main() {
  bool good = check_errors() == 0;
  std::vector<float> a(kCount), b(kCount), host(kCount);
  for (int i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(i % 7);
  }
  float *da, *db, *out;
  CHECK(cudaMalloc(&da, kCount * sizeof(float)));
  CHECK(cudaMalloc(&db, kCount * sizeof(float)));
  CHECK(cudaMalloc(&out, kCount * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  for (const char* architecture : {"--gpu-architecture=compute_80", "-arch=sm_80"}) {
    std::vector<char> image;
    std::string kernel, scale;
    if (build(architecture, image, kernel, scale) != 0) return 1;
    CUmodule module;
    CUfunction blend;
    CUdeviceptr constant;
    size_t bytes = 0;
    CHECK_DRIVER(cuModuleLoadData(&module, image.data()));
    CHECK_DRIVER(cuModuleGetFunction(&blend, module, kernel.c_str()));
    CHECK_DRIVER(cuModuleGetGlobal(&constant, &bytes, module, scale.c_str()));
    const float half = 0.5f;
    good = good && bytes == sizeof half;
    CHECK_DRIVER(cuMemcpyHtoD(constant, &half, sizeof half));
    int n = kCount;
    void* arguments[] = {&da, &db, &out, &n};
    CHECK_DRIVER(cuLaunchKernel(blend, kCount / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr, arguments, nullptr));
    add_one<<<kCount / kBlock, kBlock>>>(out, n);
    CHECK(cudaMemcpy(host.data(), out, kCount * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kCount; ++i) {
      const int mirrored = i / kBlock * kBlock + kBlock - 1 - i % kBlock;
      good = good && host[i] == (a[mirrored] + 6.0f * b[i]) * half + 1.0f;
    }
    CHECK_DRIVER(cuModuleUnload(module));
  }
  std::printf(good ? "PASS\n" : "FAIL\n");
  return good ? 0 : 1;
}
