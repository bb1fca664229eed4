// SPDX-License-Identifier: Apache-2.0
// Comparison and selection.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

std::optional<isa::ICmp> integer_compare(const ptx::Instruction& insn) {
  struct Row {
    std::string_view name;
    isa::ICmp cmp;
  };
  static constexpr Row kRows[] = {{"eq", isa::ICmp::Eq}, {"ne", isa::ICmp::Ne}, {"lt", isa::ICmp::Lt},
                                  {"le", isa::ICmp::Le}, {"gt", isa::ICmp::Gt}, {"ge", isa::ICmp::Ge},
                                  {"lo", isa::ICmp::Lt}, {"ls", isa::ICmp::Le}, {"hi", isa::ICmp::Gt},
                                  {"hs", isa::ICmp::Ge}};
  for (const Row& row : kRows) {
    if (insn.has(row.name)) return row.cmp;
  }
  return std::nullopt;
}

std::optional<isa::FCmp> float_compare(const ptx::Instruction& insn) {
  struct Row {
    std::string_view name;
    isa::FCmp cmp;
  };
  static constexpr Row kRows[] = {{"eq", isa::FCmp::Eq},   {"ne", isa::FCmp::Ne},   {"lt", isa::FCmp::Lt},
                                  {"le", isa::FCmp::Le},   {"gt", isa::FCmp::Gt},   {"ge", isa::FCmp::Ge},
                                  {"equ", isa::FCmp::Equ}, {"neu", isa::FCmp::Neu}, {"ltu", isa::FCmp::Ltu},
                                  {"leu", isa::FCmp::Leu}, {"gtu", isa::FCmp::Gtu}, {"geu", isa::FCmp::Geu},
                                  {"num", isa::FCmp::Num}, {"nan", isa::FCmp::Nan}};
  for (const Row& row : kRows) {
    if (insn.has(row.name)) return row.cmp;
  }
  return std::nullopt;
}

isa::BoolOp bool_op(const ptx::Instruction& insn) {
  if (insn.has("or")) return isa::BoolOp::Or;
  if (insn.has("xor")) return isa::BoolOp::Xor;
  return isa::BoolOp::And;
}

}  // namespace

// pd = (a cmp b) op with; pq = !(a cmp b) op with, or, of pairs, the upper halves' (a cmp b) op with.
void FunctionLowering::compare(const Insn& insn, mir::VReg pd, mir::VReg pq, const ptx::Operand& a,
                               const ptx::Operand& b, Pred with) {
  Type type = insn.types[0];
  if (!ptx::is_float(type)) {
    Op op = ptx::type_bits(type) == 64 ? Op::Isetp64 : Op::Isetp;
    emit(op, {}, source(a, type), source(b, type))
        .set("cmp", integer_compare(insn).value_or(isa::ICmp::Eq))
        .set("sign", ptx::is_signed(type))
        .set("op", bool_op(insn))
        .pd(pd)
        .pq(pq)
        .p(with);
    return;
  }
  if (is_half(type)) {
    emit(Op::Hsetp2, {}, src(a, type), src(b, type))
        .set("cmp", float_compare(insn).value_or(isa::FCmp::Eq))
        .set("op", bool_op(insn))
        .set("bf16", narrow_format(type) == isa::FloatFormat::Bf16)
        .set("ftz", insn.has("ftz"))
        .set("both", is_half_pair(type))
        .pd(pd)
        .pq(pq)
        .p(with);
    return;
  }
  if (type != Type::kF32 && type != Type::kF64) return unsupported(insn);
  emit(type == Type::kF64 ? Op::Dsetp : Op::Fsetp, {}, src(a, type), src(b, type))
      .set("cmp", float_compare(insn).value_or(isa::FCmp::Eq))
      .set("op", bool_op(insn))
      .set("ftz", insn.has("ftz"))
      .pd(pd)
      .pq(pq)
      .p(with);
}

void FunctionLowering::lower_setp(const Insn& insn) {
  Pred with = insn.operands.size() > 3 ? pred(insn.operands[3]) : Pred{};
  compare(insn, pred_dst(insn.operands[0]), second_dst(insn.operands[0]), insn.operands[1], insn.operands[2], with);
}

// set: all ones or 1.0 where the comparison holds, else 0; of pairs in each half.
void FunctionLowering::lower_set(const Insn& insn) {
  Type to = insn.types[1];
  const bool pair = is_half_pair(insn.types[0]);
  if (is_half_pair(to) && !pair) return unsupported(insn);
  const uint32_t held = to == Type::kF32                              ? 0x3F800000
                        : narrow_format(to) == isa::FloatFormat::F16  ? 0x3C00
                        : narrow_format(to) == isa::FloatFormat::Bf16 ? 0x3F80
                                                                      : 0xFFFFFFFF;
  Pred with = insn.operands.size() > 3 ? pred(insn.operands[3]) : Pred{};
  mir::VReg low = tp(), high = pair ? tp() : mir::kNone;
  compare(insn, low, high, insn.operands[1], insn.operands[2], with);
  Operand d = dst(insn.operands[0], to);
  if (!pair) {
    emit(Op::Sel, d, mir::imm(held), mir::imm(0)).p(when(low));
    return;
  }
  Operand upper = select(when(high), mir::imm(held << 16), mir::imm(0));
  emit(Op::Lop, d, select(when(low), mir::imm(held & 0xFFFF), mir::imm(0)), upper).set("op", isa::LogicOp::Or);
}

void FunctionLowering::lower_selp(const Insn& insn) {
  Type type = insn.type();
  Operand d = dst(insn.operands[0], type);
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  Pred p = pred(insn.operands[3]);
  for (unsigned i = 0; i < d.count; ++i) {
    emit(Op::Sel, d.word(i), word(a, i), word(b, i)).p(p);
  }
}

// slct: c >= 0 ? a : b; a NaN c selects b.
void FunctionLowering::lower_slct(const Insn& insn) {
  Type type = insn.types[0], selector = insn.types[1];
  Operand c = src(insn.operands[3], selector);
  mir::VReg p = tp();
  if (selector == Type::kF32) {
    emit(Op::Fsetp, {}, c, mir::imm(0)).set("cmp", isa::FCmp::Ge).set("ftz", insn.has("ftz")).pd(p);
  } else {
    emit(Op::Isetp, {}, c, mir::imm(0)).set("cmp", isa::ICmp::Ge).set("sign", 1).pd(p);
  }
  Operand d = dst(insn.operands[0], type);
  Operand a = src(insn.operands[1], type), b = src(insn.operands[2], type);
  for (unsigned i = 0; i < d.count; ++i) {
    emit(Op::Sel, d.word(i), word(a, i), word(b, i)).p(when(p));
  }
}

// testp on the bits without the sign: f32's word, or f64's high word with the low one folded into
// its last bit (which keeps every class: zero, subnormal, normal, infinity, NaN).
void FunctionLowering::lower_testp(const Insn& insn) {
  Type type = insn.type();
  bool wide = type == Type::kF64;
  Operand a = src(insn.operands[1], type);
  Operand magnitude = lop(isa::LogicOp::And, word(a, wide ? 1 : 0), mir::imm(0x7FFFFFFF));
  if (wide) {
    mir::VReg rest = isetp(isa::ICmp::Ne, false, word(a, 0), mir::imm(0));
    magnitude = lop(isa::LogicOp::Or, magnitude, select(when(rest), mir::imm(1), mir::imm(0)));
  }
  const uint32_t infinity = wide ? 0x7FF00000 : 0x7F800000;
  const uint32_t least_normal = wide ? 0x00100000 : 0x00800000;
  mir::VReg d = pred_dst(insn.operands[0]);
  auto test = [&](isa::ICmp cmp, uint32_t limit, mir::VReg p, Pred with = {}) {
    emit(Op::Isetp, {}, magnitude, mir::imm(limit)).set("cmp", cmp).pd(p).p(with);
  };
  if (insn.has("finite")) {
    test(isa::ICmp::Lt, infinity, d);
  } else if (insn.has("infinite")) {
    test(isa::ICmp::Eq, infinity, d);
  } else if (insn.has("number")) {
    test(isa::ICmp::Le, infinity, d);
  } else if (insn.has("notanumber")) {
    test(isa::ICmp::Gt, infinity, d);
  } else {
    // Subnormal: 0 < m < least. Zeros count as normal, as silicon has it.
    Operand below = isub(magnitude, mir::imm(1));
    bool normal = insn.has("normal");
    mir::VReg finite = tp();
    if (normal) test(isa::ICmp::Lt, infinity, finite);
    emit(Op::Isetp, {}, below, mir::imm(least_normal - 1))
        .set("cmp", normal ? isa::ICmp::Ge : isa::ICmp::Lt)
        .pd(d)
        .p(normal ? when(finite) : Pred{});
  }
}

}  // namespace heddle::compiler::lower
