// SPDX-License-Identifier: Apache-2.0
// The last file that clang's wrapper opens, when device malloc and free are declared; nothing of
// cuRAND's. dim3 and uint3 are macros at this point.
#if !defined(HEDDLE_LAST_SLOT_H)
#define HEDDLE_LAST_SLOT_H

#pragma push_macro("dim3")
#pragma push_macro("uint3")
#undef dim3
#undef uint3

// Device operator new and delete over malloc and free; without it `new` becomes an undefined extern.
#include <new>

// The host's object is out of reach; the device's is there only where it is used.
#if defined(__CUDA_ARCH__)
namespace std {
inline __device__ const nothrow_t nothrow{};
}
#endif

static __device__ __forceinline__ void* memmove(void* dst, const void* src, size_t n) {
  return __builtin_memmove(dst, src, n);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define HEDDLE_MATCH(type, bits, to_word)                                                                 \
  static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type v) {            \
    return __match##bits##_any_sync(mask, to_word(v));                                                    \
  }                                                                                                       \
  static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type v, int* pred) { \
    return __match##bits##_all_sync(mask, to_word(v), pred);                                              \
  }
HEDDLE_MATCH(int, 32, (unsigned int))
HEDDLE_MATCH(unsigned int, 32, )
HEDDLE_MATCH(long, 64, (unsigned long long))
HEDDLE_MATCH(unsigned long, 64, (unsigned long long))
HEDDLE_MATCH(long long, 64, (unsigned long long))
HEDDLE_MATCH(unsigned long long, 64, )
HEDDLE_MATCH(float, 32, __float_as_uint)
HEDDLE_MATCH(double, 64, (unsigned long long)__double_as_longlong)
#undef HEDDLE_MATCH
#endif

#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HEDDLE_REDUX(name, op, type)                                             \
  static __device__ __forceinline__ type name(unsigned int mask, type v) {       \
    type r;                                                                      \
    asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask)); \
    return r;                                                                    \
  }
HEDDLE_REDUX(__reduce_add_sync, "add.s32", unsigned int)
HEDDLE_REDUX(__reduce_add_sync, "add.s32", int)
HEDDLE_REDUX(__reduce_min_sync, "min.u32", unsigned int)
HEDDLE_REDUX(__reduce_min_sync, "min.s32", int)
HEDDLE_REDUX(__reduce_max_sync, "max.u32", unsigned int)
HEDDLE_REDUX(__reduce_max_sync, "max.s32", int)
HEDDLE_REDUX(__reduce_and_sync, "and.b32", unsigned int)
HEDDLE_REDUX(__reduce_or_sync, "or.b32", unsigned int)
HEDDLE_REDUX(__reduce_xor_sync, "xor.b32", unsigned int)
#undef HEDDLE_REDUX
#endif

// nvcc's has a value, for #if; clang's has none.
#undef __CUDACC__
#define __CUDACC__ 1

#pragma pop_macro("uint3")
#pragma pop_macro("dim3")

#if defined(HEDDLE_MACROS_HIDDEN)
#undef HEDDLE_MACROS_HIDDEN
#include "crt/restore_macros.h"
#endif

#endif  // HEDDLE_LAST_SLOT_H
