// SPDX-License-Identifier: Apache-2.0
// What programs use of the standard library without an #include, for nvcc's cuda_runtime.h brings it.
__global__ void k(float* p) { *p = sqrtf(*p) + abs(-1); }

int sum_of_few() {
  int sum = 0, other = 1;
  for (const int n : {1, 2, 3}) sum += n;
  std::swap(sum, other);
  std::pair<int, int> both = std::make_pair(sum, other);
  return both.first + static_cast<int>(strlen("three")) + std::move(other);
}
