// SPDX-License-Identifier: Apache-2.0
// f16: __half, __half2 and their functions. Conversions with float are for the host, too; arithmetic is the device's.
#if !defined(__CUDA_FP16_H__)
#define __CUDA_FP16_H__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include <string.h>

struct __half_raw {
  unsigned short x;
};

struct __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ __half(const __half_raw& r) : __x(r.x) {}
  __host__ __device__ __half(const float f);
  __host__ __device__ __half(const double f);
  __host__ __device__ __half(const int i) : __half(static_cast<float>(i)) {}
  __host__ __device__ operator float() const;
  __host__ __device__ operator __half_raw() const { return {__x}; }
};

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ constexpr __half2(const __half& a, const __half& b) : x(a), y(b) {}
  // Both numbers in one register, x in the low half.
  __host__ __device__ unsigned& __bits() { return *reinterpret_cast<unsigned*>(this); }
  __host__ __device__ const unsigned& __bits() const { return *reinterpret_cast<const unsigned*>(this); }
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

// The compiler's own f16 converts as the machine does, on the host as well.
#define HEDDLE_HD static __inline__ __host__ __device__
HEDDLE_HD __half __ushort_as_half(const unsigned short x) { return __half(__half_raw{x}); }
HEDDLE_HD __half __short_as_half(const short x) { return __ushort_as_half(static_cast<unsigned short>(x)); }
HEDDLE_HD unsigned short __half_as_ushort(const __half h) { return h.__x; }
HEDDLE_HD short __half_as_short(const __half h) { return static_cast<short>(h.__x); }
HEDDLE_HD float __half2float(const __half h) {
  _Float16 v;
  memcpy(&v, &h.__x, sizeof v);
  return static_cast<float>(v);
}
template <typename From>
HEDDLE_HD __half __heddle_to_half(const From f) {
  const _Float16 v = static_cast<_Float16>(f);
  unsigned short x;
  memcpy(&x, &v, sizeof x);
  return __ushort_as_half(x);
}
HEDDLE_HD __half __float2half(const float f) { return __heddle_to_half(f); }
HEDDLE_HD __half __float2half_rn(const float f) { return __heddle_to_half(f); }
HEDDLE_HD __half __double2half(const double f) { return __heddle_to_half(f); }
inline __host__ __device__ __half::__half(const float f) : __x(__float2half(f).__x) {}
inline __host__ __device__ __half::__half(const double f) : __x(__double2half(f).__x) {}
inline __host__ __device__ __half::operator float() const { return __half2float(*this); }

HEDDLE_HD __half2 __halves2half2(const __half a, const __half b) { return __half2(a, b); }
HEDDLE_HD __half2 make_half2(const __half a, const __half b) { return __half2(a, b); }
HEDDLE_HD __half2 __half2half2(const __half a) { return __half2(a, a); }
HEDDLE_HD __half2 __float2half2_rn(const float f) { return __half2half2(__float2half(f)); }
HEDDLE_HD __half2 __floats2half2_rn(const float a, const float b) { return __half2(__float2half(a), __float2half(b)); }
HEDDLE_HD __half2 __float22half2_rn(const float2 f) { return __floats2half2_rn(f.x, f.y); }
HEDDLE_HD float2 __half22float2(const __half2 h) { return make_float2(__half2float(h.x), __half2float(h.y)); }
HEDDLE_HD float __low2float(const __half2 h) { return __half2float(h.x); }
HEDDLE_HD float __high2float(const __half2 h) { return __half2float(h.y); }
HEDDLE_HD __half __low2half(const __half2 h) { return h.x; }
HEDDLE_HD __half __high2half(const __half2 h) { return h.y; }
HEDDLE_HD __half2 __low2half2(const __half2 h) { return __half2(h.x, h.x); }
HEDDLE_HD __half2 __high2half2(const __half2 h) { return __half2(h.y, h.y); }
HEDDLE_HD __half2 __lowhigh2highlow(const __half2 h) { return __half2(h.y, h.x); }
HEDDLE_HD __half2 __lows2half2(const __half2 a, const __half2 b) { return __half2(a.x, b.x); }
HEDDLE_HD __half2 __highs2half2(const __half2 a, const __half2 b) { return __half2(a.y, b.y); }
#undef HEDDLE_HD

#if defined(__CUDACC__)
#define HEDDLE_CONVERT(name, result, type, ptx, out, in, give, take)              \
  static __inline__ __device__ result name(const type v) {                       \
    result d;                                                                     \
    asm("cvt." ptx " %0, %1;" : out(give) : in(take));                            \
    return d;                                                                     \
  }
#define HEDDLE_ROUNDINGS(to, from, result, type, ptx, out, in, give, take)                     \
  HEDDLE_CONVERT(__##from##2##to##_rn, result, type, "rn" ptx, out, in, give, take)            \
  HEDDLE_CONVERT(__##from##2##to##_rz, result, type, "rz" ptx, out, in, give, take)            \
  HEDDLE_CONVERT(__##from##2##to##_rd, result, type, "rm" ptx, out, in, give, take)            \
  HEDDLE_CONVERT(__##from##2##to##_ru, result, type, "rp" ptx, out, in, give, take)
#define HEDDLE_INTEGER(name, type, ptx, constraint)                                                        \
  HEDDLE_ROUNDINGS(half, name, __half, type, ".f16." ptx, "=h", constraint, d.__x, v)                      \
  HEDDLE_ROUNDINGS(name, half, type, __half, "i." ptx ".f16", "=" constraint, "h", d, v.__x)
HEDDLE_CONVERT(__float2half_rz, __half, float, "rz.f16.f32", "=h", "f", d.__x, v)
HEDDLE_CONVERT(__float2half_rd, __half, float, "rm.f16.f32", "=h", "f", d.__x, v)
HEDDLE_CONVERT(__float2half_ru, __half, float, "rp.f16.f32", "=h", "f", d.__x, v)
HEDDLE_INTEGER(int, int, "s32", "r")
HEDDLE_INTEGER(uint, unsigned, "u32", "r")
HEDDLE_INTEGER(short, short, "s16", "h")
HEDDLE_INTEGER(ushort, unsigned short, "u16", "h")
HEDDLE_INTEGER(ll, long long, "s64", "l")
HEDDLE_INTEGER(ull, unsigned long long, "u64", "l")
#undef HEDDLE_INTEGER
#undef HEDDLE_ROUNDINGS
#undef HEDDLE_CONVERT

#define HEDDLE_SUM(name, op)                                                                             \
  static __inline__ __device__ __half name(const __half a, const __half b) {                            \
    __half d;                                                                                           \
    asm(op ".f16 %0, %1, %2;" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x));                                   \
    return d;                                                                                           \
  }
#define HEDDLE_SUM2(name, op)                                                                            \
  static __inline__ __device__ __half2 name(const __half2 a, const __half2 b) {                         \
    __half2 d;                                                                                          \
    asm(op ".f16x2 %0, %1, %2;" : "=r"(d.__bits()) : "r"(a.__bits()), "r"(b.__bits()));                  \
    return d;                                                                                           \
  }
HEDDLE_SUM(__hadd, "add") HEDDLE_SUM2(__hadd2, "add")
HEDDLE_SUM(__hsub, "sub") HEDDLE_SUM2(__hsub2, "sub")
HEDDLE_SUM(__hmul, "mul") HEDDLE_SUM2(__hmul2, "mul")
HEDDLE_SUM(__hadd_rn, "add.rn") HEDDLE_SUM2(__hadd2_rn, "add.rn")
HEDDLE_SUM(__hsub_rn, "sub.rn") HEDDLE_SUM2(__hsub2_rn, "sub.rn")
HEDDLE_SUM(__hmul_rn, "mul.rn") HEDDLE_SUM2(__hmul2_rn, "mul.rn")
HEDDLE_SUM(__hadd_sat, "add.sat") HEDDLE_SUM2(__hadd2_sat, "add.sat")
HEDDLE_SUM(__hsub_sat, "sub.sat") HEDDLE_SUM2(__hsub2_sat, "sub.sat")
HEDDLE_SUM(__hmul_sat, "mul.sat") HEDDLE_SUM2(__hmul2_sat, "mul.sat")
#undef HEDDLE_SUM
#undef HEDDLE_SUM2

static __inline__ __device__ __half __hfma_sat(const __half a, const __half b, const __half c) {
  __half d;
  asm("fma.rn.sat.f16 %0, %1, %2, %3;" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return d;
}
static __inline__ __device__ __half2 __hfma2_sat(const __half2 a, const __half2 b, const __half2 c) {
  __half2 d;
  asm("fma.rn.sat.f16x2 %0, %1, %2, %3;" : "=r"(d.__bits()) : "r"(a.__bits()), "r"(b.__bits()), "r"(c.__bits()));
  return d;
}
static __inline__ __device__ int __hisinf(const __half a) {
  return a.__x == 0xfc00 ? -1 : a.__x == 0x7c00;
}

#if defined(__CUDA_NO_HALF_OPERATORS__)
#define HEDDLE_NO_OPERATORS
#endif
#define HEDDLE_HALF __half
#define HEDDLE_HALF2 __half2
#define HEDDLE_PTX "f16"
#define HEDDLE_TO_FLOAT __half2float
#define HEDDLE_FROM_FLOAT __float2half_rn
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
