// SPDX-License-Identifier: Apache-2.0
// Sum of an array: each block folds its part in shared memory, halving the active threads each step,
// and a second launch folds the blocks' sums.   reduction [elements = 32768]
#include <vector>

#include "../common/example.h"

constexpr int kThreads = 256;

__global__ void reduce(const int* in, int* out, int n) {
  __shared__ int partial[kThreads];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 32768);
  const int blocks = n < 16 * kThreads ? 1 : 16;
  std::vector<int> data(n);
  ExampleRandom random(4);
  int expected = 0;
  for (int& v : data) {
    v = (int)(random.bits() % 2001) - 1000;
    expected += v;
  }

  int *din, *dpartial, *dsum, sum = 0;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dpartial, blocks * sizeof(int)));
  CHECK(cudaMalloc(&dsum, sizeof(int)));
  CHECK(cudaMemcpy(din, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reduce<<<blocks, kThreads>>>(din, dpartial, n);
  reduce<<<1, kThreads>>>(dpartial, dsum, blocks);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&sum, dsum, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(din));
  CHECK(cudaFree(dpartial));
  CHECK(cudaFree(dsum));

  printf("sum of %d elements: %d, expected %d\n", n, sum, expected);
  return verdict(sum != expected);
}
