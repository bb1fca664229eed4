// SPDX-License-Identifier: Apache-2.0
// Half precision as clang has it (_Float16, pairs of it) and bf16 by cuda_bf16.h, bit for bit as the host computes it: arithmetic of single
// numbers and of pairs, comparisons, conversions, a dot product in pairs; and instructions that have no C operator.
#include <cuda_bf16.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

typedef _Float16 float16x2 __attribute__((ext_vector_type(2)));
typedef unsigned short u16;

template <typename To, typename From>
__host__ __device__ inline To bits_as(From v) {
  static_assert(sizeof(To) == sizeof(From));
  To t;
  memcpy(&t, &v, sizeof t);
  return t;
}

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}

// Numbers of all kinds but NaN, whose bits C++ leaves open: a thread's `which`-th.
__host__ __device__ inline u16 number(unsigned thread, unsigned which, bool bf16) {
  const unsigned r = mix(thread * 977 + which * 7919 + 1), fraction = bf16 ? 7 : 10, bias = bf16 ? 127 : 15;
  const unsigned sign = r >> 16 & 0x8000, low = r >> 4 & ((1u << fraction) - 1);
  switch (r & 7) {
    case 0: return sign | (r & 8 ? 0 : ((2 * bias + 1) << fraction) * (r >> 20 & 1));  // zero, infinity
    case 1: return sign | low;                                                          // subnormal
    case 2: return sign | (2 * bias - (r >> 20 & 1)) << fraction | low;                 // large
    default: return sign | (bias - 6 + (r >> 20) % 13) << fraction | low;
  }
}

constexpr int kOuts = 24;

// One rounding of the exact a * b + c: by f64 rounded to odd.
inline _Float16 fused(_Float16 a, _Float16 b, _Float16 c) {
  const double product = (double)a * (double)b, addend = (double)c, sum = product + addend;
  if (!std::isfinite(sum)) return (_Float16)sum;
  const double back = sum - product, lost = (product - (sum - back)) + (addend - back);
  auto bits = bits_as<unsigned long long>(sum);
  if (lost != 0 && !(bits & 1)) bits += (lost > 0) == (sum > 0) ? 1 : -1ull;
  return (_Float16)bits_as<double>(bits);
}

__host__ __device__ inline u16 bits(_Float16 v) { return v == v ? bits_as<u16>(v) : 0x7fff; }

template <typename T>
__host__ __device__ inline void arithmetic(T a, T b, u16* out) {
  T sum = a + b, difference = a - b, product = a * b, negative = -a;
  out[0] = bits(sum);
  out[1] = bits(difference);
  out[2] = bits(product);
  out[3] = bits(negative);
  out[4] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a >= b) << 4 | (a > b) << 5;
}

// On the host in f32, which has so many bits more that rounding twice changes nothing; products in f64, for those that are subnormal.
__host__ __device__ inline void bf16_arithmetic(unsigned thread, u16* out) {
  const auto a = __ushort_as_bfloat16(number(thread, 3, true)), b = __ushort_as_bfloat16(number(thread, 4, true));
#if defined(__CUDA_ARCH__)
  const __nv_bfloat16 sum = a + b, difference = a - b, product = a * b, negative = -a;
  const bool below = a < b, same = a == b;
#else
  const float x = a, y = b;
  const __nv_bfloat16 sum = x + y, difference = x - y, product = (double)x * y, negative = -x;
  const bool below = x < y, same = x == y;
#endif
  out[0] = sum.__x;
  out[1] = difference.__x;
  out[2] = product.__x;
  out[3] = negative.__x;
  out[4] = below | same << 1;
}

__host__ __device__ inline void compute(unsigned thread, u16* out) {
  const auto a = bits_as<_Float16>(number(thread, 0, false)), b = bits_as<_Float16>(number(thread, 1, false));
  arithmetic(a, b, out);
  bf16_arithmetic(thread, out + 5);
  const float16x2 x = {a, b}, y = {bits_as<_Float16>(number(thread, 2, false)), a};
  const float16x2 s = x + y, p = x * y;
  out[10] = bits(s.x);
  out[11] = bits(s.y);
  out[12] = bits(p.x);
  out[13] = bits(p.y);
  const float f = (float)a * 1.0009765625f + 1e-9f * (float)thread;
  const int i = (int)mix(thread) >> (thread % 31);
  out[14] = bits((_Float16)f);
  out[15] = __float2bfloat16(f).__x;
  out[16] = bits((_Float16)i);
  out[17] = bits((_Float16)((double)i * 1.000244140625));
  const float whole = (float)a;
  const bool fits = whole > -30000.f && whole < 30000.f;  // C++ leaves the others open
  out[18] = fits ? (u16)(short)a : 0;
}

__global__ void all(u16* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  u16* o = out + thread * kOuts;
  compute(thread, o);
  const u16 a = number(thread, 0, false), b = number(thread, 1, false), c = number(thread, 2, false);
  const _Float16 fa = bits_as<_Float16>(a), fb = bits_as<_Float16>(b), fc = bits_as<_Float16>(c);
  o[19] = bits((_Float16)__builtin_fmaf16(fa, fb, fc));
  asm("min.NaN.f16 %0, %1, %2;" : "=h"(o[20]) : "h"(a), "h"(b));
  asm("{.reg .b32 t; mov.b32 t, {%1, %2}; .reg .b16 n; tanh.approx.f16x2 t, t; mov.b32 {%0, n}, t;}" : "=h"(o[21]) : "h"(a), "h"(b));
  asm("ex2.approx.f16 %0, %1;" : "=h"(o[22]) : "h"(b));
  unsigned pair = a | b << 16, equal;
  asm("set.eq.u32.f16x2 %0, %1, %2;" : "=r"(equal) : "r"(pair), "r"(a | c << 16));
  o[23] = equal & 0xffff ? (equal >> 16 ? 3 : 1) : (equal >> 16 ? 2 : 0);
}

// ---- a dot product in pairs: two sums a thread, then through shared memory ------------------------------------------
constexpr int kThreads = 64, kTerms = 6;

__global__ void dot(const float16x2* a, const float16x2* b, float16x2* out) {
  __shared__ float16x2 part[kThreads];
  const int t = threadIdx.x;
  float16x2 sum = {0, 0};
  for (int k = 0; k < kTerms; k++) {
    const float16x2 p = a[t * kTerms + k] * b[t * kTerms + k];
    sum += p;
  }
  part[t] = sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) *out = part[0];
}

bool near(float answer, double exact, double relative) { return std::fabs(answer - exact) <= relative * std::fabs(exact) + 1e-7; }

}  // namespace

int main(int argc, char** argv) {
  const unsigned blocks = argc > 1 ? (unsigned)atoi(argv[1]) : 4, threads = blocks * 96;
  std::vector<u16> got(threads * kOuts), expected(kOuts);
  u16* out = nullptr;
  CHECK(cudaMalloc(&out, got.size() * sizeof(u16)));
  all<<<blocks, 96>>>(out);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(u16), cudaMemcpyDeviceToHost));
  unsigned wrong = 0;
  for (unsigned t = 0; t < threads; t++) {
    const u16 *g = &got[t * kOuts], na = number(t, 0, false), nb = number(t, 1, false), nc = number(t, 2, false);
    const auto a = bits_as<_Float16>(na), b = bits_as<_Float16>(nb), c = bits_as<_Float16>(nc);
    compute(t, expected.data());
    expected[19] = bits(fused(a, b, c));
    expected[20] = (float)a < (float)b || ((float)a == (float)b && na & 0x8000) ? na : nb;
    expected[23] = (a == a) | (b == c) << 1;
    const bool special = near((float)bits_as<_Float16>(g[21]), std::tanh((double)a), 1.0 / 512) &&
                         ((float)b >= 16.f ? g[22] == 0x7c00 : near((float)bits_as<_Float16>(g[22]), std::exp2((double)b), 1.0 / 512));
    for (int k = 0; k < kOuts; k++) {
      if (k == 21 || k == 22 ? special : g[k] == expected[k]) continue;
      if (wrong++ < 10) printf("thread %u, result %d: %04x, expected %04x (a %04x, b %04x, c %04x)\n", t, k, g[k], expected[k], na, nb, nc);
    }
  }
  CHECK(cudaFree(out));

  constexpr int kCount = kThreads * kTerms;
  std::vector<float16x2> a(kCount), b(kCount);
  for (int i = 0; i < kCount; i++) {
    a[i] = float16x2{(_Float16)((int)(mix(i) % 2048) - 1024) / (_Float16)512, (_Float16)(i % 7)};
    b[i] = float16x2{(_Float16)((int)(mix(i + 7777) % 2048) - 1024) / (_Float16)512, (_Float16)((i % 3) - 1)};
  }
  float16x2 *da, *db, *dout, answer;
  CHECK(cudaMalloc(&da, kCount * sizeof(float16x2)));
  CHECK(cudaMalloc(&db, kCount * sizeof(float16x2)));
  CHECK(cudaMalloc(&dout, sizeof(float16x2)));
  CHECK(cudaMemcpy(da, a.data(), kCount * sizeof(float16x2), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), kCount * sizeof(float16x2), cudaMemcpyHostToDevice));
  dot<<<1, kThreads>>>(da, db, dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&answer, dout, sizeof answer, cudaMemcpyDeviceToHost));
  std::vector<float16x2> part(kThreads, float16x2{0, 0});
  for (int t = 0; t < kThreads; t++)
    for (int k = 0; k < kTerms; k++) {
      const float16x2 x = a[t * kTerms + k], y = b[t * kTerms + k];
      part[t] = float16x2{fused(x.x, y.x, part[t].x), fused(x.y, y.y, part[t].y)};  // the compiler fuses them
    }
  for (int step = kThreads / 2; step > 0; step /= 2)
    for (int t = 0; t < step; t++) part[t] = part[t] + part[t + step];
  if (bits(answer.x) != bits(part[0].x) || bits(answer.y) != bits(part[0].y)) {
    wrong++;
    printf("dot: %04x %04x, expected %04x %04x\n", bits(answer.x), bits(answer.y), bits(part[0].x), bits(part[0].y));
  }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dout));
  printf(wrong ? "FAIL\n" : "PASS\n");
  return wrong != 0;
}
