// SPDX-License-Identifier: Apache-2.0
// f64 on bit patterns: minimum, comparison, and conversions from and to integers in all roundings. (Sums and products
// are the host's: ops_f64.cc.)
#include <bit>

#include "sim/model/float.h"

namespace heddle::model {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr uint64_t kOne = uint64_t{0x3ff} << 52;
constexpr uint64_t kHidden = uint64_t{1} << 52;

// Sign and magnitude to the order of two's complement; -0 below +0.
int64_t key(uint64_t v) { return static_cast<int64_t>(v & kSign ? ~(v & ~kSign) : v); }

// magnitude >> shift (1 or more), rounded.
uint64_t shift_round(bool negative, uint64_t magnitude, int shift, Rounding rounding) {
  const uint64_t kept = shift > 63 ? 0 : magnitude >> shift;
  const uint64_t rest = shift > 63 ? magnitude : magnitude & ((uint64_t{1} << shift) - 1);
  // Of 64 bits or more half is beyond a magnitude below 2^63, which all callers have.
  const uint64_t half = shift > 64 ? kSign : uint64_t{1} << (shift - 1);
  switch (rounding) {
    case Rounding::Rn: return kept + (rest > half || (rest == half && (kept & 1)));
    case Rounding::Rz: return kept;
    case Rounding::Rm: return kept + (negative && rest != 0);
    case Rounding::Rp: return kept + (!negative && rest != 0);
  }
  return kept;
}

}  // namespace

uint64_t f64_minmax(uint64_t a, uint64_t b, bool max) {
  if (is_nan64(a)) return f64_quiet(b);
  if (is_nan64(b)) return a;
  return (key(a) < key(b)) != max ? a : b;
}

bool f64_compare(uint64_t a, uint64_t b, FCmp compare) {
  const bool unordered = is_nan64(a) || is_nan64(b);
  const bool equal = !unordered && (a == b || ((a | b) & ~kSign) == 0);
  const bool less = !unordered && !equal && key(a) < key(b);
  return compare_holds(compare, less, equal, unordered);
}

uint64_t f64_from_int(bool negative, uint64_t magnitude, Rounding rounding) {
  if (magnitude == 0) return 0;
  const int lead = 63 - std::countl_zero(magnitude);
  const uint64_t sign = negative ? kSign : 0;
  uint64_t significand;
  if (lead <= 52) {
    significand = magnitude << (52 - lead);
  } else {
    // Room for half and rest: the last bit of 64 stays as it is, a multiple of half a place at least.
    significand = lead == 63 ? shift_round(negative, magnitude >> 1 | (magnitude & 1), 10, rounding)
                             : shift_round(negative, magnitude, lead - 52, rounding);
  }
  return sign | ((static_cast<uint64_t>(lead + 1023 - 1) << 52) + significand);
}

uint64_t f64_to_int(uint64_t a, int bits, bool is_signed, Rounding rounding) {
  const uint64_t largest = ~uint64_t{0} >> (64 - bits + is_signed);
  const uint64_t lowest = is_signed ? ~largest : 0;  // sign-extended
  if (is_nan64(a)) return is_signed ? lowest : (largest >> 1) + 1;
  const bool negative = (a & kSign) != 0;
  const int exponent = static_cast<int>(a >> 52 & 0x7ff) - 1075;
  if (exponent > 11) return negative ? lowest : largest;
  const uint64_t significand = (a & (kHidden - 1)) | (exponent > -1075 ? kHidden : 0);
  const uint64_t magnitude =
      exponent >= 0 ? significand << exponent : shift_round(negative, significand, -exponent, rounding);
  if (!negative) return magnitude > largest ? largest : magnitude;
  if (!is_signed) return 0;
  return magnitude > largest ? lowest : ~magnitude + 1;
}

uint64_t f64_round_integral(uint64_t a, Rounding rounding) {
  const int exponent = static_cast<int>(a >> 52 & 0x7ff) - 1075;
  if (exponent >= 0) return f64_quiet(a);
  const bool negative = (a & kSign) != 0;
  const uint64_t significand = (a & (kHidden - 1)) | (exponent > -1075 ? kHidden : 0);
  return (a & kSign) | f64_from_int(negative, shift_round(negative, significand, -exponent, rounding), rounding);
}

uint64_t f64_saturate(uint64_t a) {
  if (is_nan64(a) || (a & kSign)) return 0;
  return a > kOne ? kOne : a;
}

}  // namespace heddle::model
