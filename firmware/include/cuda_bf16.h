// SPDX-License-Identifier: Apache-2.0
// bf16: __nv_bfloat16, __nv_bfloat162 and their functions. Conversions with float are for the host, too; arithmetic is the
// device's.
#if !defined(__CUDA_BF16_H__)
#define __CUDA_BF16_H__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include <string.h>

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw& r) : __x(r.x) {}
  __host__ __device__ __nv_bfloat16(const float f);
  __host__ __device__ __nv_bfloat16(const double f);
  __host__ __device__ __nv_bfloat16(const int i) : __nv_bfloat16(static_cast<double>(i)) {}
  __host__ __device__ operator float() const;
  __host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
};

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
  // Both numbers in one register, x in the low half.
  __host__ __device__ unsigned& __bits() { return *reinterpret_cast<unsigned*>(this); }
  __host__ __device__ const unsigned& __bits() const { return *reinterpret_cast<const unsigned*>(this); }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define HEDDLE_HD static __inline__ __host__ __device__
HEDDLE_HD __nv_bfloat16 __ushort_as_bfloat16(const unsigned short x) { return __nv_bfloat16(__nv_bfloat16_raw{x}); }
HEDDLE_HD __nv_bfloat16 __short_as_bfloat16(const short x) { return __ushort_as_bfloat16(static_cast<unsigned short>(x)); }
HEDDLE_HD unsigned short __bfloat16_as_ushort(const __nv_bfloat16 h) { return h.__x; }
HEDDLE_HD short __bfloat16_as_short(const __nv_bfloat16 h) { return static_cast<short>(h.__x); }
// bf16 is the upper half of an f32.
HEDDLE_HD float __bfloat162float(const __nv_bfloat16 h) {
  const unsigned bits = static_cast<unsigned>(h.__x) << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rn(const float f) {
  unsigned bits;
  memcpy(&bits, &f, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return __ushort_as_bfloat16(0x7fff);
  // Half of the last place, less one when even.
  return __ushort_as_bfloat16(static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16));
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16(const float f) { return __float2bfloat16_rn(f); }
// By an f32 rounded to odd, which leaves enough for the one rounding that counts.
HEDDLE_HD __nv_bfloat16 __double2bfloat16(const double v) {
  float f = static_cast<float>(v);
  unsigned bits;
  memcpy(&bits, &f, sizeof bits);
  const double back = f;
  if (back != v && v == v && (bits & 1) == 0) {
    const bool larger = v < 0 ? v < back : v > back;  // in magnitude
    bits = larger ? bits + 1 : bits - 1;
    memcpy(&f, &bits, sizeof f);
  }
  return __float2bfloat16_rn(f);
}
inline __host__ __device__ __nv_bfloat16::__nv_bfloat16(const float f) : __x(__float2bfloat16_rn(f).__x) {}
inline __host__ __device__ __nv_bfloat16::__nv_bfloat16(const double f) : __x(__double2bfloat16(f).__x) {}
inline __host__ __device__ __nv_bfloat16::operator float() const { return __bfloat162float(*this); }

HEDDLE_HD __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 a, const __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
HEDDLE_HD __nv_bfloat162 make_bfloat162(const __nv_bfloat16 a, const __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
HEDDLE_HD __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 a) { return __nv_bfloat162(a, a); }
HEDDLE_HD __nv_bfloat162 __float2bfloat162_rn(const float f) { return __bfloat162bfloat162(__float2bfloat16_rn(f)); }
HEDDLE_HD __nv_bfloat162 __floats2bfloat162_rn(const float a, const float b) {
  return __nv_bfloat162(__float2bfloat16_rn(a), __float2bfloat16_rn(b));
}
HEDDLE_HD __nv_bfloat162 __float22bfloat162_rn(const float2 f) { return __floats2bfloat162_rn(f.x, f.y); }
HEDDLE_HD float2 __bfloat1622float2(const __nv_bfloat162 h) {
  return make_float2(__bfloat162float(h.x), __bfloat162float(h.y));
}
HEDDLE_HD float __low2float(const __nv_bfloat162 h) { return __bfloat162float(h.x); }
HEDDLE_HD float __high2float(const __nv_bfloat162 h) { return __bfloat162float(h.y); }
HEDDLE_HD __nv_bfloat16 __low2bfloat16(const __nv_bfloat162 h) { return h.x; }
HEDDLE_HD __nv_bfloat16 __high2bfloat16(const __nv_bfloat162 h) { return h.y; }
HEDDLE_HD __nv_bfloat162 __low2bfloat162(const __nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
HEDDLE_HD __nv_bfloat162 __high2bfloat162(const __nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
HEDDLE_HD __nv_bfloat162 __lowhigh2highlow(const __nv_bfloat162 h) { return __nv_bfloat162(h.y, h.x); }
HEDDLE_HD __nv_bfloat162 __lows2bfloat162(const __nv_bfloat162 a, const __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
HEDDLE_HD __nv_bfloat162 __highs2bfloat162(const __nv_bfloat162 a, const __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
#undef HEDDLE_HD

#if defined(__CUDACC__)
// sm_80 has the fused product alone: a + b is a * 1 + b, a - b is b * -1 + a, a * b has -0 added.
#define HEDDLE_SUM(name, x, y, z)                                                                                     \
  static __inline__ __device__ __nv_bfloat16 name(const __nv_bfloat16 a, const __nv_bfloat16 b) {                    \
    __nv_bfloat16 d;                                                                                                  \
    asm("{.reg .b16 k; mov.b16 k, " z "; fma.rn.bf16 %0, " x ", " y ";}" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x));     \
    return d;                                                                                                         \
  }                                                                                                                   \
  static __inline__ __device__ __nv_bfloat162 name##2(const __nv_bfloat162 a, const __nv_bfloat162 b) {              \
    __nv_bfloat162 d;                                                                                                 \
    asm("{.reg .b16 h; .reg .b32 k; mov.b16 h, " z "; mov.b32 k, {h, h}; fma.rn.bf16x2 %0, " x ", " y ";}"            \
        : "=r"(d.__bits())                                                                                            \
        : "r"(a.__bits()), "r"(b.__bits()));                                                                          \
    return d;                                                                                                         \
  }
HEDDLE_SUM(__hadd, "%1, k", "%2", "0x3f80")
HEDDLE_SUM(__hsub, "%2, k", "%1", "0xbf80")
HEDDLE_SUM(__hmul, "%1, %2", "k", "0x8000")
#undef HEDDLE_SUM
static __inline__ __device__ int __hisinf(const __nv_bfloat16 a) { return a.__x == 0xff80 ? -1 : a.__x == 0x7f80; }

#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define HEDDLE_NO_OPERATORS
#endif
#define HEDDLE_HALF __nv_bfloat16
#define HEDDLE_HALF2 __nv_bfloat162
#define HEDDLE_PTX "bf16"
#define HEDDLE_TO_FLOAT __bfloat162float
#define HEDDLE_FROM_FLOAT __float2bfloat16_rn
#include "crt/half_functions.inc"
#undef HEDDLE_HALF
#undef HEDDLE_HALF2
#undef HEDDLE_PTX
#undef HEDDLE_TO_FLOAT
#undef HEDDLE_FROM_FLOAT
#undef HEDDLE_NO_OPERATORS
#endif  // __CUDACC__
#endif  // __cplusplus

#endif
