// SPDX-License-Identifier: Apache-2.0
// PTX: atom.global.add.u32
// PTX: atom.global.cas.b32
// PTX: atom.shared.max.s32
// PTX: atom.inc.u32
// PTX: .cta.
// PTX: .sys.
__global__ void k(int* p, unsigned* u, unsigned long long* q, float* f) {
  __shared__ int s;
  int r = atomicAdd(p, 1) + atomicSub(p, 2) + atomicExch(p, 3) + atomicMin(p, 4) + atomicMax(p, 5) +
          atomicAnd(p, 6) + atomicOr(p, 7) + atomicXor(p, 8) + atomicCAS(p, 9, 10) + atomicMax(&s, 1);
  u[1] = atomicInc(u, 5) + atomicDec(u, 6) + atomicAdd_block(u, 7u) + atomicAdd_system(u, 8u);
  q[1] = atomicAdd(q, 1ull) + atomicCAS(q, 1ull, 2ull);
  f[1] = atomicAdd(f, 1.0f) + atomicExch(f, 2.0f);
  p[1] = r;
}
