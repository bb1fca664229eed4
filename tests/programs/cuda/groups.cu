// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: shuffles of structs, vectors and words in tiles and among the lanes that are together; reductions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

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

}  // namespace

int main() {
  constexpr int threads = 96;
  unsigned *device = nullptr, wrong[threads];
  CHECK(cudaMalloc(&device, sizeof wrong));
  kernel<<<1, threads>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(wrong, device, sizeof wrong, cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int t = 0; t < threads; ++t)
    if (wrong[t] && bad++ < 10) printf("thread %d: checks %x failed\n", t, wrong[t]);
  printf("cooperative groups: %d of %d threads wrong\n%s\n", bad, threads, bad ? "FAIL" : "PASS");
  return bad ? 1 : 0;
}
