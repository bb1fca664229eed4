// SPDX-License-Identifier: Apache-2.0
// Gives variables their places: shared ones per kernel, constant ones in the module's constant segment, global ones in
// its data segment. References to places that are known now become numbers.
#pragma once

#include <vector>

#include "heddle/result.h"
#include "host-runtime/compiler/passes/call_graph.h"

namespace heddle::compiler {

struct MemoryLayout {
  std::vector<uint64_t> offset;        // by variable, within its segment (shared: within the block's memory)
  std::vector<uint32_t> shared_bytes;  // by function; of kernels: static shared memory. Dynamic begins there.
  std::vector<char> dynamic_shared;    // by function: names dynamic shared memory itself
  uint64_t global_bytes = 0;
  uint64_t const_bytes = 0;
  uint32_t global_align = 1;
};

// Rewrites Symbol operands of shared variables, and Space ones of constants, to Imm.
Result<MemoryLayout> lay_out_memory(mir::Module& m, const CallGraph& graph);

}  // namespace heddle::compiler
