// SPDX-License-Identifier: Apache-2.0
// One piece of the frame for all spilled registers: those that are not needed at the same time share its words.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Of the objects from `first` on, the spiller's, makes one. Nothing but LDL and STL with a constant offset names them.
void share_spill_slots(mir::Function& f, mir::FrameId first);

}  // namespace heddle::compiler
