// SPDX-License-Identifier: Apache-2.0
// Warpgroups' products of a sparse A (wgmma.sp) against mma.sp's, bit by bit: f16 and s8, A in registers and in shared memory, rows without and
// with swizzles, each selector of the threads that have the places of what is there.
#include "../../../examples/common/example.h"

namespace {

using Word = unsigned long long;

constexpr int kThreads = 128, kRows = 64, kColumns = 16, kTiles = kColumns / 8;
constexpr int kWordsA = 8, kWordsB = 16;  // of a row: A has half of the numbers
constexpr unsigned kAreaA = 16384;

__device__ unsigned hash(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352d;
  x ^= x >> 15, x *= 0x846ca68b;
  return x ^ x >> 16;
}

// Of four numbers two are there: places of the first and the second, for each of eight fours.
__device__ unsigned places(unsigned seed) {
  constexpr unsigned kPairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  unsigned all = 0;
  for (int i = 0; i < 8; ++i) all |= kPairs[hash(seed + i) % 6] << 4 * i;
  return all;
}

// Rows of K, in pieces of 16 bytes; swizzle: 0 none, 1 of 128 bytes, 2 64.
struct Matrix {
  unsigned start;
  int swizzle;
  __device__ unsigned width() const { return swizzle ? 256u >> swizzle : 16; }
  __device__ unsigned address(unsigned row, unsigned piece) const {
    if (!swizzle) return start + row / 8 * 512 + piece * 128 + row % 8 * 16;
    const unsigned at = start + row * width() + piece * 16;
    return at ^ (at >> 3 & (width() - 16));
  }
  __device__ Word descriptor() const {
    const unsigned stride = swizzle ? 8 * width() : 512;
    return Word(start >> 4 & 0x3fff) | Word(128 >> 4) << 16 | Word(stride >> 4) << 32 | Word(swizzle) << 62;
  }
};

__device__ unsigned failures;

#define SUMS "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define LIST "{%0, %1, %2, %3, %4, %5, %6, %7}"

template <bool kReal, int kSelector>
__device__ void group(unsigned* d, Word a, Word b, unsigned where) {
  if (kReal)
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 " LIST ", %8, %9, %10, %11, 1, 1, 1, 0, 0;"
                 : SUMS
                 : "l"(a), "l"(b), "r"(where), "n"(kSelector)
                 : "memory");
  else
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n16k64.s32.s8.s8 " LIST ", %8, %9, %10, 0, 1;" : SUMS : "l"(a), "l"(b), "r"(where) : "memory");
}
template <bool kReal, int kSelector>
__device__ void group(unsigned* d, const unsigned* a, Word b, unsigned where) {
  if (kReal)
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 " LIST ", {%8, %9, %10, %11}, %12, %13, %14, 1, 1, 1, 0;"
                 : SUMS
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(where), "n"(kSelector)
                 : "memory");
  else
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n16k64.s32.s8.s8 " LIST ", {%8, %9, %10, %11}, %12, %13, 0, 1;"
                 : SUMS
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(where)
                 : "memory");
}

template <bool kReal, int kSelector>
__device__ void tile(unsigned* d, const unsigned* a, const unsigned* b, unsigned where) {
  if (kReal) {
    float s[4];
    for (int i = 0; i < 4; ++i) s[i] = __uint_as_float(d[i]);
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, %13;"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(where), "n"(kSelector));
    for (int i = 0; i < 4; ++i) d[i] = __float_as_uint(s[i]);
  } else {
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(where));
  }
}

template <bool kReal, int kSelector>
__global__ void __launch_bounds__(kThreads) compare(unsigned seed, int swizzle_a, int swizzle_b, bool registers) {
  __shared__ __align__(1024) unsigned char memory[2 * kAreaA];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  const Matrix a{base, swizzle_a}, b{base + kAreaA, swizzle_b};
  const auto number = [&](unsigned place) {
    const unsigned h = hash(place);
    return kReal ? (h & 0x87ff87ff) | 0x38003800 : h;
  };
  const auto word_a = [&](unsigned row, unsigned k) { return number(seed + row * kWordsA + k); };
  const auto word_b = [&](unsigned row, unsigned k) { return number(~seed - row * kWordsB - k); };
  const auto put = [&](const Matrix& m, unsigned row, unsigned k, unsigned word) {
    *reinterpret_cast<unsigned*>(memory + (m.address(row, k / 4) - base) + k % 4 * 4) = word;
  };
  for (unsigned i = threadIdx.x; i < kRows * kWordsA; i += kThreads) put(a, i / kWordsA, i % kWordsA, word_a(i / kWordsA, i % kWordsA));
  for (unsigned i = threadIdx.x; i < kColumns * kWordsB; i += kThreads) put(b, i / kWordsB, i % kWordsB, word_b(i / kWordsB, i % kWordsB));
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4, where = places(seed ^ threadIdx.x * 977);
  unsigned d[4 * kTiles], rows[4];
  for (int i = 0; i < 4 * kTiles; ++i) d[i] = kReal ? __float_as_uint(static_cast<float>(i) - 3.5f) : i * 1000;
  for (int i = 0; i < 4; ++i) rows[i] = word_a(16 * warp + g + i % 2 * 8, q + i / 2 * 4);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if (registers) group<kReal, kSelector>(d, rows, b.descriptor(), where);
  else group<kReal, kSelector>(d, a.descriptor(), b.descriptor(), where);
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4 * kTiles; ++i) asm volatile("" : "+r"(d[i])::"memory");

  unsigned different = 0;
  for (int t = 0; t < kTiles; ++t) {
    unsigned sums[4], columns[4];
    for (int i = 0; i < 4; ++i) sums[i] = kReal ? __float_as_uint(static_cast<float>(4 * t + i) - 3.5f) : (4 * t + i) * 1000;
    for (int i = 0; i < 4; ++i) columns[i] = word_b(8 * t + g, q + 4 * i);
    tile<kReal, kSelector>(sums, rows, columns, where);
    for (int i = 0; i < 4; ++i) different += sums[i] != d[4 * t + i];
  }
  if (different) atomicAdd(&failures, different);
}

}  // namespace

int main() {
  int mismatches = 0;
  for (unsigned seed = 1; seed <= 3; ++seed)
    for (int swizzle_a = 0; swizzle_a < 3; ++swizzle_a)
      for (int swizzle_b = 0; swizzle_b < 3; ++swizzle_b)
        for (int registers = 0; registers < 2; ++registers) {
          compare<true, 0><<<1, kThreads>>>(seed * 7777, swizzle_a, swizzle_b, registers);
          compare<true, 1><<<1, kThreads>>>(seed * 8888, swizzle_a, swizzle_b, registers);
          compare<false, 0><<<1, kThreads>>>(seed * 9999, swizzle_a, swizzle_b, registers);
          CHECK_LAUNCH();
          unsigned failed = 0;
          CHECK(cudaMemcpyFromSymbol(&failed, failures, sizeof failed));
          if (!failed) continue;
          printf("seed %u, swizzled %d %d, registers %d: %u sums differ\n", seed, swizzle_a, swizzle_b, registers, failed);
          mismatches += static_cast<int>(failed);
          failed = 0;
          CHECK(cudaMemcpyToSymbol(failures, &failed, sizeof failed));
        }
  return verdict(mismatches);
}
