// SPDX-License-Identifier: Apache-2.0
// C = A B for square matrices, in tiles of 16 x 16 staged through shared memory: every element of A
// and B leaves global memory n/16 times instead of n times.   sgemm [n = 64]
#include <vector>

#include "../common/example.h"

constexpr int kTile = 16;

__global__ void sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int column = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    tile_a[ty][tx] = a[row * n + k0 + tx];
    tile_b[ty][tx] = b[(k0 + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum = fmaf(tile_a[ty][k], tile_b[k][tx], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 64, kTile);
  if (n % kTile) {
    fprintf(stderr, "n must be a multiple of %d\n", kTile);
    return 2;
  }
  const size_t bytes = sizeof(float) * n * n;
  std::vector<float> a(n * n), b(n * n), c(n * n), expected(n * n);
  ExampleRandom random(3);
  for (float& v : a) v = random.real(-1, 1);
  for (float& v : b) v = random.real(-1, 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) sum = fmaf(a[i * n + k], b[k * n + j], sum);
      expected[i * n + j] = sum;
    }

  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  sgemm<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(da, db, dc, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));

  printf("sgemm of %d x %d\n", n, n);
  return verdict(count_mismatches("c", c.data(), expected.data(), n * n, 0));
}
