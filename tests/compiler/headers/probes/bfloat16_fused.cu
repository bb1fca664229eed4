// SPDX-License-Identifier: Apache-2.0
// cuda_bf16.h on machines whose only arithmetic of bf16 is fma: sums and products are fused ones, comparisons f32's, sums in
// memory loops.
// ARCH: sm_80
// PTX: fma.rn.bf16x2
// PTX: setp.lt.f32
// PTX: atom.cas.b32
// NOT: add.bf16
// NOT: sub.bf16
// NOT: mul.bf16
// NOT: set.eq.bf16
// NOT: setp.lt.bf16
// NOT: noftz
// NOT: .extern
#include <cuda_bf16.h>
__global__ void k(__nv_bfloat162* p, __nv_bfloat16* q, int* n) {
  const __nv_bfloat162 a = p[0], b = p[1];
  p[2] = (a + b) * (a - b);
  p[3] = __heq2(a, b);
  atomicAdd(p + 4, a);
  atomicAdd(q + 3, q[2]);
  n[1] = (q[0] < q[1]) + __bfloat162int_rz(q[0]) + __bfloat162int_rz(hfloor(q[1]));
  q[1] = __int2bfloat16_rn(n[0]);
}
