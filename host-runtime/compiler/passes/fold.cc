// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/fold.h"

#include <optional>
#include <utility>

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;
using mir::kNone;
using mir::Operand;

namespace {

void swap_fields(Instruction& i, std::string_view x, std::string_view y) {
  const unsigned vx = i.field(x), vy = i.field(y);
  i.set_field(x, vy);
  i.set_field(y, vx);
}

// The mirrored comparison, for swapped sources.
unsigned mirrored(unsigned cmp) {
  static constexpr uint8_t kMirror[14] = {2, 3, 0, 1, 4, 5, 6, 7, 10, 11, 8, 9, 12, 13};
  return cmp < 14 ? kMirror[cmp] : cmp;
}

bool is_zero(const Operand& o) { return o.is_none() || (o.is_imm() && static_cast<uint32_t>(o.imm) == 0); }

bool is_constant(const Operand& o) { return o.is_none() || o.is_imm(); }
uint32_t value(const Operand& o) { return o.is_imm() ? static_cast<uint32_t>(o.imm) : 0; }

bool is_plain_sum(const Instruction& i) { return i.mod == 0 && i.pd == kNone && !i.p.present() && !i.p.negated; }

bool becomes_copy(Instruction& i, const Operand from) {  // by value: often one of i's own operands
  if (from.is_reg() || from.is_phys()) {
    i.pseudo = mir::Pseudo::Copy;
    i.a = from;
    i.b = {};
  } else {
    i.op = Opcode::Mov;
    i.a = {};
    i.b = from.is_none() ? mir::imm(0) : from;
  }
  i.op = i.pseudo == mir::Pseudo::Copy ? Opcode::Nop : Opcode::Mov;
  i.c = {};
  i.p = i.p2 = {};
  i.mod = 0;
  return true;
}

bool becomes_constant(Instruction& i, uint32_t v) { return becomes_copy(i, mir::imm(v)); }

std::optional<uint32_t> logic(unsigned op, uint32_t a, uint32_t b) {
  switch (static_cast<isa::LogicOp>(op)) {
    case isa::LogicOp::And: return a & b;
    case isa::LogicOp::Or: return a | b;
    case isa::LogicOp::Xor: return a ^ b;
    case isa::LogicOp::Andn: return a & ~b;
  }
  return std::nullopt;
}

bool fold_logic(Instruction& i) {
  const auto op = static_cast<isa::LogicOp>(i.field("op"));
  if (is_constant(i.a) && is_constant(i.b)) {
    const auto v = logic(i.field("op"), value(i.a), value(i.b));
    return v && becomes_constant(i, *v);
  }
  if (!is_constant(i.b)) return false;
  const uint32_t b = value(i.b);
  switch (op) {
    case isa::LogicOp::And:
      if (b == 0) return becomes_constant(i, 0);
      return b == ~0u && becomes_copy(i, i.a);
    case isa::LogicOp::Or:
      if (b == ~0u) return becomes_constant(i, ~0u);
      return b == 0 && becomes_copy(i, i.a);
    case isa::LogicOp::Andn:
      if (b == ~0u) return becomes_constant(i, 0);
      return b == 0 && becomes_copy(i, i.a);
    default: return b == 0 && becomes_copy(i, i.a);
  }
}

bool fold_shift(Instruction& i) {
  if (!is_constant(i.b)) return false;
  const uint32_t n = value(i.b);
  if (n == 0) return becomes_copy(i, i.a);
  if (!is_constant(i.a)) return false;
  const uint32_t a = value(i.a);
  if (i.op == Opcode::Shl) return becomes_constant(i, n > 31 ? 0 : a << n);
  if (i.field("sign")) return becomes_constant(i, static_cast<uint32_t>(static_cast<int32_t>(a) >> (n > 31 ? 31 : n)));
  return becomes_constant(i, n > 31 ? 0 : a >> n);
}

bool fold_product(Instruction& i) {
  if (i.field("hi")) return false;
  if (is_constant(i.a) && is_constant(i.b) && is_constant(i.c))
    return becomes_constant(i, value(i.a) * value(i.b) + value(i.c));
  if (!i.b.is_imm()) return false;
  if (value(i.b) == 1 && is_zero(i.c)) return becomes_copy(i, i.a);
  if (value(i.b) == 0 && !i.b.is_none()) return becomes_copy(i, i.c);
  return false;
}

}  // namespace

bool swap_sources(Instruction& i) {
  switch (i.op) {
    case Opcode::Iadd:
    case Opcode::Iadd3:
    case Opcode::Iadd64:
    case Opcode::Fadd:
      swap_fields(i, "neg_a", "neg_b");
      swap_fields(i, "abs_a", "abs_b");
      break;
    case Opcode::Imad:
    case Opcode::ImadWide:
    case Opcode::Fmul:
    case Opcode::Ffma:
    case Opcode::Hmul2:
    case Opcode::Hfma2: break;
    case Opcode::Imnmx:
    case Opcode::Imnmx64: break;
    case Opcode::Lop:
      if (i.field("op") == static_cast<unsigned>(isa::LogicOp::Andn)) return false;
      break;
    case Opcode::Isetp:
    case Opcode::Isetp64: i.set_field("cmp", mirrored(i.field("cmp"))); break;
    case Opcode::Fsetp:
      i.set_field("cmp", mirrored(i.field("cmp")));
      swap_fields(i, "neg_a", "neg_b");
      swap_fields(i, "abs_a", "abs_b");
      break;
    case Opcode::Sel: i.p = !i.p; break;
    default: return false;
  }
  std::swap(i.a, i.b);
  return true;
}

bool fold(Instruction& i) {
  bool changed = false;
  if ((i.a.is_imm() || i.a.is_const()) && (i.b.is_reg() || i.b.is_phys())) changed = swap_sources(i);
  switch (i.op) {
    case Opcode::Iadd:
      if (!is_plain_sum(i)) break;
      if (is_constant(i.a) && is_constant(i.b)) return becomes_constant(i, value(i.a) + value(i.b));
      if (is_zero(i.b)) return becomes_copy(i, i.a);
      break;
    case Opcode::Iadd64:
      if (is_plain_sum(i) && (i.b.is_none() || i.b.is_imm(0)) && i.a.is_reg()) return becomes_copy(i, i.a);
      break;
    case Opcode::Lop: return fold_logic(i) || changed;
    case Opcode::Shl:
    case Opcode::Shr: return fold_shift(i) || changed;
    case Opcode::Shl64:
    case Opcode::Shr64:
      if (i.b.is_imm(0) && i.a.is_reg()) return becomes_copy(i, i.a);
      break;
    case Opcode::Imad: return fold_product(i) || changed;
    case Opcode::Mov:
      if (i.b.is_reg()) return becomes_copy(i, i.b);
      break;
    case Opcode::Sel:
      if (!i.p.present()) return becomes_copy(i, i.p.negated ? i.b : i.a);
      if (i.a == i.b) return becomes_copy(i, i.a);
      break;
    default: break;
  }
  return changed;
}

}  // namespace heddle::compiler
