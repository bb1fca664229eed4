// SPDX-License-Identifier: Apache-2.0
// Floating-point formats on the host: exact values, rounded once. Arithmetic is the host's own in f64, in whose
// 53 bits sums of narrower formats are rounded to odd first, which leaves what the second rounding must know.
#pragma once

#include <cstdint>

namespace heddle::compiler::test {

enum class Format : uint8_t { F16, Bf16, F32, F64, E4m3, E5m2, Tf32 };  // Tf32: 19 bits

struct Mode {
  unsigned rounding = 0;  // nearest even, toward zero, down, up; of `encode` also nearest with halves away from zero
  bool ftz = false, sat = false, relu = false;
  bool finite = false;  // no infinities: the largest number
};

unsigned width(Format f);
// Every format's numbers are numbers of f64. ftz: subnormal ones are zeros.
double decode(Format f, uint64_t bits, bool ftz = false);
// NaN has one pattern: all ones but the sign (f64: 0x7ff8...).
uint64_t encode(Format f, long double exact, const Mode& mode = {});

uint64_t sum(Format f, uint64_t a, uint64_t b, const Mode& mode);
uint64_t product(Format f, uint64_t a, uint64_t b, const Mode& mode);
uint64_t fused(Format f, uint64_t a, uint64_t b, uint64_t c, const Mode& mode);
// F32 and F64 only.
uint64_t quotient(Format f, uint64_t a, uint64_t b, const Mode& mode);
uint64_t root(Format f, uint64_t a, const Mode& mode);
uint64_t negated(Format f, uint64_t a);

struct Choice {
  bool max = false, nan = false, xorsign = false, ftz = false;
};
uint64_t extreme(Format f, uint64_t a, uint64_t b, const Choice& choice);

// eq ne lt le gt ge equ neu ltu leu gtu geu num nan
bool compare(unsigned how, double x, double y);

double whole(double x, unsigned rounding);
// Clamped, NaN gives `nan`; in `bits` bits.
uint64_t to_integer(double x, unsigned bits, bool is_signed, unsigned rounding, uint64_t nan);

}  // namespace heddle::compiler::test
