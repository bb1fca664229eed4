// SPDX-License-Identifier: Apache-2.0
#include "float_functions.h"

#include <cmath>
#include <limits>

#include "distance.h"
#include "libdevice_functions.h"
#include "mpfr_reference.h"

namespace heddle::test {
namespace {

constexpr double kPi = 3.14159265358979323846, kRootTwo = 1.41421356237309504880;
constexpr double kTwoOverRootPi = 1.12837916709551257390;

double reciprocal_cube_root(double x) { return 1.0 / std::cbrt(x); }
double reciprocal_root(double x) { return 1.0 / std::sqrt(x); }

// The argument is brought to [-1/2, 1/2] half turns without error.
double sine_of_turns(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double n = std::rint(x), r = x - n;
  if (r == 0.0) return std::copysign(0.0, x);
  const double s = std::sin(kPi * r);
  return std::fmod(n, 2.0) != 0.0 ? -s : s;
}
double cosine_of_turns(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double n = std::rint(x), r = std::abs(x - n);
  const double c = r == 0.5 ? 0.0 : r > 0.25 ? std::sin(kPi * (0.5 - r)) : std::cos(kPi * r);
  return c != 0.0 && std::fmod(n, 2.0) != 0.0 ? -c : c;
}

// The square of a float is exact.
double scaled_complement(double x) {
  if (x > 100.0) {  // 1 - 1/(2 x^2) + 3/(4 x^4) - ... over x sqrt(pi)
    const double z = 0.5 / (x * x);
    return (1.0 - z * (1.0 - 3.0 * z * (1.0 - 5.0 * z))) * (0.5 * kTwoOverRootPi) / x;
  }
  return static_cast<double>(std::exp(static_cast<long double>(x) * x) * std::erfc(static_cast<long double>(x)));
}
double normal_distribution(double x) {
  return static_cast<double>(0.5L * std::erfc(-x * 0.70710678118654752440084436210484904L));
}

// A root of erf(y) = x, or erfc(y) = x: one step of Newton's method, which squares the relative error of
// the library's own double function.
double newton_erf(double y, double excess) { return y - excess / (kTwoOverRootPi * std::exp(-y * y)); }
double inverse_error(double x) {
  const double a = std::abs(x);
  if (!(a < 1.0) || a == 0.0) return a == 1.0 ? std::copysign(INFINITY, x) : a == 0.0 ? x : NAN;
  const double y = __nv_erfinv(a);
  return std::copysign(newton_erf(y, a < 0.5 ? std::erf(y) - a : (1.0 - a) - std::erfc(y)), x);
}
double inverse_complement(double x) {
  if (!(x > 0.0 && x < 2.0)) return x == 0.0 ? INFINITY : x == 2.0 ? -INFINITY : NAN;
  if (x > 0.5) return inverse_error(1.0 - x);  // exact, from floats or their doubles
  const double y = __nv_erfcinv(x);
  return newton_erf(y, x - std::erfc(y));
}
double inverse_normal(double p) { return 0.0 - kRootTwo * inverse_complement(2.0 * p); }

// The power series: all terms have one sign.
double modified_bessel(double x, int order) {
  const double a = std::abs(x);
  if (!(a < 100.0)) return std::isnan(x) ? x : order && x < 0 ? -INFINITY : INFINITY;
  const double quarter = 0.25 * a * a;
  double term = order ? 0.5 * x : 1.0, sum = term;
  for (int k = 1; std::abs(term) > std::abs(sum) * 0x1p-56; ++k) {
    term *= quarter / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return sum;
}
double modified_bessel0(double x) { return modified_bessel(x, 0); }
double modified_bessel1(double x) { return modified_bessel(x, 1); }

// C's functions where C++ has overloads.
#define LIBRARY(name) [](double x) -> double { return std::name(x); }

// CUDA leaves the sign of the pole at zero to C, and gives NaN at the negative integers, as C does.
double gamma_function(double x) { return x < 0 && (std::isinf(x) || std::trunc(x) == x) ? NAN : std::tgamma(x); }

}  // namespace

#define FUNCTION(name) #name, __nv_##name##f

const std::vector<FloatFunction>& float_functions() {
  using enum Parity;
  static const std::vector<FloatFunction> functions = {
      {FUNCTION(rsqrt), reciprocal_root, kNone, 2},
      {FUNCTION(cbrt), LIBRARY(cbrt), kOdd, 1},
      {FUNCTION(rcbrt), reciprocal_cube_root, kOdd, 2},
      {FUNCTION(exp), LIBRARY(exp), kNone, 2},
      {FUNCTION(exp2), LIBRARY(exp2), kNone, 2},
      {FUNCTION(exp10), [](double x) { return ::exp10(x); }, kNone, 2},
      {FUNCTION(expm1), LIBRARY(expm1), kNone, 1},
      {FUNCTION(log), LIBRARY(log), kNone, 1},
      {FUNCTION(log2), LIBRARY(log2), kNone, 3},
      {FUNCTION(log10), LIBRARY(log10), kNone, 3},
      {FUNCTION(log1p), LIBRARY(log1p), kNone, 2},
      {FUNCTION(sin), LIBRARY(sin), kOdd, 2},
      {FUNCTION(cos), LIBRARY(cos), kEven, 2},
      {FUNCTION(tan), LIBRARY(tan), kOdd, 4},
      {FUNCTION(sinpi), sine_of_turns, kOdd, 2},
      {FUNCTION(cospi), cosine_of_turns, kEven, 2},
      {FUNCTION(asin), LIBRARY(asin), kOdd, 4},
      {FUNCTION(acos), LIBRARY(acos), kNone, 3},
      {FUNCTION(atan), LIBRARY(atan), kOdd, 2},
      {FUNCTION(sinh), LIBRARY(sinh), kOdd, 3},
      {FUNCTION(cosh), LIBRARY(cosh), kEven, 2},
      {FUNCTION(tanh), LIBRARY(tanh), kOdd, 2},
      {FUNCTION(asinh), LIBRARY(asinh), kOdd, 3},
      {FUNCTION(acosh), LIBRARY(acosh), kNone, 4},
      {FUNCTION(atanh), LIBRARY(atanh), kOdd, 3},
      {FUNCTION(erf), LIBRARY(erf), kOdd, 3},
      {FUNCTION(erfc), LIBRARY(erfc), kNone, 6},
      {FUNCTION(erfinv), inverse_error, kOdd, 3},
      {FUNCTION(erfcinv), inverse_complement, kNone, 7},
      {FUNCTION(lgamma), LIBRARY(lgamma), kNone, 6, -10.001f, -2.264f},
      {FUNCTION(tgamma), gamma_function, kNone, 11},
      {FUNCTION(erfcx), scaled_complement, kNone, 6},
      {FUNCTION(normcdf), normal_distribution, kNone, 5},
      {FUNCTION(normcdfinv), inverse_normal, kNone, 5},
      {FUNCTION(cyl_bessel_i0), modified_bessel0, kEven, 6},
      {FUNCTION(cyl_bessel_i1), modified_bessel1, kOdd, 6},
  };
  return functions;
}

float rounded(const FloatFunction& f, float x, uint64_t& undecided) {
  const double y = f.reference(x);
  const double error = std::abs(y) * kReferenceError;
  const float low = static_cast<float>(y - error), high = static_cast<float>(y + error);
  if (low == high || y != y || std::isinf(y)) return static_cast<float>(y);
  ++undecided;
  Mp exact, argument(x);
  reference1(f.name)(exact, argument);
  return nearest<float>(exact);
}

namespace {

constexpr auto kTop = std::numeric_limits<float>::max();
constexpr float kPiBelow = 0x1.921fb4p+1f;

// As 2^-bits absolutely where 1/2 <= x <= 2, `ulps` elsewhere.
template <int hundredths_of_bits, int ulps>
Intrinsic::Allowed near_one(double x) {
  if (x >= 0.5 && x <= 2.0) return {true, std::exp2(-hundredths_of_bits / 100.0)};
  return {false, ulps};
}
template <int hundredths_of_bits>
Intrinsic::Allowed everywhere(double) {
  return {true, std::exp2(-hundredths_of_bits / 100.0)};
}

}  // namespace

const std::vector<Intrinsic>& intrinsics() {
  static const std::vector<Intrinsic> functions = {
      {"__expf", __nv_fast_expf, LIBRARY(exp), -kTop, kTop,
       [](double x) {
         return Intrinsic::Allowed{false, 2 + std::floor(std::abs(1.173 * x))};
       }},
      {"__exp10f", __nv_fast_exp10f, [](double x) { return ::exp10(x); }, -kTop, kTop,
       [](double x) {
         return Intrinsic::Allowed{false, 2 + std::floor(std::abs(2.97 * x))};
       }},
      {"__logf", __nv_fast_logf, LIBRARY(log), 0x1p-149f, kTop, near_one<2141, 3>},
      {"__log2f", __nv_fast_log2f, LIBRARY(log2), 0x1p-149f, kTop, near_one<2200, 2>},
      {"__log10f", __nv_fast_log10f, LIBRARY(log10), 0x1p-149f, kTop, near_one<2400, 3>},
      {"__sinf", __nv_fast_sinf, LIBRARY(sin), -kPiBelow, kPiBelow, everywhere<2141>},
      {"__cosf", __nv_fast_cosf, LIBRARY(cos), -kPiBelow, kPiBelow, everywhere<2119>},
  };
  return functions;
}

double Intrinsic::share(float x) const {
  const double exact = reference(x);
  const float got = function(x);
  const Allowed a = allowed(x);
  if (a.absolute) return std::abs(got - exact) / a.error;
  return static_cast<double>(distance(got, static_cast<float>(exact))) / a.error;
}

}  // namespace heddle::test
