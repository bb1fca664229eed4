// SPDX-License-Identifier: Apache-2.0
// Constants by address: tables in constant memory read by each lane where it likes, in words of every size; lines that are not in
// the L1 yet and lines that are; parameters as an array.
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr unsigned kThreads = 256, kBytes = 32768;
__constant__ unsigned char table[kBytes];

struct Numbers {
  unsigned n[64];
};

// Lanes of a warp read at `addresses` places, `stride` elements apart, which move on with each step.
template <class T>
__host__ __device__ unsigned place(unsigned thread, unsigned step, unsigned addresses, unsigned stride) {
  return (step * 77 + thread % 32 * 5 % addresses * stride) % (kBytes / sizeof(T));
}
struct alignas(16) Wide {
  unsigned x, y, z, w;
};
__host__ __device__ inline unsigned folded(unsigned char v) { return v; }
__host__ __device__ inline unsigned folded(short v) { return static_cast<unsigned>(v); }
__host__ __device__ inline unsigned folded(unsigned v) { return v; }
__host__ __device__ inline unsigned folded(unsigned long long v) { return static_cast<unsigned>(v ^ v >> 32); }
__host__ __device__ inline unsigned folded(Wide v) { return v.x ^ v.y * 3 ^ v.z * 5 ^ v.w * 7; }

template <class T>
__host__ __device__ unsigned walk(const unsigned char* from, const Numbers& numbers, unsigned thread, unsigned addresses,
                                  unsigned stride) {
  unsigned sum = 0;
  for (unsigned step = 0; step < 12; step++) {
    const T v = *reinterpret_cast<const T*>(from + sizeof(T) * place<T>(thread, step, addresses, stride));
    sum = sum * 31 + folded(v) + numbers.n[(thread * 7 + step) % 64];
  }
  return sum;
}
template <class T>
__global__ void walks(unsigned* out, Numbers numbers, unsigned addresses, unsigned stride) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = thread % 11 == 3 ? 0 : walk<T>(table, numbers, thread, addresses, stride);
}

template <class T>
bool check(const std::vector<unsigned char>& host, const Numbers& numbers, unsigned* device, const char* what) {
  bool same = true;
  for (const unsigned addresses : {1u, 2u, 5u, 32u})
    for (const unsigned stride : {1u, 3u, 40u}) {
      walks<T><<<2, kThreads / 2>>>(device, numbers, addresses, stride);
      std::vector<unsigned> found(kThreads);
      CHECK(cudaMemcpy(found.data(), device, kThreads * sizeof(unsigned), cudaMemcpyDeviceToHost));
      for (unsigned t = 0; t < kThreads; t++) {
        const unsigned want = t % 11 == 3 ? 0 : walk<T>(host.data(), numbers, t, addresses, stride);
        if (found[t] == want) continue;
        printf("FAIL: %s, %u addresses, stride %u, thread %u: %x instead of %x\n", what, addresses, stride, t, found[t], want);
        same = false;
        break;
      }
    }
  return same;
}

}  // namespace

int main() {
  std::vector<unsigned char> host(kBytes);
  unsigned x = 12345;
  for (unsigned char& b : host) b = static_cast<unsigned char>((x = x * 1664525 + 1013904223) >> 24);
  Numbers numbers;
  for (unsigned i = 0; i < 64; i++) numbers.n[i] = x = x * 1664525 + 1013904223;
  CHECK(cudaMemcpyToSymbol(table, host.data(), kBytes));
  unsigned* device = nullptr;
  CHECK(cudaMalloc(&device, kThreads * sizeof(unsigned)));
  bool same = check<unsigned char>(host, numbers, device, "bytes");
  same &= check<short>(host, numbers, device, "halves");
  same &= check<unsigned>(host, numbers, device, "words");
  same &= check<unsigned long long>(host, numbers, device, "doublewords");
  same &= check<Wide>(host, numbers, device, "four words");
  CHECK(cudaFree(device));
  printf(same ? "PASS\n" : "FAIL\n");
  return same ? 0 : 1;
}
