// SPDX-License-Identifier: Apache-2.0
// PTX: cvt.rzi.s32.f32
// PTX: cvt.rmi.s32.f32
// PTX: cvt.rp.f32.s32
// PTX: add.rz.f32
// PTX: fma.rm.f32
__global__ void k(float* p, int* i, unsigned* u, long long* l) {
  i[0] = __float2int_rz(p[0]) + __float2int_rd(p[1]) + __float2int_rn(p[2]) + (int)p[3];
  u[0] = __float2uint_ru(p[0]) + __float_as_uint(p[1]) + (unsigned)p[2];
  p[4] = __int2float_ru(i[1]) + __uint2float_rn(u[1]) + __int_as_float(i[2]) + __ll2float_rd(l[0]);
  p[5] = __fadd_rz(p[0], p[1]) + __fmaf_rd(p[0], p[1], p[2]) + __frcp_rn(p[3]) + __fdiv_rn(p[1], p[2]) +
         __fsqrt_rn(p[4]) + __saturatef(p[5]);
}
