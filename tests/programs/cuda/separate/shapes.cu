// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

namespace {
__device__ int own(int x) { return x / 2; }
}  // namespace

__device__ int Shape::area(int) const { return -1; }
__device__ int Triangle::area(int side) const { return own(side * side); }
__device__ Triangle triangle;
__device__ int counter;
__managed__ int visits = 1000;
__device__ int number_of_shapes() { return next_number(); }
__device__ double scale = 1.0;
__device__ double average(double a, double b) { return (a + b) / 2; }

__global__ void add(int* values, int n) {
  const int i = threadIdx.x;
  if (i < n) values[i] = maximum(values[i] + 1, 0);
}
void add_one(int* values, int n) { add<<<1, 32>>>(values, n); }
