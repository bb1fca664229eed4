// SPDX-License-Identifier: Apache-2.0
// Merges the two sides of copies into one register wherever their lives allow it: whole registers, and a register
// into a word of a pair or quad, which makes packing, unpacking and vector accesses free.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Rewrites the function's operands and removes the copies that became empty. Returns how many.
unsigned coalesce_copies(mir::Function& f);

}  // namespace heddle::compiler
