// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of 16, 32 and 64 bits.
//
// 16-bit values live in the low half of a 32-bit register; the upper half is undefined, so whatever
// looks at it (compare, shift right, divide, high product) extends first.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

bool is_packed(ptx::Type type) { return type == ptx::Type::kU16x2 || type == ptx::Type::kS16x2; }

}  // namespace

void FunctionLowering::lower_add(const Insn& insn) {
  Type type = insn.type();
  if (ptx::is_float(type)) return lower_fadd(insn);
  if (is_packed(type)) return lower_packed(insn);
  if (insn.has("cc")) return lower_carry(insn);
  bool wide = ptx::type_bits(type) == 64;
  bool subtract = insn.opcode == "sub";
  if (wide && !subtract && fuse_wide_add(insn)) return;
  Operand d = dst(insn.operands[0], type);
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  auto i = emit(wide ? Op::Iadd64 : Op::Iadd, d, a, b);
  i.set("neg_b", subtract);
  if (insn.has("sat")) i.set("sat", 1);
}

// base + (wide product or extended 32-bit index) is one IMAD.WIDE. The product itself stays: other
// users may want it; if none does, the backend drops it.
bool FunctionLowering::fuse_wide_add(const Insn& insn) {
  for (int which : {2, 1}) {
    const ptx::Operand& sum = insn.operands[which];
    const ptx::Operand& base = insn.operands[3 - which];
    if (!base.is_register()) continue;
    const Insn* w = sole_writer(sum);
    if (!w) continue;
    int64_t scale = 1;
    // (cvt.s64.s32 r) << k
    if (w->opcode == "shl" && w->type() == Type::kB64 && w->operands[2].is_int() && w->operands[2].bits <= 30) {
      scale = int64_t{1} << w->operands[2].bits;
      w = sole_writer(w->operands[1]);
      if (!w || w->opcode != "cvt") continue;
    }
    Operand d = dst(insn.operands[0], insn.type());
    if (w->opcode == "mul" && w->has("wide") && ptx::type_bits(w->type()) == 32) {
      emit(Op::ImadWide, d, src(w->operands[1], w->type()), src(w->operands[2], w->type()), src(base, insn.type()))
          .set("sign", ptx::is_signed(w->type()));
      return true;
    }
    if (w->opcode == "cvt" && ptx::type_bits(w->types[1]) == 64 && !ptx::is_float(w->types[1]) &&
        (w->type() == Type::kS32 || w->type() == Type::kU32) && !w->has("sat")) {
      emit(Op::ImadWide, d, src(w->operands[1], w->type()), mir::imm(scale), src(base, insn.type()))
          .set("sign", ptx::is_signed(w->type()));
      return true;
    }
  }
  return false;
}

// ---- carry chains ---------------------------------------------------------------------------

void FunctionLowering::lower_carry(const Insn& insn) {
  Type type = insn.type();
  bool wide = ptx::type_bits(type) == 64;
  bool carry_in = insn.opcode == "addc" || insn.opcode == "subc";
  Operand d = dst(insn.operands[0], type);
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  if (insn.opcode[0] == 'a') {
    add_carry(d, a, b, wide, carry_in, insn.has("cc"));
  } else {
    sub_borrow(d, a, b, wide, carry_in, insn.has("cc"));
  }
}

void FunctionLowering::add_carry(Operand d, Operand a, Operand b, bool wide, bool carry_in, bool carry_out) {
  if (carry_ == mir::kNone) carry_ = tp();
  auto i = emit(wide ? Op::Iadd64 : Op::Iadd, d, a, b);
  if (carry_in) i.p({carry_, carry_is_inverted_});
  if (carry_out) {
    i.pd(carry_);
    carry_is_inverted_ = false;
  }
}

// a - b - borrow = a + ~b + !borrow, so after a subtraction the predicate holds "no borrow".
void FunctionLowering::sub_borrow(Operand d, Operand a, Operand b, bool wide, bool carry_in, bool carry_out) {
  if (carry_ == mir::kNone) carry_ = tp();
  Op add = wide ? Op::Iadd64 : Op::Iadd;
  if (!carry_in) {
    // d may be a or b: compare first.
    if (carry_out) {
      emit(wide ? Op::Isetp64 : Op::Isetp, {}, a, b).set("cmp", isa::ICmp::Ge).pd(carry_);
      carry_is_inverted_ = true;
    }
    emit(add, d, a, b).set("neg_b", 1);
    return;
  }
  Operand not_b;
  if (b.is_imm()) {
    not_b = mir::imm(wide ? ~b.imm : static_cast<int64_t>(~static_cast<uint32_t>(b.imm)));
  } else if (wide) {
    not_b = pair(lop(isa::LogicOp::Xor, b.word(0), mir::imm(0xFFFFFFFF)),
                 lop(isa::LogicOp::Xor, b.word(1), mir::imm(0xFFFFFFFF)));
  } else {
    not_b = lop(isa::LogicOp::Xor, b, mir::imm(0xFFFFFFFF));
  }
  auto i = emit(add, d, a, not_b).p({carry_, !carry_is_inverted_});
  if (carry_out) {
    i.pd(carry_);
    carry_is_inverted_ = true;
  }
}

// mad.{lo,hi}.cc, madc: the product, then an addition with carry.
void FunctionLowering::lower_mad_carry(const Insn& insn) {
  Type type = insn.type();
  bool wide = ptx::type_bits(type) == 64, high = insn.has("hi");
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  Operand product;
  if (wide) {
    product = high ? mul_hi64(a, b, ptx::is_signed(type)) : mul_lo64(a, b);
  } else {
    product = high ? imul_hi(a, b, ptx::is_signed(type)) : imad(a, b, {});
  }
  add_carry(dst(insn.operands[0], type), product, src(insn.operands[3], type), wide, insn.opcode == "madc",
            insn.has("cc"));
}

// ---- products -------------------------------------------------------------------------------

void FunctionLowering::lower_mul(const Insn& insn) {
  Type type = insn.type();
  bool mad = insn.opcode == "mad";
  if (ptx::is_float(type)) return mad ? lower_fma(insn) : lower_fmul(insn);
  if (insn.has("cc")) return lower_mad_carry(insn);
  int bits = ptx::type_bits(type);
  bool is_signed = ptx::is_signed(type), high = insn.has("hi"), wide = insn.has("wide");
  Type result = wide ? ptx::widened(type) : type;
  Operand d = dst(insn.operands[0], result);
  Operand c = mad ? src(insn.operands[3], result) : Operand{};
  if (bits == 64) {
    Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
    if (!high) return copy(d, mul_lo64(a, b, c));
    Operand product = mul_hi64(a, b, is_signed);
    if (mad) {
      emit(Op::Iadd64, d, product, c);
    } else {
      copy(d, product);
    }
    return;
  }
  if (bits == 16) {
    if (!high && !wide) {
      emit(Op::Imad, d, src(insn.operands[1], type), src(insn.operands[2], type), c);
      return;
    }
    Operand a = source(insn.operands[1], type), b = source(insn.operands[2], type);
    if (wide) {
      emit(Op::Imad, d, a, b, c);
    } else {
      Operand product = shr(imad(a, b, {}), mir::imm(16), is_signed);
      emit(Op::Iadd, d, product, mad ? c : mir::imm(0));
    }
    return;
  }
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  if (wide) {
    emit(Op::ImadWide, d, a, b, c).set("sign", is_signed);
  } else if (insn.has("sat")) {
    emit(Op::Iadd, d, imul_hi(a, b, true), c).set("sat", 1);
  } else {
    emit(Op::Imad, d, a, b, c).set("hi", high).set("sign", high && is_signed);
  }
}

// The product of the low 24 bits: bits 31:0 (lo) or 47:16 (hi).
void FunctionLowering::lower_mul24(const Insn& insn) {
  Type type = insn.type();
  bool is_signed = ptx::is_signed(type), mad = insn.opcode == "mad24";
  auto low24 = [&](const ptx::Operand& operand) {
    Operand v = src(operand, type);
    if (v.is_imm()) {
      uint32_t bits = static_cast<uint32_t>(v.imm) & 0xFFFFFF;
      if (is_signed && bits >> 23) bits |= 0xFF000000;
      return mir::imm(bits);
    }
    Operand d = t32();
    if (is_signed) {
      emit(Op::Bfe, d, v, mir::imm(24 << 8)).set("sign", 1);
    } else {
      emit(Op::Lop, d, v, mir::imm(0xFFFFFF)).set("op", isa::LogicOp::And);
    }
    return d;
  };
  Operand a = low24(insn.operands[1]), b = low24(insn.operands[2]);
  Operand d = dst(insn.operands[0], type);
  Operand c = mad ? src(insn.operands[3], type) : mir::imm(0);
  if (insn.has("lo")) {
    emit(Op::Imad, d, a, b, c);
    return;
  }
  Operand product = mul_wide(a, b, is_signed);
  Operand middle = t32();
  emit(Op::Shf, middle, product.word(0), mir::imm(16), product.word(1)).set("right", 1).set("wrap", 1);
  auto i = emit(Op::Iadd, d, middle, c);
  if (insn.has("sat")) i.set("sat", 1);
}

void FunctionLowering::lower_sad(const Insn& insn) {
  Type type = insn.type();
  Operand d = dst(insn.operands[0], type);
  bool is_signed = ptx::is_signed(type);
  if (ptx::type_bits(type) < 64) {
    emit(Op::Sad, d, source(insn.operands[1], type), source(insn.operands[2], type), src(insn.operands[3], type))
        .set("sign", is_signed);
    return;
  }
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  Operand big = t64(), small = t64();
  emit(Op::Imnmx64, big, a, b).set("max", 1).set("sign", is_signed);
  emit(Op::Imnmx64, small, a, b).set("sign", is_signed);
  emit(Op::Iadd64, d, sub64(big, small), src(insn.operands[3], type));
}

void FunctionLowering::lower_dot(const Insn& insn) {
  // Types: of a and of b; the sum is 32 bits whatever their signs.
  auto i =
      emit(insn.opcode == "dp4a" ? Op::Dp4a : Op::Dp2a, dst(insn.operands[0], Type::kB32),
           src(insn.operands[1], Type::kB32), src(insn.operands[2], Type::kB32), src(insn.operands[3], Type::kB32));
  i.set("sign_a", insn.types[0] == Type::kS32).set("sign_b", insn.types[1] == Type::kS32);
  if (insn.has("hi")) i.set("hi", 1);
}

// ---- one operand, minimum and maximum ----------------------------------------------------------

void FunctionLowering::lower_neg(const Insn& insn) {
  Type type = insn.type();
  if (ptx::is_float(type)) return lower_fsign(insn);
  Operand d = dst(insn.operands[0], type), a = src(insn.operands[1], type);
  bool wide = ptx::type_bits(type) == 64;
  emit(wide ? Op::Iadd64 : Op::Iadd, d, mir::imm(0), a).set("neg_b", 1);
}

void FunctionLowering::lower_abs(const Insn& insn) {
  Type type = insn.type();
  if (ptx::is_float(type)) return lower_fsign(insn);
  Operand d = dst(insn.operands[0], type);
  if (ptx::type_bits(type) < 64) {
    emit(Op::Iabs, d, {}, source(insn.operands[1], type));
    return;
  }
  // (a ^ s) - s with s = a's sign in all bits; as a sum with -s = 0 or 1.
  Operand a = in_register64(src(insn.operands[1], type));
  Operand sign = shr(a.word(1), mir::imm(31), true);
  Operand flipped = pair(lop(isa::LogicOp::Xor, a.word(0), sign), lop(isa::LogicOp::Xor, a.word(1), sign));
  emit(Op::Iadd64, d, flipped, pair(sign, sign)).set("neg_b", 1);
}

void FunctionLowering::lower_minmax(const Insn& insn) {
  Type type = insn.type();
  if (ptx::is_float(type)) return lower_fminmax(insn);
  if (is_packed(type)) return lower_packed(insn);
  bool wide = ptx::type_bits(type) == 64;
  Operand d = dst(insn.operands[0], type);
  bool max = insn.opcode == "max", is_signed = ptx::is_signed(type);
  if (!insn.has("relu")) {
    emit(wide ? Op::Imnmx64 : Op::Imnmx, d, source(insn.operands[1], type), source(insn.operands[2], type))
        .set("max", max)
        .set("sign", is_signed);
    return;
  }
  Operand t = t32();
  emit(Op::Imnmx, t, src(insn.operands[1], type), src(insn.operands[2], type)).set("max", max).set("sign", 1);
  emit(Op::Imnmx, d, t, mir::imm(0)).set("max", 1).set("sign", 1);
}

}  // namespace heddle::compiler::lower
