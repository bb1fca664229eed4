// SPDX-License-Identifier: Apache-2.0
// kernel once|endless [reset|abort]: launches a kernel that ends, or one that does not; then perhaps resets the device
// and launches one that ends, or aborts.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_runtime_api.h"
#include "host-runtime/formats/fatbinary.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
int __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                           int*);
}

constexpr const char* kPtx = R"(.version 8.3
.target sm_80
.address_size 64
.visible .entry once() { ret; }
.visible .entry endless() { L: bra L; }
)";

int main(int argc, char** argv) {
  const auto container = heddle::formats::write_fat_binary({{heddle::formats::FatKind::kPtx, 80, kPtx}});
  struct {
    int magic = 0x466243b1, version = 1;
    const void* data;
    void* filename = nullptr;
  } wrapper;
  wrapper.data = container.data();
  const char* name = argc > 1 ? argv[1] : "once";
  char stub, once;
  void** const module = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(module, &stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(module, &once, nullptr, "once", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  void* none[] = {nullptr};
  cudaError_t error = cudaLaunchKernel(&stub, dim3(4), dim3(64), none, 0, nullptr);
  if (error == cudaSuccess) {
    std::printf("launched\n");
    std::fflush(stdout);
    error = cudaDeviceSynchronize();
  }
  std::printf("%s\n", cudaGetErrorName(error));
  if (argc > 2 && std::strcmp(argv[2], "reset") == 0) {
    cudaError_t again = cudaDeviceReset();
    if (again == cudaSuccess) again = cudaLaunchKernel(&once, dim3(4), dim3(64), none, 0, nullptr);
    if (again == cudaSuccess) again = cudaDeviceSynchronize();
    std::printf("after the reset: %s\n", cudaGetErrorName(again));
  }
  if (argc > 2 && std::strcmp(argv[2], "abort") == 0) std::abort();
  return error == cudaSuccess ? 0 : 3;
}
