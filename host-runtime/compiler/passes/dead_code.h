// SPDX-License-Identifier: Apache-2.0
// Removes instructions without effect whose results nobody reads, and copies onto themselves; drops results that
// nobody wants (pd, pq of a compare; the high word of a sum or product).
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

void remove_dead_code(mir::Function& f);

}  // namespace heddle::compiler
