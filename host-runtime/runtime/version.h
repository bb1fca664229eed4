// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_runtime_api.h"

// Versions of CUDA, 1000 * major + 10 * minor. What cudaRuntimeGetVersion says is CUDART_VERSION, but to programs of
// CUDA 11 and 13 (versions.cc).
namespace heddle::cudart {

// What cudaDriverGetVersion says: the newest of our runtimes, so that none finds a driver older than itself.
inline constexpr int kDriverVersion = 13000;

// The body of a function that says one.
cudaError_t say_version(int* out, int version);

}  // namespace heddle::cudart
