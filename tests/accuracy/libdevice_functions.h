// SPDX-License-Identifier: Apache-2.0
// The device library's functions as compiled for the host.
#pragma once

// clang-format off
extern "C" {
#define HEDDLE_F1(name)       \
  float __nv_##name##f(float); \
  double __nv_##name(double);
#define HEDDLE_F2(name)              \
  float __nv_##name##f(float, float); \
  double __nv_##name(double, double);
HEDDLE_F1(exp) HEDDLE_F1(exp2) HEDDLE_F1(exp10) HEDDLE_F1(expm1)
HEDDLE_F1(log) HEDDLE_F1(log2) HEDDLE_F1(log10) HEDDLE_F1(log1p)
HEDDLE_F1(sin) HEDDLE_F1(cos) HEDDLE_F1(tan) HEDDLE_F1(sinpi) HEDDLE_F1(cospi)
HEDDLE_F1(asin) HEDDLE_F1(acos) HEDDLE_F1(atan)
HEDDLE_F1(sinh) HEDDLE_F1(cosh) HEDDLE_F1(tanh)
HEDDLE_F1(asinh) HEDDLE_F1(acosh) HEDDLE_F1(atanh)
HEDDLE_F1(cbrt) HEDDLE_F1(rcbrt) HEDDLE_F1(rsqrt)
HEDDLE_F1(erf) HEDDLE_F1(erfc) HEDDLE_F1(erfcx) HEDDLE_F1(normcdf)
HEDDLE_F1(erfinv) HEDDLE_F1(erfcinv) HEDDLE_F1(normcdfinv)
HEDDLE_F1(tgamma) HEDDLE_F1(lgamma)
HEDDLE_F1(j0) HEDDLE_F1(j1) HEDDLE_F1(y0) HEDDLE_F1(y1)
HEDDLE_F1(cyl_bessel_i0) HEDDLE_F1(cyl_bessel_i1)
HEDDLE_F1(floor) HEDDLE_F1(ceil) HEDDLE_F1(trunc) HEDDLE_F1(rint) HEDDLE_F1(nearbyint)
HEDDLE_F1(round) HEDDLE_F1(logb) HEDDLE_F1(fabs) HEDDLE_F1(sqrt)
HEDDLE_F2(pow) HEDDLE_F2(atan2) HEDDLE_F2(hypot) HEDDLE_F2(rhypot)
HEDDLE_F2(fmod) HEDDLE_F2(remainder) HEDDLE_F2(nextafter) HEDDLE_F2(fdim) HEDDLE_F2(copysign)
HEDDLE_F2(fmin) HEDDLE_F2(fmax)
#undef HEDDLE_F1
#undef HEDDLE_F2
    // clang-format on
    float __nv_jnf(int, float);
double __nv_jn(int, double);
float __nv_ynf(int, float);
double __nv_yn(int, double);
float __nv_ldexpf(float, int);
double __nv_ldexp(double, int);
float __nv_frexpf(float, int*);
double __nv_frexp(double, int*);
float __nv_modff(float, float*);
double __nv_modf(double, double*);
float __nv_remquof(float, float, int*);
double __nv_remquo(double, double, int*);
int __nv_ilogbf(float);
int __nv_ilogb(double);
long long __nv_llrintf(float);
long long __nv_llroundf(float);
long long __nv_llround(double);
float __nv_powif(float, int);
float __nv_frsqrt_rn(float);
float __nv_norm3df(float, float, float);
double __nv_norm3d(double, double, double);
float __nv_norm4df(float, float, float, float);
double __nv_norm4d(double, double, double, double);
float __nv_rnorm3df(float, float, float);
double __nv_rnorm3d(double, double, double);
float __nv_rnorm4df(float, float, float, float);
double __nv_rnorm4d(double, double, double, double);
float __nv_fast_sinf(float);
float __nv_fast_cosf(float);
float __nv_fast_tanf(float);
float __nv_fast_expf(float);
float __nv_fast_exp10f(float);
float __nv_fast_logf(float);
float __nv_fast_log2f(float);
float __nv_fast_log10f(float);
float __nv_fast_powf(float, float);
float __nv_fast_fdividef(float, float);
void __nv_sincosf(float, float*, float*);
void __nv_sincos(double, double*, double*);
float __nv_normf(int, const float*);
int __nv_brev(int);
int __nv_clz(int);
int __nv_clzll(long long);
int __nv_ffs(int);
int __nv_ffsll(long long);
int __nv_popc(unsigned);
int __nv_byte_perm(int, int, int);
int __nv_mulhi(int, int);
long long __nv_mul64hi(long long, long long);
unsigned long long __nv_umul64hi(unsigned long long, unsigned long long);
int __nv_mul24(int, int);
int __nv_sad(int, int, int);
int __nv_hadd(int, int);
int __nv_rhadd(int, int);
int __nv_vadd4(int, int);
int __nv_vaddss2(int, int);
int __nv_vabsdiffu4(int, int);
int __nv_vavgs2(int, int);
int __nv_vcmpgts4(int, int);
int __nv_vsadu4(int, int);
}
