// SPDX-License-Identifier: Apache-2.0
// make_<type><n>(): values of the built-in vector types.
#if !defined(__VECTOR_FUNCTIONS_H__)
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define HEDDLE_MAKE_VECTOR(name, type)                                                           \
  static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                         \
    name##1 v = {x};                                                                             \
    return v;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                 \
    name##2 v = {x, y};                                                                          \
    return v;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {         \
    name##3 v = {x, y, z};                                                                       \
    return v;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { \
    name##4 v = {x, y, z, w};                                                                    \
    return v;                                                                                    \
  }

HEDDLE_MAKE_VECTOR(char, signed char)
HEDDLE_MAKE_VECTOR(uchar, unsigned char)
HEDDLE_MAKE_VECTOR(short, short)
HEDDLE_MAKE_VECTOR(ushort, unsigned short)
HEDDLE_MAKE_VECTOR(int, int)
HEDDLE_MAKE_VECTOR(uint, unsigned int)
HEDDLE_MAKE_VECTOR(long, long int)
HEDDLE_MAKE_VECTOR(ulong, unsigned long int)
HEDDLE_MAKE_VECTOR(longlong, long long int)
HEDDLE_MAKE_VECTOR(ulonglong, unsigned long long int)
HEDDLE_MAKE_VECTOR(float, float)
HEDDLE_MAKE_VECTOR(double, double)

#undef HEDDLE_MAKE_VECTOR

#endif  // __VECTOR_FUNCTIONS_H__
