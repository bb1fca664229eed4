// SPDX-License-Identifier: Apache-2.0
#include "sim/model/float16.h"

#include <bit>

namespace heddle::model {
namespace {

constexpr uint32_t kSign32 = 0x80000000u, kInf32 = 0x7f800000u;

struct Layout {
  int exponent_bits, fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint32_t sign() const { return 1u << (exponent_bits + fraction_bits); }
  uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
  uint32_t one() const { return static_cast<uint32_t>(bias()) << fraction_bits; }
};

Layout layout(FloatFormat format) {
  switch (format) {
    case FloatFormat::F16: return {5, 10};
    case FloatFormat::Bf16: return {8, 7};
    case FloatFormat::E4m3: return {4, 3};
    case FloatFormat::E5m2: return {5, 2};
    case FloatFormat::F32: break;
  }
  return {8, 23};
}

// e4m3 has numbers where others have infinity and most NaN.
constexpr uint32_t kNanE4m3 = 0x7f;

uint32_t modified(FloatFormat format, uint32_t x, const NarrowMode& mode) {
  const Layout f = layout(format);
  const uint32_t magnitude = x & (f.sign() - 1);
  if (mode.ftz && magnitude >> f.fraction_bits == 0) x &= f.sign();
  const bool negative = (x & f.sign()) != 0;
  const bool nan = format == FloatFormat::E4m3 ? magnitude == kNanE4m3 : magnitude > f.infinity();
  if (mode.sat && (nan || negative)) return 0;
  if (mode.sat && magnitude > f.one()) return f.one();
  return mode.relu && negative && !nan ? 0 : x;
}

// magnitude x 2^exponent, magnitude below 2^63.
uint32_t rounded(FloatFormat format, bool negative, uint64_t magnitude, int exponent, const NarrowMode& mode) {
  const Layout f = layout(format);
  const uint32_t sign = negative ? f.sign() : 0;
  if (magnitude == 0) return sign;
  const int least = 1 - f.bias() - f.fraction_bits;  // the last place of subnormals
  const int lead = 63 - std::countl_zero(magnitude) + exponent;
  const int last = lead - f.fraction_bits > least ? lead - f.fraction_bits : least;
  const int shift = last - exponent;
  uint64_t kept = 0, rest = 1, half = 2;  // far below the last place
  if (shift <= 0) {
    kept = magnitude << -shift;
    rest = 0;
  } else if (shift < 64) {
    kept = magnitude >> shift;
    rest = magnitude & ((uint64_t{1} << shift) - 1);
    half = uint64_t{1} << (shift - 1);
  }
  switch (mode.rounding) {
    case Rounding::Rn: kept += rest > half || (rest == half && (kept & 1)); break;
    case Rounding::Rz: break;
    case Rounding::Rm: kept += negative && rest != 0; break;
    case Rounding::Rp: kept += !negative && rest != 0; break;
  }
  // A carry out of the significand moves into the exponent field, as it should.
  const uint64_t bits = (static_cast<uint64_t>(last - least) << f.fraction_bits) + kept;
  if (format == FloatFormat::E4m3) return sign | (bits < kNanE4m3 ? static_cast<uint32_t>(bits) : kNanE4m3 - 1);
  if (bits < f.infinity()) return sign | static_cast<uint32_t>(bits);
  const bool to_infinity = mode.rounding == Rounding::Rn || mode.rounding == (negative ? Rounding::Rm : Rounding::Rp);
  return sign | (to_infinity && !mode.finite ? f.infinity() : f.infinity() - 1);
}

bool has_payload(FloatFormat format) { return format == FloatFormat::F16 || format == FloatFormat::Bf16; }

bool is_nan32(uint32_t x) { return (x & ~kSign32) > kInf32; }

}  // namespace

uint32_t f32_from_narrow(FloatFormat format, uint32_t x, bool ftz, bool keep) {
  if (format == FloatFormat::F32) return x;
  const Layout f = layout(format);
  const uint32_t sign = x & f.sign() ? kSign32 : 0, magnitude = x & (f.sign() - 1);
  const uint32_t fraction = magnitude & ((1u << f.fraction_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> f.fraction_bits), up = 23 - f.fraction_bits;
  if (format == FloatFormat::E4m3 ? magnitude == kNanE4m3 : magnitude > f.infinity())
    return keep && has_payload(format) ? sign | kInf32 | fraction << up : 0x7fffffff;
  if (format != FloatFormat::E4m3 && magnitude == f.infinity()) return sign | kInf32;
  if (exponent != 0) return sign | static_cast<uint32_t>(exponent - f.bias() + 127) << 23 | fraction << up;
  if (ftz || fraction == 0) return sign;
  if (format == FloatFormat::Bf16) return sign | fraction << up;
  const int lead = 31 - std::countl_zero(fraction);
  return sign | static_cast<uint32_t>(lead + 1 - f.bias() - f.fraction_bits + 127) << 23 |
         (fraction << (23 - lead) & 0x7fffff);
}

uint32_t narrow_from_f32(FloatFormat format, uint32_t x, const NarrowMode& mode) {
  if (format == FloatFormat::F32) return x;
  const Layout f = layout(format);
  const bool negative = (x & kSign32) != 0;
  const uint32_t sign = negative ? f.sign() : 0, fraction = x & 0x7fffff;
  uint32_t result;
  if (is_nan32(x)) {
    result = f.sign() - 1;
    // Quiet, that it does not become infinity.
    if (mode.keep && has_payload(format))
      result = sign | f.infinity() | 1u << (f.fraction_bits - 1) | fraction >> (23 - f.fraction_bits);
  } else if ((x & ~kSign32) == kInf32) {
    result = sign | (format == FloatFormat::E4m3 ? kNanE4m3 - 1 : mode.finite ? f.infinity() - 1 : f.infinity());
  } else {
    const int field = static_cast<int>(x >> 23 & 0xff);
    result = rounded(format, negative, field ? fraction | 0x800000 : fraction, field ? field - 150 : -149, mode);
  }
  return modified(format, result, mode);
}

uint32_t narrow_fma(FloatFormat format, uint32_t a, uint32_t b, uint32_t c, const NarrowMode& mode) {
  const auto value = [&](uint32_t x) {
    return double{std::bit_cast<float>(f32_from_narrow(format, x, mode.ftz, false))};
  };
  // In f64 the product is exact. Its sum with c is rounded to odd (the last bit is set when anything was lost), which
  // leaves enough for the one rounding that counts.
  const double product = value(a) * value(b), addend = value(c), sum = product + addend;
  const Layout f = layout(format);
  if (sum != sum) return modified(format, f.sign() - 1, mode);
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  const bool negative = bits >> 63;
  const uint32_t field = bits >> 52 & 0x7ff;
  if (field == 0x7ff) return modified(format, (negative ? f.sign() : 0) | f.infinity(), mode);
  const double back = sum - product;
  const double lost = (product - (sum - back)) + (addend - back);
  uint64_t odd = bits;
  if (lost != 0 && (bits & 1) == 0) odd += (lost > 0) == (sum > 0) ? 1 : ~uint64_t{0};
  // No sum of narrow numbers is subnormal in f64.
  const uint64_t magnitude = field ? (odd & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52 : 0;
  const int exponent = static_cast<int>(odd >> 52 & 0x7ff) - 1075;
  return modified(format, rounded(format, negative, magnitude, exponent, mode), mode);
}

}  // namespace heddle::model
