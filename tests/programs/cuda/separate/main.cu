// SPDX-License-Identifier: Apache-2.0
// Device code in three files, linked: functions, variables, constants, virtual functions, templates and kernels of one
// file used by another; names that each file has for itself.
#include <cstdio>

#include "parts.h"

namespace {
// Every file has one of this name.
__device__ int own(int x) { return x + 1; }
}  // namespace

extern __shared__ int words[];
__global__ void indirect(int* out) {
  const int sum = sum_of_block((int)threadIdx.x + 1);
  out[threadIdx.x] = chosen(sum) + words[(threadIdx.x + 1) % blockDim.x];
}

__global__ void all(int* out, double* reals, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const Square square;
  const Shape* shapes[] = {&square, &triangle};
  out[i] = own(i) + twice(i) + table[i % 4] + shapes[i & 1]->area(i) + pick(i)(i) + recursive(i % 5);
  reals[i] = average(i, i + 0.5) * scale;
  if (i == 7) counter = maximum(i, 3);
  atomicAdd(&visits, i & 1 ? next_number() : number_of_shapes());
}

static int expected(int i) {
  const int table_host[] = {1, 10, 100, 1000};
  int factorial = 1;
  for (int k = 2; k <= i % 5; ++k) factorial *= k;
  return (i + 1) + 2 * i + table_host[i % 4] + (i & 1 ? i * i / 2 : i * i) + (i % 2 ? 2 * i : i + 100) + factorial;
}

int main() {
  constexpr int n = 32;
  int *out, values[n], count = 0, bad = 0;
  double *reals, real_values[n];
  cudaMalloc(&out, sizeof values);
  cudaMalloc(&reals, sizeof real_values);
  const double three = 3.0;
  cudaMemcpyToSymbol(scale, &three, sizeof three);
  all<<<1, n>>>(out, reals, n);
  add_one(out, n);  // a kernel of another file
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  cudaMemcpy(real_values, reals, sizeof real_values, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  for (int i = 0; i < n; ++i) {
    bad += values[i] != expected(i) + 1;
    bad += real_values[i] != (i + 0.25) * 3.0;
  }
  bad += count != 7;
  bad += visits != 1000 + n * (n - 1) / 2;
  indirect<<<1, n, n * sizeof(int)>>>(out);
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) bad += values[i] != n * (n + 1) + (i + 1) % n + 1;
  printf("%d values, %d wrong: %s\n%s\n", 3 * n + 2, bad, cudaGetErrorString(cudaGetLastError()), bad ? "FAIL" : "PASS");
  return bad != 0;
}
