// SPDX-License-Identifier: Apache-2.0
// Logic of registers, fields and predicates.
#include <algorithm>
#include <bit>
#include <utility>

#include "host-runtime/compiler/passes/fold.h"
#include "host-runtime/compiler/passes/simplify_impl.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pred;
using mir::Pseudo;
using mir::Unit;

namespace {

// What a LOP3 reads.
struct LogicSources {
  Operand at[3];
  unsigned count = 0;

  // False when there is no room: LOP3 has three sources, one of which may be a short constant.
  bool add(const Operand& o) {
    if (o.is_none() || std::find(at, at + count, o) != at + count) return true;
    const bool constant = !o.is_reg();
    const bool fits = (o.is_imm() && fits16(static_cast<int32_t>(o.imm))) || o.is_const();
    if (count == 3 || (constant && (!fits || has_constant()))) return false;
    at[count++] = o;
    return true;
  }
  bool has_constant() const {
    return std::any_of(at, at + count, [](const Operand& o) { return !o.is_reg(); });
  }
  // The constant goes where instructions have room for one.
  void order() {
    for (Operand& o : at)
      if (o.is_imm() || o.is_const()) std::swap(o, at[1]);
  }
  // The bits of this source in a truth table.
  uint8_t table(const Operand& o) const {
    constexpr uint8_t kTables[] = {0xF0, 0xCC, 0xAA};
    if (o.is_none()) return 0;
    return kTables[std::find(at, at + 3, o) - at];
  }
};

// The truth table of a LOP or LOP3 over the sources, where `inner` stands for `of_inner`.
uint8_t logic_table(const Instruction& i, const LogicSources& sources, const Operand& inner, uint8_t of_inner) {
  const auto table = [&](const Operand& o) { return !o.is_none() && o == inner ? of_inner : sources.table(o); };
  const uint8_t a = table(i.a), b = table(i.b), c = table(i.c);
  if (i.op == Opcode::Lop) switch (static_cast<isa::LogicOp>(i.field("op"))) {
      case isa::LogicOp::And: return a & b;
      case isa::LogicOp::Or: return a | b;
      case isa::LogicOp::Xor: return a ^ b;
      case isa::LogicOp::Andn: return static_cast<uint8_t>(a & ~b);
    }
  uint8_t result = 0;
  for (unsigned n = 0; n < 8; n++) {
    const unsigned index = (a >> n & 1) << 2 | (b >> n & 1) << 1 | (c >> n & 1);
    result = static_cast<uint8_t>(result | (i.field("lut") >> index & 1) << n);
  }
  return result;
}

// A comparison with room for a predicate.
bool takes_predicate(const Instruction& i) {
  const bool compares = i.is(Opcode::Isetp) || i.is(Opcode::Isetp64) || i.is(Opcode::Fsetp) || i.is(Opcode::Dsetp);
  return compares && !i.guard.present() && i.pq == kNone && i.p == Pred{} &&
         i.field("op") == static_cast<unsigned>(isa::BoolOp::And);
}

}  // namespace

// How many low bits of the value may be set.
unsigned Simplifier::width(const Operand& o, int depth) const {
  if (o.is_none()) return 0;
  if (o.is_imm()) return static_cast<unsigned>(std::bit_width(static_cast<uint32_t>(o.imm)));
  const Instruction* d = definition(o);
  constexpr int kDepth = 4;
  if (!d || d->pseudo != Pseudo::None || d->guard.present() || o.count != 1 || depth > kDepth) return 32;
  const auto source = [&](const Operand& s) {
    return s.is_reg() && !defs_.before(s, defs_.site(defs_.units().of(o))) ? 32 : width(s, depth + 1);
  };
  switch (d->op) {
    case Opcode::Lop: {
      const auto op = static_cast<isa::LogicOp>(d->field("op"));
      if (op == isa::LogicOp::And) return std::min(source(d->a), source(d->b));
      return op == isa::LogicOp::Andn ? source(d->a) : std::max(source(d->a), source(d->b));
    }
    case Opcode::Shr: {
      if (d->field("sign") || !d->b.is_imm() || d->b.imm < 0) return 32;
      const unsigned bits = source(d->a);
      return bits - std::min<unsigned>(bits, static_cast<unsigned>(std::min<int64_t>(d->b.imm, 32)));
    }
    case Opcode::Bfe:
      return d->field("sign") || !d->b.is_imm() ? 32 : std::min(32u, static_cast<unsigned>(d->b.imm >> 8 & 255));
    case Opcode::Ld:
    case Opcode::Ldg:
    case Opcode::Lds:
    case Opcode::Ldl:
      switch (static_cast<isa::MemSize>(d->field("size"))) {
        case isa::MemSize::U8: return 8;
        case isa::MemSize::U16: return 16;
        default: return 32;
      }
    default: return 32;
  }
}

// A shift right of a field is a shorter field.
void Simplifier::fuse_field(Instruction& i) {
  const Instruction* d = definition(i.a);
  if (!i.b.is_imm() || i.b.imm < 0 || !d || d->guard.present() || !d->b.is_imm() || !defs_.before(i.a, place_)) return;
  const Unit u = defs_.units().of(i.a);
  unsigned from = 0, bits = 0;
  if (plain(d, Opcode::Bfe)) {
    from = d->b.imm & 255, bits = d->b.imm >> 8 & 255;
    if (d->field("sign") != i.field("sign")) return;
  } else if (plain(d, Opcode::Lop) && d->field("op") == static_cast<unsigned>(isa::LogicOp::And)) {
    const auto mask = static_cast<uint32_t>(d->b.imm);
    bits = static_cast<unsigned>(std::popcount(mask));
    if (bits == 32 || mask != (1u << bits) - 1) return;
  }
  const auto n = static_cast<unsigned>(std::min<int64_t>(i.b.imm, 32));
  if (bits <= n || from + bits > 32 || !stable(d->a, u) || !d->a.is_reg()) return;
  const unsigned sign = plain(d, Opcode::Bfe) ? d->field("sign") : 0;
  i.a = d->a;
  i.b = mir::imm((from + n) | (bits - n) << 8);
  i.op = Opcode::Bfe;
  i.mod = 0;
  i.set_field("sign", sign);
  changed_ = true;
}

// Logic with a constant of logic with a constant; a mask of more bits than there are.
bool Simplifier::fuse_constants(Instruction& i) {
  if (i.op != Opcode::Lop || !i.b.is_imm()) return false;
  const auto op = static_cast<isa::LogicOp>(i.field("op"));
  const auto mask = static_cast<uint32_t>(i.b.imm);
  if (op == isa::LogicOp::And && i.a.is_reg() && defs_.before(i.a, place_)) {
    const unsigned bits = width(i.a);
    const uint32_t all = bits == 32 ? ~0u : (1u << bits) - 1;
    if ((mask & all) == all) {
      i.b = mir::imm(-1);
      return fold(i);
    }
  }
  const Instruction* d = definition(i.a);
  if (op == isa::LogicOp::Andn || !plain(d, Opcode::Lop) || d->field("op") != i.field("op") || !d->b.is_imm() ||
      !d->a.is_reg() || !defs_.before(i.a, place_) || !stable(d->a, defs_.units().of(i.a)))
    return false;
  const auto other = static_cast<uint32_t>(d->b.imm);
  i.a = d->a;
  i.b = mir::imm(op == isa::LogicOp::And ? mask & other : op == isa::LogicOp::Or ? mask | other : mask ^ other);
  return true;
}

// PLOP of constants is none; a comparison that only it reads takes the other predicate in.
void Simplifier::combine_predicates(Instruction& i) {
  if (i.pq != kNone) return;
  const auto op = static_cast<isa::BoolOp>(i.field("op"));
  if (!i.p.present()) std::swap(i.p, i.p2);
  if (!i.p2.present()) {
    const bool value = !i.p2.negated;
    Pred result = i.p;
    if (op == isa::BoolOp::Xor && value) result = !result;
    else if (op == isa::BoolOp::And && !value) result = {kNone, true};
    else if (op == isa::BoolOp::Or && value) result = {};
    i.pseudo = Pseudo::Copy;
    i.op = Opcode::Nop;
    i.mod = 0;
    i.p = result;
    i.p2 = {};
    changed_ = true;
    return;
  }
  for (const auto& [inner, other] : {std::pair(i.p, i.p2), std::pair(i.p2, i.p)}) {
    const Unit u = defs_.units().of(inner.reg);
    const Instruction* d = defs_.of(u);
    if (inner.negated || inner.reg == other.reg || uses_[u] != 1 || !d || d->pd != inner.reg || !takes_predicate(*d) ||
        !defs_.before(u, place_) || defs_.site(u).block != place_.block || !stable(d->a, u) || !stable(d->b, u))
      continue;
    Instruction fused = *d;
    fused.pd = i.pd;
    fused.guard = i.guard;
    fused.fresh = i.fresh;
    fused.loc = i.loc;
    fused.p = other;
    fused.set_field("op", static_cast<unsigned>(op));
    i = fused;
    changed_ = true;
    return;
  }
}

// Bits that only this comparison with zero looks at, or one bit that it compares with itself: a test of them.
void Simplifier::fuse_test(Instruction& i) {
  const auto cmp = static_cast<isa::ICmp>(i.field("cmp"));
  if ((cmp != isa::ICmp::Eq && cmp != isa::ICmp::Ne) || !i.a.is_reg() || !(i.b.is_none() || i.b.is_imm())) return;
  const Instruction* d = definition(i.a);
  if (!plain(d, Opcode::Lop) || d->field("op") != static_cast<unsigned>(isa::LogicOp::And) || !d->a.is_reg() ||
      !(d->b.is_reg() || (d->b.is_imm() && fits16(static_cast<int32_t>(d->b.imm)))))
    return;
  const auto with = static_cast<uint32_t>(i.b.is_imm() ? i.b.imm : 0);
  const bool its_bit = d->b.is_imm() && std::has_single_bit(with) && with == static_cast<uint32_t>(d->b.imm);
  const Unit u = defs_.units().of(i.a);
  if ((with != 0 && !its_bit) || uses_[u] != 1 || !defs_.before(u, place_) || !stable(d->a, u) || !stable(d->b, u))
    return;
  i.set_field("cmp", static_cast<unsigned>((cmp == isa::ICmp::Ne) != its_bit ? isa::ICmp::Any : isa::ICmp::None));
  i.a = d->a;
  i.b = d->b;
  changed_ = true;
}

// Logic of a result of logic that nobody else reads: one LOP3 of at most three different sources.
void Simplifier::fuse_logic(Instruction& i) {
  if (fuse_constants(i)) {
    changed_ = true;
    return;
  }
  for (Operand Instruction::*slot : {&Instruction::a, &Instruction::b, &Instruction::c}) {
    const Operand inner = i.*slot;
    const Instruction* d = definition(inner);
    if (!d || (!plain(d, Opcode::Lop) && !plain(d, Opcode::Lop3)) || !defs_.before(inner, place_)) continue;
    const Unit u = defs_.units().of(inner);
    if (uses_[u] != 1) continue;
    LogicSources sources;
    bool fits = true;
    for (const Operand& o : {d->a, d->b, d->c}) fits = fits && sources.add(o) && stable(o, u);
    for (const Operand& o : {i.a, i.b, i.c}) fits = fits && (o == inner || sources.add(o));
    if (!fits) continue;
    sources.order();
    const uint8_t table = logic_table(*d, sources, {}, 0);
    const uint8_t lut = logic_table(i, sources, inner, table);
    i.op = Opcode::Lop3;
    i.mod = 0;
    i.set_field("lut", lut);
    i.a = sources.at[0], i.b = sources.at[1], i.c = sources.at[2];
    changed_ = true;
  }
}

}  // namespace heddle::compiler
