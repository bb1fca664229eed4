// SPDX-License-Identifier: Apache-2.0
// Video instructions (PTX ISA, "Video Instructions"): parts of registers are taken out, computed
// with at full precision, saturated, and added up or merged into c. Silicon has had no unit for
// most of them since sm_50, nor is there one here.
//
// Intermediate values are 32 bits wide where no operand can need more, else 64. In both widths they count as signed,
// so operands of different signedness mix.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

// Which bits of a register an operand's selector names: %a.b2, %a.h1, or all of it.
struct Part {
  unsigned first, bits;
  int spec() const { return static_cast<int>(first | bits << 8); }  // as BFE and BFI take it
};

Part part_of(const ptx::Operand& operand) {
  if (operand.selector.empty()) return {0, 32};
  const unsigned bits = operand.selector[0] == 'b' ? 8 : 16;
  return {static_cast<unsigned>(operand.selector[1] - '0') * bits, bits};
}

}  // namespace

// One result from x and y, as wide as they are; is_signed: how they compare. 'vset' gives 32 bits in any case.
FunctionLowering::Operand FunctionLowering::video_result(const Insn& insn, std::string_view op, Operand x, Operand y,
                                                         bool wide, bool is_signed) {
  if (op == "add") return wide ? add64(x, y) : iadd(x, y);
  if (op == "sub") return wide ? sub64(x, y) : isub(x, y);
  if (op == "set") {
    const isa::ICmp cmp = insn.has("eq")   ? isa::ICmp::Eq
                          : insn.has("ne") ? isa::ICmp::Ne
                          : insn.has("lt") ? isa::ICmp::Lt
                          : insn.has("le") ? isa::ICmp::Le
                          : insn.has("gt") ? isa::ICmp::Gt
                                           : isa::ICmp::Ge;
    mir::VReg p = wide ? isetp64(cmp, is_signed, x, y) : isetp(cmp, is_signed, x, y);
    return select(when(p), mir::imm(1), mir::imm(0));
  }
  if (op == "avrg") {
    // (x + y + 1) >> 1, without the 1 when the sum is negative: halves go away from zero.
    Operand sum = iadd(x, y);
    return shr(iadd(iadd(sum, shr(sum, mir::imm(31), true)), mir::imm(1)), mir::imm(1), true);
  }
  auto extreme = [&](bool max) {
    Operand d = wide ? t64() : t32();
    emit(wide ? Op::Imnmx64 : Op::Imnmx, d, x, y).set("max", max).set("sign", is_signed);
    return d;
  };
  if (op == "min" || op == "max") return extreme(op == "max");
  // absdiff
  if (wide) return sub64(extreme(true), extreme(false));
  Operand d = t32();
  emit(Op::Sad, d, x, y, mir::imm(0)).set("sign", is_signed);
  return d;
}

// v clamped to the integers of `bits` bits; its low word. is_signed: whether v is.
FunctionLowering::Operand FunctionLowering::video_saturate(Operand v, unsigned bits, Type to, bool is_signed) {
  const bool wide = v.count == 2;
  const int64_t low = ptx::is_signed(to) ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t high = (int64_t{1} << (ptx::is_signed(to) ? bits - 1 : bits)) - 1;
  auto clamp = [&](int64_t bound, bool max) {
    Operand d = wide ? t64() : t32();
    Operand limit = wide ? in_register64(mir::imm(bound)) : mir::imm(static_cast<uint32_t>(bound));
    emit(wide ? Op::Imnmx64 : Op::Imnmx, d, v, limit).set("max", max).set("sign", is_signed);
    v = d;
  };
  if (is_signed && (wide || low > INT32_MIN)) clamp(low, true);
  if (wide || high < INT32_MAX) clamp(high, false);
  return word(v, 0);
}

// A source's part, extended to 32 or 64 bits.
FunctionLowering::Operand FunctionLowering::video_source(const ptx::Operand& operand, Type type, bool wide) {
  Operand v = src(operand, type);
  const Part part = part_of(operand);
  if (part.bits < 32) {
    Operand d = t32();
    emit(Op::Bfe, d, in_register(v), mir::imm(part.spec())).set("sign", ptx::is_signed(type));
    v = d;
  }
  return wide ? extend64(v, type) : v;
}

// The scalar instructions' last step: saturate, then add (…) c, or merge into c at d's part.
void FunctionLowering::video_finish(const Insn& insn, Operand v, Type type, bool is_signed) {
  const Part part = part_of(insn.operands[0]);
  v = insn.has("sat") ? video_saturate(v, part.bits, type, is_signed) : word(v, 0);
  Operand d = dst(insn.operands[0], type);
  if (insn.operands.size() < 4) return copy(d, v);
  Operand c = src(insn.operands[3], type);
  if (part.bits < 32) {
    emit(Op::Bfi, d, in_register(v), mir::imm(part.spec()), in_register(c));
  } else if (insn.has("add")) {
    emit(Op::Iadd, d, v, c);
  } else {
    emit(Op::Imnmx, d, v, c).set("max", insn.has("max")).set("sign", ptx::is_signed(type));
  }
}

void FunctionLowering::lower_video(const Insn& insn) {
  const std::string_view op = insn.opcode.substr(1);
  const Type at = insn.types[1], bt = insn.types[2];
  const Type to = op == "set" ? Type::kU32 : insn.type();  // 'vset' has no type of its own for d
  const ptx::Operand &a = insn.operands[1], &b = insn.operands[2];
  if (op == "shl" || op == "shr") {
    Operand n = video_source(b, bt, false);
    if (insn.has("wrap")) n = lop(isa::LogicOp::And, n, mir::imm(31));
    else {
      Operand least = t32();
      emit(Op::Imnmx, least, n, mir::imm(32)).set("sign", 0);
      n = least;
    }
    Operand x = in_register64(video_source(a, at, true));
    const bool is_signed = ptx::is_signed(at);
    return video_finish(insn, op == "shl" ? shl64(x, n) : shr64(x, n, is_signed), to, is_signed);
  }
  const bool narrow = part_of(a).bits < 32 && part_of(b).bits < 32;
  // Of whole words, sums and differences need 64 bits to be saturated only, comparisons if the types differ only.
  const bool modular = (op == "add" || op == "sub" || at == bt) && !insn.has("sat");
  const bool wide = !narrow && !modular;
  const bool is_signed = narrow || wide || ptx::is_signed(at);
  Operand v = video_result(insn, op, video_source(a, at, wide), video_source(b, bt, wide), wide, is_signed);
  video_finish(insn, v, to, true);
}

// vmad: (±(a * b) ± c (+ 1 for .po)) >> (0, 7, 15). Exact in 64 bits, save where .sat must see more: there the product
// is cut to what saturates, too.
void FunctionLowering::lower_vmad(const Insn& insn) {
  const Type at = insn.types[1], bt = insn.types[2];
  const ptx::Operand &a = insn.operands[1], &b = insn.operands[2], &c = insn.operands[3];
  const bool minus_product = a.minus != b.minus;
  const bool both_unsigned = !ptx::is_signed(at) && !ptx::is_signed(bt);
  const bool is_signed = !both_unsigned || minus_product || c.minus;
  Operand product = at == bt ? mul_wide(video_source(a, at, false), video_source(b, bt, false), ptx::is_signed(at))
                             : mul_lo64(video_source(a, at, true), video_source(b, bt, true));
  if (insn.has("sat")) {
    constexpr int64_t kEnough = int64_t{1} << 62;
    auto clamp = [&](int64_t bound, bool max) {
      Operand d = t64();
      emit(Op::Imnmx64, d, product, in_register64(mir::imm(bound))).set("max", max).set("sign", !both_unsigned);
      product = d;
    };
    clamp(kEnough, false);
    if (!both_unsigned) clamp(-kEnough, true);
  }
  if (minus_product) product = sub64(mir::imm(0), product);
  Operand addend = src(c, Type::kU32);
  if (c.minus) addend = lop(isa::LogicOp::Xor, addend, mir::imm(0xFFFFFFFF));
  Operand sum = add64(product, in_register64(extend64(addend, is_signed ? Type::kS32 : Type::kU32)));
  if (c.minus || insn.has("po")) sum = add64(sum, mir::imm(1));
  if (insn.has("shr7") || insn.has("shr15")) sum = shr64(sum, mir::imm(insn.has("shr7") ? 7 : 15), is_signed);
  Operand d = dst(insn.operands[0], insn.type());
  copy(d, insn.has("sat") ? video_saturate(sum, 32, is_signed ? Type::kS32 : Type::kU32, is_signed) : sum.word(0));
}

// The SIMD instructions: 2 lanes of 16 bits or 4 of 8. A digit of a source's selector names, for its lane, one of the
// lanes of a (0…) or of b (behind a's); d's selector says which lanes are written. .add adds what the lanes give,
// whole, to c; else the other lanes are c's.
void FunctionLowering::lower_video_simd(const Insn& insn) {
  const unsigned lanes = insn.opcode.back() == '2' ? 2 : 4, bits = 32 / lanes;
  const std::string_view op = insn.opcode.substr(1, insn.opcode.size() - 2);
  const Type to = op == "set" ? Type::kU32 : insn.type();
  const Operand both[] = {in_register(src(insn.operands[1], Type::kB32)),
                          in_register(src(insn.operands[2], Type::kB32))};
  auto source = [&](unsigned which, unsigned lane) {
    const std::string_view selector = insn.operands[which].selector;
    unsigned from = (which - 1) * lanes + lane;
    if (!selector.empty()) from = static_cast<unsigned>(selector[lanes - lane] - '0');
    Operand d = t32();
    emit(Op::Bfe, d, both[from / lanes], mir::imm(Part{from % lanes * bits, bits}.spec()))
        .set("sign", ptx::is_signed(insn.types[which]));
    return d;
  };
  const std::string_view mask = insn.operands[0].selector;
  const bool all = mask.empty() || mask.size() == lanes + 1;
  Operand result = src(insn.operands[3], Type::kB32);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!all && mask.find(static_cast<char>('0' + lane)) == mask.npos) continue;
    Operand v = video_result(insn, op, source(1, lane), source(2, lane), false, true);
    if (insn.has("sat")) v = video_saturate(v, bits, to, true);
    if (insn.has("add")) {
      result = iadd(result, v);
    } else if (all && lane == 0) {
      result = v;  // every other lane's bits are written over
    } else {
      Operand merged = t32();
      emit(Op::Bfi, merged, v, mir::imm(Part{lane * bits, bits}.spec()), in_register(result));
      result = merged;
    }
  }
  copy(dst(insn.operands[0], to), result);
}

// add, min, max of .u16x2 and .s16x2.
void FunctionLowering::lower_packed(const Insn& insn) {
  const Type half = insn.type() == Type::kS16x2 ? Type::kS16 : Type::kU16;
  const bool is_signed = half == Type::kS16;
  const Operand a = in_register(src(insn.operands[1], Type::kB32)), b = in_register(src(insn.operands[2], Type::kB32));
  Operand v[2];
  for (unsigned lane = 0; lane < 2; ++lane) {
    auto source = [&](const Operand& from) {
      Operand d = t32();
      emit(Op::Bfe, d, from, mir::imm(Part{lane * 16, 16}.spec())).set("sign", is_signed);
      return d;
    };
    v[lane] = video_result(insn, insn.opcode, source(a), source(b), false, true);
    if (insn.has("relu")) {
      Operand positive = t32();
      emit(Op::Imnmx, positive, v[lane], mir::imm(0)).set("max", 1).set("sign", 1);
      v[lane] = positive;
    }
  }
  emit(Op::Bfi, dst(insn.operands[0], Type::kB32), v[1], mir::imm(Part{16, 16}.spec()), v[0]);
}

}  // namespace heddle::compiler::lower
