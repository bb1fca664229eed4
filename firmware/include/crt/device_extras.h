// SPDX-License-Identifier: Apache-2.0
// Device functions of CUDA that clang's headers lack: loads and stores with a cache operator, byte dot
// products, nanosleep. Included by texture_indirect_functions.h.
#if !defined(HEDDLE_CRT_DEVICE_EXTRAS_H)
#define HEDDLE_CRT_DEVICE_EXTRAS_H

#pragma push_macro("HEDDLE_DEVICE")
#define HEDDLE_DEVICE static __device__ __forceinline__

HEDDLE_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }

// Of a kernel's parameter itself: where code takes a parameter's address, clang makes that of a copy.
HEDDLE_DEVICE unsigned int __isGridConstant(const void* p) {
  unsigned int is;
  asm("{ .reg .pred %%p; isspacep.param %%p, %1; selp.u32 %0, 1, 0, %%p; }" : "=r"(is) : "l"(p));
  return is;
}

// ---- barriers, for clang 14 and 15 ----
// They believe that a barrier leaves alone a variable whose address nobody takes, and read a __shared__ one before it.
#if __clang_major__ < 16
#define HEDDLE_FENCED(type, fn, parameters, arguments)                       \
  HEDDLE_DEVICE type heddle##fn parameters {                                 \
    struct Fence {                                                           \
      __device__ __forceinline__ Fence() { asm volatile("" ::: "memory"); }  \
      __device__ __forceinline__ ~Fence() { asm volatile("" ::: "memory"); } \
    } fence;                                                                 \
    return fn arguments;                                                     \
  }
HEDDLE_FENCED(void, __syncthreads, (), ())
HEDDLE_FENCED(int, __syncthreads_count, (int predicate), (predicate))
HEDDLE_FENCED(int, __syncthreads_and, (int predicate), (predicate))
HEDDLE_FENCED(int, __syncthreads_or, (int predicate), (predicate))
#undef HEDDLE_FENCED
#define __syncthreads() heddle__syncthreads()
#define __syncthreads_count(predicate) heddle__syncthreads_count(predicate)
#define __syncthreads_and(predicate) heddle__syncthreads_and(predicate)
#define __syncthreads_or(predicate) heddle__syncthreads_or(predicate)
#endif

// ---- ld and st with a cache operator: scalars, then vectors of two and four ----
#define HEDDLE_LOAD1(fn, op, type, ptx, reg)                                             \
  HEDDLE_DEVICE type fn(const type* p) {                                                 \
    type v;                                                                              \
    asm volatile("ld.global." op "." ptx " %0, [%1];" : "=" reg(v) : "l"(p) : "memory"); \
    return v;                                                                            \
  }
#define HEDDLE_LOAD2(fn, op, type, ptx, reg)                                                                      \
  HEDDLE_DEVICE type fn(const type* p) {                                                                          \
    type v;                                                                                                       \
    asm volatile("ld.global." op ".v2." ptx " {%0, %1}, [%2];" : "=" reg(v.x), "=" reg(v.y) : "l"(p) : "memory"); \
    return v;                                                                                                     \
  }
#define HEDDLE_LOAD4(fn, op, type, ptx, reg)                              \
  HEDDLE_DEVICE type fn(const type* p) {                                  \
    type v;                                                               \
    asm volatile("ld.global." op ".v4." ptx " {%0, %1, %2, %3}, [%4];"    \
                 : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z), "=" reg(v.w) \
                 : "l"(p)                                                 \
                 : "memory");                                             \
    return v;                                                             \
  }
#define HEDDLE_STORE1(fn, op, type, ptx, reg)                                       \
  HEDDLE_DEVICE void fn(type* p, type v) {                                          \
    asm volatile("st.global." op "." ptx " [%0], %1;" ::"l"(p), reg(v) : "memory"); \
  }
#define HEDDLE_STORE2(fn, op, type, ptx, reg)                                                            \
  HEDDLE_DEVICE void fn(type* p, type v) {                                                               \
    asm volatile("st.global." op ".v2." ptx " [%0], {%1, %2};" ::"l"(p), reg(v.x), reg(v.y) : "memory"); \
  }
#define HEDDLE_STORE4(fn, op, type, ptx, reg)                                                                  \
  HEDDLE_DEVICE void fn(type* p, type v) {                                                                     \
    asm volatile("st.global." op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(p), reg(v.x), reg(v.y), reg(v.z), \
                 reg(v.w)                                                                                      \
                 : "memory");                                                                                  \
  }
#define HEDDLE_ALL_TYPES(kind, fn, op)                                                                                 \
  HEDDLE_##kind##1(fn, op, short, "s16", "h")HEDDLE_##kind##1(fn, op, unsigned short, "u16", "h")HEDDLE_##kind##1(     \
      fn, op, int, "s32", "r")HEDDLE_##kind##1(fn, op, unsigned int, "u32", "r")                                       \
      HEDDLE_##kind##1(fn, op, long, "s64", "l")HEDDLE_##kind##1(fn, op, unsigned long, "u64", "l")HEDDLE_##kind##1(   \
          fn, op, long long, "s64", "l")HEDDLE_##kind##1(fn, op, unsigned long long, "u64",                            \
                                                         "l")HEDDLE_##kind##1(fn, op, float, "f32", "f")               \
          HEDDLE_##kind##1(fn, op, double, "f64", "d")HEDDLE_##kind##2(fn, op, int2, "s32", "r")HEDDLE_##kind##2(      \
              fn, op, uint2, "u32", "r")HEDDLE_##kind##2(fn, op, longlong2, "s64",                                     \
                                                         "l")HEDDLE_##kind##2(fn, op, ulonglong2, "u64",               \
                                                                              "l")HEDDLE_##kind##2(fn, op, float2,     \
                                                                                                   "f32", "f")         \
              HEDDLE_##kind##2(fn, op, double2, "f64", "d")HEDDLE_##kind##4(fn, op, int4, "s32", "r")HEDDLE_##kind##4( \
                  fn, op, uint4, "u32", "r")HEDDLE_##kind##4(fn, op, float4, "f32", "f")

HEDDLE_ALL_TYPES(LOAD, __ldca, "ca")
HEDDLE_ALL_TYPES(LOAD, __ldcg, "cg")
HEDDLE_ALL_TYPES(LOAD, __ldcs, "cs")
HEDDLE_ALL_TYPES(LOAD, __ldlu, "lu")
HEDDLE_ALL_TYPES(LOAD, __ldcv, "cv")
HEDDLE_ALL_TYPES(STORE, __stwb, "wb")
HEDDLE_ALL_TYPES(STORE, __stcg, "cg")
HEDDLE_ALL_TYPES(STORE, __stcs, "cs")
HEDDLE_ALL_TYPES(STORE, __stwt, "wt")

#undef HEDDLE_ALL_TYPES
#undef HEDDLE_STORE4
#undef HEDDLE_STORE2
#undef HEDDLE_STORE1
#undef HEDDLE_LOAD4
#undef HEDDLE_LOAD2
#undef HEDDLE_LOAD1

// ---- dot products of bytes and of 16-bit halves with bytes ----
#define HEDDLE_DOT(name, op, result, ta, tb)                       \
  HEDDLE_DEVICE result name(ta a, tb b, result c) {                \
    result d;                                                      \
    asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
    return d;                                                      \
  }
HEDDLE_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
HEDDLE_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
HEDDLE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
HEDDLE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
HEDDLE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
HEDDLE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
#undef HEDDLE_DOT
HEDDLE_DEVICE int __dp4a(char4 a, char4 b, int c) {
  int x, y;
  __builtin_memcpy(&x, &a, 4);
  __builtin_memcpy(&y, &b, 4);
  return __dp4a(x, y, c);
}
HEDDLE_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  unsigned int x, y;
  __builtin_memcpy(&x, &a, 4);
  __builtin_memcpy(&y, &b, 4);
  return __dp4a(x, y, c);
}

#include "sm_90_rt.h"

// ---- warp reductions: clang 17 to 20 give redux.sync mask and value in each other's place, so what clang is about to
// define gets names that nobody calls. Ours come in curand_mtgp32_kernel.h, behind clang's.
#define __reduce_add_sync __heddle_unused_reduce_add
#define __reduce_min_sync __heddle_unused_reduce_min
#define __reduce_max_sync __heddle_unused_reduce_max
#define __reduce_and_sync __heddle_unused_reduce_and
#define __reduce_or_sync __heddle_unused_reduce_or
#define __reduce_xor_sync __heddle_unused_reduce_xor

#pragma pop_macro("HEDDLE_DEVICE")

#endif  // HEDDLE_CRT_DEVICE_EXTRAS_H
