// SPDX-License-Identifier: Apache-2.0
// CUB: a block's collectives, and algorithms over the whole device. One argument: elements.
#include <algorithm>
#include <numeric>
#include <vector>

#include <cub/cub.cuh>

#include "../../../examples/common/example.h"

namespace {

constexpr int kThreads = 64, kItems = 2;

// Each block: its sum, its inclusive sums, its values in order.
__global__ void blocks(const int* in, int* sums, int* scanned, int* sorted) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } storage;
  const int first = blockIdx.x * kThreads * kItems + threadIdx.x * kItems;
  int items[kItems], sum[kItems];
  for (int i = 0; i < kItems; ++i) items[i] = in[first + i];
  const int total = Reduce(storage.reduce).Sum(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
  __syncthreads();
  Scan(storage.scan).InclusiveSum(items, sum);
  for (int i = 0; i < kItems; ++i) scanned[first + i] = sum[i];
  __syncthreads();
  Sort(storage.sort).Sort(items);
  for (int i = 0; i < kItems; ++i) sorted[first + i] = items[i];
}

int failures = 0;

template <typename T>
void check(const char* what, const T* device, const std::vector<T>& wanted) {
  std::vector<T> here(wanted.size());
  CHECK(cudaMemcpy(here.data(), device, here.size() * sizeof(T), cudaMemcpyDeviceToHost));
  if (here == wanted) return;
  printf("%s differs\n", what);
  ++failures;
}

template <typename T>
T* device(size_t n) {
  void* p = nullptr;
  CHECK(cudaMalloc(&p, n * sizeof(T)));
  return static_cast<T*>(p);
}

// Asks how much the algorithm needs, then runs it.
template <typename F>
void run(F&& algorithm) {
  size_t bytes = 0;
  CHECK(algorithm(nullptr, bytes));
  char* storage = device<char>(bytes);
  CHECK(algorithm(storage, bytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(storage));
}

}  // namespace

int main(int argc, char** argv) {
  const int per_block = kThreads * kItems;
  const int count = (example_argument(argc, argv, 1, 512) + per_block - 1) / per_block, n = count * per_block;
  ExampleRandom random(5);
  std::vector<int> host(n), index(n);
  for (int& x : host) x = int(random.bits() >> 8) % 5000 - 2500;
  std::iota(index.begin(), index.end(), 0);
  int *in = device<int>(n), *a = device<int>(n), *b = device<int>(n), *c = device<int>(n), *few = device<int>(count + 1);
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  blocks<<<count, kThreads>>>(in, few, a, b);
  CHECK_LAUNCH();
  std::vector<int> sums, scanned(n), sorted = host;
  for (int begin = 0; begin < n; begin += per_block) {
    const auto at = host.begin() + begin;
    sums.push_back(std::accumulate(at, at + per_block, 0));
    std::partial_sum(at, at + per_block, scanned.begin() + begin);
    std::sort(sorted.begin() + begin, sorted.begin() + begin + per_block);
  }
  check("a block's sum", few, sums);
  check("a block's scan", a, scanned);
  check("a block's sort", b, sorted);

  run([&](void* storage, size_t& bytes) { return cub::DeviceReduce::Max(storage, bytes, in, few, n); });
  check("largest", few, {*std::max_element(host.begin(), host.end())});

  run([&](void* storage, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(storage, bytes, in, a, n); });
  std::vector<int> before(n);
  std::exclusive_scan(host.begin(), host.end(), before.begin(), 0);
  check("scan", a, before);

  CHECK(cudaMemcpy(c, index.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  run([&](void* storage, size_t& bytes) { return cub::DeviceRadixSort::SortPairs(storage, bytes, in, a, c, b, n); });
  std::stable_sort(index.begin(), index.end(), [&](int x, int y) { return host[x] < host[y]; });
  std::sort(sorted.begin(), sorted.end());
  check("keys in order", a, sorted);
  check("values in their keys' order", b, index);

  unsigned* bins = device<unsigned>(4);
  run([&](void* storage, size_t& bytes) { return cub::DeviceHistogram::HistogramEven(storage, bytes, in, bins, 5, -2500, 2500, n); });
  std::vector<unsigned> counted(4);
  for (int x : host) ++counted[(x + 2500) / 1250];
  check("histogram", bins, counted);

  printf("%s\n", failures ? "FAIL" : "PASS");
  return failures != 0;
}
