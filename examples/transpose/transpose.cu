// SPDX-License-Identifier: Apache-2.0
// Matrix transposition through a shared tile, so that both the read and the write of global memory are
// coalesced; the tile's rows are one word longer than 32 to keep columns in different banks.
//   transpose [width = 64] [height = 96]
#include <vector>

#include "../common/example.h"

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kRows)
    if (x < width && y + r < height) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kRows)
    if (x < height && y + r < width) out[(y + r) * height + x] = tile[threadIdx.x][threadIdx.y + r];
}

int main(int argc, char** argv) {
  const int width = example_argument(argc, argv, 1, 64);
  const int height = example_argument(argc, argv, 2, 96);
  const int n = width * height;
  std::vector<float> in(n), out(n), expected(n);
  for (int i = 0; i < n; ++i) in[i] = (float)i;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];

  float *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 blocks((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  transpose<<<blocks, dim3(kTile, kRows)>>>(din, dout, width, height);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));

  printf("transpose of %d x %d\n", width, height);
  return verdict(count_mismatches("out", out.data(), expected.data(), n, 0));
}
