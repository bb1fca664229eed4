// SPDX-License-Identifier: Apache-2.0
// Address-space conversions: a generic pointer to the offset inside its space, and back.
// Opened by clang's wrapper, which has defined __host__ away.
#if !defined(HEDDLE_SM_20_INTRINSICS_HPP)
#define HEDDLE_SM_20_INTRINSICS_HPP

#define HEDDLE_CVTA(space, number)                                                              \
  static __device__ __forceinline__ size_t __cvta_generic_to_##space(const void* p) {           \
    return (size_t)(__attribute__((address_space(number))) const void*)p;                       \
  }                                                                                             \
  static __device__ __forceinline__ void* __cvta_##space##_to_generic(size_t p) {               \
    return (void*)(__attribute__((address_space(number))) void*)p;                              \
  }

HEDDLE_CVTA(global, 1)
HEDDLE_CVTA(shared, 3)
HEDDLE_CVTA(constant, 4)
HEDDLE_CVTA(local, 5)

#undef HEDDLE_CVTA

#endif  // HEDDLE_SM_20_INTRINSICS_HPP
