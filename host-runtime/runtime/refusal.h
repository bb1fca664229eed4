// SPDX-License-Identifier: Apache-2.0
// Beside CUDA's own types: what is refused is defined without its parameters.
#pragma once

namespace heddle::cudart {

// Says once that `what` ("graphs are") is not supported; cudaErrorNotSupported.
int refuse(const char* function, const char* what) noexcept;

}  // namespace heddle::cudart
