// SPDX-License-Identifier: Apache-2.0
// Copies and constants into their readers; signs, addresses, products.
#include "host-runtime/compiler/passes/simplify.h"

#include <algorithm>
#include <utility>

#include "host-runtime/compiler/passes/fold.h"
#include "host-runtime/compiler/passes/simplify_impl.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pred;
using mir::Pseudo;
using mir::Slot;
using mir::Unit;

namespace {

constexpr uint32_t kNear = 48;  // instructions

// Address registers and store data stay registers: an immediate there would only be moved back.
bool takes_immediate(const Instruction& i, Slot slot) {
  if (i.pseudo != Pseudo::None || mir::is_memory(i) || slot_is_free(i, slot)) return false;
  if (i.info().unit == isa::Unit::Ctl) return slot == Slot::B;
  return true;
}

bool is_plain_sum(const Instruction& i) { return i.mod == 0 && i.pd == kNone && !i.p.present() && !i.p.negated; }

void flip(Instruction& i, std::string_view field) { i.set_field(field, i.field(field) ^ 1); }

}  // namespace

Simplifier::Simplifier(Function& f) : f_(f), defs_(f), uses_(defs_.units().count()) {
  mir::Accesses a;
  const auto count = [&] {
    for (const mir::UnitRange& r : a.reads)
      for (Unit u = r.first; u < r.first + r.count; u++) uses_[u]++;
  };
  for (const mir::Block& b : f.blocks) {
    for (const Instruction& i : b.body) a.collect(f, defs_.units(), i), count();
    a.collect(f, defs_.units(), b.end), count();
  }
}

bool Simplifier::run() {
  for (BlockId b : reverse_post_order(defs_.graph(), 0)) {
    mir::Block& block = f_.blocks[b];
    for (uint32_t n = 0; n < block.body.size(); n++) {
      place_ = {b, n};
      instruction(block.body[n]);
    }
    place_ = {b, static_cast<uint32_t>(block.body.size())};
    predicate(block.end.cond);
    if (block.end.index.is_reg()) block.end.index = through_copies(block.end.index);
  }
  return changed_;
}

// The constant that one word holds, as the b operand of its MOV; None when unknown.
Operand Simplifier::constant_word(Unit u) const {
  const Instruction* i = defs_.of(u);
  if (!plain(i, Opcode::Mov) || i->b.is_reg() || i->b.is_phys()) return {};
  if (i->b.is_none()) return mir::imm(0);
  return i->b;
}

// The register at the other end of a chain of copies.
Operand Simplifier::through_copies(Operand o) const {
  for (int hops = 0; hops < 16; hops++) {
    Operand source;
    for (unsigned n = 0; n < o.count; n++) {
      const Unit u = defs_.units().of(o) + n;
      const Instruction* i = defs_.of(u);
      if (!i || i->pseudo != Pseudo::Copy || i->guard.present() || !i->a.is_reg() || !i->dst.is_reg() ||
          !defs_.before(u, place_))
        return o;
      const unsigned at = u - defs_.units().of(i->dst);  // word of the copy
      const Unit from = defs_.units().of(i->a) + at;
      const mir::VReg v = defs_.units().vreg(from);
      const auto sub = static_cast<uint8_t>(from - defs_.units().of(v));
      if (!defs_.before(from, defs_.site(u))) return o;
      if (n == 0) {
        source = o;
        source.id = v;
        source.sub = sub;
        if (sub % o.count) return o;
      } else if (v != source.id || sub != source.sub + n) {
        return o;
      }
    }
    if (source.is_none()) return o;
    o = source;
  }
  return o;
}

void Simplifier::replace(Operand& o, const Operand& with) {
  if (o == with) return;
  o = with;
  changed_ = true;
}

void Simplifier::source(Instruction& i, Operand& o, Slot slot) {
  if (!o.is_reg()) return;
  if (i.pseudo == Pseudo::Call) return;
  replace(o, through_copies(o));
  if (o.count == 1) {
    const Operand c = constant_word(defs_.units().of(o));
    if (c.is_imm()) {
      if (i.pseudo == Pseudo::Copy) {
        i.pseudo = Pseudo::None;
        i.op = Opcode::Mov;
        i.b = c;
        i.a = {};
        changed_ = true;
      } else if (takes_immediate(i, slot)) {
        replace(o, mir::imm(static_cast<uint32_t>(c.imm)));
      }
    } else if ((c.is_const() && i.pseudo == Pseudo::None && i.info().has_form(isa::Form::C) && slot == Slot::B &&
                !i.is(Opcode::Ldc) && i.mod < 1u << 10) ||
               (c.is_frame() && slot == Slot::A && (i.is(Opcode::Ldl) || i.is(Opcode::Stl)) && i.b.is_imm())) {
      replace(o, c);
    } else if (!c.is_none() && i.pseudo == Pseudo::Copy) {
      i.pseudo = Pseudo::None;
      i.op = Opcode::Mov;
      i.b = c;
      i.a = {};
      changed_ = true;
    }
  } else if (o.count == 2 && i.pseudo == Pseudo::None && takes_immediate(i, slot)) {
    const Operand lo = constant_word(defs_.units().of(o));
    const Operand hi = constant_word(defs_.units().of(o) + 1);
    if (lo.is_imm() && hi.is_imm()) {
      const uint64_t v = static_cast<uint32_t>(lo.imm) | static_cast<uint64_t>(hi.imm) << 32;
      replace(o, mir::imm(static_cast<int64_t>(v)));
    }
  }
}

void Simplifier::predicate(Pred& p) {
  for (int hops = 0; hops < 16 && p.present(); hops++) {
    const Unit u = defs_.units().of(p.reg);
    const Instruction* i = defs_.of(u);
    if (!i || i->pseudo != Pseudo::Copy || i->guard.present() || !defs_.before(u, place_)) return;
    if (i->p.present() && !defs_.before(defs_.units().of(i->p.reg), defs_.site(u))) return;
    p = {i->p.reg, i->p.negated != p.negated};
    changed_ = true;
  }
}

void Simplifier::instruction(Instruction& i) {
  source(i, i.a, Slot::A);
  if (i.pseudo == Pseudo::None) {
    source(i, i.b, Slot::B);
    source(i, i.c, Slot::C);
  }
  predicate(i.guard), predicate(i.p), predicate(i.p2);
  if (!i.guard.present() && i.guard.negated) {  // never
    i = Instruction{};
    i.pseudo = Pseudo::Undef;
    changed_ = true;
    return;
  }
  if (i.pseudo != Pseudo::None) return;
  changed_ |= fold(i);
  if (i.pseudo != Pseudo::None) return;
  if (mir::is_memory(i)) return fold_address(i);
  if (i.op == Opcode::Iadd64) fuse_product(i, Opcode::ImadWide);
  else if (i.op == Opcode::Iadd) fuse_product(i, Opcode::Imad), fuse_sum(i);
  else if (i.op == Opcode::Lop || i.op == Opcode::Lop3) fuse_logic(i);
  else if (i.op == Opcode::Shr) fuse_field(i);
  else if (i.op == Opcode::Isetp) fuse_test(i);
  else if (i.op == Opcode::Plop) combine_predicates(i);
  else if (i.op == Opcode::Ffma || i.op == Opcode::Fmul || i.op == Opcode::Fadd || i.op == Opcode::Fsetp ||
           i.op == Opcode::Mufu)
    fold_signs(i);
}

// The source of neg.f32, abs.f32, or both (a sum with -0), when it may be read here instead.
const Instruction* Simplifier::sign_change(const Operand& o, bool ftz) const {
  const Instruction* d = definition(o);
  if (!plain(d, Opcode::Fadd) || !d->b.is_imm(0x80000000) || !d->a.is_reg()) return nullptr;
  Instruction only = *d;
  only.set_field("neg_a", 0), only.set_field("abs_a", 0), only.set_field("ftz", 0);
  if (only.mod != 0 || !(d->field("neg_a") || d->field("abs_a")) || (d->field("ftz") && !ftz)) return nullptr;
  return defs_.before(o, place_) && stable(d->a, defs_.units().of(o)) ? d : nullptr;
}

// Reads o without its change of sign, for which the instruction has these fields (abs may be none).
void Simplifier::fold_sign(Instruction& i, Operand& o, bool ftz, std::string_view neg, std::string_view abs) {
  const Instruction* d = sign_change(o, ftz);
  if (!d || (d->field("abs_a") && abs.empty())) return;
  if (d->field("neg_a") && (abs.empty() || !i.field(abs))) flip(i, neg);
  if (d->field("abs_a")) i.set_field(abs, 1);
  o = d->a;
  changed_ = true;
}

void Simplifier::fold_signs(Instruction& i) {
  // MUFU counts subnormal operands as zeros, save those of tanh.
  if (i.op == Opcode::Mufu)
    return fold_sign(i, i.b, i.field("op") != static_cast<uint64_t>(isa::MufuOp::Tanh), "neg", "abs");
  if (i.op == Opcode::Fsetp && !i.b.is_reg()) return;  // no room for signs in the short forms
  const bool product = i.op == Opcode::Ffma || i.op == Opcode::Fmul, ftz = i.field("ftz") != 0;
  const std::string_view neg_product = i.op == Opcode::Ffma ? "neg_p" : "neg";
  fold_sign(i, i.a, ftz, product ? neg_product : "neg_a", product ? "" : "abs_a");
  fold_sign(i, i.b, ftz, product ? neg_product : "neg_b", product ? "" : "abs_b");
  if (i.op == Opcode::Ffma) fold_sign(i, i.c, ftz, "neg_c", "");
}

// May `o` be read here instead of at the (dominating) definition that reads it? Yes when it is defined once, before
// that; or when both places are near each other in one block and nothing between writes it.
bool Simplifier::stable(const Operand& o, Unit definition) const {
  if (!o.is_reg()) return !o.is_phys();
  const Definitions::Site from = defs_.site(definition);
  if (defs_.before(o, from)) return true;
  if (from.block != place_.block || from.index >= place_.index || place_.index - from.index > kNear) return false;
  mir::Accesses a;
  const Unit first = defs_.units().of(o);
  for (uint32_t n = from.index; n < place_.index; n++) {
    a.collect(f_, defs_.units(), f_.blocks[from.block].body[n]);
    for (const mir::UnitRange& w : a.writes)
      if (w.first < first + o.count && first < w.first + w.count) return false;
  }
  return true;
}

void Simplifier::fold_address(Instruction& i) {
  const isa::OpInfo& op = i.info();
  if (i.is(Opcode::Ldc)) return fold_constant_place(i);
  if (op.forms != "S" || op.a == isa::Operand::None) return;
  for (int hops = 0; hops < 4 && i.a.is_reg() && (i.b.is_none() || i.b.is_imm()); hops++) {
    const Unit u = defs_.units().of(i.a);
    const Instruction* d = definition(i.a);
    if (!d || !defs_.before(i.a, place_) || d->guard.present()) return;
    const int64_t offset = i.b.is_imm() ? i.b.imm : 0;
    if (plain(d, i.a.count == 2 ? Opcode::Iadd64 : Opcode::Iadd) && is_plain_sum(*d) && d->b.is_imm() &&
        stable(d->a, u)) {
      const int64_t more = i.a.count == 2 ? d->b.imm : static_cast<int32_t>(d->b.imm);
      if (!fits16(more) || !fits16(offset + more) || !d->a.is_reg()) return;
      i.a = d->a;
      i.b = mir::imm(offset + more);
      changed_ = true;
    } else if (i.a.count == 1 && plain(d, Opcode::Mov) && d->b.is_imm() && fits16(d->b.imm + offset) && d->b.imm >= 0) {
      i.a = {};
      i.b = mir::imm(d->b.imm + offset);
      changed_ = true;
    } else {
      return;
    }
  }
}

// LDC's offset has no sign, and ends with the bank.
void Simplifier::fold_constant_place(Instruction& i) {
  for (int hops = 0; hops < 4 && i.a.is_reg() && i.b.is_const(); hops++) {
    const Instruction* d = definition(i.a);
    if (!d || !defs_.before(i.a, place_) || d->guard.present() || !d->b.is_imm()) return;
    const int64_t place = int64_t{i.b.id} + static_cast<int32_t>(d->b.imm);
    if (place < 0 || place >= mir::kConstBytes) return;
    if (plain(d, Opcode::Mov)) i.a = {};
    else if (plain(d, Opcode::Iadd) && is_plain_sum(*d) && d->a.is_reg() && stable(d->a, defs_.units().of(i.a)))
      i.a = d->a;
    else return;
    i.b.id = static_cast<uint32_t>(place);
    changed_ = true;
  }
}

// IADD d = (x * y) + z  ->  IMAD d = x * y + z; a shift left by a constant is a product.
void Simplifier::fuse_product(Instruction& i, Opcode product) {
  if (!is_plain_sum(i)) return;
  for (int side = 0; side < 2; side++) {
    const Operand& term = side == 0 ? i.a : i.b;
    const Operand& other = side == 0 ? i.b : i.a;
    if (!other.is_reg() && !other.is_none()) continue;
    const Instruction* d = definition(term);
    if (!d || d->guard.present() || !defs_.before(term, place_)) continue;
    const Unit u = defs_.units().of(term);
    Instruction fused;
    if (plain(d, product) && d->c.is_none() && d->field("hi") == 0) {
      fused = *d;
    } else if (product == Opcode::Imad && plain(d, Opcode::Shl) && d->b.is_imm() && d->b.imm >= 0 && d->b.imm < 15) {
      fused.op = Opcode::Imad;
      fused.a = d->a;
      fused.b = mir::imm(int64_t{1} << d->b.imm);
    } else {
      continue;
    }
    if (!stable(fused.a, u) || !stable(fused.b, u) || !fused.a.is_reg()) continue;
    if (fused.b.is_imm() && !fits16(static_cast<int32_t>(fused.b.imm))) continue;
    fused.dst = i.dst;
    fused.guard = i.guard;
    fused.loc = i.loc;
    fused.c = other;
    i = fused;
    changed_ = true;
    return;
  }
}

// IADD d = (x + y) + z, of a sum that nobody else reads  ->  IADD3 d = x + y + z. A sum with a number stays: it may
// become the offset of an address.
void Simplifier::fuse_sum(Instruction& i) {
  const auto is_sum = [](const Instruction& s) {
    Instruction only = s;
    only.set_field("neg_a", 0), only.set_field("neg_b", 0);
    return s.is(Opcode::Iadd) && is_plain_sum(only);
  };
  if (!is_sum(i) || !i.a.is_reg() || !i.b.is_reg()) return;
  struct Term {
    Operand of;
    bool negative;
  };
  for (int side = 0; side < 2; side++) {
    const Operand inner = side == 0 ? i.a : i.b;
    const bool negative = i.field(side == 0 ? "neg_a" : "neg_b") != 0;
    const Instruction* d = definition(inner);
    if (!d || d->guard.present() || !is_sum(*d) || !defs_.before(inner, place_)) continue;
    const Unit u = defs_.units().of(inner);
    if (uses_[u] != 1 || !d->a.is_reg() || !stable(d->a, u) || !stable(d->b, u)) continue;
    Term terms[3] = {{d->a, (d->field("neg_a") != 0) != negative},
                     {d->b, (d->field("neg_b") != 0) != negative},
                     {side == 0 ? i.b : i.a, i.field(side == 0 ? "neg_b" : "neg_a") != 0}};
    if (terms[1].of.is_imm()) {
      const auto number = static_cast<int32_t>(terms[1].negative ? 0 - terms[1].of.imm : terms[1].of.imm);
      if (!fits16(number)) continue;
      terms[1] = {mir::imm(number), false};
    }
    // The last term has no sign, and is a register.
    const int last = !terms[2].negative                           ? 2
                     : !terms[0].negative                         ? 0
                     : terms[1].of.is_reg() && !terms[1].negative ? 1
                                                                  : -1;
    if (last < 0) continue;
    std::swap(terms[last], terms[2]);
    if (!terms[0].of.is_reg()) std::swap(terms[0], terms[1]);
    if (!terms[0].of.is_reg()) continue;
    i.op = Opcode::Iadd3;
    i.mod = 0;
    i.a = terms[0].of, i.b = terms[1].of, i.c = terms[2].of;
    i.set_field("neg_a", terms[0].negative), i.set_field("neg_b", terms[1].negative);
    changed_ = true;
    return;
  }
}

bool simplify(Function& f) { return Simplifier(f).run(); }

}  // namespace heddle::compiler
