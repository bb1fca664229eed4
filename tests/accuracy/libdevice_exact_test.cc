// SPDX-License-Identifier: Apache-2.0
// The exact functions of the device library, on random bit patterns, against the C library.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "libdevice_functions.h"

namespace heddle::test {
namespace {

std::mt19937_64 seeded() {
  const char* text = std::getenv("HEDDLE_SEED");
  const unsigned long s = text ? std::strtoul(text, nullptr, 0) : std::random_device{}();
  std::printf("HEDDLE_SEED=%lu\n", s);
  return std::mt19937_64(s);
}

// Equal bits; any NaN equals any NaN.
template <typename T>
bool same(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// Random patterns, half of them with an exponent near 1 so that fractions and integers occur.
template <typename T>
T pattern(std::mt19937_64& random) {
  if constexpr (sizeof(T) == 4) {
    const uint32_t bits = static_cast<uint32_t>(random());
    if (random() & 1) return std::bit_cast<T>(bits);
    return std::ldexp(std::bit_cast<T>((bits & 0x807fffffu) | 0x3f800000u), static_cast<int>(random() % 40) - 12);
  } else {
    const uint64_t bits = random();
    if (random() & 1) return std::bit_cast<T>(bits);
    return std::ldexp(std::bit_cast<T>((bits & 0x800fffffffffffffull) | 0x3ff0000000000000ull),
                      static_cast<int>(random() % 70) - 12);
  }
}

constexpr int kRounds = 200000;

#define EXPECT_SAME(expression, expected, ...) \
  ASSERT_TRUE(same(expression, expected)) << #expression << " " << std::hexfloat << __VA_ARGS__

TEST(LibdeviceExact, RoundingFunctionsMatchTheCLibrary) {
  auto random = seeded();
  for (int i = 0; i < kRounds; ++i) {
    const float f = pattern<float>(random);
    const double d = pattern<double>(random);
    EXPECT_SAME(__nv_floorf(f), std::floor(f), f);
    EXPECT_SAME(__nv_ceilf(f), std::ceil(f), f);
    EXPECT_SAME(__nv_truncf(f), std::trunc(f), f);
    EXPECT_SAME(__nv_rintf(f), std::rint(f), f);
    EXPECT_SAME(__nv_nearbyintf(f), std::nearbyint(f), f);
    EXPECT_SAME(__nv_roundf(f), std::round(f), f);
    EXPECT_SAME(__nv_round(d), std::round(d), d);
    EXPECT_SAME(__nv_floor(d), std::floor(d), d);
    EXPECT_SAME(__nv_ceil(d), std::ceil(d), d);
    if (std::abs(f) < 1e18f) {
      ASSERT_EQ(__nv_llrintf(f), std::llrint(f)) << f;
      ASSERT_EQ(__nv_llroundf(f), std::llround(f)) << f;
    }
    if (std::abs(d) < 1e18) {
      ASSERT_EQ(__nv_llround(d), std::llround(d)) << d;
    }
  }
}

TEST(LibdeviceExact, RemaindersMatchTheCLibrary) {
  auto random = seeded();
  for (int i = 0; i < kRounds / 4; ++i) {
    const float x = pattern<float>(random), y = pattern<float>(random);
    EXPECT_SAME(__nv_fmodf(x, y), std::fmod(x, y), x << ", " << y);
    EXPECT_SAME(__nv_remainderf(x, y), std::remainder(x, y), x << ", " << y);
    int q = 0, expected_q = 0;
    EXPECT_SAME(__nv_remquof(x, y, &q), std::remquo(x, y, &expected_q), x << ", " << y);
    if (std::isfinite(x) && std::isfinite(y) && y != 0) {
      ASSERT_EQ(q & 7, expected_q & 7) << std::hexfloat << x << ", " << y;
    }
    const double a = pattern<double>(random), b = pattern<double>(random);
    EXPECT_SAME(__nv_fmod(a, b), std::fmod(a, b), a << ", " << b);
    EXPECT_SAME(__nv_remainder(a, b), std::remainder(a, b), a << ", " << b);
  }
}

TEST(LibdeviceExact, ScalingMatchesTheCLibrary) {
  auto random = seeded();
  for (int i = 0; i < kRounds; ++i) {
    const float f = pattern<float>(random);
    const double d = pattern<double>(random);
    const int n = static_cast<int>(random() % 700) - 350;
    EXPECT_SAME(__nv_ldexpf(f, n), std::ldexp(f, n), f << ", " << n);
    EXPECT_SAME(__nv_ldexp(d, 7 * n), std::ldexp(d, 7 * n), d << ", " << 7 * n);
    int e = 0, expected_e = 0;
    EXPECT_SAME(__nv_frexpf(f, &e), std::frexp(f, &expected_e), f);
    if (std::isfinite(f)) {
      ASSERT_EQ(e, expected_e) << f;
    }
    EXPECT_SAME(__nv_frexp(d, &e), std::frexp(d, &expected_e), d);
    if (std::isfinite(d)) {
      ASSERT_EQ(e, expected_e) << d;
    }
    EXPECT_SAME(__nv_logbf(f), std::logb(f), f);
    EXPECT_SAME(__nv_logb(d), std::logb(d), d);
    if (std::isfinite(f) && f != 0) {
      ASSERT_EQ(__nv_ilogbf(f), std::ilogb(f)) << f;
    }
    float whole = 0, expected_whole = 0;
    EXPECT_SAME(__nv_modff(f, &whole), std::modf(f, &expected_whole), f);
    EXPECT_SAME(whole, expected_whole, f);
  }
}

TEST(LibdeviceExact, NeighboursAndSelectionsMatchTheCLibrary) {
  auto random = seeded();
  for (int i = 0; i < kRounds; ++i) {
    const float x = pattern<float>(random), y = random() % 8 ? pattern<float>(random) : 0.0f;
    EXPECT_SAME(__nv_nextafterf(x, y), std::nextafter(x, y), x << ", " << y);
    EXPECT_SAME(__nv_nextafter(x, y), std::nextafter(double(x), double(y)), x << ", " << y);
    EXPECT_SAME(__nv_fdimf(x, y), std::fdim(x, y), x << ", " << y);
    EXPECT_SAME(__nv_copysignf(x, y), std::copysign(x, y), x << ", " << y);
    EXPECT_SAME(__nv_fabsf(x), std::abs(x), x);
    EXPECT_SAME(__nv_sqrtf(x), std::sqrt(x), x);
  }
}

// The special values of <math.h>'s Annex F.
TEST(LibdeviceExact, SpecialValues) {
  const float inf = INFINITY, nan = NAN;
  EXPECT_SAME(__nv_powf(nan, 0.0f), 1.0f, "");
  EXPECT_SAME(__nv_powf(1.0f, nan), 1.0f, "");
  EXPECT_SAME(__nv_powf(-1.0f, inf), 1.0f, "");
  EXPECT_SAME(__nv_powf(-0.0f, -3.0f), -inf, "");
  EXPECT_SAME(__nv_powf(-0.0f, 3.0f), -0.0f, "");
  EXPECT_SAME(__nv_powf(-2.0f, 3.0f), -8.0f, "");
  EXPECT_SAME(__nv_powf(-8.0f, 0.5f), nan, "");
  EXPECT_SAME(__nv_powf(-inf, 3.0f), -inf, "");
  EXPECT_SAME(__nv_powf(-inf, -3.0f), -0.0f, "");
  EXPECT_SAME(__nv_powif(-2.0f, -3), -0.125f, "");
  EXPECT_SAME(__nv_expf(-inf), 0.0f, "");
  EXPECT_SAME(__nv_expf(inf), inf, "");
  EXPECT_SAME(__nv_expm1f(-inf), -1.0f, "");
  EXPECT_SAME(__nv_logf(0.0f), -inf, "");
  EXPECT_SAME(__nv_logf(-1.0f), nan, "");
  EXPECT_SAME(__nv_logf(1.0f), 0.0f, "");
  EXPECT_SAME(__nv_log1pf(-1.0f), -inf, "");
  EXPECT_SAME(__nv_sinf(-0.0f), -0.0f, "");
  EXPECT_SAME(__nv_sinf(inf), nan, "");
  EXPECT_SAME(__nv_sinpif(-3.0f), -0.0f, "");
  EXPECT_SAME(__nv_cospif(0.5f), 0.0f, "");
  EXPECT_SAME(__nv_atan2f(0.0f, -0.0f), float(M_PI), "");
  EXPECT_SAME(__nv_atan2f(-0.0f, 1.0f), -0.0f, "");
  EXPECT_SAME(__nv_atan2f(inf, -inf), float(0.75 * M_PI), "");
  EXPECT_SAME(__nv_hypotf(nan, -inf), inf, "");
  EXPECT_SAME(__nv_rhypotf(inf, 1.0f), 0.0f, "");
  EXPECT_SAME(__nv_cbrtf(-inf), -inf, "");
  EXPECT_SAME(__nv_acoshf(0.5f), nan, "");
  EXPECT_SAME(__nv_atanhf(-1.0f), -inf, "");
  EXPECT_SAME(__nv_tgammaf(-1.0f), nan, "");
  EXPECT_SAME(__nv_tgammaf(-0.0f), -inf, "");
  EXPECT_SAME(__nv_tgammaf(5.0f), 24.0f, "");
  EXPECT_SAME(__nv_lgammaf(-2.0f), inf, "");
  EXPECT_SAME(__nv_lgammaf(1.0f), 0.0f, "");
  EXPECT_SAME(__nv_erff(-inf), -1.0f, "");
  EXPECT_SAME(__nv_erfcf(inf), 0.0f, "");
  EXPECT_SAME(__nv_erfinvf(1.0f), inf, "");
  EXPECT_SAME(__nv_erfcinvf(2.0f), -inf, "");
  EXPECT_SAME(__nv_normcdfinvf(0.5f), 0.0f, "");
  EXPECT_SAME(__nv_y0f(0.0f), -inf, "");
  EXPECT_SAME(__nv_jnf(3, 0.0f), 0.0f, "");
}

TEST(LibdeviceExact, SincosEqualsSinAndCos) {
  auto random = seeded();
  for (int i = 0; i < kRounds / 4; ++i) {
    const float f = pattern<float>(random);
    float s, c;
    __nv_sincosf(f, &s, &c);
    EXPECT_SAME(s, __nv_sinf(f), f);
    EXPECT_SAME(c, __nv_cosf(f), f);
  }
}

TEST(LibdeviceExact, IntegerFunctions) {
  auto random = seeded();
  for (int i = 0; i < kRounds; ++i) {
    const int a = static_cast<int>(random()), b = static_cast<int>(random());
    const int c = static_cast<int>(random());
    const auto wide = [](int x) { return static_cast<long long>(x); };
    uint32_t reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (static_cast<uint32_t>(a) >> k & 1) << (31 - k);
    ASSERT_EQ(__nv_brev(a), static_cast<int>(reversed));
    ASSERT_EQ(__nv_clz(a), std::countl_zero(static_cast<uint32_t>(a)));
    ASSERT_EQ(__nv_ffs(a), a ? std::countr_zero(static_cast<uint32_t>(a)) + 1 : 0);
    ASSERT_EQ(__nv_popc(static_cast<unsigned>(a)), std::popcount(static_cast<uint32_t>(a)));
    ASSERT_EQ(__nv_mulhi(a, b), static_cast<int>(wide(a) * b >> 32));
    ASSERT_EQ(__nv_hadd(a, b), static_cast<int>((wide(a) + b) >> 1));
    ASSERT_EQ(__nv_rhadd(a, b), static_cast<int>((wide(a) + b + 1) >> 1));
    ASSERT_EQ(__nv_sad(a, b, c),
              static_cast<int>(static_cast<uint32_t>(std::llabs(wide(a) - b)) + static_cast<uint32_t>(c)));
    const int a24 = static_cast<int>(static_cast<uint32_t>(a) << 8) >> 8;
    const int b24 = static_cast<int>(static_cast<uint32_t>(b) << 8) >> 8;
    ASSERT_EQ(__nv_mul24(a, b), static_cast<int>(wide(a24) * b24));
  }
  EXPECT_EQ(__nv_clz(0), 32);
  EXPECT_EQ(__nv_clzll(1), 63);
  EXPECT_EQ(__nv_ffsll(0), 0);
  EXPECT_EQ(__nv_byte_perm(0x33221100, 0x77665544, 0x7520), 0x77552200);
  EXPECT_EQ(__nv_mul64hi(-1, 1), -1);
  EXPECT_EQ(__nv_umul64hi(~0ull, ~0ull), ~0ull - 1);
}

TEST(LibdeviceExact, PartsOfAWord) {
  EXPECT_EQ(static_cast<unsigned>(__nv_vadd4(0x7fff01ff, 0x01020301)), 0x80010400u);
  EXPECT_EQ(static_cast<unsigned>(__nv_vaddss2(0x7fff8000, 0x0001ffff)), 0x7fff8000u);
  EXPECT_EQ(static_cast<unsigned>(__nv_vabsdiffu4(0x00ff1020, 0x01fe2010)), 0x01011010u);
  EXPECT_EQ(static_cast<unsigned>(__nv_vavgs2(0x0001fffe, 0x0002ffff)), 0x0002fffeu);
  EXPECT_EQ(static_cast<unsigned>(__nv_vcmpgts4(0x7f80ff01, 0x7e7f0001)), 0xff000000u);
  EXPECT_EQ(static_cast<unsigned>(__nv_vsadu4(0x01020304, 0x04030201)), 8u);
}

}  // namespace
}  // namespace heddle::test
