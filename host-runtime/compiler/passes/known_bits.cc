// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/known_bits.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;
using mir::Operand;
using mir::Pseudo;
using mir::Unit;

namespace {

constexpr KnownWord kAny{};
constexpr KnownWord kNothingYet{~0u, ~0u};
constexpr int kRounds = 64;          // more are not needed for what programs are made of
constexpr size_t kRegisters = 4096;  // that one question may lead to

constexpr KnownWord number(uint32_t v) { return {~v, v}; }
constexpr uint32_t low_mask(unsigned bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }

KnownWord common(KnownWord a, KnownWord b) { return {a.zeros & b.zeros, a.ones & b.ones}; }
KnownWord inverted(KnownWord a) { return {a.ones, a.zeros}; }

// A bit of the sum is known where both terms' are and the carry into it is the same for the least and the greatest sum.
KnownWord sum(KnownWord a, KnownWord b, uint32_t carry = 0) {
  const uint32_t most = ~a.zeros + ~b.zeros + carry, least = a.ones + b.ones + carry;
  const uint32_t carry_zero = ~(most ^ a.zeros ^ b.zeros), carry_one = least ^ a.ones ^ b.ones;
  const uint32_t known = a.known() & b.known() & (carry_zero | carry_one);
  return {~least & known, least & known};
}
KnownWord negated(KnownWord a) { return sum(inverted(a), number(0), 1); }

// What is unknown in one factor counts from its lowest unknown bit, times the other's lowest bit that may be a one.
KnownWord product(KnownWord a, KnownWord b) {
  const auto first_unknown = [](KnownWord w) { return static_cast<unsigned>(std::countr_one(w.known())); };
  const auto low_zeros = [](KnownWord w) { return static_cast<unsigned>(std::countr_one(w.zeros)); };
  const unsigned bits = std::min(first_unknown(a) + low_zeros(b), first_unknown(b) + low_zeros(a));
  const uint32_t v = a.ones * b.ones, mask = low_mask(bits);
  return {~v & mask, v & mask};
}

KnownWord shifted_left(KnownWord a, uint32_t by) {
  if (by > 31) return number(0);
  return {a.zeros << by | low_mask(by), a.ones << by};
}
KnownWord shifted_right(KnownWord a, uint32_t by, bool is_signed) {
  if (by > 31) return is_signed ? kAny : number(0);
  const uint32_t high = ~(~0u >> by);
  return {a.zeros >> by | (is_signed ? 0 : high), a.ones >> by};
}

// Bit by bit: known where the table gives the same for all that the sources' bits may be.
KnownWord by_table(unsigned lut, KnownWord a, KnownWord b, KnownWord c) {
  KnownWord out{~0u, ~0u};
  for (unsigned n = 0; n < 8; n++) {
    const uint32_t may = (n & 4 ? ~a.zeros : ~a.ones) & (n & 2 ? ~b.zeros : ~b.ones) & (n & 1 ? ~c.zeros : ~c.ones);
    (lut >> n & 1 ? out.zeros : out.ones) &= ~may;
  }
  return out;
}

KnownWord logic(isa::LogicOp op, KnownWord a, KnownWord b) {
  switch (op) {
    case isa::LogicOp::And: return {a.zeros | b.zeros, a.ones & b.ones};
    case isa::LogicOp::Or: return {a.zeros & b.zeros, a.ones | b.ones};
    case isa::LogicOp::Xor: return by_table(0x3c, a, b, number(0));
    case isa::LogicOp::Andn: return {a.zeros | b.ones, a.ones & b.zeros};
  }
  return kAny;
}

}  // namespace

KnownBits::KnownBits(const mir::Function& f, const mir::Units& units, SymbolAlign symbol_align)
    : units_(units),
      symbol_align_(std::move(symbol_align)),
      first_(units.count() + 1),
      unknown_(units.count()),
      value_(units.count(), kNothingYet),
      state_(units.count(), State::New) {
  std::vector<Write> all;
  mir::Accesses a;
  for (const mir::Block& b : f.blocks)
    for (const Instruction& i : b.body) {
      if (i.dst.is_reg() && i.pseudo != Pseudo::Call) {
        const Unit u = units.of(i.dst);
        for (unsigned n = 0; n < i.dst.count; n++) all.push_back({u + n, &i});
      } else if (i.pseudo == Pseudo::Call) {
        a.collect(f, units, i);
        for (const mir::UnitRange& w : a.writes)
          for (unsigned n = 0; n < w.count; n++) unknown_[w.first + n] = 1;
      }
    }
  for (const mir::AbiValue& p : f.params)
    if (p.value.is_reg())
      for (unsigned n = 0; n < p.value.count; n++) unknown_[units.of(p.value) + n] = 1;
  for (Unit u = 0; u < mir::kMachineUnits; u++) unknown_[u] = 1;
  // By unit, in the program's order.
  for (const Write& w : all) first_[w.unit + 1]++;
  for (Unit u = 0; u < units.count(); u++) first_[u + 1] += first_[u];
  writes_.resize(all.size());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (const Write& w : all) writes_[next[w.unit]++] = w;
}

KnownWord KnownBits::word(const Operand& o, unsigned n) {
  if (o.is_reg() && n < o.count) solve(units_.of(o) + n);
  return of(o, n);
}

KnownWord KnownBits::of(const Operand& o, unsigned n) const {
  switch (o.kind) {
    case Operand::Kind::None: return number(0);
    case Operand::Kind::Reg: return n < o.count ? value_[units_.of(o) + n] : kAny;
    case Operand::Kind::Imm: return number(static_cast<uint32_t>(o.imm >> (n == 0 ? 0 : 32)));
    case Operand::Kind::Symbol: {
      if (o.part() != mir::SymbolPart::Lo || n != 0) return kAny;
      const uint32_t align = symbol_align_ ? symbol_align_(o.id) : 1;
      return sum({align - 1, 0}, number(static_cast<uint32_t>(o.imm)));
    }
    default: return kAny;
  }
}

KnownWord KnownBits::written(const Write& w) const { return result(*w.by, w.unit - units_.of(w.by->dst)); }

// Of word n; nothing yet while one of the sources has none. Of sums, products and shifts of 64 bits the lower word is
// as if the upper were not there.
KnownWord KnownBits::result(const Instruction& i, unsigned n) const {
  if (i.pseudo == Pseudo::Copy) return of(i.a, n);
  if (i.pseudo != Pseudo::None || n != 0) return kAny;
  bool nothing = false;
  const auto source = [&](const Operand& o) {
    const KnownWord w = of(o);
    nothing |= w == kNothingYet;
    return w;
  };
  const auto signed_source = [&](const Operand& o, std::string_view negative) {
    const KnownWord w = source(o);
    return i.field(negative) ? negated(w) : w;
  };
  const auto number_b = static_cast<uint32_t>(i.b.imm);
  const uint32_t position = number_b & 0xff, length = number_b >> 8 & 0xff;  // of a field
  KnownWord out;
  switch (i.op) {
    case Opcode::Mov: return of(i.b);
    case Opcode::Sel:
    case Opcode::Imnmx: return common(of(i.a), of(i.b));
    case Opcode::Iadd:
    case Opcode::Iadd64:
      if (i.p.present() || i.p.negated || i.field("sat")) return kAny;
      out = sum(signed_source(i.a, "neg_a"), signed_source(i.b, "neg_b"));
      break;
    case Opcode::Iadd3: out = sum(sum(signed_source(i.a, "neg_a"), signed_source(i.b, "neg_b")), source(i.c)); break;
    case Opcode::Imad:
    case Opcode::ImadWide:
      if (i.op == Opcode::Imad && i.field("hi")) return kAny;
      out = sum(product(source(i.a), source(i.b)), source(i.c));
      break;
    case Opcode::Lop: out = logic(static_cast<isa::LogicOp>(i.field("op")), source(i.a), source(i.b)); break;
    case Opcode::Lop3: out = by_table(i.field("lut"), source(i.a), source(i.b), source(i.c)); break;
    case Opcode::Shl:
    case Opcode::Shl64:
      if (!i.b.is_imm()) return kAny;
      out = shifted_left(source(i.a), number_b);
      break;
    case Opcode::Shr:
      if (!i.b.is_imm()) return kAny;
      out = shifted_right(source(i.a), number_b, i.field("sign") != 0);
      break;
    case Opcode::Bfe: {
      if (!i.b.is_imm() || i.field("sign")) return kAny;
      const KnownWord field = shifted_right(source(i.a), position, false);
      out = {field.zeros | ~low_mask(length), field.ones & low_mask(length)};
      break;
    }
    case Opcode::Bfi: {
      if (!i.b.is_imm()) return kAny;
      const uint32_t inside = position > 31 ? 0 : low_mask(length) << position;
      const KnownWord field = shifted_left(source(i.a), position), rest = source(i.c);
      out = {(field.zeros & inside) | (rest.zeros & ~inside), (field.ones & inside) | (rest.ones & ~inside)};
      break;
    }
    default: return kAny;
  }
  return nothing ? kNothingYet : out;
}

// From "nothing has come here yet" downwards, over all registers that the one is computed from, until nothing changes.
void KnownBits::solve(Unit unit) {
  if (state_[unit] == State::Solved) return;
  std::vector<Unit> all{unit};
  state_[unit] = State::Open;
  bool small = true;
  const auto need = [&](const Operand& o) {
    if (!o.is_reg()) return;
    for (unsigned n = 0; n < o.count; n++)
      if (const Unit u = units_.of(o) + n; state_[u] == State::New) {
        state_[u] = State::Open;
        all.push_back(u);
      }
  };
  for (size_t n = 0; n < all.size() && small; n++) {
    const Unit u = all[n];
    if (unknown_[u] || first_[u] == first_[u + 1]) {
      value_[u] = kAny;
      continue;
    }
    for (uint32_t w = first_[u]; w < first_[u + 1]; w++) {
      const Instruction& i = *writes_[w].by;
      if (result(i, u - units_.of(i.dst)) == kAny) {
        value_[u] = kAny;  // whatever its sources are
        break;
      }
      need(i.a), need(i.b), need(i.c);
    }
    small = all.size() <= kRegisters;
  }
  bool changed = small;
  for (int round = 0; changed && round < kRounds; round++) {
    changed = false;
    for (size_t n = all.size(); n-- > 0;) {  // sources first, where there is no loop
      const Unit u = all[n];
      KnownWord v = value_[u];
      for (uint32_t w = first_[u]; w < first_[u + 1] && !(v == kAny); w++) v = common(v, written(writes_[w]));
      if (v == value_[u]) continue;
      value_[u] = v;
      changed = true;
    }
  }
  for (const Unit u : all) {
    if (!small || changed) value_[u] = kAny;
    state_[u] = State::Solved;
  }
}

}  // namespace heddle::compiler
