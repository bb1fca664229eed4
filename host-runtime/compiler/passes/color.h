// SPDX-License-Identifier: Apache-2.0
// Graph colouring with pairs and quads: gives every virtual register an aligned place among the machine
// registers, using as few as it can, or names those that found none.
#pragma once

#include <vector>

#include "host-runtime/compiler/passes/interference.h"

namespace heddle::compiler {

inline constexpr uint8_t kNoColor = 255;
inline constexpr unsigned kRegisterBanks = 4;  // register r lies in bank r % 4

struct ColorRequest {
  unsigned limit = kMaxRegisters;  // machine registers 0 … limit-1
  RegMask reserved;                // never given
  bool prefer_caller_saved = false;
  const std::vector<double>* spill_cost = nullptr;  // by vreg; infinite: must not be spilled
  // Not 0: operands of one instruction are kept in different banks of the register file, for a bank gives one a cycle;
  // among as many registers as are needed anyhow, rounded up to a multiple of this.
  unsigned spread = 0;
};

struct Coloring {
  std::vector<uint8_t> color;  // by vreg: first machine register, or predicate number; kNoColor: none
  std::vector<mir::VReg> failed_registers;
  std::vector<mir::VReg> failed_predicates;
  unsigned registers = 0;  // highest register + 1
};

Coloring color(const mir::Function& f, const InterferenceGraph& interference, const ColorRequest& request);

}  // namespace heddle::compiler
