// SPDX-License-Identifier: Apache-2.0
#include "sim/model/mufu.h"

#include <bit>

namespace heddle::model {
namespace {

using isa::MufuOp;

constexpr uint32_t kNan = 0x7fffffff, kInfinity = 0x7f800000, kOne = 0x3f800000, kSign = 0x80000000;

struct Segment {
  uint32_t c0, c1, c2, shift;
};
constexpr Segment kSegments[] = {
#define HEDDLE_MUFU_SEGMENT(c0, c1, c2, shift) {c0, c1, c2, shift},
#include "isa/mufu.def"
};
// First segments of the functions there.
enum Group : uint32_t { kRcp = 0, kRsq = 128, kSqrt = 256, kSin = 384, kEx2 = 448, kLg2 = 512, kTanh = 576 };

// In units of 2^-40.
constexpr int kFraction = 40;
template <int sign1, int sign2, int64_t bias>
int64_t interpolate(uint32_t segment, uint32_t x) {
  const Segment& s = kSegments[segment];
  const int64_t linear = static_cast<int64_t>(s.c1) * x << s.shift;
  const int64_t quadratic = static_cast<int64_t>(s.c2) * mufu_square(x) << (s.shift + 1);
  return (static_cast<int64_t>(s.c0) << 14) + sign1 * linear + sign2 * quadratic + bias;
}

// f32 of a magnitude in units of 2^-fraction, truncated.
uint32_t truncated(uint64_t magnitude, int fraction) {
  if (magnitude == 0) return 0;
  const int top = 63 - std::countl_zero(magnitude);
  const uint64_t significand = top > 23 ? magnitude >> (top - 23) : magnitude << (23 - top);
  return static_cast<uint32_t>((127 + top - fraction) << 23) + (significand & 0x7fffff);
}

uint32_t sine(uint32_t sign, int exponent, uint32_t significand, bool cosine) {
  // The position within a turn in units of 2^-25: a quadrant and 23 bits.
  const int shift = exponent - 125;
  uint32_t turn = 0;
  if (shift >= 0 && shift < 25) turn = significand << shift;
  if (shift < 0 && shift > -24) turn = significand >> -shift;
  const uint32_t quadrant = (turn >> 23) + (cosine ? 1 : 0);
  uint32_t position = turn & 0x7fffff;
  if (quadrant & 1) position ^= 0x7fffff;
  const int64_t value = interpolate<1, -1, 0>(kSin + (position >> 17), position & 0x1ffff);
  return truncated(value, kFraction) | ((quadrant & 2 ? kSign : 0) ^ (cosine ? 0 : sign));
}

uint32_t exponential(uint32_t sign, int exponent, uint32_t significand) {
  if (exponent > 127 + 8) return sign ? 0 : kInfinity;
  // In units of 2^-23, toward zero; of a negative number, unless it is whole, the ones' complement.
  const int shift = exponent - 127;
  int64_t x = shift >= 0 ? static_cast<int64_t>(significand) << shift : shift > -24 ? significand >> -shift : 0;
  if (sign) x = (x & 0x7fffff) == 0 ? -x : ~x;
  const int whole = static_cast<int>(x >> 23);
  if (whole > 127) return kInfinity;
  if (whole < -126) return 0;
  const uint32_t position = x & 0x7fffff;
  const int64_t value = interpolate<1, 1, 8074>(kEx2 + (position >> 17), position & 0x1ffff);
  return truncated(value, kFraction) + (static_cast<uint32_t>(whole) << 23);
}

uint32_t tangent(uint32_t x, uint32_t sign, int exponent, uint32_t fraction) {
  if (exponent < 127 - 8) return x;
  if (exponent > 127 + 2) return sign | kOne;
  // Where the binade's segments begin, and how many fraction bits number them.
  struct Binade {
    uint8_t first, bits;
  };
  constexpr Binade kBinades[] = {{48, 0}, {49, 0}, {50, 0}, {52, 1}, {54, 1}, {56, 2},
                                 {60, 2}, {4, 2},  {8, 3},  {16, 4}, {32, 3}};
  const Binade b = kBinades[exponent - 119];
  const uint32_t segment = b.first + (fraction >> (23 - b.bits));
  const uint32_t position = (fraction << b.bits & 0x7fffff) >> 6;
  return truncated(interpolate<1, -1, 0>(kTanh + segment, position), kFraction) | sign;
}

}  // namespace

uint32_t mufu_square(uint32_t x) {
  uint32_t sum = 0;
  for (int i = 2; i < 16; i++) {
    // x_i x_j 2^(i + j + 1) for i < j, 18 <= i + j.
    const int first = i < 9 ? 18 - i : i + 1;
    const uint32_t above = x >> first;
    sum += (x >> i & 1 ? above : 0) << (i + first - 18);
  }
  for (int i = 10; i < 17; i++) sum += (x >> i & 1) << (2 * i - 19);
  return sum;
}

uint32_t mufu(MufuOp op, uint32_t x) {
  const uint32_t sign = x & kSign, fraction = x & 0x7fffff, significand = fraction | 0x800000;
  const int exponent = static_cast<int>(x >> 23 & 255);
  const bool zero = exponent == 0, infinite = exponent == 255, odd = (exponent & 1) == 0;
  if (infinite && fraction != 0) return kNan;
  // x = significand 4^half, 1 <= significand < 4
  const int half = (exponent - 127) >> 1;
  const uint32_t root_segment = (odd ? 64 : 0) + (fraction >> 17);
  const uint32_t low = fraction & 0x1ffff;
  switch (op) {
    case MufuOp::Rcp: {
      if (zero) return sign | kInfinity;
      if (infinite) return sign;
      const int64_t value = interpolate<-1, 1, 4047>(kRcp + (fraction >> 16), (fraction & 0xffff) << 1);
      const int field = static_cast<int>(truncated(value, kFraction) >> 23) + 127 - exponent;
      if (field <= 0) return sign;
      return sign | static_cast<uint32_t>(field) << 23 | (truncated(value, kFraction) & 0x7fffff);
    }
    case MufuOp::Rsq: {
      if (zero) return sign | kInfinity;
      if (sign) return kNan;
      if (infinite) return 0;
      const bool one = fraction == 0 && !odd;
      const uint32_t value = one ? kOne : truncated(interpolate<-1, 1, 16383>(kRsq + root_segment, low), kFraction);
      return value - (static_cast<uint32_t>(half) << 23);
    }
    case MufuOp::Sqrt: {
      if (zero) return sign;
      if (sign) return kNan;
      if (infinite) return x;
      const int64_t value = interpolate<1, -1, 16383>(kSqrt + root_segment, low);
      return truncated(value, kFraction) + (static_cast<uint32_t>(half) << 23);
    }
    case MufuOp::Sin:
    case MufuOp::Cos:
      if (infinite) return kNan;
      return sine(sign, exponent, zero ? 0 : significand, op == MufuOp::Cos);
    case MufuOp::Ex2:
      if (infinite) return sign ? 0 : x;
      return exponential(sign, exponent, zero ? 0 : significand);
    case MufuOp::Lg2: {
      if (zero) return kSign | kInfinity;
      if (sign) return kNan;
      if (infinite) return x;
      if (x == kOne) return 0;
      // 36 fraction bits are left when the exponent is added; of a negative sum the ones'
      // complement.
      const int64_t value = interpolate<1, -1, 3348>(kLg2 + (fraction >> 17), low) >> 4;
      const int64_t sum = (static_cast<int64_t>(exponent - 127) << 36) + value;
      return sum < 0 ? kSign | truncated(~sum, 36) : truncated(sum, 36);
    }
    case MufuOp::Tanh: return tangent(x, sign, exponent, fraction);
  }
  return kNan;
}

}  // namespace heddle::model
