// SPDX-License-Identifier: Apache-2.0
// f32 division, reciprocal and square root, correctly rounded in all four modes.
//
// MUFU gives 1/x or 1/sqrt(x) to one unit in the last place; a Newton step, or one on the root
// itself, rounds it correctly; then the exact remainder, which a fused multiply-add gives, corrects
// the last bit. Exponents are taken off first and put back by integer addition, so the middle part
// knows no overflow and no subnormals.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

constexpr uint32_t kOne = 0x3F800000;
constexpr uint32_t kInfinity = 0x7F800000;
constexpr uint32_t kLeastNormal = 0x00800000;
constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kNan = 0x7FFFFFFF;

}  // namespace

// One step makes the unit's 1/x correctly rounded (tried for all fractions).
FunctionLowering::Operand FunctionLowering::reciprocal(Operand x) {
  Operand y = mufu(isa::MufuOp::Rcp, x);
  return ffma(ffma(x, y, mir::imm(kOne), true), y, y);
}

// q is first brought to within half a unit in the last place (rounding to nearest); its remainder
// r = a - b q is then exact, and q + r y with y = 1/b correctly rounded is, rounded in the mode
// asked for, a / b correctly rounded (Markstein).
FunctionLowering::Operand FunctionLowering::quotient(Operand a, Operand b, isa::Rounding rounding) {
  Operand y = reciprocal(b);
  Operand q = fmul(a, y);
  q = ffma(ffma(b, q, a, true), y, q);
  Operand r = ffma(b, q, a, true);
  Operand d = t32();
  emit(Op::Ffma, d, r, y, q).set("rnd", rounding);
  return d;
}

// Fast path: a, b normal and the quotient too. The rest (zeros, infinities, NaN, subnormals,
// overflow) goes to a block at the end of the function.
void FunctionLowering::divide(Operand d, Operand a, Operand b, isa::Rounding rounding, bool ftz) {
  bool reciprocal_only = a.is_imm();
  Operand tb = lop(isa::LogicOp::And, b, mir::imm(kInfinity));
  Operand normal_b = isub(tb, mir::imm(kLeastNormal));
  // Sign 0 and exponent 127: between 1 and 2. The quotient's sign goes to a.
  Operand sign_and_exponent = in_register(mir::imm(127));
  auto fraction_of = [&](Operand x) {
    Operand m = t32();
    emit(Op::Bfi, m, sign_and_exponent, mir::imm(23 | 9 << 8), x);
    return m;
  };
  Operand mb = fraction_of(b), ma, scale;
  mir::VReg fast;
  if (reciprocal_only) {
    // b < 2^125, so that its reciprocal is normal.
    fast = isetp(isa::ICmp::Lt, false, normal_b, mir::imm(252u << 23));
    scale = isub(mir::imm(kOne), tb);
    ma = lop(isa::LogicOp::Or, lop(isa::LogicOp::And, b, mir::imm(kSign)), mir::imm(kOne));
  } else {
    Operand ta = lop(isa::LogicOp::And, a, mir::imm(kInfinity));
    Operand normal_a = isub(ta, mir::imm(kLeastNormal));
    fast = isetp(isa::ICmp::Lt, false, normal_b, mir::imm(254u << 23));
    fast = isetp(isa::ICmp::Lt, false, normal_a, mir::imm(254u << 23), when(fast));
    scale = isub(ta, tb);
    // The quotient's exponent lies between -126 and 127 when this difference is in [-125, 126].
    fast = isetp(isa::ICmp::Lt, false, iadd(scale, mir::imm(125u << 23)), mir::imm(252u << 23),
                 when(fast));
    Operand sign = t32();
    emit(Op::Lop3, sign, a, mir::imm(kSign), b).set("lut", 0x48);  // (a ^ c) & b
    ma = lop(isa::LogicOp::Or, fraction_of(a), sign);
  }
  Operand result = t32();
  emit(Op::Iadd, result, quotient(ma, mb, rounding), scale);
  mir::BlockId slow = b_.new_block("slow_division"), done = b_.new_block();
  b_.branch(unless(fast), slow, done);
  b_.set_block(slow);
  rare_.push_back(slow);
  b_.function().blocks[slow].rare = true;
  divide_slowly(result, in_register(a), b, rounding, ftz);
  b_.jump(done);
  set_block(done);
  copy(d, result);
}

void FunctionLowering::divide_slowly(Operand d, Operand a, Operand b, isa::Rounding rounding,
                                     bool ftz) {
  if (ftz) {
    a = fround(a, true, false);
    b = fround(b, true, false);
  }
  Operand size_a = lop(isa::LogicOp::And, a, mir::imm(0x7FFFFFFF));
  Operand size_b = lop(isa::LogicOp::And, b, mir::imm(0x7FFFFFFF));
  Operand sign = lop(isa::LogicOp::And, lop(isa::LogicOp::Xor, a, b), mir::imm(kSign));

  // A zero, infinity or NaN on either side: the product with b's reciprocal, where infinity and
  // zero are each other's, is right, signs and NaN included. In bits |b| - 1 >= infinity - 1,
  // unsigned, holds for all of them.
  auto is_special = [&](Operand size, Pred with) {
    return isetp(isa::ICmp::Ge, false, isub(size, mir::imm(1)), mir::imm(kInfinity - 1), with,
                 isa::BoolOp::Or);
  };
  mir::VReg zero_b = isetp(isa::ICmp::Eq, false, size_b, mir::imm(0));
  mir::VReg infinite_b = isetp(isa::ICmp::Eq, false, size_b, mir::imm(kInfinity));
  Operand inverse = select(when(zero_b), mir::imm(kInfinity), size_b);
  inverse = select(when(infinite_b), mir::imm(0), inverse);
  Operand special_value = t32();
  Operand signed_inverse = t32();
  emit(Op::Lop3, signed_inverse, b, mir::imm(kSign), inverse).set("lut", 0xE2);
  // Only NaN, 0 and infinity count here: finite |b| times zero or infinity keeps what it is.
  emit(Op::Fmul, special_value, a, signed_inverse);
  mir::VReg special = is_special(size_a, {mir::kNone, true});
  special = is_special(size_b, when(special));

  // Exponent and fraction apart; a subnormal's fraction is shifted up.
  auto normalise = [&](Operand size, Operand* exponent) {
    Operand field = shr(size, mir::imm(23), false);
    Operand fraction = lop(isa::LogicOp::And, size, mir::imm(0x007FFFFF));
    mir::VReg subnormal = isetp(isa::ICmp::Eq, false, field, mir::imm(0));
    Operand implicit = select(when(subnormal), mir::imm(0), mir::imm(kLeastNormal));
    fraction = lop(isa::LogicOp::Or, fraction, implicit);
    Operand zeros = t32();
    emit(Op::Flo, zeros, {}, fraction).set("mode", isa::LeadMode::Clz);
    Operand shift = isub(zeros, mir::imm(8));
    Operand least = t32();
    emit(Op::Imnmx, least, field, mir::imm(1)).set("max", 1);
    *exponent = isub(least, shift);
    // Bit 23 and the exponent field 126 make 127.
    return iadd(shl(fraction, shift), mir::imm(126u << 23));
  };
  Operand exponent_a, exponent_b;
  Operand ma = normalise(size_a, &exponent_a), mb = normalise(size_b, &exponent_b);
  ma = lop(isa::LogicOp::Or, ma, sign);
  Operand difference = isub(exponent_a, exponent_b);

  Operand rounded = quotient(ma, mb, rounding);
  Operand truncated = rounding == isa::Rounding::Rz ? rounded : quotient(ma, mb, isa::Rounding::Rz);
  Operand rest = ffma(mb, truncated, ma, true);
  Operand field = lop(isa::LogicOp::And, shr(truncated, mir::imm(23), false), mir::imm(0xFF));
  Operand exponent = iadd(field, difference);  // of the truncated result, biased

  Operand normal_value = iadd(rounded, shl(difference, mir::imm(23)));
  Operand rounded_field = lop(isa::LogicOp::And, shr(rounded, mir::imm(23), false), mir::imm(0xFF));
  mir::VReg overflow = isetp(isa::ICmp::Ge, true, iadd(rounded_field, difference), mir::imm(255));
  // Infinity or the largest number, as the mode has it: what 2^127 * 2^127 rounds to.
  Operand huge = t32();
  emit(Op::Fmul, huge, lop(isa::LogicOp::Or, sign, mir::imm(0x7F000000)), mir::imm(0x7F000000))
      .set("rnd", rounding);
  Operand value = select(when(overflow), huge, normal_value);
  mir::VReg subnormal = isetp(isa::ICmp::Lt, true, exponent, mir::imm(1));
  Operand shift = t32();
  emit(Op::Imnmx, shift, isub(mir::imm(1), exponent), mir::imm(26)).set("sign", 1);
  Operand small = t32();
  round_subnormal(small, truncated, rest, shift, sign, rounding);
  value = select(when(subnormal), small, value);
  value = select(when(special), special_value, value);
  if (ftz) value = fround(value, true, false);
  copy(d, value);
}

// The significand of `truncated` shifted right by `shift` >= 1 and rounded; `rest` is not zero when
// there is more below the truncated value.
void FunctionLowering::round_subnormal(Operand d, Operand truncated, Operand rest, Operand shift,
                                       Operand sign, isa::Rounding rounding) {
  Operand significand =
      lop(isa::LogicOp::Or, lop(isa::LogicOp::And, truncated, mir::imm(0x007FFFFF)),
          mir::imm(kLeastNormal));
  Operand magnitude = lop(isa::LogicOp::And, rest, mir::imm(0x7FFFFFFF));
  mir::VReg more = isetp(isa::ICmp::Ne, false, magnitude, mir::imm(0));
  Operand sticky = select(when(more), mir::imm(1), mir::imm(0));
  Operand bits = lop(isa::LogicOp::Or, shl(significand, mir::imm(1)), sticky);
  Operand kept = shr(bits, iadd(shift, mir::imm(1)), false);
  Operand half = shl(mir::imm(1), shift);
  Operand unit = shl(half, mir::imm(1));
  Operand dropped = lop(isa::LogicOp::And, bits, isub(unit, mir::imm(1)));
  mir::VReg up = mir::kNone;
  switch (rounding) {
    case isa::Rounding::Rn: {
      // Above half, or half and odd: dropped + (kept & 1) > half.
      Operand odd = lop(isa::LogicOp::And, kept, mir::imm(1));
      up = isetp(isa::ICmp::Gt, false, iadd(dropped, odd), half);
      break;
    }
    case isa::Rounding::Rz:
      break;
    case isa::Rounding::Rm:
    case isa::Rounding::Rp: {
      isa::ICmp away = rounding == isa::Rounding::Rm ? isa::ICmp::Ne : isa::ICmp::Eq;
      up = isetp(away, false, sign, mir::imm(0));
      up = isetp(isa::ICmp::Ne, false, dropped, mir::imm(0), when(up));
      break;
    }
  }
  if (up != mir::kNone) {
    Operand next = t32();
    emit(Op::Iadd, next, kept, mir::imm(0)).p(when(up));
    kept = next;
  }
  emit(Op::Lop, d, kept, sign).set("op", isa::LogicOp::Or);
}

// x = m 4^k with 1 <= m < 4. With y = 1/sqrt(m) of the unit, g = m y is brought to the correctly
// rounded root by its remainder (tried for all m); what then remains decides in the mode asked for.
void FunctionLowering::square_root(Operand d, Operand x, isa::Rounding rounding, bool ftz) {
  if (ftz) x = fround(x, true, false);
  mir::VReg subnormal = isetp(isa::ICmp::Lt, false, x, mir::imm(kLeastNormal));
  Operand scaled = select(when(subnormal), fmul(x, mir::imm(0x4B800000)), x);  // times 2^24
  Operand twice_k = lop(isa::LogicOp::And, isub(scaled, mir::imm(kOne)), mir::imm(0xFF000000));
  Operand m = isub(scaled, twice_k);
  Operand k = shr(twice_k, mir::imm(1), true);
  k = select(when(subnormal), isub(k, mir::imm(12u << 23)), k);

  Operand y = mufu(isa::MufuOp::Rsq, m);
  Operand g = fmul(m, y), h = fmul(y, mir::imm(0x3F000000));
  g = ffma(ffma(g, g, m, true), h, g);
  Operand rest = ffma(g, g, m, true);
  Operand root = t32();
  emit(Op::Ffma, root, rest, h, g).set("rnd", rounding);
  Operand value = iadd(root, k);
  // Zeros and infinity stay; negative: NaN.
  mir::VReg bad = tp(), ordinary = tp();
  emit(Op::Fsetp, {}, x, mir::imm(0)).set("cmp", isa::FCmp::Ltu).pd(bad);
  emit(Op::Isetp, {}, isub(x, mir::imm(1)), mir::imm(kInfinity - 1))
      .set("cmp", isa::ICmp::Lt)
      .pd(ordinary);
  Operand special = select(when(bad), in_register(mir::imm(kNan)), x);
  emit(Op::Sel, d, value, special).p(when(ordinary));
}

}  // namespace heddle::compiler::lower
