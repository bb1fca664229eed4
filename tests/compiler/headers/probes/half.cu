// SPDX-License-Identifier: Apache-2.0
// cuda_fp16.h: arithmetic is one instruction each; conversions on device and host.
// PTX: fma.rn.f16x2
// PTX: add.f16x2
// PTX: cvt.rn.f16.f32
// PTX: set.eq.f16x2.f16x2
// PTX: cvt.rzi.s32.f16
// NOT: .extern
#include <cuda_fp16.h>
__global__ void k(__half2* p, __half* q, float* f, int* n) {
  const __half2 a = p[0], b = p[1], c = __float2half2_rn(f[0]);
  p[2] = __hfma2(a, b, c) + __hadd2_sat(a, b) - __hmul2(b, c) / a;
  p[3] = __heq2(a, b);
  p[4] = __hmax2(__habs2(a), __hneg2(b));
  const __half x = q[0], y = __int2half_rn(n[0]);
  q[1] = x * y + hexp(x) - hsqrt(y) + __low2half(a);
  f[1] = __half2float(x) + __high2float(b);
  n[1] = __half2int_rz(x) + (x < y) + __hbgt2(a, b) + __hisnan(x) + __hisinf(y);
  p[5] = h2floor(a) + __hmin2_nan(a, c);
}
float on_host(float v) {
  const __half h = __float2half(v);
  const __half2 pair = __floats2half2_rn(v, v);
  return __half2float(h) + __low2float(pair) + float(__half(2.5));
}
