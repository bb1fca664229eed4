// SPDX-License-Identifier: Apache-2.0
// A program of the driver API and NVRTC, by the toolkit package's targets.
#include <cuda.h>
#include <nvrtc.h>

int main() {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, "__global__ void k(int* p) { *p = 1; }\n", "k.cu", 0, nullptr, nullptr)) return 1;
  if (nvrtcCompileProgram(program, 0, nullptr) != NVRTC_SUCCESS) return 2;
  int version = 0;
  return nvrtcDestroyProgram(&program) || cuDriverGetVersion(&version) ? 3 : 0;
}
