// SPDX-License-Identifier: Apache-2.0
// Every inexact function of the device library against MPFR: the worst error in units in the last place
// (of the exact value, so a correctly rounded result has at most 0.5) is printed and bounded. The bounds
// for float are the CUDA C programming guide's, which counts from the correctly rounded result: half a
// unit more here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "libdevice_functions.h"
#include "mpfr_reference.h"

namespace heddle::test {
namespace {

unsigned long seed() {
  static const unsigned long value = [] {
    const char* text = std::getenv("HEDDLE_SEED");
    const unsigned long s = text ? std::strtoul(text, nullptr, 0) : std::random_device{}();
    std::printf("HEDDLE_SEED=%lu\n", s);
    return s;
  }();
  return value;
}

template <typename T>
struct Range {
  T low, high;
};

// Samples: the ranges' ends, evenly spread values and values spread evenly over exponents, of either
// sign as the range has it.
template <typename T>
std::vector<T> samples(const Range<T>& range, int count, std::mt19937_64& random) {
  std::vector<T> v = {range.low, range.high};
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto clip = [&](double x) {
    if (x >= range.low && x <= range.high) v.push_back(static_cast<T>(x));
  };
  const double largest = std::max(std::abs(double(range.low)), std::abs(double(range.high)));
  const double top = std::log2(largest);
  const double bottom = std::max(top - 60.0, sizeof(T) == 4 ? -149.0 : -1074.0);
  for (int i = 0; i < count; ++i) {
    clip(range.low * (1 - unit(random)) + range.high * unit(random));
    const double magnitude = std::exp2(bottom + (top - bottom) * unit(random));
    clip(magnitude);
    clip(-magnitude);
  }
  return v;
}

template <typename T>
struct Worst {
  double ulps = 0.0;
  T x = 0, y = 0;
  void see(double error, T at, T at_y = 0) {
    if (error > ulps) {
      ulps = error;
      x = at;
      y = at_y;
    }
  }
};

struct Case1 {
  const char* name;
  float (*f)(float);
  double (*d)(double);
  std::vector<Range<float>> ranges;
  double bound;         // float, ulps
  double double_bound;  // double, ulps
  int count = 4000;
  std::vector<Range<double>> double_ranges = {};
};

constexpr float kTop = 3.402823466e38f;
#define FUNCTION(name) #name, __nv_##name##f, __nv_##name

const std::vector<Case1>& cases1() {
  static const std::vector<Case1> cases = {
      {FUNCTION(exp), {{-104, 89}, {-1, 1}}, 2, 1, 4000, {{-746, 710}, {-1, 1}}},
      {FUNCTION(exp2), {{-151, 129}}, 2, 1, 4000, {{-1076, 1025}, {-1, 1}}},
      {FUNCTION(exp10), {{-46, 39}}, 2, 1, 4000, {{-325, 309}}},
      {FUNCTION(expm1), {{-30, 89}, {-1, 1}}, 1, 1, 4000, {{-50, 710}, {-1, 1}}},
      {FUNCTION(log), {{1e-45f, kTop}, {0.5f, 2}}, 1, 1, 4000, {{5e-324, 1.7e308}, {0.5, 2}}},
      {FUNCTION(log2), {{1e-45f, kTop}, {0.5f, 2}}, 3, 1, 4000, {{5e-324, 1.7e308}, {0.5, 2}}},
      {FUNCTION(log10), {{1e-45f, kTop}, {0.5f, 2}}, 3, 1, 4000, {{5e-324, 1.7e308}, {0.5, 2}}},
      {FUNCTION(log1p), {{-0.99999f, kTop}, {-0.9f, 4}}, 2, 1},
      {FUNCTION(sin), {{-4, 4}, {-1e5f, 1e5f}, {-kTop, kTop}}, 2, 2, 4000,
       {{-4, 4}, {-1e7, 1e7}, {-1.7e308, 1.7e308}}},
      {FUNCTION(cos), {{-4, 4}, {-1e5f, 1e5f}, {-kTop, kTop}}, 2, 2, 4000,
       {{-4, 4}, {-1e7, 1e7}, {-1.7e308, 1.7e308}}},
      {FUNCTION(tan), {{-4, 4}, {-1e5f, 1e5f}, {-kTop, kTop}}, 4, 2.5, 4000,
       {{-4, 4}, {-1e7, 1e7}, {-1.7e308, 1.7e308}}},
      {FUNCTION(sinpi), {{-2, 2}, {-1e8f, 1e8f}}, 2, 2},
      {FUNCTION(cospi), {{-2, 2}, {-1e8f, 1e8f}}, 2, 2},
      {FUNCTION(asin), {{-1, 1}}, 4, 2},
      {FUNCTION(acos), {{-1, 1}}, 3, 2},
      {FUNCTION(atan), {{-2, 2}, {-kTop, kTop}}, 2, 2},
      {FUNCTION(sinh), {{-90, 90}, {-2, 2}}, 3, 2.5, 4000, {{-711, 711}, {-2, 2}}},
      {FUNCTION(cosh), {{-90, 90}, {-2, 2}}, 2, 2, 4000, {{-711, 711}, {-2, 2}}},
      {FUNCTION(tanh), {{-20, 20}, {-1, 1}}, 2, 2},
      {FUNCTION(asinh), {{-kTop, kTop}, {-4, 4}}, 3, 2.5},
      {FUNCTION(acosh), {{1, kTop}, {1, 4}}, 4, 2.5},
      {FUNCTION(atanh), {{-0.99999994f, 0.99999994f}}, 3, 2.5},
      {FUNCTION(cbrt), {{-kTop, kTop}, {-8, 8}, {-1e-40f, 1e-40f}}, 1, 1},
      {FUNCTION(rcbrt), {{1e-45f, kTop}, {0.1f, 8}}, 2, 2},
      {FUNCTION(rsqrt), {{1e-45f, kTop}, {0.1f, 8}}, 2, 1},
      {FUNCTION(erf), {{-5, 5}, {-1, 1}}, 3, 2},
      {FUNCTION(erfc), {{-5, 10.1f}, {-1, 1}}, 6, 5, 4000, {{-6, 26.6}, {-1, 1}}},
      {FUNCTION(erfcx), {{-9, 10}, {0, 1000}}, 6, 5, 2000},
      {FUNCTION(normcdf), {{-14.2f, 8}, {-1, 1}}, 5, 6, 4000, {{-37.6, 8}, {-1, 1}}},
      {FUNCTION(tgamma), {{-40, 36}, {0.001f, 4}}, 11, 10, 1500, {{-180, 171.6}, {0.001, 6}}},
      {FUNCTION(lgamma), {{-2.25f, 20}, {0.3f, 3.2f}, {20, 1e30f}}, 6, 5, 1500},
      {FUNCTION(cyl_bessel_i0), {{-90, 90}}, 6, 8, 600, {{-700, 700}, {-9, 9}}},
      {FUNCTION(cyl_bessel_i1), {{-90, 90}}, 6, 8, 600, {{-700, 700}, {-9, 9}}},
      {FUNCTION(j0), {{-8, 8}}, 9, 9, 800},
      {FUNCTION(j1), {{-8, 8}}, 9, 9, 800},
      {FUNCTION(y0), {{1e-6f, 8}}, 9, 9, 800},
      {FUNCTION(y1), {{1e-6f, 8}}, 9, 9, 800},
  };
  return cases;
}

template <typename T>
Worst<T> worst_of(const Reference1& reference, T (*f)(T), const std::vector<Range<T>>& ranges,
                  int count) {
  std::mt19937_64 random(seed());
  Worst<T> worst;
  Mp exact;
  for (const auto& range : ranges)
    for (const T x : samples(range, count, random)) {
      Mp argument(x);
      reference(exact, argument);
      worst.see(ulp_error(f(x), exact), x);
    }
  return worst;
}

class OneArgument : public testing::TestWithParam<Case1> {};

TEST_P(OneArgument, FloatWithinTheGuidesBound) {
  const Case1& c = GetParam();
  const auto worst = worst_of<float>(reference1(c.name), c.f, c.ranges, c.count);
  std::printf("%-14s float  %8.3f ulp at %.9g (bound %g)\n", c.name, worst.ulps, worst.x, c.bound);
  EXPECT_LE(worst.ulps, c.bound + 0.5) << c.name << "f(" << std::hexfloat << worst.x << ")";
}

TEST_P(OneArgument, DoubleWithinBound) {
  const Case1& c = GetParam();
  std::vector<Range<double>> ranges = c.double_ranges;
  if (ranges.empty())
    for (const auto& r : c.ranges) ranges.push_back({r.low, r.high});
  const auto worst = worst_of<double>(reference1(c.name), c.d, ranges, c.count / 2);
  std::printf("%-14s double %8.3f ulp at %.17g (bound %g)\n", c.name, worst.ulps, worst.x,
              c.double_bound);
  EXPECT_LE(worst.ulps, c.double_bound + 0.5) << c.name << "(" << std::hexfloat << worst.x << ")";
}

std::string case_name(const testing::TestParamInfo<Case1>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Libdevice, OneArgument, testing::ValuesIn(cases1()), case_name);

struct Case2 {
  const char* name;
  float (*f)(float, float);
  double (*d)(double, double);
  Range<float> x, y;
  double bound, double_bound;
};

class TwoArguments : public testing::TestWithParam<Case2> {};

template <typename T>
Worst<T> worst_of(const Reference2& reference, T (*f)(T, T), Range<T> xs, Range<T> ys) {
  std::mt19937_64 random(seed());
  Worst<T> worst;
  Mp exact;
  const auto x = samples(xs, 3000, random), y = samples(ys, 3000, random);
  for (int i = 0; i < 8000; ++i) {
    const T a = x[random() % x.size()], b = y[random() % y.size()];
    Mp ma(a), mb(b);
    reference(exact, ma, mb);
    worst.see(ulp_error(f(a, b), exact), a, b);
  }
  return worst;
}

TEST_P(TwoArguments, FloatWithinTheGuidesBound) {
  const Case2& c = GetParam();
  const auto worst = worst_of<float>(reference2(c.name), c.f, c.x, c.y);
  std::printf("%-14s float  %8.3f ulp at %.9g, %.9g (bound %g)\n", c.name, worst.ulps, worst.x,
              worst.y, c.bound);
  EXPECT_LE(worst.ulps, c.bound + 0.5) << std::hexfloat << worst.x << ", " << worst.y;
}

TEST_P(TwoArguments, DoubleWithinBound) {
  const Case2& c = GetParam();
  const auto worst = worst_of<double>(reference2(c.name), c.d, Range<double>{c.x.low, c.x.high},
                                      Range<double>{c.y.low, c.y.high});
  std::printf("%-14s double %8.3f ulp at %.17g, %.17g (bound %g)\n", c.name, worst.ulps, worst.x,
              worst.y, c.double_bound);
  EXPECT_LE(worst.ulps, c.double_bound + 0.5) << std::hexfloat << worst.x << ", " << worst.y;
}

INSTANTIATE_TEST_SUITE_P(
    Libdevice, TwoArguments,
    testing::Values(Case2{FUNCTION(pow), {1e-38f, kTop}, {-40, 40}, 8, 2},
                    Case2{FUNCTION(atan2), {-kTop, kTop}, {-kTop, kTop}, 3, 2},
                    Case2{FUNCTION(hypot), {-kTop, kTop}, {-kTop, kTop}, 3, 2},
                    Case2{FUNCTION(rhypot), {-kTop, kTop}, {-kTop, kTop}, 2, 2}),
    [](const testing::TestParamInfo<Case2>& info) { return std::string(info.param.name); });

TEST(Libdevice, PowOfSmallRangesIsWithinTheGuidesBound) {
  for (const auto& [xs, ys] : {std::pair<Range<float>, Range<float>>{{0.5f, 2}, {-120, 120}},
                               {{0.9f, 1.1f}, {-800, 800}}}) {
    const auto worst = worst_of<float>(reference2("pow"), __nv_powf, xs, ys);
    std::printf("pow            float  %8.3f ulp at %.9g, %.9g\n", worst.ulps, worst.x, worst.y);
    EXPECT_LE(worst.ulps, 8.5);
  }
}

// An inverse is judged by its forward function: the error of y is (forward(y) - x) / slope at y.
template <typename T>
double inverse_error(const Reference1& forward, const Reference1& slope, T y, T x) {
  Mp my(y), value, s, t;
  forward(value, my);
  mpfr_sub_d(value, value, x, MPFR_RNDN);
  slope(s, my);
  mpfr_div(value, value, s, MPFR_RNDN);
  mpfr_sub(t, my, value, MPFR_RNDN);
  return ulp_error(y, t);
}

// -+ 2/sqrt(pi) exp(-y^2), and the density of the normal distribution.
void gaussian_slope(mpfr_ptr r, mpfr_ptr y) {
  Mp pi;
  mpfr_sqr(r, y, MPFR_RNDN);
  mpfr_neg(r, r, MPFR_RNDN);
  mpfr_exp(r, r, MPFR_RNDN);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_sqrt(pi, pi, MPFR_RNDN);
  mpfr_div(r, r, pi, MPFR_RNDN);
  mpfr_mul_ui(r, r, 2, MPFR_RNDN);
}

template <typename T>
Worst<T> worst_inverse(T (*f)(T), const Reference1& forward, const Reference1& slope,
                       const std::vector<Range<T>>& ranges) {
  std::mt19937_64 random(seed());
  Worst<T> worst;
  for (const auto& range : ranges)
    for (const T x : samples(range, 2000, random))
      if (x != 0) worst.see(inverse_error<T>(forward, slope, f(x), x), x);
  return worst;
}

void negative_gaussian_slope(mpfr_ptr r, mpfr_ptr y) {
  gaussian_slope(r, y);
  mpfr_neg(r, r, MPFR_RNDN);
}

void density(mpfr_ptr r, mpfr_ptr y) {
  Mp z;
  mpfr_sqr(z, y, MPFR_RNDN);
  mpfr_div_si(z, z, -2, MPFR_RNDN);
  mpfr_exp(r, z, MPFR_RNDN);
  mpfr_const_pi(z, MPFR_RNDN);
  mpfr_mul_ui(z, z, 2, MPFR_RNDN);
  mpfr_sqrt(z, z, MPFR_RNDN);
  mpfr_div(r, r, z, MPFR_RNDN);
}

TEST(Libdevice, InverseErrorFunctionsAreWithinTheGuidesBounds) {
  const auto report = [](const char* name, double ulps, double at, double bound) {
    std::printf("%-14s        %8.3f ulp at %.17g (bound %g)\n", name, ulps, at, bound);
    EXPECT_LE(ulps, bound + 0.5) << name;
  };
  const auto erf = reference1("erf"), erfc = reference1("erfc"), normcdf = reference1("normcdf");
  auto f = worst_inverse<float>(__nv_erfinvf, erf, gaussian_slope, {{-0.99999994f, 0.99999994f}});
  report("erfinvf", f.ulps, f.x, 3);
  f = worst_inverse<float>(__nv_erfcinvf, erfc, negative_gaussian_slope,
                           {{1e-38f, 1.9999f}, {0.5f, 1.5f}});
  report("erfcinvf", f.ulps, f.x, 7);
  f = worst_inverse<float>(__nv_normcdfinvf, normcdf, density, {{1e-38f, 0.9999f}, {0.25f, 0.75f}});
  report("normcdfinvf", f.ulps, f.x, 5);
  auto d = worst_inverse<double>(__nv_erfinv, erf, gaussian_slope, {{-0.9999999999, 0.9999999999}});
  report("erfinv", d.ulps, d.x, 8);
  d = worst_inverse<double>(__nv_erfcinv, erfc, negative_gaussian_slope,
                            {{1e-300, 1.9999}, {0.5, 1.5}});
  report("erfcinv", d.ulps, d.x, 8);
  d = worst_inverse<double>(__nv_normcdfinv, normcdf, density, {{1e-300, 0.9999}, {0.25, 0.75}});
  report("normcdfinv", d.ulps, d.x, 8);
}

// Far from zero, and for higher orders, the guide bounds the absolute error.
TEST(Libdevice, BesselFunctionsOfLargeArgumentsAndOrdersAreAccurate) {
  std::mt19937_64 random(seed());
  Mp exact;
  double worst = 0, worst_double = 0;
  for (int i = 0; i < 600; ++i) {
    const float x = std::uniform_real_distribution<float>(0.5f, 60.0f)(random);
    const int n = static_cast<int>(random() % 12);
    Mp argument(x);
    mpfr_jn(exact, n, argument, MPFR_RNDN);
    worst = std::max(worst, std::abs(__nv_jnf(n, x) - mpfr_get_d(exact, MPFR_RNDN)));
    worst_double = std::max(worst_double, std::abs(__nv_jn(n, x) - mpfr_get_d(exact, MPFR_RNDN)));
    mpfr_yn(exact, n, argument, MPFR_RNDN);
    const double y = mpfr_get_d(exact, MPFR_RNDN), scale = std::max(1.0, std::abs(y));
    worst = std::max(worst, std::abs(__nv_ynf(n, x) - y) / scale);
    worst_double = std::max(worst_double, std::abs(__nv_yn(n, x) - y) / scale);
  }
  std::printf("jn, yn         float  %.2g double %.2g (absolute)\n", worst, worst_double);
  EXPECT_LE(worst, 2.2e-6);
  EXPECT_LE(worst_double, 1e-13);
}

TEST(Libdevice, FrsqrtRnIsCorrectlyRounded) {
  std::mt19937_64 random(seed());
  Mp exact;
  for (const float x : samples<float>({1e-45f, kTop}, 20000, random)) {
    Mp argument(x);
    mpfr_rec_sqrt(exact, argument, MPFR_RNDN);
    ASSERT_LE(ulp_error(__nv_frsqrt_rn(x), exact), 0.5) << std::hexfloat << x;
  }
}

}  // namespace
}  // namespace heddle::test
