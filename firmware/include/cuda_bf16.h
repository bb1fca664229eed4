// SPDX-License-Identifier: Apache-2.0
// bf16: __nv_bfloat16, __nv_bfloat162 and their functions. Conversions, arithmetic and comparison are for the host,
// too; the rest is the device's.
#if !defined(__CUDA_BF16_H__)
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#include "cuda_fp16.h"

#if defined(__cplusplus)

#if defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
#define HEDDLE_NO_CONVERSIONS
#endif
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define HEDDLE_NO_OPERATORS
#endif
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__) || defined(__CUDA_NO_BFLOAT162_OPERATORS__)
#define HEDDLE_NO_OPERATORS2
#endif
#define HEDDLE_HALF __nv_bfloat16
#define HEDDLE_HALF2 __nv_bfloat162
#define HEDDLE_RAW __nv_bfloat16_raw
#define HEDDLE_RAW2 __nv_bfloat162_raw
#define HEDDLE_OTHER __half
#define HEDDLE_NAME bfloat16
#define HEDDLE_PTX "bf16"
#define HEDDLE_FRACTION 7
#define HEDDLE_EXPONENT 8
#include "crt/half.inc"
#include "crt/half_end.inc"

// One format to the other is told by name: explicit.
inline __host__ __device__ __half::__half(const __nv_bfloat16 h) : __x(__float2half_rn(__bfloat162float(h)).__x) {}
inline __host__ __device__ __nv_bfloat16::__nv_bfloat16(const __half h)
    : __x(__float2bfloat16_rn(__half2float(h)).__x) {}

#if !defined(CUDA_NO_BFLOAT16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#endif  // __cplusplus

#endif
