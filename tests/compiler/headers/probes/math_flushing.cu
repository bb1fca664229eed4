// SPDX-License-Identifier: Apache-2.0
// Subnormals flushed to zero: the intrinsics, too, take their .ftz form.
// FLAGS: -Xarch_device -fcuda-flush-denormals-to-zero -Wno-unused-command-line-argument
// PTX: rsqrt.approx.ftz.f32
// PTX: sin.approx.ftz.f32
// PTX: ex2.approx.ftz.f32
// PTX: lg2.approx.ftz.f32
// PTX: div.approx.ftz.f32
// PTX: fma.rn.ftz.f32
// NOT: approx.f32
// NOT: fma.rn.f32
// NOT: .extern
__global__ void k(float* p) {
  const float x = p[0], y = p[1];
  p[2] = __sinf(x) + __expf(x) + __logf(x) + __powf(x, y) + __fdividef(x, y) + rsqrtf(y) + sinf(x) + expf(y);
}
