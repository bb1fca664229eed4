// SPDX-License-Identifier: Apache-2.0
// Which of the program's variables are marked __managed__, and the clusters that its kernels are marked with. The
// toolkit's headers put them into sections of such names (host_defines.h), since clang has nothing of its own to tell
// them by.
#pragma once

#include <optional>

#include "host-runtime/driver/failure.h"

namespace heddle::cudart {

// Both read the file of the program, or of its library, once.
bool is_marked_managed(const void* variable);
// __cluster_dims__ of a kernel's stub; an extent that is not written as a number is 0.
std::optional<driver::Dim3> marked_cluster(const void* stub);

}  // namespace heddle::cudart
