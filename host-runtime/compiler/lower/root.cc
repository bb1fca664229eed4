// SPDX-License-Identifier: Apache-2.0
// f32 division, reciprocal and square root, correctly rounded in all four modes.
//
// MUFU gives 1/x or 1/sqrt(x) to one unit in the last place; a Newton step, or one on the root
// itself, rounds it correctly; then the exact remainder, which a fused multiply-add gives, corrects
// the last bit. That holds while nothing on the way overflows or is subnormal: the fast path tests
// for it. The slow one takes exponents off first and puts them back by integer addition.
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

// With q near a / b and y = 1/b correctly rounded: q is first brought to within half a unit in the last
// place (rounding to nearest); its remainder r = a - b q is then exact, and q + r y is, rounded in the
// mode asked for, a / b correctly rounded (Markstein).
FunctionLowering::Operand FunctionLowering::quotient(Operand a, Operand b, Operand y, Operand q,
                                                     isa::Rounding rounding) {
  q = ffma(ffma(b, q, a, true), y, q);
  Operand r = ffma(b, q, a, true);
  Operand d = t32();
  emit(Op::Ffma, d, r, y, q).set("rnd", rounding);
  return d;
}

// Begins the block that few threads come to, if `fast` fails; what `slowly` leaves there and what was there
// before meet in `d`.
void FunctionLowering::slow_path(mir::VReg fast, const char* name, const std::function<void()>& slowly,
                                 const std::function<void()>& quickly) {
  mir::BlockId slow = rare_block(name), quick = quickly ? b_.new_block() : mir::kNone, done = b_.new_block();
  b_.branch(unless(fast), slow, quickly ? quick : done);
  if (quickly) {
    set_block(quick);
    quickly();
    b_.jump(done);
  }
  b_.set_block(slow);
  slowly();
  b_.jump(done);
  set_block(done);
}

mir::BlockId FunctionLowering::rare_block(const char* name) {
  const mir::BlockId block = b_.new_block(name);
  rare_.push_back(block);
  b_.function().blocks[block].rare = true;
  return block;
}

// Two ways within a slow path. Zeros, above all, are frequent numbers, and quickly done with.
void FunctionLowering::either_rarely(mir::VReg p, const std::function<void()>& where_it_holds,
                                     const std::function<void()>& elsewhere) {
  const mir::BlockId one = rare_block("slow_one"), other = rare_block("slow_other"), done = rare_block("slow_done");
  b_.branch(when(p), one, other);
  b_.set_block(one);
  where_it_holds();
  b_.jump(done);
  b_.set_block(other);
  elsewhere();
  b_.jump(done);
  b_.set_block(done);
}

void FunctionLowering::divide(Operand d, Operand a, Operand b, isa::Rounding rounding, bool ftz) {
  const Operand y = reciprocal(b);
  Operand result = t32();
  mir::VReg fast;
  if (a.is_imm()) {
    // b normal and below 2^126, so that its reciprocal is normal, too.
    Operand exponent = t32();
    emit(Op::Bfe, exponent, b, mir::imm(23 | 8 << 8));
    fast = isetp(isa::ICmp::Lt, false, isub(exponent, mir::imm(1)), mir::imm(252));
    if (rounding == isa::Rounding::Rn) copy(result, y);
    else emit(Op::Ffma, result, ffma(b, y, mir::imm(kOne), true), y, y).set("rnd", rounding);
  } else {
    // 2^-64 <= |a| < 2^64 and 2^-61 <= |q| < 2^67: adding to the exponent sets its upper bit for just these.
    // MUFU makes an infinity of what a subnormal b would give, zero of what one above 2^126 would, so q says
    // that b is in order as well.
    Operand q = fmul(a, y), in_range = t32();
    emit(Op::Lop3, in_range, iadd(a, mir::imm(65 << 23)), mir::imm(0x40000000), iadd(q, mir::imm(62 << 23)))
        .set("lut", 0x80);
    fast = isetp(isa::ICmp::Ne, false, in_range, mir::imm(0));
    copy(result, quotient(a, b, y, q, rounding));
  }
  slow_path(fast, "slow_division", [&] { divide_slowly(result, in_register(a), b, rounding, ftz); });
  copy(d, result);
}

void FunctionLowering::divide_slowly(Operand d, Operand a, Operand b, isa::Rounding rounding, bool ftz) {
  if (ftz) {
    a = fround(a, true, false);
    b = fround(b, true, false);
  }
  Operand size_a = lop(isa::LogicOp::And, a, mir::imm(0x7FFFFFFF));
  Operand size_b = lop(isa::LogicOp::And, b, mir::imm(0x7FFFFFFF));
  // A zero, infinity or NaN on either side: in bits |b| - 1 >= infinity - 1, unsigned, holds for all of them.
  auto is_special = [&](Operand size, Pred with) {
    return isetp(isa::ICmp::Ge, false, isub(size, mir::imm(1)), mir::imm(kInfinity - 1), with, isa::BoolOp::Or);
  };
  mir::VReg special = is_special(size_a, {mir::kNone, true});
  special = is_special(size_b, when(special));
  Operand value = t32();
  either_rarely(
      special, [&] { divide_special(value, a, b, size_b); },
      [&] { divide_general(value, a, b, size_a, size_b, rounding); });
  if (ftz) value = fround(value, true, false);
  copy(d, value);
}

// The product with b's reciprocal, where infinity and zero are each other's, is right, signs and NaN included. (A
// finite b stays: all that counts of it beside zero or infinity is the sign.)
void FunctionLowering::divide_special(Operand d, Operand a, Operand b, Operand size_b) {
  mir::VReg zero_b = isetp(isa::ICmp::Eq, false, size_b, mir::imm(0));
  mir::VReg infinite_b = isetp(isa::ICmp::Eq, false, size_b, mir::imm(kInfinity));
  Operand inverse = select(when(zero_b), mir::imm(kInfinity), size_b);
  inverse = select(when(infinite_b), mir::imm(0), inverse);
  Operand signed_inverse = t32();
  emit(Op::Lop3, signed_inverse, b, mir::imm(kSign), inverse).set("lut", 0xE2);
  emit(Op::Fmul, d, a, signed_inverse);
}

void FunctionLowering::divide_general(Operand d, Operand a, Operand b, Operand size_a, Operand size_b,
                                      isa::Rounding rounding) {
  Operand sign = lop(isa::LogicOp::And, lop(isa::LogicOp::Xor, a, b), mir::imm(kSign));
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

  Operand y = reciprocal(mb), q = fmul(ma, y);
  Operand rounded = quotient(ma, mb, y, q, rounding);
  Operand truncated = rounding == isa::Rounding::Rz ? rounded : quotient(ma, mb, y, q, isa::Rounding::Rz);
  Operand rest = ffma(mb, truncated, ma, true);
  Operand field = lop(isa::LogicOp::And, shr(truncated, mir::imm(23), false), mir::imm(0xFF));
  Operand exponent = iadd(field, difference);  // of the truncated result, biased

  Operand normal_value = iadd(rounded, shl(difference, mir::imm(23)));
  Operand rounded_field = lop(isa::LogicOp::And, shr(rounded, mir::imm(23), false), mir::imm(0xFF));
  mir::VReg overflow = isetp(isa::ICmp::Ge, true, iadd(rounded_field, difference), mir::imm(255));
  // Infinity or the largest number, as the mode has it: what 2^127 * 2^127 rounds to.
  Operand huge = t32();
  emit(Op::Fmul, huge, lop(isa::LogicOp::Or, sign, mir::imm(0x7F000000)), mir::imm(0x7F000000)).set("rnd", rounding);
  Operand value = select(when(overflow), huge, normal_value);
  mir::VReg subnormal = isetp(isa::ICmp::Lt, true, exponent, mir::imm(1));
  Operand shift = t32();
  emit(Op::Imnmx, shift, isub(mir::imm(1), exponent), mir::imm(26)).set("sign", 1);
  Operand small = t32();
  round_subnormal(small, truncated, rest, shift, sign, rounding);
  copy(d, select(when(subnormal), small, value));
}

// The significand of `truncated` shifted right by `shift` >= 1 and rounded; `rest` is not zero when
// there is more below the truncated value.
void FunctionLowering::round_subnormal(Operand d, Operand truncated, Operand rest, Operand shift, Operand sign,
                                       isa::Rounding rounding) {
  Operand significand =
      lop(isa::LogicOp::Or, lop(isa::LogicOp::And, truncated, mir::imm(0x007FFFFF)), mir::imm(kLeastNormal));
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
    case isa::Rounding::Rz: break;
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

// With y = 1/sqrt(x) of the unit, g = x y is brought to the correctly rounded root by its remainder (tried
// for all fractions); what then remains decides in the other modes.
FunctionLowering::Operand FunctionLowering::root(Operand x, isa::Rounding rounding) {
  Operand y = mufu(isa::MufuOp::Rsq, x);
  Operand g = fmul(x, y), h = fmul(y, mir::imm(0x3F000000));
  g = ffma(ffma(g, g, x, true), h, g);
  if (rounding == isa::Rounding::Rn) return g;
  Operand d = t32();
  emit(Op::Ffma, d, ffma(g, g, x, true), h, g).set("rnd", rounding);
  return d;
}

// Fast for 2^-100 <= x < 2^127, where the remainders are exact.
void FunctionLowering::square_root(Operand d, Operand x, isa::Rounding rounding, bool ftz) {
  Operand result = t32();
  mir::VReg fast = isetp(isa::ICmp::Lt, false, isub(x, mir::imm(27 << 23)), mir::imm(227 << 23));
  copy(result, root(x, rounding));
  slow_path(fast, "slow_root", [&] { square_root_slowly(result, x, rounding, ftz); });
  copy(d, result);
}

// x = m 4^k with 1 <= m < 4.
void FunctionLowering::square_root_slowly(Operand d, Operand x, isa::Rounding rounding, bool ftz) {
  if (ftz) x = fround(x, true, false);
  mir::VReg special = isetp(isa::ICmp::Ge, false, isub(x, mir::imm(1)), mir::imm(kInfinity - 1));
  either_rarely(
      special,
      [&] {  // zeros and infinity stay; negative: NaN
        mir::VReg bad = tp();
        emit(Op::Fsetp, {}, x, mir::imm(0)).set("cmp", isa::FCmp::Ltu).pd(bad);
        copy(d, select(when(bad), in_register(mir::imm(kNan)), x));
      },
      [&] {
        mir::VReg subnormal = isetp(isa::ICmp::Lt, false, x, mir::imm(kLeastNormal));
        Operand scaled = select(when(subnormal), fmul(x, mir::imm(0x4B800000)), x);  // times 2^24
        Operand twice_k = lop(isa::LogicOp::And, isub(scaled, mir::imm(kOne)), mir::imm(0xFF000000));
        Operand m = isub(scaled, twice_k);
        Operand k = shr(twice_k, mir::imm(1), true);
        k = select(when(subnormal), isub(k, mir::imm(12u << 23)), k);
        copy(d, iadd(root(m, rounding), k));
      });
}

}  // namespace heddle::compiler::lower
