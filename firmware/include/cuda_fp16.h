// SPDX-License-Identifier: Apache-2.0
// f16: __half, __half2 and their functions. Conversions, arithmetic and comparison are for the host, too; the rest is
// the device's.
#if !defined(__CUDA_FP16_H__)
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include "crt/half_host.h"

struct __nv_bfloat16;

#if defined(__CUDA_NO_HALF_CONVERSIONS__)
#define HEDDLE_NO_CONVERSIONS
#endif
#if defined(__CUDA_NO_HALF_OPERATORS__)
#define HEDDLE_NO_OPERATORS
#endif
#if defined(__CUDA_NO_HALF_OPERATORS__) || defined(__CUDA_NO_HALF2_OPERATORS__)
#define HEDDLE_NO_OPERATORS2
#endif
#define HEDDLE_HALF __half
#define HEDDLE_HALF2 __half2
#define HEDDLE_RAW __half_raw
#define HEDDLE_RAW2 __half2_raw
#define HEDDLE_OTHER __nv_bfloat16
#define HEDDLE_NAME half
#define HEDDLE_PTX "f16"
#define HEDDLE_FRACTION 10
#define HEDDLE_EXPONENT 5
#include "crt/half.inc"
#include "crt/half_end.inc"

typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;
#if !defined(CUDA_NO_HALF)
typedef __half half;
typedef __half2 half2;
#endif

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#endif  // __cplusplus

#endif
