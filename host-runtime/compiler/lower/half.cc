// SPDX-License-Identifier: Apache-2.0
// f16 and bf16: one number in the low half of a register, or two. The machine's instructions work on both halves; what
// the upper one holds of a single number does not matter.
//
// A machine without unit Fp16 computes the same bits in f32: sums and f16's products have so few bits that rounding to
// f32 first changes nothing; others are rounded to odd first (`odd`), which keeps what the second rounding must know.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

using isa::FloatFormat;
using isa::Rounding;

bool FunctionLowering::is_half(Type type) {
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBf16 || type == Type::kBf16x2;
}

bool FunctionLowering::is_half_pair(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }

FloatFormat FunctionLowering::narrow_format(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2: return FloatFormat::F16;
    case Type::kBf16:
    case Type::kBf16x2: return FloatFormat::Bf16;
    case Type::kE4m3x2: return FloatFormat::E4m3;
    case Type::kE5m2x2: return FloatFormat::E5m2;
    default: return FloatFormat::F32;
  }
}

// add, sub, mul, fma, min, max, abs, neg
void FunctionLowering::lower_half(const Insn& insn) {
  Type type = insn.type();
  const std::string_view op = insn.opcode;
  const bool bf16 = narrow_format(type) == FloatFormat::Bf16, sign = op == "abs" || op == "neg";
  Operand d = dst(insn.operands[0], type), a = src(insn.operands[1], type);
  // The sum with -0 makes NaN results what arithmetic gives.
  Operand b = sign ? mir::imm(0x80008000) : src(insn.operands[2], type);
  const bool ftz = insn.has("ftz");
  if (op == "mul") {
    emit(Op::Hmul2, d, a, b).set("bf16", bf16).set("ftz", ftz).set("sat", insn.has("sat"));
  } else if (op == "fma") {
    Operand sum = insn.has("oob") ? t32() : d;
    emit(Op::Hfma2, sum, a, b, src(insn.operands[3], type))
        .set("bf16", bf16)
        .set("ftz", ftz)
        .set("sat", insn.has("sat"))
        .set("relu", insn.has("relu"));
    if (insn.has("oob")) copy(d, without_outside(sum, a, b, is_half_pair(type)));
  } else if (op == "min" || op == "max") {
    emit(Op::Hmnmx2, d, a, b)
        .set("bf16", bf16)
        .set("ftz", ftz)
        .set("max", op == "max")
        .set("nan", insn.has("NaN"))
        .set("xorsign_abs", insn.has("xorsign"));
  } else {
    emit(Op::Hadd2, d, a, b)
        .set("bf16", bf16)
        .set("ftz", ftz)
        .set("sat", insn.has("sat"))
        .set("neg_a", op == "neg")
        .set("abs_a", op == "abs")
        .set("neg_b", op == "sub");
  }
}

// fma.oob: 0 where a factor is the NaN that stands for elements outside a tensor, 0x7ff7 with either sign.
FunctionLowering::Operand FunctionLowering::without_outside(Operand sum, Operand a, Operand b, bool pair) {
  constexpr int64_t kSize = 0x7FFF7FFF, kOutside = 0x7FF77FF7;
  for (const Operand& factor : {a, b}) {
    // Zero in the halves that are that NaN.
    Operand differs =
        lop(isa::LogicOp::Xor, lop(isa::LogicOp::And, in_register(factor), mir::imm(kSize)), mir::imm(kOutside));
    for (int64_t half : {int64_t{0xFFFF}, int64_t{0xFFFF0000}}) {
      if (half != 0xFFFF && !pair) continue;
      mir::VReg outside = isetp(isa::ICmp::Eq, false, lop(isa::LogicOp::And, differs, mir::imm(half)), mir::imm(0));
      sum = select(when(outside), lop(isa::LogicOp::And, sum, mir::imm(half ^ 0xFFFFFFFF)), sum);
    }
  }
  return sum;
}

// ex2, tanh: silicon's are the function's in f32, cut to the format.
void FunctionLowering::lower_half_special(const Insn& insn) {
  Type type = insn.type();
  const FloatFormat format = narrow_format(type);
  const bool exponential = insn.opcode == "ex2";
  Operand d = dst(insn.operands[0], type), x = src(insn.operands[1], type);
  auto function = [&](bool high) {
    Operand y = mufu(exponential ? isa::MufuOp::Ex2 : isa::MufuOp::Tanh, convert(x, format, FloatFormat::F32, high));
    Operand r = t32();
    f2f(r, y, FloatFormat::F32, format).set("rnd", Rounding::Rz);
    if (!exponential || format != FloatFormat::F16) return r;
    // But beyond f16's numbers there is infinity.
    mir::VReg large = tp();
    emit(Op::Fsetp, {}, y, mir::imm(0x47800000)).set("cmp", isa::FCmp::Ge).pd(large);
    return select(when(large), in_register(mir::imm(0x7C00)), r);
  };
  Operand low = function(false);
  if (!is_half_pair(type)) return copy(d, low);
  emit(Op::Prmt, d, low, mir::imm(0x5410), function(true));
}

mir::Builder::Ref FunctionLowering::f2f(Operand d, Operand x, FloatFormat from, FloatFormat to) {
  return emit(Op::F2f, d, {}, x).set("from", from).set("to", to);
}

FunctionLowering::Operand FunctionLowering::convert(Operand x, FloatFormat from, FloatFormat to, bool high) {
  Operand d = t32();
  f2f(d, x, from, to).set("high", high);
  return d;
}

// The f32 that operation(d, rounding) gives, rounded to odd: of the numbers below and above an inexact result, which
// are neighbours, the odd one.
FunctionLowering::Operand FunctionLowering::odd(const std::function<void(Operand, Rounding)>& operation) {
  Operand down = t32(), up = t32();
  operation(down, Rounding::Rm);
  operation(up, Rounding::Rp);
  mir::VReg is_odd = isetp(isa::ICmp::Ne, false, lop(isa::LogicOp::And, down, mir::imm(1)), mir::imm(0));
  return select(when(is_odd), down, up);
}

// ---- machines without unit Fp16 ---------------------------------------------------------------

void FunctionLowering::soften_half() {
  for (mir::BlockId block = 0; block < out_.blocks.size(); ++block) {
    std::vector<mir::Instruction> body = std::move(out_.blocks[block].body);
    out_.blocks[block].body.clear();
    b_.set_block(block);
    for (mir::Instruction& i : body) {
      if (i.pseudo != mir::Pseudo::None || i.info().unit != isa::Unit::Fp16) {
        out_.blocks[block].body.push_back(std::move(i));
        continue;
      }
      // Only what writes the results is guarded.
      b_.set_guard({});
      b_.set_loc(i.loc);
      if (i.op == Op::Hsetp2) soften_half_compare(i);
      else soften_half_arithmetic(i);
      b_.set_guard({});
    }
  }
}

// One half of an operand as f32.
FunctionLowering::Operand FunctionLowering::half_as_f32(const mir::Instruction& i, const Operand& operand, bool high) {
  Operand d = t32();
  f2f(d, in_register(operand), i.field("bf16") ? FloatFormat::Bf16 : FloatFormat::F16, FloatFormat::F32)
      .set("high", high)
      .set("ftz", i.field("ftz"))
      .set("keep", 1);  // .xorsign looks at a NaN's sign
  return d;
}

void FunctionLowering::soften_half_arithmetic(const mir::Instruction& i) {
  const bool bf16 = i.field("bf16");
  auto half = [&](bool high) {
    Operand a = half_as_f32(i, i.a, high), b = half_as_f32(i, i.b, high), r = t32();
    switch (i.op) {
      case Op::Hadd2:
        emit(Op::Fadd, r, a, b)
            .set("neg_a", i.field("neg_a"))
            .set("neg_b", i.field("neg_b"))
            .set("abs_a", i.field("abs_a"));
        return r;
      case Op::Hmnmx2:
        emit(Op::Fmnmx, r, a, b)
            .set("max", i.field("max"))
            .set("nan", i.field("nan"))
            .set("xorsign_abs", i.field("xorsign_abs"));
        return r;
      case Op::Hmul2:
        if (bf16) return odd([&](Operand d, Rounding rounding) { emit(Op::Fmul, d, a, b).set("rnd", rounding); });
        emit(Op::Fmul, r, a, b);
        return r;
      default: {
        Operand c = half_as_f32(i, i.c, high);
        return odd([&](Operand d, Rounding rounding) { emit(Op::Ffma, d, a, b, c).set("rnd", rounding); });
      }
    }
  };
  auto rounded = [&](Operand d, Operand x) {
    return f2f(d, x, FloatFormat::F32, bf16 ? FloatFormat::Bf16 : FloatFormat::F16)
        .set("ftz", i.field("ftz"))
        .set("sat", i.field("sat"))
        .set("relu", i.field("relu"));
  };
  Operand low = half(false), high = t32();
  rounded(high, half(true));
  b_.set_guard(i.guard);
  auto last = rounded(i.dst, low).set("pack", 1);
  last->a = high;
  last->fresh = i.fresh;
}

void FunctionLowering::soften_half_compare(const mir::Instruction& i) {
  auto compare = [&](bool high, mir::VReg pd, mir::VReg pq, Pred guard) {
    Operand a = half_as_f32(i, i.a, high), b = half_as_f32(i, i.b, high);
    b_.set_guard(guard);
    emit(Op::Fsetp, {}, a, b).set("cmp", i.field("cmp")).set("op", i.field("op")).pd(pd).pq(pq).p(i.p);
    b_.set_guard({});
  };
  if (!i.field("both")) return compare(false, i.pd, i.pq, i.guard);
  mir::VReg low = tp();  // pd may be what the other half's result is combined with
  compare(false, low, mir::kNone, {});
  if (i.pq != mir::kNone) compare(true, i.pq, mir::kNone, i.guard);
  b_.set_guard(i.guard);
  if (i.pd != mir::kNone) b_.copy_pred(i.pd, when(low));
}

}  // namespace heddle::compiler::lower
