// SPDX-License-Identifier: Apache-2.0
// The special function unit's instructions, in the form that flushes subnormals where the program asked
// for it (-fcuda-flush-denormals-to-zero): LLVM replaces the question by a constant. On the host the
// tests supply functions of the same bits.
#pragma once

#if HEDDLE_ON_DEVICE
int program_constant(const char*);  // becomes __nvvm_reflect: build_libdevice.cmake
#define SPECIAL1(name, plain, flushing) \
  INLINE float approx_##name(float x) { return program_constant("__CUDA_FTZ") ? flushing(x) : plain(x); }
SPECIAL1(ex2, __nvvm_ex2_approx_f, __nvvm_ex2_approx_ftz_f)
SPECIAL1(lg2, __nvvm_lg2_approx_f, __nvvm_lg2_approx_ftz_f)
SPECIAL1(sin, __nvvm_sin_approx_f, __nvvm_sin_approx_ftz_f)
SPECIAL1(cos, __nvvm_cos_approx_f, __nvvm_cos_approx_ftz_f)
SPECIAL1(rsqrt, __nvvm_rsqrt_approx_f, __nvvm_rsqrt_approx_ftz_f)
#undef SPECIAL1
INLINE float approx_div(float a, float b) {
  return program_constant("__CUDA_FTZ") ? __nvvm_div_approx_ftz_f(a, b) : __nvvm_div_approx_f(a, b);
}
#else
float approx_ex2(float);
float approx_lg2(float);
float approx_sin(float);
float approx_cos(float);
float approx_rsqrt(float);
float approx_div(float, float);
#endif
