// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory in kernels: by cudaHostGetDevicePointer, by the host's own address, of registered memory.
#include <cstdlib>

#include "../../../examples/common/example.h"

namespace {

constexpr int kSize = 1000, kBytes = kSize * sizeof(float);

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int check(const char* what, const float* a, const float* b, const float* c) {
  int wrong = 0;
  for (int i = 0; i < kSize; ++i) wrong += c[i] != a[i] + b[i];
  if (wrong) printf("%s: %d wrong\n", what, wrong);
  return wrong;
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int bad = !properties.canMapHostMemory;
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
  float *host[3], *device[3];
  for (auto& h : host) CHECK(cudaHostAlloc(&h, kBytes, cudaHostAllocMapped));
  for (int k = 0; k < 3; ++k) CHECK(cudaHostGetDevicePointer(&device[k], host[k], 0));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kSize; ++i) host[0][i] = float(i + round), host[1][i] = float(2 * i);
    add<<<(kSize + 255) / 256, 256>>>(device[0], device[1], device[2], kSize);
    CHECK(cudaDeviceSynchronize());
    bad += check("mapped", host[0], host[1], host[2]);
    add<<<(kSize + 255) / 256, 256>>>(host[2], host[1], host[0], kSize);
    CHECK(cudaDeviceSynchronize());
    bad += check("by the host's address", host[2], host[1], host[0]);
  }
  auto* mine = static_cast<float*>(std::aligned_alloc(4096, 4096));
  float* of_mine = nullptr;
  CHECK(cudaHostRegister(mine, kBytes, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&of_mine, mine, 0));
  add<<<(kSize + 255) / 256, 256>>>(device[0], device[1], of_mine, kSize);
  CHECK(cudaHostUnregister(mine));
  bad += check("registered", host[0], host[1], mine);
  std::free(mine);
  for (auto* h : host) CHECK(cudaFreeHost(h));
  printf("%d wrong\n%s\n", bad, bad ? "FAIL" : "PASS");
  return bad != 0;
}
