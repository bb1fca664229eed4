// SPDX-License-Identifier: Apache-2.0
// Random modules of machine IR that end: any control flow graph (irreducible ones too), registers of all widths written
// whole and in part, predicates, guards, calls of device functions, local memory.
#pragma once

#include <random>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler::test {

struct RandomShape {
  unsigned blocks = 8;        // a function
  unsigned instructions = 8;  // a block
  unsigned registers = 12;    // that live throughout
  unsigned functions = 0;     // device functions, callable by the kernel and those before them
};

inline constexpr unsigned kOutputWords = 32;  // a thread writes at parameter 0 + 128 * tid

// functions[0] is the kernel "k" with one 64-bit parameter: where results go.
mir::Module random_module(std::mt19937_64& random, const RandomShape& shape);

}  // namespace heddle::compiler::test
