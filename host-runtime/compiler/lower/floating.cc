// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic that the machine does in one instruction.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

bool is_single_or_double(ptx::Type type) { return type == ptx::Type::kF32 || type == ptx::Type::kF64; }

}  // namespace

isa::Rounding FunctionLowering::arithmetic_rounding(const Insn& insn) {
  if (insn.has("rz")) return isa::Rounding::Rz;
  if (insn.has("rm")) return isa::Rounding::Rm;
  if (insn.has("rp")) return isa::Rounding::Rp;
  return isa::Rounding::Rn;
}

void FunctionLowering::lower_fadd(const Insn& insn) {
  Type type = insn.type();
  if (is_half(type)) return lower_half(insn);
  if (!is_single_or_double(type)) return unsupported(insn);
  emit(type == Type::kF64 ? Op::Dadd : Op::Fadd, dst(insn.operands[0], type), src(insn.operands[1], type),
       src(insn.operands[2], type))
      .set("rnd", arithmetic_rounding(insn))
      .set("ftz", insn.has("ftz"))
      .set("sat", insn.has("sat"))
      .set("neg_b", insn.opcode == "sub");
}

void FunctionLowering::lower_fmul(const Insn& insn) {
  Type type = insn.type();
  if (is_half(type)) return lower_half(insn);
  if (!is_single_or_double(type)) return unsupported(insn);
  emit(type == Type::kF64 ? Op::Dmul : Op::Fmul, dst(insn.operands[0], type), src(insn.operands[1], type),
       src(insn.operands[2], type))
      .set("rnd", arithmetic_rounding(insn))
      .set("ftz", insn.has("ftz"))
      .set("sat", insn.has("sat"));
}

void FunctionLowering::lower_fma(const Insn& insn) {
  Type type = insn.type();
  if (is_half(type)) return lower_half(insn);
  if (!is_single_or_double(type)) return unsupported(insn);
  emit(type == Type::kF64 ? Op::Dfma : Op::Ffma, dst(insn.operands[0], type), src(insn.operands[1], type),
       src(insn.operands[2], type), src(insn.operands[3], type))
      .set("rnd", arithmetic_rounding(insn))
      .set("ftz", insn.has("ftz"))
      .set("sat", insn.has("sat"));
}

void FunctionLowering::lower_fminmax(const Insn& insn) {
  Type type = insn.type();
  if (is_half(type)) return lower_half(insn);
  if (!is_single_or_double(type)) return unsupported(insn);
  // .xorsign comes with .abs; .abs alone is not PTX.
  emit(type == Type::kF64 ? Op::Dmnmx : Op::Fmnmx, dst(insn.operands[0], type), src(insn.operands[1], type),
       src(insn.operands[2], type))
      .set("max", insn.opcode == "max")
      .set("ftz", insn.has("ftz"))
      .set("nan", insn.has("NaN"))
      .set("xorsign_abs", insn.has("xorsign"));
}

// abs, neg: as a sum with -0, which makes NaN results what arithmetic gives.
void FunctionLowering::lower_fsign(const Insn& insn) {
  Type type = insn.type();
  if (is_half(type)) return lower_half(insn);
  if (!is_single_or_double(type)) return unsupported(insn);
  Operand d = dst(insn.operands[0], type), a = src(insn.operands[1], type);
  bool negate = insn.opcode == "neg";
  if (type == Type::kF32) {
    emit(Op::Fadd, d, a, mir::imm(0x80000000)).set(negate ? "neg_a" : "abs_a", 1).set("ftz", insn.has("ftz"));
  } else {
    emit(Op::Dadd, d, a, in_register64(mir::imm(INT64_MIN))).set(negate ? "neg_a" : "abs_a", 1);
  }
}

// The sign of a, the rest of b.
void FunctionLowering::lower_copysign(const Insn& insn) {
  Type type = insn.type();
  Operand d = dst(insn.operands[0], type);
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  unsigned top = d.count - 1;
  // mask ? a : b, bit by bit.
  emit(Op::Lop3, d.word(top), word(a, top), mir::imm(0x80000000), word(b, top)).set("lut", 0xE2);
  if (top == 1) copy(d.word(0), word(b, 0));
}

FunctionLowering::Operand FunctionLowering::fadd(Operand a, Operand b, bool subtract) {
  Operand d = t32();
  emit(Op::Fadd, d, a, b).set("neg_b", subtract);
  return d;
}

FunctionLowering::Operand FunctionLowering::fmul(Operand a, Operand b) {
  Operand d = t32();
  emit(Op::Fmul, d, a, b);
  return d;
}

FunctionLowering::Operand FunctionLowering::ffma(Operand a, Operand b, Operand c, bool neg_product) {
  Operand d = t32();
  emit(Op::Ffma, d, a, b, c).set("neg_p", neg_product);
  return d;
}

FunctionLowering::Operand FunctionLowering::fround(Operand a, bool ftz, bool sat) {
  Operand d = t32();
  emit(Op::Frnd, d, {}, a).set("ftz", ftz).set("sat", sat);
  return d;
}

}  // namespace heddle::compiler::lower
