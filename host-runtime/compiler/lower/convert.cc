// SPDX-License-Identifier: Apache-2.0
// cvt. A result narrower than its register fills it: extended by the destination type's sign.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

bool rounds_to_integer(const ptx::Instruction& insn) {
  return insn.has("rni") || insn.has("rzi") || insn.has("rmi") || insn.has("rpi");
}

}  // namespace

isa::Rounding FunctionLowering::conversion_rounding(const Insn& insn) {
  if (insn.has("rz") || insn.has("rzi")) return isa::Rounding::Rz;
  if (insn.has("rm") || insn.has("rmi")) return isa::Rounding::Rm;
  if (insn.has("rp") || insn.has("rpi")) return isa::Rounding::Rp;
  return isa::Rounding::Rn;
}

void FunctionLowering::lower_cvt(const Insn& insn) {
  Type to = insn.types[1], from = insn.types[0];
  auto narrow = [](Type t) { return ptx::is_float(t) && t != Type::kF32 && t != Type::kF64; };
  if (insn.has("pack")) return convert_pack(insn);
  if (to == Type::kNone) return unsupported(insn);
  if (narrow(to) || narrow(from)) return convert_narrow(insn);
  if (ptx::is_float(from)) {
    return ptx::is_float(to) ? convert_float(insn) : convert_float_to_int(insn);
  }
  if (ptx::is_float(to)) return convert_int_to_float(insn);

  Operand d = dst(insn.operands[0], to);
  Operand value = convert_int(src(insn.operands[1], from), from, to, insn.has("sat"));
  Type reg = insn.operands[0].is_register() ? function_.registers[insn.operands[0].ref.index] : to;
  if (d.count == 2) {
    copy(d, value.count == 2 || value.is_imm() ? (value.is_imm() ? extend64(value, to) : value) : extend64(value, to));
  } else {
    if (value.count == 2) value = value.word(0);
    copy(d, ptx::type_bits(reg) > ptx::type_bits(to) ? extend(value, to) : value);
  }
}

// The value with (at least) the bits of `to` right; two words when `to` has 64 bits.
FunctionLowering::Operand FunctionLowering::convert_int(Operand a, Type from, Type to, bool saturate) {
  int from_bits = ptx::type_bits(from), to_bits = ptx::type_bits(to);
  if (saturate) return saturate_to(a, from, to);
  if (to_bits == 64) return from_bits == 64 ? a : extend64(a, from);
  if (from_bits == 64) return word(a, 0);
  return to_bits > from_bits ? extend(a, from) : a;
}

FunctionLowering::Operand FunctionLowering::saturate_to(Operand a, Type from, Type to) {
  bool from_signed = ptx::is_signed(from), to_signed = ptx::is_signed(to);
  int from_bits = ptx::type_bits(from), to_bits = ptx::type_bits(to);
  bool wide = from_bits == 64;
  Operand v = extend(a, from);
  auto clamp = [&](bool max, int64_t limit) {
    Operand d = wide ? t64() : t32();
    Operand bound = wide ? in_register64(mir::imm(limit)) : mir::imm(static_cast<uint32_t>(limit));
    emit(wide ? Op::Imnmx64 : Op::Imnmx, d, v, bound).set("max", max).set("sign", from_signed);
    v = d;
  };
  // Bits that carry the magnitude: one less when signed.
  int from_magnitude = from_bits - (from_signed ? 1 : 0);
  int to_magnitude = to_bits - (to_signed ? 1 : 0);
  if (from_signed) {
    if (!to_signed) {
      clamp(true, 0);
    } else if (to_bits < from_bits) {
      clamp(true, -(int64_t{1} << (to_bits - 1)));
    }
  }
  if (to_magnitude < from_magnitude) {
    clamp(false, static_cast<int64_t>((uint64_t{1} << to_magnitude) - 1));
  }
  if (to_bits == 64) return wide ? v : extend64(v, from_signed ? Type::kS32 : Type::kU32);
  return wide ? word(v, 0) : v;
}

// cvt.pack.sat.u8.s32.b32 d, a, b, c: the narrow a above the narrow b, and what fits of c above both.
void FunctionLowering::convert_pack(const Insn& insn) {
  const std::string_view to = insn.modifiers[2];
  const bool is_signed = to[0] == 's';
  const int bits = std::stoi(std::string(to.substr(1)));
  const int magnitude = is_signed ? bits - 1 : bits;
  auto narrowed = [&](const ptx::Operand& operand) {
    Operand above = t32(), d = t32();
    const int64_t low = is_signed ? -(int64_t{1} << magnitude) : 0;
    emit(Op::Imnmx, above, in_register(src(operand, Type::kS32)), mir::imm(static_cast<uint32_t>(low)))
        .set("max", 1)
        .set("sign", 1);
    emit(Op::Imnmx, d, above, mir::imm((1 << magnitude) - 1)).set("max", 0).set("sign", 1);
    return d;
  };
  Operand rest =
      insn.operands.size() > 3 ? shl(in_register(src(insn.operands[3], Type::kB32)), mir::imm(2 * bits)) : mir::imm(0);
  Operand upper = narrowed(insn.operands[1]), lower = narrowed(insn.operands[2]);
  Operand with_lower = t32();
  emit(Op::Bfi, with_lower, lower, mir::imm(bits << 8), in_register(rest));
  emit(Op::Bfi, dst(insn.operands[0], Type::kB32), upper, mir::imm(bits | bits << 8), with_lower);
}

void FunctionLowering::convert_int_to_float(const Insn& insn) {
  Type to = insn.types[1], from = insn.types[0];
  bool wide = ptx::type_bits(from) == 64;
  Operand a = source(insn.operands[1], from);
  Op op = to == Type::kF32 ? (wide ? Op::I642f : Op::I2f) : (wide ? Op::I642d : Op::I2d);
  Operand result = !insn.has("sat") ? dst(insn.operands[0], to) : to == Type::kF64 ? t64() : t32();
  emit(op, result, {}, wide ? in_register64(a) : a)
      .set("rnd", conversion_rounding(insn))
      .set("sign", ptx::is_signed(from));
  if (insn.has("sat")) {
    emit(to == Type::kF64 ? Op::Drnd : Op::Frnd, dst(insn.operands[0], to), {}, result).set("sat", 1);
  }
}

void FunctionLowering::convert_float_to_int(const Insn& insn) {
  float_to_int(insn, dst(insn.operands[0], insn.types[1]), src(insn.operands[1], insn.types[0]));
}

void FunctionLowering::float_to_int(const Insn& insn, Operand d, Operand a) {
  Type to = insn.types[1];
  bool wide = ptx::type_bits(to) == 64, from_double = insn.types[0] == Type::kF64;
  Op op = from_double ? (wide ? Op::D2i64 : Op::D2i) : (wide ? Op::F2i64 : Op::F2i);
  isa::IntWidth width = ptx::type_bits(to) == 8    ? isa::IntWidth::W8
                        : ptx::type_bits(to) == 16 ? isa::IntWidth::W16
                                                   : isa::IntWidth::W32;
  // A 64-bit register may take a narrower integer.
  bool widen = d.count == 2 && !wide;
  Operand result = widen ? t32() : d;
  emit(op, result, {}, a)
      .set("rnd", conversion_rounding(insn))
      .set("ftz", insn.has("ftz"))
      .set("sign", ptx::is_signed(to))
      .set("width", width);
  if (widen) copy(d, extend64(result, ptx::is_signed(to) ? Type::kS32 : Type::kU32));
}

void FunctionLowering::convert_float(const Insn& insn) {
  Type to = insn.types[1], from = insn.types[0];
  Operand d = dst(insn.operands[0], to), a = src(insn.operands[1], from);
  bool integral = rounds_to_integer(insn), ftz = insn.has("ftz"), sat = insn.has("sat");
  if (to == from && !integral && !ftz && !sat) return copy(d, a);
  Op op = to == Type::kF32 ? (from == Type::kF32 ? Op::Frnd : Op::D2f) : (from == Type::kF32 ? Op::F2d : Op::Drnd);
  emit(op, d, {}, a).set("rnd", conversion_rounding(insn)).set("ftz", ftz).set("sat", sat).set("integral", integral);
}

}  // namespace heddle::compiler::lower
