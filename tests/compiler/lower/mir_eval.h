// SPDX-License-Identifier: Apache-2.0
// Executes machine IR as lowering leaves it, one thread at a time, on the host: what the tests of
// the lowering check instruction sequences with. Written from isa.def alone, so that it shares no
// mistake with the lowering.
//
// Memory: a global address is a host pointer. Shared memory and the frame are buffers of the
// Thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler::lower::test {

struct Thread {
  std::vector<uint8_t> params;  // constant bank 0
  std::vector<uint8_t> shared = std::vector<uint8_t>(1 << 16);
  uint32_t tid = 0;
  std::map<isa::SpecialReg, uint32_t> registers{};  // special ones; the others are 0, but the block's size
  uint64_t max_steps = 1'000'000;
};

class MirEval {
 public:
  explicit MirEval(const mir::Module& module);

  // Runs the kernel from its entry to its exit. Empty on success, else what went wrong (an unknown
  // instruction, an endless loop).
  std::string run(const std::string& kernel, Thread& thread);

 private:
  friend class Frame;
  const mir::Function* function_of(mir::SymbolId symbol) const;

  const mir::Module& module_;
  std::vector<uint8_t> globals_, constants_;
  std::map<mir::SymbolId, uint8_t*> variables_;  // global and const
  std::map<mir::SymbolId, uint32_t> within_;     // shared and const: offset in its space
};

}  // namespace heddle::compiler::lower::test
