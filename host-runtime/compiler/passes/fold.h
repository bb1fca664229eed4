// SPDX-License-Identifier: Apache-2.0
// One instruction by itself: constant operands folded, neutral elements dropped, sources of commutative ops
// swapped so that the constant is in b.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// True when the instruction changed. Never changes what it writes, bit for bit.
bool fold(mir::Instruction& i);

// a and b may change places (modifiers that belong to one of them move along).
bool swap_sources(mir::Instruction& i);

}  // namespace heddle::compiler
