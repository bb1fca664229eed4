// SPDX-License-Identifier: Apache-2.0
// Register allocation: coalescing, colouring, spilling until all fits. The function keeps its virtual registers; the
// result says where each lives.
#pragma once

#include <vector>

#include "heddle/result.h"
#include "host-runtime/compiler/passes/color.h"
#include "host-runtime/compiler/passes/spill.h"

namespace heddle::compiler {

struct Allocation {
  std::vector<uint8_t> color;  // by vreg: first machine register, or predicate number; kNoColor: unused
  unsigned registers = 0;      // highest register used + 1, without the calling convention's own
  SpillStats spills;

  // The machine register of an operand's first word.
  unsigned at(const mir::Operand& o) const { return o.is_phys() ? o.id : color[o.id] + o.sub; }
};

// At most `limit` registers (8 … kMaxRegisters). Fails when not even spilling makes it fit.
Result<Allocation> allocate_registers(mir::Function& f, unsigned limit);

}  // namespace heddle::compiler
