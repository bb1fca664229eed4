// SPDX-License-Identifier: Apache-2.0
// C = A B for square matrices in five steps, each for a reason that `heddle prof` shows (docs/tuning.md).
//   sgemm_steps [n = 128]
#include <vector>

#include "../common/example.h"

// A thread an element, straight from global memory.
__global__ void naive(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum = fmaf(a[row * n + k], b[k * n + column], sum);
  c[row * n + column] = sum;
}

// Tiles of 16 x 16 in shared memory: each element is loaded n / 16 times.
__global__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    tile_a[ty][tx] = a[row * n + k0 + tx];
    tile_b[ty][tx] = b[(k0 + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum = fmaf(tile_a[ty][k], tile_b[k][tx], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// 64 x 64 results a block of 256 threads, 4 x 4 a thread: of two words from shared memory come four products and more.
constexpr int kBlock = 64, kDepth = 16;
__global__ void registers(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kBlock][kDepth + 1], tile_b[kDepth][kBlock];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row0 = blockIdx.y * kBlock, column0 = blockIdx.x * kBlock;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += kDepth) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int e = t + 256 * i;
      tile_a[e / kDepth][e % kDepth] = a[(row0 + e / kDepth) * n + k0 + e % kDepth];
      tile_b[e / kBlock][e % kBlock] = b[(k0 + e / kBlock) * n + column0 + e % kBlock];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) x[i] = tile_a[ty + 16 * i][k], y[i] = tile_b[k][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) c[(row0 + ty + 16 * i) * n + column0 + tx + 16 * j] = sum[i][j];
}

// The same with 8 x 8 results for each of 64 threads: of two words come eight products. kTiles 2: the next tile is loaded
// while this one is used.
template <int kTiles>
__device__ __forceinline__ void eight(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTiles][kDepth][kBlock + 1], tile_b[kTiles][kDepth][kBlock];
  const int t = threadIdx.x, tx = t % 8, ty = t / 8;
  const int row0 = blockIdx.y * kBlock, column0 = blockIdx.x * kBlock;
  float sum[8][8] = {}, next_a[kDepth], next_b[kDepth];
  const auto load = [&](int k0) {
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      next_a[i] = a[(row0 + t / kDepth + 4 * i) * n + k0 + t % kDepth];
      next_b[i] = b[(k0 + i) * n + column0 + t];
    }
  };
  if (kTiles > 1) load(0);
  for (int k0 = 0, at = 0; k0 < n; k0 += kDepth, at = (at + 1) % kTiles) {
    if (kTiles == 1) load(k0);
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      tile_a[at][t % kDepth][t / kDepth + 4 * i] = next_a[i];
      tile_b[at][i][t] = next_b[i];
    }
    __syncthreads();
    if (kTiles > 1 && k0 + kDepth < n) load(k0 + kDepth);
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float x[8], y[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = tile_a[at][k][ty + 8 * i], y[i] = tile_b[at][k][tx + 8 * i];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
    if (kTiles == 1) __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) c[(row0 + ty + 8 * i) * n + column0 + tx + 8 * j] = sum[i][j];
}
__global__ void larger(const float* a, const float* b, float* c, int n) { eight<1>(a, b, c, n); }
__global__ void buffered(const float* a, const float* b, float* c, int n) { eight<2>(a, b, c, n); }

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 128, kBlock);
  if (n % kBlock) {
    fprintf(stderr, "n must be a multiple of %d\n", kBlock);
    return 2;
  }
  const size_t bytes = sizeof(float) * n * n;
  std::vector<float> a(n * n), b(n * n), c(n * n), expected(n * n);
  ExampleRandom random(3);
  for (float& v : a) v = random.real(-1, 1);
  for (float& v : b) v = random.real(-1, 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum = fmaf(a[i * n + k], b[k * n + j], sum);
      expected[i * n + j] = sum;
    }

  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  int wrong = 0;
  for (int step = 0; step < 5; ++step) {
    CHECK(cudaMemset(dc, 0, bytes));
    const dim3 small(n / 16, n / 16), large(n / kBlock, n / kBlock);
    if (step == 0) naive<<<small, dim3(16, 16)>>>(da, db, dc, n);
    if (step == 1) tiled<<<small, dim3(16, 16)>>>(da, db, dc, n);
    if (step == 2) registers<<<large, 256>>>(da, db, dc, n);
    if (step == 3) larger<<<large, 64>>>(da, db, dc, n);
    if (step == 4) buffered<<<large, 64>>>(da, db, dc, n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    wrong += count_mismatches("c", c.data(), expected.data(), n * n, 0);
  }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  printf("sgemm of %d x %d in five steps\n", n, n);
  return verdict(wrong);
}
