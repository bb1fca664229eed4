// SPDX-License-Identifier: Apache-2.0
// PTX: ld.global.v4.
// PTX: st.global.v2.
__global__ void k(const float4* a, uint2* b, float3* c, uchar4* d) {
  const float4 v = a[threadIdx.x];
  b[threadIdx.x] = make_uint2(__float_as_uint(v.x), __float_as_uint(v.w));
  c[0] = make_float3(v.x, v.y, v.z);
  d[0] = make_uchar4(1, 2, 3, 4);
}
static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(ushort4) == 8, "the guide's table");
