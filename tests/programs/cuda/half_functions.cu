// SPDX-License-Identifier: Apache-2.0
// Every function of cuda_fp16.h and cuda_bf16.h on the device and on the host, bit for bit: numbers of all kinds, NaN among them. Then what works
// on memory and between lanes.
//   half_functions [threads]
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

typedef unsigned short u16;
typedef unsigned long long u64;

template <typename To, typename From>
__host__ __device__ inline To bits_as(From v) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To t;
  memcpy(&t, &v, sizeof t);
  return t;
}

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}

// A number of any kind: zero, subnormal, small, ordinary, large, infinite, NaN; a thread's `which`-th.
__host__ __device__ inline u16 number(unsigned thread, unsigned which, unsigned fraction, unsigned exponent) {
  const unsigned r = mix(thread * 977 + which * 7919 + 1), bias = (1u << (exponent - 1)) - 1;
  const unsigned sign = r >> 16 & 0x8000, low = r >> 4 & ((1u << fraction) - 1), special = (2 * bias + 1) << fraction;
  switch (r & 15) {
    case 0: return sign;
    case 1: return sign | special;
    case 2: return sign | special | low;
    case 3: case 4: return sign | low;
    case 5: return sign | 2 * bias << fraction | low;
    case 6: return sign | bias << fraction | (low & 3);              // near 1: sums that cancel, comparisons that hold
    case 7: return sign | (bias + (low & 15)) << fraction;           // powers of two
    case 8: return sign | (low & 0x1f) << (fraction - 5) | (bias - 1 + (r >> 20) % 6) << fraction;  // halves of whole numbers
    case 9: return sign | (r >> 20) % (2 * bias) << fraction | low;
    default: return sign | (bias - 6 + (r >> 20) % 13) << fraction | low;
  }
}

// Results as 64 bits.
__host__ __device__ inline u64 pack(bool v) { return v; }
__host__ __device__ inline u64 pack(char v) { return (u64)v; }
__host__ __device__ inline u64 pack(signed char v) { return (u64)v; }
__host__ __device__ inline u64 pack(unsigned char v) { return v; }
__host__ __device__ inline u64 pack(short v) { return (u64)v; }
__host__ __device__ inline u64 pack(u16 v) { return v; }
__host__ __device__ inline u64 pack(int v) { return (u64)v; }
__host__ __device__ inline u64 pack(unsigned v) { return v; }
__host__ __device__ inline u64 pack(long v) { return (u64)v; }
__host__ __device__ inline u64 pack(unsigned long v) { return v; }
__host__ __device__ inline u64 pack(long long v) { return (u64)v; }
__host__ __device__ inline u64 pack(u64 v) { return v; }
__host__ __device__ inline u64 pack(float v) { return bits_as<unsigned>(v); }
__host__ __device__ inline u64 pack(float2 v) { return bits_as<unsigned>(v.x) | (u64)bits_as<unsigned>(v.y) << 32; }
__host__ __device__ inline u64 pack(__half v) { return __half_as_ushort(v); }
__host__ __device__ inline u64 pack(__half2 v) { return bits_as<unsigned>(v); }
__host__ __device__ inline u64 pack(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }
__host__ __device__ inline u64 pack(__nv_bfloat162 v) { return bits_as<unsigned>(v); }

// The operators that change their operand.
template <typename T>
__host__ __device__ inline T changed(T a, const T b) {
  a += b;
  a *= b;
  a -= b;
  a /= b;
  ++a;
  T before = a++;
  --a;
  a--;
  before -= a;
  return before;
}

template <typename T>
__device__ inline bool tanh_is_near(const T r, const T a) {
  const float exact = tanhf((float)a);
  return exact != exact ? __hisnan(r) : fabsf((float)r - exact) <= fabsf(exact) * 0.008f + 1e-7f;
}

// One format's functions for one thread: result k of thread t at out[k * stride].
#define OPERANDS(fraction, exponent)                                                                                              \
  const T a(RAW{number(t, 0, fraction, exponent)}), b(RAW{number(t, 1, fraction, exponent)}), c(RAW{number(t, 2, fraction, exponent)}); \
  const T2 x(a, b), y(T(RAW{number(t, 3, fraction, exponent)}), a), z(c, b);                                                      \
  const unsigned r = mix(t + 1000003), q = mix(t + 2000003);                                                                      \
  const u64 ul = ((u64)r << 32 | q) >> (t % 64);                                                                                  \
  const long long l = (long long)((u64)q << 32 | r) >> (t % 63);                                                                  \
  const unsigned u = r >> (t % 32);                                                                                               \
  const int i = (int)q >> (t % 31);                                                                                               \
  const u16 us = (u16)(r >> (t % 16));                                                                                            \
  const short s = (short)((short)q >> (t % 15));                                                                                  \
  const float f = t % 8 ? (float)a * 1.00048828125f + (float)c : bits_as<float>(r), g = (float)b * (1.0f + (float)(t % 7) / 4096.0f); \
  /* NaN of f64 keep their payload on the device */                                                                               \
  const double d = f != f ? 1e-40 : (double)f * (1.0 + (double)((int)t % 5 - 2) / 1073741824.0);                                   \
  (void)x, (void)y, (void)z, (void)ul, (void)l, (void)u, (void)i, (void)us, (void)s, (void)g, (void)d;
#define E(...) *out = pack(__VA_ARGS__), out += stride;
#if defined(__CUDA_ARCH__)
#define D(device, host) E(device)
#else
#define D(device, host) E(host)
#endif

namespace f16 {
typedef __half T;
typedef __half2 T2;
typedef __half_raw RAW;
#define N(before, after) before##half##after
#define N2(before, after) before##half2##after
#define OTHER_OF(v) __nv_bfloat16(v)
#define TWICE __half2half2
[[maybe_unused]] inline T round(double v) { return __double2half(v); }
[[maybe_unused]] inline T2 pair(T a, T b) { return T2(a, b); }
__host__ __device__ void all(unsigned t, u64* out, unsigned stride) {
  OPERANDS(10, 5)
#if !defined(__CUDA_ARCH__)
  const double v = (float)a, w = (float)b;
#endif
#include "half_table.inc"
}
#undef N
#undef N2
#undef OTHER_OF
}  // namespace f16

namespace bf16 {
typedef __nv_bfloat16 T;
typedef __nv_bfloat162 T2;
typedef __nv_bfloat16_raw RAW;
#define N(before, after) before##bfloat16##after
#define N2(before, after) before##bfloat162##after
#define OTHER_OF(v) __half(v)
#undef TWICE
#define TWICE __bfloat162bfloat162
[[maybe_unused]] inline T round(double v) { return __double2bfloat16(v); }
[[maybe_unused]] inline T2 pair(T a, T b) { return T2(a, b); }
__host__ __device__ void all(unsigned t, u64* out, unsigned stride) {
  OPERANDS(7, 8)
#if !defined(__CUDA_ARCH__)
  const double v = (float)a, w = (float)b;
#endif
#include "half_table.inc"
}
#undef N
#undef N2
}  // namespace bf16

#undef E
#undef D
#define E(...) #__VA_ARGS__,
#define D(device, host) #device,
#define N(before, after) before##X##after
#define N2(before, after) before##X2##after
const char* const kNames[] = {
#include "half_table.inc"
};
constexpr int kCount = sizeof kNames / sizeof *kNames;

__global__ void f16_kernel(u64* out, unsigned threads) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < threads) f16::all(t, out + t, threads);
}
__global__ void bf16_kernel(u64* out, unsigned threads) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < threads) bf16::all(t, out + t, threads);
}

int compare(const char* format, void (*kernel)(u64*, unsigned), void (*host)(unsigned, u64*, unsigned), unsigned threads) {
  u64* out = nullptr;
  std::vector<u64> got(kCount * (size_t)threads), expected(kCount);
  CHECK(cudaMalloc(&out, got.size() * sizeof(u64)));
  kernel<<<(threads + 63) / 64, 64>>>(out, threads);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(u64), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  std::vector<unsigned> wrong(kCount);
  for (unsigned t = 0; t < threads; t++) {
    host(t, expected.data(), 1);
    for (int k = 0; k < kCount; k++) {
      const u64 g = got[k * (size_t)threads + t];
      if (g != expected[k] && wrong[k]++ < 3) printf("%s, thread %u: %s: %llx, on the host %llx\n", format, t, kNames[k], g, expected[k]);
    }
  }
  int functions = 0;
  for (unsigned w : wrong) functions += w != 0;
  printf("%s: %d functions, %u threads; %d functions differ\n", format, kCount, threads, functions);
  return functions;
}

// ---- memory and lanes ---------------------------------------------------------------------------------------------------
constexpr int kMemory = 24;

// Without the result; architectures that lack this have the loop of atomicAdd.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <typename T>
__device__ void reduce(T* p, T v) { atomicAdd(p + 1, v); }
#else
__device__ void reduce(__half* p, __half v) { asm volatile("red.global.add.noftz.f16 [%0+2], %1;" ::"l"(p), "h"(v.__x) : "memory"); }
__device__ void reduce(__nv_bfloat16* p, __nv_bfloat16 v) {
  asm volatile("red.release.gpu.global.add.noftz.bf16 [%0+2], %1;" ::"l"(p), "h"(v.__x) : "memory");
}
#endif

template <typename T, typename T2>
__global__ void memory(T* numbers, T2* pairs, u64* out) {
  const unsigned t = threadIdx.x, all = 0xffffffffu;
  T n = numbers[t];
  T2 p = pairs[t];
  u64* o = out + t * kMemory;
  o[0] = pack(__ldg(numbers + t)) | pack(__ldg(pairs + t)) << 32;
  o[1] = pack(__ldca(numbers + t)) | pack(__ldca(pairs + t)) << 32;
  o[2] = pack(__ldcg(numbers + t)) | pack(__ldcg(pairs + t)) << 32;
  o[3] = pack(__ldcs(numbers + t)) | pack(__ldcs(pairs + t)) << 32;
  o[4] = pack(__ldlu(numbers + t)) | pack(__ldlu(pairs + t)) << 32;
  o[5] = pack(__ldcv(numbers + t)) | pack(__ldcv(pairs + t)) << 32;
  o[6] = pack(__shfl_sync(all, n, 5)) | pack(__shfl_sync(all, p, t ^ 3, 8)) << 32;
  o[7] = pack(__shfl_up_sync(all, n, 1)) | pack(__shfl_up_sync(all, p, 2, 16)) << 32;
  o[8] = pack(__shfl_down_sync(all, n, 1)) | pack(__shfl_down_sync(all, p, 2, 16)) << 32;
  o[9] = pack(__shfl_xor_sync(all, n, 1)) | pack(__shfl_xor_sync(all, p, 2, 16)) << 32;
  __stwb(numbers + 32 + t, n);
  __stcg(numbers + 64 + t, n);
  __stcs(numbers + 96 + t, n);
  __stwt(numbers + 128 + t, n);
  __stwb(pairs + 32 + t, p);
  __stcg(pairs + 64 + t, p);
  __stcs(pairs + 96 + t, p);
  __stwt(pairs + 128 + t, p);
  for (int k = 0; k < 4; k++) o[10 + k] = pack(numbers[32 + 32 * k + t]) | pack(pairs[32 + 32 * k + t]) << 32;
  // Sums of small whole numbers are exact in any order. In shared memory, neighbours are halves of a word. Lanes come to the barrier behind
  // them one by one.
  __shared__ T sums[6];
  __shared__ T2 sums2[2];
  if (t < 6) sums[t] = T(0.0f);
  if (t < 2) sums2[t] = T2(T(0.0f), T(0.0f));
  __syncthreads();
  const T one(1.0f), k((float)(t % 3));
  o[14] = pack(atomicAdd(sums + t % 5, one));  // distinct counts
  atomicAdd(sums2 + (t & 1), T2(one, k));
  o[15] = pack(atomicAdd(numbers + 160 + t % 5, one));
  atomicAdd(pairs + 160 + (t & 1), T2(one, k));
  atomicAdd_block(numbers + 168, k);
  atomicAdd_system(pairs + 168, T2(k, one));
  reduce(numbers + 172, k);
  __syncthreads();
  o[16] = pack(sums[t % 6]);
  o[17] = pack(sums2[t & 1]);
  o[18] = pack(__ldcg(numbers + 160 + t % 6));
  o[19] = pack(__ldcg(pairs + 160 + (t & 1)));
  o[20] = pack(__ldcg(numbers + 168));
  o[21] = pack(__ldcg(pairs + 168));
  // Each lane its own place: what is added to what is there, as the addition has it.
  const T old = atomicAdd(numbers + t, numbers[t + 1 < 32 ? t + 192 : 192]);
  o[22] = pack(old) | pack(__ldcg(numbers + t)) << 32;
  o[23] = pack(__ldcg(numbers + 172)) | pack(__ldcg(numbers + 173)) << 32;
}

template <typename T, typename T2>
int check_memory(const char* format, unsigned fraction, unsigned exponent) {
  constexpr int kLength = 256;
  std::vector<T> n(kLength, T(0.0f));
  std::vector<T2> p(kLength, T2(T(0.0f), T(0.0f)));
  for (int t = 0; t < 32; t++) {
    n[t] = bits_as<T>(number(t, 50, fraction, exponent));
    n[192 + t] = bits_as<T>(number(t, 53, fraction, exponent));
    p[t] = T2(bits_as<T>(number(t, 51, fraction, exponent)), bits_as<T>(number(t, 52, fraction, exponent)));
  }
  T* numbers = nullptr;
  T2* pairs = nullptr;
  u64* out = nullptr;
  std::vector<u64> got(32 * kMemory);
  CHECK(cudaMalloc(&numbers, kLength * sizeof(T)));
  CHECK(cudaMalloc(&pairs, kLength * sizeof(T2)));
  CHECK(cudaMalloc(&out, got.size() * sizeof(u64)));
  CHECK(cudaMemcpy(numbers, n.data(), kLength * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(pairs, p.data(), kLength * sizeof(T2), cudaMemcpyHostToDevice));
  memory<<<1, 32>>>(numbers, pairs, out);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(u64), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(numbers));
  CHECK(cudaFree(pairs));
  CHECK(cudaFree(out));
  auto both = [&](int i, int j) { return pack(n[i]) | pack(p[j]) << 32; };
  auto whole = [](int v) { return T((float)v); };
  int wrong = 0;
  u64 counts[2] = {0, 0};  // of the five places: which counts were given out
  for (int t = 0; t < 32; t++) {
    u64 expected[kMemory];
    for (int k = 0; k < 6; k++) expected[k] = both(t, t);
    expected[6] = both(5, (t & ~7) | ((t ^ 3) & 7));
    expected[7] = both(t ? t - 1 : 0, t % 16 < 2 ? t : t - 2);
    expected[8] = both(t < 31 ? t + 1 : 31, t % 16 > 13 ? t : t + 2);
    expected[9] = both(t ^ 1, t ^ 2);
    for (int k = 10; k < 14; k++) expected[k] = both(t, t);
    const u64* g = &got[t * kMemory];
    for (int k = 14; k < 16; k++) {
      counts[k - 14] += (u64)(float)bits_as<T>((u16)g[k]);
      expected[k] = g[k];
    }
    const int place = t % 6, odd = t & 1;
    int weights[2] = {0, 0};
    for (int u = 0; u < 32; u++) weights[u & 1] += u % 3;
    expected[16] = expected[18] = pack(whole(place == 5 ? 0 : (31 - place) / 5 + 1));
    expected[17] = expected[19] = pack(T2(whole(16), whole(weights[odd])));
    expected[20] = pack(whole(weights[0] + weights[1]));
    expected[21] = pack(T2(whole(weights[0] + weights[1]), whole(32)));
    expected[22] = pack(n[t]) | pack(__hadd(n[t], n[t + 1 < 32 ? t + 192 : 192])) << 32;
    expected[23] = pack(whole(weights[0] + weights[1])) << 32;
    for (int k = 0; k < kMemory; k++)
      if (g[k] != expected[k] && wrong++ < 10) printf("%s, lane %d, memory %d: %llx, expected %llx\n", format, t, k, g[k], expected[k]);
  }
  for (u64 c : counts)
    if (c != 2 * 21 + 3 * 15) wrong++, printf("%s: old values of sums add up to %llu\n", format, c);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2048;
  int wrong = compare("f16", f16_kernel, f16::all, threads) + compare("bf16", bf16_kernel, bf16::all, threads);
  wrong += check_memory<__half, __half2>("f16", 10, 5) + check_memory<__nv_bfloat16, __nv_bfloat162>("bf16", 7, 8);
  printf(wrong ? "FAIL\n" : "PASS\n");
  return wrong != 0;
}
