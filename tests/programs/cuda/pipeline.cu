// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies to shared memory: every size with every number of bytes that are there, the rest zeros; copies of nothing from nowhere; by
// functions, by the class, and by PTX; two stages of a pipeline.
#include <cuda_pipeline.h>

#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kThreads = 64, kBytes = 16;

enum How { Function, Register, Predicate, Guard };

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Thread t copies bytes 16 t to 16 t + size - 1, of which `part` are there.
template <int size, How how>
__global__ void copy(const unsigned char* from, unsigned char* to, int part) {
  __shared__ __align__(16) unsigned char place[kThreads * kBytes];
  const unsigned at = threadIdx.x * kBytes;
  for (int i = 0; i < kBytes; ++i) place[at + i] = 0xee;
  const unsigned char* source = from ? from + at : nullptr;
  const unsigned there = shared_address(place + at);
  if (how == Function) {
    __pipeline_memcpy_async(place + at, source, size, size - part);
  } else if (how == Register) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(there), "l"(source), "n"(size), "r"(part) : "memory");
  } else if (how == Predicate) {  // none, where a bit says so
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %3, 0; cp.async.ca.shared.global [%0], [%1], %2, p; }" ::"r"(there), "l"(source),
                 "n"(size), "r"(part)
                 : "memory");
  } else {  // a thread in two
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %3, 0; @p cp.async.ca.shared.global [%0], [%1], %2;\n"
        "@!p cp.async.ca.shared.global [%0+4], [%1], 4, 2; }" ::"r"(there), "l"(source), "n"(size), "r"(static_cast<int>(threadIdx.x & 1))
        : "memory");
  }
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int i = 0; i < kBytes; ++i) to[at + i] = place[at + i];
}

int mismatches = 0;

template <int size, How how>
void test_copy(unsigned char* from, unsigned char* to, const std::vector<unsigned char>& source, int part) {
  copy<size, how><<<1, kThreads>>>(part ? from : nullptr, to, part);
  CHECK_LAUNCH();
  std::vector<unsigned char> got(source.size());
  CHECK(cudaMemcpy(got.data(), to, got.size(), cudaMemcpyDeviceToHost));
  for (int t = 0; t < kThreads; ++t)
    for (int i = 0; i < kBytes; ++i) {
      const unsigned char original = source[static_cast<size_t>(t * kBytes + i)];
      unsigned char expected = i >= size ? 0xee : i < part ? original : 0;
      if (how == Guard && !(t & 1)) expected = i < 4 || i >= 8 ? 0xee : i < 6 ? source[static_cast<size_t>(t * kBytes + i - 4)] : 0;
      const unsigned char byte = got[static_cast<size_t>(t * kBytes + i)];
      if (byte == expected || mismatches++ > 9) continue;
      printf("size %d, part %d, how %d: thread %d byte %d is %02x, expected %02x\n", size, part, how, t, i, byte, expected);
    }
}

template <int size>
void test_size(unsigned char* from, unsigned char* to, const std::vector<unsigned char>& source) {
  for (int part = 0; part <= size; ++part) {
    test_copy<size, Function>(from, to, source, part);
    test_copy<size, Register>(from, to, source, part);
  }
  test_copy<size, Predicate>(from, to, source, 0);
  test_copy<size, Predicate>(from, to, source, size);
  test_copy<size, Guard>(from, to, source, size);
}

// Sums of 64 numbers at a time; the next are copied meanwhile.
__global__ void sums(const int4* from, int* to, int steps) {
  __shared__ int4 stages[2][kThreads / 4];
  nvcuda::experimental::pipeline pipe;
  const bool copies = threadIdx.x < kThreads / 4;
  if (copies) nvcuda::experimental::memcpy_async(stages[0][threadIdx.x], from[threadIdx.x], pipe);
  pipe.commit();
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (copies && step + 1 < steps)
      nvcuda::experimental::memcpy_async(stages[(step + 1) % 2][threadIdx.x], from[(step + 1) * kThreads / 4 + threadIdx.x], pipe);
    pipe.commit();
    pipe.wait_prior<1>();
    __syncthreads();
    const int* stage = reinterpret_cast<const int*>(stages[step % 2]);
    for (int i = 0; i <= threadIdx.x; ++i) sum += stage[i] * (step + 1);
    __syncthreads();
  }
  to[threadIdx.x] = sum;
}

void test_stages() {
  constexpr int kSteps = 3;
  std::vector<int> numbers(kSteps * kThreads), got(kThreads);
  ExampleRandom random(5);
  for (int& n : numbers) n = static_cast<int>(random.bits() >> 20);
  void *from, *to;
  CHECK(cudaMalloc(&from, numbers.size() * sizeof(int)));
  CHECK(cudaMalloc(&to, got.size() * sizeof(int)));
  CHECK(cudaMemcpy(from, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice));
  sums<<<1, kThreads>>>(static_cast<const int4*>(from), static_cast<int*>(to), kSteps);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), to, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0;
    for (int step = 0; step < kSteps; ++step)
      for (int i = 0; i <= t; ++i) sum += numbers[static_cast<size_t>(step * kThreads + i)] * (step + 1);
    if (got[static_cast<size_t>(t)] == sum || mismatches++ > 9) continue;
    printf("stages: thread %d has %d, expected %d\n", t, got[static_cast<size_t>(t)], sum);
  }
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

}  // namespace

int main() {
  std::vector<unsigned char> source(kThreads * kBytes);
  ExampleRandom random(3);
  for (unsigned char& byte : source) byte = static_cast<unsigned char>(random.bits() >> 13);
  unsigned char *from, *to;
  CHECK(cudaMalloc(&from, source.size()));
  CHECK(cudaMalloc(&to, source.size()));
  CHECK(cudaMemcpy(from, source.data(), source.size(), cudaMemcpyHostToDevice));
  test_size<4>(from, to, source);
  test_size<8>(from, to, source);
  test_size<16>(from, to, source);
  test_stages();
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  return verdict(mismatches);
}
