// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, counts, permutation.
#include <algorithm>

#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

void FunctionLowering::lower_logic(const Insn& insn) {
  isa::LogicOp op = insn.opcode == "and"  ? isa::LogicOp::And
                    : insn.opcode == "or" ? isa::LogicOp::Or
                                          : isa::LogicOp::Xor;
  Type type = insn.type();
  if (type == Type::kPred) {
    emit(Op::Plop, {})
        .set("op", op)
        .pd(pred_dst(insn.operands[0]))
        .p(pred(insn.operands[1]))
        .p2(pred(insn.operands[2]));
    return;
  }
  Operand d = dst(insn.operands[0], type);
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  if (d.count == 2) {
    // Each result word reads only its own source words, so d may be a or b.
    emit(Op::Lop, d.word(0), word(a, 0), word(b, 0)).set("op", op);
    emit(Op::Lop, d.word(1), word(a, 1), word(b, 1)).set("op", op);
  } else {
    emit(Op::Lop, d, a, b).set("op", op);
  }
}

void FunctionLowering::lower_not(const Insn& insn) {
  Type type = insn.type();
  if (type == Type::kPred) {
    b_.copy_pred(pred_dst(insn.operands[0]), !pred(insn.operands[1]));
    return;
  }
  Operand d = dst(insn.operands[0], type), a = src(insn.operands[1], type);
  for (unsigned i = 0; i < d.count; ++i) {
    emit(Op::Lop, d.word(i), word(a, i), mir::imm(0xFFFFFFFF)).set("op", isa::LogicOp::Xor);
  }
}

void FunctionLowering::lower_cnot(const Insn& insn) {
  Type type = insn.type();
  Operand d = dst(insn.operands[0], type);
  Operand a = source(insn.operands[1], type);
  if (d.count == 1) {
    mir::VReg zero = isetp(isa::ICmp::Eq, false, a, mir::imm(0));
    emit(Op::Sel, d, mir::imm(1), mir::imm(0)).p(when(zero));
    return;
  }
  mir::VReg zero = isetp64(isa::ICmp::Eq, false, a, mir::imm(0));
  emit(Op::Sel, d.word(0), mir::imm(1), mir::imm(0)).p(when(zero));
  copy(d.word(1), mir::imm(0));
}

void FunctionLowering::lower_lop3(const Insn& insn) {
  size_t lut = 4;
  const ptx::Operand& target = insn.operands[0];
  Operand d = dst(target, Type::kB32);
  emit(Op::Lop3, d, src(insn.operands[1], Type::kB32), src(insn.operands[2], Type::kB32),
       src(insn.operands[3], Type::kB32))
      .set("lut", static_cast<unsigned>(insn.operands[lut].bits & 0xFF));
  mir::VReg p = second_dst(target);
  if (insn.operands.size() > 5 && p != mir::kNone) {
    isa::BoolOp op = insn.has("or") ? isa::BoolOp::Or : isa::BoolOp::And;
    emit(Op::Isetp, {}, d, mir::imm(0)).set("cmp", isa::ICmp::Ne).set("op", op).pd(p).p(pred(insn.operands[5]));
  }
}

// ---- shifts ---------------------------------------------------------------------------------

void FunctionLowering::lower_shift(const Insn& insn) {
  Type type = insn.type();
  bool left = insn.opcode == "shl", wide = ptx::type_bits(type) == 64;
  Operand d = dst(insn.operands[0], type);
  Operand n = src(insn.operands[2], Type::kU32);
  if (left) {
    emit(wide ? Op::Shl64 : Op::Shl, d, src(insn.operands[1], type), n);
  } else {
    emit(wide ? Op::Shr64 : Op::Shr, d, source(insn.operands[1], type), n).set("sign", ptx::is_signed(type));
  }
}

void FunctionLowering::lower_shf(const Insn& insn) {
  Type type = insn.type();
  emit(Op::Shf, dst(insn.operands[0], type), src(insn.operands[1], type), src(insn.operands[3], Type::kU32),
       src(insn.operands[2], type))
      .set("right", insn.has("r"))
      .set("wrap", insn.has("wrap"));
}

void FunctionLowering::lower_prmt(const Insn& insn) {
  isa::PrmtMode mode = insn.has("f4e")    ? isa::PrmtMode::F4e
                       : insn.has("b4e")  ? isa::PrmtMode::B4e
                       : insn.has("rc8")  ? isa::PrmtMode::Rc8
                       : insn.has("ecl")  ? isa::PrmtMode::Ecl
                       : insn.has("ecr")  ? isa::PrmtMode::Ecr
                       : insn.has("rc16") ? isa::PrmtMode::Rc16
                                          : isa::PrmtMode::Idx;
  Type type = insn.type();
  emit(Op::Prmt, dst(insn.operands[0], type), src(insn.operands[1], type), src(insn.operands[3], type),
       src(insn.operands[2], type))
      .set("mode", mode);
}

// ---- bit fields -----------------------------------------------------------------------------

// Position and length as BFE and BFI take them: one word, position in byte 0, length in byte 1.
FunctionLowering::Operand FunctionLowering::field_spec(const Operand& pos, const Operand& len) {
  if (pos.is_imm() && len.is_imm()) {
    return mir::imm((pos.imm & 0xFF) | (len.imm & 0xFF) << 8);
  }
  Operand d = t32();
  emit(Op::Prmt, d, pos, mir::imm(0x7740), len);
  return d;
}

// 64 - len, 0 from 64 on. Unlike the 32-bit forms, silicon's 64-bit ones do not cut position and
// length to 8 bits.
FunctionLowering::Operand FunctionLowering::bits_left(const Operand& len) {
  if (len.is_imm()) return mir::imm(len.imm > 64 ? 0 : 64 - len.imm);
  Operand clamped = t32();
  emit(Op::Imnmx, clamped, len, mir::imm(64)).set("max", 0).set("sign", 0);
  return isub(mir::imm(64), clamped);
}

void FunctionLowering::lower_bfe(const Insn& insn) {
  Type type = insn.type();
  bool is_signed = ptx::is_signed(type);
  Operand d = dst(insn.operands[0], type), a = src(insn.operands[1], type);
  Operand pos = src(insn.operands[2], Type::kU32), len = src(insn.operands[3], Type::kU32);
  if (ptx::type_bits(type) == 32) {
    emit(Op::Bfe, d, a, field_spec(pos, len)).set("sign", is_signed);
    return;
  }
  // Shift the field to the bottom, then to the top and back: the last shift extends it. Shifts by
  // 64 and more give 0 or all sign, which is what an empty or overhanging field wants.
  Operand rest = bits_left(len);
  Operand low = shr64(a, pos, is_signed);
  emit(Op::Shr64, d, shl64(low, rest), rest).set("sign", is_signed);
}

void FunctionLowering::lower_bfi(const Insn& insn) {
  Type type = insn.type();
  Operand d = dst(insn.operands[0], type);
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  Operand pos = src(insn.operands[3], Type::kU32), len = src(insn.operands[4], Type::kU32);
  if (ptx::type_bits(type) == 32) {
    emit(Op::Bfi, d, a, field_spec(pos, len), b);
    return;
  }
  Operand rest = bits_left(len);
  Operand mask = shl64(shr64(in_register64(mir::imm(-1)), rest, false), pos);
  Operand field = shl64(a, pos);
  // mask ? field : b, bit by bit.
  Operand low = t32(), high = t32();
  emit(Op::Lop3, low, mask.word(0), field.word(0), word(b, 0)).set("lut", 0xCA);
  emit(Op::Lop3, high, mask.word(1), field.word(1), word(b, 1)).set("lut", 0xCA);
  copy(d.word(0), low);
  copy(d.word(1), high);
}

// szext: sign- or zero-extend from bit n - 1; n = b & 31 (wrap) or b, all bits from 32 on (clamp).
void FunctionLowering::lower_szext(const Insn& insn) {
  Type type = insn.type();
  Operand n = src(insn.operands[2], Type::kU32), len = t32();
  if (insn.has("wrap")) {
    emit(Op::Lop, len, n, mir::imm(31)).set("op", isa::LogicOp::And);
  } else {
    emit(Op::Imnmx, len, n, mir::imm(32)).set("sign", 0);
  }
  emit(Op::Bfe, dst(insn.operands[0], type), src(insn.operands[1], type), field_spec(mir::imm(0), len))
      .set("sign", ptx::is_signed(type));
}

// bmsk: b ones from bit a on.
void FunctionLowering::lower_bmsk(const Insn& insn) {
  Operand pos = src(insn.operands[1], Type::kU32), len = src(insn.operands[2], Type::kU32);
  Operand d = dst(insn.operands[0], Type::kB32);
  if (insn.has("wrap")) {
    pos = lop(isa::LogicOp::And, pos, mir::imm(31));
    len = lop(isa::LogicOp::And, len, mir::imm(31));
  }
  // (1 << len) - 1, all ones from 32 on, as SHL gives 0 there.
  Operand ones = isub(shl(mir::imm(1), len), mir::imm(1));
  emit(Op::Shl, d, ones, pos);
}

// ---- counts ---------------------------------------------------------------------------------

void FunctionLowering::lower_bfind(const Insn& insn) {
  Type type = insn.type();
  bool is_signed = ptx::is_signed(type), shift = insn.has("shiftamt");
  isa::LeadMode mode = shift ? isa::LeadMode::Shift : isa::LeadMode::Bit;
  Operand d = dst(insn.operands[0], Type::kU32), a = src(insn.operands[1], type);
  if (ptx::type_bits(type) == 32) {
    emit(Op::Flo, d, {}, a).set("mode", mode).set("sign", is_signed);
    return;
  }
  a = in_register64(a);
  if (is_signed) {
    // The highest bit unlike the sign is the highest one of a ^ sign.
    Operand sign = shr(a.word(1), mir::imm(31), true);
    a = pair(lop(isa::LogicOp::Xor, a.word(0), sign), lop(isa::LogicOp::Xor, a.word(1), sign));
  }
  Operand high = t32(), low = t32();
  emit(Op::Flo, high, {}, a.word(1)).set("mode", mode);
  emit(Op::Flo, low, {}, a.word(0)).set("mode", mode);
  mir::VReg in_high = isetp(isa::ICmp::Ne, false, a.word(1), mir::imm(0));
  if (shift) {
    // 63 - position: 32 more in the low word, unless nothing was found.
    mir::VReg none = isetp(isa::ICmp::Eq, false, a.word(0), mir::imm(0));
    low = select(when(none), low, iadd(low, mir::imm(32)));
  } else {
    high = iadd(high, mir::imm(32));
  }
  emit(Op::Sel, d, high, low).p(when(in_high));
}

void FunctionLowering::lower_count(const Insn& insn) {
  Type type = insn.type();
  bool wide = ptx::type_bits(type) == 64;
  Operand a = src(insn.operands[1], type);
  if (insn.opcode == "brev") {
    Operand d = dst(insn.operands[0], type);
    if (!wide) {
      emit(Op::Brev, d, {}, a);
      return;
    }
    Operand low = t32(), high = t32();
    emit(Op::Brev, low, {}, word(a, 1));
    emit(Op::Brev, high, {}, word(a, 0));
    copy(d.word(0), low);
    copy(d.word(1), high);
    return;
  }
  Operand d = dst(insn.operands[0], Type::kU32);
  if (insn.opcode == "popc") {
    if (!wide) {
      emit(Op::Popc, d, {}, a);
      return;
    }
    Operand low = t32(), high = t32();
    emit(Op::Popc, low, {}, word(a, 0));
    emit(Op::Popc, high, {}, word(a, 1));
    emit(Op::Iadd, d, low, high);
    return;
  }
  if (!wide) {
    emit(Op::Flo, d, {}, a).set("mode", isa::LeadMode::Clz);
    return;
  }
  Operand low = t32(), high = t32();
  emit(Op::Flo, high, {}, word(a, 1)).set("mode", isa::LeadMode::Clz);
  emit(Op::Flo, low, {}, word(a, 0)).set("mode", isa::LeadMode::Clz);
  mir::VReg in_low = isetp(isa::ICmp::Eq, false, word(a, 1), mir::imm(0));
  emit(Op::Sel, d, iadd(low, mir::imm(32)), high).p(when(in_low));
}

// fns: the position of the n-th one of a mask, counted from bit `base` upwards (offset n > 0) or
// downwards (n < 0); the base itself counts as the first; n = 0 asks whether the base is a one.
// 0xffffffff when there is none. The mask is cut at the base and, for counting upwards, reversed,
// so that one loop takes ones off the top.
void FunctionLowering::lower_fns(const Insn& insn) {
  Operand mask = src(insn.operands[1], Type::kB32), base = src(insn.operands[2], Type::kB32);
  Operand offset = in_register(src(insn.operands[3], Type::kS32));
  Operand d = dst(insn.operands[0], Type::kB32);
  mir::VReg up = isetp(isa::ICmp::Gt, true, offset, mir::imm(0));
  mir::VReg zero = isetp(isa::ICmp::Eq, true, offset, mir::imm(0));
  Operand above = lop(isa::LogicOp::And, mask, shl(mir::imm(0xFFFFFFFF), base));
  Operand below = lop(isa::LogicOp::And, mask, shr(mir::imm(0xFFFFFFFF), isub(mir::imm(31), base), false));
  Operand reversed = t32();
  emit(Op::Brev, reversed, {}, above);
  Operand rest = t32(), count = t32(), found = t32();
  emit(Op::Sel, rest, reversed, below).p(when(up));
  Operand magnitude = t32();
  emit(Op::Iabs, magnitude, {}, offset);
  // n = 0: the base alone, counted once.
  Operand base_only = lop(isa::LogicOp::And, mask, shl(mir::imm(1), base));
  emit(Op::Sel, rest, base_only, rest).p(when(zero));
  emit(Op::Imnmx, count, magnitude, mir::imm(1)).set("max", 1);
  mir::BlockId loop = b_.new_block(), more = b_.new_block(), done = b_.new_block();
  start_block(loop);
  emit(Op::Flo, found, {}, rest).set("mode", isa::LeadMode::Bit);
  emit(Op::Iadd, count, count, mir::imm(0xFFFFFFFF));
  mir::VReg last = isetp(isa::ICmp::Eq, false, count, mir::imm(0));
  last = isetp(isa::ICmp::Eq, false, rest, mir::imm(0), when(last), isa::BoolOp::Or);
  b_.branch(when(last), done, more);
  set_block(more);
  emit(Op::Lop, rest, rest, shl(mir::imm(1), found)).set("op", isa::LogicOp::Xor);
  b_.jump(loop);
  set_block(done);
  mir::VReg none = isetp(isa::ICmp::Eq, false, rest, mir::imm(0));
  Operand position = select(when(up), isub(mir::imm(31), found), found);
  emit(Op::Sel, d, mir::imm(0xFFFFFFFF), position).p(when(none));
}

}  // namespace heddle::compiler::lower
