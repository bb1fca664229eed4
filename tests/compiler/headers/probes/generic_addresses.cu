// SPDX-License-Identifier: Apache-2.0
// PTX: isspacep.param
__device__ __noinline__ int load(const int* p, int i) { return p[i]; }
__global__ void k(int* p, size_t* q, const __grid_constant__ int n) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[0] = load(s, 3) + load(p, 4);
  q[0] = __cvta_generic_to_shared(s) + __isShared(s) + __isGlobal(p);
  p[1] = __ldg(p + 2) + __ldcg(p + 3);
  __stcs(p + 4, 5);
  p[5] = __isGridConstant(&n);
}
