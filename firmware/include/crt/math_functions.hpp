// SPDX-License-Identifier: Apache-2.0
// Device math that clang's wrapper declares and leaves to the toolkit: the float overloads of <math.h>
// names (undefined, they would become silent `.extern .func` in PTX) and min/max of every type pair.
// Opened twice by the wrapper, with __host__ poisoned the first time.
#if !defined(HEDDLE_CRT_MATH_FUNCTIONS_HPP)
#define HEDDLE_CRT_MATH_FUNCTIONS_HPP

#pragma push_macro("HEDDLE_DEVICE")
#define HEDDLE_DEVICE static __attribute__((device)) __inline__ __attribute__((always_inline))

#define HEDDLE_FLOAT1(name) \
  HEDDLE_DEVICE float name(float a) { return name##f(a); }
#define HEDDLE_FLOAT2(name) \
  HEDDLE_DEVICE float name(float a, float b) { return name##f(a, b); }
#define HEDDLE_TO_INTEGER(type, name) \
  HEDDLE_DEVICE type name(float a) { return name##f(a); }

HEDDLE_FLOAT1(asinh)
HEDDLE_FLOAT1(acosh)
HEDDLE_FLOAT1(atanh)
HEDDLE_FLOAT1(exp2)
HEDDLE_FLOAT1(expm1)
HEDDLE_FLOAT1(log2)
HEDDLE_FLOAT1(log1p)
HEDDLE_FLOAT1(cbrt)
HEDDLE_FLOAT1(trunc)
HEDDLE_FLOAT1(round)
HEDDLE_FLOAT1(rint)
HEDDLE_FLOAT1(nearbyint)
HEDDLE_FLOAT1(erf)
HEDDLE_FLOAT1(erfc)
HEDDLE_FLOAT1(tgamma)
HEDDLE_FLOAT1(lgamma)
HEDDLE_FLOAT1(logb)
HEDDLE_FLOAT2(hypot)
HEDDLE_FLOAT2(fmin)
HEDDLE_FLOAT2(fmax)
HEDDLE_FLOAT2(fdim)
HEDDLE_FLOAT2(copysign)
HEDDLE_FLOAT2(remainder)
HEDDLE_FLOAT2(nextafter)
HEDDLE_TO_INTEGER(int, ilogb)
HEDDLE_TO_INTEGER(long, lrint)
HEDDLE_TO_INTEGER(long, lround)
HEDDLE_TO_INTEGER(long long, llrint)
HEDDLE_TO_INTEGER(long long, llround)
HEDDLE_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
HEDDLE_DEVICE float scalbn(float a, int b) { return scalbnf(a, b); }
HEDDLE_DEVICE double nan(const char* text) { return __nv_nan(reinterpret_cast<const signed char*>(text)); }
HEDDLE_DEVICE float nanf(const char* text) { return __nv_nanf(reinterpret_cast<const signed char*>(text)); }
HEDDLE_DEVICE float scalbln(float a, long b) { return scalblnf(a, b); }
HEDDLE_DEVICE float remquo(float a, float b, int* quotient) { return remquof(a, b, quotient); }

#undef HEDDLE_TO_INTEGER
#undef HEDDLE_FLOAT2
#undef HEDDLE_FLOAT1

// Float overloads that nvcc has for names beyond <math.h>.
HEDDLE_DEVICE float exp10(float a) { return exp10f(a); }
HEDDLE_DEVICE float rsqrt(float a) { return rsqrtf(a); }
HEDDLE_DEVICE float rcbrt(float a) { return rcbrtf(a); }
HEDDLE_DEVICE float sinpi(float a) { return sinpif(a); }
HEDDLE_DEVICE float cospi(float a) { return cospif(a); }
HEDDLE_DEVICE void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
HEDDLE_DEVICE void sincospi(float a, float* s, float* c) { sincospif(a, s, c); }
HEDDLE_DEVICE float erfinv(float a) { return erfinvf(a); }
HEDDLE_DEVICE float erfcinv(float a) { return erfcinvf(a); }
HEDDLE_DEVICE float erfcx(float a) { return erfcxf(a); }
HEDDLE_DEVICE float normcdf(float a) { return normcdff(a); }
HEDDLE_DEVICE float normcdfinv(float a) { return normcdfinvf(a); }

#define HEDDLE_MINMAX(attributes, result, ta, tb)                                      \
  attributes result min(ta a, tb b) { return (result)a < (result)b ? (result)a : (result)b; } \
  attributes result max(ta a, tb b) { return (result)a < (result)b ? (result)b : (result)a; }
#define HEDDLE_FLOAT_MINMAX(attributes, result, ta, tb, low, high)      \
  attributes result min(ta a, tb b) { return low((result)a, (result)b); } \
  attributes result max(ta a, tb b) { return high((result)a, (result)b); }
#include "minmax.inc"
HEDDLE_ALL_MINMAX(HEDDLE_DEVICE)
#undef HEDDLE_ALL_MINMAX
#undef HEDDLE_FLOAT_MINMAX
#undef HEDDLE_MINMAX

#pragma pop_macro("HEDDLE_DEVICE")

#endif  // HEDDLE_CRT_MATH_FUNCTIONS_HPP
