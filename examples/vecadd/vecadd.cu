// SPDX-License-Identifier: Apache-2.0
// c = a + b, one element a thread: the first CUDA program.   vecadd [elements = 65536]
#include <vector>

#include "../common/example.h"

__global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 65536);
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n), expected(n);
  ExampleRandom random(1);
  for (int i = 0; i < n; ++i) {
    a[i] = random.real(-1, 1);
    b[i] = random.real(-1, 1);
    expected[i] = a[i] + b[i];
  }

  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  const int threads = 256;
  vecadd<<<(n + threads - 1) / threads, threads>>>(da, db, dc, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));

  printf("vecadd of %d elements\n", n);
  return verdict(count_mismatches("c", c.data(), expected.data(), n, 0));
}
