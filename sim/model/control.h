// SPDX-License-Identifier: Apache-2.0
// The front end's instructions: branches, calls, exits, convergence, block barriers.
#pragma once

#include <cstdint>

#include "sim/model/block.h"
#include "sim/model/ops.h"

namespace heddle::model {

enum class Outcome : uint8_t {
  Go,       // lanes have moved
  Loop,     // all to one place, and that may close a loop
  Yield,    // and the split at the front wants to give way
  Barrier,  // and barriers of the block may be complete: call Sm::open_barriers
  Trap,     // lanes of l.mask trap; nothing moved
};

// Executes `d` (Branch or Control) for `split`, which is no longer among the warp's ready splits;
// l.mask are its lanes whose guard holds. Lanes that go on are put into ready splits, the
// fall-through first. Lanes that wait at a block barrier are parked with `tag`.
Outcome execute_control(Warp& warp, const Decoded& d, Split split, Lanes& l, uint32_t tag);

// Writes what a reduction gave to the lanes that waited for it.
void write_reduction(const Released& released);

}  // namespace heddle::model
