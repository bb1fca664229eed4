/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the static runtime that loads the shared libraries it is given: all know what each did. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** files) {
  void* memory = 0;
  if (cudaMalloc(&memory, 64) != cudaSuccess) return 1;
  for (int i = 1; i < count; ++i) {
    void* library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    cudaError_t (*set)(void*, int, size_t) = dlsym(library, "cudaMemset");
    cudaError_t (*last)(void) = dlsym(library, "cudaGetLastError");
    cudaError_t (*version)(int*) = dlsym(library, "cudaRuntimeGetVersion");
    unsigned char value = 0;
    int which = 0;
    if (set(memory, i, 64) != cudaSuccess || version(&which) != cudaSuccess) return 3;
    if (cudaMemcpy(&value, (char*)memory + 63, 1, cudaMemcpyDeviceToHost) != cudaSuccess || value != i) return 4;
    if (cudaSetDevice(7) != cudaErrorInvalidDevice || last() != cudaErrorInvalidDevice ||
        cudaGetLastError() != cudaSuccess)
      return 5;
    printf("%d ", which);
    dlclose(library);
  }
  int version = 0;
  if (cudaRuntimeGetVersion(&version) != cudaSuccess || cudaFree(memory) != cudaSuccess) return 6;
  printf("%d\n", version);
  return 0;
}
