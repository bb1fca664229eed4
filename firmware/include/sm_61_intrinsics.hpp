// SPDX-License-Identifier: Apache-2.0
// Opened by clang's CUDA wrapper; what CUDA has in it, clang's own headers define.
#if !defined(HEDDLE_SM_61_INTRINSICS_HPP)
#define HEDDLE_SM_61_INTRINSICS_HPP
#endif  // HEDDLE_SM_61_INTRINSICS_HPP
