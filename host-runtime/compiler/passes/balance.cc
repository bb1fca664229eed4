// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/balance.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pseudo;

namespace {

bool is_register(const Operand& o) { return o.is_reg() || o.is_phys(); }

Instruction product(const Instruction& i, const Operand& a, const Operand& b, const Operand& c) {
  Instruction p;
  p.op = Opcode::Imad;
  p.guard = i.guard;
  p.fresh = i.fresh;
  p.loc = i.loc;
  p.dst = i.dst;
  p.a = a;
  p.b = b;
  p.c = c;
  return p;
}

// The same result by a product, if there is one.
std::optional<Instruction> as_product(const Instruction& i) {
  if (i.pseudo != Pseudo::None || i.dst.count != 1) return std::nullopt;
  switch (i.op) {
    case Opcode::Mov:
      if (!is_register(i.b)) return std::nullopt;
      return product(i, {}, {}, i.b);
    case Opcode::Shl:
      if (!is_register(i.a) || !i.b.is_imm() || i.b.imm < 0 || i.b.imm > 31) return std::nullopt;
      return product(i, i.a, mir::imm(static_cast<int32_t>(1u << i.b.imm)), {});
    case Opcode::Iadd: {
      if (i.p.present() || i.p.negated || i.pd != kNone || !is_register(i.a) || !is_register(i.b)) return std::nullopt;
      Instruction plain = i;
      plain.set_field("neg_a", 0);
      plain.set_field("neg_b", 0);
      if (plain.mod != 0) return std::nullopt;
      if (i.mod == 0) return product(i, i.a, mir::imm(1), i.b);
      if (i.field("neg_a") != 0 && i.field("neg_b") != 0) return std::nullopt;
      return i.field("neg_b") != 0 ? product(i, i.b, mir::imm(-1), i.a) : product(i, i.a, mir::imm(-1), i.b);
    }
    default: return std::nullopt;
  }
}

// Copies that move something, a word each.
void split_copies(mir::Block& block, const Allocation& allocation) {
  std::vector<Instruction> out;
  out.reserve(block.body.size());
  for (Instruction& i : block.body) {
    if (i.pseudo != Pseudo::Copy || i.pd != kNone || !is_register(i.a)) {
      out.push_back(std::move(i));
      continue;
    }
    if (allocation.at(i.dst) == allocation.at(i.a)) continue;
    for (unsigned w = 0; w < i.dst.count; w++) {
      Instruction mov;
      mov.op = Opcode::Mov;
      mov.guard = i.guard;
      mov.fresh = i.fresh;
      mov.loc = i.loc;
      mov.dst = i.dst.word(w);
      mov.b = i.a.word(w);
      out.push_back(mov);
    }
  }
  block.body = std::move(out);
}

}  // namespace

void balance_units(mir::Function& f, const Allocation& allocation) {
  for (mir::Block& block : f.blocks) {
    split_copies(block, allocation);
    int integer = 0, products = 0, either = 0;
    for (const Instruction& i : block.body) {
      if (i.pseudo != Pseudo::None) continue;
      integer += i.info().unit == isa::Unit::Int;
      products += i.info().unit == isa::Unit::Imad;
      either += as_product(i).has_value();
    }
    const int moved = std::clamp((integer - products) / 2, 0, either);
    if (moved == 0) continue;
    int seen = 0;
    for (Instruction& i : block.body) {
      std::optional<Instruction> p = as_product(i);
      if (!p) continue;
      if ((seen + 1) * moved / either > seen * moved / either) i = *p;
      seen++;
    }
  }
}

}  // namespace heddle::compiler
