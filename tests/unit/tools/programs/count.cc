// SPDX-License-Identifier: Apache-2.0
// Prints how many devices the CUDA runtime that was loaded sees.
#include <cstdio>

extern "C" int cudaGetDeviceCount(int* count);

int main() {
  int count = -1;
  const int error = cudaGetDeviceCount(&count);
  std::printf("%d devices, error %d\n", count, error);
}
