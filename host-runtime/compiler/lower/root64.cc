// SPDX-License-Identifier: Apache-2.0
// f64 division, reciprocal and square root, correctly rounded in all four modes, as root.cc does them for f32. A first
// guess comes from MUFU; Newton steps with DFMA refine it; the exact remainder corrects the last bit.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

// Upper words.
constexpr uint32_t kOne = 0x3FF00000;
constexpr uint32_t kInfinity = 0x7FF00000;
constexpr uint32_t kLeastNormal = 0x00100000;
constexpr uint32_t kMagnitude = 0x7FFFFFFF;
constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kInvalid = 0xFFF80000;

constexpr uint32_t kBias = 896u << 20;                // of f64 above f32's
constexpr uint32_t kLeastSingle = kBias + (1 << 20);  // 2^-126
constexpr uint32_t kSingles = 252 << 20;              // from there to 2^126

constexpr int64_t kOne64 = int64_t{kOne} << 32;
constexpr int64_t kHalf64 = int64_t{0x3FE00000} << 32;
constexpr int64_t kTwo54 = int64_t{0x43500000} << 32;

}  // namespace

FunctionLowering::Operand FunctionLowering::constant64(int64_t bits) { return in_register64(mir::imm(bits)); }

FunctionLowering::Operand FunctionLowering::dmul(Operand a, Operand b, isa::Rounding rounding) {
  Operand d = t64();
  emit(Op::Dmul, d, a, b).set("rnd", rounding);
  return d;
}

FunctionLowering::Operand FunctionLowering::dfma(Operand a, Operand b, Operand c, bool neg_product,
                                                 isa::Rounding rounding) {
  Operand d = t64();
  emit(Op::Dfma, d, a, b, c).set("neg_p", neg_product).set("rnd", rounding);
  return d;
}

// |x| as an f32, cut off, which has it. Moving bits is quicker than D2F and F2D: an f32's exponent and fraction lie
// three places higher, its bias is 896 less, and the sign leaves at the top.
FunctionLowering::Operand FunctionLowering::single64(Operand x) {
  Operand moved = t32();
  emit(Op::Shf, moved, x.word(0), mir::imm(3), x.word(1));
  return isub(moved, mir::imm(static_cast<int32_t>(kBias << 3)));
}

// MUFU's function of an f32, moved back. (One IMAD.WIDE would do that, and takes longer.)
FunctionLowering::Operand FunctionLowering::guess64(isa::MufuOp function, Operand single) {
  Operand y = mufu(function, single);
  return pair(shl(y, mir::imm(29)), iadd(shr(y, mir::imm(3), false), mir::imm(kBias)));
}

// 1/sqrt(x) to about 2^-21 of x's upper word alone, with half a unit for what is left out.
FunctionLowering::Operand FunctionLowering::root_guess64(Operand x) {
  Operand single = t32();
  emit(Op::Imad, single, x.word(1), mir::imm(8), in_register(mir::imm(4 - static_cast<int32_t>(kBias << 3))));
  return guess64(isa::MufuOp::Rsq, single);
}

// |x| between 2^-126 and 2^126, where f32 has it and its reciprocal.
mir::VReg FunctionLowering::has_reciprocal64(Operand x) {
  Operand size = lop(isa::LogicOp::And, x.word(1), mir::imm(kMagnitude));
  return isetp(isa::ICmp::Lt, false, isub(size, mir::imm(kLeastSingle)), mir::imm(kSingles));
}

// 1 / x, correctly rounded, where has_reciprocal64(x). MUFU's reciprocal of |x| in f32, cut off, is off by less than
// 2^-22; the cubic step y (1 + e + e^2) leaves 2^-66, so its rounding is all that is left: less than one unit, from
// above. The linear step then gives the correctly rounded reciprocal (Markstein); from above, so that this holds for
// the largest fraction, too. The sign comes last. `near`, if given, is 1 / x to two units, two steps earlier.
FunctionLowering::Operand FunctionLowering::reciprocal64(Operand x, Operand* near) {
  Operand size = pair(x.word(0), lop(isa::LogicOp::And, x.word(1), mir::imm(kMagnitude)));
  Operand one = constant64(kOne64), y = guess64(isa::MufuOp::Rcp, single64(x)), e = dfma(size, y, one, true);
  y = dfma(y, dfma(e, e, e), y, false, isa::Rounding::Rp);
  auto with_sign = [&](Operand magnitude) {
    Operand high = t32();
    emit(Op::Lop3, high, x.word(1), mir::imm(kSign), magnitude.word(1)).set("lut", 0xEA);  // (a & b) | c
    return pair(magnitude.word(0), high);
  };
  if (near != nullptr) *near = with_sign(y);
  return with_sign(dfma(dfma(size, y, one, true), y, y));
}

// See quotient().
FunctionLowering::Operand FunctionLowering::quotient64(Operand a, Operand b, Operand y, Operand q,
                                                       isa::Rounding rounding) {
  q = dfma(dfma(b, q, a, true), y, q);
  return dfma(dfma(b, q, a, true), y, q, false, rounding);
}

// The number's fraction under the upper word `top`'s sign and exponent.
FunctionLowering::Operand FunctionLowering::fraction64(Operand x, Operand top) {
  Operand high = t32();
  emit(Op::Lop3, high, x.word(1), mir::imm(0x000FFFFF), top).set("lut", 0xEA);  // (a & b) | c
  return pair(x.word(0), high);
}

// Fast where f32 has the reciprocal of b, and for |a| and |q| from 2^-512 up to 2^512: adding to the exponent sets its
// upper bit for just these.
void FunctionLowering::divide64(Operand d, Operand a, Operand b, isa::Rounding rounding) {
  constexpr int kMiddle = 513 << 20;
  const bool reciprocal_only = a.is_imm(kOne64);
  a = in_register64(a);
  b = in_register64(b);
  mir::VReg fast = has_reciprocal64(b);
  Operand near, y = reciprocal64(b, reciprocal_only ? nullptr : &near), result = t64();
  if (reciprocal_only) {
    copy(result, rounding == isa::Rounding::Rn ? y : dfma(dfma(b, y, a, true), y, y, false, rounding));
  } else {
    Operand q = dmul(a, near), in_range = t32();  // beside the last steps of y
    emit(Op::Lop3, in_range, iadd(a.word(1), mir::imm(kMiddle)), mir::imm(0x40000000),
         iadd(q.word(1), mir::imm(kMiddle)))
        .set("lut", 0x80);
    fast = isetp(isa::ICmp::Ne, false, in_range, mir::imm(0), when(fast));
    copy(result, quotient64(a, b, y, q, rounding));
  }
  slow_path(fast, "slow_division", [&] { divide_slowly64(result, a, b, rounding); });
  copy(d, result);
}

void FunctionLowering::divide_slowly64(Operand d, Operand a, Operand b, isa::Rounding rounding) {
  Operand size_a = lop(isa::LogicOp::And, a.word(1), mir::imm(kMagnitude));
  Operand size_b = lop(isa::LogicOp::And, b.word(1), mir::imm(kMagnitude));
  Operand any_a = lop(isa::LogicOp::Or, size_a, a.word(0)), any_b = lop(isa::LogicOp::Or, size_b, b.word(0));
  // A zero, infinity or NaN on either side.
  mir::VReg special = isetp(isa::ICmp::Ge, false, size_a, mir::imm(kInfinity));
  special = isetp(isa::ICmp::Ge, false, size_b, mir::imm(kInfinity), when(special), isa::BoolOp::Or);
  special = isetp(isa::ICmp::Eq, false, any_a, mir::imm(0), when(special), isa::BoolOp::Or);
  special = isetp(isa::ICmp::Eq, false, any_b, mir::imm(0), when(special), isa::BoolOp::Or);
  either_rarely(
      special, [&] { divide_special64(d, a, b, size_b, any_b); },
      [&] { divide_general64(d, a, b, size_a, size_b, rounding); });
}

// See divide_special(). (Of two NaN DMUL takes its second operand's: a's.)
void FunctionLowering::divide_special64(Operand d, Operand a, Operand b, Operand size_b, Operand any_b) {
  mir::VReg zero_b = isetp(isa::ICmp::Eq, false, any_b, mir::imm(0));
  mir::VReg infinite_b = isetp64(isa::ICmp::Eq, false, pair(b.word(0), size_b), constant64(int64_t{kInfinity} << 32));
  Operand inverse = select(when(zero_b), mir::imm(kInfinity), size_b);
  inverse = select(when(infinite_b), mir::imm(0), inverse);
  Operand signed_inverse = t32();
  emit(Op::Lop3, signed_inverse, b.word(1), mir::imm(kSign), inverse).set("lut", 0xE2);
  copy(d, dmul(pair(b.word(0), signed_inverse), a));
}

void FunctionLowering::divide_general64(Operand d, Operand a, Operand b, Operand size_a, Operand size_b,
                                        isa::Rounding rounding) {
  Operand sign = t32();
  emit(Op::Lop3, sign, a.word(1), mir::imm(kSign), b.word(1)).set("lut", 0x48);
  // Exponent and fraction apart; subnormals times 2^54.
  auto normalise = [&](Operand x, Operand size, Operand top, Operand* exponent) {
    mir::VReg subnormal = isetp(isa::ICmp::Lt, false, size, mir::imm(kLeastNormal));
    Operand scaled = select64(when(subnormal), dmul(x, constant64(kTwo54)), x);
    Operand field = t32();
    emit(Op::Bfe, field, scaled.word(1), mir::imm(20 | 11 << 8));
    *exponent = select(when(subnormal), isub(field, mir::imm(54)), field);
    return fraction64(scaled, top);
  };
  Operand exponent_a, exponent_b;
  Operand ma = normalise(a, size_a, lop(isa::LogicOp::Or, sign, mir::imm(kOne)), &exponent_a);
  Operand mb = normalise(b, size_b, in_register(mir::imm(kOne)), &exponent_b);
  Operand difference = isub(exponent_a, exponent_b);

  Operand y = reciprocal64(mb), q = dmul(ma, y);
  Operand rounded = quotient64(ma, mb, y, q, rounding);
  Operand truncated = rounding == isa::Rounding::Rz ? rounded : quotient64(ma, mb, y, q, isa::Rounding::Rz);
  Operand rest = dfma(mb, truncated, ma, true);
  auto field_of = [&](Operand x) {
    Operand field = t32();
    emit(Op::Bfe, field, x.word(1), mir::imm(20 | 11 << 8));
    return field;
  };
  Operand exponent = iadd(field_of(truncated), difference);  // of the truncated result, biased
  Operand value = pair(rounded.word(0), iadd(rounded.word(1), shl(difference, mir::imm(20))));
  mir::VReg overflow = isetp(isa::ICmp::Ge, true, iadd(field_of(rounded), difference), mir::imm(2047));
  // Infinity or the largest number, as the mode has it: what 2^1023 * 2^1023 rounds to.
  Operand large = pair(mir::imm(0), lop(isa::LogicOp::Or, sign, mir::imm(0x7FE00000)));
  value = select64(when(overflow), dmul(large, constant64(int64_t{0x7FE00000} << 32), rounding), value);
  mir::VReg subnormal = isetp(isa::ICmp::Lt, true, exponent, mir::imm(1));
  Operand shift = t32();
  emit(Op::Imnmx, shift, isub(mir::imm(1), exponent), mir::imm(55)).set("sign", 1);
  copy(d, select64(when(subnormal), round_subnormal64(truncated, rest, shift, sign, rounding), value));
}

// The significand of `truncated` shifted right by `shift` >= 1 and rounded; `rest` is not zero when there is more below
// the truncated value.
FunctionLowering::Operand FunctionLowering::round_subnormal64(Operand truncated, Operand rest, Operand shift,
                                                              Operand sign, isa::Rounding rounding) {
  Operand high = t32();
  emit(Op::Lop3, high, truncated.word(1), mir::imm(0x000FFFFF), in_register(mir::imm(kLeastNormal))).set("lut", 0xEA);
  Operand magnitude = lop(isa::LogicOp::Or, lop(isa::LogicOp::And, rest.word(1), mir::imm(kMagnitude)), rest.word(0));
  mir::VReg more = isetp(isa::ICmp::Ne, false, magnitude, mir::imm(0));
  Operand bits = shl64(pair(truncated.word(0), high), mir::imm(1));
  bits = pair(lop(isa::LogicOp::Or, bits.word(0), select(when(more), mir::imm(1), mir::imm(0))), bits.word(1));
  Operand kept = shr64(bits, iadd(shift, mir::imm(1)), false);
  Operand half = shl64(constant64(1), shift);
  Operand unit = shl64(half, mir::imm(1));
  Operand below = sub64(unit, constant64(1));
  Operand dropped =
      pair(lop(isa::LogicOp::And, bits.word(0), below.word(0)), lop(isa::LogicOp::And, bits.word(1), below.word(1)));
  mir::VReg up = mir::kNone;
  switch (rounding) {
    case isa::Rounding::Rn: {
      // Above half, or half and odd: dropped + (kept & 1) > half.
      Operand odd = pair(lop(isa::LogicOp::And, kept.word(0), mir::imm(1)), mir::imm(0));
      up = isetp64(isa::ICmp::Gt, false, add64(dropped, odd), half);
      break;
    }
    case isa::Rounding::Rz: break;
    case isa::Rounding::Rm:
    case isa::Rounding::Rp: {
      isa::ICmp away = rounding == isa::Rounding::Rm ? isa::ICmp::Ne : isa::ICmp::Eq;
      mir::VReg outward = isetp(away, false, sign, mir::imm(0));
      Operand any = lop(isa::LogicOp::Or, dropped.word(0), dropped.word(1));
      up = isetp(isa::ICmp::Ne, false, any, mir::imm(0), when(outward));
      break;
    }
  }
  if (up != mir::kNone) kept = select64(when(up), add64(kept, constant64(1)), kept);
  return pair(kept.word(0), lop(isa::LogicOp::Or, kept.word(1), sign));
}

// How far y is from 1/sqrt(x), e = 1 - x y^2. y has 24 bits, so that y^2 is exact.
FunctionLowering::Operand FunctionLowering::root_error64(Operand x, Operand y) {
  return dfma(x, dmul(y, y), constant64(kOne64), true);
}

// Of x between 2^-120 and 2^120. y is 1/sqrt(x) to about 2^-21; 1/sqrt(x) = y (1 + e/2 + 3/8 e^2) to 2^-61, and the
// root is g = x y with the same factor, so the new g is within 2^-52 of it: x y and the sum are rounded. g + (x - g^2)
// / (2 sqrt(x)) is within 2^-104 before it is rounded. No root is that near to the middle of two numbers but some of
// x = m^2 - c 2^-106, |c| < 64; all of these are tried in division_test.cc. In the other modes the sign of what remains
// decides.
FunctionLowering::Operand FunctionLowering::root64(Operand x, Operand y, Operand g, Operand e, isa::Rounding rounding) {
  Operand p = dfma(e, constant64(int64_t{0x3FD80000} << 32), constant64(kHalf64));
  g = dfma(p, dmul(g, e), g);
  y = dfma(p, dmul(y, e), y);
  Operand h = pair(y.word(0), isub(y.word(1), mir::imm(kLeastNormal)));
  g = dfma(dfma(g, g, x, true), h, g);
  return rounding == isa::Rounding::Rn ? g : dfma(dfma(g, g, x, true), h, g, false, rounding);
}

void FunctionLowering::square_root64(Operand d, Operand x, isa::Rounding rounding) {
  x = in_register64(x);
  Operand result = t64();
  mir::VReg fast = isetp(isa::ICmp::Lt, false, isub(x.word(1), mir::imm((1023 - 120) << 20)), mir::imm(240 << 20));
  const Operand y = root_guess64(x), g = dmul(x, y), e = root_error64(x, y);
  slow_path(
      fast, "slow_root", [&] { square_root_slowly64(result, x, rounding); },
      [&] { copy(result, root64(x, y, g, e, rounding)); });
  copy(d, result);
}

// Positive finite numbers.
mir::VReg FunctionLowering::has_root64(Operand x) {
  const mir::VReg finite = isetp(isa::ICmp::Lt, false, x.word(1), mir::imm(kInfinity));
  return isetp(isa::ICmp::Ne, false, lop(isa::LogicOp::Or, x.word(1), x.word(0)), mir::imm(0), when(finite));
}

// m where x = m 4^k with 1 <= m < 4; k as a difference of upper words.
FunctionLowering::Operand FunctionLowering::root_fraction64(Operand x, Operand* k) {
  mir::VReg subnormal = isetp(isa::ICmp::Lt, false, x.word(1), mir::imm(kLeastNormal));
  Operand scaled = select64(when(subnormal), dmul(x, constant64(kTwo54)), x);
  Operand twice_k = lop(isa::LogicOp::And, isub(scaled.word(1), mir::imm(kOne)), mir::imm(0xFFE00000));
  *k = shr(twice_k, mir::imm(1), true);
  *k = select(when(subnormal), isub(*k, mir::imm(27u << 20)), *k);
  return pair(scaled.word(0), isub(scaled.word(1), twice_k));
}

void FunctionLowering::square_root_slowly64(Operand d, Operand x, isa::Rounding rounding) {
  either_rarely(
      has_root64(x),
      [&] {
        Operand k, fraction = root_fraction64(x, &k);
        Operand y = root_guess64(fraction);
        Operand value = root64(fraction, y, dmul(fraction, y), root_error64(fraction, y), rounding);
        copy(d, pair(value.word(0), iadd(value.word(1), k)));
      },
      [&] { special_root64(d, x, false); });
}

// rsqrt.approx.f64.
void FunctionLowering::inverse_root64(Operand d, Operand x) {
  x = in_register64(x);
  Operand k, m = root_fraction64(x, &k), y = t64(), single = t32(), result = t64();
  emit(Op::D2f, single, {}, m);  // rounded, for silicon's bits
  emit(Op::F2d, y, {}, mufu(isa::MufuOp::Rsq, single));
  Operand e = root_error64(m, y);  // 1/sqrt(m) = y (1 + e/2 + 3/8 e^2) to 2^-65
  Operand p = dfma(e, constant64(int64_t{0x3FD80000} << 32), constant64(kHalf64));
  Operand value = dfma(p, dmul(y, e), y);
  copy(result, pair(value.word(0), isub(value.word(1), k)));
  slow_path(has_root64(x), "special_root", [&] { special_root64(result, x, true); });
  copy(d, result);
}

// Zeros keep their sign (1/0: infinity with it), infinity stays (1/inf: 0), a NaN stays and becomes quiet, negative
// numbers give another.
void FunctionLowering::special_root64(Operand d, Operand x, bool inverse) {
  mir::VReg negative = tp();
  emit(Op::Dsetp, {}, x, constant64(0)).set("cmp", isa::FCmp::Lt).pd(negative);
  Operand special = t64();
  emit(Op::Dadd, special, x, constant64(INT64_MIN));
  if (inverse) {
    Operand size = lop(isa::LogicOp::And, x.word(1), mir::imm(kMagnitude));
    mir::VReg zero = isetp(isa::ICmp::Eq, false, lop(isa::LogicOp::Or, size, x.word(0)), mir::imm(0));
    mir::VReg infinite = isetp64(isa::ICmp::Eq, false, x, constant64(int64_t{kInfinity} << 32));
    Operand top = select(when(zero), lop(isa::LogicOp::Or, x.word(1), mir::imm(kInfinity)), special.word(1));
    special = pair(special.word(0), select(when(infinite), mir::imm(0), top));
  }
  copy(d, select64(when(negative), constant64(static_cast<int64_t>(uint64_t{kInvalid} << 32)), special));
}

// rcp.approx.ftz.f64 knows the upper word alone. It is MUFU's reciprocal of the fraction's 20 bits, cut to as many.
void FunctionLowering::reciprocal_of_high_word(Operand d, Operand x) {
  Operand high = word(in_register64(x), 1);
  Operand size = lop(isa::LogicOp::And, high, mir::imm(kMagnitude));
  Operand fraction = t32();
  emit(Op::Bfi, fraction, high, mir::imm(3 | 20 << 8), in_register(mir::imm(0x3F800000)));
  Operand r = shr(mufu(isa::MufuOp::Rcp, fraction), mir::imm(3), false);
  // Exponents: r's is biased by 127, the result's 1023 + (r's - 127) - (x's - 1023).
  Operand result = isub(iadd(r, mir::imm(1919u << 20)), lop(isa::LogicOp::And, high, mir::imm(kInfinity)));
  mir::VReg small = isetp(isa::ICmp::Lt, true, result, mir::imm(kLeastNormal));
  result = select(when(small), mir::imm(0), result);
  mir::VReg zero = isetp(isa::ICmp::Lt, false, size, mir::imm(kLeastNormal));
  result = select(when(zero), mir::imm(kInfinity), result);
  Operand signed_result = t32();
  emit(Op::Lop3, signed_result, high, mir::imm(kSign), result).set("lut", 0xE2);
  mir::VReg nan = isetp(isa::ICmp::Gt, false, size, mir::imm(kInfinity));
  copy(d, pair(mir::imm(0), select(when(nan), mir::imm(kMagnitude), signed_result)));
}

}  // namespace heddle::compiler::lower
