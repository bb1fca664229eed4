// SPDX-License-Identifier: Apache-2.0
// A register that a block writes several times is another one for each value that does not leave the block: PTX's
// registers in inline assembly are named by people, who use one for many. Then a value has one definition, which the
// passes behind this one ask for.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

void separate_values(mir::Function& f);

}  // namespace heddle::compiler
