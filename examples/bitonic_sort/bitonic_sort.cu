// SPDX-License-Identifier: Apache-2.0
// Bitonic sort: a network of compare-and-swap steps, one launch each while partners lie in different
// blocks, the rest of a stage in shared memory.   bitonic_sort [log2 of elements = 10]
#include <algorithm>
#include <vector>

#include "../common/example.h"

constexpr int kBlock = 256;  // elements, and threads, of one block

__device__ static void compare_swap(unsigned& a, unsigned& b, bool ascending) {
  if ((a > b) == ascending) {
    const unsigned t = a;
    a = b;
    b = t;
  }
}

// One step over global memory: partners `distance` apart, runs of `length` alternate in direction.
__global__ void step_global(unsigned* data, unsigned length, unsigned distance) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ distance;
  if (partner > i) compare_swap(data[i], data[partner], (i & length) == 0);
}

// All steps of distance below kBlock, for the stages from `first` to `last`, inside shared memory.
__global__ void steps_shared(unsigned* data, unsigned first, unsigned last) {
  __shared__ unsigned s[kBlock];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * kBlock + t;
  s[t] = data[i];
  __syncthreads();
  for (unsigned length = first; length <= last; length *= 2)
    for (unsigned distance = min(length / 2, kBlock / 2); distance > 0; distance /= 2) {
      const unsigned partner = t ^ distance;
      if (partner > t) compare_swap(s[t], s[partner], (i & length) == 0);
      __syncthreads();
    }
  data[i] = s[t];
}

int main(int argc, char** argv) {
  const int log2n = example_argument(argc, argv, 1, 10, 8);
  if (log2n > 24) {
    fprintf(stderr, "at most 24\n");
    return 2;
  }
  const unsigned n = 1u << log2n;
  std::vector<unsigned> data(n);
  ExampleRandom random(7);
  for (unsigned& v : data) v = random.bits();
  std::vector<unsigned> expected(data);
  std::sort(expected.begin(), expected.end());

  unsigned* ddata;
  CHECK(cudaMalloc(&ddata, n * sizeof(unsigned)));
  CHECK(cudaMemcpy(ddata, data.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  const unsigned blocks = n / kBlock;
  steps_shared<<<blocks, kBlock>>>(ddata, 2, kBlock);
  for (unsigned length = 2 * kBlock; length <= n; length *= 2) {
    for (unsigned distance = length / 2; distance >= kBlock; distance /= 2)
      step_global<<<blocks, kBlock>>>(ddata, length, distance);
    steps_shared<<<blocks, kBlock>>>(ddata, length, length);
  }
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(data.data(), ddata, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(ddata));

  int bad = 0;
  for (unsigned i = 0; i < n; ++i)
    if (data[i] != expected[i] && bad++ < 5)
      printf("data[%u] = %u, expected %u\n", i, data[i], expected[i]);
  printf("bitonic sort of %u elements\n", n);
  return verdict(bad);
}
