// SPDX-License-Identifier: Apache-2.0
// Moves constants (MOV of an immediate, a constant-bank word, an address) down to the block that needs them, or that
// dominates all that do, but into no loop: so that they take no register on the way.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

void sink_constants(mir::Function& f);

}  // namespace heddle::compiler
