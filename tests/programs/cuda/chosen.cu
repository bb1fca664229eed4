// SPDX-License-Identifier: Apache-2.0
// Launches that build on one another, of which some run on another device: chosen.sh says which. With an argument a kernel
// faults at the end.
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kSize = 1024, kLaunches = 40;

__device__ int rounds;
__constant__ int factor = 1;

__global__ void step(int* p) {
  __shared__ int tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = p[i] * factor;
  __syncthreads();
  p[i] = tile[threadIdx.x ^ 1] * 2 + i;
  if (i == 0) ++rounds;
}
__global__ void say(const int* p) {
  if (threadIdx.x == 0) printf("%d rounds, p[1] = %d\n", rounds, p[1]);
}
__global__ void fault(int* p) { p[size_t{1} << 40] = 1; }

}  // namespace

int main(int argc, char**) {
  const int three = 3;
  int* p = nullptr;
  std::vector<int> host(kSize), want(kSize), next(kSize);
  CHECK(cudaMalloc(&p, kSize * sizeof(int)));
  CHECK(cudaMemset(p, 0, kSize * sizeof(int)));
  CHECK(cudaMemcpyToSymbol(factor, &three, sizeof three));
  for (int n = 0; n < kLaunches; ++n) {
    step<<<kSize / 256, 256>>>(p);
    for (int i = 0; i < kSize; ++i) next[i] = static_cast<int>(static_cast<unsigned>(want[i ^ 1]) * 6 + i);
    want.swap(next);
  }
  say<<<1, 32>>>(p);
  CHECK(cudaMemcpy(host.data(), p, kSize * sizeof(int), cudaMemcpyDeviceToHost));
  if (argc > 1) {
    fault<<<1, 1>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  }
  int wrong = 0;
  for (int i = 0; i < kSize; ++i) wrong += host[i] != want[i];
  printf("%d wrong\n%s\n", wrong, wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
