// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks: where a block is, in up to three dimensions; exchanges through each other's shared memory, by
// loads, stores and atomics, and by pointers; the barrier in one and in two parts, blocks that have ended; more clusters
// than fit at a time; launches that are impossible.
#include <cooperative_groups.h>

#include <algorithm>
#include <vector>

#include "../../../examples/common/example.h"

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 64;

int mismatches = 0;

void expect(const char* what, long place, long got, long expected) {
  if (got != expected && mismatches++ < 10) printf("%s: %ld at %ld, expected %ld\n", what, got, place, expected);
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, dim3 cluster, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <typename T>
struct OnDevice {
  explicit OnDevice(size_t n) : host(n) {
    CHECK(cudaMalloc(&device, n * sizeof(T)));
    CHECK(cudaMemset(device, 0xee, n * sizeof(T)));
  }
  ~OnDevice() { CHECK(cudaFree(device)); }
  const std::vector<T>& read() {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  T* device;
  std::vector<T> host;
};

// ---- where a block is ----

struct Place {
  dim3 block, cluster, clusters, index, size;
  unsigned rank, blocks, specified, thread, threads, x, wide;
};

__global__ void where(Place* places) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + 3 != blockDim.x + blockDim.y + blockDim.z) return;
  const cg::cluster_group c = cg::this_cluster();
  const unsigned n = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  places[n] = {blockIdx,         __clusterIdx(),            __clusterGridDimInClusters(), c.block_index(), c.dim_blocks(),
               c.block_rank(),   c.num_blocks(),            __clusterDimIsSpecified(),    c.thread_rank(), c.num_threads(),
               c.thread_index().x, c.dim_threads().x};
}

void expect_place(const char* what, long n, const dim3& got, const dim3& expected) {
  expect(what, n, got.x, expected.x);
  expect(what, n, got.y, expected.y);
  expect(what, n, got.z, expected.z);
}

void test_places(dim3 grid, dim3 block, dim3 cluster) {
  OnDevice<Place> places(grid.x * grid.y * grid.z);
  const bool clusters = cluster.x != 0;
  if (clusters) {
    CHECK(launch(where, grid, block, cluster, places.device));
  } else {
    where<<<grid, block>>>(places.device);
    CHECK(cudaGetLastError());
  }
  const std::vector<Place>& got = places.read();
  if (!clusters) cluster = dim3(1, 1, 1);
  for (unsigned n = 0; n < got.size(); ++n) {
    const dim3 b(n % grid.x, n / grid.x % grid.y, n / grid.x / grid.y);
    const dim3 in(b.x % cluster.x, b.y % cluster.y, b.z % cluster.z);
    const unsigned blocks = cluster.x * cluster.y * cluster.z, threads = block.x * block.y * block.z;
    const unsigned rank = (in.z * cluster.y + in.y) * cluster.x + in.x;
    expect_place("block", n, got[n].block, b);
    expect_place("cluster", n, got[n].cluster, dim3(b.x / cluster.x, b.y / cluster.y, b.z / cluster.z));
    expect_place("clusters", n, got[n].clusters, dim3(grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z));
    expect_place("block in cluster", n, got[n].index, in);
    expect_place("size", n, got[n].size, cluster);
    expect("rank", n, got[n].rank, rank);
    expect("blocks", n, got[n].blocks, blocks);
    expect("specified", n, got[n].specified, clusters);
    expect("thread", n, got[n].thread, rank * threads + threads - 1);
    expect("threads", n, got[n].threads, blocks * threads);
    expect("x", n, got[n].x, in.x * block.x + block.x - 1);
    expect("width", n, got[n].wide, cluster.x * block.x);
  }
}

// ---- a ring: every block reads its neighbour's words ----

template <typename T>
__global__ void ring(T* out, int turns) {
  __shared__ T words[kThreads];
  const cg::cluster_group c = cg::this_cluster();
  const unsigned t = threadIdx.x, next = (c.block_rank() + 1) % c.num_blocks();
  T v = T(blockIdx.x * kThreads + t);
  for (int n = 0; n < turns; ++n) {
    words[t] = v;
    c.sync();
    v = c.map_shared_rank(words, next)[kThreads - 1 - t];
    c.sync();
  }
  out[blockIdx.x * kThreads + t] = v;
}

template <typename T>
void test_ring(const char* what, unsigned clusters, unsigned size, int turns) {
  const unsigned blocks = clusters * size;
  OnDevice<T> out(blocks * kThreads);
  CHECK(launch(ring<T>, blocks, kThreads, size, out.device, turns));
  const std::vector<T>& got = out.read();
  for (unsigned n = 0; n < got.size(); ++n) {
    const unsigned block = n / kThreads, first = block / size * size, t = n % kThreads;
    const unsigned from = first + (block - first + unsigned(turns)) % size;
    expect(what, n, long(got[n]), long(T(from * kThreads + (turns % 2 ? kThreads - 1 - t : t))));
  }
}

// 16 bytes at once, a byte at a time.
__global__ void wide(uint4* out) {
  __shared__ uint4 words[kThreads];
  __shared__ unsigned char bytes[kThreads * 16];
  const cg::cluster_group c = cg::this_cluster();
  const unsigned t = threadIdx.x, other = c.num_blocks() - 1 - c.block_rank(), id = blockIdx.x * kThreads + t;
  c.sync();  // they are there
  c.map_shared_rank(words, other)[t] = make_uint4(id, ~id, id * 3, id ^ 0x5555);
  c.sync();
  const unsigned char* const own = reinterpret_cast<const unsigned char*>(words + t);
  for (unsigned i = 0; i < 16; ++i) c.map_shared_rank(bytes, other)[t * 16 + 15 - i] = own[i];
  c.sync();
  out[id] = reinterpret_cast<const uint4*>(bytes)[t];
}

void test_wide(unsigned clusters, unsigned size) {
  OnDevice<uint4> out(clusters * size * kThreads);
  CHECK(launch(wide, clusters * size, kThreads, size, out.device));
  const std::vector<uint4>& got = out.read();
  for (unsigned id = 0; id < got.size(); ++id) {  // there and back: the own words, their bytes turned
    expect("wide", id, __builtin_bswap32(got[id].w), id);
    expect("wide", id, __builtin_bswap32(got[id].z), ~id);
    expect("wide", id, __builtin_bswap32(got[id].y), id * 3);
    expect("wide", id, __builtin_bswap32(got[id].x), id ^ 0x5555);
  }
}

// ---- a histogram, whose bins lie in all blocks of a cluster ----

constexpr unsigned kBinsOfABlock = 40;

__global__ void histogram(const unsigned* numbers, unsigned n, unsigned* totals) {
  __shared__ unsigned bins[kBinsOfABlock];
  const cg::cluster_group c = cg::this_cluster();
  const unsigned all = kBinsOfABlock * c.num_blocks();
  for (unsigned i = threadIdx.x; i < kBinsOfABlock; i += kThreads) bins[i] = 0;
  c.sync();
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    const unsigned bin = numbers[i] % all;
    atomicAdd(c.map_shared_rank(bins, bin / kBinsOfABlock) + bin % kBinsOfABlock, 1u);
  }
  c.sync();
  for (unsigned i = threadIdx.x; i < kBinsOfABlock; i += kThreads)
    atomicAdd(totals + c.block_rank() * kBinsOfABlock + i, bins[i]);
}

void test_histogram(unsigned clusters, unsigned size) {
  ExampleRandom random(size);
  std::vector<unsigned> numbers(5000), expected(kBinsOfABlock * size);
  for (unsigned& x : numbers) x = random.bits() % 7 ? random.bits() : 3, ++expected[x % expected.size()];
  OnDevice<unsigned> in(numbers.size()), totals(expected.size());
  CHECK(cudaMemcpy(in.device, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(totals.device, 0, expected.size() * 4));
  CHECK(launch(histogram, clusters * size, kThreads, size, in.device, numbers.size(), totals.device));
  const std::vector<unsigned>& got = totals.read();
  for (unsigned i = 0; i < got.size(); ++i) expect("histogram", i, got[i], expected[i]);
}

// Every kind of atomic, all threads of the cluster on one word each of the last block's.
struct Words {
  unsigned sum, highest, bits, last, turns;
  unsigned long long wide;
  float real;
  double real64;
  unsigned short half[2];
};

__global__ void atomics(Words* out, unsigned* order) {
  __shared__ Words words;
  const cg::cluster_group c = cg::this_cluster();
  if (threadIdx.x == 0) words = {};
  c.sync();
  Words* const w = c.map_shared_rank(&words, c.num_blocks() - 1);
  const unsigned t = c.thread_rank();
  order[blockIdx.x * kThreads + threadIdx.x] = atomicAdd(&w->sum, 1u);
  atomicMax(&w->highest, t);
  atomicOr(&w->bits, 1u << t % 32);
  atomicExch(&w->last, t + 1);
  atomicInc(&w->turns, 9);
  atomicAdd(&w->wide, 1ull << 33);
  atomicAdd(&w->real, 0.5f);
  atomicAdd(&w->real64, 0.25);
  for (unsigned short old = w->half[1], seen; (seen = atomicCAS(&w->half[1], old, (unsigned short)(old + 1))) != old;) old = seen;
  c.sync();
  if (threadIdx.x == 0 && c.block_rank() == c.num_blocks() - 1) out[__clusterIdx().x] = words;
}

void test_atomics(unsigned clusters, unsigned size) {
  const unsigned threads = size * kThreads;
  OnDevice<Words> out(clusters);
  OnDevice<unsigned> order(clusters * threads);
  CHECK(launch(atomics, clusters * size, kThreads, size, out.device, order.device));
  for (const Words& w : out.read()) {
    expect("atomic add", 0, w.sum, threads);
    expect("atomic max", 0, w.highest, threads - 1);
    expect("atomic or", 0, w.bits, 0xffffffffu);
    expect("atomic exch", 0, w.last >= 1 && w.last <= threads, 1);
    expect("atomic inc", 0, w.turns, threads % 10);
    expect("atomic add of 64 bits", 0, long(w.wide >> 33), threads);
    expect("atomic add of f32", 0, long(w.real * 2), threads);
    expect("atomic add of f64", 0, long(w.real64 * 4), threads);
    expect("atomic cas of 16 bits", 0, w.half[1], threads);
    expect("beside it", 0, w.half[0], 0);
  }
  std::vector<unsigned> seen = order.read();
  for (unsigned i = 0; i < clusters; ++i) {
    std::sort(seen.begin() + i * threads, seen.begin() + (i + 1) * threads);
    for (unsigned t = 0; t < threads; ++t) expect("what adds return", t, seen[i * threads + t], t);
  }
}

// ---- pointers that one block gives another ----

__global__ void pointers(unsigned* out) {
  __shared__ unsigned value;
  __shared__ unsigned* given;
  extern __shared__ unsigned dynamic[];
  const cg::cluster_group c = cg::this_cluster();
  const unsigned rank = c.block_rank(), next = (rank + 1) % c.num_blocks(),
                 before = (rank + c.num_blocks() - 1) % c.num_blocks();
  if (threadIdx.x == 0) value = 100 + rank;
  dynamic[threadIdx.x] = 1000 * rank + threadIdx.x;
  c.sync();
  if (threadIdx.x == 0) *c.map_shared_rank(&given, next) = &value;
  c.sync();
  unsigned failures = 0;
  failures += *given != 100 + before;
  failures += c.query_shared_rank(given) != before;
  failures += given != c.map_shared_rank(&value, before);
  failures += c.map_shared_rank(&value, rank) != &value;
  failures += c.query_shared_rank(&value) != rank;
  failures += c.map_shared_rank(given, rank) != &value;
  failures += !__isShared(&value) || !__isCtaShared(&value) || !__isClusterShared(&value);
  failures += !__isClusterShared(given) || __isCtaShared(given) != (before == rank);
  failures += __isClusterShared(out) || __isGlobal(given);
  unsigned* const dynamics = c.map_shared_rank(dynamic, before);
  failures += dynamics[threadIdx.x] != 1000 * before + threadIdx.x;
  c.sync();
  if (threadIdx.x == 0) atomicAdd(given, 10000u);
  c.sync();
  failures += value != 10100 + rank;
  out[blockIdx.x * kThreads + threadIdx.x] = failures;
}

void test_pointers(unsigned clusters, unsigned size) {
  OnDevice<unsigned> out(clusters * size * kThreads);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = clusters * size, config.blockDim = kThreads, config.dynamicSmemBytes = kThreads * 4;
  config.attrs = &attribute, config.numAttrs = 1;
  int most = 0, active = 0;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&most, pointers, &config));
  CHECK(cudaOccupancyMaxActiveClusters(&active, pointers, &config));
  expect("largest cluster", size, most, 8);
  expect("clusters fit", size, active > 0, 1);
  CHECK(cudaLaunchKernelEx(&config, pointers, out.device));
  for (const unsigned failures : out.read()) expect("pointers", size, failures, 0);
}

// ---- blocks and threads that have ended ----

__global__ void early(unsigned* out) {
  __shared__ unsigned words[kThreads];
  const cg::cluster_group c = cg::this_cluster();
  const unsigned t = threadIdx.x, rank = c.block_rank(), last = (c.num_blocks() - 1) & ~1u;
  if (rank % 2) return;      // whole blocks
  if (t % 3 == 2) return;    // and lanes of others
  words[t] = 10 * rank + t;
  c.sync();
  const unsigned got = c.map_shared_rank(words, last - rank)[t];
  if (t % 3 == 1) {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    return;
  }
  c.sync();
  out[blockIdx.x * kThreads + t] = got;
  c.sync();
}

void test_early(unsigned clusters, unsigned size) {
  OnDevice<unsigned> out(clusters * size * kThreads);
  CHECK(cudaMemset(out.device, 0, out.host.size() * 4));
  CHECK(launch(early, clusters * size, kThreads, size, out.device));
  const std::vector<unsigned>& got = out.read();
  for (unsigned n = 0; n < got.size(); ++n) {
    const unsigned t = n % kThreads, rank = n / kThreads % size, last = (size - 1) & ~1u;
    expect("early", n, got[n], rank % 2 || t % 3 ? 0 : 10 * (last - rank) + t);
  }
}

// ---- the barrier in two parts ----

__global__ void phases(unsigned* out, int turns) {
  __shared__ unsigned slots[2];
  const cg::cluster_group c = cg::this_cluster();
  const unsigned rank = c.block_rank(), next = (rank + 1) % c.num_blocks();
  unsigned failures = 0, own = 0;
  for (int n = 0; n < turns; ++n) {
    if (threadIdx.x == kThreads - 1) c.map_shared_rank(slots, next)[n % 2] = 100 * n + rank;
    cg::cluster_group::arrival_token token = c.barrier_arrive();
    for (unsigned i = 0; i < (rank * 7 + unsigned(n)) % 5; ++i) own += i * rank;  // between the two, for as long as it takes
    c.barrier_wait(static_cast<cg::cluster_group::arrival_token&&>(token));
    failures += slots[n % 2] != 100 * unsigned(n) + (rank + c.num_blocks() - 1) % c.num_blocks();
  }
  c.sync();
  out[blockIdx.x * kThreads + threadIdx.x] = failures + (own == ~0u);
}

void test_phases(unsigned clusters, unsigned size) {
  OnDevice<unsigned> out(clusters * size * kThreads);
  CHECK(launch(phases, clusters * size, kThreads, size, out.device, 20));
  for (const unsigned failures : out.read()) expect("phases", size, failures, 0);
}

// ---- many clusters, of which few fit at a time ----

__global__ void crowd(unsigned* out) {
  __shared__ unsigned words[4096];
  const cg::cluster_group c = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < 4096; i += kThreads) words[i] = blockIdx.x;
  c.sync();
  unsigned sum = 0;
  for (unsigned r = 0; r < c.num_blocks(); ++r) sum += c.map_shared_rank(words, r)[threadIdx.x * 61 % 4096];
  c.sync();
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

void test_crowd(unsigned clusters, unsigned size) {
  OnDevice<unsigned> out(clusters * size * kThreads);
  CHECK(launch(crowd, clusters * size, kThreads, size, out.device));
  const std::vector<unsigned>& got = out.read();
  for (unsigned n = 0; n < got.size(); ++n) {
    const unsigned first = n / kThreads / size * size;
    expect("crowd", n, got[n], size * first + size * (size - 1) / 2);
  }
}

// ---- clusters that a kernel is compiled for ----

__global__ void __cluster_dims__(2, 1, 1) pairs(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = 100 * cg::this_cluster().block_rank() + cg::this_cluster().num_blocks();
}

void test_pairs() {
  OnDevice<unsigned> out(6);
  pairs<<<6, kThreads>>>(out.device);
  CHECK(cudaGetLastError());
  const std::vector<unsigned>& got = out.read();
  for (unsigned n = 0; n < got.size(); ++n) expect("pairs", n, got[n], 100 * (n % 2) + 2);
  pairs<<<5, kThreads>>>(out.device);
  expect("five blocks in pairs", 0, cudaGetLastError(), cudaErrorInvalidClusterSize);
  expect("pairs in fours", 0, launch(pairs, 8, kThreads, 4, out.device), cudaErrorInvalidClusterSize);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, pairs));
  expect("must be set", 0, attributes.clusterDimMustBeSet, 1);
  expect("width", 0, attributes.requiredClusterWidth, 2);
}

// ---- impossible launches ----

void test_errors() {
  OnDevice<unsigned> out(kThreads * 32);
  for (const dim3& cluster : {dim3(0, 1, 1), dim3(3), dim3(1, 2), dim3(16), dim3(32)})
    expect("cluster", cluster.x, launch(phases, 32, kThreads, cluster, out.device, 1), cudaErrorInvalidClusterSize);
  expect("block", 0, launch(phases, 32, 2000, 2, out.device, 1), cudaErrorInvalidValue);
  cudaGetLastError();
  expect("the one before", 0, launch(phases, 32, kThreads, 2, out.device, 1), cudaSuccess);
  CHECK(cudaDeviceSynchronize());
}

}  // namespace

int main() {
  test_places(6, 32, dim3(0, 0, 0));
  test_places(6, 32, 1);
  test_places(12, 96, 3);
  test_places(dim3(4, 6), dim3(8, 4), dim3(2, 3));
  test_places(dim3(2, 4, 6), dim3(4, 2, 8), dim3(1, 4, 2));
  test_places(dim3(2, 2, 2), 33, dim3(2, 2, 2));
  CHECK(cudaFuncSetAttribute(crowd, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (const unsigned size : {1u, 2u, 3u, 8u}) {
    test_ring<unsigned>("ring", 3, size, 5);
    test_ring<unsigned short>("ring of 16 bits", 2, size, 2);
    test_ring<long long>("ring of 64 bits", 2, size, 3);
    test_wide(2, size);
    test_histogram(2, size);
    test_atomics(2, size);
    test_pointers(2, size);
    test_early(2, size);
    test_phases(2, size);
    test_crowd(40 / size, size);
  }
  test_crowd(2, 12);
  test_pairs();
  test_errors();
  return verdict(mismatches);
}
