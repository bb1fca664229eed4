// SPDX-License-Identifier: Apache-2.0
// Opened by clang's CUDA wrapper; what CUDA has in it, clang's own headers define.
#if !defined(HEDDLE_DEVICE_ATOMIC_FUNCTIONS_H)
#define HEDDLE_DEVICE_ATOMIC_FUNCTIONS_H
#endif  // HEDDLE_DEVICE_ATOMIC_FUNCTIONS_H
