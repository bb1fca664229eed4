// SPDX-License-Identifier: Apache-2.0
// faults MODE: one kernel that goes wrong; prints what the launch, the wait and the next call return.
#include <cstdio>
#include <cstring>

__global__ void store(int* p, long index) {
  p[index + threadIdx.x] = 7;  // line 7
}
__global__ void load(const int* p, int* out) {
  out[threadIdx.x] = *p;  // line 10
}
__device__ __noinline__ void inner(int* p, int value) {
  *p = value;  // line 13
}
__global__ void nested(int* p) {
  if (blockIdx.x == 1 && threadIdx.x == 37) inner(p, 1);
}
typedef void (*Function)(int*);
__global__ void indirect(Function f, int* p) { f(p); }  // line 19
__global__ void endless(volatile int* p) {
  while (*p == 0) {
  }
}
__global__ void stuck() {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 96;");
  else asm volatile("bar.sync 2, 96;");
}

int main(int argc, char** argv) {
  const auto mode = [&](const char* name) { return argc > 1 && std::strcmp(argv[1], name) == 0; };
  int* p = nullptr;
  if (cudaMalloc(&p, 400) != cudaSuccess) return 2;
  cudaMemset(p, 0, 400);
  auto* odd = reinterpret_cast<int*>(reinterpret_cast<char*>(p) + 2);
  if (mode("null-store")) store<<<1, 32>>>(nullptr, 0);
  else if (mode("null-load")) load<<<1, 32>>>(nullptr, p);
  else if (mode("far-store")) store<<<1, 32>>>(p, 1l << 30);
  else if (mode("odd-store")) store<<<1, 32>>>(odd, 0);
  else if (mode("odd-load")) load<<<1, 32>>>(odd, p);
  else if (mode("nested")) nested<<<2, 64>>>(nullptr);
  else if (mode("null-call")) indirect<<<1, 32>>>(nullptr, p);
  else if (mode("high-call")) indirect<<<1, 32>>>(reinterpret_cast<Function>(0x7f0000000200), p);
  else if (mode("wild-call")) indirect<<<1, 32>>>(reinterpret_cast<Function>(0x12345678), p);
  else if (mode("odd-call")) indirect<<<1, 32>>>(reinterpret_cast<Function>(0x103), p);
  else if (mode("endless")) endless<<<1, 32>>>(p);
  else if (mode("stuck")) stuck<<<1, 64>>>();
  else return 3;
  const cudaError_t launched = cudaGetLastError(), waited = cudaDeviceSynchronize(), freed = cudaFree(p);
  std::printf("%s %s %s\n", cudaGetErrorName(launched), cudaGetErrorName(waited), cudaGetErrorName(freed));
  return 0;
}
