// SPDX-License-Identifier: Apache-2.0
// Multipliers that stand for divisors (Granlund and Montgomery, "Division by invariant integers using multiplication").
//
//   a / 10 = (a * 0xCCCCCCCD) >> 35 for every a below 2^32: 0xCCCCCCCD is 2^35 / 10, rounded up.
//
// Rounding 2^(bits + shift) / d up by e / d adds a * e / (d * 2^(bits + shift)) to the quotient, which is exact as long
// as that stays below 1 / d: when a * e < 2^(bits + shift).
#pragma once

#include <cstdint>

namespace heddle::compiler::lower {

struct Multiplier {
  uint64_t low;    // its low `bits` bits
  bool carry;      // its bit above these
  unsigned shift;  // behind `bits`
};

// For dividends below 2^(bits - spare), bits up to 64, and divisors from 2 that are no power of two. Of the multipliers
// that give exact quotients the shortest; with one spare bit or more it fits `bits`.
constexpr Multiplier multiplier_for(uint64_t divisor, unsigned bits, unsigned spare) {
  using Wide = unsigned __int128;
  const Wide power = Wide{1} << bits;
  Wide quotient = power / divisor, rest = power % divisor;
  unsigned shift = 0;
  for (; divisor - rest > Wide{1} << (shift + spare); shift++) {
    quotient = 2 * quotient + (2 * rest >= divisor);
    rest = 2 * rest % divisor;
  }
  quotient++;
  return {static_cast<uint64_t>(quotient & (power - 1)), quotient >> bits != 0, shift};
}

}  // namespace heddle::compiler::lower
