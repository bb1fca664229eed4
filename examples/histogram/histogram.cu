// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes without atomics: every thread counts into its own column of shared memory, then
// each thread adds up one bin over all columns; a second kernel adds up the blocks.
//   histogram [bytes = 8192]
#include <vector>

#include "../common/example.h"

constexpr int kThreads = 64;
constexpr int kBins = 64;  // of four byte values each
constexpr int kBlocks = 4;

__global__ void count(const unsigned char* data, int n, int* block_bins) {
  // Bin-major, one column a thread: neighbours touch neighbouring banks whatever the bin.
  __shared__ unsigned short counts[kBins][kThreads];
  for (int bin = 0; bin < kBins; ++bin) counts[bin][threadIdx.x] = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads)
    ++counts[data[i] / (256 / kBins)][threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int t = 0; t < kThreads; ++t) sum += counts[threadIdx.x][(t + threadIdx.x) % kThreads];
  block_bins[blockIdx.x * kBins + threadIdx.x] = sum;
}

__global__ void add_blocks(const int* block_bins, int* bins) {
  int sum = 0;
  for (int block = 0; block < kBlocks; ++block) sum += block_bins[block * kBins + threadIdx.x];
  bins[threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  static_assert(kThreads == kBins, "one thread adds up one bin");
  const int n = example_argument(argc, argv, 1, 8192);
  std::vector<unsigned char> data(n);
  std::vector<int> bins(kBins), expected(kBins);
  ExampleRandom random(5);
  for (unsigned char& v : data) {
    v = (unsigned char)((random.bits() >> 8 & 0xff) * (random.bits() >> 8 & 0xff) / 256);
    ++expected[v / (256 / kBins)];
  }

  unsigned char* ddata;
  int *dblock_bins, *dbins;
  CHECK(cudaMalloc(&ddata, n));
  CHECK(cudaMalloc(&dblock_bins, kBlocks * kBins * sizeof(int)));
  CHECK(cudaMalloc(&dbins, kBins * sizeof(int)));
  CHECK(cudaMemcpy(ddata, data.data(), n, cudaMemcpyHostToDevice));
  count<<<kBlocks, kThreads>>>(ddata, n, dblock_bins);
  add_blocks<<<1, kBins>>>(dblock_bins, dbins);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(bins.data(), dbins, kBins * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(ddata));
  CHECK(cudaFree(dblock_bins));
  CHECK(cudaFree(dbins));

  int bad = 0;
  for (int i = 0; i < kBins; ++i)
    if (bins[i] != expected[i] && bad++ < 5)
      printf("bin %d: %d, expected %d\n", i, bins[i], expected[i]);
  printf("histogram of %d bytes in %d bins\n", n, kBins);
  return verdict(bad);
}
