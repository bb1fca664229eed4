// SPDX-License-Identifier: Apache-2.0
// atomicAdd() and family over clang's __iAtomicAdd() and family, at device scope, and with the suffixes
// _block and _system at those scopes. Opened by clang's wrapper, which has defined __host__ away.
#if !defined(HEDDLE_DEVICE_ATOMIC_FUNCTIONS_HPP)
#define HEDDLE_DEVICE_ATOMIC_FUNCTIONS_HPP

#pragma push_macro("HEDDLE_DEVICE")
#define HEDDLE_DEVICE static __device__ __forceinline__

// One operation of one type: `prefix` is clang's letter for the type (i, u, ill, ull, f, d).
#define HEDDLE_ATOMIC(name, scope, type, prefix) \
  HEDDLE_DEVICE type atomic##name##scope(type* p, type v) { return __##prefix##Atomic##name##scope(p, v); }

#define HEDDLE_ATOMICS_OF_SCOPE(scope)                                                     \
  HEDDLE_ATOMIC(Add, scope, int, i)                                                        \
  HEDDLE_ATOMIC(Add, scope, unsigned int, u)                                               \
  HEDDLE_ATOMIC(Add, scope, unsigned long long, ull)                                       \
  HEDDLE_ATOMIC(Add, scope, float, f)                                                      \
  HEDDLE_ATOMIC(Add, scope, double, d)                                                     \
  HEDDLE_DEVICE int atomicSub##scope(int* p, int v) {                                      \
    return __iAtomicAdd##scope(p, (int)(0u - (unsigned int)v));                            \
  }                                                                                        \
  HEDDLE_DEVICE unsigned int atomicSub##scope(unsigned int* p, unsigned int v) {           \
    return __uAtomicAdd##scope(p, 0u - v);                                                 \
  }                                                                                        \
  HEDDLE_ATOMIC(Exch, scope, int, i)                                                       \
  HEDDLE_ATOMIC(Exch, scope, unsigned int, u)                                              \
  HEDDLE_ATOMIC(Exch, scope, unsigned long long, ull)                                      \
  HEDDLE_ATOMIC(Exch, scope, float, f)                                                     \
  HEDDLE_ATOMIC(Min, scope, int, i)                                                        \
  HEDDLE_ATOMIC(Min, scope, unsigned int, u)                                               \
  HEDDLE_ATOMIC(Min, scope, long long, ill)                                                \
  HEDDLE_ATOMIC(Min, scope, unsigned long long, ull)                                       \
  HEDDLE_ATOMIC(Max, scope, int, i)                                                        \
  HEDDLE_ATOMIC(Max, scope, unsigned int, u)                                               \
  HEDDLE_ATOMIC(Max, scope, long long, ill)                                                \
  HEDDLE_ATOMIC(Max, scope, unsigned long long, ull)                                       \
  HEDDLE_ATOMIC(Inc, scope, unsigned int, u)                                               \
  HEDDLE_ATOMIC(Dec, scope, unsigned int, u)                                               \
  HEDDLE_ATOMIC(And, scope, int, i)                                                        \
  HEDDLE_ATOMIC(And, scope, unsigned int, u)                                               \
  HEDDLE_ATOMIC(And, scope, unsigned long long, ull)                                       \
  HEDDLE_ATOMIC(Or, scope, int, i)                                                         \
  HEDDLE_ATOMIC(Or, scope, unsigned int, u)                                                \
  HEDDLE_ATOMIC(Or, scope, unsigned long long, ull)                                        \
  HEDDLE_ATOMIC(Xor, scope, int, i)                                                        \
  HEDDLE_ATOMIC(Xor, scope, unsigned int, u)                                               \
  HEDDLE_ATOMIC(Xor, scope, unsigned long long, ull)                                       \
  HEDDLE_DEVICE int atomicCAS##scope(int* p, int compare, int v) {                         \
    return __iAtomicCAS##scope(p, compare, v);                                             \
  }                                                                                        \
  HEDDLE_DEVICE unsigned int atomicCAS##scope(unsigned int* p, unsigned int compare,       \
                                              unsigned int v) {                            \
    return __uAtomicCAS##scope(p, compare, v);                                             \
  }                                                                                        \
  HEDDLE_DEVICE unsigned long long atomicCAS##scope(                                       \
      unsigned long long* p, unsigned long long compare, unsigned long long v) {           \
    return __ullAtomicCAS##scope(p, compare, v);                                           \
  }

// 16-bit compare-and-swap: compute capability 7.0; no builtin in every clang.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define HEDDLE_CAS16(scope, ptx)                                                               \
  HEDDLE_DEVICE unsigned short atomicCAS##scope(unsigned short* p, unsigned short compare,     \
                                                unsigned short v) {                            \
    unsigned short old;                                                                        \
    asm volatile("atom." ptx "cas.b16 %0, [%1], %2, %3;"                                       \
                 : "=h"(old)                                                                   \
                 : "l"(p), "h"(compare), "h"(v)                                                \
                 : "memory");                                                                  \
    return old;                                                                                \
  }
HEDDLE_CAS16(, "")
HEDDLE_CAS16(_block, "cta.")
HEDDLE_CAS16(_system, "sys.")
#undef HEDDLE_CAS16
#endif

HEDDLE_ATOMICS_OF_SCOPE()
HEDDLE_ATOMICS_OF_SCOPE(_block)
HEDDLE_ATOMICS_OF_SCOPE(_system)

#undef HEDDLE_ATOMICS_OF_SCOPE
#undef HEDDLE_ATOMIC
#pragma pop_macro("HEDDLE_DEVICE")

#endif  // HEDDLE_DEVICE_ATOMIC_FUNCTIONS_HPP
