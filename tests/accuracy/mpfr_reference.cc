// SPDX-License-Identifier: Apache-2.0
#include "mpfr_reference.h"

#include <map>

#include "libdevice_functions.h"

namespace heddle::test {
namespace {

// exp(x^2) erfc(x)
void erfcx(mpfr_ptr r, mpfr_ptr x) {
  if (mpfr_cmp_d(x, 1e4) > 0) {  // the first terms of the asymptotic series suffice
    Mp t;
    mpfr_sqr(t, x, MPFR_RNDN);
    mpfr_d_div(t, -0.5, t, MPFR_RNDN);
    mpfr_add_d(t, t, 1.0, MPFR_RNDN);
    mpfr_const_pi(r, MPFR_RNDN);
    mpfr_sqrt(r, r, MPFR_RNDN);
    mpfr_mul(r, r, x, MPFR_RNDN);
    mpfr_div(r, t, r, MPFR_RNDN);
    return;
  }
  Mp t;
  mpfr_sqr(t, x, MPFR_RNDN);
  mpfr_exp(t, t, MPFR_RNDN);
  mpfr_erfc(r, x, MPFR_RNDN);
  mpfr_mul(r, r, t, MPFR_RNDN);
}

void normcdf(mpfr_ptr r, mpfr_ptr x) {
  Mp t(0.5);
  mpfr_sqrt(t, t, MPFR_RNDN);
  mpfr_mul(t, t, x, MPFR_RNDN);
  mpfr_neg(t, t, MPFR_RNDN);
  mpfr_erfc(r, t, MPFR_RNDN);
  mpfr_div_ui(r, r, 2, MPFR_RNDN);
}

// Modified Bessel function of order 0 or 1 by its power series.
void bessel_i(mpfr_ptr r, mpfr_ptr x, int order) {
  Mp term(1.0), quarter;
  mpfr_sqr(quarter, x, MPFR_RNDN);
  mpfr_div_ui(quarter, quarter, 4, MPFR_RNDN);
  if (order == 1) mpfr_div_ui(term, x, 2, MPFR_RNDN);
  mpfr_set(r, term, MPFR_RNDN);
  for (unsigned k = 1; k < 3000; ++k) {
    mpfr_mul(term, term, quarter, MPFR_RNDN);
    mpfr_div_ui(term, term, static_cast<unsigned long>(k) * (k + order), MPFR_RNDN);
    mpfr_add(r, r, term, MPFR_RNDN);
    if (mpfr_zero_p(term) || mpfr_get_exp(term) < mpfr_get_exp(r) - 190) break;
  }
}

void signed_lgamma(mpfr_ptr r, mpfr_ptr x) {
  int sign;
  mpfr_lgamma(r, &sign, x, MPFR_RNDN);
}

// A root of forward(y) = x: Newton's method from a double near it, each step of which doubles its digits.
void inverse(mpfr_ptr r, mpfr_ptr x, double start, const Reference1& forward, const Reference1& slope) {
  mpfr_set_d(r, start, MPFR_RNDN);
  if (!mpfr_number_p(r) || mpfr_zero_p(r)) return;
  Mp value, s;
  for (int i = 0; i < 3; ++i) {
    forward(value, r);
    mpfr_sub(value, value, x, MPFR_RNDN);
    slope(s, r);
    mpfr_div(value, value, s, MPFR_RNDN);
    mpfr_sub(r, r, value, MPFR_RNDN);
  }
}

// 2/sqrt(pi) exp(-y^2)
void gaussian(mpfr_ptr r, mpfr_ptr y) {
  Mp pi;
  mpfr_sqr(r, y, MPFR_RNDN);
  mpfr_neg(r, r, MPFR_RNDN);
  mpfr_exp(r, r, MPFR_RNDN);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_sqrt(pi, pi, MPFR_RNDN);
  mpfr_div(r, r, pi, MPFR_RNDN);
  mpfr_mul_ui(r, r, 2, MPFR_RNDN);
}
void negative_gaussian(mpfr_ptr r, mpfr_ptr y) {
  gaussian(r, y);
  mpfr_neg(r, r, MPFR_RNDN);
}

// The density of the normal distribution.
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

// The library's own double functions are where the search begins; where it ends does not depend on them.
void erfinv(mpfr_ptr r, mpfr_ptr x) {
  inverse(
      r, x, __nv_erfinv(mpfr_get_d(x, MPFR_RNDN)), [](mpfr_ptr s, mpfr_ptr y) { mpfr_erf(s, y, MPFR_RNDN); }, gaussian);
}
void erfcinv(mpfr_ptr r, mpfr_ptr x) {
  inverse(
      r, x, __nv_erfcinv(mpfr_get_d(x, MPFR_RNDN)), [](mpfr_ptr s, mpfr_ptr y) { mpfr_erfc(s, y, MPFR_RNDN); },
      negative_gaussian);
}
void normcdfinv(mpfr_ptr r, mpfr_ptr x) { inverse(r, x, __nv_normcdfinv(mpfr_get_d(x, MPFR_RNDN)), normcdf, density); }

#define BUILTIN(name, function)                                     \
  {                                                                 \
    name, [](mpfr_ptr r, mpfr_ptr x) { function(r, x, MPFR_RNDN); } \
  }

const std::map<std::string, Reference1>& table1() {
  static const std::map<std::string, Reference1> table = {
      // clang-format off
      BUILTIN("exp", mpfr_exp), BUILTIN("exp2", mpfr_exp2), BUILTIN("exp10", mpfr_exp10),
      BUILTIN("expm1", mpfr_expm1), BUILTIN("log", mpfr_log), BUILTIN("log2", mpfr_log2),
      BUILTIN("log10", mpfr_log10), BUILTIN("log1p", mpfr_log1p), BUILTIN("sin", mpfr_sin),
      BUILTIN("cos", mpfr_cos), BUILTIN("tan", mpfr_tan), BUILTIN("sinpi", mpfr_sinpi),
      BUILTIN("cospi", mpfr_cospi), BUILTIN("asin", mpfr_asin), BUILTIN("acos", mpfr_acos),
      BUILTIN("atan", mpfr_atan), BUILTIN("sinh", mpfr_sinh), BUILTIN("cosh", mpfr_cosh),
      BUILTIN("tanh", mpfr_tanh), BUILTIN("asinh", mpfr_asinh), BUILTIN("acosh", mpfr_acosh),
      BUILTIN("atanh", mpfr_atanh), BUILTIN("cbrt", mpfr_cbrt), BUILTIN("rsqrt", mpfr_rec_sqrt),
      BUILTIN("erf", mpfr_erf), BUILTIN("erfc", mpfr_erfc), BUILTIN("tgamma", mpfr_gamma),
      BUILTIN("j0", mpfr_j0), BUILTIN("j1", mpfr_j1), BUILTIN("y0", mpfr_y0),
      BUILTIN("y1", mpfr_y1), {"lgamma", signed_lgamma}, {"erfcx", erfcx}, {"normcdf", normcdf},
      {"erfinv", erfinv}, {"erfcinv", erfcinv}, {"normcdfinv", normcdfinv},
      // clang-format on
      {"rcbrt",
       [](mpfr_ptr r, mpfr_ptr x) {
         mpfr_cbrt(r, x, MPFR_RNDN);
         mpfr_ui_div(r, 1, r, MPFR_RNDN);
       }},
      {"cyl_bessel_i0", [](mpfr_ptr r, mpfr_ptr x) { bessel_i(r, x, 0); }},
      {"cyl_bessel_i1", [](mpfr_ptr r, mpfr_ptr x) { bessel_i(r, x, 1); }},
  };
  return table;
}

}  // namespace

Reference1 reference1(const std::string& name) {
  const auto it = table1().find(name);
  return it == table1().end() ? Reference1() : it->second;
}

Reference2 reference2(const std::string& name) {
  if (name == "pow") return [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr y) { mpfr_pow(r, x, y, MPFR_RNDN); };
  if (name == "atan2") return [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr y) { mpfr_atan2(r, x, y, MPFR_RNDN); };
  if (name == "hypot") return [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr y) { mpfr_hypot(r, x, y, MPFR_RNDN); };
  if (name == "rhypot")
    return [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr y) {
      mpfr_hypot(r, x, y, MPFR_RNDN);
      mpfr_ui_div(r, 1, r, MPFR_RNDN);
    };
  return {};
}

template <>
float nearest<float>(mpfr_ptr exact) {
  return mpfr_get_flt(exact, MPFR_RNDN);
}
template <>
double nearest<double>(mpfr_ptr exact) {
  return mpfr_get_d(exact, MPFR_RNDN);
}

}  // namespace heddle::test
