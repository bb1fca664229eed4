// SPDX-License-Identifier: Apache-2.0
#include "sim/model/mma.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace heddle::model {
namespace {

using isa::MmaFormat;

// A format with a sign, `exponent` bits of exponent and `fraction` bits of fraction.
struct Layout {
  int exponent, fraction;

  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint32_t infinity() const { return ((1u << exponent) - 1) << fraction; }
  uint32_t sign() const { return 1u << (exponent + fraction); }
};
constexpr Layout kF16{5, 10}, kBf16{8, 7}, kTf32{8, 10}, kF32{8, 23};

// Places that are kept below the largest exponent, and the least that this exponent is: the adder's highest place,
// 2^(top + 7), is then no less than f32's smallest normal number, so that results are normalised by shifts to the left
// alone.
constexpr int kPlaces = 25, kLeastTop = -133;

// significand * 2^(exponent - layout.fraction)
MmaNumber parts(Layout layout, uint32_t x) {
  const auto field = static_cast<int>((x & layout.infinity()) >> layout.fraction);
  const uint32_t fraction = x & ((1u << layout.fraction) - 1);
  MmaNumber n;
  n.sign = x & layout.sign();
  if (field == (1 << layout.exponent) - 1) {
    n.nan = fraction != 0;
    n.infinite = fraction == 0;
    return n;
  }
  n.exponent = std::max(field, 1) - layout.bias();
  n.significand = field ? fraction | 1u << layout.fraction : fraction;
  return n;
}

// value * 2^(exponent - fraction) in units of 2^(top - kPlaces), cut off.
int64_t term(bool negative, int exponent, uint64_t value, int fraction, int top) {
  const int right = top - exponent - (kPlaces - fraction);
  const auto magnitude = static_cast<int64_t>(right > 63 ? 0 : right > 0 ? value >> right : value << -right);
  return negative ? -magnitude : magnitude;
}

// sum * 2^(top - kPlaces): f32 cut off, f16 rounded to nearest even.
uint32_t result(int64_t sum, int top, bool f16) {
  const Layout layout = f16 ? kF16 : kF32;
  const auto magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  if (magnitude == 0) return 0;
  // The exponent of the result's last place.
  const int leading = 63 - std::countl_zero(magnitude) + top - kPlaces;
  const int last = std::max(leading, 1 - layout.bias()) - layout.fraction;
  const int right = last - (top - kPlaces);
  uint64_t kept = right > 0 ? magnitude >> right : magnitude << -right;
  if (f16 && right > 0) {
    const uint64_t rest = magnitude & ((uint64_t{1} << right) - 1), half = uint64_t{1} << (right - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  if (kept == 0) return 0;  // +0, whatever was cut off
  // The first bit of a normal significand, and what rounding carries, count up the exponent.
  const auto field = static_cast<uint64_t>(last + layout.fraction + layout.bias() - 1);
  const uint64_t bits = (field << layout.fraction) + kept;
  return static_cast<uint32_t>(std::min<uint64_t>(bits, layout.infinity())) | (sum < 0 ? layout.sign() : 0);
}

}  // namespace

MmaNumber mma_number(MmaFormat format, uint32_t x) {
  switch (format) {
    case MmaFormat::F16: return parts(kF16, x);
    case MmaFormat::Bf16: {
      MmaNumber n = parts(kBf16, x);
      n.significand <<= kF16.fraction - kBf16.fraction;
      return n;
    }
    default: return parts(kTf32, x >> 13);
  }
}

uint32_t mma_sum(const MmaVector& a, const MmaVector& b, int n, uint32_t c, bool f16) {
  const Layout layout = f16 ? kF16 : kF32;
  const MmaNumber addend = parts(layout, c);
  bool nan = addend.nan, infinite[2] = {addend.infinite && !addend.sign, addend.infinite && addend.sign};
  int top = addend.significand ? std::max(addend.exponent, kLeastTop) : kLeastTop;
  for (int i = 0; i < n; i++) {
    const MmaNumber &x = a[i], &y = b[i];
    nan |= x.nan || y.nan || (x.infinite && y.zero()) || (x.zero() && y.infinite);
    if (x.infinite || y.infinite) infinite[x.sign != y.sign] = true;
    if (x.significand && y.significand) top = std::max(top, x.exponent + y.exponent);
  }
  if (nan || (infinite[0] && infinite[1])) return layout.sign() - 1;
  if (infinite[0] || infinite[1]) return layout.infinity() | (infinite[1] ? layout.sign() : 0);
  int64_t sum = term(addend.sign, addend.exponent, addend.significand, layout.fraction, top);
  for (int i = 0; i < n; i++) {
    const MmaNumber &x = a[i], &y = b[i];
    if (x.significand && y.significand)
      sum += term(x.sign != y.sign, x.exponent + y.exponent, uint64_t{x.significand} * y.significand, 2 * kF16.fraction,
                  top);
  }
  return result(sum, top, f16);
}

}  // namespace heddle::model
