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

// |x| >= 2^126
mir::VReg FunctionLowering::is_large(Operand x) {
  mir::VReg p = tp();
  emit(Op::Fsetp, {}, x, mir::imm(kTwoTo126)).set("cmp", isa::FCmp::Ge).set("abs_a", 1).pd(p);
  return p;
}

// x *= factor where the predicate holds: a guarded instruction, which most arguments do without.
void FunctionLowering::scale(mir::VReg p, Operand x, uint32_t factor, bool ftz) {
  if (p != mir::kNone) emit(Op::Fmul, x, x, mir::imm(factor)).set("ftz", ftz).guard(when(p));
}

// A copy that may be scaled.
FunctionLowering::Operand FunctionLowering::own(Operand x) {
  Operand t = t32();
  copy(t, x);
  return t;
}

void FunctionLowering::lower_fdiv(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    return divide64(dst(insn.operands[0], Type::kF64), src(insn.operands[1], Type::kF64),
                    src(insn.operands[2], Type::kF64), arithmetic_rounding(insn));
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  const bool ftz = insn.has("ftz"), full = insn.has("full");
  Operand d = dst(insn.operands[0], Type::kF32), a = in_register(src(insn.operands[1], Type::kF32)),
          b = src(insn.operands[2], Type::kF32);
  const int64_t exponent = b.is_imm() ? b.imm >> 23 & 255 : 0;
  const bool needs_no_scaling = exponent > 0 && exponent < 253;  // a normal number below 2^126
  b = in_register(b);
  if (!full && !insn.has("approx")) return divide(d, a, b, arithmetic_rounding(insn), ftz);
  // .approx: of |b| above 2^126 the reciprocal counts as zero; .full has none such.
  if ((full || !ftz) && !needs_no_scaling) {
    const mir::VReg small = is_subnormal(b), large = full ? is_large(b) : mir::kNone;
    for (Operand* x : {&a, &b}) {
      *x = own(*x);
      scale(small, *x, kTwoTo24, ftz);
      scale(large, *x, kQuarter, ftz);
    }
  }
  emit(Op::Fmul, d, a, mufu(isa::MufuOp::Rcp, b)).set("ftz", ftz);
}

void FunctionLowering::lower_rcp(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    Operand d = dst(insn.operands[0], Type::kF64), a = src(insn.operands[1], Type::kF64);
    if (insn.has("approx")) return reciprocal_of_high_word(d, a);
    return divide64(d, mir::imm(int64_t{0x3FF00000} << 32), a, arithmetic_rounding(insn));
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  Operand d = dst(insn.operands[0], Type::kF32), x = in_register(src(insn.operands[1], Type::kF32));
  if (!insn.has("approx")) return divide(d, mir::imm(kOne), x, arithmetic_rounding(insn), insn.has("ftz"));
  if (insn.has("ftz")) return copy(d, mufu(isa::MufuOp::Rcp, x));
  const mir::VReg small = is_subnormal(x), large = is_large(x);
  x = own(x);
  scale(small, x, kTwoTo24);
  scale(large, x, kQuarter);
  Operand r = mufu(isa::MufuOp::Rcp, x);
  scale(small, r, kTwoTo24);
  scale(large, r, kQuarter);
  copy(d, r);
}

void FunctionLowering::lower_sqrt(const Insn& insn) {
  const bool inverse = insn.opcode == "rsqrt";
  if (insn.type() == Type::kF64) {
    Operand d = dst(insn.operands[0], Type::kF64), x = src(insn.operands[1], Type::kF64);
    return inverse ? inverse_root64(d, x) : square_root64(d, x, arithmetic_rounding(insn));
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  Operand d = dst(insn.operands[0], Type::kF32), x = in_register(src(insn.operands[1], Type::kF32));
  if (!insn.has("approx")) return square_root(d, x, arithmetic_rounding(insn), insn.has("ftz"));
  const isa::MufuOp op = inverse ? isa::MufuOp::Rsq : isa::MufuOp::Sqrt;
  if (insn.has("ftz")) return copy(d, mufu(op, x));
  // sqrt(2^24 x) is 2^12 sqrt(x).
  const mir::VReg small = is_subnormal(x);
  x = own(x);
  scale(small, x, kTwoTo24);
  Operand r = mufu(op, x);
  scale(small, r, inverse ? 0x45800000 : 0x39800000);
  copy(d, r);
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
  mir::VReg p;
  Operand r;
  if (op == isa::MufuOp::Lg2) {
    p = is_subnormal(x);
    x = own(x);
    scale(p, x, kTwoTo24);
    r = mufu(op, x);
    emit(Op::Fadd, r, r, mir::imm(0xC1C00000)).guard(when(p));  // 24 less
  } else {
    // Below -126 the result may be subnormal: the square of 2^(x/2).
    p = tp();
    emit(Op::Fsetp, {}, x, mir::imm(0xC2FC0000)).set("cmp", isa::FCmp::Lt).pd(p);
    x = own(x);
    scale(p, x, 0x3F000000);
    r = mufu(op, x);
    emit(Op::Fmul, r, r, r).guard(when(p));
  }
  copy(d, r);
}

}  // namespace heddle::compiler::lower
