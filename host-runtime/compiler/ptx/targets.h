// SPDX-License-Identifier: Apache-2.0
// The first .target that has an instruction, as ptxas of CUDA 13.0 says (tests/compiler/ptx/targets.tsv).
#pragma once

#include <string_view>

#include "host-runtime/compiler/ptx/ast.h"

namespace heddle::compiler::ptx {

// "80" or "100a"; empty: all that PTX can be compiled for here.
std::string_view first_target(const Instruction& instruction);

// 100 of "100a"; 0 of nothing.
unsigned target_number(std::string_view target);

}  // namespace heddle::compiler::ptx
