// SPDX-License-Identifier: Apache-2.0
// cvt from and to f16, bf16, tf32 and the 8-bit formats. Whatever is neither goes by way of f32, rounded to odd where
// the second rounding would otherwise see a rounded number.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

using isa::FloatFormat;
using isa::Rounding;

void FunctionLowering::convert_narrow(const Insn& insn) {
  const Type to = insn.types[1], from = insn.types[0];
  if (insn.has("rs")) return unsupported(insn);
  if (to == Type::kTf32) return convert_to_tf32(insn);
  const bool pair =
      ptx::type_bits(to) == 32 ? to != Type::kF32 && ptx::is_float(to) : to == Type::kE4m3x2 || to == Type::kE5m2x2;
  if (pair) return convert_pair(insn);
  Operand d = dst(insn.operands[0], to);
  Operand x = src(insn.operands[1], from);
  const bool ftz = insn.has("ftz"), sat = insn.has("sat");
  const bool integral = insn.has("rni") || insn.has("rzi") || insn.has("rmi") || insn.has("rpi");
  const Rounding rounding = conversion_rounding(insn);
  if (is_half(from) && !is_half(to)) return convert_from_half(insn, d, x);
  if (to == from && !integral && !sat) return copy(d, x);
  FloatFormat source = FloatFormat::F32;
  if (is_half(from)) {
    source = narrow_format(from);
    if (integral) {
      Operand whole = t32();
      emit(Op::Frnd, whole, {}, convert(x, source, FloatFormat::F32)).set("rnd", rounding).set("integral", 1);
      x = whole;
      source = FloatFormat::F32;
    }
  } else if (from == Type::kF32) {
    if (ftz) x = fround(x, true, false);
  } else {
    x = by_f32(insn, x);
  }
  f2f(d.word(0), x, source, narrow_format(to))
      .set("rnd", integral ? Rounding::Rn : rounding)
      .set("sat", sat)
      .set("relu", insn.has("relu"))
      .set("finite", insn.has("satfinite"))
      .set("keep", from == Type::kF64);
  if (d.count == 2) copy(d.word(1), mir::imm(0));
}

// f32 of an integer or f64 that rounds to f16 or bf16 as the number itself does.
FunctionLowering::Operand FunctionLowering::by_f32(const Insn& insn, Operand x) {
  const Type to = insn.types[1], from = insn.types[0];
  const int bits = ptx::type_bits(from);
  if (from == Type::kF64) {
    Operand wide = in_register64(x);
    return odd([&](Operand d, Rounding r) { emit(Op::D2f, d, {}, wide).set("rnd", r); });
  }
  const bool is_signed = ptx::is_signed(from);
  Operand wide = bits == 64 ? in_register64(x) : extend(x, from);
  auto convert = [&](Operand d, Rounding r) {
    emit(bits == 64 ? Op::I642f : Op::I2f, d, {}, wide).set("rnd", r).set("sign", is_signed);
  };
  // Up to 24 bits f32 is exact; larger numbers are beyond all of f16's.
  if (bits <= 16 || to == Type::kF16) {
    Operand d = t32();
    convert(d, Rounding::Rz);
    return d;
  }
  return odd(convert);
}

// f16 or bf16 to f32, f64 or an integer.
void FunctionLowering::convert_from_half(const Insn& insn, Operand d, Operand x) {
  const Type to = insn.types[1], from = insn.types[0];
  Operand wide = t32();
  // bf16 is the upper half of an f32, NaN included. To f64 f16's NaN keep sign and payload.
  if (from == Type::kBf16) emit(Op::Shl, wide, x, mir::imm(16));
  else f2f(wide, x, FloatFormat::F16, FloatFormat::F32).set("keep", to == Type::kF64);
  if (!ptx::is_float(to)) return float_to_int(insn, d, wide);
  const bool ftz = insn.has("ftz"), sat = insn.has("sat");
  if (to == Type::kF64) {
    emit(Op::F2d, d, {}, wide).set("sat", sat);
  } else if (ftz || sat) {
    emit(Op::Frnd, d, {}, wide).set("ftz", ftz).set("sat", sat);
  } else {
    copy(d, wide);
  }
}

// Two numbers at once: of two f32, or of a pair in another format; the first operand or upper part above.
void FunctionLowering::convert_pair(const Insn& insn) {
  const FloatFormat from = narrow_format(insn.types[0]), to = narrow_format(insn.types[1]);
  Operand d = dst(insn.operands[0], insn.types[1]);
  Operand upper = src(insn.operands[1], insn.types[0]);
  auto number = [&](Operand to_register, Operand x) {
    return f2f(to_register, x, from, to)
        .set("rnd", conversion_rounding(insn))
        .set("relu", insn.has("relu"))
        .set("finite", insn.has("satfinite"));
  };
  if (from == FloatFormat::F32) {
    Operand lower = src(insn.operands[2], insn.types[0]);
    number(d, lower).set("both", 1)->a = upper;
  } else {
    Operand above = t32();
    number(above, upper).set("high", 1);
    number(d, upper).set("pack", 1)->a = above;
  }
}

// To the upper 19 bits of f32. Rounding half away from zero (rna) cuts NaN off like anything else; the other modes have
// a NaN of their own. As on silicon, .satfinite takes one from whatever then has infinity's exponent.
void FunctionLowering::convert_to_tf32(const Insn& insn) {
  constexpr int64_t kKept = 0xFFFFE000, kInfinity = 0x7F800000, kNan = 0x7FFFE000;
  const bool away = insn.has("rna");
  if (insn.has("satfinite") && !away) return unsupported(insn);
  Operand d = dst(insn.operands[0], Type::kB32), x = in_register(src(insn.operands[1], Type::kF32));
  mir::VReg is_nan = tp();
  emit(Op::Fsetp, {}, x, x).set("cmp", isa::FCmp::Nan).pd(is_nan);
  Operand rounded = x;
  if (away) {
    rounded = select(when(is_nan), x, iadd(x, mir::imm(0x1000)));
  } else if (insn.has("rn")) {
    Operand odd = t32();
    emit(Op::Bfe, odd, x, mir::imm(13 | 1 << 8));
    rounded = iadd(iadd(x, odd), mir::imm(0xFFF));
  }
  Operand r = lop(isa::LogicOp::And, rounded, mir::imm(kKept));
  if (insn.has("satfinite")) {
    mir::VReg beyond = isetp(isa::ICmp::Eq, false, lop(isa::LogicOp::And, r, mir::imm(kInfinity)), mir::imm(kInfinity));
    r = select(when(beyond), iadd(r, mir::imm(-0x2000)), r);
  }
  if (insn.has("relu")) r = select(when(isetp(isa::ICmp::Lt, true, r, mir::imm(0))), in_register(mir::imm(0)), r);
  if (!away) r = select(when(is_nan), in_register(mir::imm(kNan)), r);
  copy(d, r);
}

}  // namespace heddle::compiler::lower
