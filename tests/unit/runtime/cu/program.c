/* SPDX-License-Identifier: Apache-2.0 */
/* Squares numbers by a kernel of PTX; with an argument it also calls what is refused. */
#include <cuda.h>
#include <stdio.h>

int cuGraphCreate();

static const char* const ptx =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry square(.param .u64 p) {\n"
    "  .reg .b64 %p, %o; .reg .b32 %i, %x;\n"
    "  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mul.wide.u32 %o, %i, 4; add.u64 %p, %p, %o;\n"
    "  ld.global.u32 %x, [%p]; mul.lo.u32 %x, %x, %x; st.global.u32 [%p], %x; ret;\n}\n";

static void check(CUresult result, const char* what) {
  const char* name = "?";
  if (result == CUDA_SUCCESS) return;
  cuGetErrorName(result, &name);
  printf("%s: %s\n", what, name);
}
#define CHECK(call) check(call, #call)

int main(int argc, char** argv) {
  enum { kCount = 32 };
  int numbers[kCount], count = 0, i, wrong = 0;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction square;
  CUdeviceptr p;
  void* arguments[1];
  const CUresult early = cuDeviceGet(&device, 0);
  (void)argv;
  CHECK(cuInit(0));
  CHECK(cuDeviceGetCount(&count));
  printf("%d device\nnot initialized: %d\n", count, early);
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate(&context, CU_CTX_SCHED_AUTO, device));
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&square, module, "square"));
  CHECK(cuMemAlloc(&p, sizeof numbers));
  for (i = 0; i < kCount; ++i) numbers[i] = i;
  CHECK(cuMemcpyHtoD(p, numbers, sizeof numbers));
  arguments[0] = &p;
  CHECK(cuLaunchKernel(square, 1, 1, 1, kCount, 1, 1, 0, CU_STREAM_PER_THREAD, arguments, NULL));
  CHECK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  CHECK(cuMemcpyDtoH(numbers, p, sizeof numbers));
  for (i = 0; i < kCount; ++i) wrong += numbers[i] != i * i;
  if (argc > 1) wrong += cuGraphCreate(NULL, 0) != CUDA_ERROR_NOT_SUPPORTED;
  CHECK(cuMemFree(p));
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
  puts(wrong ? "FAIL" : "PASS");
  return wrong;
}
