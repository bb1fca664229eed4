// SPDX-License-Identifier: Apache-2.0
// Takes out each WARPSYNC before which no lane can have parted from the others: it would find them all there.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// How many went.
unsigned drop_warp_syncs(mir::Function& f);

}  // namespace heddle::compiler
