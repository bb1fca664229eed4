// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic that the machine does in one instruction; f16 and bf16 are not translated yet.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

isa::Rounding rounding_of(const ptx::Instruction& insn) {
  if (insn.has("rz")) return isa::Rounding::Rz;
  if (insn.has("rm")) return isa::Rounding::Rm;
  if (insn.has("rp")) return isa::Rounding::Rp;
  return isa::Rounding::Rn;
}

bool is_single_or_double(ptx::Type type) {
  return type == ptx::Type::kF32 || type == ptx::Type::kF64;
}

}  // namespace

void FunctionLowering::lower_fadd(const Insn& insn) {
  Type type = insn.type();
  if (!is_single_or_double(type)) return unsupported(insn);
  emit(type == Type::kF64 ? Op::Dadd : Op::Fadd, dst(insn.operands[0], type),
       src(insn.operands[1], type), src(insn.operands[2], type))
      .set("rnd", rounding_of(insn))
      .set("ftz", insn.has("ftz"))
      .set("sat", insn.has("sat"))
      .set("neg_b", insn.opcode == "sub");
}

void FunctionLowering::lower_fmul(const Insn& insn) {
  Type type = insn.type();
  if (!is_single_or_double(type)) return unsupported(insn);
  emit(type == Type::kF64 ? Op::Dmul : Op::Fmul, dst(insn.operands[0], type),
       src(insn.operands[1], type), src(insn.operands[2], type))
      .set("rnd", rounding_of(insn))
      .set("ftz", insn.has("ftz"))
      .set("sat", insn.has("sat"));
}

void FunctionLowering::lower_fma(const Insn& insn) {
  Type type = insn.type();
  if (!is_single_or_double(type)) return unsupported(insn);
  emit(type == Type::kF64 ? Op::Dfma : Op::Ffma, dst(insn.operands[0], type),
       src(insn.operands[1], type), src(insn.operands[2], type), src(insn.operands[3], type))
      .set("rnd", rounding_of(insn))
      .set("ftz", insn.has("ftz"))
      .set("sat", insn.has("sat"));
}

void FunctionLowering::lower_fminmax(const Insn& insn) {
  Type type = insn.type();
  if (!is_single_or_double(type)) return unsupported(insn);
  // .xorsign comes with .abs; .abs alone is not PTX.
  emit(type == Type::kF64 ? Op::Dmnmx : Op::Fmnmx, dst(insn.operands[0], type),
       src(insn.operands[1], type), src(insn.operands[2], type))
      .set("max", insn.opcode == "max")
      .set("ftz", insn.has("ftz"))
      .set("nan", insn.has("NaN"))
      .set("xorsign_abs", insn.has("xorsign"));
}

// abs, neg: as a sum with -0, which makes NaN results what arithmetic gives.
void FunctionLowering::lower_fsign(const Insn& insn) {
  Type type = insn.type();
  if (!is_single_or_double(type)) return unsupported(insn);
  Operand d = dst(insn.operands[0], type), a = src(insn.operands[1], type);
  bool negate = insn.opcode == "neg";
  if (type == Type::kF32) {
    emit(Op::Fadd, d, a, mir::imm(0x80000000))
        .set(negate ? "neg_a" : "abs_a", 1)
        .set("ftz", insn.has("ftz"));
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

// sin, cos, ex2, lg2, tanh: what the special-function unit does, when there is one.
void FunctionLowering::lower_sfu(const Insn& insn) {
  if (insn.type() != Type::kF32) return unsupported(insn);
  enum { kSin = 3, kCos = 4, kEx2 = 5, kLg2 = 6, kTanh = 7 };
  int op = insn.opcode == "sin"   ? kSin
           : insn.opcode == "cos" ? kCos
           : insn.opcode == "ex2" ? kEx2
           : insn.opcode == "lg2" ? kLg2
                                  : kTanh;
  emit(Op::Mufu, dst(insn.operands[0], Type::kF32), {}, src(insn.operands[1], Type::kF32))
      .set("op", op)
      .set("ftz", insn.has("ftz"));
}

// ---- division and roots: see root.cc ------------------------------------------------------------

void FunctionLowering::lower_fdiv(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    return divide64(dst(insn.operands[0], Type::kF64), src(insn.operands[1], Type::kF64),
                    src(insn.operands[2], Type::kF64), rounding_of(insn));
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  Operand d = dst(insn.operands[0], Type::kF32), a = in_register(src(insn.operands[1], Type::kF32)),
          b = in_register(src(insn.operands[2], Type::kF32));
  if (!insn.has("approx")) return divide(d, a, b, rounding_of(insn), insn.has("ftz"));
  // By definition a times 1/b, which is 0 where b is finite and beyond 2^126: so is the result, or NaN.
  Operand quotient = t32();
  divide(quotient, a, b, isa::Rounding::Rn, insn.has("ftz"));
  Operand beyond = isub(lop(isa::LogicOp::And, b, mir::imm(0x7FFFFFFF)), mir::imm(0x7E800001));
  Operand zero = fmul(a, lop(isa::LogicOp::And, b, mir::imm(0x80000000)));
  mir::VReg huge = isetp(isa::ICmp::Lt, false, beyond, mir::imm(0x00FFFFFF));
  emit(Op::Sel, d, zero, quotient).p(when(huge));
}

void FunctionLowering::lower_rcp(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    Operand d = dst(insn.operands[0], Type::kF64), a = src(insn.operands[1], Type::kF64);
    if (insn.has("approx")) return reciprocal_of_high_word(d, a);
    return divide64(d, mir::imm(int64_t{0x3FF00000} << 32), a, rounding_of(insn));
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  divide(dst(insn.operands[0], Type::kF32), mir::imm(0x3F800000),
         in_register(src(insn.operands[1], Type::kF32)), rounding_of(insn), insn.has("ftz"));
}

void FunctionLowering::lower_sqrt(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    return square_root64(dst(insn.operands[0], Type::kF64), src(insn.operands[1], Type::kF64), rounding_of(insn), false);
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  square_root(dst(insn.operands[0], Type::kF32), in_register(src(insn.operands[1], Type::kF32)),
              rounding_of(insn), insn.has("ftz"), false);
}

void FunctionLowering::lower_rsqrt(const Insn& insn) {
  if (insn.type() == Type::kF64) {
    return square_root64(dst(insn.operands[0], Type::kF64), src(insn.operands[1], Type::kF64), isa::Rounding::Rn, true);
  }
  if (insn.type() != Type::kF32) return unsupported(insn);
  square_root(dst(insn.operands[0], Type::kF32), in_register(src(insn.operands[1], Type::kF32)),
              isa::Rounding::Rn, insn.has("ftz"), true);
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

FunctionLowering::Operand FunctionLowering::ffma(Operand a, Operand b, Operand c,
                                                 bool neg_product) {
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
