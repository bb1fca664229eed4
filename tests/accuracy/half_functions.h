// SPDX-License-Identifier: Apache-2.0
// The math functions of cuda_fp16.h and cuda_bf16.h, compiled for the host on the device library's host copy; each has
// 65,536 arguments.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::test {

struct HalfFunction {
  const char* name;  // mpfr_reference.h's; "rcp" is the reciprocal
  uint16_t (*f16)(uint16_t);
  uint16_t (*bf16)(uint16_t);
};
const std::vector<HalfFunction>& half_functions();

struct HalfTally {
  int64_t worst = 0;  // numbers between a result and the correctly rounded one
  struct Wrong {
    uint16_t x, got, expected;
  };
  std::vector<Wrong> all;
};
// All arguments; the manual wants every result correctly rounded, NaN as 0x7FFF.
HalfTally measure(const HalfFunction& f, bool bf16);

}  // namespace heddle::test
