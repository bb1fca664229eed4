/* SPDX-License-Identifier: Apache-2.0 */
/* The first calls, with arguments and results of all kinds. The number of devices, or the error. */
#include <cuda_runtime_api.h>
#include <stdio.h>

/* As nvcc's host code calls it before main. */
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);

int main(void) {
  struct cudaExtent extent = {100, 3, 2};
  struct cudaPitchedPtr box = {0};
  const cudaError_t error = cudaMalloc3D(&box, extent); /* the structure lies on the stack */
  const struct cudaChannelFormatDesc channel = cudaCreateChannelDesc(1, 2, 3, 4, cudaChannelFormatKindFloat);
  if (error != cudaSuccess) {
    int version = -1;
    if (cudaRuntimeGetVersion(&version) != error || cudaGetLastError() != error || version != -1) return 1;
    int* managed = NULL;
    __cudaRegisterManagedVar(NULL, (void**)&managed, NULL, "managed", 0, sizeof(int), 0, 0);
    if (!managed || *managed != 0) return 7;
    printf("error %d: %s\n", error, cudaGetErrorString(error));
    return 0;
  }
  if (box.pitch < 100 || box.xsize != 100 || box.ysize != 3) return 2;
  if (channel.x != 1 || channel.y != 2 || channel.z != 3 || channel.w != 4 || channel.f != cudaChannelFormatKindFloat)
    return 3;
  if (cudaMemset3D(box, 7, extent) != cudaSuccess) return 4;
  unsigned char last = 0;
  if (cudaMemcpy(&last, (char*)box.ptr + 5 * box.pitch + 99, 1, cudaMemcpyDeviceToHost) != cudaSuccess || last != 7)
    return 5;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 6;
  printf("%d device\n", count);
  return 0;
}
