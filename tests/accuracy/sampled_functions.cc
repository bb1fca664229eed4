// SPDX-License-Identifier: Apache-2.0
#include "sampled_functions.h"

#include <limits>

#include "libdevice_functions.h"

namespace heddle::test {
namespace {

constexpr float kTop = std::numeric_limits<float>::max();

}  // namespace

#define FUNCTION(name) #name, __nv_##name##f, __nv_##name

std::vector<Range<double>> Sampled1::ranges_of_double() const {
  std::vector<Range<double>> wider = double_ranges;
  if (wider.empty())
    for (const auto& r : ranges) wider.push_back(wide(r));
  return wider;
}

const std::vector<Sampled1>& one_argument_functions() {
  static const std::vector<Sampled1> cases = {
      {FUNCTION(exp), {{-104, 89}, {-1, 1}}, 2, 1, 4000, {{-746, 710}, {-1, 1}}},
      {FUNCTION(exp2), {{-151, 129}}, 2, 1, 4000, {{-1076, 1025}, {-1, 1}}},
      {FUNCTION(exp10), {{-46, 39}}, 2, 1, 4000, {{-325, 309}}},
      {FUNCTION(expm1), {{-30, 89}, {-1, 1}}, 1, 1, 4000, {{-50, 710}, {-1, 1}}},
      {FUNCTION(log), {{1e-45f, kTop}, {0.5f, 2}}, 1, 1, 4000, {{5e-324, 1.7e308}, {0.5, 2}}},
      {FUNCTION(log2), {{1e-45f, kTop}, {0.5f, 2}}, 3, 1, 4000, {{5e-324, 1.7e308}, {0.5, 2}}},
      {FUNCTION(log10), {{1e-45f, kTop}, {0.5f, 2}}, 3, 1, 4000, {{5e-324, 1.7e308}, {0.5, 2}}},
      {FUNCTION(log1p), {{-0.99999f, kTop}, {-0.9f, 4}}, 2, 1},
      {FUNCTION(sin), {{-4, 4}, {-1e5f, 1e5f}, {-kTop, kTop}}, 2, 2, 4000, {{-4, 4}, {-1e7, 1e7}, {-1.7e308, 1.7e308}}},
      {FUNCTION(cos), {{-4, 4}, {-1e5f, 1e5f}, {-kTop, kTop}}, 2, 2, 4000, {{-4, 4}, {-1e7, 1e7}, {-1.7e308, 1.7e308}}},
      {FUNCTION(tan), {{-4, 4}, {-1e5f, 1e5f}, {-kTop, kTop}}, 4, 2, 4000, {{-4, 4}, {-1e7, 1e7}, {-1.7e308, 1.7e308}}},
      {FUNCTION(sinpi), {{-2, 2}, {-1e8f, 1e8f}}, 2, 2},
      {FUNCTION(cospi), {{-2, 2}, {-1e8f, 1e8f}}, 2, 2},
      {FUNCTION(asin), {{-1, 1}}, 4, 2},
      {FUNCTION(acos), {{-1, 1}}, 3, 2},
      {FUNCTION(atan), {{-2, 2}, {-kTop, kTop}}, 2, 2},
      {FUNCTION(sinh), {{-90, 90}, {-2, 2}}, 3, 1, 8000, {{-711, 711}, {-2, 2}}},
      {FUNCTION(cosh), {{-90, 90}, {-2, 2}}, 2, 1, 8000, {{-711, 711}, {-2, 2}}},
      {FUNCTION(tanh), {{-20, 20}, {-1, 1}}, 2, 1, 8000},
      {FUNCTION(asinh), {{-kTop, kTop}, {-4, 4}}, 3, 2},
      {FUNCTION(acosh), {{1, kTop}, {1, 4}}, 4, 2},
      {FUNCTION(atanh), {{-0.99999994f, 0.99999994f}}, 3, 2},
      {FUNCTION(cbrt), {{-kTop, kTop}, {-8, 8}, {-1e-40f, 1e-40f}}, 1, 1},
      {FUNCTION(rcbrt), {{1e-45f, kTop}, {0.1f, 8}}, 2, 1},
      {FUNCTION(rsqrt), {{1e-45f, kTop}, {0.1f, 8}}, 2, 1},
      {FUNCTION(erf), {{-5, 5}, {-1, 1}}, 3, 2},
      {FUNCTION(erfc), {{-5, 10.1f}, {-1, 1}}, 6, 4, 4000, {{-6, 26.6}, {-1, 1}}},
      {FUNCTION(erfinv), {{-0.99999994f, 0.99999994f}}, 3, 8, 2000, {{-0.9999999999, 0.9999999999}}},
      {FUNCTION(erfcinv), {{1e-38f, 1.9999f}, {0.5f, 1.5f}}, 7, 8, 2000, {{1e-300, 1.9999}, {0.5, 1.5}}},
      {FUNCTION(erfcx),
       {{-9, 10}, {-9.383f, -9.38f}, {0, 1000}},
       6,
       4,
       2000,
       {{-26, 27}, {-26.62874, -26.62873}, {0, 1000}, {1e150, 1.7e308}}},
      {FUNCTION(normcdf), {{-14.2f, 8}, {-1, 1}}, 5, 5, 4000, {{-37.6, 8}, {-1, 1}}},
      {FUNCTION(normcdfinv), {{1e-38f, 0.9999f}, {0.25f, 0.75f}}, 5, 8, 2000, {{1e-300, 0.9999}, {0.25, 0.75}}},
      {FUNCTION(tgamma), {{-40, 36}, {0.001f, 4}}, 11, 8, 1500, {{-180, 171.6}, {0.001, 6}}},
      {FUNCTION(lgamma), {{-2.25f, 20}, {0.3f, 3.2f}, {20, 1e30f}}, 6, 4, 1500},
      {FUNCTION(cyl_bessel_i0), {{-92.5f, 92.5f}}, 6, 6, 600, {{-715, 715}, {-9, 9}}},
      {FUNCTION(cyl_bessel_i1), {{-92.5f, 92.5f}}, 6, 6, 600, {{-715, 715}, {-9, 9}}},
      {FUNCTION(j0), {{-8, 8}}, 9, 9, 800},
      {FUNCTION(j1), {{-8, 8}}, 9, 9, 800},
      {FUNCTION(y0), {{1e-6f, 8}}, 9, 9, 800},
      {FUNCTION(y1), {{1e-6f, 8}}, 9, 9, 800},
  };
  return cases;
}

const std::vector<Sampled2>& two_argument_functions() {
  static const std::vector<Sampled2> cases = {
      {FUNCTION(pow), {1e-38f, kTop}, {-40, 40}, 8, 2},
      {FUNCTION(atan2), {-kTop, kTop}, {-kTop, kTop}, 3, 2},
      {FUNCTION(hypot), {-kTop, kTop}, {-kTop, kTop}, 3, 2},
      {FUNCTION(rhypot), {-kTop, kTop}, {-kTop, kTop}, 2, 2},
  };
  return cases;
}

}  // namespace heddle::test
