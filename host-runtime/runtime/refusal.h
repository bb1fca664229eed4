// SPDX-License-Identifier: Apache-2.0
// Beside CUDA's own types: what is refused is defined without its parameters.
#pragma once

namespace heddle::cudart {

// Says once that `what` of the function ("graphs are") is not supported; cudaErrorNotSupported. The symbol is the name
// by which it was called. The second one is the driver API's: CUDA_ERROR_NOT_SUPPORTED, which has the same number.
int refuse(const char* symbol, const char* function, const char* what) noexcept;
int refuse_driver(const char* symbol, const char* function, const char* what) noexcept;

}  // namespace heddle::cudart
