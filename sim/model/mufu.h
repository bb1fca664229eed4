// SPDX-License-Identifier: Apache-2.0
// The special function unit's arithmetic on bit patterns: table look-up and quadratic
// interpolation, the bits that an NVIDIA H200 gives. Subnormal operands count as zero and subnormal
// results become zero (tanh, which is x there, aside); NaN results are 0x7fffffff.
//
// A value is c0 + c1 x + c2 x^2 of the argument's segment in isa/mufu.def, truncated; the square
// comes from a squarer that leaves out the lower partial products.
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace heddle::model {

// Sin, Cos: of 2 pi x.
uint32_t mufu(isa::MufuOp op, uint32_t x);

// The square of a 17-bit x without its partial products below 2^19, in units of 2^19.
uint32_t mufu_square(uint32_t x);

}  // namespace heddle::model
