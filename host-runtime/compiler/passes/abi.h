// SPDX-License-Identifier: Apache-2.0
// The calling convention (docs/abi.md) put into code: parameters and results of device functions and of calls become
// copies from and to machine registers, and accesses to the argument area in local memory.
#pragma once

#include <span>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Where a value crosses a call: a machine register (1 or 2), or an offset in the callee's frame.
struct AbiPlace {
  bool in_register = false;
  unsigned reg = 0;
  unsigned words = 0;
  uint32_t offset = 0;
};
struct AbiLayout {
  std::vector<AbiPlace> args;
  std::vector<AbiPlace> results;
  uint32_t memory_bytes = 0;  // at the start of the callee's frame, a multiple of 16
};
AbiLayout abi_layout(std::span<const mir::AbiValue> args, std::span<const mir::AbiValue> results);

void lower_calls(mir::Function& f);

}  // namespace heddle::compiler
