// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: shuffles of structs, vectors and words in tiles and among the lanes that are together; reductions, scans,
// partitions; then the whole grid, which a cooperative launch keeps together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../../../examples/common/example.h"

namespace cg = cooperative_groups;

namespace {

struct Mixed {
  double number;
  short half;
  char letter;
};

__device__ Mixed mixed(unsigned t) { return {t * 0.5, (short)(t + 100), (char)t}; }
__device__ bool is(const Mixed& m, unsigned t) {
  return m.number == t * 0.5 && m.half == (short)(t + 100) && m.letter == (char)t;
}

// Bit i of `wrong`: check i failed.
__global__ void kernel(unsigned* wrong) {
  const unsigned t = threadIdx.x, rank = t % 8, first = t - rank;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  unsigned failed = 0, check = 0;
  const auto expect = [&](bool right) { failed |= (right ? 0u : 1u) << check++; };
  const Mixed v = mixed(t);
  expect(is(tile.shfl(v, 5), first + 5));
  expect(is(tile.shfl_xor(v, 3), t ^ 3));
  expect(is(tile.shfl_down(v, 2), rank >= 6 ? t : t + 2));
  expect(is(tile.shfl_up(v, 1), rank ? t - 1 : t));
  const uint4 q = tile.shfl(make_uint4(t, t + 1, t + 2, t + 3), 0);
  expect(q.x == first && q.y == first + 1 && q.z == first + 2 && q.w == first + 3);
  expect(tile.shfl_xor((unsigned char)(t + 200), 1) == (unsigned char)((t ^ 1) + 200));
  expect(cg::reduce(tile, (int)t, cg::plus<int>()) == (int)(8 * first + 28));
  expect(cg::reduce(tile, t ^ 5u, cg::less<unsigned>()) == first);
  expect(cg::reduce(tile, -0.5f * (float)t, cg::greater<float>()) == -0.5f * (float)first);
  expect(cg::reduce(tile, 1ull << (8 * rank), cg::bit_or<unsigned long long>()) == 0x0101010101010101ull);
  expect(cg::reduce(tile, t, cg::bit_xor<unsigned>()) == 0 && cg::reduce(tile, t, cg::bit_and<unsigned>()) == first);
  if (t % 3 == 1) {
    const auto group = cg::coalesced_threads();
    const unsigned lane = t % 32, warp = t - lane;
    unsigned members = 0, mine = 0, least = ~0u, sum = 0;
    for (unsigned l = 0; l < 32; ++l) {
      if ((warp + l) % 3 != 1) continue;
      if (warp + l < t) ++mine;
      if (least == ~0u) least = warp + l;
      ++members, sum += warp + l;
    }
    expect(group.size() == members && group.thread_rank() == mine);
    expect(is(group.shfl(v, 2), least + 6));
    expect(is(group.shfl_down(v, 1), mine + 1 < members ? t + 3 : t));
    expect(is(group.shfl_up(v, 1), mine ? t - 3 : t));
    expect(cg::reduce(group, t, cg::plus<unsigned>()) == sum);
  }
  wrong[t] = failed;
}

__global__ void partitions(unsigned* wrong) {
  const unsigned t = threadIdx.x, lane = t % 32;
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto tile = cg::tiled_partition<8>(warp);
  unsigned failed = 0, check = 0;
  const auto expect = [&](bool right) { failed |= (right ? 0u : 1u) << check++; };
  expect(tile.meta_group_rank() == lane / 8 && tile.meta_group_size() == 4);
  expect(!cg::this_grid().is_valid());  // no cooperative launch
  expect(warp.meta_group_rank() == t / 32 && warp.meta_group_size() == 3);
  expect(cg::inclusive_scan(tile, t) == (t - t % 8) * (t % 8 + 1) + t % 8 * (t % 8 + 1) / 2);
  expect(cg::exclusive_scan(tile, 2u) == 2 * (t % 8));
  int most = -1;
  for (unsigned l = 0; l <= lane; ++l) most = (int)(l ^ 5) > most ? (int)(l ^ 5) : most;
  expect(cg::inclusive_scan(warp, (int)(lane ^ 5), cg::greater<int>()) == most);
  // By a bit, by labels of two widths, by rank.
  const auto halves = cg::binary_partition(warp, lane % 3 == 0);
  expect(halves.size() == (lane % 3 == 0 ? 11 : 21) && halves.meta_group_rank() == (lane % 3 == 0) && halves.meta_group_size() == 2);
  expect(halves.thread_rank() == (lane % 3 == 0 ? lane / 3 : lane - lane / 3 - 1));
  expect(cg::inclusive_scan(halves, 1) == (int)halves.thread_rank() + 1);
  const auto fifths = cg::labeled_partition(warp, (int)((lane + 2) % 5));
  expect(fifths.size() == (lane % 5 < 2 ? 7 : 6) && fifths.meta_group_rank() == lane % 5 && fifths.meta_group_size() == 5);
  expect(cg::reduce(fifths, lane, cg::less<unsigned>()) == lane % 5);
  const auto wide = cg::labeled_partition(warp, (long long)(lane & 1) << 40);
  expect(wide.size() == 16 && wide.ballot(lane < 8) == 0xf && wide.match_any(lane / 8) == 0xfu << 4 * (lane / 8));
  if (lane % 4 == 1) {
    const auto together = cg::coalesced_threads();
    const auto three = cg::tiled_partition<3>(together);
    expect(together.size() == 8 && three.size() == (lane / 4 < 6 ? 3 : 2) && three.thread_rank() == lane / 4 % 3);
    expect(three.meta_group_rank() == lane / 12 && three.meta_group_size() == 3);
    expect(cg::exclusive_scan(three, lane) == (three.thread_rank() == 0 ? 0 : three.thread_rank() == 1 ? lane - 4 : 2 * lane - 12));
    expect(cg::invoke_one_broadcast(three, [&] { return lane; }) == lane / 12 * 12 + 1);
  }
  wrong[t] = failed;
}

// Each round moves every number to the thread before, through all blocks of the grid.
__global__ void rotate(unsigned* data, unsigned rounds) {
  const auto grid = cg::this_grid();
  const unsigned n = (unsigned)grid.size(), i = (unsigned)grid.thread_rank();
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned next = data[(i + 1) % n];
    grid.sync();
    data[i] = next;
    auto token = grid.barrier_arrive();
    grid.barrier_wait(static_cast<cg::grid_group::arrival_token&&>(token));
  }
}

unsigned rotated() {
  cudaDeviceProp device;
  int per_sm = 0;
  constexpr int threads = 64;
  CHECK(cudaGetDeviceProperties(&device, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, rotate, threads, 0));
  const int most = per_sm * device.multiProcessorCount, blocks = most < 12 ? most : 12;
  const unsigned n = (unsigned)blocks * threads;
  unsigned *data = nullptr, rounds = 3, bad = device.cooperativeLaunch ? 0 : 1;
  CHECK(cudaMallocManaged(&data, n * sizeof(unsigned)));
  for (unsigned i = 0; i < n; ++i) data[i] = i;
  void* arguments[] = {&data, &rounds};
  CHECK(cudaLaunchCooperativeKernel((void*)rotate, blocks, threads, arguments, 0, 0));
  CHECK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < n; ++i) bad += data[i] != (i + rounds) % n;
  // One block more than there is room for.
  if (cudaLaunchCooperativeKernel((void*)rotate, most + 1, threads, arguments, 0, 0) != cudaErrorCooperativeLaunchTooLarge) ++bad;
  if (cudaGetLastError() != cudaErrorCooperativeLaunchTooLarge) ++bad;
  return bad;
}

}  // namespace

int main() {
  constexpr int threads = 96;
  unsigned *device = nullptr, wrong[threads];
  CHECK(cudaMalloc(&device, sizeof wrong));
  int bad = 0;
  void (*const programs[])(unsigned*) = {kernel, partitions};
  for (auto* program : programs) {
    program<<<1, threads>>>(device);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(wrong, device, sizeof wrong, cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; ++t)
      if (wrong[t] && bad++ < 10) printf("thread %d: checks %x failed\n", t, wrong[t]);
  }
  const unsigned misplaced = rotated();
  if (misplaced) printf("%u numbers of the grid wrong\n", misplaced);
  bad += (int)misplaced;
  printf("cooperative groups: %d wrong\n%s\n", bad, bad ? "FAIL" : "PASS");
  return bad ? 1 : 0;
}
