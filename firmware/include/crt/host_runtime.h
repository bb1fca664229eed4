// SPDX-License-Identifier: Apache-2.0
// Opened by clang's CUDA wrapper; what CUDA has in it, clang's own headers define.
#if !defined(HEDDLE_CRT_HOST_RUNTIME_H)
#define HEDDLE_CRT_HOST_RUNTIME_H
#endif  // HEDDLE_CRT_HOST_RUNTIME_H
