// SPDX-License-Identifier: Apache-2.0
// Narrow floating-point formats on bit patterns: f16, bf16 and the 8-bit e4m3 and e5m2. All of their values are f32's,
// too. NaN results are 0x7fff (f32: 0x7fffffff, 8 bits: 0x7f).
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace heddle::model {

using isa::FloatFormat;
using isa::Rounding;

struct NarrowMode {
  Rounding rounding = Rounding::Rn;
  bool ftz = false;     // a subnormal result is zero of its sign
  bool sat = false;     // to [+0, 1], NaN to +0
  bool relu = false;    // what is negative, to +0
  bool finite = false;  // infinity to the largest number; e4m3, which has none, always
  bool keep = false;    // f16, bf16: a NaN keeps its sign and payload
};

// f32 of the value (F32: of itself); `ftz`: a subnormal counts as zero.
uint32_t f32_from_narrow(FloatFormat format, uint32_t x, bool ftz, bool keep);
// The number nearest to an f32 as the mode has it; F32: x itself.
uint32_t narrow_from_f32(FloatFormat format, uint32_t x, const NarrowMode& mode);

// a * b + c with one rounding to nearest, of format F16 or Bf16. ftz holds for operands, too.
uint32_t narrow_fma(FloatFormat format, uint32_t a, uint32_t b, uint32_t c, const NarrowMode& mode);

}  // namespace heddle::model
