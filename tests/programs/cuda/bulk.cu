// SPDX-License-Identifier: Apache-2.0
// Copies and reductions in bulk from shared to global memory: of sizes that are no multiple of 16, of none, and of more than there is, as an
// H200 does them; by one thread and by all; and what is misaligned or nowhere.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kThreads = 64, kBytes = 2048;

enum Kind { Copy, AddU32, MinS64, AddF32, AddHalf };

__host__ __device__ unsigned char pattern(int i) { return static_cast<unsigned char>(i * 7 + i / 256 + 1); }

template <Kind kind>
__device__ void bulk(void* to, unsigned from, unsigned size) {
  if (kind == Copy) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size) : "memory");
  if (kind == AddU32)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size) : "memory");
  if (kind == MinS64)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size) : "memory");
  if (kind == AddF32)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size) : "memory");
  if (kind == AddHalf)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size) : "memory");
}

__device__ void wait() { asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory"); }

// What a thread writes, its block's first thread copies.
template <Kind kind>
__global__ void by_one(unsigned char* to, int skipped, unsigned size) {
  __shared__ __align__(128) unsigned char buffer[kBytes];
  for (int i = static_cast<int>(threadIdx.x); i < kBytes; i += kThreads) buffer[i] = pattern(i);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(to), "r"(size) : "memory");
    bulk<kind>(to, static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + skipped, size);
    wait();
  }
}

// Each thread but every third of all blocks reduces its 32 bytes, `value` in each word, onto 32 of four places.
template <Kind kind>
__global__ void by_all(unsigned char* to, unsigned value) {
  __shared__ __align__(128) unsigned buffer[kThreads * 8];
  const unsigned t = threadIdx.x;
  for (unsigned i = 0; i < 8; ++i) buffer[t * 8 + i] = value + (kind == MinS64 && i % 2 ? t : 0);
  asm volatile("fence.proxy.async;" ::: "memory");
  if (t % 3) bulk<kind>(to + t % 4 * 32, static_cast<unsigned>(__cvta_generic_to_shared(buffer + t * 8)), 32);
  wait();
}

int mismatches = 0;

void expect_bytes(const char* what, unsigned size, const unsigned char* to, const std::vector<unsigned char>& expected) {
  std::vector<unsigned char> got(expected.size());
  CHECK(cudaMemcpy(got.data(), to, got.size(), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i] || mismatches++ > 9) continue;
    printf("%s of %u bytes: byte %zu is %02x, expected %02x\n", what, size, i, got[i], expected[i]);
  }
}

void test_sizes(unsigned char* to) {
  constexpr int kSkipped = 48;
  for (unsigned size : {0u, 8u, 15u, 16u, 24u, 64u, 80u, 1000u, 1u << 24, (1u << 24) + 40}) {
    const unsigned done = size % (1u << 24) / 16 * 16;
    std::vector<unsigned char> expected(kBytes, 0xee);
    CHECK(cudaMemset(to, 0xee, kBytes));
    by_one<Copy><<<1, kThreads>>>(to + 16, kSkipped, size);
    CHECK_LAUNCH();
    for (unsigned i = 0; i < done; ++i) expected[16 + i] = pattern(static_cast<int>(i) + kSkipped);
    expect_bytes("copy", size, to, expected);
    by_one<AddU32><<<1, kThreads>>>(to + 16, kSkipped, size);
    CHECK_LAUNCH();
    for (unsigned i = 0; i < done; i += 4) {
      unsigned word;
      std::memcpy(&word, &expected[16 + i], 4);
      word *= 2;
      std::memcpy(&expected[16 + i], &word, 4);
    }
    expect_bytes("sum", size, to, expected);
  }
}

// Sums of so small numbers are subnormal, and then their bits are a sum as well.
template <Kind kind>
void test_reduction(const char* what, unsigned char* to, unsigned value, unsigned old) {
  constexpr int kBlocks = 3;
  std::vector<unsigned> words(32, old), expected;
  for (unsigned i = 0; i < words.size(); ++i) {
    unsigned times = 0, least = kThreads;
    for (unsigned t = i / 8; t < kThreads; t += 4) {
      if (t % 3 == 0) continue;
      times += kBlocks;
      least = std::min(least, t);
    }
    expected.push_back(kind == MinS64 ? value + i % 2 * least : old + times * value);
  }
  CHECK(cudaMemcpy(to, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
  by_all<kind><<<kBlocks, kThreads>>>(to, value);
  CHECK_LAUNCH();
  std::vector<unsigned char> bytes(expected.size() * 4);
  std::memcpy(bytes.data(), expected.data(), bytes.size());
  expect_bytes(what, 32, to, bytes);
}

template <Kind kind>
void expect_error(cudaError_t error, const char* what, int to_at, int from_at, bool nowhere = false) {
  unsigned char* to;
  CHECK(cudaMalloc(&to, kBytes));
  by_one<kind><<<1, kThreads>>>(nowhere ? nullptr : to + to_at, from_at, 64);
  const cudaError_t got = cudaDeviceSynchronize();
  if (got != error && mismatches++ < 10) printf("%s: %s, expected %s\n", what, cudaGetErrorName(got), cudaGetErrorName(error));
  CHECK(cudaDeviceReset());
}

}  // namespace

int main() {
  unsigned char* to;
  CHECK(cudaMalloc(&to, kBytes));
  test_sizes(to);
  test_reduction<AddU32>("sum of u32", to, 12345, 99);
  test_reduction<MinS64>("minimum of s64", to, 7, 0x7fffffff);
  test_reduction<AddF32>("sum of f32", to, 0x10, 0x100);
  test_reduction<AddHalf>("sum of f16", to, 0x00030002, 0x00010005);
  CHECK(cudaFree(to));
  expect_error<Copy>(cudaErrorMisalignedAddress, "a copy to four bytes beyond", 4, 0);
  expect_error<Copy>(cudaErrorMisalignedAddress, "a copy from eight bytes beyond", 0, 8);
  expect_error<AddU32>(cudaErrorMisalignedAddress, "a sum four bytes beyond", 4, 0);
  expect_error<MinS64>(cudaErrorMisalignedAddress, "a minimum eight bytes beyond", 8, 0);
  expect_error<AddF32>(cudaErrorMisalignedAddress, "a sum of f32 eight bytes beyond", 8, 0);
  expect_error<AddU32>(cudaErrorMisalignedAddress, "a sum from four bytes beyond", 0, 4);
  expect_error<Copy>(cudaErrorIllegalAddress, "a copy to nowhere", 0, 0, true);
  expect_error<AddHalf>(cudaErrorIllegalAddress, "a sum nowhere", 0, 0, true);
  return verdict(mismatches);
}
