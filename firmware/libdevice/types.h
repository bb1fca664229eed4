// SPDX-License-Identifier: Apache-2.0
// What every source of the device library stands on. The sources are plain C with two compilers in
// mind: clang for nvptx64, which makes libdevice.10.bc, and a host compiler, which makes the same
// functions for the accuracy tests.
//
// Rules: float functions use no double arithmetic and, rsqrtf and the fast intrinsics aside, no *.approx
// instruction; every division and root is IEEE's (`/`, sqrt); fused operations are written, never left
// to contraction.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define NV(name) __nv_##name
#define INLINE static inline __attribute__((always_inline))

#if defined(__NVPTX__)
#define HEDDLE_ON_DEVICE 1
#else
#define HEDDLE_ON_DEVICE 0
#endif

INLINE u32 float_bits(float x) {
  u32 r;
  __builtin_memcpy(&r, &x, 4);
  return r;
}
INLINE float bits_float(u32 x) {
  float r;
  __builtin_memcpy(&r, &x, 4);
  return r;
}
INLINE u64 double_bits(double x) {
  u64 r;
  __builtin_memcpy(&r, &x, 8);
  return r;
}
INLINE double bits_double(u64 x) {
  double r;
  __builtin_memcpy(&r, &x, 8);
  return r;
}

#define FLOAT_INF __builtin_inff()
#define FLOAT_NAN bits_float(0x7fffffffu)
#define DOUBLE_INF __builtin_inf()
#define DOUBLE_NAN bits_double(0xfff8000000000000ull)

// The device's primitives, by their C names on the host. __builtin_rint and friends lower to one
// instruction each on nvptx.
INLINE float fma_f(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma_d(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE float abs_f(float x) { return bits_float(float_bits(x) & 0x7fffffffu); }
INLINE double abs_d(double x) { return bits_double(double_bits(x) & 0x7fffffffffffffffull); }
INLINE float copysign_f(float x, float s) {
  return bits_float((float_bits(x) & 0x7fffffffu) | (float_bits(s) & 0x80000000u));
}
INLINE double copysign_d(double x, double s) {
  return bits_double((double_bits(x) & 0x7fffffffffffffffull) | (double_bits(s) & 0x8000000000000000ull));
}
INLINE float rint_f(float x) { return __builtin_rintf(x); }
INLINE double rint_d(double x) { return __builtin_rint(x); }
INLINE float trunc_f(float x) { return __builtin_truncf(x); }
INLINE double trunc_d(double x) { return __builtin_trunc(x); }
INLINE float floor_f(float x) { return __builtin_floorf(x); }
INLINE double floor_d(double x) { return __builtin_floor(x); }
INLINE float sqrt_f(float x) { return __builtin_sqrtf(x); }
INLINE double sqrt_d(double x) { return __builtin_sqrt(x); }

// A product that stays a product: sums that rely on its rounding would lose their meaning if a compiler
// fused it with a later addition. An instruction of its own, for clang rewrites even __nvvm_mul_rn_f.
#if HEDDLE_ON_DEVICE
INLINE float mul_f(float a, float b) {
  float r;
  __asm__("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
INLINE double mul_d(double a, double b) {
  double r;
  __asm__("mul.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
#else
INLINE float mul_f(float a, float b) { return a * b; }
INLINE double mul_d(double a, double b) { return a * b; }
#endif

// 2^n for an n whose result is normal.
INLINE float power_of_two_f(int n) { return bits_float((u32)(n + 127) << 23); }
INLINE double power_of_two_d(int n) { return bits_double((u64)(n + 1023) << 52); }

#if defined(__clang__)
#define reverse_bits32 __builtin_bitreverse32
#define reverse_bits64 __builtin_bitreverse64
#else
INLINE u32 reverse_bits32(u32 x) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
  return r;
}
INLINE u64 reverse_bits64(u64 x) { return (u64)reverse_bits32((u32)x) << 32 | reverse_bits32((u32)(x >> 32)); }
#endif
