// SPDX-License-Identifier: Apache-2.0
// The 8-bit formats e4m3 (no infinity; 448 the largest number) and e5m2 (the upper half of an f16): storage types,
// conversions on host and device, classes of one, two and four numbers. NaN become 0x7F, as by silicon's instruction,
// which converts two numbers at a time where it saturates
// (sm_89 and later; else by way of double).
#if !defined(__CUDA_FP8_H__)
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)
#define HEDDLE_F static __inline__ __host__ __device__
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define HEDDLE_FP8_INSTRUCTIONS
#endif

// ---- to 8 bits, rounded to nearest even ----
HEDDLE_F __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                   const __nv_fp8_interpretation_t format) {
  const unsigned infinity = format == __NV_E4M3 ? 0x7f : 0x7c;
  const unsigned bits = format == __NV_E4M3 ? __heddle_narrow<3, 4, 0x7f>(x) : __heddle_narrow<2, 5>(x);
  if (__heddle_is_nan(x)) return 0x7f;
  return static_cast<__nv_fp8_storage_t>(saturate == __NV_SATFINITE && (bits & 0x7f) == infinity ? bits - 1 : bits);
}
HEDDLE_F __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(x.x, saturate, format) |
                                           __nv_cvt_double_to_fp8(x.y, saturate, format) << 8);
}
HEDDLE_F __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t format) {
#if defined(HEDDLE_FP8_INSTRUCTIONS)
  if (saturate == __NV_SATFINITE) {
    unsigned short d;
    if (format == __NV_E4M3) asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(d) : "f"(x.x), "f"(x.y));
    else asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(d) : "f"(x.x), "f"(x.y));
    return d;
  }
#endif
  return __nv_cvt_double2_to_fp8x2(make_double2(x.x, x.y), saturate, format);
}
HEDDLE_F __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                  const __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8_storage_t>(__nv_cvt_float2_to_fp8x2(make_float2(x, 0), saturate, format));
}
HEDDLE_F __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                                                    const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, format);
}
HEDDLE_F __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t saturate,
                                                         const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, format);
}
HEDDLE_F __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, format);
}
HEDDLE_F __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw x,
                                                             const __nv_saturation_t saturate,
                                                             const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, format);
}

// ---- from 8 bits: exact ----
HEDDLE_F __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t format);
HEDDLE_F __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t format) {
#if defined(HEDDLE_FP8_INSTRUCTIONS)
  return __half_raw{__nv_cvt_fp8x2_to_halfraw2(x, format).x};
#else
  if ((x & 0x7f) > (format == __NV_E4M3 ? 0x7e : 0x7c)) return __half_raw{0x7fff};
  if (format == __NV_E5M2) return __half_raw{static_cast<unsigned short>(x << 8)};
  const int exponent = x >> 3 & 15, fraction = x & 7;
  const double magnitude = ldexp(exponent ? 8 + fraction : fraction, (exponent ? exponent : 1) - 10);
  return __double2half(x & 0x80 ? -magnitude : magnitude);
#endif
}
HEDDLE_F __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t format) {
#if defined(HEDDLE_FP8_INSTRUCTIONS)
  unsigned d;
  if (format == __NV_E4M3) asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(d) : "h"(x));
  else asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(d) : "h"(x));
  return __half2_raw{static_cast<unsigned short>(d), static_cast<unsigned short>(d >> 16)};
#else
  return __half2_raw{__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), format).x,
                     __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), format).x};
#endif
}

// clang-format off
// ---- classes: conversions to them saturate ----
#define HEDDLE_D __host__ __device__ explicit
#define HEDDLE_FROM(type) \
  HEDDLE_D HEDDLE_FP8(const type v) : __x(__nv_cvt_double_to_fp8(__heddle_of_integer(v), __NV_SATFINITE, HEDDLE_FORMAT)) {}
#define HEDDLE_TO(type, name) \
  HEDDLE_D operator type() const { return static_cast<type>(name(__half(*this))); }
#define HEDDLE_CLASSES                                                                                                                     \
  struct alignas(1) HEDDLE_FP8 {                                                                                                           \
    __nv_fp8_storage_t __x;                                                                                                                \
    HEDDLE_FP8() = default;                                                                                                                \
    HEDDLE_D HEDDLE_FP8(const __half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}                                \
    HEDDLE_D HEDDLE_FP8(const __nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}                     \
    HEDDLE_D HEDDLE_FP8(const float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}                                   \
    HEDDLE_D HEDDLE_FP8(const double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}                                 \
    HEDDLE_FROM(short) HEDDLE_FROM(unsigned short) HEDDLE_FROM(int) HEDDLE_FROM(unsigned int) HEDDLE_FROM(long)                            \
    HEDDLE_FROM(unsigned long) HEDDLE_FROM(long long) HEDDLE_FROM(unsigned long long)                                                      \
    HEDDLE_D operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, HEDDLE_FORMAT)); }                                       \
    HEDDLE_D operator __nv_bfloat16() const { return __float2bfloat16_rn(static_cast<float>(*this)); }                                     \
    HEDDLE_D operator float() const { return __half2float(__half(*this)); }                                                                \
    HEDDLE_D operator double() const { return static_cast<float>(*this); }                                                                 \
    HEDDLE_D operator bool() const { return (__x & 0x7f) != 0; }                                                                           \
    HEDDLE_TO(char, __half2char_rz) HEDDLE_TO(signed char, __half2char_rz) HEDDLE_TO(unsigned char, __half2uchar_rz)                       \
    HEDDLE_TO(short, __half2short_rz) HEDDLE_TO(unsigned short, __half2ushort_rz) HEDDLE_TO(int, __half2int_rz)                            \
    HEDDLE_TO(unsigned int, __half2uint_rz) HEDDLE_TO(long, __half2ll_rz) HEDDLE_TO(unsigned long, __half2ull_rz)                          \
    HEDDLE_TO(long long, __half2ll_rz) HEDDLE_TO(unsigned long long, __half2ull_rz)                                                        \
  };                                                                                                                                       \
  struct alignas(2) HEDDLE_FP8X2 {                                                                                                         \
    __nv_fp8x2_storage_t __x;                                                                                                              \
    HEDDLE_FP8X2() = default;                                                                                                              \
    HEDDLE_D HEDDLE_FP8X2(const __half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}                          \
    HEDDLE_D HEDDLE_FP8X2(const __nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}               \
    HEDDLE_D HEDDLE_FP8X2(const float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}                             \
    HEDDLE_D HEDDLE_FP8X2(const double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, HEDDLE_FORMAT)) {}                           \
    HEDDLE_D operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, HEDDLE_FORMAT)); }                                  \
    HEDDLE_D operator float2() const { return __half22float2(__half2(*this)); }                                                            \
  };                                                                                                                                       \
  struct alignas(4) HEDDLE_FP8X4 {                                                                                                         \
    __nv_fp8x4_storage_t __x;                                                                                                              \
    HEDDLE_FP8X4() = default;                                                                                                              \
    HEDDLE_D HEDDLE_FP8X4(const __half2 low, const __half2 high) : __x(HEDDLE_FP8X2(low).__x | HEDDLE_FP8X2(high).__x << 16) {}            \
    HEDDLE_D HEDDLE_FP8X4(const __nv_bfloat162 low, const __nv_bfloat162 high) : __x(HEDDLE_FP8X2(low).__x | HEDDLE_FP8X2(high).__x << 16) {} \
    HEDDLE_D HEDDLE_FP8X4(const float4 v)                                                                                                  \
        : __x(HEDDLE_FP8X2(make_float2(v.x, v.y)).__x | HEDDLE_FP8X2(make_float2(v.z, v.w)).__x << 16) {}                                  \
    HEDDLE_D HEDDLE_FP8X4(const double4 v)                                                                                                 \
        : __x(HEDDLE_FP8X2(make_double2(v.x, v.y)).__x | HEDDLE_FP8X2(make_double2(v.z, v.w)).__x << 16) {}                                \
    HEDDLE_D operator float4() const {                                                                                                     \
      HEDDLE_FP8X2 low, high;                                                                                                              \
      low.__x = static_cast<__nv_fp8x2_storage_t>(__x);                                                                                    \
      high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);                                                                             \
      const float2 l(low), h(high);                                                                                                        \
      return make_float4(l.x, l.y, h.x, h.y);                                                                                              \
    }                                                                                                                                      \
  };

#define HEDDLE_FORMAT __NV_E4M3
#define HEDDLE_FP8 __nv_fp8_e4m3
#define HEDDLE_FP8X2 __nv_fp8x2_e4m3
#define HEDDLE_FP8X4 __nv_fp8x4_e4m3
HEDDLE_CLASSES
#undef HEDDLE_FORMAT
#undef HEDDLE_FP8
#undef HEDDLE_FP8X2
#undef HEDDLE_FP8X4
#define HEDDLE_FORMAT __NV_E5M2
#define HEDDLE_FP8 __nv_fp8_e5m2
#define HEDDLE_FP8X2 __nv_fp8x2_e5m2
#define HEDDLE_FP8X4 __nv_fp8x4_e5m2
HEDDLE_CLASSES
#undef HEDDLE_FORMAT
#undef HEDDLE_FP8
#undef HEDDLE_FP8X2
#undef HEDDLE_FP8X4
#undef HEDDLE_CLASSES
#undef HEDDLE_FROM
#undef HEDDLE_TO
#undef HEDDLE_D
#undef HEDDLE_F
#undef HEDDLE_FP8_INSTRUCTIONS
#endif  // __cplusplus

#endif
