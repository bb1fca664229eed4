// SPDX-License-Identifier: Apache-2.0
// What firmware/libdevice/special.h leaves to the host: PTX's approximate instructions by the golden
// model's special function unit, with the scaling that the compiler puts around it
// (host-runtime/compiler/lower/special.cc).
#include <bit>
#include <cmath>

#include "sim/model/mufu.h"

namespace {

using heddle::isa::MufuOp;

float mufu(MufuOp op, float x) { return std::bit_cast<float>(heddle::model::mufu(op, std::bit_cast<uint32_t>(x))); }

bool subnormal(float x) { return std::abs(x) < 0x1p-126f; }

// x / (2 pi), rounded toward zero: an infinity or a NaN keeps itself.
float turns(float x) {
  constexpr double kInverse = 0x1.45f306p-3;  // the float that the compiler multiplies by
  const double exact = x * kInverse;
  float r = static_cast<float>(exact);
  if (std::abs(static_cast<double>(r)) > std::abs(exact)) r = std::nextafter(r, 0.0f);
  return r;
}

}  // namespace

extern "C" {
float approx_sin(float x) { return mufu(MufuOp::Sin, turns(x)); }
float approx_cos(float x) { return mufu(MufuOp::Cos, turns(x)); }
float approx_ex2(float x) {
  if (!(x < -126.0f)) return mufu(MufuOp::Ex2, x);
  const float root = mufu(MufuOp::Ex2, x * 0.5f);
  return root * root;
}
float approx_lg2(float x) { return subnormal(x) ? mufu(MufuOp::Lg2, x * 0x1p24f) - 24.0f : mufu(MufuOp::Lg2, x); }
float approx_rsqrt(float x) { return subnormal(x) ? mufu(MufuOp::Rsq, x * 0x1p24f) * 0x1p12f : mufu(MufuOp::Rsq, x); }
float approx_div(float a, float b) {
  const float scale = subnormal(b) ? 0x1p24f : 1.0f;
  return (a * scale) * mufu(MufuOp::Rcp, b * scale);
}
}
