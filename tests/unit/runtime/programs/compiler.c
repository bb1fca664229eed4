/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC's versions: of what the program is linked with, and of the libraries that it is given. Then it compiles. */
#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>

int main(int count, char** files) {
  int major = 0, minor = 0;
  nvrtcResult result = nvrtcVersion(&major, &minor);
  if (result != NVRTC_SUCCESS) {
    printf("error %d: %s\n", result, nvrtcGetErrorString(result));
    return 0;
  }
  printf("%d.%d ", major, minor);
  for (int i = 1; i < count; ++i) {
    void* library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    nvrtcResult (*version)(int*, int*) = dlsym(library, "nvrtcVersion");
    if (version(&major, &minor) != NVRTC_SUCCESS) return 2;
    printf("%d.%d ", major, minor);
  }
  nvrtcProgram program = NULL;
  if (nvrtcCreateProgram(&program, "__global__ void k(int* p) { *p = 1; }\n", NULL, 0, NULL, NULL) != NVRTC_SUCCESS) return 3;
  if ((result = nvrtcCompileProgram(program, 0, NULL)) != NVRTC_SUCCESS) {
    printf("error %d: %s\n", result, nvrtcGetErrorString(result));
    return 4;
  }
  printf("compiled\n");
  return nvrtcDestroyProgram(&program) != NVRTC_SUCCESS;
}
