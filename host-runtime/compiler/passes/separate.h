// SPDX-License-Identifier: Apache-2.0
// A register that is written several times is another one for each of its values that do not meet: PTX's registers in
// inline assembly are named by people, who use one for many. Then most values have one definition, which the passes
// behind this one ask for, and a copy to the next value of a register is free.
//
//   x = LDG; y = f(x); branch rare, slow     x = LDG; y = f(x); branch rare, slow
//   slow: y = g(x)                           slow: y = g(x)
//   x = y; z = f(x)                          x' = y; z = f(x')        // x' may be y
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

void separate_values(mir::Function& f);

}  // namespace heddle::compiler
