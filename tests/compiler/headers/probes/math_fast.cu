// SPDX-License-Identifier: Apache-2.0
// -ffast-math: functions of the guide's table C-3 by their intrinsics, as far as clang goes: expf, exp10f, log10f, tanf and
// powf stay what they are.
// FLAGS: -ffast-math
// PTX: sin.approx.f32
// PTX: cos.approx.f32
// PTX: lg2.approx.f32
// PTX: div.approx.f32
// NOT: .extern
__global__ void k(float* p) {
  const float x = p[0], y = p[1];
  float s, c;
  sincosf(x, &s, &c);
  p[2] = sinf(y) + cosf(y) + logf(x) + log2f(x) + expf(x) + x / y + s + c;
  p[3] = tanf(x) + exp10f(x) + log10f(x) + powf(x, y);
}
