// SPDX-License-Identifier: Apache-2.0
// Computes nothing twice: an instruction whose value another one, which comes before it on every path, already has
// becomes a copy. Clang has done so for what PTX says; this is for what the lowering makes of it.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// True when something changed; copies and dead code are left to the passes for these.
bool share_common_values(mir::Function& f);

}  // namespace heddle::compiler
