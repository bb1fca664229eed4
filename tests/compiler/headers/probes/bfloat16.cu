// SPDX-License-Identifier: Apache-2.0
// cuda_bf16.h, beside cuda_fp16.h: arithmetic is one instruction each.
// ARCH: sm_90
// PTX: fma.rn.bf16x2
// PTX: add.bf16x2
// PTX: set.eq.bf16x2.bf16x2
// PTX: atom.add.noftz.bf16x2
// NOT: .extern
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(__nv_bfloat162* p, __nv_bfloat16* q, float* f) {
  const __nv_bfloat162 a = p[0], b = p[1], c = __float2bfloat162_rn(f[0]);
  p[2] = __hfma2(a, b, c) + a - b * c / a;
  p[3] = __heq2(a, b);
  p[4] = __hmax2(__habs2(a), __hneg2(b));
  atomicAdd(p + 5, a);
  q[1] = q[0] * __low2bfloat16(a) + hexp(q[0]);
  f[1] = __bfloat162float(q[0]) + __high2float(b) + (q[0] < q[2]) + __hisnan(q[0]) + __half2float(__float2half(f[2]));
}
float on_host(float v, double w) { return __bfloat162float(__float2bfloat16(v)) + float(__nv_bfloat16(w)); }
