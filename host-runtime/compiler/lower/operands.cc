// SPDX-License-Identifier: Apache-2.0
// PTX operands as machine operands, and the small vocabulary that expansions are written in.
#include <bit>

#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

uint64_t float_bits(uint64_t bits, bool is_double, ptx::Type type) {
  bool wide = ptx::type_bits(type) == 64;
  if (is_double == wide) return bits;
  if (wide) {
    // A 32-bit literal in a 64-bit place: its value, where the type is a float's.
    if (!ptx::is_float(type)) return bits;
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
  }
  return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
}

mir::VReg FunctionLowering::vreg(uint32_t ptx_register) {
  mir::VReg& v = vregs_[ptx_register];
  if (v == mir::kNone) {
    Type type = function_.registers[ptx_register];
    int bits = ptx::type_bits(type);
    v = type == Type::kPred ? b_.pred() : bits <= 32 ? b_.r32() : bits == 64 ? b_.r64() : b_.r128();
  }
  return v;
}

FunctionLowering::Operand FunctionLowering::src(const ptx::Operand& operand, Type type) {
  if (operand.is_register()) {
    Operand r = reg(operand.ref.index);
    // ld, st and cvt allow registers wider than the type: its low part is meant.
    unsigned words = ptx::type_bits(type) > 64 ? 4 : ptx::type_bits(type) > 32 ? 2 : 1;
    if (r.count > words) return words == 1 ? r.word(0) : r.pair(0);
    return r;
  }
  if (operand.kind == ptx::Operand::Kind::kInt) {
    int bits = ptx::type_bits(type);
    if (bits >= 64) return mir::imm(static_cast<int64_t>(operand.bits));
    uint64_t mask = (uint64_t{1} << bits) - 1;
    uint64_t value = operand.bits & mask;
    if (ptx::is_signed(type) && (value >> (bits - 1) & 1)) value |= ~mask;
    return mir::imm(static_cast<uint32_t>(value));
  }
  if (operand.kind == ptx::Operand::Kind::kFloat) {
    if (ptx::type_bits(type) < 32) {
      error(operand.loc, "16-bit floating-point constants are not supported by this version");
      return mir::imm(0);
    }
    uint64_t bits = float_bits(operand.bits, operand.is_double, type);
    return mir::imm(ptx::type_bits(type) == 64 ? static_cast<int64_t>(bits)
                                               : static_cast<int64_t>(static_cast<uint32_t>(bits)));
  }
  if (operand.kind == ptx::Operand::Kind::kName && operand.ref.kind == ptx::Ref::Kind::kSpecial) {
    Operand d = ptx::type_bits(type) == 64 ? t64() : t32();
    mov_special(d, operand, type);
    return d;
  }
  error(operand.loc, "Operand is not supported by this version");
  return mir::imm(0);
}

FunctionLowering::Operand FunctionLowering::dst(const ptx::Operand& operand, Type type) {
  if (operand.is_register()) return reg(operand.ref.index);
  return ptx::type_bits(type) > 32 ? t64() : t32();
}

FunctionLowering::Pred FunctionLowering::pred(const ptx::Operand& operand) {
  if (operand.is_register()) return {vreg(operand.ref.index), operand.negated};
  if (operand.is_int()) return {mir::kNone, operand.bits == 0};
  return {};
}

mir::VReg FunctionLowering::pred_dst(const ptx::Operand& operand) {
  return operand.is_register() ? vreg(operand.ref.index) : mir::kNone;
}

mir::VReg FunctionLowering::second_dst(const ptx::Operand& operand) {
  if (operand.elements.empty()) return mir::kNone;
  return pred_dst(operand.elements[0]);
}

FunctionLowering::Operand FunctionLowering::word(const Operand& operand, unsigned i) {
  if (operand.is_imm()) {
    return mir::imm(static_cast<uint32_t>(static_cast<uint64_t>(operand.imm) >> (32 * i)));
  }
  return operand.is_none() ? operand : operand.word(i);
}

FunctionLowering::Operand FunctionLowering::extend(const Operand& operand, Type type) {
  int bits = ptx::type_bits(type);
  if (bits >= 32 || bits < 8 || operand.is_imm()) return operand;
  Operand d = t32();
  if (ptx::is_signed(type)) {
    emit(Op::Bfe, d, operand, mir::imm(bits << 8)).set("sign", 1);
  } else {
    emit(Op::Lop, d, operand, mir::imm((1 << bits) - 1)).set("op", isa::LogicOp::And);
  }
  return d;
}

FunctionLowering::Operand FunctionLowering::extend64(const Operand& operand, Type type) {
  if (ptx::type_bits(type) == 64) return operand;
  Operand low = extend(operand, type);
  if (low.is_imm()) {
    // src() made a 32-bit pattern of it.
    int64_t value =
        ptx::is_signed(type) ? static_cast<int32_t>(low.imm) : static_cast<int64_t>(static_cast<uint32_t>(low.imm));
    return mir::imm(value);
  }
  return pair(low, ptx::is_signed(type) ? shr(low, mir::imm(31), true) : mir::imm(0));
}

FunctionLowering::Operand FunctionLowering::in_register(const Operand& operand) {
  if (operand.is_reg() || operand.is_phys()) return operand;
  Operand d = t32();
  b_.mov(d, operand.is_none() ? mir::imm(0) : operand);
  return d;
}

FunctionLowering::Operand FunctionLowering::in_register64(const Operand& operand) {
  if (operand.is_reg()) return operand;
  Operand d = t64();
  b_.mov64(d, static_cast<uint64_t>(operand.imm));
  return d;
}

mir::Builder::Ref FunctionLowering::emit(Op op, Operand d, Operand a, Operand b, Operand c) {
  if (isa::info(op).status != isa::Status::Built && current_) unsupported_here();
  return b_.op(op, d, a, b, c);
}

// ---- vocabulary -----------------------------------------------------------------------------

FunctionLowering::Operand FunctionLowering::iadd(Operand a, Operand b) {
  Operand d = t32();
  emit(Op::Iadd, d, a, b);
  return d;
}

FunctionLowering::Operand FunctionLowering::isub(Operand a, Operand b) {
  Operand d = t32();
  emit(Op::Iadd, d, a, b).set("neg_b", 1);
  return d;
}

FunctionLowering::Operand FunctionLowering::imad(Operand a, Operand b, Operand c) {
  Operand d = t32();
  emit(Op::Imad, d, a, b, c);
  return d;
}

FunctionLowering::Operand FunctionLowering::imul_hi(Operand a, Operand b, bool is_signed, Operand c) {
  Operand d = t32();
  emit(Op::Imad, d, a, b, c).set("hi", 1).set("sign", is_signed);
  return d;
}

FunctionLowering::Operand FunctionLowering::lop(isa::LogicOp op, Operand a, Operand b) {
  Operand d = t32();
  emit(Op::Lop, d, a, b).set("op", op);
  return d;
}

FunctionLowering::Operand FunctionLowering::shl(Operand a, Operand b) {
  Operand d = t32();
  emit(Op::Shl, d, a, b);
  return d;
}

FunctionLowering::Operand FunctionLowering::shr(Operand a, Operand b, bool is_signed) {
  Operand d = t32();
  emit(Op::Shr, d, a, b).set("sign", is_signed);
  return d;
}

FunctionLowering::Operand FunctionLowering::select(Pred p, Operand a, Operand b) {
  Operand d = t32();
  emit(Op::Sel, d, a, b).p(p);
  return d;
}

mir::VReg FunctionLowering::isetp(isa::ICmp cmp, bool is_signed, Operand a, Operand b, Pred with, isa::BoolOp op) {
  mir::VReg p = tp();
  emit(Op::Isetp, {}, a, b).set("cmp", cmp).set("sign", is_signed).set("op", op).pd(p).p(with);
  return p;
}

mir::VReg FunctionLowering::isetp64(isa::ICmp cmp, bool is_signed, Operand a, Operand b) {
  mir::VReg p = tp();
  emit(Op::Isetp64, {}, a, b).set("cmp", cmp).set("sign", is_signed).pd(p);
  return p;
}

FunctionLowering::Operand FunctionLowering::pair(Operand low, Operand high) {
  Operand d = t64();
  copy(d.word(0), low);
  copy(d.word(1), high);
  return d;
}

FunctionLowering::Operand FunctionLowering::add64(Operand a, Operand b) {
  Operand d = t64();
  emit(Op::Iadd64, d, a, b);
  return d;
}

FunctionLowering::Operand FunctionLowering::sub64(Operand a, Operand b) {
  Operand d = t64();
  emit(Op::Iadd64, d, a, b).set("neg_b", 1);
  return d;
}

FunctionLowering::Operand FunctionLowering::mul_wide(Operand a, Operand b, bool is_signed, Operand c) {
  Operand d = t64();
  emit(Op::ImadWide, d, a, b, c).set("sign", is_signed);
  return d;
}

// The low 64 bits of a * b + c, from three 32-bit products.
FunctionLowering::Operand FunctionLowering::mul_lo64(Operand a, Operand b, Operand c) {
  Operand low = mul_wide(word(a, 0), word(b, 0), false, c);
  Operand high = imad(word(a, 0), word(b, 1), low.word(1));
  high = imad(word(a, 1), word(b, 0), high);
  return pair(low.word(0), high);
}

// The high 64 bits of a * b, from four products of words: the sum of the middle two and the low one's high word carry
// into the high one.
FunctionLowering::Operand FunctionLowering::mul_hi64(Operand a, Operand b, bool is_signed) {
  const Operand low = mul_wide(word(a, 0), word(b, 0), false), inner = mul_wide(word(a, 0), word(b, 1), false);
  const Operand outer = mul_wide(word(a, 1), word(b, 0), false), top = mul_wide(word(a, 1), word(b, 1), false);
  const Operand middle = t64(), high = t64(), most = t32();
  const mir::VReg from_middle = tp(), from_low = tp(), from_high = tp();
  emit(Op::Iadd64, middle, inner, outer).pd(from_middle);
  emit(Op::Iadd, {}, middle.word(0), low.word(1)).pd(from_low);
  emit(Op::Iadd, high.word(0), top.word(0), middle.word(1)).p(when(from_low)).pd(from_high);
  emit(Op::Iadd, most, top.word(1)).p(when(from_high));
  emit(Op::Iadd, high.word(1), most).p(when(from_middle));
  if (!is_signed) return high;
  // Signed: less b where a is negative, less a where b is.
  Operand sa = shr(word(a, 1), mir::imm(31), true), sb = shr(word(b, 1), mir::imm(31), true);
  auto masked = [&](const Operand& v, const Operand& mask) {
    return pair(lop(isa::LogicOp::And, word(v, 0), mask), lop(isa::LogicOp::And, word(v, 1), mask));
  };
  return sub64(sub64(high, masked(b, sa)), masked(a, sb));
}

FunctionLowering::Operand FunctionLowering::shl64(Operand a, Operand n) {
  Operand d = t64();
  emit(Op::Shl64, d, a, n);
  return d;
}

FunctionLowering::Operand FunctionLowering::shr64(Operand a, Operand n, bool is_signed) {
  Operand d = t64();
  emit(Op::Shr64, d, a, n).set("sign", is_signed);
  return d;
}

FunctionLowering::Operand FunctionLowering::select64(Pred p, Operand a, Operand b) {
  Operand d = t64();
  emit(Op::Sel, d.word(0), word(a, 0), word(b, 0)).p(p);
  emit(Op::Sel, d.word(1), word(a, 1), word(b, 1)).p(p);
  return d;
}

void FunctionLowering::copy(Operand d, Operand s) {
  if (s.is_imm() && d.count == 2) {
    b_.mov64(d, static_cast<uint64_t>(s.imm));
  } else if (s.is_none()) {
    b_.mov(d, mir::imm(0));
  } else {
    b_.copy(d, s);
  }
}

}  // namespace heddle::compiler::lower
