// SPDX-License-Identifier: Apache-2.0
// Complex numbers for C: cuFloatComplex and cuDoubleComplex are float2 and double2.
#if !defined(CU_COMPLEX_H_)
#define CU_COMPLEX_H_

#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

#include "vector_functions.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// One precision: `suffix` f or nothing, as in <math.h>. Division and modulus scale by the larger part, so
// that they overflow only when the result does.
#define HEDDLE_COMPLEX(real, complex, make, f, cu)                                                                     \
  static __inline__ __host__ __device__ complex make_##complex(real r, real i) { return make(r, i); }                  \
  static __inline__ __host__ __device__ real cuCreal##f(complex x) { return x.x; }                                     \
  static __inline__ __host__ __device__ real cuCimag##f(complex x) { return x.y; }                                     \
  static __inline__ __host__ __device__ complex cuConj##f(complex x) { return make(x.x, -x.y); }                       \
  static __inline__ __host__ __device__ complex cuCadd##f(complex x, complex y) { return make(x.x + y.x, x.y + y.y); } \
  static __inline__ __host__ __device__ complex cuCsub##f(complex x, complex y) { return make(x.x - y.x, x.y - y.y); } \
  static __inline__ __host__ __device__ complex cuCmul##f(complex x, complex y) {                                      \
    return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                                         \
  }                                                                                                                    \
  static __inline__ __host__ __device__ complex cuCdiv##f(complex x, complex y) {                                      \
    const real scale = (real)1 / (fabs##f(y.x) + fabs##f(y.y));                                                        \
    const real a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale;                                     \
    const real inverse = (real)1 / (c * c + d * d);                                                                    \
    return make((a * c + b * d) * inverse, (b * c - a * d) * inverse);                                                 \
  }                                                                                                                    \
  static __inline__ __host__ __device__ real cuCabs##f(complex x) { return hypot##f(x.x, x.y); }                       \
  static __inline__ __host__ __device__ complex cuCfma##f(complex x, complex y, complex d) {                           \
    return make((x.x * y.x + d.x) - x.y * y.y, (x.x * y.y + d.y) + x.y * y.x);                                         \
  }

HEDDLE_COMPLEX(float, cuFloatComplex, make_float2, f, cuFloat)
HEDDLE_COMPLEX(double, cuDoubleComplex, make_double2, , cuDouble)
#undef HEDDLE_COMPLEX

static __inline__ __host__ __device__ cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex(c.x, c.y);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}

#endif  // CU_COMPLEX_H_
