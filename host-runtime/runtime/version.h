// SPDX-License-Identifier: Apache-2.0
#pragma once

// Versions of CUDA, 1000 * major + 10 * minor.
namespace heddle::cudart {

// What cudaDriverGetVersion says: the newest of our runtimes, so that none finds a driver older than itself.
inline constexpr int kDriverVersion = 13000;

// What cudaRuntimeGetVersion says: CUDA 12's in the common objects, where it is weak;
// libcudart.so.11.0 and libcudart.so.13 have their own (version.cc).
int runtime_version() noexcept;

}  // namespace heddle::cudart
