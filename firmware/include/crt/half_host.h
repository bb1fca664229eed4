// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 without the machine's instructions: what cuda_fp16.h, cuda_bf16.h and cuda_fp8.h compute with on the
// host. Values are exact in double;
// __heddle_narrow rounds, once, to a format of `Fraction` and `Exponent` bits whose numbers end before `Infinity`.
// Plain integers, for host compilers without a 16-bit type.
#if !defined(HEDDLE_CRT_HALF_HOST_H)
#define HEDDLE_CRT_HALF_HOST_H

#if !defined(__CUDACC_RTC__)
#include <math.h>
#include <string.h>
#endif

#include "host_defines.h"

#define HEDDLE_HOST_HALF static __inline__ __host__ __device__

// By its bits: -ffast-math takes comparisons for true or false.
HEDDLE_HOST_HALF bool __heddle_is_nan(const double v) {
  unsigned long long bits;
  memcpy(&bits, &v, sizeof bits);
  return (bits & 0x7fffffffffffffffull) > 0x7ffull << 52;
}

enum __heddle_rounding { __heddle_rn, __heddle_rz, __heddle_rd, __heddle_ru };

template <int Fraction, int Exponent, unsigned Infinity = ((1u << Exponent) - 1) << Fraction>
HEDDLE_HOST_HALF unsigned short __heddle_narrow(const double v, const __heddle_rounding mode = __heddle_rn) {
  const unsigned infinity = Infinity;
  const int least = 2 - (1 << (Exponent - 1));  // the exponent of subnormal numbers
  unsigned long long bits;
  memcpy(&bits, &v, sizeof bits);
  if (__heddle_is_nan(v)) return static_cast<unsigned short>((1u << (Fraction + Exponent)) - 1);
  const bool negative = bits >> 63;
  const unsigned sign = static_cast<unsigned>(negative) << (Fraction + Exponent);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased == 0x7ff) return static_cast<unsigned short>(sign | infinity);
  unsigned long long mantissa = bits & 0xfffffffffffffull;
  if (biased != 0) mantissa |= 1ull << 52;
  const int exponent = biased != 0 ? biased - 1023 : -1022, scale = exponent > least ? exponent : least;
  int dropped = 52 - Fraction + scale - exponent;
  if (dropped > 62) dropped = 62;  // all of it, and less than half
  const unsigned long long rest = mantissa & ((1ull << dropped) - 1), half = 1ull << (dropped - 1);
  unsigned long long kept = mantissa >> dropped;
  const bool outward = mode == __heddle_rd ? negative : mode == __heddle_ru && !negative;
  const bool away = mode == __heddle_rn ? rest > half || (rest == half && (kept & 1)) : rest != 0 && outward;
  // The leading bit of a normal number counts one up in the exponent, and so does a carry.
  kept += static_cast<unsigned long long>(scale - least) << Fraction;
  if (away) kept++;
  if (kept >= infinity) kept = mode == __heddle_rn || outward ? infinity : infinity - 1;
  return static_cast<unsigned short>(sign | static_cast<unsigned>(kept));
}

template <int Fraction, int Exponent>
HEDDLE_HOST_HALF float __heddle_widen(const unsigned short x) {
  unsigned bits = static_cast<unsigned>(x & ((1u << (Fraction + Exponent)) - 1)) << (23 - Fraction);
  const unsigned sign = static_cast<unsigned>(x >> (Fraction + Exponent)) << 31;
  float f;
  if (Exponent == 8) {  // the upper part of an f32
    bits |= sign;
    memcpy(&f, &bits, sizeof f);
    return f;
  }
  if (bits > ((1u << Exponent) - 1) << 23) bits = 0x7fffffff;
  else if (bits == ((1u << Exponent) - 1) << 23) bits = sign | 0x7f800000;
  else if (bits >= 1u << 23) bits = sign | (bits + ((128u - (1u << (Exponent - 1))) << 23));
  else {
    f = static_cast<float>(static_cast<int>(bits >> (23 - Fraction)));
    // The unit of subnormal numbers, by its exponent.
    const unsigned unit = static_cast<unsigned>(127 + 2 - (1 << (Exponent - 1)) - Fraction) << 23;
    float u;
    memcpy(&u, &unit, sizeof u);
    f *= u;
    return sign ? -f : f;
  }
  memcpy(&f, &bits, sizeof f);
  return f;
}

// Rounded to odd: a further rounding, to fewer bits, is as if it were the only one.
HEDDLE_HOST_HALF double __heddle_odd(const unsigned long long magnitude) {
  if (magnitude >> 53 == 0) return static_cast<double>(magnitude);
  return static_cast<double>((magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11);
}
HEDDLE_HOST_HALF double __heddle_odd(const double product, const double addend) {
  const double sum = product + addend;
  if (!(fabs(sum) <= 1.7e308)) return sum;
  const double back = sum - product, lost = (product - (sum - back)) + (addend - back);
  unsigned long long bits;
  memcpy(&bits, &sum, sizeof bits);
  if (lost != 0 && !(bits & 1)) bits = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  double odd;
  memcpy(&odd, &bits, sizeof odd);
  return odd;
}

// Of integers of any kind.
template <typename Integer>
HEDDLE_HOST_HALF double __heddle_of_integer(const Integer i) {
  return i < 0 ? -__heddle_odd(0 - static_cast<unsigned long long>(i))
               : __heddle_odd(static_cast<unsigned long long>(i));
}

// Beyond the integer's range its ends; `nan` of NaN.
template <typename Integer>
HEDDLE_HOST_HALF Integer __heddle_to_integer(const double v, const __heddle_rounding mode, const Integer nan) {
  const int bits = 8 * sizeof(Integer);
  const bool is_signed = static_cast<Integer>(-1) < 0;
  if (__heddle_is_nan(v)) return nan;
  double whole = mode == __heddle_rd ? floor(v) : mode == __heddle_ru ? ceil(v) : trunc(v);
  if (mode == __heddle_rn) {  // whatever the host's rounding is
    const double rest = fabs(v - whole);
    if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2.0) != 0)) whole += v < 0 ? -1 : 1;
  }
  const unsigned long long beyond = 1ull << (bits - 1);  // the first power of two a signed integer lacks
  const double limit = static_cast<double>(beyond) * (is_signed ? 1 : 2);
  if (whole >= limit) return static_cast<Integer>(is_signed ? beyond - 1 : beyond + (beyond - 1));
  if (whole < 0) {
    if (!is_signed) return 0;
    return whole <= -limit ? static_cast<Integer>(beyond) : static_cast<Integer>(static_cast<long long>(whole));
  }
  return static_cast<Integer>(static_cast<unsigned long long>(whole));
}

#undef HEDDLE_HOST_HALF
#endif
