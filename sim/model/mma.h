// SPDX-License-Identifier: Apache-2.0
// One result of a matrix product as a tensor core of compute capability 9.0 gives it: one exact sum of all products and
// the addend, of which what lies more than 25 bits below the largest exponent was cut off.
#pragma once

#include <array>
#include <cstdint>

#include "isa/isa.h"

namespace heddle::model {

inline constexpr int kMmaProducts = 16;  // of a sum, at most

// A number of matrix A or B: significand * 2^(exponent - 10). Subnormal ones have the smallest exponent, as zero has.
struct MmaNumber {
  int exponent = 0;
  uint32_t significand = 0;  // 11 bits, the highest clear in subnormal numbers
  bool sign = false, infinite = false, nan = false;

  bool zero() const { return significand == 0 && !infinite && !nan; }
};
using MmaVector = std::array<MmaNumber, kMmaProducts>;

// The number in the low 16 bits of x; Tf32: in all, of which the lower 13 do not count.
MmaNumber mma_number(isa::MmaFormat format, uint32_t x);

// a[0] * b[0] + … + a[n - 1] * b[n - 1] + c, where c and the result are f32, or (f16) f16.
uint32_t mma_sum(const MmaVector& a, const MmaVector& b, int n, uint32_t c, bool f16);

}  // namespace heddle::model
