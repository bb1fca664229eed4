// SPDX-License-Identifier: Apache-2.0
#include "sim/model/float.h"

#include <bit>

namespace heddle::model {
namespace {

using uint128 = unsigned __int128;

constexpr uint32_t kSign = 0x80000000u;
constexpr uint32_t kInf = 0x7f800000u;
constexpr uint32_t kMaxFinite = 0x7f7fffffu;
constexpr uint32_t kOne = 0x3f800000u;

bool is_nan(uint32_t a) { return (a & ~kSign) > kInf; }
bool is_inf(uint32_t a) { return (a & ~kSign) == kInf; }
bool is_zero(uint32_t a) { return (a & ~kSign) == 0; }
uint32_t flush(uint32_t a) { return (a & kInf) == 0 ? a & kSign : a; }
uint32_t saturate(uint32_t a) {
  if (is_nan(a) || (a & kSign)) return 0;
  return a > kOne ? kOne : a;
}

// A finite value as significand x 2^exponent.
struct Parts {
  bool negative;
  int exponent;
  uint32_t significand;
};

Parts unpack(uint32_t a) {
  const int field = a >> 23 & 0xff;
  const uint32_t fraction = a & 0x7fffff;
  return {(a & kSign) != 0, field ? field - 150 : -149, field ? fraction | 0x800000 : fraction};
}

int top_bit(uint128 v) {
  const auto high = static_cast<uint64_t>(v >> 64);
  return high ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<uint64_t>(v));
}

// Whether a magnitude with `rest` of `half`-sized remainders below its last bit is rounded up.
bool rounds_up(bool negative, bool odd, uint128 rest, uint128 half, Rounding rounding) {
  switch (rounding) {
    case Rounding::Rn: return rest > half || (rest == half && odd);
    case Rounding::Rz: return false;
    case Rounding::Rm: return negative && rest != 0;
    case Rounding::Rp: return !negative && rest != 0;
  }
  return false;
}

// magnitude >> shift, rounded; shift >= 0.
uint128 shift_round(bool negative, uint128 magnitude, int shift, Rounding rounding) {
  if (shift <= 0) return magnitude << -shift;
  if (shift > 126) {  // all of it is below the last bit, and below half
    return rounds_up(negative, false, magnitude != 0, 2, rounding);
  }
  const uint128 result = magnitude >> shift;
  const uint128 rest = magnitude & ((uint128{1} << shift) - 1);
  const bool up = rounds_up(negative, result & 1, rest, uint128{1} << (shift - 1), rounding);
  return result + up;
}

// f32 of magnitude x 2^exponent (magnitude below 2^127, not 0).
uint32_t round_f32(bool negative, uint128 magnitude, int exponent, FloatMode mode) {
  const int lead = top_bit(magnitude) + exponent;  // the value lies in [2^lead, 2^(lead+1))
  const int last = lead - 23 > -149 ? lead - 23 : -149;
  const uint128 rounded = shift_round(negative, magnitude, last - exponent, mode.rounding);
  const uint32_t sign = negative ? kSign : 0;
  // A carry out of the significand moves into the exponent field, as it should.
  const uint64_t bits = (static_cast<uint64_t>(last + 149) << 23) + static_cast<uint64_t>(rounded);
  if (bits >= kInf) {
    const bool to_inf = mode.rounding == Rounding::Rn || mode.rounding == (negative ? Rounding::Rm : Rounding::Rp);
    return sign | (to_inf ? kInf : kMaxFinite);
  }
  const uint32_t result = sign | static_cast<uint32_t>(bits);
  return mode.ftz ? flush(result) : result;
}

uint32_t finish(uint32_t a, FloatMode mode) { return mode.sat ? saturate(a) : a; }

// a * b + c of flushed operands, none of them NaN, a * b not inf * 0, no infinities.
uint32_t fma_finite(uint32_t a, uint32_t b, uint32_t c, FloatMode mode) {
  const Parts pa = unpack(a), pb = unpack(b), pc = unpack(c);
  const bool product_negative = pa.negative != pb.negative;
  uint128 product = uint64_t{pa.significand} * pb.significand;
  uint128 addend = pc.significand;
  int product_exponent = pa.exponent + pb.exponent;
  int addend_exponent = pc.exponent;
  if (product == 0 && addend == 0) {
    const bool negative = product_negative == pc.negative ? product_negative : mode.rounding == Rounding::Rm;
    return negative ? kSign : 0;
  }
  if (product == 0) return round_f32(pc.negative, addend, addend_exponent, mode);
  if (addend == 0) return round_f32(product_negative, product, product_exponent, mode);

  // Bring both to the lower exponent; what would lie more than 70 bits below the other's last bit
  // only matters by being there, so one bit stands for it.
  const int distance = product_exponent - addend_exponent;
  int exponent = distance > 0 ? addend_exponent : product_exponent;
  if (distance > 76) {
    product <<= 76;
    addend = 1;
    exponent = product_exponent - 76;
  } else if (distance > 0) {
    product <<= distance;
  } else if (distance < -100) {
    addend <<= 100;
    product = 1;
    exponent = addend_exponent - 100;
  } else {
    addend <<= -distance;
  }
  if (product_negative == pc.negative) return round_f32(pc.negative, product + addend, exponent, mode);
  if (product == addend) return mode.rounding == Rounding::Rm ? kSign : 0;
  return product > addend ? round_f32(product_negative, product - addend, exponent, mode)
                          : round_f32(pc.negative, addend - product, exponent, mode);
}

}  // namespace

uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, FloatMode mode) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return finish(kNan32, mode);
  if (mode.ftz) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  const uint32_t product_sign = (a ^ b) & kSign;
  if (is_inf(a) || is_inf(b)) {
    if (is_zero(a) || is_zero(b)) return finish(kNan32, mode);
    if (is_inf(c) && (c & kSign) != product_sign) return finish(kNan32, mode);
    return finish(product_sign | kInf, mode);
  }
  if (is_inf(c)) return finish(c, mode);
  return finish(fma_finite(a, b, c, mode), mode);
}

uint32_t f32_add(uint32_t a, uint32_t b, FloatMode mode) { return f32_fma(a, kOne, b, mode); }

uint32_t f32_mul(uint32_t a, uint32_t b, FloatMode mode) {
  return f32_fma(a, b, (a ^ b) & kSign,
                 mode);  // adding a zero of the product's sign changes nothing
}

uint32_t f32_minmax(uint32_t a, uint32_t b, bool max, bool ftz, bool nan, bool xorsign_abs) {
  if (ftz) {
    a = flush(a);
    b = flush(b);
  }
  const uint32_t sign = (a ^ b) & kSign;
  if (xorsign_abs) {
    a &= ~kSign;
    b &= ~kSign;
  }
  uint32_t result;
  if (is_nan(a) || is_nan(b)) {
    if (nan || (is_nan(a) && is_nan(b))) return kNan32;
    result = is_nan(a) ? b : a;
  } else {
    // Sign-magnitude to two's complement order; -0 below +0.
    auto key = [](uint32_t v) { return static_cast<int32_t>(v & kSign ? ~(v & ~kSign) : v); };
    result = (key(a) < key(b)) != max ? a : b;
  }
  return xorsign_abs ? result | sign : result;
}

bool f32_compare(uint32_t a, uint32_t b, FCmp compare, bool ftz) {
  if (ftz) {
    a = flush(a);
    b = flush(b);
  }
  const bool unordered = is_nan(a) || is_nan(b);
  const bool equal = !unordered && (a == b || (is_zero(a) && is_zero(b)));
  auto key = [](uint32_t v) { return static_cast<int32_t>(v & kSign ? ~(v & ~kSign) : v); };
  const bool less = !unordered && !equal && key(a) < key(b);
  return compare_holds(compare, less, equal, unordered);
}

bool compare_holds(FCmp compare, bool less, bool equal, bool unordered) {
  const bool greater = !unordered && !equal && !less;
  switch (compare) {
    case FCmp::Lt: return less;
    case FCmp::Le: return less || equal;
    case FCmp::Gt: return greater;
    case FCmp::Ge: return greater || equal;
    case FCmp::Eq: return equal;
    case FCmp::Ne: return less || greater;
    case FCmp::Num: return !unordered;
    case FCmp::Nan: return unordered;
    case FCmp::Ltu: return unordered || less;
    case FCmp::Leu: return unordered || less || equal;
    case FCmp::Gtu: return unordered || greater;
    case FCmp::Geu: return unordered || greater || equal;
    case FCmp::Equ: return unordered || equal;
    case FCmp::Neu: return unordered || less || greater;
  }
  return false;
}

uint32_t f32_from_int(bool negative, uint64_t magnitude, Rounding rounding) {
  if (magnitude == 0) return 0;
  return round_f32(negative, magnitude, 0, {rounding, false, false});
}

uint64_t f32_to_int(uint32_t a, int bits, bool is_signed, Rounding rounding, bool ftz) {
  if (is_nan(a)) return bits == 64 ? uint64_t{1} << 63 : 0;
  if (ftz) a = flush(a);
  const bool negative = (a & kSign) != 0;
  const uint64_t largest = ~uint64_t{0} >> (64 - bits + is_signed);
  const uint64_t lowest = is_signed ? ~largest : 0;  // sign-extended
  if (is_inf(a)) return negative ? lowest : largest;
  const Parts p = unpack(a);
  if (p.exponent > 60) return negative && p.significand ? lowest : largest;
  const uint128 magnitude = shift_round(negative, p.significand, -p.exponent, rounding);
  if (!negative) return magnitude > largest ? largest : static_cast<uint64_t>(magnitude);
  if (!is_signed) return 0;
  if (magnitude > uint128{largest} + 1) return lowest;
  return ~static_cast<uint64_t>(magnitude) + 1;
}

uint32_t f32_round_integral(uint32_t a, Rounding rounding) {
  if (is_nan(a)) return kNan32;
  const Parts p = unpack(a);
  if (is_inf(a) || is_zero(a) || p.exponent >= 0) return a;
  const uint128 magnitude = shift_round(p.negative, p.significand, -p.exponent, rounding);
  if (magnitude == 0) return a & kSign;
  return round_f32(p.negative, magnitude, 0, {});
}

uint32_t f32_normalize(uint32_t a, FloatMode mode) {
  if (is_nan(a)) return finish(kNan32, mode);
  return finish(mode.ftz ? flush(a) : a, mode);
}

uint64_t f64_from_f32(uint32_t a, bool ftz, bool sat) {
  if (ftz) a = flush(a);
  if (sat) a = saturate(a);
  const uint64_t sign = uint64_t{a & kSign} << 32;
  const uint32_t fraction = a & 0x7fffff;
  if (is_nan(a)) return sign | uint64_t{0x7ff8} << 48 | uint64_t{fraction} << 29;
  if (is_inf(a)) return sign | uint64_t{0x7ff0} << 48;
  const int field = a >> 23 & 0xff;
  if (field) return sign | static_cast<uint64_t>(field + 896) << 52 | uint64_t{fraction} << 29;
  if (fraction == 0) return sign;
  const int lead = 31 - std::countl_zero(fraction);  // value = fraction x 2^-149
  const uint64_t significand = uint64_t{fraction} << (52 - lead);
  return sign | ((static_cast<uint64_t>(lead - 149 + 1023 - 1) << 52) + significand);
}

uint32_t f32_from_f64(uint64_t a, FloatMode mode) {
  const uint32_t sign = static_cast<uint32_t>(a >> 32) & kSign;
  const int field = static_cast<int>(a >> 52 & 0x7ff);
  const uint64_t fraction = a & ((uint64_t{1} << 52) - 1);
  if (field == 0x7ff) {
    if (fraction == 0) return finish(sign | kInf, mode);
    return mode.sat ? 0 : sign | 0x7fc00000u | static_cast<uint32_t>(fraction >> 29);
  }
  if (field == 0 && fraction == 0) return finish(sign, mode);
  const uint64_t significand = field ? fraction | uint64_t{1} << 52 : fraction;
  const int exponent = field ? field - 1075 : -1074;
  return finish(round_f32(sign != 0, significand, exponent, mode), mode);
}

}  // namespace heddle::model
