// SPDX-License-Identifier: Apache-2.0
// Loads, stores, parameters, atomics, fences, prefetches.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

using ptx::Space;
using ptx::Type;

Space space_of(const ptx::Instruction& insn) {
  for (std::string_view m : insn.modifiers) {
    if (m.starts_with("shared::")) return Space::kShared;
    if (m.starts_with("param::")) return Space::kParam;
    if (auto space = ptx::space_by_name(m)) return *space;
  }
  return Space::kNone;
}

size_t vector_width(const ptx::Instruction& insn) {
  return insn.has("v2") ? 2 : insn.has("v4") ? 4 : insn.has("v8") ? 8 : 1;
}

isa::MemSize size_of(int bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? isa::MemSize::S8 : isa::MemSize::U8;
    case 2:
      return is_signed ? isa::MemSize::S16 : isa::MemSize::U16;
    case 4:
      return isa::MemSize::B32;
    case 8:
      return isa::MemSize::B64;
    default:
      return isa::MemSize::B128;
  }
}

bool is_ordered(const ptx::Instruction& insn) {
  return insn.has("volatile") || insn.has("relaxed") || insn.has("acquire") ||
         insn.has("release") || insn.has("mmio");
}

isa::CacheOp cache_of(const ptx::Instruction& insn) {
  // What others may write meanwhile must not come from this SM's L1.
  if (is_ordered(insn) && !insn.has("cta")) return isa::CacheOp::Cg;
  if (insn.has("nc")) return isa::CacheOp::Nc;
  if (insn.has("cg")) return isa::CacheOp::Cg;
  if (insn.has("cs")) return isa::CacheOp::Cs;
  if (insn.has("lu")) return isa::CacheOp::Lu;
  if (insn.has("cv") || insn.has("wt")) return isa::CacheOp::Cv;
  return isa::CacheOp::Ca;
}

}  // namespace

isa::Scope FunctionLowering::scope_of(const Insn& insn) const {
  if (insn.has("cta")) return isa::Scope::Cta;
  if (insn.has("cluster")) return isa::Scope::Cluster;
  if (insn.has("gpu") || insn.has("gl")) return isa::Scope::Gpu;
  if (insn.has("sys") || insn.has("volatile")) return isa::Scope::Sys;
  return isa::Scope::Gpu;
}

mir::FrameId FunctionLowering::frame_of(const ptx::Variable& variable) {
  auto it = frames_.find(&variable);
  if (it != frames_.end()) return it->second;
  mir::FrameObject object;
  object.name = variable.name;
  object.size = static_cast<uint32_t>(variable.bytes());
  object.align = std::max<uint32_t>(variable.align, 1);
  out_.frame.push_back(std::move(object));
  return frames_[&variable] = static_cast<mir::FrameId>(out_.frame.size() - 1);
}

FunctionLowering::Address FunctionLowering::address(const Insn& insn, const ptx::Operand& operand) {
  const ptx::Operand& base = operand.elements[0];
  Address out;
  out.space = space_of(insn);
  out.offset = mir::imm(operand.offset);
  if (base.ref.kind == ptx::Ref::Kind::kVariable) {
    const ptx::Variable& v = *base.ref.variable;
    out.space = v.space;
    if (v.space == Space::kLocal) {
      out.base = mir::frame(frame_of(v));
      return out;
    }
    Operand whole = address_of(v, operand.offset, base.loc);
    out.base = v.space == Space::kShared || v.space == Space::kParam ? whole.word(0) : whole;
    out.offset = mir::imm(0);
    return out;
  }
  bool windowed =
      out.space == Space::kShared || out.space == Space::kLocal || out.space == Space::kParam;
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

// The operands of {a, b}, the parts of a vector register, or the one operand.
std::vector<ptx::Operand> FunctionLowering::elements(const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::kVector) return operand.elements;
  std::vector<ptx::Operand> out(1, operand);
  if (!operand.is_register() || operand.ref.component <= 1) return out;
  out.assign(operand.ref.component, operand);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].ref.component = 0;
    out[i].ref.index += static_cast<uint32_t>(i);
  }
  return out;
}

// ---- loads ----------------------------------------------------------------------------------

void FunctionLowering::lower_ld(const Insn& insn) {
  if (insn.has("v8") || insn.has("b128")) return unsupported(insn);
  const ptx::Operand& from = insn.operands[1];
  const ptx::Operand& base = from.elements[0];
  if (space_of(insn) == Space::kParam) return load_param(insn);
  const std::vector<ptx::Operand> to = elements(insn.operands[0]);
  if (to.size() != vector_width(insn)) return unsupported(insn);
  if (base.ref.kind == ptx::Ref::Kind::kVariable && base.ref.variable->space == Space::kConst &&
      to.size() == 1 && to[0].is_register()) {
    // A constant at a known place comes from the constant bank.
    int bytes = ptx::type_bytes(insn.type());
    Operand d = reg(to[0].ref.index);
    Operand loaded = bytes == 8 || d.count == 1 ? d : t32();
    mir::SymbolId symbol = program_.symbol_of(module_, *base.ref.variable, base.loc);
    if (symbol == mir::kNone) return;
    emit(Op::Ldc, loaded, {}, mir::symbol(symbol, from.offset, mir::SymbolPart::Space))
        .set("size", size_of(bytes, ptx::is_signed(insn.type())));
    if (!(loaded == d)) {
      copy(d, extend64(loaded, ptx::is_signed(insn.type()) ? Type::kS32 : Type::kU32));
    }
    return;
  }
  load(insn, address(insn, from), to);
  if (insn.has("acquire")) fence(scope_of(insn), false);
}

// One access of all elements, then each element out of its register.
void FunctionLowering::load(const Insn& insn, const Address& from,
                            std::span<const ptx::Operand> to) {
  Type type = insn.type();
  int element = ptx::type_bytes(type), total = element * static_cast<int>(to.size());
  if (total > 16) return unsupported(insn);
  Op op = Op::Ld;
  switch (from.space) {
    case Space::kGlobal:
    case Space::kConst:
      op = Op::Ldg;
      break;
    case Space::kShared:
      op = Op::Lds;
      break;
    case Space::kLocal:
    case Space::kParam:
      op = Op::Ldl;
      break;
    default:
      break;
  }
  bool single = to.size() == 1;
  bool ordered = is_ordered(insn);
  unsigned words = total > 8 ? 4 : total > 4 ? 2 : 1;
  Operand whole;
  if (single && to[0].is_register() && reg(to[0].ref.index).count == words) {
    whole = reg(to[0].ref.index);
  } else {
    whole = words == 4 ? b_.reg(b_.r128()) : words == 2 ? t64() : t32();
  }
  emit(op, whole, from.base, from.offset)
      .set("size", size_of(total, single && ptx::is_signed(type)))
      .set("cache", cache_of(insn))
      .set("order", ordered ? isa::MemOrder::Relaxed : isa::MemOrder::Weak)
      .set("scope", ordered ? scope_of(insn) : isa::Scope::Cta);
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
    if (element == 8) {
      piece = whole.pair(static_cast<unsigned>(i));
    } else if (element == 4) {
      piece = whole.word(static_cast<unsigned>(i));
    } else {
      int bit = static_cast<int>(i) * element * 8;
      piece = t32();
      emit(Op::Bfe, piece, whole.word(static_cast<unsigned>(bit / 32)),
           mir::imm((bit % 32) | element * 8 << 8))
          .set("sign", ptx::is_signed(type));
    }
    Type loaded = element == 4 ? type : ptx::is_signed(type) ? Type::kS32 : Type::kU32;
    copy(d, d.count == 2 && element < 8 ? extend64(piece, loaded) : piece);
  }
}

// ---- stores ---------------------------------------------------------------------------------

void FunctionLowering::lower_st(const Insn& insn) {
  if (insn.has("v8") || insn.has("b128")) return unsupported(insn);
  Type type = insn.type();
  if (space_of(insn) == Space::kParam) return store_param(insn);
  const std::vector<ptx::Operand> from = elements(insn.operands[1]);
  int element = ptx::type_bytes(type), total = element * static_cast<int>(from.size());
  if (total > 16 || from.size() != vector_width(insn)) return unsupported(insn);
  if (insn.has("release")) fence(scope_of(insn), false);

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
  Address to = address(insn, insn.operands[0]);
  Op op = Op::St;
  switch (to.space) {
    case Space::kGlobal:
      op = Op::Stg;
      break;
    case Space::kShared:
      op = Op::Sts;
      break;
    case Space::kLocal:
    case Space::kParam:
      op = Op::Stl;
      break;
    case Space::kConst:
      return unsupported(insn);
    default:
      break;
  }
  bool ordered = is_ordered(insn);
  emit(op, {}, to.base, to.offset, data)
      .set("size", size_of(total, false))
      .set("cache", cache_of(insn))
      .set("order", ordered ? isa::MemOrder::Relaxed : isa::MemOrder::Weak)
      .set("scope", ordered ? scope_of(insn) : isa::Scope::Cta);
}

// ---- parameters -----------------------------------------------------------------------------

void FunctionLowering::load_param(const Insn& insn) {
  Type type = insn.type();
  const ptx::Operand& from = insn.operands[1];
  const ptx::Operand& base = from.elements[0];
  const std::vector<ptx::Operand> to = elements(insn.operands[0]);
  if (to.size() != vector_width(insn)) return unsupported(insn);
  int element = ptx::type_bytes(type);

  if (base.ref.kind != ptx::Ref::Kind::kVariable) {
    // An address computed from a parameter's.
    Address address = this->address(insn, from);
    if (!function_.is_entry) return load(insn, address, to);
    if (to.size() != 1 || !to[0].is_register()) return unsupported(insn);
    Operand d = reg(to[0].ref.index);
    Operand loaded = d.count * 4 == static_cast<unsigned>(element) || element < 4 ? d : t32();
    if (d.count == 2 && element < 8) loaded = t32();
    emit(Op::Ldc, loaded, iadd(in_register(address.base), address.offset),
         mir::constant(mir::kParamBank, 0))
        .set("size", size_of(element, ptx::is_signed(type)));
    if (!(loaded == d)) {
      copy(d, extend64(loaded, ptx::is_signed(type) ? Type::kS32 : Type::kU32));
    }
    return;
  }
  const ptx::Variable& v = *base.ref.variable;
  auto kernel = param_offsets_.find(&v);
  Operand value;
  if (kernel == param_offsets_.end()) {
    value = abi_value(v).value;
    if (value.is_frame()) {
      Address address{mir::frame(value.id), mir::imm(from.offset), Space::kLocal};
      return load(insn, address, to);
    }
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_register()) continue;
    Operand d = reg(to[i].ref.index);
    int64_t offset = from.offset + static_cast<int64_t>(i) * element;
    bool inside = offset >= 0 && offset + element <= static_cast<int64_t>(v.bytes());
    if (!inside || offset % element != 0) {
      if (offset < 0 || offset % std::min(element, 4) != 0 || !inside) {
        return error(from.loc, "Access outside or across parameter '" + std::string(v.name) + "'");
      }
    }
    Operand piece;
    if (kernel != param_offsets_.end()) {
      uint32_t at = kernel->second + static_cast<uint32_t>(offset);
      if (element == 8) {
        b_.mov(d.word(0), mir::constant(mir::kParamBank, at));
        b_.mov(d.word(1), mir::constant(mir::kParamBank, at + 4));
        continue;
      }
      piece = d.count == 1 && element == 4 ? d : t32();
      b_.mov(piece, mir::constant(mir::kParamBank, at & ~3u));
      if (element < 4) {
        Operand part = t32();
        emit(Op::Bfe, part, piece, mir::imm((at & 3) * 8 | element * 8 << 8))
            .set("sign", ptx::is_signed(type));
        piece = part;
      }
      if (piece == d) continue;
    } else {
      piece = param_piece(value, static_cast<uint32_t>(offset), type);
    }
    Type loaded = element < 4 ? (ptx::is_signed(type) ? Type::kS32 : Type::kU32) : type;
    copy(d, d.count == 2 && element < 8 ? extend64(piece, loaded) : piece);
  }
}

// `type` at byte `offset` of a parameter that lives in a register, extended to 32 bits.
FunctionLowering::Operand FunctionLowering::param_piece(const Operand& value, uint32_t offset,
                                                        Type type) {
  int bytes = ptx::type_bytes(type);
  if (bytes == 8) return value;
  Operand word = value.word(offset / 4);
  if (bytes == 4) return word;
  Operand d = t32();
  emit(Op::Bfe, d, word, mir::imm((offset & 3) * 8 | bytes * 8 << 8))
      .set("sign", ptx::is_signed(type));
  return d;
}

void FunctionLowering::store_param(const Insn& insn) {
  Type type = insn.type();
  const ptx::Operand& to = insn.operands[0];
  const ptx::Operand& base = to.elements[0];
  const std::vector<ptx::Operand> from = elements(insn.operands[1]);
  if (base.ref.kind != ptx::Ref::Kind::kVariable || from.size() != vector_width(insn)) {
    return unsupported(insn);
  }
  const ptx::Variable& v = *base.ref.variable;
  Operand value = abi_value(v).value;
  int element = ptx::type_bytes(type);
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t offset = to.offset + static_cast<int64_t>(i) * element;
    if (offset < 0 || offset + element > static_cast<int64_t>(v.bytes())) {
      return error(to.loc, "Access outside parameter '" + std::string(v.name) + "'");
    }
    Operand s = src(from[i], type);
    if (value.is_frame()) {
      emit(Op::Stl, {}, mir::frame(value.id), mir::imm(offset), s)
          .set("size", size_of(element, false));
    } else if (element == 8) {
      copy(value, s);
    } else if (element == 4 || static_cast<int64_t>(v.bytes()) == element) {
      copy(value.word(static_cast<unsigned>(offset / 4)), s);
    } else {
      Operand word = value.word(static_cast<unsigned>(offset / 4));
      emit(Op::Bfi, word, in_register(s), mir::imm((offset & 3) * 8 | element * 8 << 8), word);
    }
  }
}

// ---- atomics --------------------------------------------------------------------------------

void FunctionLowering::lower_atom(const Insn& insn) {
  Type type = insn.type();
  bool reduction = insn.opcode == "red";
  struct Row {
    std::string_view name;
    isa::AtomOp op;
  };
  static constexpr Row kOps[] = {{"add", isa::AtomOp::Add},   {"min", isa::AtomOp::Min},
                                 {"max", isa::AtomOp::Max},   {"inc", isa::AtomOp::Inc},
                                 {"dec", isa::AtomOp::Dec},   {"and", isa::AtomOp::And},
                                 {"or", isa::AtomOp::Or},     {"xor", isa::AtomOp::Xor},
                                 {"exch", isa::AtomOp::Exch}, {"cas", isa::AtomOp::Cas}};
  const Row* row = nullptr;
  for (const Row& r : kOps) {
    if (insn.has(r.name)) row = &r;
  }
  int bits = ptx::type_bits(type);
  bool plain = !ptx::is_float(type) || type == Type::kF32;
  if (!row || (bits != 32 && bits != 64) || !plain || insn.has("noftz")) return unsupported(insn);
  bool cas = row->op == isa::AtomOp::Cas;

  size_t at = reduction ? 0 : 1;
  Address where = address(insn, insn.operands[at]);
  Op op = where.space == Space::kGlobal   ? Op::Atomg
          : where.space == Space::kShared ? Op::Atoms
                                          : Op::Atom;
  // Atomics have no offset field.
  Operand base = where.base;
  if (where.offset.is_imm() && !where.offset.is_imm(0)) {
    base = op == Op::Atoms ? (base.is_none() ? in_register(where.offset) : iadd(base, where.offset))
                           : add64(base, where.offset);
  }
  bool release = insn.has("release") || insn.has("acq_rel");
  bool acquire = insn.has("acquire") || insn.has("acq_rel");
  if (release) fence(scope_of(insn), false);
  Operand b = src(insn.operands[at + 1], type);
  Operand c = cas ? src(insn.operands[at + 2], type) : Operand{};
  if (bits == 64) {
    b = in_register64(b);
    if (cas) c = in_register64(c);
  }
  Operand d = reduction ? Operand{} : dst(insn.operands[0], type);
  isa::AtomType kind = type == Type::kF32     ? isa::AtomType::F32
                       : ptx::is_signed(type) ? isa::AtomType::S
                                              : isa::AtomType::U;
  emit(op, d, base, b, c)
      .set("size", bits == 64 ? isa::MemSize::B64 : isa::MemSize::B32)
      .set("op", row->op)
      .set("type", kind)
      .set("order", isa::MemOrder::Relaxed)
      .set("scope", scope_of(insn));
  if (acquire) fence(scope_of(insn), false);
}

// ---- fences, prefetch -----------------------------------------------------------------------

void FunctionLowering::fence(isa::Scope scope, bool sc) {
  emit(Op::Membar, {}).set("scope", scope).set("sc", sc);
}

void FunctionLowering::lower_fence(const Insn& insn) {
  if (insn.has("proxy") || insn.has("mbarrier_init") || insn.has("sync_restrict") ||
      insn.modifiers.empty()) {
    return unsupported(insn);
  }
  // membar is the strong fence; fence without .sc orders acquire and release only.
  fence(scope_of(insn), insn.has("sc") || insn.opcode == "membar");
}

void FunctionLowering::lower_prefetch(const Insn& insn) {
  if (insn.operands.size() != 1 || insn.operands[0].kind != ptx::Operand::Kind::kAddress ||
      insn.has("tensormap")) {
    return unsupported(insn);
  }
  // A hint: local memory is this thread's own and needs none.
  if (insn.has("local")) return;
  Address where = address(insn, insn.operands[0]);
  bool l2 = !insn.has("L1");
  emit(Op::Cctl, {}, where.base, where.offset)
      .set("op", l2 ? isa::CctlOp::PrefetchL2 : isa::CctlOp::Prefetch);
}

}  // namespace heddle::compiler::lower
