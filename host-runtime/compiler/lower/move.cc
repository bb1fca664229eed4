// SPDX-License-Identifier: Apache-2.0
// mov, addresses of symbols, generic addresses, special registers, the stack.
//
// Addresses within a space, as PTX registers hold them: global variables: the device address itself,
// so that it is also the generic one; shared and local: the offset, high word 0; const variables: the
// offset in the constant bank; a kernel's parameters: the offset in the parameter bank; a function's
// parameters and the parameters of calls: local addresses.
//
// Bits 31:24 of a shared address are 0 in the block's own memory, r + 1 in that of the cluster's block of rank r. Where
// a program uses clusters, generic addresses of the own memory have the own rank, for they mean the same to all blocks;
// addresses within the space stay plain, which is as good for whoever uses them here, and mapa gives them their rank.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {
namespace {

constexpr unsigned kRankBit = 24;  // of a shared address

}  // namespace

void FunctionLowering::lower_mov(const Insn& insn) {
  Type type = insn.type();
  const ptx::Operand& to = insn.operands[0];
  const ptx::Operand& from = insn.operands[1];
  if (type == Type::kPred) {
    if (from.ref.kind == ptx::Ref::Kind::kSpecial) {
      emit(Op::Isetp, {}, src(from, Type::kU32), mir::imm(0)).set("cmp", isa::ICmp::Ne).pd(pred_dst(to));
      return;
    }
    if (!from.is_register() && !from.is_int()) return unsupported(insn);
    b_.copy_pred(pred_dst(to), pred(from));
    return;
  }
  // A constant under a guard, nobody else writes the register: where the guard is false it holds anything, so this too.
  // Public programs rely on silicon's compiler doing so (an inline `@p mov %0, 1` whose operand is an output only).
  const bool constant = from.kind == ptx::Operand::Kind::kInt || from.kind == ptx::Operand::Kind::kFloat;
  if (constant && to.is_register() && writers_[to.ref.index].writes == 1) b_.set_guard({});
  if (vector_width(insn) > 1) return mov_elements(insn);
  if (to.kind == ptx::Operand::Kind::kVector || from.kind == ptx::Operand::Kind::kVector) {
    return mov_vector(insn);
  }
  Operand d = dst(to, type);
  if (from.kind != ptx::Operand::Kind::kName || from.is_register()) {
    return copy(d, src(from, type));
  }
  switch (from.ref.kind) {
    case ptx::Ref::Kind::kSpecial: return mov_special(d, from, type);
    case ptx::Ref::Kind::kVariable: {
      Operand address = address_of(*from.ref.variable, from.offset, from.loc);
      return copy(d, d.count == 2 ? address : address.word(0));
    }
    case ptx::Ref::Kind::kFunction: {
      mir::SymbolId symbol = program_.symbol_of(module_, *from.ref.function, from.loc);
      if (symbol == mir::kNone) return;
      b_.mov(d.word(0), mir::symbol(symbol, from.offset, mir::SymbolPart::Lo));
      return copy(d.word(1), mir::imm(0));
    }
    default: return unsupported(insn);
  }
}

// mov.v2 {a, b}, {c, d}: all sources are read before the first is written.
void FunctionLowering::mov_elements(const Insn& insn) {
  Type type = insn.type();
  std::vector<Operand> values;
  for (const ptx::Operand& operand : elements(insn.operands[1])) {
    values.push_back(ptx::type_bits(type) == 64 ? t64() : t32());
    if (operand.ref.kind == ptx::Ref::Kind::kSpecial) mov_special(values.back(), operand, type);
    else copy(values.back(), src(operand, type));
  }
  const std::span<const ptx::Operand> to = elements(insn.operands[0]);
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].is_register()) copy(dst(to[i], type), values[i]);
  }
}

namespace {

Type bits_type(int bits) {
  return bits == 64 ? Type::kB64 : bits == 32 ? Type::kB32 : bits == 16 ? Type::kB16 : Type::kB8;
}

}  // namespace

// {a, b} = c, c = {a, b}, {a, b} = {c, d, e, f}: elements of 8, 16, 32 or 64 bits.
void FunctionLowering::mov_vector(const Insn& insn) {
  const ptx::Operand& to = insn.operands[0];
  const ptx::Operand& from = insn.operands[1];
  Type type = insn.type();
  for (const ptx::Operand* side : {&to, &from}) {
    if (side->kind != ptx::Operand::Kind::kVector) continue;
    const size_t bits = static_cast<size_t>(ptx::type_bits(type)) / side->elements.size();
    if (bits != 64 && bits != 32 && bits != 16 && bits != 8) return unsupported(insn);
  }
  Operand whole = src_whole(from, type);
  if (to.kind != ptx::Operand::Kind::kVector) return copy(dst(to, type), whole);
  const int bits = ptx::type_bits(type) / static_cast<int>(to.elements.size());
  const Type element = bits_type(bits);
  for (unsigned i = 0; i < to.elements.size(); ++i) {
    if (to.elements[i].kind == ptx::Operand::Kind::kSink) continue;
    Operand d = dst(to.elements[i], element);
    if (bits == 64) {
      copy(d, whole.pair(i));
    } else if (bits == 32) {
      copy(d, word(whole, i));
    } else if (bits == 8) {
      emit(Op::Bfe, d, word(whole, i / 4), mir::imm(i % 4 * 8 | 8 << 8));
    } else if (i % 2 == 0) {
      copy(d, word(whole, i / 2));  // the upper half of a 16-bit value is anything
    } else {
      emit(Op::Shr, d, word(whole, i / 2), mir::imm(16));
    }
  }
}

// The source as one value; of {a, b} a fresh one, for the destination may be one of the elements.
FunctionLowering::Operand FunctionLowering::src_whole(const ptx::Operand& operand, Type type) {
  if (operand.kind != ptx::Operand::Kind::kVector) return src(operand, type);
  const int all = ptx::type_bits(type), bits = all / static_cast<int>(operand.elements.size());
  const Type element = bits_type(bits);
  Operand whole = all == 128 ? b_.reg(b_.r128()) : all == 64 ? t64() : t32();
  for (unsigned i = 0; i < operand.elements.size(); ++i) {
    Operand s = src(operand.elements[i], element);
    if (bits == 64) {
      copy(whole.pair(i), s);
    } else if (bits == 32) {
      copy(whole.word(i), s);
    } else if (bits == 8) {
      Operand word = whole.word(i / 4);
      if (i % 4 == 0) copy(word, s);
      else emit(Op::Bfi, word, in_register(s), mir::imm(i % 4 * 8 | 8 << 8), word);
    } else if (i % 2 == 1) {
      Operand low = src(operand.elements[i - 1], element);
      emit(Op::Prmt, whole.word(i / 2), low, mir::imm(0x5410), s);
    }
  }
  return whole;
}

void FunctionLowering::mov_special(Operand d, const ptx::Operand& operand, Type type) {
  using S = ptx::SpecialRegister;
  using R = isa::SpecialReg;
  unsigned component = operand.ref.component;
  auto read = [&](R id) {
    emit(Op::S2r, d.word(0), {}, mir::imm(static_cast<int>(id)));
    if (d.count == 2) copy(d.word(1), mir::imm(0));
  };
  auto read_vector = [&](R x) {
    if (component < 3) return read(static_cast<R>(static_cast<int>(x) + component));
    copy(d, mir::imm(0));  // .w
  };
  // How many clusters the blocks that the register counts make.
  auto read_in_clusters = [&](R blocks) {
    if (component == 3) return copy(d, mir::imm(0));
    Operand count = t32(), cluster = t32(), clusters;
    emit(Op::S2r, count, {}, mir::imm(static_cast<int>(blocks) + static_cast<int>(component)));
    emit(Op::S2r, cluster, {}, mir::imm(static_cast<int>(R::ClusterNctaidX) + static_cast<int>(component)));
    udivrem32(count, cluster, &clusters, nullptr);
    copy(d.word(0), clusters);
    if (d.count == 2) copy(d.word(1), mir::imm(0));
  };
  auto read64 = [&](R low) {
    if (ptx::type_bits(type) == 64) {
      emit(Op::S2r64, d, {}, mir::imm(static_cast<int>(low)));
    } else {
      read(low);
    }
  };
  switch (static_cast<S>(operand.ref.index)) {
    case S::kTid: return read_vector(R::TidX);
    case S::kNtid: return read_vector(R::NtidX);
    case S::kCtaid: return read_vector(R::CtaidX);
    case S::kNctaid: return read_vector(R::NctaidX);
    case S::kLaneId: return read(R::LaneId);
    case S::kWarpId: return read(R::WarpId);
    case S::kNwarpId: return read(R::NWarpId);
    case S::kSmId: return read(R::SmId);
    case S::kNsmId: return read(R::NSmId);
    case S::kGridId: return read(R::GridId);
    case S::kLanemaskEq: return read(R::LanemaskEq);
    case S::kLanemaskLt: return read(R::LanemaskLt);
    case S::kLanemaskLe: return read(R::LanemaskLe);
    case S::kLanemaskGt: return read(R::LanemaskGt);
    case S::kLanemaskGe: return read(R::LanemaskGe);
    case S::kClock: return read(R::Clock);
    case S::kClockHi: return read(R::ClockHi);
    case S::kClock64: return read64(R::Clock);
    case S::kGlobaltimer: return read64(R::GlobaltimerLo);
    case S::kGlobaltimerLo: return read(R::GlobaltimerLo);
    case S::kGlobaltimerHi: return read(R::GlobaltimerHi);
    case S::kTotalSmemSize: return read(R::TotalSmemSize);
    case S::kDynamicSmemSize: return read(R::DynSmemSize);
    case S::kEnvreg:  // 1 and 2: upper and lower half of the address of a cooperative launch's workspace; the others:
                      // nothing
      if (component == 1) return read(R::Envreg1);
      if (component == 2) return read(R::Envreg0);
      return copy(d, mir::imm(0));
    case S::kReservedSmem:
      if (component == 2) return copy(d, mir::imm(Program::kReservedShared));
      b_.mov(d.word(0),
             mir::symbol(program_.reserved_shared(), component * Program::kReservedShared, mir::SymbolPart::Space));
      if (d.count == 2) copy(d.word(1), mir::imm(0));
      return;
    case S::kZero: return copy(d, mir::imm(0));
    case S::kClusterid: return read_in_clusters(R::CtaidX);
    case S::kNclusterid: return read_in_clusters(R::NctaidX);
    case S::kClusterCtaid: return read_vector(R::ClusterCtaidX);
    case S::kClusterNctaid: return read_vector(R::ClusterNctaidX);
    case S::kClusterCtarank: return read(R::ClusterCtaRank);
    case S::kClusterNctarank: return read(R::ClusterNctaRank);
    case S::kIsExplicitCluster: return read(R::ClusterExplicit);
  }
}

// ---- addresses ------------------------------------------------------------------------------

FunctionLowering::Operand FunctionLowering::address_of(const ptx::Variable& variable, int64_t offset, ptx::Loc use) {
  Operand d = t64();
  if (variable.space == ptx::Space::kLocal) {
    copy(d.word(0), local_address(variable, offset));
    copy(d.word(1), mir::imm(0));
    return d;
  }
  if (variable.space == ptx::Space::kParam) {
    auto kernel = param_offsets_.find(&variable);
    if (kernel != param_offsets_.end()) {
      b_.mov64(d, static_cast<uint64_t>(kernel->second + offset));
      return d;
    }
    Operand value = abi_value(variable).value;
    if (!value.is_frame()) {
      error(use,
            "The address of scalar parameter '" + std::string(variable.name) + "' is not supported by this version");
      return d;
    }
    b_.mov(d.word(0), mir::frame(value.id, offset));
    copy(d.word(1), mir::imm(0));
    return d;
  }
  mir::SymbolId symbol = program_.symbol_of(module_, variable, use);
  if (symbol == mir::kNone) return d;
  if (variable.space == ptx::Space::kShared || variable.space == ptx::Space::kConst) {
    b_.mov(d.word(0), mir::symbol(symbol, offset, mir::SymbolPart::Space));
    copy(d.word(1), mir::imm(0));
  } else {
    b_.mov(d.word(0), mir::symbol(symbol, offset, mir::SymbolPart::Lo));
    b_.mov(d.word(1), mir::symbol(symbol, offset, mir::SymbolPart::Hi));
  }
  return d;
}

FunctionLowering::Operand FunctionLowering::generic_address(Operand address, ptx::Space space) {
  if (space == ptx::Space::kShared) {
    Operand low = word(address, 0);
    return pair(program_.clusters() ? own_shared_address(low) : low, mir::imm(isa::kSharedWindow));
  }
  if (space == ptx::Space::kLocal || (space == ptx::Space::kParam && !function_.is_entry)) {
    return pair(word(address, 0), mir::imm(isa::kLocalWindow));
  }
  if (space == ptx::Space::kParam) return add64(address_of(program_.parameter_bank()), address);
  if (space == ptx::Space::kConst) return add64(constants_address(), address);
  return address;
}

// The device address of the constant bank.
FunctionLowering::Operand FunctionLowering::constants_address() { return address_of(program_.constant_bank()); }

FunctionLowering::Operand FunctionLowering::address_of(mir::SymbolId variable) {
  Operand d = t64();
  b_.mov(d.word(0), mir::symbol(variable, 0, mir::SymbolPart::Lo));
  b_.mov(d.word(1), mir::symbol(variable, 0, mir::SymbolPart::Hi));
  return d;
}

void FunctionLowering::lower_cvta(const Insn& insn) {
  ptx::Space space = space_of(insn);
  if (space == ptx::Space::kNone || ptx::type_bits(insn.type()) != 64) return unsupported(insn);
  Operand d = dst(insn.operands[0], Type::kB64);
  const ptx::Operand& from = insn.operands[1];
  bool symbol = from.ref.kind == ptx::Ref::Kind::kVariable;
  Operand a = symbol ? address_of(*from.ref.variable, from.offset, from.loc) : src(from, Type::kB64);
  if (!insn.has("to")) return copy(d, generic_address(a, space));
  if (space == ptx::Space::kShared || space == ptx::Space::kLocal ||
      (space == ptx::Space::kParam && !function_.is_entry)) {
    return copy(d, pair(word(a, 0), mir::imm(0)));
  }
  if (space == ptx::Space::kParam) return copy(d, sub64(a, address_of(program_.parameter_bank())));
  copy(d, space == ptx::Space::kConst ? sub64(a, constants_address()) : a);
}

void FunctionLowering::lower_isspacep(const Insn& insn) {
  ptx::Space space = space_of(insn);
  Operand address = src(insn.operands[1], Type::kB64), high = word(address, 1);
  mir::VReg d = pred_dst(insn.operands[0]);
  auto test = [&](uint32_t window, isa::ICmp cmp, mir::VReg p, Pred with = {}) {
    emit(Op::Isetp, {}, high, mir::imm(window)).set("cmp", cmp).pd(p).p(with);
  };
  if (space == ptx::Space::kShared && program_.clusters() && !insn.has("shared::cluster")) {
    Operand top = shr(word(address, 0), mir::imm(kRankBit), false);
    mir::VReg plain = isetp(isa::ICmp::Eq, false, top, mir::imm(0));
    mir::VReg own = isetp(isa::ICmp::Eq, false, top, own_rank_plus_1(), when(plain), isa::BoolOp::Or);
    test(isa::kSharedWindow, isa::ICmp::Eq, d, when(own));
  } else if (space == ptx::Space::kShared) {
    test(isa::kSharedWindow, isa::ICmp::Eq, d);
  } else if (space == ptx::Space::kLocal) {
    test(isa::kLocalWindow, isa::ICmp::Eq, d);
  } else if (space == ptx::Space::kGlobal) {
    mir::VReg not_shared = tp();
    test(isa::kSharedWindow, isa::ICmp::Ne, not_shared);
    test(isa::kLocalWindow, isa::ICmp::Ne, d, when(not_shared));
  } else if (space == ptx::Space::kConst || space == ptx::Space::kParam) {
    const bool constant = space == ptx::Space::kConst;
    Operand begin = constant ? constants_address() : address_of(program_.parameter_bank());
    Operand offset = sub64(in_register64(address), begin);
    mir::VReg near = isetp(isa::ICmp::Eq, false, offset.word(1), mir::imm(0));
    emit(Op::Isetp, {}, offset.word(0), mir::imm(constant ? mir::kConstBytes : kMaxParamBytes))
        .set("cmp", isa::ICmp::Lt)
        .pd(d)
        .p(when(near));
  } else {
    unsupported(insn);
  }
}

// ---- clusters -------------------------------------------------------------------------------

FunctionLowering::Operand FunctionLowering::own_rank() {
  Operand rank = t32();
  emit(Op::S2r, rank, {}, mir::imm(static_cast<int>(isa::SpecialReg::ClusterCtaRank)));
  return rank;
}

FunctionLowering::Operand FunctionLowering::own_rank_plus_1() { return iadd(own_rank(), mir::imm(1)); }

FunctionLowering::Operand FunctionLowering::in_block(Operand address, Operand rank_plus_1) {
  Operand d = t32();
  emit(Op::Prmt, d, in_register(address), mir::imm(0x4210), rank_plus_1);
  return d;
}

// A plain shared address with the own rank; one that has a rank keeps it.
FunctionLowering::Operand FunctionLowering::own_shared_address(Operand address) {
  Operand low = in_register(address);
  mir::VReg plain = isetp(isa::ICmp::Lt, false, low, mir::imm(1u << kRankBit));
  return select(when(plain), in_block(low, own_rank_plus_1()), low);
}

void FunctionLowering::lower_mapa(const Insn& insn) {
  const Type type = insn.type();
  const ptx::Operand& from = insn.operands[1];
  Operand d = dst(insn.operands[0], type);
  Operand a = from.ref.kind == ptx::Ref::Kind::kVariable ? address_of(*from.ref.variable, from.offset, from.loc)
                                                         : src(from, type);
  Operand low = in_block(word(a, 0), iadd(src(insn.operands[2], Type::kU32), mir::imm(1)));
  if (d.count == 2) copy(d.word(1), word(a, 1));
  copy(d.word(0), low);
}

void FunctionLowering::lower_getctarank(const Insn& insn) {
  const ptx::Operand& from = insn.operands[1];
  Operand d = dst(insn.operands[0], Type::kU32);
  if (from.ref.kind == ptx::Ref::Kind::kVariable) return copy(d, own_rank());
  Operand top = shr(in_register(word(src(from, insn.type()), 0)), mir::imm(kRankBit), false);
  mir::VReg plain = isetp(isa::ICmp::Eq, false, top, mir::imm(0));
  copy(d, select(when(plain), own_rank(), isub(top, mir::imm(1))));
}

// ---- stack ----------------------------------------------------------------------------------

// R1 is the stack pointer; the stack grows down. The address is one of local space.
void FunctionLowering::lower_alloca(const Insn& insn) {
  out_.has_alloca = true;
  Type type = insn.type();
  int64_t align = insn.operands.size() > 2 ? static_cast<int64_t>(insn.operands[2].bits) : 8;
  // The pointer itself stays 16-byte aligned; clang also writes alignment 0.
  if (align < 16) align = 16;
  Operand size = word(src(insn.operands[1], type), 0);
  // More than any stack has is as good as 4 GiB, which would come out as nothing.
  constexpr uint32_t kMost = 1u << 30;
  if (!size.is_imm() || size.imm > kMost) {
    Operand limited = t32();
    emit(Op::Imnmx, limited, in_register(size), mir::imm(kMost)).set("max", 0);
    size = limited;
  }
  // The stack grows upward: what is given begins at R1.
  Operand begin = t32();
  b_.copy(begin, mir::phys(1));
  if (align > 16) {
    begin = lop(isa::LogicOp::And, iadd(begin, mir::imm(align - 1)), mir::imm(static_cast<uint32_t>(-align)));
  }
  Operand end = iadd(begin, iadd(size, mir::imm(15)));
  b_.copy(mir::phys(1), lop(isa::LogicOp::And, end, mir::imm(static_cast<uint32_t>(-16))));
  Operand d = dst(insn.operands[0], type);
  copy(d.word(0), begin);
  if (d.count == 2) copy(d.word(1), mir::imm(0));
}

void FunctionLowering::lower_stack(const Insn& insn) {
  out_.has_alloca = true;
  Type type = insn.type();
  if (insn.opcode == "stacksave") {
    Operand d = dst(insn.operands[0], type);
    b_.copy(d.word(0), mir::phys(1));
    if (d.count == 2) copy(d.word(1), mir::imm(0));
  } else {
    b_.copy(mir::phys(1), in_register(word(src(insn.operands[0], type), 0)));
  }
}

}  // namespace heddle::compiler::lower
