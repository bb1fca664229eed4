// SPDX-License-Identifier: Apache-2.0
// Two f16 or bf16 numbers a register, and the conversion between floating-point formats.
#include "sim/model/float.h"
#include "sim/model/float16.h"
#include "sim/model/lanes.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

constexpr uint32_t kSigns = 0x80008000u;

// f of both halves.
template <typename F>
inline uint32_t halves(uint32_t a, uint32_t b, uint32_t c, F f) {
  return f(a & 0xffff, b & 0xffff, c & 0xffff) | f(a >> 16, b >> 16, c >> 16) << 16;
}

FloatFormat format_of(uint32_t bf16) { return bf16 ? FloatFormat::Bf16 : FloatFormat::F16; }

NarrowMode mode(uint32_t ftz, uint32_t sat, uint32_t relu) {
  NarrowMode m;
  m.ftz = ftz != 0;
  m.sat = sat != 0;
  m.relu = relu != 0;
  return m;
}

void hadd2(const Decoded& d, Lanes& l) {
  const FloatFormat format = format_of(d.get(field::HAdd_bf16));
  const NarrowMode m = mode(d.get(field::HAdd_ftz), d.get(field::HAdd_sat), 0);
  const uint32_t clear_a = d.get(field::HAdd_abs_a) ? kSigns : 0, flip_a = d.get(field::HAdd_neg_a) ? kSigns : 0;
  const uint32_t flip_b = d.get(field::HAdd_neg_b) ? kSigns : 0;
  const uint32_t one = format == FloatFormat::Bf16 ? 0x3f80 : 0x3c00;
  binary(d, l, [=](uint32_t a, uint32_t b) {
    return halves((a & ~clear_a) ^ flip_a, b ^ flip_b, 0,
                  [&](uint32_t x, uint32_t y, uint32_t) { return narrow_fma(format, x, one, y, m); });
  });
}

void hmul2(const Decoded& d, Lanes& l) {
  const FloatFormat format = format_of(d.get(field::HFma_bf16));
  const NarrowMode m = mode(d.get(field::HFma_ftz), d.get(field::HFma_sat), d.get(field::HFma_relu));
  binary(d, l, [=](uint32_t a, uint32_t b) {
    // Adding a zero of the product's sign changes nothing.
    return halves(a, b, 0,
                  [&](uint32_t x, uint32_t y, uint32_t) { return narrow_fma(format, x, y, (x ^ y) & 0x8000, m); });
  });
}

void hfma2(const Decoded& d, Lanes& l) {
  const FloatFormat format = format_of(d.get(field::HFma_bf16));
  const NarrowMode m = mode(d.get(field::HFma_ftz), d.get(field::HFma_sat), d.get(field::HFma_relu));
  ternary(d, l, [=](uint32_t a, uint32_t b, uint32_t c) {
    return halves(a, b, c, [&](uint32_t x, uint32_t y, uint32_t z) { return narrow_fma(format, x, y, z, m); });
  });
}

void hmnmx2(const Decoded& d, Lanes& l) {
  const FloatFormat format = format_of(d.get(field::HMinMax_bf16));
  const bool ftz = d.get(field::HMinMax_ftz), max = d.get(field::HMinMax_max), nan = d.get(field::HMinMax_nan);
  const bool xorsign = d.get(field::HMinMax_xorsign_abs);
  binary(d, l, [=](uint32_t a, uint32_t b) {
    return halves(a, b, 0, [&](uint32_t x, uint32_t y, uint32_t) {
      const uint32_t r = f32_minmax(f32_from_narrow(format, x, ftz, true), f32_from_narrow(format, y, ftz, true), max,
                                    false, nan, xorsign);
      return narrow_from_f32(format, r, {});
    });
  });
}

void hsetp2(const Decoded& d, Lanes& l) {
  const FloatFormat format = format_of(d.get(field::HSetp_bf16));
  const bool ftz = d.get(field::HSetp_ftz);
  const auto compare = static_cast<FCmp>(d.get(field::HSetp_cmp));
  const auto op = static_cast<isa::BoolOp>(d.get(field::HSetp_op));
  const Mask pc = predicate(l.predicates, d.get(field::HSetp_pc));
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  Mask low = 0, high = 0;
  const auto holds = [&](uint32_t x, uint32_t y) {
    return static_cast<Mask>(
        f32_compare(f32_from_narrow(format, x, ftz, false), f32_from_narrow(format, y, ftz, false), compare, false));
  };
  for (int i = 0; i < kLanes; i++) {
    low |= holds(a[i] & 0xffff, b[i] & 0xffff) << i;
    high |= holds(a[i] >> 16, b[i] >> 16) << i;
  }
  write_predicate(l, d.pq, combine(op, d.get(field::HSetp_both) ? high : ~low, pc));
  write_predicate(l, d.pd, combine(op, low, pc));
}

// A number of the format in the low part of a register, or the next one.
uint32_t part(FloatFormat format, uint32_t x, bool high) {
  if (format == FloatFormat::F32) return x;
  if (format == FloatFormat::F16 || format == FloatFormat::Bf16) return high ? x >> 16 : x & 0xffff;
  return (high ? x >> 8 : x) & 0xff;
}

// Of a number that names no format, f32.
FloatFormat f2f_format(uint32_t number) {
  return number > static_cast<uint32_t>(FloatFormat::E5m2) ? FloatFormat::F32 : static_cast<FloatFormat>(number);
}

void f2f(const Decoded& d, Lanes& l) {
  const FloatFormat from = f2f_format(d.get(field::F2F_from)), to = f2f_format(d.get(field::F2F_to));
  const bool high = d.get(field::F2F_high), narrow = to != FloatFormat::F32;
  const bool both = d.get(field::F2F_both) && narrow, pack = d.get(field::F2F_pack) && narrow;
  NarrowMode m = mode(d.get(field::F2F_ftz), d.get(field::F2F_sat), d.get(field::F2F_relu));
  m.rounding = static_cast<Rounding>(d.get(field::F2F_rnd));
  m.finite = d.get(field::F2F_finite);
  m.keep = d.get(field::F2F_keep);
  const int width = to == FloatFormat::E4m3 || to == FloatFormat::E5m2 ? 8 : 16;
  binary(d, l, [=](uint32_t a, uint32_t b) {
    if (both) return narrow_from_f32(to, b, m) | narrow_from_f32(to, a, m) << width;
    const uint32_t r = narrow_from_f32(to, f32_from_narrow(from, part(from, b, high), m.ftz, m.keep), m);
    return pack ? r | part(to, a, false) << width : r;
  });
}

}  // namespace

void add_f16(OpTable& table) {
  const auto set = [&table](isa::Opcode op, Execute f) { table[static_cast<uint8_t>(op)] = f; };
  set(isa::Opcode::Hadd2, hadd2);
  set(isa::Opcode::Hmul2, hmul2);
  set(isa::Opcode::Hfma2, hfma2);
  set(isa::Opcode::Hmnmx2, hmnmx2);
  set(isa::Opcode::Hsetp2, hsetp2);
  set(isa::Opcode::F2f, f2f);
}

}  // namespace heddle::model::HEDDLE_OPS
