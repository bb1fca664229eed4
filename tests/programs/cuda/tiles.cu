// SPDX-License-Identifier: Apache-2.0
// Cooperative groups' tiles of 64 to 1024 threads, as far as the device has blocks of them: their collectives, with memory of the program's
// and without; tiles within tiles; tiles of which some wait for themselves and others do not.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../../../examples/common/example.h"

namespace cg = cooperative_groups;

namespace {

constexpr unsigned kMost = 1024;

struct Mixed {
  double number;
  short half;
  char letter;
};

// Bit i of `failed`: check i failed.
struct Checks {
  unsigned failed = 0, check = 0;
  __device__ void expect(bool right) { failed |= (right ? 0u : 1u) << check++; }
};

template <typename Tile>
__device__ void collectives(const Tile& tile, unsigned* seen, Checks& checks) {
  constexpr unsigned size = Tile::size();
  const unsigned t = threadIdx.x, rank = t % size, first = t - rank;
  checks.expect(tile.thread_rank() == rank && tile.num_threads() == size && cg::group_size(tile) == size);
  const Mixed v = {t * 0.5, (short)(t + 100), (char)t};
  bool right = true;
  for (unsigned from = 0; from < size; from += 37) {
    const Mixed got = tile.shfl(v, from);
    const unsigned source = first + from;
    right = right && got.number == source * 0.5 && got.half == (short)(source + 100) && got.letter == (char)source;
  }
  checks.expect(right);
  checks.expect(tile.shfl((unsigned char)t, size - 1) == (unsigned char)(first + size - 1));
  const ulonglong4 wide = tile.shfl(make_ulonglong4(t, t + 1, t + 2, t + 3), 33);
  checks.expect(wide.x == first + 33 && wide.y == first + 34 && wide.z == first + 35 && wide.w == first + 36);
  checks.expect(tile.any(rank == size - 1) && !tile.any(rank >= size) && tile.any(1));
  checks.expect(!tile.all(rank != 1) && tile.all(rank < size) && !tile.all(0));
  checks.expect(cg::reduce(tile, t, cg::plus<unsigned>()) == size * first + size * (size - 1) / 2);
  checks.expect(cg::reduce(tile, (long long)t ^ 5, cg::less<long long>()) == (long long)first);
  checks.expect(cg::reduce(tile, -0.5f * (float)t, cg::greater<float>()) == -0.5f * (float)first);
  checks.expect(cg::reduce(tile, 1ull << rank % 64, cg::bit_or<unsigned long long>()) == ~0ull);
  checks.expect(cg::inclusive_scan(tile, t) == first * (rank + 1) + rank * (rank + 1) / 2);
  checks.expect(cg::exclusive_scan(tile, 2u) == 2 * rank);
  checks.expect(cg::inclusive_scan(tile, (int)rank, cg::greater<int>()) == (int)rank);
  checks.expect(cg::exclusive_scan(tile, (long long)(size - rank), cg::greater<long long>()) == (rank == 0 ? 0 : (long long)size));
  checks.expect(cg::invoke_one_broadcast(tile, [&] { return t; }) == first);
  // Each thread sees what the one of the next warp wrote, who comes to the barrier sooner or later than it.
  right = true;
  const unsigned beside = first + (rank + 32) % size;
  for (unsigned round = 1; round <= 4; ++round) {
    if (t / 32 % 4 == round % 4)
      for (unsigned i = 0; i < 40; ++i) __threadfence_block();
    seen[t] = round * kMost + t;
    tile.sync();
    right = right && ((volatile unsigned*)seen)[beside] == round * kMost + beside;
    cg::sync(tile);
  }
  checks.expect(right);
  cg::memcpy_async(tile, seen + first, seen + first, size * sizeof(unsigned));
  cg::wait(tile);
}

template <unsigned Size>
__global__ __launch_bounds__(Size) void without_memory(unsigned* wrong) {
  __shared__ unsigned seen[kMost];
  Checks checks;
  for (int again = 0; again < 2; ++again) {
    checks.check = 0;
    const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    checks.expect(tile.meta_group_rank() == threadIdx.x / Size && tile.meta_group_size() == blockDim.x / Size);
    collectives(tile, seen, checks);
  }
  wrong[threadIdx.x] = checks.failed;
}

template <unsigned Size>
__global__ __launch_bounds__(Size < kMost ? 2 * Size : Size) void with_memory(unsigned* wrong) {
  __shared__ unsigned seen[kMost];
  __shared__ cg::block_tile_memory<kMost> memory;
  Checks checks;
  const auto block = cg::this_thread_block(memory);
  const cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
  collectives(tile, seen, checks);
  // A warp of it, a tile of half its size, and that one's neighbour, which waits for itself more often.
  const auto warp = cg::tiled_partition<32>(tile);
  checks.expect(warp.meta_group_rank() == threadIdx.x % Size / 32 && warp.meta_group_size() == Size / 32);
  const auto half = cg::tiled_partition<Size / 2>(tile);
  checks.expect(half.meta_group_rank() == threadIdx.x % Size / (Size / 2) && half.meta_group_size() == 2);
  unsigned sum = 0;
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < (half.meta_group_rank() ? 3 : 1); ++i) sum += cg::reduce(half, 1u, cg::plus<unsigned>());
    half.sync();  // once: no other tile's barrier may count it
    sum += cg::reduce(tile, 1u, cg::plus<unsigned>());
  }
  checks.expect(sum == 3 * Size + 3 * (Size / 2) * (half.meta_group_rank() ? 3 : 1));
  wrong[threadIdx.x] = checks.failed;
}

// Tile n waits for itself n times and goes: sixteen of them in the largest block.
__global__ void apart(unsigned* wrong) {
  __shared__ cg::block_tile_memory<kMost> memory;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  unsigned sum = 0;
  if (tile.meta_group_rank() % 3 != 2)
    for (unsigned i = 0; i < tile.meta_group_rank(); ++i) {
      tile.sync();
      sum += tile.shfl(threadIdx.x, i) - threadIdx.x / 64 * 64 - i + 1;
    }
  wrong[threadIdx.x] = sum == (tile.meta_group_rank() % 3 == 2 ? 0 : tile.meta_group_rank()) ? 0 : 1;
}

int ran(void (*program)(unsigned*), const char* name, unsigned threads, unsigned* device) {
  unsigned wrong[kMost];
  int bad = 0;
  CHECK(cudaMemset(device, 0xff, sizeof wrong));
  program<<<1, threads>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(wrong, device, sizeof wrong, cudaMemcpyDeviceToHost));
  for (unsigned t = 0; t < threads; ++t)
    if (wrong[t] && bad++ < 5) printf("%s of %u threads, thread %u: checks %x failed\n", name, threads, t, wrong[t]);
  return bad;
}

}  // namespace

int main() {
  const struct {
    unsigned size;
    void (*without)(unsigned*);
    void (*with)(unsigned*);
  } programs[] = {{64, without_memory<64>, with_memory<64>},
                  {128, without_memory<128>, with_memory<128>},
                  {256, without_memory<256>, with_memory<256>},
                  {512, without_memory<512>, with_memory<512>},
                  {1024, without_memory<1024>, with_memory<1024>}};
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const unsigned most = (unsigned)properties.maxThreadsPerBlock;
  unsigned* device = nullptr;
  CHECK(cudaMalloc(&device, kMost * sizeof(unsigned)));
  int bad = 0, sizes = 0;
  for (const auto& program : programs) {
    if (program.size > most) continue;
    ++sizes;
    // One tile, and two where there is room for them.
    bad += ran(program.without, "tiles without memory", program.size, device);
    bad += ran(program.with, "tiles with memory", 2 * program.size <= most ? 2 * program.size : program.size, device);
  }
  bad += ran(apart, "tiles apart", most, device);
  printf("tiles of several warps: %d sizes, %d wrong\n%s\n", sizes, bad, bad || sizes < 3 ? "FAIL" : "PASS");
  return bad || sizes < 3 ? 1 : 0;
}
