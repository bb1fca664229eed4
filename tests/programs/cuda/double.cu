// SPDX-License-Identifier: Apache-2.0
// Double precision, bit for bit as the host computes it: a dot product in shared memory, Newton's iteration with divisions,
// conversions of every width, arithmetic in all four roundings.
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

typedef unsigned long long u64;

__host__ __device__ inline u64 bits_of(double v) {
  u64 b;
  memcpy(&b, &v, sizeof b);
  return b;
}
__host__ __device__ inline double of_bits(u64 b) {
  double v;
  memcpy(&v, &b, sizeof v);
  return v;
}
__host__ __device__ inline u64 mix(u64 x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ull;
  x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dull;
  return x ^ (x >> 33);
}

// Numbers of all kinds: a thread's `which`-th.
__host__ __device__ inline double number(unsigned thread, unsigned which) {
  const u64 r = mix(thread * 1009 + which * 7919 + 1), sign = r & 1ull << 63, fraction = r >> 12;
  switch (r & 7) {
    case 0: {
      const u64 corners[8] = {0, 1, 0x000fffffffffffffull, 0x0010000000000000ull, 0x3ff0000000000000ull,
                              0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x3fe0000000000000ull};
      return of_bits(sign | corners[r >> 3 & 7]);
    }
    case 1: return of_bits(sign | fraction >> (r >> 3 & 31));                         // subnormal
    case 2: return of_bits(sign | (1023 + (r >> 3 & 63)) << 52 | fraction);           // 1 to 2^64
    case 3: return of_bits(sign | (1020 + (r >> 3 & 7)) << 52 | (fraction & ~0ull << 44));
    default: return of_bits(sign | (u64)(1023 - 32 + (r >> 3 & 63)) << 52 | fraction);
  }
}

// ---- a dot product: products and sums fused, then a tree in shared memory ---------------------------------------
constexpr int kThreads = 64, kBlocks = 3, kTerms = 5;

__global__ void dot(const double* a, const double* b, double* out) {
  __shared__ double part[kThreads];
  const int t = threadIdx.x, first = (blockIdx.x * kThreads + t) * kTerms;
  double sum = 0;
  for (int k = 0; k < kTerms; k++) sum = __fma_rn(a[first + k], b[first + k], sum);
  part[t] = sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

int check_dot() {
  const int n = kThreads * kBlocks * kTerms;
  std::vector<double> a(n), b(n), got(kBlocks);
  for (int i = 0; i < n; i++) {
    a[i] = (double)(long long)mix(i) * 0x1p-60;
    b[i] = (double)(long long)mix(i + n) * 0x1p-50;
  }
  double *da, *db, *dout;
  CHECK(cudaMalloc(&da, n * sizeof(double)));
  CHECK(cudaMalloc(&db, n * sizeof(double)));
  CHECK(cudaMalloc(&dout, kBlocks * sizeof(double)));
  CHECK(cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  dot<<<kBlocks, kThreads>>>(da, db, dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), dout, kBlocks * sizeof(double), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int block = 0; block < kBlocks; block++) {
    double part[kThreads];
    for (int t = 0; t < kThreads; t++) {
      part[t] = 0;
      for (int k = 0; k < kTerms; k++) {
        const int i = (block * kThreads + t) * kTerms + k;
        part[t] = std::fma(a[i], b[i], part[t]);
      }
    }
    for (int step = kThreads / 2; step > 0; step /= 2)
      for (int t = 0; t < step; t++) part[t] += part[t + step];
    if (bits_of(part[0]) != bits_of(got[block])) {
      printf("dot, block %d: %.17g, expected %.17g\n", block, got[block], part[0]);
      wrong++;
    }
  }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dout));
  return wrong;
}

// ---- results of many expressions, on device and host ------------------------------------------------------------
// Newton's iteration for a cube root; lanes leave the loop at different times.
__host__ __device__ inline double cube_root(double x, int* steps) {
  double y = x > 1 ? x / 3 : 1;
  for (*steps = 0; *steps < 200; ++*steps) {
    const double next = y - (y - x / (y * y)) / 3;
    if (next == y || fabs(next - y) < 1e-15 * y) break;
    y = next;
  }
  return y;
}

constexpr int kResults = 96;

__global__ void __launch_bounds__(32) convert(u64* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  u64* o = out + (u64)t * kResults;
  const double x = number(t, 0), y = number(t, 1), small = (double)(int)(mix(t) >> 32) * 0x1p-12;
  const u64 whole = mix(t + 99) >> (t % 64);
  int steps;
  *o++ = (u64)(long long)(int)small;
  *o++ = (u64)(unsigned)(small < 0 ? -small : small);
  *o++ = (u64)(long long)(small * 1e9);
  *o++ = (u64)(small < 0 ? -small * 3e9 : small * 3e9);
  *o++ = (u64)(short)(int)(small / 256);
  *o++ = (u64)(unsigned char)(int)(small < 0 ? 0 : small / 65536);
  *o++ = bits_of((double)(int)whole);
  *o++ = bits_of((double)(unsigned)whole);
  *o++ = bits_of((double)(long long)whole);
  *o++ = bits_of((double)whole);
  *o++ = bits_of((double)(signed char)whole);
  *o++ = bits_of((double)(unsigned short)whole);
  *o++ = bits_of((double)(float)small);
  *o++ = (u64)__float_as_uint((float)x);
  *o++ = bits_of(rint(x));
  *o++ = bits_of(floor(x));
  *o++ = bits_of(ceil(x));
  *o++ = bits_of(trunc(x));
  *o++ = bits_of(fmin(x, y));
  *o++ = bits_of(fmax(x, y));
  *o++ = bits_of(fabs(x));
  *o++ = bits_of(-x);
  *o++ = bits_of(copysign(x, y));
  *o++ = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | isunordered(x, y) << 6;
  *o++ = x < y ? 1 : x > y ? 2 : 3;
  *o++ = bits_of(cube_root(fabs(small) * 0x1p-12 + 1, &steps));
  *o++ = (u64)steps;
}

void convert_on_host(unsigned t, std::vector<u64>& o) {
  const double x = number(t, 0), y = number(t, 1), small = (double)(int)(mix(t) >> 32) * 0x1p-12;
  const u64 whole = mix(t + 99) >> (t % 64);
  int steps;
  float single = (float)x;
  unsigned word;
  memcpy(&word, &single, sizeof word);
  o = {(u64)(long long)(int)small, (u64)(unsigned)(small < 0 ? -small : small), (u64)(long long)(small * 1e9),
       (u64)(small < 0 ? -small * 3e9 : small * 3e9), (u64)(short)(int)(small / 256),
       (u64)(unsigned char)(int)(small < 0 ? 0 : small / 65536), bits_of((double)(int)whole), bits_of((double)(unsigned)whole),
       bits_of((double)(long long)whole), bits_of((double)whole), bits_of((double)(signed char)whole),
       bits_of((double)(unsigned short)whole), bits_of((double)(float)small), (u64)word, bits_of(rint(x)), bits_of(floor(x)),
       bits_of(ceil(x)), bits_of(trunc(x)), bits_of(x < y || (x == y && std::signbit(x)) ? x : y),
       bits_of(x > y || (x == y && !std::signbit(x)) ? x : y), bits_of(fabs(x)), bits_of(-x), bits_of(copysign(x, y)),
       (u64)((x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5),
       (u64)(x < y ? 1 : x > y ? 2 : 3)};
  o.push_back(bits_of(cube_root(fabs(small) * 0x1p-12 + 1, &steps)));
  o.push_back((u64)steps);
}

// ---- all four roundings -----------------------------------------------------------------------------------------
#define ALL_ROUNDINGS(X) X(rn, FE_TONEAREST) X(rz, FE_TOWARDZERO) X(rd, FE_DOWNWARD) X(ru, FE_UPWARD)

__global__ void __launch_bounds__(32) rounded(u64* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  u64* o = out + (u64)t * kResults;
  const double x = number(t, 0), y = number(t, 1), z = number(t, 2);
  const u64 whole = mix(t + 99);
#define DEVICE(r, mode)                        \
  *o++ = bits_of(__dadd_##r(x, y));            \
  *o++ = bits_of(__dsub_##r(x, y));            \
  *o++ = bits_of(__dmul_##r(x, y));            \
  *o++ = bits_of(__fma_##r(x, y, z));          \
  *o++ = bits_of(__ddiv_##r(x, y));            \
  *o++ = bits_of(__drcp_##r(x));               \
  *o++ = bits_of(__dsqrt_##r(fabs(x)));        \
  *o++ = bits_of(__ll2double_##r((long long)whole)); \
  *o++ = bits_of(__ull2double_##r(whole));     \
  *o++ = (u64)__float_as_uint(__double2float_##r(x));
  ALL_ROUNDINGS(DEVICE)
}

// Not inlined, on values that the compiler cannot see through: the rounding is set around the operation.
template <typename F>
__attribute__((noinline)) u64 under(int mode, F f) {
  std::fesetround(mode);
  const u64 result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

void rounded_on_host(unsigned t, std::vector<u64>& o) {
  volatile double x = number(t, 0), y = number(t, 1), z = number(t, 2);
  volatile u64 whole = mix(t + 99);
  volatile double result;
  const auto give = [&](double v) { result = v; return bits_of(result); };
#define HOST(r, mode)                                                        \
  o.push_back(under(mode, [&] { return give(x + y); }));                     \
  o.push_back(under(mode, [&] { return give(x - y); }));                     \
  o.push_back(under(mode, [&] { return give(x * y); }));                     \
  o.push_back(under(mode, [&] { return give(std::fma(x, y, z)); }));         \
  o.push_back(under(mode, [&] { return give(x / y); }));                     \
  o.push_back(under(mode, [&] { return give(1 / x); }));                     \
  o.push_back(under(mode, [&] { return give(std::sqrt(std::fabs(x))); }));   \
  o.push_back(under(mode, [&] { volatile long double v = (long long)whole; return give((double)v); })); \
  o.push_back(under(mode, [&] { volatile long double v = whole; return give((double)v); })); \
  o.push_back(under(mode, [&] { volatile float f = (float)x; float g = f; unsigned w; memcpy(&w, &g, sizeof w); return (u64)w; }));
  ALL_ROUNDINGS(HOST)
}

int check(const char* name, const std::function<void(u64*)>& launch, const std::function<void(unsigned, std::vector<u64>&)>& host,
          int threads) {
  u64* out;
  const size_t n = (size_t)threads * kResults;
  CHECK(cudaMalloc(&out, n * sizeof(u64)));
  launch(out);
  CHECK_LAUNCH();
  std::vector<u64> got(n);
  CHECK(cudaMemcpy(got.data(), out, n * sizeof(u64), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  int wrong = 0;
  size_t compared = 0;
  for (unsigned t = 0; t < (unsigned)threads; t++) {
    std::vector<u64> want;
    host(t, want);
    for (size_t k = 0; k < want.size(); k++, compared++) {
      const u64 g = got[(size_t)t * kResults + k];
      if (g != want[k] && wrong++ < 10)
        printf("%s, thread %u, result %zu: %016llx, expected %016llx\n", name, t, k, g, want[k]);
    }
  }
  printf("%s: %zu results, %d wrong\n", name, compared, wrong);
  return wrong;
}

}  // namespace

// double [BLOCKS]: 32 threads each.
int main(int argc, char** argv) {
  const int blocks = example_argument(argc, argv, 1, 4);
  int wrong = check_dot();
  printf("dot: %d wrong\n", wrong);
  wrong += check("convert", [&](u64* out) { convert<<<blocks, 32>>>(out); }, convert_on_host, blocks * 32);
  wrong += check("rounded", [&](u64* out) { rounded<<<blocks, 32>>>(out); }, rounded_on_host, blocks * 32);
  printf(wrong ? "FAIL\n" : "PASS\n");
  return wrong != 0;
}
