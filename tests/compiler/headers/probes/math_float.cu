// SPDX-License-Identifier: Apache-2.0
// Every float function of <math.h> and CUDA's own: no double arithmetic, no extern. The special function unit serves
// rsqrtf and the intrinsics.
// NOT: .f64
// PTX: rsqrt.approx.f32
// PTX: sin.approx.f32
// PTX: ex2.approx.f32
// PTX: lg2.approx.f32
// PTX: div.approx.f32
// NOT: .extern
#include <cmath>
__global__ void k(float* p, int* q) {
  const float x = p[0], y = p[1];
  int e;
  float s, c, whole;
  sincosf(x, &s, &c);
  p[2] = sinf(x) + cosf(x) + tanf(x) + asinf(x) + acosf(x) + atanf(x) + atan2f(x, y) + s + c;
  p[3] = sinhf(x) + coshf(x) + tanhf(x) + asinhf(x) + acoshf(x) + atanhf(x);
  p[4] = expf(x) + exp2f(x) + exp10f(x) + expm1f(x) + logf(x) + log2f(x) + log10f(x) + log1pf(x);
  p[5] = powf(x, y) + sqrtf(x) + rsqrtf(x) + cbrtf(x) + rcbrtf(x) + hypotf(x, y) + rhypotf(x, y);
  p[6] = fmodf(x, y) + remainderf(x, y) + remquof(x, y, &e) + floorf(x) + ceilf(x) + truncf(x) +
         roundf(x) + rintf(x) + nearbyintf(x) + fabsf(x) + fminf(x, y) + fmaxf(x, y) + fdimf(x, y);
  p[7] = fmaf(x, y, x) + copysignf(x, y) + ldexpf(x, 3) + scalbnf(x, 2) + frexpf(x, &e) +
         modff(x, &whole) + nextafterf(x, y) + logbf(x);
  p[8] = erff(x) + erfcf(x) + erfinvf(x) + erfcinvf(x) + erfcxf(x) + tgammaf(x) + lgammaf(x);
  p[9] = sinpif(x) + cospif(x) + normcdff(x) + normcdfinvf(x) + j0f(x) + j1f(x) + y0f(x) + y1f(x);
  p[10] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + __powf(x, y) + __fdividef(x, y);
  q[0] = e + ilogbf(x) + (int)lrintf(x) + (int)llroundf(y) + isnan(x) + isinf(x) + isfinite(x) +
         signbit(x);
  p[11] = whole;
}
