// SPDX-License-Identifier: Apache-2.0
// PTX: shfl.sync.idx.b32
// PTX: shfl.sync.bfly.b32
// PTX: vote.sync.ballot.b32
// PTX: match.any.sync.b32
// PTX: redux.sync.add.s32
__global__ void k(int* p, float* f, double* d) {
  const unsigned all = 0xffffffffu;
  p[0] = __shfl_sync(all, p[1], 3) + __shfl_xor_sync(all, p[2], 1) + __shfl_up_sync(all, p[3], 1);
  f[0] = __shfl_down_sync(all, f[1], 2);
  d[0] = __shfl_sync(all, d[1], 0);
  p[4] = __any_sync(all, p[5]) + __all_sync(all, p[6]) + __ballot_sync(all, p[7]) + __activemask();
  p[8] = __match_any_sync(all, p[9]) + __reduce_add_sync(all, p[10]);
}
