// SPDX-License-Identifier: Apache-2.0
// Opened by clang's CUDA wrapper; what CUDA has in it, clang's own headers define.
#if !defined(HEDDLE_CRT_SM_70_RT_HPP)
#define HEDDLE_CRT_SM_70_RT_HPP
#endif  // HEDDLE_CRT_SM_70_RT_HPP
