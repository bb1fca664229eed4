// SPDX-License-Identifier: Apache-2.0
// f32 operations of the machine, bit for bit, from the host's IEEE arithmetic with its rounding
// mode set: what the tests compare with. All values are bit patterns; NaN results are 0x7fffffff.
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace heddle::compiler::lower::test {

struct FloatMode {
  isa::Rounding rounding = isa::Rounding::Rn;
  bool ftz = false;  // subnormal inputs and results become zeros of their sign
  bool sat = false;  // results clamped to [0, 1], NaN to 0
};

uint32_t f32_add(uint32_t a, uint32_t b, FloatMode mode = {});
uint32_t f32_mul(uint32_t a, uint32_t b, FloatMode mode = {});
uint32_t f32_div(uint32_t a, uint32_t b, FloatMode mode = {});
uint32_t f32_sqrt(uint32_t a, FloatMode mode = {});
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, FloatMode mode = {});
uint32_t f32_minmax(uint32_t a, uint32_t b, bool max, bool nan, bool xorsign_abs, FloatMode mode);
bool f32_compare(isa::FCmp cmp, uint32_t a, uint32_t b, bool ftz);
uint32_t f32_of_s64(int64_t a, FloatMode mode);
uint32_t f32_of_u64(uint64_t a, FloatMode mode);
// To an integer of `width` bits, clamped to its range, extended by its sign to 64 bits. NaN: 0 up
// to 32 bits, as far as the table of instructions says what silicon gives; 1 << 63 for 64.
uint64_t int_of_f32(uint32_t a, unsigned width, bool is_signed, FloatMode mode);
uint32_t f32_round(uint32_t a, bool integral, FloatMode mode);
uint64_t f64_of_f32(uint32_t a, FloatMode mode);
uint32_t f32_of_f64(uint64_t a, FloatMode mode);

}  // namespace heddle::compiler::lower::test
