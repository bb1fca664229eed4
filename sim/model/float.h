// SPDX-License-Identifier: Apache-2.0
// IEEE 754 arithmetic on bit patterns, exactly as the PTX instructions give it: four roundings,
// subnormals, flush to zero, saturation, NaN results 0x7fffffff. Every operation forms its exact
// result as a 128-bit integer and rounds once; slow and simple, the reference for all faster paths.
//
// `ftz`: subnormal operands and results count as zero of their sign. `sat`: the result is clamped
// to
// [+0, 1], a NaN becomes +0. NaN results of conversions between f32 and f64 keep sign and payload.
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace heddle::model {

inline constexpr uint32_t kNan32 = 0x7fffffff;

using isa::FCmp;
using isa::Rounding;

struct FloatMode {
  Rounding rounding = Rounding::Rn;
  bool ftz = false;
  bool sat = false;
};

uint32_t f32_add(uint32_t a, uint32_t b, FloatMode mode);
uint32_t f32_mul(uint32_t a, uint32_t b, FloatMode mode);
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, FloatMode mode);

// PTX min and max: -0 < +0; a NaN loses against a number unless `nan` (then it wins). xorsign_abs:
// of the magnitudes, with the xor of the signs.
uint32_t f32_minmax(uint32_t a, uint32_t b, bool max, bool ftz, bool nan, bool xorsign_abs);

bool f32_compare(uint32_t a, uint32_t b, FCmp compare, bool ftz);

// Whether a comparison holds between numbers of which one of these is true, or none: then the first is greater.
bool compare_holds(FCmp compare, bool less, bool equal, bool unordered);

// f32 of (negative ? -magnitude : magnitude).
uint32_t f32_from_int(bool negative, uint64_t magnitude, Rounding rounding);

// Integer of f32, clamped to `bits` (8, 16, 32, 64) signed or unsigned and sign- or zero-extended
// to 64. NaN gives 0, for 64 bits 2^63, as silicon does.
uint64_t f32_to_int(uint32_t a, int bits, bool is_signed, Rounding rounding, bool ftz);

// f32 rounded to an integral f32.
uint32_t f32_round_integral(uint32_t a, Rounding rounding);
// Flushed and saturated as `mode` says; NaN made canonical.
uint32_t f32_normalize(uint32_t a, FloatMode mode);

// ---- f64 (float64.cc): a NaN operand comes out quiet and is otherwise kept
inline constexpr uint64_t kNan64 = 0xfff8000000000000;  // of arithmetic without a NaN operand
inline constexpr uint64_t kQuiet64 = 0x0008000000000000;

inline bool is_nan64(uint64_t a) { return a << 1 > uint64_t{0x7ff} << 53; }
inline uint64_t f64_quiet(uint64_t a) { return is_nan64(a) ? a | kQuiet64 : a; }

// PTX min and max: -0 < +0; a NaN loses against a number; of two NaNs b.
uint64_t f64_minmax(uint64_t a, uint64_t b, bool max);
bool f64_compare(uint64_t a, uint64_t b, FCmp compare);
// f64 of (negative ? -magnitude : magnitude).
uint64_t f64_from_int(bool negative, uint64_t magnitude, Rounding rounding);
// Integer of f64, clamped to `bits` (8, 16, 32, 64) signed or unsigned and sign- or zero-extended to 64. NaN gives
// 2^(bits - 1), as silicon does.
uint64_t f64_to_int(uint64_t a, int bits, bool is_signed, Rounding rounding);
uint64_t f64_round_integral(uint64_t a, Rounding rounding);
uint64_t f64_saturate(uint64_t a);  // to [+0, 1], NaN to +0

// ---- between them
uint64_t f64_from_f32(uint32_t a, bool ftz, bool sat);
uint32_t f32_from_f64(uint64_t a, FloatMode mode);

}  // namespace heddle::model
