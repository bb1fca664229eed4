// SPDX-License-Identifier: Apache-2.0
// What libraries name for kernels that launch kernels is declared, and nothing comes of it where it is not reached.
// NOT: cudaLaunchDevice
template <bool Launch>
__device__ cudaError_t start(void* function) {
  if constexpr (!Launch) return cudaErrorNotSupported;
  void* buffer = cudaGetParameterBuffer(64, 4);
  const cudaError_t error = cudaLaunchDevice(function, buffer, dim3(1), dim3(1), 0, nullptr);
  return error != cudaSuccess ? error : __cudaDeviceSynchronizeDeprecationAvoidance();
}
__global__ void k(int* p) { p[0] = start<false>(p); }
