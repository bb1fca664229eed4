// SPDX-License-Identifier: Apache-2.0
// Host versions of the math functions that CUDA has and the C library has not (or not yet): computed in
// double (long double would be slower, not better, for float results). Included by cuda_runtime.h.
#if !defined(HEDDLE_CRT_HOST_MATH_H)
#define HEDDLE_CRT_HOST_MATH_H

#include <math.h>

#if defined(__GLIBC_PREREQ)
#define HEDDLE_GLIBC(major, minor) __GLIBC_PREREQ(major, minor)
#else
#define HEDDLE_GLIBC(major, minor) 0
#endif

#define HEDDLE_HOST static __inline__

#if !HEDDLE_GLIBC(2, 42)
HEDDLE_HOST double rsqrt(double x) { return 1.0 / ::sqrt(x); }
HEDDLE_HOST float rsqrtf(float x) { return (float)(1.0 / ::sqrt((double)x)); }
#endif
HEDDLE_HOST double rcbrt(double x) { return 1.0 / ::cbrt(x); }
HEDDLE_HOST float rcbrtf(float x) { return (float)(1.0 / ::cbrt((double)x)); }

// sin and cos of pi times x: exact reduction by fmod first, so that large x keep their meaning.
HEDDLE_HOST void sincospi(double x, double* s, double* c) {
  const double r = ::fmod(x, 2.0);
  const double q = ::rint(2.0 * r);
  const double t = (r - 0.5 * q) * 3.14159265358979323846;
  const double st = ::sin(t), ct = ::cos(t);
  switch ((int)q & 3) {
    // clang-format off
    case 0: *s = st; *c = ct; break;
    case 1: *s = ct; *c = -st; break;
    case 2: *s = -st; *c = -ct; break;
    default: *s = -ct; *c = st; break;
      // clang-format on
  }
  if (*c == 0.0) *c = 0.0;
  if (*s == 0.0) *s = ::copysign(0.0, x);
}
HEDDLE_HOST void sincospif(float x, float* s, float* c) {
  double ds, dc;
  sincospi((double)x, &ds, &dc);
  *s = (float)ds;
  *c = (float)dc;
}
#if !HEDDLE_GLIBC(2, 41)
HEDDLE_HOST double sinpi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return s;
}
HEDDLE_HOST double cospi(double x) {
  double s, c;
  sincospi(x, &s, &c);
  return c;
}
HEDDLE_HOST float sinpif(float x) { return (float)sinpi((double)x); }
HEDDLE_HOST float cospif(float x) { return (float)cospi((double)x); }
#endif

HEDDLE_HOST double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
HEDDLE_HOST float normcdff(float x) { return (float)normcdf((double)x); }

// exp(x*x)*erfc(x); its continued fraction takes over where erfc underflows.
HEDDLE_HOST double erfcx(double x) {
  if (x < 25.0) return ::exp(x * x) * ::erfc(x);
  double f = x;
  for (int k = 20; k >= 1; --k) f = x + 0.5 * k / f;
  return 0.56418958354775628695 / f;
}
HEDDLE_HOST float erfcxf(float x) { return (float)erfcx((double)x); }

// Quantile of the normal distribution: a start from the logarithm, then Halley steps on the error.
HEDDLE_HOST double normcdfinv(double p) {
  if (!(p > 0.0 && p < 1.0)) return p == 0.0 ? -HUGE_VAL : p == 1.0 ? HUGE_VAL : ::nan("");
  const double tail = p < 0.5 ? p : 1.0 - p;
  const double t = ::sqrt(-2.0 * ::log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int i = 0; i < 4; ++i) {
    const double e = tail - 0.5 * ::erfc(x * 0.70710678118654752440);
    const double u = e * 2.50662827463100050242 * ::exp(0.5 * x * x);
    x -= u / (1.0 - 0.5 * x * u);
  }
  return p < 0.5 ? -x : x;
}
HEDDLE_HOST float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
HEDDLE_HOST double erfcinv(double y) { return -0.70710678118654752440 * normcdfinv(0.5 * y); }
HEDDLE_HOST float erfcinvf(float y) { return (float)erfcinv((double)y); }
HEDDLE_HOST double erfinv(double y) { return 0.70710678118654752440 * normcdfinv(0.5 * (1.0 + y)); }
HEDDLE_HOST float erfinvf(float y) { return (float)erfinv((double)y); }

HEDDLE_HOST double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
HEDDLE_HOST float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
HEDDLE_HOST double norm4d(double a, double b, double c, double d) { return ::hypot(::hypot(a, b), ::hypot(c, d)); }
HEDDLE_HOST float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
HEDDLE_HOST double rhypot(double a, double b) { return 1.0 / ::hypot(a, b); }
HEDDLE_HOST float rhypotf(float a, float b) { return (float)rhypot(a, b); }
HEDDLE_HOST double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
HEDDLE_HOST float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }

#define HEDDLE_MINMAX(attributes, result, ta, tb)                                             \
  attributes result min(ta a, tb b) { return (result)a < (result)b ? (result)a : (result)b; } \
  attributes result max(ta a, tb b) { return (result)a < (result)b ? (result)b : (result)a; }
#define HEDDLE_FLOAT_MINMAX(attributes, result, ta, tb, low, high)        \
  attributes result min(ta a, tb b) { return low((result)a, (result)b); } \
  attributes result max(ta a, tb b) { return high((result)a, (result)b); }
#include "minmax.inc"
#if defined(__CUDA__) || defined(__CUDACC__)
HEDDLE_MINMAX(HEDDLE_HOST, int, int, int)
HEDDLE_ALL_MINMAX(HEDDLE_HOST)
#endif
#undef HEDDLE_ALL_MINMAX
#undef HEDDLE_FLOAT_MINMAX
#undef HEDDLE_MINMAX

#undef HEDDLE_HOST
#undef HEDDLE_GLIBC

#endif  // HEDDLE_CRT_HOST_MATH_H
