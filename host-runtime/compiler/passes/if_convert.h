// SPDX-License-Identifier: Apache-2.0
// Small `if` and `if … else` bodies become guarded instructions in line: no branch, no convergence barrier.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Bodies of at most this many instructions.
inline constexpr unsigned kIfConvertLimit = 6;

// Returns how many branches went away. Clean up the graph afterwards.
unsigned convert_ifs(mir::Function& f);

}  // namespace heddle::compiler
