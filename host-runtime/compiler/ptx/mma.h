// SPDX-License-Identifier: Apache-2.0
// The forms of mma.sync: which shapes there are of which types, and how many registers a lane has of each matrix.
#pragma once

#include <string>

#include "host-runtime/compiler/ptx/ast.h"

namespace heddle::compiler::ptx {

// D = A * B + C: A is m x k, B is k x n, C and D are m x n.
struct MmaForm {
  int m = 0, n = 0, k = 0;
  bool column_a = false, row_b = false;  // layouts other than .row.col, of m8n8k4 with f16 alone
  bool satfinite = false, is_xor = false;
  bool sparse = false;  // mma.sp: of each four columns of A two are stored (tf32: of two one)
  Type a = Type::kNone, b = Type::kNone, c = Type::kNone, d = Type::kNone;  // of elements
  unsigned target = 0;  // the first .target that has it: 80 for sm_80

  // The number of places where a sparse matrix' metadata may lie.
  int selectors() const { return 16 * (a == Type::kTf32 ? 2 : type_bits(a) == 4 ? 8 : 4) / k; }
  // A lane's registers of a matrix, and their type.
  int registers(char matrix) const;
  Type register_type(char matrix) const;

  // Of f16, four products of 8 x 8 matrices at a time, each by eight lanes.
  bool is_quad_pairs() const { return m == 8 && a == Type::kF16; }
};

// The form that an instruction mma's modifiers name. What is wrong with them, or nothing.
std::string parse_mma(const Instruction& instruction, MmaForm& form);

}  // namespace heddle::compiler::ptx
