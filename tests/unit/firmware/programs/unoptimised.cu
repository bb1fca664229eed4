// SPDX-License-Identifier: Apache-2.0
// What clang -O0 makes of a kernel: locals in memory, generic addresses, structures by value, calls, recursion.
// Prints the sums that the host computes from the same functions.
#include <cstdio>
#include <cstring>

struct Sample {
  float x, y;
  int tags[5];
};

#define BOTH __host__ __device__

BOTH int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

template <typename T>
BOTH T sum(const T* values, int count) {
  T total{};
  for (int i = 0; i < count; ++i) total += values[i];
  return total;
}

BOTH void sort(int* values, int count) {
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if (values[j] < values[i]) {
        const int swapped = values[i];
        values[i] = values[j];
        values[j] = swapped;
      }
}

BOTH Sample sample(int i) {
  Sample s;
  s.x = static_cast<float>(i);
  s.y = s.x * 0.5f;
  for (int k = 0; k < 5; ++k) s.tags[k] = i + k;
  return s;
}

BOTH int choose(int i, const Sample* s) {
  int t = 0;
  switch (i % 5) {
    case 0: t = 1; break;
    case 1: t = s ? s->tags[2] : 40; break;
    case 2: while (t < i) t += 3; break;
    case 3:
      do ++t;
      while (t * t < i);
      break;
    default: t = -1;
  }
  return t;
}

BOTH int work(int i, const int* table, int* first) {
  int values[8];
  for (int j = 0; j < 8; ++j) values[j] = table[(i + j) & 7] + j;
  sort(values, 8);
  *first = values[0] * 100 + values[7];
  const Sample s = sample(i);
  return sum(values, 8) * 1000 + fibonacci(i % 7) + choose(i, i & 1 ? &s : nullptr) + static_cast<int>(s.y * 4.f);
}

constexpr int kTable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__global__ void kernel(int* out) {
  __shared__ int firsts[64];
  extern __shared__ int results[];
  const int i = threadIdx.x;
  int first;
  results[i] = work(i, table, &first);
  firsts[i] = first;
  __syncthreads();
  out[i] = results[63 - i] + firsts[i ^ 1];
}

int main() {
  int *device, out[64], result[64], first[64], wrong = 0;
  if (cudaMalloc(&device, sizeof out) != cudaSuccess) return 2;
  kernel<<<1, 64, sizeof out>>>(device);
  const cudaError_t error = cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i) result[i] = work(i, kTable, &first[i]);
  for (int i = 0; i < 64; ++i) wrong += out[i] != result[63 - i] + first[i ^ 1];
  std::printf("%s, %d of 64 wrong\n", cudaGetErrorString(error), wrong);
  return error != cudaSuccess || wrong != 0;
}
