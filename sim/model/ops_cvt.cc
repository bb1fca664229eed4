// SPDX-License-Identifier: Apache-2.0
// Conversions between integers, f32 and f64.
#include "sim/model/float.h"
#include "sim/model/lanes.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

void i2f(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::I2F_rnd));
  const bool sign = d.get(field::I2F_sign);
  if (rounding == Rounding::Rn && sign) {
    unary(d, l, [](uint32_t b) { return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(b))); });
  } else if (rounding == Rounding::Rn) {
    unary(d, l, [](uint32_t b) { return std::bit_cast<uint32_t>(static_cast<float>(b)); });
  } else {
    unary(d, l, [=](uint32_t b) {
      const bool negative = sign && b >> 31;
      return f32_from_int(negative, negative ? 0 - b : b, rounding);
    });
  }
}

void i642f(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::I2F_rnd));
  const bool sign = d.get(field::I2F_sign);
  Wide b;
  load_wide_b(d, l, b);
  Row r;
  for (int i = 0; i < kLanes; i++) {
    const bool negative = sign && b.lane[i] >> 63;
    r.lane[i] = f32_from_int(negative, negative ? 0 - b.lane[i] : b.lane[i], rounding);
  }
  write(l, d.rd, r);
}

void f2i(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::F2I_rnd));
  const bool ftz = d.get(field::F2I_ftz), sign = d.get(field::F2I_sign);
  const uint32_t width = d.get(field::F2I_width);
  const int bits = width == 0 ? 32 : width == 1 ? 16 : 8;
  unary(d, l, [=](uint32_t b) { return static_cast<uint32_t>(f32_to_int(b, bits, sign, rounding, ftz)); });
}

void f2i64(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::F2I_rnd));
  const bool ftz = d.get(field::F2I_ftz), sign = d.get(field::F2I_sign);
  Wide r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f32_to_int(l.b->lane[i], 64, sign, rounding, ftz);
  write_wide(l, d.rd, r);
}

FloatMode mode(const Decoded& d) {
  return {static_cast<Rounding>(d.get(field::FRnd_rnd)), d.get(field::FRnd_ftz) != 0, d.get(field::FRnd_sat) != 0};
}

void frnd(const Decoded& d, Lanes& l) {
  const FloatMode m = mode(d);
  const bool integral = d.get(field::FRnd_integral);
  unary(d, l, [=](uint32_t b) {
    if (m.ftz) b = f32_normalize(b, {m.rounding, true, false});
    if (integral) b = f32_round_integral(b, m.rounding);
    return f32_normalize(b, m);
  });
}

void f2d(const Decoded& d, Lanes& l) {
  const FloatMode m = mode(d);
  Wide r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f64_from_f32(l.b->lane[i], m.ftz, m.sat);
  write_wide(l, d.rd, r);
}

void d2f(const Decoded& d, Lanes& l) {
  const FloatMode m = mode(d);
  Wide b;
  load_wide_b(d, l, b);
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f32_from_f64(b.lane[i], m);
  write(l, d.rd, r);
}

}  // namespace

void add_cvt(OpTable& table) {
  const auto set = [&table](isa::Opcode op, Execute f) { table[static_cast<uint8_t>(op)] = f; };
  set(isa::Opcode::I2f, i2f);
  set(isa::Opcode::I642f, i642f);
  set(isa::Opcode::F2i, f2i);
  set(isa::Opcode::F2i64, f2i64);
  set(isa::Opcode::Frnd, frnd);
  set(isa::Opcode::F2d, f2d);
  set(isa::Opcode::D2f, d2f);
}

}  // namespace heddle::model::HEDDLE_OPS
