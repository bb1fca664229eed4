// SPDX-License-Identifier: Apache-2.0
// One result of a matrix product as a tensor core of compute capability 9.0 gives it: one exact sum of all products and
// the addend, of which what lies more than 25 bits below the largest exponent was cut off. Part of ops_mma.cc.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "isa/isa.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {

inline constexpr int kMmaProducts = 16;  // of a sum, at most

// A format with a sign, `exponent` bits of exponent and `fraction` bits of fraction.
struct Layout {
  int exponent, fraction;

  constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
  constexpr int largest() const { return (1 << exponent) - 1; }  // of an exponent's field: infinity and NaN
  constexpr uint32_t infinity() const { return static_cast<uint32_t>(largest()) << fraction; }
  constexpr uint32_t sign() const { return 1u << (exponent + fraction); }
};
inline constexpr Layout kF16{5, 10}, kBf16{8, 7}, kTf32{8, 10}, kF32{8, 23};

// Places that are kept below the largest exponent, and the least that this exponent is: the adder's highest place,
// 2^(top + 7), is then no less than f32's smallest normal number, so that results are normalised by shifts to the left
// alone.
inline constexpr int kPlaces = 25, kLeastTop = -133;

// Numbers of a row of A or a column of B: value * 2^(exponent - 10). Subnormal ones have the smallest exponent. What is
// zero or not finite has the value zero, with its sign, and kNoExponent, which is no sum's largest one.
struct MmaVector {
  static constexpr int16_t kNoExponent = -2000;

  alignas(64) std::array<float, kMmaProducts> value;  // whole, of at most 11 bits
  alignas(32) std::array<int16_t, kMmaProducts> exponent;
  uint32_t nan = 0, infinite = 0;  // a bit each

  uint32_t negative() const {
    uint32_t bits = 0;
    for (int i = 0; i < kMmaProducts; i++) bits |= std::bit_cast<uint32_t>(value[i]) >> 31 << i;
    return bits;
  }
  uint32_t zero() const {
    uint32_t bits = 0;
    for (int i = 0; i < kMmaProducts; i++) bits |= uint32_t{exponent[i] == kNoExponent} << i;
    return bits & ~(nan | infinite);
  }
};

template <int kExponent, int kFraction>
MmaVector mma_vector(const std::array<uint32_t, kMmaProducts>& numbers) {
  constexpr Layout kLayout{kExponent, kFraction};
  MmaVector v;
  int largest = 0;
  for (int i = 0; i < kMmaProducts; i++) {
    const uint32_t x = numbers[i];
    const int field = static_cast<int>(x >> kFraction) & kLayout.largest();
    const int fraction = static_cast<int>(x) & ((1 << kFraction) - 1);
    const int significand = field == kLayout.largest() ? 0 : fraction | (field != 0) << kFraction;
    const auto value = static_cast<float>(significand << (kF16.fraction - kFraction));
    const uint32_t sign = (x & kLayout.sign()) << (31 - kExponent - kFraction);
    v.value[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
    v.exponent[i] =
        static_cast<int16_t>(significand != 0 ? std::max(field, 1) - kLayout.bias() : MmaVector::kNoExponent);
    largest = std::max(largest, field);
  }
  if (largest < kLayout.largest()) return v;
  for (int i = 0; i < kMmaProducts; i++) {
    if ((numbers[i] & kLayout.infinity()) != kLayout.infinity()) continue;
    ((numbers[i] & ((1u << kFraction) - 1)) != 0 ? v.nan : v.infinite) |= 1u << i;
  }
  return v;
}

// Of numbers that lie in 16 bits each, or (Tf32) in a word, whose lower 13 bits do not count; zeros where there are
// fewer than 16.
inline MmaVector mma_vector(isa::MmaFormat format, const std::array<uint32_t, kMmaProducts>& words) {
  std::array<uint32_t, kMmaProducts> numbers;
  if (format == isa::MmaFormat::Tf32) {
    for (int i = 0; i < kMmaProducts; i++) numbers[i] = words[i] >> 13;
    return mma_vector<kTf32.exponent, kTf32.fraction>(numbers);
  }
  for (int i = 0; i < kMmaProducts; i++) numbers[i] = words[i / 2] >> 16 * (i % 2) & 0xffff;
  return format == isa::MmaFormat::F16 ? mma_vector<kF16.exponent, kF16.fraction>(numbers)
                                       : mma_vector<kBf16.exponent, kBf16.fraction>(numbers);
}

// The addend: significand * 2^(exponent - layout.fraction), if it is finite.
struct MmaAddend {
  MmaAddend(Layout layout, uint32_t x) {
    const int field = static_cast<int>(x >> layout.fraction) & layout.largest();
    const uint32_t fraction = x & ((1u << layout.fraction) - 1);
    sign = x & layout.sign();
    nan = field == layout.largest() && fraction != 0;
    infinite = field == layout.largest() && fraction == 0;
    exponent = std::max(field, 1) - layout.bias();
    significand = field ? fraction | 1u << layout.fraction : fraction;
  }
  // In units of 2^(top - kPlaces), cut off.
  int64_t term(Layout layout, int top) const {
    const int right = top - exponent - (kPlaces - layout.fraction);
    const uint64_t value = significand;
    const auto magnitude = static_cast<int64_t>(right > 63 ? 0 : right > 0 ? value >> right : value << -right);
    return sign ? -magnitude : magnitude;
  }

  int exponent;
  uint32_t significand;
  bool sign, infinite, nan;
};

// The products in these units, each cut off. A product has 22 bits, so it is a float, and so is what a power of two
// makes of it; cutting off is what the conversion does.
inline int32_t product_terms(const MmaVector& a, const MmaVector& b, int top) {
  constexpr int kScale = kF32.bias() + kPlaces - 2 * kF16.fraction, kNothingLeft = 64;
  int32_t sum = 0;  // 16 products of 2047 * 2047, moved by five places, are less than 2^31
  for (int i = 0; i < kMmaProducts; i++) {
    const int below = std::min(top - (a.exponent[i] + b.exponent[i]), kNothingLeft);
    sum += static_cast<int32_t>(a.value[i] * b.value[i] * std::bit_cast<float>((kScale - below) << kF32.fraction));
  }
  return sum;
}

// sum * 2^(top - kPlaces): f32 cut off, f16 rounded to nearest even.
inline uint32_t mma_result(int64_t sum, int top, bool f16) {
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

// a[0] * b[0] + a[1] * b[1] + … + c, where c and the result are f32, or (f16) f16.
inline uint32_t mma_sum(const MmaVector& a, const MmaVector& b, uint32_t c, bool f16) {
  const Layout layout = f16 ? kF16 : kF32;
  const MmaAddend addend(layout, c);
  if (a.nan | a.infinite | b.nan | b.infinite | addend.infinite | addend.nan) {
    const uint32_t infinite = a.infinite | b.infinite, negative = infinite & (a.negative() ^ b.negative());
    const bool up = (infinite & ~negative) || (addend.infinite && !addend.sign);
    const bool down = negative || (addend.infinite && addend.sign);
    const bool nan = a.nan | b.nan | (a.infinite & b.zero()) | (a.zero() & b.infinite);
    if (nan || addend.nan || (up && down)) return layout.sign() - 1;
    return layout.infinity() | (down ? layout.sign() : 0);
  }
  int16_t largest = kLeastTop;
  for (int i = 0; i < kMmaProducts; i++)
    largest = std::max(largest, static_cast<int16_t>(a.exponent[i] + b.exponent[i]));
  const int top = addend.significand ? std::max<int>(addend.exponent, largest) : largest;
  return mma_result(addend.term(layout, top) + product_terms(a, b, top), top, f16);
}

}  // namespace heddle::model::HEDDLE_OPS
