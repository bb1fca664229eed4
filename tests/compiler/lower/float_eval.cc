// SPDX-License-Identifier: Apache-2.0
// Compiled with -frounding-math: the compiler must not move arithmetic across fesetround.
#include "tests/compiler/lower/float_eval.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <utility>

namespace heddle::compiler::lower::test {
namespace {

class RoundingScope {
 public:
  explicit RoundingScope(isa::Rounding rounding) : old_(std::fegetround()) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[static_cast<int>(rounding)]);
  }
  ~RoundingScope() { std::fesetround(old_); }

 private:
  int old_;
};

bool is_subnormal(uint32_t a) { return (a & 0x7F800000) == 0; }
bool is_nan(uint32_t a) { return (a & 0x7FFFFFFF) > 0x7F800000; }
uint32_t flush(uint32_t a, bool ftz) { return ftz && is_subnormal(a) ? a & 0x80000000 : a; }
float as_float(uint32_t a) { return std::bit_cast<float>(a); }

uint32_t finish(float result, FloatMode mode) {
  uint32_t bits = std::bit_cast<uint32_t>(result);
  if (is_nan(bits)) return mode.sat ? 0 : 0x7FFFFFFF;
  bits = flush(bits, mode.ftz);
  if (mode.sat) {
    if (bits >> 31) return 0;
    if (bits > 0x3F800000) return 0x3F800000;
  }
  return bits;
}

template <typename F>
uint32_t binary(uint32_t a, uint32_t b, FloatMode mode, F f) {
  volatile float x = as_float(flush(a, mode.ftz)), y = as_float(flush(b, mode.ftz));
  RoundingScope scope(mode.rounding);
  volatile float r = f(x, y);
  return finish(r, mode);
}

}  // namespace

uint32_t f32_add(uint32_t a, uint32_t b, FloatMode mode) {
  return binary(a, b, mode, [](float x, float y) { return x + y; });
}
uint32_t f32_mul(uint32_t a, uint32_t b, FloatMode mode) {
  return binary(a, b, mode, [](float x, float y) { return x * y; });
}
uint32_t f32_div(uint32_t a, uint32_t b, FloatMode mode) {
  return binary(a, b, mode, [](float x, float y) { return x / y; });
}
uint32_t f32_sqrt(uint32_t a, FloatMode mode) {
  return binary(a, 0, mode, [](float x, float) { return std::sqrt(x); });
}

uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, FloatMode mode) {
  volatile float z = as_float(flush(c, mode.ftz));
  return binary(a, b, mode, [&](float x, float y) { return std::fma(x, y, z); });
}

uint32_t f32_minmax(uint32_t a, uint32_t b, bool max, bool nan, bool xorsign_abs, FloatMode mode) {
  a = flush(a, mode.ftz);
  b = flush(b, mode.ftz);
  uint32_t sign = (a ^ b) & 0x80000000;
  if (xorsign_abs) {
    a &= 0x7FFFFFFF;
    b &= 0x7FFFFFFF;
  }
  if (is_nan(a) || is_nan(b)) {
    if (nan || (is_nan(a) && is_nan(b))) return 0x7FFFFFFF;
    uint32_t number = is_nan(a) ? b : a;
    return xorsign_abs ? number | sign : number;
  }
  // Ordered as sign and magnitude, so that -0 < +0.
  auto key = [](uint32_t v) {
    auto s = static_cast<int32_t>(v);
    return s < 0 ? static_cast<int32_t>(0x80000000 - static_cast<uint32_t>(s)) - 1 : s;
  };
  uint32_t r = (key(a) < key(b)) != max ? a : b;
  return xorsign_abs ? r | sign : r;
}

bool f32_compare(isa::FCmp cmp, uint32_t a, uint32_t b, bool ftz) {
  float x = as_float(flush(a, ftz)), y = as_float(flush(b, ftz));
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (cmp) {
    case isa::FCmp::Lt: return !unordered && x < y;
    case isa::FCmp::Le: return !unordered && x <= y;
    case isa::FCmp::Gt: return !unordered && x > y;
    case isa::FCmp::Ge: return !unordered && x >= y;
    case isa::FCmp::Eq: return !unordered && x == y;
    case isa::FCmp::Ne: return !unordered && x != y;
    case isa::FCmp::Num: return !unordered;
    case isa::FCmp::Nan: return unordered;
    case isa::FCmp::Ltu: return unordered || x < y;
    case isa::FCmp::Leu: return unordered || x <= y;
    case isa::FCmp::Gtu: return unordered || x > y;
    case isa::FCmp::Geu: return unordered || x >= y;
    case isa::FCmp::Equ: return unordered || x == y;
    case isa::FCmp::Neu: return unordered || x != y;
  }
  return false;
}

uint32_t f32_of_s64(int64_t a, FloatMode mode) {
  volatile int64_t v = a;
  RoundingScope scope(mode.rounding);
  volatile float r = static_cast<float>(v);
  return finish(r, mode);
}

// Through 62 bits with the lost ones gathered in the last: the host rounds unsigned values above
// 2^63 in two steps.
uint32_t f32_of_u64(uint64_t a, FloatMode mode) {
  if (a >> 62 == 0) return f32_of_s64(static_cast<int64_t>(a), mode);
  uint64_t half = a >> 2 | ((a & 3) != 0);
  uint32_t bits = f32_of_s64(static_cast<int64_t>(half), mode);
  return bits + (2u << 23);
}

uint64_t int_of_f32(uint32_t a, unsigned width, bool is_signed, FloatMode mode) {
  if (is_nan(a)) {
    // As recorded from silicon.
    return width == 64 ? uint64_t{1} << 63 : 0;
  }
  volatile float x = as_float(flush(a, mode.ftz));
  double r;
  {
    RoundingScope scope(mode.rounding);
    r = std::nearbyint(static_cast<double>(x));
  }
  double top = std::ldexp(1.0, static_cast<int>(width) - (is_signed ? 1 : 0));
  double bottom = is_signed ? -top : 0;
  if (r >= top) return is_signed ? (uint64_t{1} << (width - 1)) - 1 : ~uint64_t{0} >> (64 - width);
  if (r < bottom) r = bottom;
  return r < 0 ? static_cast<uint64_t>(static_cast<int64_t>(r)) : static_cast<uint64_t>(r);
}

uint32_t f32_round(uint32_t a, bool integral, FloatMode mode) {
  volatile float x = as_float(flush(a, mode.ftz));
  RoundingScope scope(mode.rounding);
  volatile float r = integral ? std::nearbyint(x) : x;
  return finish(r, mode);
}

uint64_t f64_of_f32(uint32_t a, FloatMode mode) {
  // Conversions between floats keep a NaN's sign and upper fraction and make it quiet.
  if (is_nan(a)) {
    return uint64_t{a >> 31} << 63 | 0x7FF8000000000000 | uint64_t{a & 0x007FFFFF} << 29;
  }
  return std::bit_cast<uint64_t>(static_cast<double>(as_float(flush(a, mode.ftz))));
}

uint32_t f32_of_f64(uint64_t a, FloatMode mode) {
  if ((a & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000 && !mode.sat) {
    return static_cast<uint32_t>(a >> 63 << 31 | 0x7FC00000 | (a >> 29 & 0x007FFFFF));
  }
  volatile double x = std::bit_cast<double>(a);
  RoundingScope scope(mode.rounding);
  volatile float r = static_cast<float>(x);
  return finish(r, mode);
}

}  // namespace heddle::compiler::lower::test
