// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cuda_runtime_api.h"
#include "tests/unit/runtime/cu/driver_fixture.h"

namespace heddle::test {
namespace {

CUlibrary library(const char* ptx = kPtx) {
  CUlibrary loaded = nullptr;
  EXPECT_EQ(cuLibraryLoadData(&loaded, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  return loaded;
}

CUkernel kernel(CUlibrary of, const char* name) {
  CUkernel found = nullptr;
  EXPECT_EQ(cuLibraryGetKernel(&found, of, name), CUDA_SUCCESS);
  return found;
}

// table[0], which bump adds and raises, is each context's own.
TEST_F(CudaDriver, EachContextHasItsModule) {
  const CUlibrary loaded = library();
  const CUkernel bump = kernel(loaded, "bump");
  EXPECT_EQ(kernel(loaded, "bump"), bump);
  CUfunction functions[2];
  for (CUfunction& f : functions) {
    create();
    CUdeviceptr p = memory(4), table = 0;
    size_t bytes = 0;
    void* arguments[] = {&p};
    // The kernel itself is launched, too.
    EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(bump), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuKernelGetFunction(&f, bump), CUDA_SUCCESS);
    EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(number(p), 3);
    EXPECT_EQ(cuLibraryGetGlobal(&table, &bytes, loaded, "table"), CUDA_SUCCESS);
    EXPECT_EQ(bytes, 16u);
    EXPECT_EQ(number(table), 3);
  }
  EXPECT_NE(functions[0], functions[1]);
  CUcontext gone = nullptr;
  EXPECT_EQ(cuCtxPopCurrent(&gone), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy(gone), CUDA_SUCCESS);
  CUmodule module = nullptr;
  EXPECT_EQ(cuLibraryGetModule(&module, loaded), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(cuLibraryUnload(loaded), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(loaded), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuKernelGetFunction(functions, bump), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaDriverContext, KernelsAreCountedNamedAndAsked) {
  const CUlibrary loaded = library();
  unsigned count = 0;
  ASSERT_EQ(cuLibraryGetKernelCount(&count, loaded), CUDA_SUCCESS);
  EXPECT_EQ(count, 4u);
  CUkernel kernels[8] = {};
  EXPECT_EQ(cuLibraryEnumerateKernels(kernels, 8, loaded), CUDA_SUCCESS);
  EXPECT_NE(kernels[3], nullptr);
  EXPECT_EQ(kernels[4], nullptr);
  const char* name = nullptr;
  EXPECT_EQ(cuKernelGetName(&name, kernel(loaded, "empty")), CUDA_SUCCESS);
  EXPECT_STREQ(name, "empty");
  CUlibrary of = nullptr;
  EXPECT_EQ(cuKernelGetLibrary(&of, kernels[0]), CUDA_SUCCESS);
  EXPECT_EQ(of, loaded);
  size_t offset = 0, bytes = 0;
  EXPECT_EQ(cuKernelGetParamInfo(kernel(loaded, "add"), 3, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(offset, 24u);
  EXPECT_EQ(bytes, 4u);
  int threads = 0;
  EXPECT_EQ(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel(loaded, "empty"), 0),
            CUDA_SUCCESS);
  EXPECT_EQ(threads, 128);
  EXPECT_EQ(cuLibraryUnload(loaded), CUDA_SUCCESS);
}

TEST_F(CudaDriverContext, WrongImagesAreFoundOutWhenTheyAreUsed) {
  const CUlibrary wrong = library(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { what; }\n");
  CUkernel none = nullptr;
  EXPECT_EQ(cuLibraryGetKernel(&none, wrong, "f"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuLibraryUnload(wrong), CUDA_SUCCESS);
}

TEST_F(CudaDriver, TheRuntimesLibrariesAreTheSame) {
  cudaLibrary_t loaded = nullptr;
  cudaKernel_t bump = nullptr;
  ASSERT_EQ(cudaLibraryLoadData(&loaded, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaLibraryGetKernel(&bump, loaded, "bump"), cudaSuccess);
  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 4), cudaSuccess);
  ASSERT_EQ(cudaMemset(p, 0, 4), cudaSuccess);
  void* arguments[] = {&p};
  EXPECT_EQ(cudaLaunchKernel(bump, dim3(1), dim3(1), arguments, 0, nullptr), cudaSuccess);
  int value = 0;
  EXPECT_EQ(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaKernelSetAttributeForDevice(bump, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0), cudaSuccess);
  EXPECT_EQ(cudaLibraryGetKernel(&bump, loaded, "absent"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaGetLastError(), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(loaded), cudaSuccess);
}

}  // namespace
}  // namespace heddle::test
