// SPDX-License-Identifier: Apache-2.0
// y = alpha x + y with a grid-stride loop: few blocks serve any length.
//   saxpy [elements = 16384] [blocks = 8]
#include <vector>

#include "../common/example.h"

__global__ void saxpy(float alpha, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = fmaf(alpha, x[i], y[i]);
}

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 16384);
  const int blocks = example_argument(argc, argv, 2, 8);
  const size_t bytes = n * sizeof(float);
  const float alpha = 2.5f;
  std::vector<float> x(n), y(n), expected(n);
  ExampleRandom random(2);
  for (int i = 0; i < n; ++i) {
    x[i] = random.real(-10, 10);
    y[i] = random.real(-10, 10);
    expected[i] = fmaf(alpha, x[i], y[i]);
  }

  float *dx, *dy;
  CHECK(cudaMalloc(&dx, bytes));
  CHECK(cudaMalloc(&dy, bytes));
  CHECK(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice));
  saxpy<<<blocks, 128>>>(alpha, dx, dy, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));

  printf("saxpy of %d elements by %d blocks\n", n, blocks);
  return verdict(count_mismatches("y", y.data(), expected.data(), n, 0));
}
