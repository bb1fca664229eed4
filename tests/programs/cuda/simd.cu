// SPDX-License-Identifier: Apache-2.0
// SIMD intrinsics of CUDA that clang's headers lack (fused additions, three-way comparisons, winners), on device and host,
// against the same in 64-bit integers.
#include <algorithm>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kResults = 42;

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}
// Halves and words that are often equal, at the ends of their range, or near zero.
__host__ __device__ inline unsigned input(unsigned thread, unsigned which) {
  const unsigned x = mix(thread * 97 + which * 7919 + 1), kind = x % 7;
  return kind == 0 ? 0x7fff8000u : kind == 1 ? 0xffff0001u : kind == 2 ? mix(thread) : kind == 3 ? 0x80000000u : mix(x);
}

__host__ __device__ inline void intrinsics(unsigned t, unsigned* o) {
  const unsigned a = input(t, 0), b = input(t, 1), c = input(t, 2);
  const int x = (int)a, y = (int)b, z = (int)c;
  bool high, low;
#define THREE(fn)                                                                                                \
  *o++ = (unsigned)fn##_s32(x, y, z), *o++ = fn##_u32(a, b, c), *o++ = (unsigned)fn##_s32_relu(x, y, z);         \
  *o++ = fn##_s16x2(a, b, c), *o++ = fn##_u16x2(a, b, c), *o++ = fn##_s16x2_relu(a, b, c);
#define WINNER(fn)                                                                                               \
  *o++ = (unsigned)fn##_s32(x, y, &low), *o++ = low, *o++ = fn##_u32(a, b, &low), *o++ = low;                    \
  *o++ = fn##_s16x2(a, b, &high, &low) ^ (high * 2u + low), *o++ = fn##_u16x2(a, b, &high, &low) ^ (high * 2u + low);
  THREE(__viaddmax) THREE(__viaddmin) THREE(__vimax3) THREE(__vimin3)
  WINNER(__vibmax) WINNER(__vibmin)
  *o++ = (unsigned)__vimax_s32_relu(x, y), *o++ = (unsigned)__vimin_s32_relu(x, y);
  *o++ = __vimax_s16x2_relu(a, b), *o++ = __vimin_s16x2_relu(a, b);
  *o++ = 0, *o++ = 0;
}

__global__ void kernel(unsigned* out) { intrinsics(threadIdx.x, out + threadIdx.x * kResults); }

// Part `i` of `bits` bits as a number.
long long part(unsigned v, int bits, bool is_signed, int i) {
  const unsigned long long raw = bits == 32 ? v : v >> 16 * i & 0xffff;
  const bool negative = is_signed && (raw >> (bits - 1) & 1);
  return (long long)raw - (negative ? 1ll << bits : 0);
}

template <typename F>
unsigned each(int bits, bool is_signed, unsigned a, unsigned b, unsigned c, F f) {
  unsigned out = 0;
  for (int i = 0; i < 32 / bits; ++i) {
    const long long v = f(part(a, bits, is_signed, i), part(b, bits, is_signed, i), part(c, bits, is_signed, i));
    out |= bits == 32 ? (unsigned)v : ((unsigned)v & 0xffff) << 16 * i;
  }
  return out;
}

void expected(unsigned t, std::vector<unsigned>& o) {
  const unsigned a = input(t, 0), b = input(t, 1), c = input(t, 2);
  const auto three = [&](bool add, bool max) {
    for (const int bits : {32, 16})
      for (const int form : {0, 1, 2}) {  // signed, unsigned, signed with relu
        o.push_back(each(bits, form != 1, a, b, c, [&](long long x, long long y, long long z) {
          const long long s = part((unsigned)(x + y), bits, form != 1, 0);
          long long r = add ? (max ? std::max(s, z) : std::min(s, z)) : max ? std::max({x, y, z}) : std::min({x, y, z});
          return form == 2 ? std::max(r, 0ll) : r;
        }));
      }
  };
  const auto winner = [&](bool max) {
    const auto best = [&](int bits, bool is_signed) {
      return each(bits, is_signed, a, b, c, [&](long long x, long long y, long long) { return max ? std::max(x, y) : std::min(x, y); });
    };
    const auto first = [&](int bits, bool is_signed, int i) {
      const long long x = part(a, bits, is_signed, i), y = part(b, bits, is_signed, i);
      return max ? x >= y : x <= y;
    };
    for (const bool is_signed : {true, false}) o.push_back(best(32, is_signed)), o.push_back(first(32, is_signed, 0));
    for (const bool is_signed : {true, false})
      o.push_back(best(16, is_signed) ^ (first(16, is_signed, 1) * 2u + first(16, is_signed, 0)));
  };
  three(true, true), three(true, false), three(false, true), three(false, false);
  winner(true), winner(false);
  for (const int bits : {32, 16})
    for (const bool max : {true, false})
      o.push_back(each(bits, true, a, b, c, [&](long long x, long long y, long long) {
        return std::max(max ? std::max(x, y) : std::min(x, y), 0ll);
      }));
  o.push_back(0), o.push_back(0);
}

}  // namespace

int main() {
  constexpr unsigned threads = 256;
  std::vector<unsigned> got(threads * kResults), want, host(kResults);
  unsigned* out = nullptr;
  CHECK(cudaMalloc(&out, got.size() * sizeof(unsigned)));
  kernel<<<1, threads>>>(out);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (unsigned t = 0; t < threads; ++t) {
    want.clear();
    expected(t, want);
    intrinsics(t, host.data());
    for (int i = 0; i < kResults; ++i) {
      if (got[t * kResults + i] == want[i] && host[i] == want[i]) continue;
      if (wrong++ < 10)
        printf("thread %u, result %d: device %08x, host %08x, expected %08x\n", t, i, got[t * kResults + i], host[i], want[i]);
    }
  }
  printf("SIMD intrinsics: %d wrong of %d\n%s\n", wrong, (int)got.size(), wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
