// SPDX-License-Identifier: Apache-2.0
// Integer division. The machine has no divider: a floating-point reciprocal, refined in integers,
// gives a quotient that is short by at most two, which two conditional steps put right.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

void FunctionLowering::lower_divrem(const Insn& insn) {
  Type type = insn.type();
  if (ptx::is_float(type)) return lower_fdiv(insn);
  bool is_signed = ptx::is_signed(type), remainder = insn.opcode == "rem";
  bool wide = ptx::type_bits(type) == 64;
  Operand d = dst(insn.operands[0], type);
  Operand a = source(insn.operands[1], type);
  if (const auto divisor = constant_divisor(insn.operands[2], type); divisor && *divisor != 0)
    return divide_by_constant(d, a, *divisor, is_signed, wide, remainder);
  Operand b = source(insn.operands[2], type);
  Operand quotient, rest;
  if (!wide) {
    Operand sign_a, sign_b, sign;
    if (is_signed) {
      sign_a = shr(a, mir::imm(31), true);
      sign = sign_a;
      if (!remainder) {
        sign_b = shr(b, mir::imm(31), true);
        sign = lop(isa::LogicOp::Xor, sign_a, sign_b);
      }
      Operand abs_a = t32(), abs_b = t32();
      emit(Op::Iabs, abs_a, {}, a);
      emit(Op::Iabs, abs_b, {}, b);
      a = abs_a;
      b = abs_b;
    }
    udivrem32(a, b, remainder ? nullptr : &quotient, remainder ? &rest : nullptr);
    Operand result = remainder ? rest : quotient;
    if (is_signed) {
      // Negative: two's complement by (x ^ -1) - -1.
      emit(Op::Iadd, d, lop(isa::LogicOp::Xor, result, sign), sign).set("neg_b", 1);
    } else {
      copy(d, result);
    }
    return;
  }
  a = in_register64(a);
  b = in_register64(b);
  Operand sign;
  auto conditional_negate = [&](Operand v, Operand s) {
    Operand flipped = pair(lop(isa::LogicOp::Xor, v.word(0), s), lop(isa::LogicOp::Xor, v.word(1), s));
    return sub64(flipped, pair(s, s));
  };
  if (is_signed) {
    Operand sign_a = shr(a.word(1), mir::imm(31), true);
    Operand sign_b = shr(b.word(1), mir::imm(31), true);
    sign = remainder ? sign_a : lop(isa::LogicOp::Xor, sign_a, sign_b);
    a = conditional_negate(a, sign_a);
    b = conditional_negate(b, sign_b);
  }
  udivrem64(a, b, remainder ? nullptr : &quotient, remainder ? &rest : nullptr);
  Operand result = remainder ? rest : quotient;
  copy(d, is_signed ? conditional_negate(result, sign) : result);
}

// z is about 2^32 / b, never above it:
//   r = 1 / float(b), to one unit in the last place; z = int(r * (2^32 - 2^10)), relative
//   error below 2^-21; one integer Newton step z += hi(z * -(b z)) leaves less than 2 of error;
//   then q = hi(a z) is short by at most 2.
void FunctionLowering::udivrem32(Operand a, Operand b, Operand* quotient, Operand* remainder) {
  b = in_register(b);
  Operand fb = t32();
  emit(Op::I2f, fb, {}, b);
  Operand r = mufu(isa::MufuOp::Rcp, fb);
  Operand z = t32();
  emit(Op::F2i, z, {}, fmul(r, mir::imm(0x4F7FFFFC))).set("rnd", isa::Rounding::Rz);
  Operand minus_b = isub(mir::imm(0), b);
  Operand error_term = imad(minus_b, z, {});
  z = imul_hi(z, error_term, false, z);
  Operand q = imul_hi(z, in_register(a), false);
  Operand rest = imad(minus_b, q, a);
  for (int step = 0; step < 2; ++step) {
    mir::VReg again = isetp(isa::ICmp::Ge, false, rest, b);
    if (quotient) {
      Operand next = t32();
      emit(Op::Iadd, next, q, mir::imm(0)).p(when(again));
      q = next;
    }
    if (remainder || step == 0) rest = select(when(again), isub(rest, b), rest);
  }
  if (quotient) *quotient = q;
  if (remainder) *remainder = rest;
}

// The same in 64 bits: r = 1 / float(b) scaled to just below 2^64 / b, split into two words; two
// integer Newton steps (24 good bits become 48, then 64); q = hi(a z), short by at most 2.
void FunctionLowering::udivrem64(Operand a, Operand b, Operand* quotient, Operand* remainder) {
  Operand fb = t32();
  emit(Op::I642f, fb, {}, b);
  Operand r = fmul(mufu(isa::MufuOp::Rcp, fb), mir::imm(0x5F7FFFFC));  // 2^64 (1 - 2^-22)
  Operand top = t32();
  emit(Op::Frnd, top, {}, fmul(r, mir::imm(0x2F800000)))  // r / 2^32
      .set("rnd", isa::Rounding::Rz)
      .set("integral", 1);
  Operand bottom = ffma(top, mir::imm(0xCF800000), r);  // r - top * 2^32
  Operand z = t64();
  emit(Op::F2i, z.word(0), {}, bottom).set("rnd", isa::Rounding::Rz);
  emit(Op::F2i, z.word(1), {}, top).set("rnd", isa::Rounding::Rz);
  Operand minus_b = sub64(mir::imm(0), b);
  for (int step = 0; step < 2; ++step) {
    Operand error_term = mul_lo64(minus_b, z);
    z = add64(z, mul_hi64(z, error_term, false));
  }
  Operand q = mul_hi64(a, z, false);
  Operand rest = sub64(a, mul_lo64(b, q));
  for (int step = 0; step < 2; ++step) {
    mir::VReg again = isetp64(isa::ICmp::Ge, false, rest, b);
    if (quotient) {
      Operand next = t64();
      emit(Op::Iadd64, next, q, mir::imm(0)).p(when(again));
      q = next;
    }
    if (remainder || step == 0) rest = select64(when(again), sub64(rest, b), rest);
  }
  if (quotient) *quotient = q;
  if (remainder) *remainder = rest;
}

}  // namespace heddle::compiler::lower
