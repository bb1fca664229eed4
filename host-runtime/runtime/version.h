// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heddle::cudart {

// What cudaRuntimeGetVersion says, 1000 * major + 10 * minor: CUDA 12's in the common objects, where it is weak;
// libcudart.so.11.0 and libcudart.so.13 have their own (version.cc).
int runtime_version() noexcept;

}  // namespace heddle::cudart
