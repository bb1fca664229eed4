// SPDX-License-Identifier: Apache-2.0
// Every function of the CUDA C programming guide's tables C-1 to C-7 (those of half precision aside) and of the later
// editions' lists: declared, and defined by the toolkit.
// FLAGS: -O0
// NOT: .extern
#include <cmath>
__global__ void single_precision(float* p, int* q, long long* l, int n) {
  const float x = p[0], y = p[1], z = p[2];
  float s, c, whole;
  int e, quotient;
  sincosf(x, &s, &c);
  sincospif(x, &whole, &p[3]);
  p[4] = cbrtf(x) + rcbrtf(x) + expf(x) + exp2f(x) + exp10f(x) + expm1f(x) + logf(x) + log2f(x) + log10f(x) +
      log1pf(x) + sinf(x) + cosf(x) + tanf(x) + sinpif(x) + cospif(x) + asinf(x) + acosf(x) + atanf(x) +
      sinhf(x) + coshf(x) + tanhf(x) + asinhf(x) + acoshf(x) + atanhf(x) + erff(x) + erfcf(x) + erfcxf(x) +
      erfinvf(x) + erfcinvf(x) + normcdff(x) + normcdfinvf(x) + lgammaf(x) + tgammaf(x) + j0f(x) + j1f(x) +
      y0f(x) + y1f(x) + logbf(x) + truncf(x) + roundf(x) + rintf(x) + nearbyintf(x) + ceilf(x) + floorf(x) +
      fabsf(x) + sqrtf(x) + rsqrtf(x) + cyl_bessel_i0f(x) + cyl_bessel_i1f(x);
  p[5] = powf(x, y) + atan2f(x, y) + hypotf(x, y) + rhypotf(x, y) + fmodf(x, y) + remainderf(x, y) + fdimf(x,
      y) + copysignf(x, y) + fminf(x, y) + fmaxf(x, y) + nextafterf(x, y);
  p[6] = fmaf(x, y, z) + frexpf(x, &e) + ldexpf(x, n) + scalbnf(x, n) + scalblnf(x, n) + remquof(x, y, &quotient) +
         modff(x, &whole) + nanf("") + fdividef(x, y) + norm3df(x, y, z) + rnorm3df(x, y, z) + norm4df(x, y, z, s) +
         rnorm4df(x, y, z, s) + normf(3, p) + rnormf(3, p) + jnf(n, x) + ynf(n, x) + s + c + whole;
  q[0] = ilogbf(x) + e + quotient + signbit(x) + isinf(x) + isnan(x) + isfinite(x);
  l[0] = lrintf(x) + lroundf(x) + llrintf(x) + llroundf(x);
  // C++ overloads for float
  using std::abs;
  p[7] = cbrt(x) + exp(x) + exp2(x) + expm1(x) + log(x) + log2(x) + log10(x) + log1p(x) + sin(x) + cos(x) +
      tan(x) + asin(x) + acos(x) + atan(x) + sinh(x) + cosh(x) + tanh(x) + asinh(x) + acosh(x) + atanh(x) +
      erf(x) + erfc(x) + lgamma(x) + tgamma(x) + logb(x) + trunc(x) + round(x) + rint(x) + nearbyint(x) +
      ceil(x) + floor(x) + fabs(x) + sqrt(x) + abs(x);
  p[8] = pow(x, y) + atan2(x, y) + hypot(x, y) + fmod(x, y) + remainder(x, y) + fdim(x, y) + copysign(x, y) +
      fmin(x, y) + fmax(x, y) + nextafter(x, y) + max(x, y) + min(x, y);
}
__global__ void double_precision(double* p, int* q, long long* l, int n) {
  const double x = p[0], y = p[1], z = p[2];
  double s, c, whole;
  int e, quotient;
  sincos(x, &s, &c);
  sincospi(x, &whole, &p[3]);
  p[4] = cbrt(x) + rcbrt(x) + exp(x) + exp2(x) + exp10(x) + expm1(x) + log(x) + log2(x) + log10(x) + log1p(x)
      + sin(x) + cos(x) + tan(x) + sinpi(x) + cospi(x) + asin(x) + acos(x) + atan(x) + sinh(x) + cosh(x) +
      tanh(x) + asinh(x) + acosh(x) + atanh(x) + erf(x) + erfc(x) + erfcx(x) + erfinv(x) + erfcinv(x) +
      normcdf(x) + normcdfinv(x) + lgamma(x) + tgamma(x) + j0(x) + j1(x) + y0(x) + y1(x) + logb(x) + trunc(x)
      + round(x) + rint(x) + nearbyint(x) + ceil(x) + floor(x) + fabs(x) + sqrt(x) + rsqrt(x) +
      cyl_bessel_i0(x) + cyl_bessel_i1(x);
  p[5] = pow(x, y) + atan2(x, y) + hypot(x, y) + rhypot(x, y) + fmod(x, y) + remainder(x, y) + fdim(x, y) +
      copysign(x, y) + fmin(x, y) + fmax(x, y) + nextafter(x, y);
  p[6] = fma(x, y, z) + frexp(x, &e) + ldexp(x, n) + scalbn(x, n) + scalbln(x, n) + remquo(x, y, &quotient) +
         modf(x, &whole) + nan("") + norm3d(x, y, z) + rnorm3d(x, y, z) + norm4d(x, y, z, s) + rnorm4d(x, y, z, s) +
         norm(3, p) + rnorm(3, p) + jn(n, x) + yn(n, x) + max(x, y) + min(x, y) + s + c + whole;
  q[0] = ilogb(x) + e + quotient + signbit(x) + isinf(x) + isnan(x) + isfinite(x);
  l[0] = lrint(x) + lround(x) + llrint(x) + llround(x);
}
__global__ void float_intrinsics(float* p, double* d, int* i, unsigned* u, long long* l, unsigned long long* ul) {
  const float x = p[0], y = p[1], z = p[2];
  float s, c;
  __sincosf(x, &s, &c);
  p[3] = __expf(x) + __exp10f(x) + __logf(x) + __log2f(x) + __log10f(x) + __sinf(x) + __cosf(x) + __tanf(x) +
      __saturatef(x) + __frsqrt_rn(x) + __fdividef(x, y) + __powf(x, y) + s + c;
  p[4] = __fadd_rn(x, y) + __fadd_rz(x, y) + __fadd_ru(x, y) + __fadd_rd(x, y) + __fsub_rn(x, y) +
      __fsub_rz(x, y) + __fsub_ru(x, y) + __fsub_rd(x, y) + __fmul_rn(x, y) + __fmul_rz(x, y) + __fmul_ru(x,
      y) + __fmul_rd(x, y) + __fdiv_rn(x, y) + __fdiv_rz(x, y) + __fdiv_ru(x, y) + __fdiv_rd(x, y) +
      __frcp_rn(x) + __frcp_rz(x) + __frcp_ru(x) + __frcp_rd(x) + __fsqrt_rn(x) + __fsqrt_rz(x) +
      __fsqrt_ru(x) + __fsqrt_rd(x) + __fmaf_rn(x, y, z) + __fmaf_rz(x, y, z) + __fmaf_ru(x, y, z) +
      __fmaf_rd(x, y, z);
  const double a = d[0], b = d[1];
  d[2] = __dadd_rn(a, b) + __dadd_rz(a, b) + __dadd_ru(a, b) + __dadd_rd(a, b) + __dsub_rn(a, b) +
      __dsub_rz(a, b) + __dsub_ru(a, b) + __dsub_rd(a, b) + __dmul_rn(a, b) + __dmul_rz(a, b) + __dmul_ru(a,
      b) + __dmul_rd(a, b) + __ddiv_rn(a, b) + __ddiv_rz(a, b) + __ddiv_ru(a, b) + __ddiv_rd(a, b) +
      __drcp_rn(a) + __drcp_rz(a) + __drcp_ru(a) + __drcp_rd(a) + __dsqrt_rn(a) + __dsqrt_rz(a) +
      __dsqrt_ru(a) + __dsqrt_rd(a) + __fma_rn(a, b, a) + __fma_rz(a, b, a) + __fma_ru(a, b, a) + __fma_rd(a,
      b, a);
  // Conversions
  i[0] = __float2int_rn(x) + __float2int_rz(x) + __float2int_ru(x) + __float2int_rd(x) + __double2int_rn(a) +
      __double2int_rz(a) + __double2int_ru(a) + __double2int_rd(a) + __float_as_int(x) + __double2hiint(a) +
      __double2loint(a);
  u[0] = __float2uint_rn(x) + __float2uint_rz(x) + __float2uint_ru(x) + __float2uint_rd(x) +
      __double2uint_rn(a) + __double2uint_rz(a) + __double2uint_ru(a) + __double2uint_rd(a) +
      __float_as_uint(x);
  l[0] = __float2ll_rn(x) + __float2ll_rz(x) + __float2ll_ru(x) + __float2ll_rd(x) + __double2ll_rn(a) +
      __double2ll_rz(a) + __double2ll_ru(a) + __double2ll_rd(a) + __double_as_longlong(a);
  ul[0] = __float2ull_rn(x) + __float2ull_rz(x) + __float2ull_ru(x) + __float2ull_rd(x) + __double2ull_rn(a) +
      __double2ull_rz(a) + __double2ull_ru(a) + __double2ull_rd(a);
  p[5] = __int2float_rn(i[1]) + __int2float_rz(i[1]) + __int2float_ru(i[1]) + __int2float_rd(i[1]) +
      __uint2float_rn(u[1]) + __uint2float_rz(u[1]) + __uint2float_ru(u[1]) + __uint2float_rd(u[1]) +
      __ll2float_rn(l[1]) + __ll2float_rz(l[1]) + __ll2float_ru(l[1]) + __ll2float_rd(l[1]) +
      __ull2float_rn(ul[1]) + __ull2float_rz(ul[1]) + __ull2float_ru(ul[1]) + __ull2float_rd(ul[1]) +
      __double2float_rn(a) + __double2float_rz(a) + __double2float_ru(a) + __double2float_rd(a) +
      __int_as_float(i[2]) + __uint_as_float(u[2]);
  d[3] = __ll2double_rn(l[1]) + __ll2double_rz(l[1]) + __ll2double_ru(l[1]) + __ll2double_rd(l[1]) +
      __ull2double_rn(ul[1]) + __ull2double_rz(ul[1]) + __ull2double_ru(ul[1]) + __ull2double_rd(ul[1]) +
      __int2double_rn(i[1]) + __uint2double_rn(u[1]) + __longlong_as_double(l[2]) + __hiloint2double(i[1],
      i[2]);
}
__global__ void integer_intrinsics(int* s, unsigned* u, long long* l, unsigned long long* ul) {
  const int a = s[0], b = s[1], c = s[2];
  const unsigned x = u[0], y = u[1], z = u[2];
  s[3] = __mul24(a, b) + __mulhi(a, b) + __sad(a, b, z) + __hadd(a, b) + __rhadd(a, b) + __clz(a) + __clzll(l[0]) +
         __ffs(a) + __ffsll(l[0]) + __popc(x) + __popcll(ul[0]) + min(a, b) + max(a, b) + abs(a) + __dp4a(a, b, c) +
         __dp2a_lo(a, b, c) + __dp2a_hi(a, b, c);
  u[3] = __umul24(x, y) + __umulhi(x, y) + __usad(x, y, z) + __uhadd(x, y) + __urhadd(x, y) + __brev(x) +
         __byte_perm(x, y, z) + __funnelshift_l(x, y, z) + __funnelshift_lc(x, y, z) + __funnelshift_r(x, y, z) +
         __funnelshift_rc(x, y, z) + umin(x, y) + umax(x, y) + min(x, y) + max(x, y) + __dp4a(x, y, z);
  l[1] = __mul64hi(l[0], l[2]) + llabs(l[0]) + llmin(l[0], l[2]) + llmax(l[0], l[2]);
  ul[1] = __umul64hi(ul[0], ul[2]) + __brevll(ul[0]) + ullmin(ul[0], ul[2]) + ullmax(ul[0], ul[2]);
}
__global__ void simd_intrinsics(unsigned* p) {
  const unsigned x = p[0], y = p[1];
  p[2] = __vabs2(x) + __vabsss2(x) + __vneg2(x) + __vnegss2(x) + __vadd2(x, y) + __vaddss2(x, y) +
      __vaddus2(x, y) + __vsub2(x, y) + __vsubss2(x, y) + __vsubus2(x, y) + __vabsdiffs2(x, y) +
      __vabsdiffu2(x, y) + __vavgs2(x, y) + __vavgu2(x, y) + __vhaddu2(x, y) + __vmaxs2(x, y) + __vmaxu2(x, y)
      + __vmins2(x, y) + __vminu2(x, y) + __vcmpeq2(x, y) + __vcmpges2(x, y) + __vcmpgeu2(x, y) +
      __vcmpgts2(x, y) + __vcmpgtu2(x, y) + __vcmples2(x, y) + __vcmpleu2(x, y) + __vcmplts2(x, y) +
      __vcmpltu2(x, y) + __vcmpne2(x, y) + __vseteq2(x, y) + __vsetges2(x, y) + __vsetgeu2(x, y) +
      __vsetgts2(x, y) + __vsetgtu2(x, y) + __vsetles2(x, y) + __vsetleu2(x, y) + __vsetlts2(x, y) +
      __vsetltu2(x, y) + __vsetne2(x, y) + __vsads2(x, y) + __vsadu2(x, y);
  p[4] = __vabs4(x) + __vabsss4(x) + __vneg4(x) + __vnegss4(x) + __vadd4(x, y) + __vaddss4(x, y) +
      __vaddus4(x, y) + __vsub4(x, y) + __vsubss4(x, y) + __vsubus4(x, y) + __vabsdiffs4(x, y) +
      __vabsdiffu4(x, y) + __vavgs4(x, y) + __vavgu4(x, y) + __vhaddu4(x, y) + __vmaxs4(x, y) + __vmaxu4(x, y)
      + __vmins4(x, y) + __vminu4(x, y) + __vcmpeq4(x, y) + __vcmpges4(x, y) + __vcmpgeu4(x, y) +
      __vcmpgts4(x, y) + __vcmpgtu4(x, y) + __vcmples4(x, y) + __vcmpleu4(x, y) + __vcmplts4(x, y) +
      __vcmpltu4(x, y) + __vcmpne4(x, y) + __vseteq4(x, y) + __vsetges4(x, y) + __vsetgeu4(x, y) +
      __vsetgts4(x, y) + __vsetgtu4(x, y) + __vsetles4(x, y) + __vsetleu4(x, y) + __vsetlts4(x, y) +
      __vsetltu4(x, y) + __vsetne4(x, y) + __vsads4(x, y) + __vsadu4(x, y);
}
