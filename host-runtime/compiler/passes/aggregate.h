// SPDX-License-Identifier: Apache-2.0
// Reductions on one word: where the lanes of a warp that are here surely have the same address and operand, the lowest
// of them adds the operand as often as there are lanes, or takes the minimum, maximum, AND, OR for all. nvcc's
// assembler does so, too.
//
//   RED.ADD [c], 1   ->   m = BALLOT; p = no lower lane in m; n = POPC m; @p RED.ADD [c], n
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

unsigned aggregate_reductions(mir::Function& f);  // how many

}  // namespace heddle::compiler
