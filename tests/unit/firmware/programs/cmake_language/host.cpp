// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

int device_count() {
  int n = 0;
  return cudaGetDeviceCount(&n) == cudaSuccess ? n : -1;
}
