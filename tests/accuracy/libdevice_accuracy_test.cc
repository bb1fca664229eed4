// SPDX-License-Identifier: Apache-2.0
// Every inexact function of the device library against MPFR. The worst distance from the correctly rounded
// result is printed and bounded; the bounds are those of the CUDA C programming guide's tables C-1 and
// C-2, and our own for functions that they leave out. math_accuracy asks all floats what is sampled here.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "distance.h"
#include "float_functions.h"
#include "libdevice_functions.h"
#include "mpfr_reference.h"
#include "sampled_functions.h"
#include "tests/rounds.h"

namespace heddle::test {
namespace {

constexpr float kTop = std::numeric_limits<float>::max();

unsigned long seed() {
  static const unsigned long value = [] {
    const char* text = std::getenv("HEDDLE_SEED");
    const unsigned long s = text ? std::strtoul(text, nullptr, 0) : std::random_device{}();
    std::printf("HEDDLE_SEED=%lu\n", s);
    return s;
  }();
  return value;
}

class OneArgument : public testing::TestWithParam<Sampled1> {};

TEST_P(OneArgument, FloatWithinTheGuidesBound) {
  const Sampled1& c = GetParam();
  const auto worst =
      worst_of<float>(reference1(c.name), c.f, c.ranges, static_cast<int>(heddle::test::rounds(c.count)), seed());
  std::printf("%-14s float  %lld at %.9g (bound %d)\n", c.name, static_cast<long long>(worst.units), worst.x, c.bound);
  EXPECT_LE(worst.units, c.bound) << c.name << "f(" << std::hexfloat << worst.x << ")";
}

TEST_P(OneArgument, DoubleWithinBound) {
  const Sampled1& c = GetParam();
  const auto worst = worst_of<double>(reference1(c.name), c.d, c.ranges_of_double(),
                                      static_cast<int>(heddle::test::rounds(c.count / 2)), seed());
  std::printf("%-14s double %lld at %.17g (bound %d)\n", c.name, static_cast<long long>(worst.units), worst.x,
              c.double_bound);
  EXPECT_LE(worst.units, c.double_bound) << c.name << "(" << std::hexfloat << worst.x << ")";
}

INSTANTIATE_TEST_SUITE_P(Libdevice, OneArgument, testing::ValuesIn(one_argument_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

// What the library sums in pairs is off by little more than half a unit: few results are not the nearest number.
class SummedInPairs : public testing::TestWithParam<const char*> {
 protected:
  template <typename T>
  static double share_correct(const Reference1& reference, T (*f)(T), const std::vector<Range<T>>& ranges) {
    std::mt19937_64 random(seed());
    Mp exact;
    int correct = 0, all = 0;
    for (const auto& range : ranges)
      for (const T x : samples(range, 1500, random)) {
        Mp argument(x);
        reference(exact, argument);
        correct += distance(f(x), nearest<T>(exact)) == 0;
        ++all;
      }
    return double(correct) / all;
  }
};

TEST_P(SummedInPairs, IsNearlyAlwaysCorrectlyRounded) {
  const auto& all = one_argument_functions();
  const auto c = std::find_if(all.begin(), all.end(), [](const auto& f) { return f.name == std::string(GetParam()); });
  ASSERT_NE(c, all.end());
  const double single = share_correct<float>(reference1(c->name), c->f, c->ranges);
  const double twice = share_correct<double>(reference1(c->name), c->d, c->ranges_of_double());
  std::printf("%-14s correctly rounded: float %.2f%% double %.2f%%\n", c->name, 100 * single, 100 * twice);
  EXPECT_GE(single, 0.98);
  EXPECT_GE(twice, 0.98);
}

INSTANTIATE_TEST_SUITE_P(Libdevice, SummedInPairs,
                         testing::Values("erfinv", "erfcinv", "normcdfinv", "j0", "j1", "y0", "y1"),
                         [](const auto& info) { return std::string(info.param); });

// Where an H200 gives a neighbour.
TEST(Libdevice, J0IsTheNearestNumberWhereSiliconsIsNot) {
  for (const double x : {0.8, 1.6}) {
    Mp exact, argument(x);
    reference1("j0")(exact, argument);
    EXPECT_EQ(__nv_j0(x), nearest<double>(exact)) << x;
  }
}

class TwoArguments : public testing::TestWithParam<Sampled2> {};

TEST_P(TwoArguments, FloatWithinTheGuidesBound) {
  const Sampled2& c = GetParam();
  const auto worst = worst_of<float>(reference2(c.name), c.f, c.x, c.y, 8000, seed());
  std::printf("%-14s float  %lld at %.9g, %.9g (bound %d)\n", c.name, static_cast<long long>(worst.units), worst.x,
              worst.y, c.bound);
  EXPECT_LE(worst.units, c.bound) << std::hexfloat << worst.x << ", " << worst.y;
}

TEST_P(TwoArguments, DoubleWithinBound) {
  const Sampled2& c = GetParam();
  const auto worst = worst_of<double>(reference2(c.name), c.d, wide(c.x), wide(c.y), 8000, seed());
  std::printf("%-14s double %lld at %.17g, %.17g (bound %d)\n", c.name, static_cast<long long>(worst.units), worst.x,
              worst.y, c.double_bound);
  EXPECT_LE(worst.units, c.double_bound) << std::hexfloat << worst.x << ", " << worst.y;
}

INSTANTIATE_TEST_SUITE_P(Libdevice, TwoArguments, testing::ValuesIn(two_argument_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Libdevice, PowOfSmallRangesIsWithinTheGuidesBound) {
  for (const auto& [xs, ys] :
       {std::pair<Range<float>, Range<float>>{{0.5f, 2}, {-120, 120}}, {{0.9f, 1.1f}, {-800, 800}}}) {
    const auto worst = worst_of<float>(reference2("pow"), __nv_powf, xs, ys, 8000, seed());
    EXPECT_LE(worst.units, 8) << std::hexfloat << worst.x << ", " << worst.y;
  }
}

// Norms of three and four values, of all magnitudes.
template <typename T>
void norms(T (*norm3)(T, T, T), T (*rnorm3)(T, T, T), T (*norm4)(T, T, T, T), T (*rnorm4)(T, T, T, T)) {
  std::mt19937_64 random(seed());
  const double exponents = sizeof(T) == 4 ? 126.0 : 1020.0;
  int64_t worst[4] = {};
  for (int i = 0; i < 4000; ++i) {
    const double centre = std::uniform_real_distribution<double>(-exponents, exponents)(random);
    T v[4];
    Mp sum, square;
    mpfr_set_zero(sum, 1);
    for (int k = 0; k < 4; ++k) {
      v[k] = static_cast<T>(std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random),
                                       static_cast<int>(centre) - static_cast<int>(random() % 14)));
      if (k == 3) v[k] = random() & 1 ? 0 : v[k];
      mpfr_set_d(square, v[k], MPFR_RNDN);
      mpfr_sqr(square, square, MPFR_RNDN);
      mpfr_add(sum, sum, square, MPFR_RNDN);
      if (k < 2) continue;
      Mp root, reciprocal;
      mpfr_sqrt(root, sum, MPFR_RNDN);
      mpfr_rec_sqrt(reciprocal, sum, MPFR_RNDN);
      const T norm = k == 2 ? norm3(v[0], v[1], v[2]) : norm4(v[0], v[1], v[2], v[3]);
      const T inverse = k == 2 ? rnorm3(v[0], v[1], v[2]) : rnorm4(v[0], v[1], v[2], v[3]);
      worst[2 * k - 4] = std::max(worst[2 * k - 4], distance(norm, nearest<T>(root)));
      worst[2 * k - 3] = std::max(worst[2 * k - 3], distance(inverse, nearest<T>(reciprocal)));
    }
  }
  for (int k = 0; k < 4; ++k) EXPECT_LE(worst[k], sizeof(T) == 4 && k % 2 == 0 ? 3 : 2) << "function " << k;
}
TEST(Libdevice, NormsOfSeveralFloatsAreAccurate) {
  norms<float>(__nv_norm3df, __nv_rnorm3df, __nv_norm4df, __nv_rnorm4df);
}
TEST(Libdevice, NormsOfSeveralDoublesAreAccurate) {
  norms<double>(__nv_norm3d, __nv_rnorm3d, __nv_norm4d, __nv_rnorm4d);
}

// Every 40009th of all floats: special values and subnormals come by themselves.
class AllFloats : public testing::TestWithParam<FloatFunction> {};

TEST_P(AllFloats, WithinTheBound) {
  const FloatFunction& f = GetParam();
  uint64_t undecided = 0;
  for (uint64_t bits = 0; bits >> 32 == 0; bits += 40009) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (f.exempt(x)) continue;
    ASSERT_LE(distance(f.function(x), rounded(f, x, undecided)), f.bound) << std::hexfloat << x;
  }
  for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, -2.0f, 0x1p-149f, -0x1p-149f, kTop, -kTop,
                        INFINITY, -INFINITY, NAN})
    EXPECT_LE(distance(f.function(x), rounded(f, x, undecided)), f.bound) << std::hexfloat << x;
}

// What lets the double reference decide: it is as near the exact value as rounded() takes it to be, and
// of the parity that saves half of the calls.
TEST_P(AllFloats, TheReferenceIsExactEnough) {
  const FloatFunction& f = GetParam();
  const auto exact = reference1(f.name);
  std::mt19937_64 random(seed());
  for (int i = 0; i < 3000; ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const double y = f.reference(x);
    if (!std::isfinite(y)) continue;
    Mp argument(x), value, error;
    exact(value, argument);
    mpfr_sub_d(error, value, y, MPFR_RNDN);
    const double off = std::abs(mpfr_get_d(error, MPFR_RNDN));
    // Below half of the least float all is zero.
    ASSERT_TRUE(off <= std::abs(y) * kReferenceError || (std::abs(y) < 0x1p-151 && off < 0x1p-151))
        << std::hexfloat << x << ": " << y;
    if (f.parity == Parity::kNone) continue;
    ASSERT_EQ(f.reference(-x), f.parity == Parity::kOdd ? -y : y) << std::hexfloat << x;
  }
}

INSTANTIATE_TEST_SUITE_P(Libdevice, AllFloats, testing::ValuesIn(float_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Libdevice, IntrinsicsAreWithinTheGuidesBounds) {
  for (const auto& f : intrinsics()) {
    double worst = 0;
    for (uint64_t bits = 0; bits >> 32 == 0; bits += 20011) {
      const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
      if (x >= f.low && x <= f.high) worst = std::max(worst, f.share(x));
    }
    std::printf("%-10s %.3f of the bound\n", f.name, worst);
    EXPECT_LE(worst, 1.0) << f.name;
    EXPECT_GT(worst, 0.1) << f.name;
  }
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<float> exponent(-126.0f, 126.0f);
  for (int i = 0; i < 100000; ++i) {
    const float x = std::exp2(exponent(random)), y = std::exp2(exponent(random));
    EXPECT_LE(distance(__nv_fast_fdividef(x, y), static_cast<float>(double(x) / y)), 2) << x << ", " << y;
    EXPECT_NEAR(__nv_fast_tanf(x / (1 + x)), std::tan(x / (1 + x)), 2e-6);
    // The exponent's error is the product's, rounded, and the logarithm's.
    const double power = y / (1 + y) * std::log2(double(x)), exact = std::exp2(power);
    EXPECT_NEAR(__nv_fast_powf(x, y / (1 + y)), exact, exact * (std::abs(power) * 2e-7 + 1e-6));
  }
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
    ASSERT_EQ(__nv_frsqrt_rn(x), nearest<float>(exact)) << std::hexfloat << x;
  }
}

}  // namespace
}  // namespace heddle::test
