// SPDX-License-Identifier: Apache-2.0
#include "half_functions.h"

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "libdevice_functions.h"
#include "mpfr_reference.h"

namespace {
float __nv_fsqrt_rn(float x) { return std::sqrt(x); }
float __nv_frcp_rn(float x) { return 1.0f / x; }
}  // namespace

#define HEDDLE_MATH_F [[maybe_unused]] static
#define HEDDLE_HALF __half
#define HEDDLE_HALF2 __half2
#define HEDDLE_RAW __half_raw
#define HEDDLE_FRACTION 10
#define HEDDLE_TO_FLOAT __half2float
#define HEDDLE_OF_FLOAT __float2half_rn
#include <crt/half_math.inc>
#undef HEDDLE_HALF
#undef HEDDLE_HALF2
#undef HEDDLE_RAW
#undef HEDDLE_FRACTION
#undef HEDDLE_TO_FLOAT
#undef HEDDLE_OF_FLOAT
#define HEDDLE_HALF __nv_bfloat16
#define HEDDLE_HALF2 __nv_bfloat162
#define HEDDLE_RAW __nv_bfloat16_raw
#define HEDDLE_FRACTION 7
#define HEDDLE_TO_FLOAT __bfloat162float
#define HEDDLE_OF_FLOAT __float2bfloat16_rn
#include <crt/half_math.inc>

namespace heddle::test {
namespace {

// The number nearest `exact`: subnormal ones have fewer bits.
template <int Fraction, int Exponent>
uint16_t rounded(mpfr_ptr exact) {
  constexpr int kBias = (1 << (Exponent - 1)) - 1;
  constexpr uint16_t kInfinity = ((1 << Exponent) - 1) << Fraction;
  if (mpfr_nan_p(exact)) return 0x7FFF;
  const uint16_t sign = mpfr_signbit(exact) ? 0x8000 : 0;
  if (mpfr_zero_p(exact)) return sign;
  if (mpfr_inf_p(exact)) return sign | kInfinity;
  // In units of the last place; MPFR's exponent is of a fraction in [1/2, 1).
  const long last = std::max<long>(mpfr_get_exp(exact) - 1, 1 - kBias) - Fraction;
  if (mpfr_get_exp(exact) > kBias + 2) return sign | kInfinity;
  Mp units;
  mpfr_mul_2si(units, exact, -last, MPFR_RNDN);
  mpfr_rint(units, units, MPFR_RNDN);
  const long whole = std::labs(mpfr_get_si(units, MPFR_RNDN)) + ((last + Fraction - 1 + kBias) << Fraction);
  return sign | static_cast<uint16_t>(std::min<long>(whole, kInfinity));
}

}  // namespace

const std::vector<HalfFunction>& half_functions() {
#define HEDDLE_ENTRY(name)                                                         \
  {#name, [](uint16_t x) -> uint16_t { return h##name(__ushort_as_half(x)).__x; }, \
   [](uint16_t x) -> uint16_t { return h##name(__ushort_as_bfloat16(x)).__x; }},
  // clang-format off
  static const std::vector<HalfFunction> all = {
      HEDDLE_ENTRY(sqrt) HEDDLE_ENTRY(rsqrt) HEDDLE_ENTRY(rcp) HEDDLE_ENTRY(exp) HEDDLE_ENTRY(exp2) HEDDLE_ENTRY(exp10)
      HEDDLE_ENTRY(log) HEDDLE_ENTRY(log2) HEDDLE_ENTRY(log10) HEDDLE_ENTRY(sin) HEDDLE_ENTRY(cos) HEDDLE_ENTRY(tanh)};
  // clang-format on
#undef HEDDLE_ENTRY
  return all;
}

HalfTally measure(const HalfFunction& f, bool bf16) {
  const std::string name = f.name;
  const auto reciprocal = [](mpfr_ptr r, mpfr_ptr x) { mpfr_ui_div(r, 1, x, MPFR_RNDN); };
  const auto root = [](mpfr_ptr r, mpfr_ptr x) { mpfr_sqrt(r, x, MPFR_RNDN); };
  // Of -0 the reciprocal root is -infinity, as of the float function.
  const auto reciprocal_root = [=](mpfr_ptr r, mpfr_ptr x) { root(r, x), reciprocal(r, r); };
  const Reference1 reference = name == "rcp"     ? Reference1(reciprocal)
                               : name == "sqrt"  ? Reference1(root)
                               : name == "rsqrt" ? Reference1(reciprocal_root)
                                                 : reference1(name);
  HalfTally tally;
  const auto order = [](uint16_t h) {
    return h & 0x8000 ? -static_cast<int64_t>(h & 0x7FFF) : static_cast<int64_t>(h);
  };
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    Mp x(bf16 ? __bfloat162float(__ushort_as_bfloat16(bits)) : __half2float(__ushort_as_half(bits))), exact;
    reference(exact, x);
    const uint16_t expected = bf16 ? rounded<7, 8>(exact) : rounded<10, 5>(exact),
                   got = bf16 ? f.bf16(bits) : f.f16(bits);
    if (got == expected) continue;
    tally.all.push_back({bits, got, expected});
    tally.worst = std::max(tally.worst, std::abs(order(got) - order(expected)));
  }
  return tally;
}

}  // namespace heddle::test
