// SPDX-License-Identifier: Apache-2.0
// Orders the instructions of each block so that what takes long starts early, as far as registers allow. The hardware
// waits for operands by itself: order is only for speed.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Cycles from issue to a dependent issue that the scheduler assumes.
unsigned assumed_latency(const mir::Instruction& i);

// `register_target`: live registers beyond which lowering the pressure comes first.
void schedule(mir::Function& f, unsigned register_target);

}  // namespace heddle::compiler
