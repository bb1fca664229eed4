// SPDX-License-Identifier: Apache-2.0
// Forward propagation of copies, constants, constant-bank words and negated predicates into their readers, and
// the fusions that PTX asks for: base + wide product -> IMAD.WIDE with addend, product + sum -> IMAD, address
// + constant -> the memory access's offset. Leaves dead instructions behind.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// True when something changed.
bool simplify(mir::Function& f);

}  // namespace heddle::compiler
