// SPDX-License-Identifier: Apache-2.0
// PTX: tex.2d.v4.f32.f32
__global__ void k(cudaTextureObject_t t, float* p, float4* q) {
  p[0] = tex2D<float>(t, p[1], p[2]) + tex1Dfetch<float>(t, 3) + tex3D<float>(t, p[1], p[2], p[3]);
  q[0] = tex2DLod<float4>(t, 1.0f, 2.0f, 3.0f);
}
