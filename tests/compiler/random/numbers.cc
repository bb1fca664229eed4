// SPDX-License-Identifier: Apache-2.0
// Compiled with -frounding-math: the host's own arithmetic, in all four modes.
#include "tests/compiler/random/numbers.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace heddle::compiler::test {
namespace {

constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

struct Layout {
  int exponent, fraction;
  int bias() const { return (1 << (exponent - 1)) - 1; }
  int least() const { return 1 - bias() - fraction; }  // the last place of subnormals
  uint64_t sign() const { return uint64_t{1} << (exponent + fraction); }
  uint64_t infinity() const { return ((uint64_t{1} << exponent) - 1) << fraction; }
  uint64_t one() const { return static_cast<uint64_t>(bias()) << fraction; }
};
constexpr Layout kLayouts[] = {{5, 10}, {8, 7}, {8, 23}, {11, 52}, {4, 3}, {5, 2}, {8, 10}};
const Layout& layout(Format f) { return kLayouts[static_cast<int>(f)]; }

uint64_t nan_of(Format f) { return f == Format::F64 ? 0x7ff8000000000000 : layout(f).sign() - 1; }
bool is_nan(Format f, uint64_t bits) { return std::isnan(decode(f, bits)); }

// Operands and result pass through memory, so that nothing is computed before or after the mode changes.
template <typename T, typename F>
T in_mode(unsigned rounding, F f, T a, T b, T c = 0) {
  volatile T x = a, y = b, z = c, result;
  std::fesetround(kModes[rounding]);
  result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

// a + b of f64, the last bit set where anything was lost; a zero has the sign that the mode gives it.
double odd_sum(double a, double b, unsigned rounding) {
  volatile double x = a, y = b, cut;
  std::fesetround(FE_TOWARDZERO);
  std::feclearexcept(FE_INEXACT);
  cut = x + y;
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  if (!inexact)
    return in_mode<double>(
        rounding, [](double p, double q, double) { return p + q; }, a, b);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(static_cast<double>(cut)) | 1);
}

uint64_t finish64(double x, const Mode&) { return std::isnan(x) ? nan_of(Format::F64) : std::bit_cast<uint64_t>(x); }

// Of magnitudes with signs, so that -0 < +0.
int64_t order(uint64_t bits, uint64_t sign) {
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude - 1 : magnitude;
}

}  // namespace

unsigned width(Format f) { return static_cast<unsigned>(1 + layout(f).exponent + layout(f).fraction); }

double decode(Format f, uint64_t bits, bool ftz) {
  const Layout& l = layout(f);
  bits &= 2 * l.sign() - 1;
  const uint64_t magnitude = bits & (l.sign() - 1), fraction = magnitude & ((uint64_t{1} << l.fraction) - 1);
  const int exponent = static_cast<int>(magnitude >> l.fraction);
  double x;
  if (f == Format::E4m3 ? magnitude == 0x7f : magnitude > l.infinity()) x = std::numeric_limits<double>::quiet_NaN();
  else if (f != Format::E4m3 && magnitude == l.infinity()) x = std::numeric_limits<double>::infinity();
  else if (exponent == 0) x = ftz ? 0 : std::ldexp(static_cast<double>(fraction), l.least());
  else x = std::ldexp(static_cast<double>(fraction | uint64_t{1} << l.fraction), exponent - 1 + l.least());
  return bits & l.sign() ? -x : x;
}

uint64_t encode(Format f, long double exact, const Mode& mode) {
  const Layout& l = layout(f);
  if (std::isnan(exact)) return mode.sat ? 0 : nan_of(f);
  const bool negative = std::signbit(exact);
  const long double m = std::fabs(exact);
  const uint64_t largest = f == Format::E4m3 ? 0x7e : l.infinity() - 1;
  uint64_t bits = 0;
  if (std::isinf(m)) {
    bits = mode.finite || f == Format::E4m3 ? largest : l.infinity();
  } else if (m > 0) {
    int e = 0;
    std::frexp(m, &e);
    const int last = std::max(e - 1 - l.fraction, l.least());
    const long double scaled = std::ldexp(m, -last);
    const long double down = std::floor(scaled), rest = scaled - down;
    auto kept = static_cast<uint64_t>(down);
    if (mode.rounding == 0) kept += rest > 0.5L || (rest == 0.5L && (kept & 1));
    else if (mode.rounding == 4) kept += rest >= 0.5L;
    else kept += rest > 0 && mode.rounding == (negative ? 2u : 3u);
    // A carry out of the significand moves into the exponent field, as it should.
    bits = (static_cast<uint64_t>(last - l.least()) << l.fraction) + kept;
    const bool to_infinity = mode.rounding == 0 || mode.rounding == 4 || mode.rounding == (negative ? 2u : 3u);
    if (bits > largest) bits = to_infinity && !mode.finite && f != Format::E4m3 ? l.infinity() : largest;
  }
  if (mode.ftz && bits >> l.fraction == 0) bits = 0;
  if (mode.sat) return negative ? 0 : std::min(bits, l.one());
  if (mode.relu && negative) return 0;
  return negative ? bits | l.sign() : bits;
}

uint64_t negated(Format f, uint64_t a) { return a ^ layout(f).sign(); }

uint64_t sum(Format f, uint64_t a, uint64_t b, const Mode& mode) {
  const double x = decode(f, a, mode.ftz), y = decode(f, b, mode.ftz);
  if (f != Format::F64) return encode(f, odd_sum(x, y, mode.rounding), mode);
  return finish64(in_mode<double>(
                      mode.rounding, [](double p, double q, double) { return p + q; }, x, y),
                  mode);
}

uint64_t product(Format f, uint64_t a, uint64_t b, const Mode& mode) {
  const double x = decode(f, a, mode.ftz), y = decode(f, b, mode.ftz);
  if (f != Format::F64) return encode(f, x * y, mode);  // exact in f64
  return finish64(in_mode<double>(
                      mode.rounding, [](double p, double q, double) { return p * q; }, x, y),
                  mode);
}

uint64_t fused(Format f, uint64_t a, uint64_t b, uint64_t c, const Mode& mode) {
  const double x = decode(f, a, mode.ftz), y = decode(f, b, mode.ftz), z = decode(f, c, mode.ftz);
  if (f != Format::F64) return encode(f, odd_sum(x * y, z, mode.rounding), mode);
  return finish64(in_mode<double>(
                      mode.rounding, [](double p, double q, double r) { return std::fma(p, q, r); }, x, y, z),
                  mode);
}

uint64_t quotient(Format f, uint64_t a, uint64_t b, const Mode& mode) {
  const double x = decode(f, a, mode.ftz), y = decode(f, b, mode.ftz);
  if (f == Format::F64)
    return finish64(in_mode<double>(
                        mode.rounding, [](double p, double q, double) { return p / q; }, x, y),
                    mode);
  return encode(
      f,
      in_mode<float>(
          mode.rounding, [](float p, float q, float) { return p / q; }, static_cast<float>(x), static_cast<float>(y)),
      mode);
}

uint64_t root(Format f, uint64_t a, const Mode& mode) {
  const double x = decode(f, a, mode.ftz);
  if (f == Format::F64)
    return finish64(in_mode<double>(
                        mode.rounding, [](double p, double, double) { return std::sqrt(p); }, x, 0.0),
                    mode);
  return encode(f,
                in_mode<float>(
                    mode.rounding, [](float p, float, float) { return std::sqrt(p); }, static_cast<float>(x), 0.0f),
                mode);
}

uint64_t extreme(Format f, uint64_t a, uint64_t b, const Choice& c) {
  const Layout& l = layout(f);
  const auto flushed = [&](uint64_t v) { return c.ftz && (v & (l.sign() - 1)) >> l.fraction == 0 ? v & l.sign() : v; };
  a = flushed(a), b = flushed(b);
  const uint64_t sign = c.xorsign ? (a ^ b) & l.sign() : 0;
  if (c.xorsign) a &= l.sign() - 1, b &= l.sign() - 1;
  if (is_nan(f, a) || is_nan(f, b)) {
    if (c.nan || (is_nan(f, a) && is_nan(f, b))) return nan_of(f);
    return (is_nan(f, a) ? b : a) | sign;
  }
  return ((order(a, l.sign()) < order(b, l.sign())) != c.max ? a : b) | sign;
}

bool compare(unsigned how, double x, double y) {
  const bool nan = std::isnan(x) || std::isnan(y);
  switch (how) {
    case 0: return x == y;
    case 1: return !nan && x != y;
    case 2: return x < y;
    case 3: return x <= y;
    case 4: return x > y;
    case 5: return x >= y;
    case 6: return nan || x == y;
    case 7: return nan || x != y;
    case 8: return nan || x < y;
    case 9: return nan || x <= y;
    case 10: return nan || x > y;
    case 11: return nan || x >= y;
    case 12: return !nan;
    default: return nan;
  }
}

double whole(double x, unsigned rounding) {
  return rounding == 0   ? std::nearbyint(x)
         : rounding == 1 ? std::trunc(x)
         : rounding == 2 ? std::floor(x)
                         : std::ceil(x);
}

uint64_t to_integer(double x, unsigned bits, bool is_signed, unsigned rounding, uint64_t nan) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (std::isnan(x)) return nan & mask;
  x = whole(x, rounding);
  const double limit = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  if (x >= limit) return is_signed ? mask >> 1 : mask;
  if (is_signed) return x < -limit ? uint64_t{1} << (bits - 1) : static_cast<uint64_t>(static_cast<int64_t>(x)) & mask;
  return x < 0 ? 0 : static_cast<uint64_t>(x);
}

}  // namespace heddle::compiler::test
