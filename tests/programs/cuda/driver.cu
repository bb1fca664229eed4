// SPDX-License-Identifier: Apache-2.0
// Runtime and driver API in one program: memory, streams, events and kernels of each are used by the other.
#include <cuda.h>

#include <cstdio>
#include <vector>

#include "../../../examples/common/example.h"

#define CHECK_DRIVER(call)                                                            \
  do {                                                                                \
    const CUresult result = (call);                                                   \
    const char* name = "?";                                                           \
    if (result != CUDA_SUCCESS) {                                                     \
      cuGetErrorName(result, &name);                                                  \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name);       \
      return 1;                                                                       \
    }                                                                                 \
  } while (0)

__device__ int factor = 3;

extern "C" __global__ void scale(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

static const char* const kAddOne = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry add_one(.param .u64 p, .param .u32 n) {
  .reg .b64 %p, %o; .reg .b32 %i, %n, %x, %y; .reg .pred %q;
  ld.param.u64 %p, [p]; ld.param.u32 %n, [n];
  mov.u32 %i, %ctaid.x; mov.u32 %x, %ntid.x; mov.u32 %y, %tid.x; mad.lo.u32 %i, %i, %x, %y;
  setp.ge.u32 %q, %i, %n; @%q ret;
  mul.wide.u32 %o, %i, 4; add.u64 %p, %p, %o; ld.global.u32 %x, [%p]; add.u32 %x, %x, 1; st.global.u32 [%p], %x;
  ret;
}
)";

int main() {
  constexpr int kCount = 1000;
  std::vector<int> host(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = i;
  int n = kCount;

  // The runtime's memory and stream, the driver's kernel.
  int* data = nullptr;
  cudaStream_t stream;
  CHECK(cudaMalloc(&data, kCount * sizeof(int)));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyAsync(data, host.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, stream));
  CUcontext context = nullptr, retained = nullptr;
  CHECK_DRIVER(cuCtxGetCurrent(&context));
  CHECK_DRIVER(cuDevicePrimaryCtxRetain(&retained, 0));
  bool good = context && context == retained;
  CUmodule module;
  CUfunction add_one, scale_function;
  CHECK_DRIVER(cuModuleLoadData(&module, kAddOne));
  CHECK_DRIVER(cuModuleGetFunction(&add_one, module, "add_one"));
  void* arguments[] = {&data, &n};
  CHECK_DRIVER(cuLaunchKernel(add_one, 4, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));

  // The program's own kernel, by <<<>>> and as a function of the driver's.
  scale<<<4, 256, 0, stream>>>(data, n);
  CHECK(cudaGetFuncBySymbol(&scale_function, reinterpret_cast<const void*>(scale)));
  CHECK_DRIVER(cuLaunchKernel(scale_function, 4, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));

  // The driver's event, waited for by the runtime.
  CUevent event;
  CHECK_DRIVER(cuEventCreate(&event, CU_EVENT_DEFAULT));
  CHECK_DRIVER(cuEventRecord(event, stream));
  CHECK(cudaEventSynchronize(event));
  CHECK_DRIVER(cuMemcpyDtoH(host.data(), reinterpret_cast<CUdeviceptr>(data), kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i) good = good && host[i] == (i + 1) * 9;

  // The driver's memory, freed by the runtime; a context of its own beside the primary one.
  CUdeviceptr p;
  CHECK_DRIVER(cuMemAlloc(&p, 64));
  CHECK(cudaFree(reinterpret_cast<void*>(p)));
  CUcontext own;
  CHECK_DRIVER(cuCtxCreate(&own, 0, 0));
  CHECK_DRIVER(cuMemAlloc(&p, 64));
  CHECK_DRIVER(cuMemsetD32(p, 5, 16));
  CHECK_DRIVER(cuCtxDestroy(own));
  good = good && cuMemFree(p) == CUDA_ERROR_INVALID_VALUE && cudaPeekAtLastError() == cudaSuccess;
  CHECK(cudaMemcpy(host.data(), data, sizeof(int), cudaMemcpyDeviceToHost));
  good = good && host[0] == 9;
  CHECK_DRIVER(cuModuleUnload(module));
  CHECK_DRIVER(cuDevicePrimaryCtxRelease(0));
  std::puts(good ? "PASS" : "FAIL");
  return !good;
}
