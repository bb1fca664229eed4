// SPDX-License-Identifier: Apache-2.0
// Approximate functions: the special function unit's instruction, and what silicon does around it.
// MUFU takes subnormals as zeros and gives none, so without .ftz arguments and results at the edge
// are scaled, as silicon scales them (its bits decided each choice here).
//
// Division and roots that are not approximate: root.cc, root64.cc.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

constexpr uint32_t kOne = 0x3F800000;
constexpr uint32_t kTwoTo24 = 0x4B800000;
constexpr uint32_t kQuarter = 0x3E800000;
constexpr uint32_t kLeastNormal = 0x00800000;
constexpr uint32_t kTwoTo126 = 0x7E800000;

}  // namespace

FunctionLowering::Operand FunctionLowering::mufu(isa::MufuOp op, Operand x) {
  Operand d = t32();
  emit(Op::Mufu, d, {}, x).set("op", op);
  return d;
}

// |x| < 2^-126
mir::VReg FunctionLowering::is_subnormal(Operand x) {
  mir::VReg p = tp();
  emit(Op::Fsetp, {}, x, mir::imm(kLeastNormal)).set("cmp", isa::FCmp::Lt).set("abs_a", 1).pd(p);
  return p;
}

// A power of two that takes x to where its reciprocal is normal: 2^24 for subnormals and, when
// `large`, 1/4 from 2^126 on.
FunctionLowering::Operand FunctionLowering::reciprocal_scale(Operand x, bool large) {
  Operand scale = select(when(is_subnormal(x)), in_register(mir::imm(kTwoTo24)), mir::imm(kOne));
  if (!large) return scale;
  mir::VReg p = tp();
  emit(Op::Fsetp, {}, x, mir::imm(kTwoTo126)).set("cmp", isa::FCmp::Ge).set("abs_a", 1).pd(p);
  return select(when(p), in_register(mir::imm(kQuarter)), scale);
}

void FunctionLowering::lower_fdiv(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    return divide64(dst(insn.operands[0], Type::kF64), src(insn.operands[1], Type::kF64),
                    src(insn.operands[2], Type::kF64), arithmetic_rounding(insn));
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  const bool ftz = insn.has("ftz"), full = insn.has("full");
  Operand d = dst(insn.operands[0], Type::kF32), a = in_register(src(insn.operands[1], Type::kF32)),
          b = in_register(src(insn.operands[2], Type::kF32));
  if (!full && !insn.has("approx")) return divide(d, a, b, arithmetic_rounding(insn), ftz);
  // .approx: of |b| above 2^126 the reciprocal counts as zero; .full has none such.
  auto product = [&](Operand to, Operand x, Operand y) {
    emit(Op::Fmul, to, x, y).set("ftz", ftz);
    return to;
  };
  if (full || !ftz) {
    Operand scale = reciprocal_scale(b, full);
    a = product(t32(), a, scale);
    b = product(t32(), b, scale);
  }
  product(d, a, mufu(isa::MufuOp::Rcp, b));
}

void FunctionLowering::lower_rcp(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    Operand d = dst(insn.operands[0], Type::kF64), a = src(insn.operands[1], Type::kF64);
    if (insn.has("approx")) return reciprocal_of_high_word(d, a);
    return divide64(d, mir::imm(int64_t{0x3FF00000} << 32), a, arithmetic_rounding(insn));
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  Operand d = dst(insn.operands[0], Type::kF32), x = in_register(src(insn.operands[1], Type::kF32));
  if (!insn.has("approx"))
    return divide(d, mir::imm(kOne), x, arithmetic_rounding(insn), insn.has("ftz"));
  if (insn.has("ftz")) return copy(d, mufu(isa::MufuOp::Rcp, x));
  Operand scale = reciprocal_scale(x, true);
  emit(Op::Fmul, d, mufu(isa::MufuOp::Rcp, fmul(x, scale)), scale);
}

void FunctionLowering::lower_sqrt(const Insn& insn) {
  const bool inverse = insn.opcode == "rsqrt";
  if (insn.type() == Type::kF64) {
    return square_root64(dst(insn.operands[0], Type::kF64), src(insn.operands[1], Type::kF64),
                         inverse ? isa::Rounding::Rn : arithmetic_rounding(insn), inverse);
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  Operand d = dst(insn.operands[0], Type::kF32), x = in_register(src(insn.operands[1], Type::kF32));
  if (!insn.has("approx")) return square_root(d, x, arithmetic_rounding(insn), insn.has("ftz"));
  const isa::MufuOp op = inverse ? isa::MufuOp::Rsq : isa::MufuOp::Sqrt;
  if (insn.has("ftz")) return copy(d, mufu(op, x));
  // sqrt(2^24 x) is 2^12 sqrt(x).
  Pred small = when(is_subnormal(x));
  Operand scaled = fmul(x, select(small, in_register(mir::imm(kTwoTo24)), mir::imm(kOne)));
  Operand back = in_register(mir::imm(inverse ? 0x45800000 : 0x39800000));
  emit(Op::Fmul, d, mufu(op, scaled), select(small, back, mir::imm(kOne)));
}

// sin, cos, ex2, lg2, tanh
void FunctionLowering::lower_sfu(const Insn& insn) {
  if (is_half(insn.type())) return lower_half_special(insn);
  if (insn.type() != Type::kF32) return unsupported(insn);
  const bool ftz = insn.has("ftz");
  Operand d = dst(insn.operands[0], Type::kF32), x = in_register(src(insn.operands[1], Type::kF32));
  if (insn.opcode == "tanh") return copy(d, mufu(isa::MufuOp::Tanh, x));
  if (insn.opcode == "sin" || insn.opcode == "cos") {
    Operand turns = t32();  // x / (2 pi), rounded toward zero
    emit(Op::Fmul, turns, x, mir::imm(0x3E22F983)).set("rnd", isa::Rounding::Rz).set("ftz", ftz);
    return copy(d, mufu(insn.opcode == "sin" ? isa::MufuOp::Sin : isa::MufuOp::Cos, turns));
  }
  const isa::MufuOp op = insn.opcode == "ex2" ? isa::MufuOp::Ex2 : isa::MufuOp::Lg2;
  if (ftz) return copy(d, mufu(op, x));
  if (op == isa::MufuOp::Lg2) {
    Pred small = when(is_subnormal(x));
    Operand scaled = fmul(x, select(small, in_register(mir::imm(kTwoTo24)), mir::imm(kOne)));
    Operand added = select(small, in_register(mir::imm(0x41C00000)), mir::imm(0));  // 24
    emit(Op::Fadd, d, mufu(op, scaled), added).set("neg_b", 1);
    return;
  }
  // Below -126 the result may be subnormal: the square of 2^(x/2).
  mir::VReg low = tp();
  emit(Op::Fsetp, {}, x, mir::imm(0xC2FC0000)).set("cmp", isa::FCmp::Lt).pd(low);
  Operand half = in_register(mir::imm(0x3F000000));
  Operand r = mufu(op, fmul(x, select(when(low), half, mir::imm(kOne))));
  emit(Op::Fmul, d, r, select(when(low), r, mir::imm(kOne)));
}

}  // namespace heddle::compiler::lower
