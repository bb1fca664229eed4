// SPDX-License-Identifier: Apache-2.0
// The version of one libcudart: HEDDLE_RUNTIME_VERSION where a library has another than the common objects.
#include "host-runtime/runtime/version.h"

#include "cuda_runtime_api.h"

#ifdef HEDDLE_RUNTIME_VERSION
int heddle::cudart::runtime_version() noexcept { return HEDDLE_RUNTIME_VERSION; }
#else
__attribute__((weak)) int heddle::cudart::runtime_version() noexcept { return CUDART_VERSION; }
#endif
