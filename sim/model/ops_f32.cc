// SPDX-License-Identifier: Apache-2.0
// f32 arithmetic. Rounding to nearest goes through the host's own IEEE arithmetic, lanes side by
// side; the other roundings through float.h, a lane at a time. The host must round to nearest with
// subnormals (FloatEnvironment sees to it).
#include "sim/model/float.h"
#include "sim/model/lanes.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

constexpr uint32_t kSign = 0x80000000u;

inline float as_float(uint32_t v) { return std::bit_cast<float>(v); }
inline uint32_t as_bits(float v) { return std::bit_cast<uint32_t>(v); }
inline uint32_t flush(uint32_t v) { return (v & 0x7f800000u) == 0 ? v & kSign : v; }
inline uint32_t canonical(float v) { return v == v ? as_bits(v) : kNan32; }

// a * b + c with one rounding, to nearest.
inline float fused(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  // In f64 the product is exact. Its sum with c is rounded to odd (the last bit is set when
  // anything was lost), which leaves enough for the one rounding to f32 that counts.
  const double product = double{a} * b;
  const double sum = product + c;
  const double back = sum - product;
  const double lost = (product - (sum - back)) + (c - back);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if ((lost < 0 || lost > 0) && (bits & 1) == 0) bits += (lost > 0) == (sum > 0) ? 1 : ~uint64_t{0};
  return static_cast<float>(std::bit_cast<double>(bits));
#endif
}

// ftz on operands and results, then saturation, around an operation of one to three operands.
template <bool kFtz>
inline uint32_t in(uint32_t v) {
  return kFtz ? flush(v) : v;
}

inline void saturate_row(Row& r) {
  for (int i = 0; i < kLanes; i++) {
    const uint32_t v = r.lane[i];
    const uint32_t low = (v & kSign) || v > 0x7f800000u ? 0 : v;
    r.lane[i] = low > 0x3f800000u ? 0x3f800000u : low;
  }
}

// Rounded to nearest on the host: f of floats, three operand rows (unused ones repeat another).
template <typename F>
inline void nearest(const uint32_t* a, const uint32_t* b, const uint32_t* c, bool ftz, Row& r, F f) {
  if (ftz) {
    for (int i = 0; i < kLanes; i++) {
      r.lane[i] = flush(canonical(f(as_float(flush(a[i])), as_float(flush(b[i])), as_float(flush(c[i])))));
    }
  } else {
    for (int i = 0; i < kLanes; i++) r.lane[i] = canonical(f(as_float(a[i]), as_float(b[i]), as_float(c[i])));
  }
}

// Any rounding: f of bit patterns.
template <typename F>
inline void by_lane(Mask mask, Row& r, F f) {
  for (int i = 0; i < kLanes; i++) r.lane[i] = mask >> i & 1 ? f(i) : 0;
}

inline void modify(const uint32_t* v, uint32_t clear, uint32_t flip, Row& r) {
  for (int i = 0; i < kLanes; i++) r.lane[i] = (v[i] & ~clear) ^ flip;
}

uint32_t sign_if(uint32_t flag) { return flag ? kSign : 0; }

void fadd(const Decoded& d, Lanes& l) {
  Row a, b, r;
  modify(source(l, d.ra), sign_if(d.get(field::FAdd_abs_a)), sign_if(d.get(field::FAdd_neg_a)), a);
  modify(l.b->lane, sign_if(d.get(field::FAdd_abs_b)), sign_if(d.get(field::FAdd_neg_b)), b);
  const FloatMode mode{static_cast<Rounding>(d.get(field::FAdd_rnd)), d.get(field::FAdd_ftz) != 0,
                       d.get(field::FAdd_sat) != 0};
  if (mode.rounding == Rounding::Rn) {
    nearest(a.lane, b.lane, b.lane, mode.ftz, r, [](float x, float y, float) { return x + y; });
    if (mode.sat) saturate_row(r);
  } else {
    by_lane(l.mask, r, [&](int i) { return f32_add(a.lane[i], b.lane[i], mode); });
  }
  write(l, d.rd, r);
}

void fmul(const Decoded& d, Lanes& l) {
  const uint32_t* b = l.b->lane;
  Row a, r;
  modify(source(l, d.ra), 0, sign_if(d.get(field::FMul_neg)), a);
  const FloatMode mode{static_cast<Rounding>(d.get(field::FMul_rnd)), d.get(field::FMul_ftz) != 0,
                       d.get(field::FMul_sat) != 0};
  if (mode.rounding == Rounding::Rn) {
    nearest(a.lane, b, b, mode.ftz, r, [](float x, float y, float) { return x * y; });
    if (mode.sat) saturate_row(r);
  } else {
    by_lane(l.mask, r, [&](int i) { return f32_mul(a.lane[i], b[i], mode); });
  }
  write(l, d.rd, r);
}

void ffma(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  const uint32_t* c = source(l, d.rc);
  const FloatMode mode{static_cast<Rounding>(d.get(field::FFma_rnd)), d.get(field::FFma_ftz) != 0,
                       d.get(field::FFma_sat) != 0};
  Row negated_a, negated_c, r;
  if (d.get(field::FFma_neg_p)) {
    modify(a, 0, kSign, negated_a);
    a = negated_a.lane;
  }
  if (d.get(field::FFma_neg_c)) {
    modify(c, 0, kSign, negated_c);
    c = negated_c.lane;
  }
  if (mode.rounding == Rounding::Rn) {
    nearest(a, b, c, mode.ftz, r, [](float x, float y, float z) { return fused(x, y, z); });
    if (mode.sat) saturate_row(r);
  } else {
    by_lane(l.mask, r, [&](int i) { return f32_fma(a[i], b[i], c[i], mode); });
  }
  write(l, d.rd, r);
}

void fmnmx(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  const bool max = d.get(field::FMinMax_max), ftz = d.get(field::FMinMax_ftz);
  const bool nan = d.get(field::FMinMax_nan), xorsign = d.get(field::FMinMax_xorsign_abs);
  Row r;
  by_lane(l.mask, r, [&](int i) { return f32_minmax(a[i], b[i], max, ftz, nan, xorsign); });
  write(l, d.rd, r);
}

template <typename F>
Mask compare_lanes(const Row& a, const Row& b, F f) {
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f(as_float(a.lane[i]), as_float(b.lane[i])) ? kAllLanes : 0;
  return gather(r);
}

void fsetp(const Decoded& d, Lanes& l) {
  Row a, b;
  modify(source(l, d.ra), sign_if(d.get(field::FSetp_abs_a)), sign_if(d.get(field::FSetp_neg_a)), a);
  modify(l.b->lane, sign_if(d.get(field::FSetp_abs_b)), sign_if(d.get(field::FSetp_neg_b)), b);
  if (d.get(field::FSetp_ftz)) {
    for (int i = 0; i < kLanes; i++) {
      a.lane[i] = flush(a.lane[i]);
      b.lane[i] = flush(b.lane[i]);
    }
  }
  const auto less = [](float x, float y) { return x < y; };
  const auto less_equal = [](float x, float y) { return x <= y; };
  const auto equal = [](float x, float y) { return x == y; };
  const auto unordered = [](float x, float y) { return !(x == x && y == y); };
  Mask m = 0;
  switch (static_cast<FCmp>(d.get(field::FSetp_cmp))) {
    case FCmp::Lt: m = compare_lanes(a, b, less); break;
    case FCmp::Le: m = compare_lanes(a, b, less_equal); break;
    case FCmp::Gt: m = compare_lanes(b, a, less); break;
    case FCmp::Ge: m = compare_lanes(b, a, less_equal); break;
    case FCmp::Eq: m = compare_lanes(a, b, equal); break;
    case FCmp::Ne: m = compare_lanes(a, b, less) | compare_lanes(b, a, less); break;
    case FCmp::Num: m = ~compare_lanes(a, b, unordered); break;
    case FCmp::Nan: m = compare_lanes(a, b, unordered); break;
    case FCmp::Ltu: m = ~compare_lanes(b, a, less_equal); break;
    case FCmp::Leu: m = ~compare_lanes(b, a, less); break;
    case FCmp::Gtu: m = ~compare_lanes(a, b, less_equal); break;
    case FCmp::Geu: m = ~compare_lanes(a, b, less); break;
    case FCmp::Equ: m = compare_lanes(a, b, equal) | compare_lanes(a, b, unordered); break;
    case FCmp::Neu: m = ~compare_lanes(a, b, equal); break;
  }
  write_compare(d, l, m, static_cast<isa::BoolOp>(d.get(field::FSetp_op)),
                predicate(l.predicates, d.get(field::FSetp_pc)));
}

}  // namespace

void add_f32(OpTable& table) {
  const auto set = [&table](isa::Opcode op, Execute f) { table[static_cast<uint8_t>(op)] = f; };
  set(isa::Opcode::Fadd, fadd);
  set(isa::Opcode::Fmul, fmul);
  set(isa::Opcode::Ffma, ffma);
  set(isa::Opcode::Fmnmx, fmnmx);
  set(isa::Opcode::Fsetp, fsetp);
}

}  // namespace heddle::model::HEDDLE_OPS
