// SPDX-License-Identifier: Apache-2.0
// What machine IR means, one thread at a time, for the instructions that random_function.cc writes: the reference that
// compiled code is held against. Written from isa.def and mir.h, not from the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler::test {

struct Thread {
  uint32_t tid = 0;
  std::vector<uint8_t> params;          // constant bank 0
  std::map<uint64_t, uint8_t>* memory;  // global; missing bytes read 0
  uint64_t steps = 0;                   // instructions executed; throws std::runtime_error beyond the limit
  uint64_t limit = 200000;
};

// Runs the kernel to its exit. Throws std::runtime_error on what it does not know.
void interpret(const mir::Module& module, const mir::Function& kernel, Thread& thread);

}  // namespace heddle::compiler::test
