// SPDX-License-Identifier: Apache-2.0
// cudaError_t: every result code of the runtime API with CUDA's own numbers, so that programs that
// print or compare numbers, and binaries of other compilers, agree with us.
#if !defined(HEDDLE_CRT_ERROR_TYPES_H)
#define HEDDLE_CRT_ERROR_TYPES_H

enum cudaError {
  cudaSuccess = 0,
#define HEDDLE_ERROR(number, name, driver_name, text) cudaError##name = number,
#define HEDDLE_RUNTIME_ERROR(number, name, text) cudaError##name = number,
#include "errors.def"
};
typedef enum cudaError cudaError_t;

#endif  // HEDDLE_CRT_ERROR_TYPES_H
