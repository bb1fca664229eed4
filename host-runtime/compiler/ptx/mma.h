// SPDX-License-Identifier: Apache-2.0
// The forms of mma.sync, wmma and wgmma: which shapes there are of which types, and how many registers a lane has of
// each matrix.
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
  size_t metadata = 4;  // the operand that is a sparse matrix' metadata; its selector is the next

  // The number of places where a sparse matrix' metadata may lie.
  int selectors() const { return 16 * (a == Type::kTf32 ? 2 : type_bits(a) == 4 ? 8 : 4) / k; }
  Type type(char matrix) const { return matrix == 'a' ? a : matrix == 'b' ? b : matrix == 'c' ? c : d; }
  // A lane's registers of a matrix, and their type.
  int registers(char matrix) const;
  Type register_type(char matrix) const;

  // Of f16, four products of 8 x 8 matrices at a time, each by eight lanes.
  bool is_quad_pairs() const { return m == 8 && k == 4 && a == Type::kF16; }
};

// The form that an instruction mma's modifiers name. What is wrong with them, or nothing.
std::string parse_mma(const Instruction& instruction, MmaForm& form);

// wmma.load and .store, of one matrix, and wmma.mma. Where the numbers are in a warp is for each machine to choose.
struct WmmaForm {
  MmaForm product;      // of a load or store, with the type of the one matrix
  char matrix = 0;      // which is loaded ('a' to 'c') or stored ('d'); 0: wmma.mma
  bool column = false;  // it lies in memory by columns

  // A lane's registers of a matrix. Those of f16 are as many as the first machines had for A and B, which may have
  // numbers twice.
  int registers(char matrix) const;
};

std::string parse_wmma(const Instruction& instruction, WmmaForm& form);

// wgmma.mma_async: of the 64 rows of A and D each of four warps has 16.
struct WgmmaForm {
  MmaForm product;  // of a warp: mma's with eight columns of B and D, which is done for each eight of n
  int n = 0;

  int tiles() const { return n / product.n; }
  // Whether A and B may be negated, and lie in memory by their rows of K, not by those of M and N.
  bool has_signs() const { return is_float(product.a); }
  bool has_layouts() const { return has_signs() && type_bits(product.a) == 16; }
};

std::string parse_wgmma(const Instruction& instruction, WgmmaForm& form);

}  // namespace heddle::compiler::ptx
