// SPDX-License-Identifier: Apache-2.0
// The pass simplify (simplify.h): works on registers with a single definition, block by block in reverse post-order, so
// that chains collapse in one run. A replacement register must itself be single and its definition must dominate.
#pragma once

#include <string_view>
#include <vector>

#include "host-runtime/compiler/passes/definitions.h"

namespace heddle::compiler {

inline constexpr bool fits16(int64_t v) { return v >= -32768 && v <= 32767; }

class Simplifier {
  using Opcode = isa::Opcode;
  using Instruction = mir::Instruction;
  using Operand = mir::Operand;

 public:
  explicit Simplifier(mir::Function& f);
  // True when something changed.
  bool run();

 private:
  // ---- simplify.cc: copies, constants, signs, addresses, products
  void instruction(Instruction& i);
  void source(Instruction& i, Operand& o, mir::Slot slot);
  void predicate(mir::Pred& p);
  Operand constant_word(mir::Unit u) const;
  Operand through_copies(Operand o) const;
  void replace(Operand& o, const Operand& with);
  const Instruction* sign_change(const Operand& o, bool ftz) const;
  void fold_sign(Instruction& i, Operand& o, bool ftz, std::string_view neg, std::string_view abs);
  void fold_signs(Instruction& i);
  void fold_address(Instruction& i);
  void fold_constant_place(Instruction& i);
  void fuse_product(Instruction& i, Opcode product);
  void fuse_sum(Instruction& i);
  const Instruction* definition(const Operand& o) const { return o.is_reg() ? defs_.of(o) : nullptr; }
  static bool plain(const Instruction* i, Opcode op) { return i && i->is(op) && !i->guard.present(); }
  bool stable(const Operand& o, mir::Unit definition) const;

  // ---- simplify_logic.cc: logic, fields, predicates
  void fuse_logic(Instruction& i);
  bool fuse_constants(Instruction& i);
  void fuse_field(Instruction& i);
  void fuse_test(Instruction& i);
  void combine_predicates(Instruction& i);
  unsigned width(const Operand& o, int depth = 0) const;

  mir::Function& f_;
  Definitions defs_;
  std::vector<uint32_t> uses_;  // by unit: how many instructions read it
  Definitions::Site place_;     // of the instruction at hand
  bool changed_ = false;
};

}  // namespace heddle::compiler
