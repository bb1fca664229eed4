// SPDX-License-Identifier: Apache-2.0
// PTX: popc.b32
// PTX: clz.b32
// PTX: brev.b32
// PTX: prmt.b32
// PTX: shf.l.wrap.b32
// PTX: mul.hi.s32
// PTX: dp4a.s32.s32
// NOT: .extern
__global__ void k(unsigned* p, int* s, unsigned long long* q) {
  p[0] = __popc(p[0]) + __clz(p[1]) + __ffs(p[2]) + __brev(p[3]) + __byte_perm(p[4], p[5], p[6]);
  p[1] = __funnelshift_l(p[0], p[1], p[2]) + __funnelshift_rc(p[0], p[1], p[2]);
  s[0] = __mulhi(s[1], s[2]) + __mul24(s[3], s[4]) + __sad(s[1], s[2], p[3]) + __hadd(s[1], s[2]) +
         __rhadd(s[3], s[4]) + __dp4a(s[5], s[6], s[7]);
  p[2] = __umulhi(p[1], p[2]) + __vadd4(p[1], p[2]) + __vabsdiffu4(p[3], p[4]) + __vmaxs2(p[5], p[6]);
  q[0] = __popcll(q[0]) + __clzll(q[1]) + __brevll(q[2]) + __umul64hi(q[3], q[4]);
}
