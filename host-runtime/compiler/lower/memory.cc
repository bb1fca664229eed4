// SPDX-License-Identifier: Apache-2.0
// Loads and stores.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {
namespace {

constexpr int kAccessBytes = 16;  // of one machine instruction

size_t elements_at_once(Type type) { return static_cast<size_t>(kAccessBytes / ptx::type_bytes(type)); }

}  // namespace

isa::Scope FunctionLowering::scope_of(const Insn& insn) const {
  if (insn.has("cta")) return isa::Scope::Cta;
  if (insn.has("cluster")) return isa::Scope::Cluster;
  if (insn.has("gpu") || insn.has("gl")) return isa::Scope::Gpu;
  if (insn.has("sys") || insn.has("volatile")) return isa::Scope::Sys;
  return isa::Scope::Gpu;
}

// A device function finds its stack at a multiple of 16.
bool FunctionLowering::over_aligned(const ptx::Variable& variable) const {
  return !out_.is_kernel && variable.align > kStackAlign;
}

// The address of a local variable in a register; one that the stack does not align lies somewhere inside its place.
FunctionLowering::Operand FunctionLowering::local_address(const ptx::Variable& variable, int64_t offset) {
  Operand d = t32();
  if (!over_aligned(variable)) {
    b_.mov(d, mir::frame(frame_of(variable), offset));
    return d;
  }
  b_.mov(d, mir::frame(frame_of(variable), variable.align - kStackAlign));
  d = lop(isa::LogicOp::And, d, mir::imm(-static_cast<int64_t>(variable.align)));
  return offset ? iadd(d, mir::imm(offset)) : d;
}

mir::FrameId FunctionLowering::frame_of(const ptx::Variable& variable) {
  auto it = frames_.find(&variable);
  if (it != frames_.end()) return it->second;
  mir::FrameObject object;
  object.name = variable.name;
  object.size = static_cast<uint32_t>(variable.bytes());
  object.align = std::max<uint32_t>(variable.align, 1);
  if (over_aligned(variable)) {
    if (variable.space == Space::kLocal) object.size += object.align - kStackAlign;
    object.align = kStackAlign;
  }
  out_.frame.push_back(std::move(object));
  return frames_[&variable] = static_cast<mir::FrameId>(out_.frame.size() - 1);
}

FunctionLowering::Address FunctionLowering::address(const Insn& insn, const ptx::Operand& operand) {
  return address(operand, space_of(insn));
}

FunctionLowering::Address FunctionLowering::address(const ptx::Operand& operand, Space space) {
  const ptx::Operand& base = operand.elements[0];
  Address out;
  out.space = space;
  out.offset = mir::imm(operand.offset);
  if (base.ref.kind == ptx::Ref::Kind::kVariable) {
    const ptx::Variable& v = *base.ref.variable;
    out.space = v.space;
    if (v.space == Space::kLocal) {
      out.base = over_aligned(v) ? local_address(v, 0) : mir::frame(frame_of(v));
      return out;
    }
    if (v.space == Space::kConst) {
      out.offset = mir::symbol(program_.symbol_of(module_, v, base.loc), operand.offset, mir::SymbolPart::Space);
      return out;
    }
    Operand whole = address_of(v, operand.offset, base.loc);
    out.base = v.space == Space::kShared || v.space == Space::kParam ? whole.word(0) : whole;
    out.offset = mir::imm(0);
    return out;
  }
  bool windowed = out.space == Space::kShared || out.space == Space::kLocal || out.space == Space::kParam ||
                  out.space == Space::kConst;
  if (base.is_register()) {
    Operand r = reg(base.ref.index);
    out.base = windowed && r.count == 2 ? r.word(0) : r;
    if (!windowed && r.count == 1) out.base = pair(r, mir::imm(0));
    return out;
  }
  // [imm]
  if (!windowed) {
    out.base = in_register64(out.offset);
    out.offset = mir::imm(0);
  }
  return out;
}

// The address as one operand, for instructions without an offset field.
FunctionLowering::Operand FunctionLowering::place_of(const Address& where) {
  if (where.base.is_none()) return where.offset;
  if (where.offset.is_imm(0)) return where.base;
  return where.space == Space::kShared ? iadd(in_register(where.base), where.offset) : add64(where.base, where.offset);
}

// The operands of {a, b}, or the one operand.
std::span<const ptx::Operand> FunctionLowering::elements(const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::kVector) return operand.elements;
  return {&operand, 1};
}

// ---- loads ----------------------------------------------------------------------------------

void FunctionLowering::lower_ld(const Insn& insn) {
  const ptx::Operand& from = insn.operands[1];
  if (space_of(insn) == Space::kParam) return load_param(insn);
  const std::span<const ptx::Operand> to = elements(insn.operands[0]);
  load(insn, address(insn, from), to);
  if (insn.has("acquire")) fence(scope_of(insn), false);
}

// One access of all elements (several of kAccessBytes), then each element out of its register.
void FunctionLowering::load(const Insn& insn, const Address& from, std::span<const ptx::Operand> to) {
  Type type = insn.type();
  const size_t at_once = elements_at_once(type);
  if (to.size() > at_once) {
    Address piece = from;
    if (from.base.is_reg()) {  // the first access may overwrite it
      piece.base = from.base.count == 2 ? t64() : t32();
      copy(piece.base, from.base);
    }
    for (; !to.empty(); to = to.subspan(at_once), piece.offset.imm += kAccessBytes) {
      load(insn, piece, to.first(at_once));
    }
    return;
  }
  int element = ptx::type_bytes(type), total = element * static_cast<int>(to.size());
  const Op op = load_op(from.space);
  bool single = to.size() == 1;
  bool ordered = is_ordered(insn);
  unsigned words = total > 8 ? 4 : total > 4 ? 2 : 1;
  Operand whole;
  if (single && to[0].is_register() && reg(to[0].ref.index).count == words) {
    whole = reg(to[0].ref.index);
  } else {
    whole = words == 4 ? b_.reg(b_.r128()) : words == 2 ? t64() : t32();
  }
  // What a vector's elements keep where a guard fails goes in and out with it: copies without guard, which cost
  // nothing.
  const auto element_of_whole = [&](size_t i) {
    return element == 8 ? whole.pair(static_cast<unsigned>(i)) : whole.word(static_cast<unsigned>(i));
  };
  const auto goes_through = [&](const ptx::Operand& o) {
    return guard_.present() && !single && element >= 4 && o.is_register() &&
           reg(o.ref.index).count == (element == 8 ? 2 : 1);
  };
  b_.set_guard({});
  for (size_t i = 0; i < to.size(); ++i)
    if (goes_through(to[i])) copy(element_of_whole(i), reg(to[i].ref.index));
  b_.set_guard(guard_);
  const isa::MemSize size = size_of(total, single && ptx::is_signed(type));
  if (op == Op::Ldc) {
    load_constant(whole, from, size);
  } else {
    emit(op, whole, from.base, from.offset)
        .set("size", size)
        .set("cache", cache_of(insn))
        .set("order", ordered ? isa::MemOrder::Relaxed : isa::MemOrder::Weak)
        .set("scope", ordered ? scope_of(insn) : isa::Scope::Cta);
  }
  if (single) {
    if (!to[0].is_register()) return;
    Operand d = reg(to[0].ref.index);
    if (d == whole) return;
    // A wider register: the access has extended to 32 bits already.
    Type loaded = total == 4 ? type : ptx::is_signed(type) ? Type::kS32 : Type::kU32;
    return copy(d, total == 8 ? whole : extend64(whole, loaded));
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_register()) continue;
    Operand d = reg(to[i].ref.index);
    Operand piece;
    if (goes_through(to[i])) {
      b_.set_guard({});
      copy(d, element_of_whole(i));
      b_.set_guard(guard_);
      continue;
    }
    if (element >= 4) {
      piece = element_of_whole(i);
    } else {
      int bit = static_cast<int>(i) * element * 8;
      piece = t32();
      emit(Op::Bfe, piece, whole.word(static_cast<unsigned>(bit / 32)), mir::imm((bit % 32) | element * 8 << 8))
          .set("sign", ptx::is_signed(type));
    }
    Type loaded = element == 4 ? type : ptx::is_signed(type) ? Type::kS32 : Type::kU32;
    copy(d, d.count == 2 && element < 8 ? extend64(piece, loaded) : piece);
  }
}

// LDC's own offset is not negative, and below the bank's size: one base serves all offsets beyond that on its side.
void FunctionLowering::load_constant(Operand d, const Address& from, isa::MemSize size) {
  if (from.offset.is_symbol()) {
    if (from.offset.id != mir::kNone) emit(Op::Ldc, d, from.base, from.offset).set("size", size);
    return;
  }
  constexpr int64_t kReach = mir::kConstBytes / 2;
  const int64_t place = from.offset.imm & (kReach - 1), rest = from.offset.imm - place;
  Operand base = from.base;
  if (rest) base = base.is_none() ? in_register(mir::imm(rest)) : iadd(base, mir::imm(rest));
  emit(Op::Ldc, d, base, mir::constant(mir::kConstBank, static_cast<uint32_t>(place))).set("size", size);
}

// ---- stores ---------------------------------------------------------------------------------

void FunctionLowering::lower_st(const Insn& insn) {
  if (insn.has("async")) return lower_with_bytes(insn);
  if (space_of(insn) == Space::kParam) return store_param(insn);
  std::span<const ptx::Operand> from = elements(insn.operands[1]);
  if (insn.has("release")) fence(scope_of(insn), false);
  Address to = address(insn, insn.operands[0]);
  if (is_wide_swap(insn) && to.space != Space::kLocal)
    return wide_swap(insn, to, {}, {}, src(insn.operands[1], insn.type()));
  const size_t at_once = std::min(from.size(), elements_at_once(insn.type()));
  for (; !from.empty(); from = from.subspan(at_once), to.offset.imm += kAccessBytes) {
    store(insn, to, from.first(at_once));
  }
}

void FunctionLowering::store(const Insn& insn, const Address& to, std::span<const ptx::Operand> from) {
  Type type = insn.type();
  int element = ptx::type_bytes(type), total = element * static_cast<int>(from.size());
  Operand data;
  if (from.size() == 1) {
    data = src(from[0], type);
  } else {
    data = total > 8 ? b_.reg(b_.r128()) : total > 4 ? t64() : t32();
    for (size_t i = 0; i < from.size(); ++i) {
      Operand s = src(from[i], type);
      unsigned at = static_cast<unsigned>(i);
      if (element == 8) {
        copy(data.pair(at), s);
      } else if (element == 4) {
        copy(data.word(at), s);
      } else {
        int bit = static_cast<int>(i) * element * 8;
        Operand word = data.word(static_cast<unsigned>(bit / 32));
        if (bit % 32 == 0) {
          copy(word, s);
        } else {
          emit(Op::Bfi, word, s, mir::imm((bit % 32) | element * 8 << 8), word);
        }
      }
    }
  }
  if (to.space == Space::kConst) return unsupported(insn);
  bool ordered = is_ordered(insn);
  emit(store_op(to.space), {}, to.base, to.offset, data)
      .set("size", size_of(total, false))
      .set("cache", cache_of(insn))
      .set("order", ordered ? isa::MemOrder::Relaxed : isa::MemOrder::Weak)
      .set("scope", ordered ? scope_of(insn) : isa::Scope::Cta);
}

}  // namespace heddle::compiler::lower
