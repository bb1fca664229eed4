// SPDX-License-Identifier: Apache-2.0
// Makes every instruction encodable: picks operand places and moves constants that no form holds into registers.
// Inside loops such constants are made once, in front of the outermost loop.
#pragma once

#include <optional>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// The form that encodes the instruction as it stands (its registers being whatever they will be); nullopt when none
// does.
std::optional<isa::Form> choose_form(const mir::Instruction& i);

void legalize(mir::Function& f);

}  // namespace heddle::compiler
