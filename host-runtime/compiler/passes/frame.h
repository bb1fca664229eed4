// SPDX-License-Identifier: Apache-2.0
// Lays out a function's frame in local memory after register allocation, and writes what depends on it: addresses of
// frame objects, prologue and epilogue (stack pointer, callee-saved registers).
//
//   frame start, 16-aligned:  arguments and results in memory | spill slots | saved registers | objects | (R1)
#pragma once

#include "heddle/result.h"
#include "host-runtime/compiler/passes/allocate.h"
#include "host-runtime/compiler/passes/machine.h"

namespace heddle::compiler {

struct FrameInfo {
  uint32_t bytes = 0;      // multiple of 16
  unsigned registers = 0;  // all that the function itself touches + 1
  RegMask saved;           // stored at the entry of a device function
};

Result<FrameInfo> lay_out_frame(mir::Function& f, const Allocation& allocation);

}  // namespace heddle::compiler
