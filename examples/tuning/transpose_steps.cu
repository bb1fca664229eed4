// SPDX-License-Identifier: Apache-2.0
// The transposition of a matrix in three steps, each for a reason that `heddle prof` shows (docs/tuning.md).
//   transpose_steps [n = 256]
#include <vector>

#include "../common/example.h"

constexpr int kTile = 32;
constexpr int kRows = 8;

// Reads rows; each thread of a warp writes to another row.
__global__ void naive(const float* in, float* out, int n) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kRows) out[x * n + y + r] = in[(y + r) * n + x];
}

// Through shared memory: rows are read and rows are written.
template <int kPad>
__device__ void through_tile(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + kPad];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int r = 0; r < kTile; r += kRows) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int r = 0; r < kTile; r += kRows) out[(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}

// A column of the tile lies in one bank.
__global__ void tiled(const float* in, float* out, int n) { through_tile<0>(in, out, n); }

// Rows of the tile are a word longer: a column lies in all banks.
__global__ void padded(const float* in, float* out, int n) { through_tile<1>(in, out, n); }

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 256, kTile);
  if (n % kTile) {
    fprintf(stderr, "n must be a multiple of %d\n", kTile);
    return 2;
  }
  const size_t bytes = sizeof(float) * n * n;
  std::vector<float> in(n * n), out(n * n), expected(n * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) expected[x * n + y] = in[y * n + x] = (float)(y * n + x);

  float *din, *dout;
  CHECK(cudaMalloc(&din, bytes));
  CHECK(cudaMalloc(&dout, bytes));
  CHECK(cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice));
  const dim3 blocks(n / kTile, n / kTile);
  int wrong = 0;
  for (int step = 0; step < 3; ++step) {
    CHECK(cudaMemset(dout, 0, bytes));
    if (step == 0) naive<<<blocks, dim3(kTile, kRows)>>>(din, dout, n);
    if (step == 1) tiled<<<blocks, dim3(kTile, kRows)>>>(din, dout, n);
    if (step == 2) padded<<<blocks, dim3(kTile, kRows)>>>(din, dout, n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
    wrong += count_mismatches("out", out.data(), expected.data(), n * n, 0);
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  printf("transpose of %d x %d in three steps\n", n, n);
  return verdict(wrong);
}
