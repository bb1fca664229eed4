// SPDX-License-Identifier: Apache-2.0
// f64 arithmetic and what turns integers into f64 and back. Sums, products and fused products are the host's own, under
// the instruction's rounding; conversions go through float.h. A NaN operand comes out as it is, but quiet: b's before
// c's before a's, signs not yet changed. NaN that arithmetic makes is the host's, 0xfff8000000000000.
#include <cfenv>
#include <cmath>

#include "sim/model/float.h"
#include "sim/model/lanes.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

inline double as_double(uint64_t v) { return std::bit_cast<double>(v); }
inline uint64_t as_bits(double v) { return std::bit_cast<uint64_t>(v); }

// The host rounds so while in scope. What is computed meanwhile must not move out: keep() is a wall to the compiler.
class HostRounding {
 public:
  explicit HostRounding(Rounding r) : changed_(r != Rounding::Rn) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (changed_) std::fesetround(kModes[static_cast<int>(r)]);
  }
  ~HostRounding() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  bool changed_;
};

template <typename T>
inline void keep(T& rows) {
  __asm__ volatile("" : : "r"(&rows) : "memory");
}

inline double fused(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

// What a sign field does to an operand: clears and flips its sign.
struct Sign {
  uint64_t clear, flip;
  uint64_t operator()(uint64_t v) const { return (v & ~clear) ^ flip; }
};
Sign sign(uint32_t abs, uint32_t neg) { return {abs ? kSign : 0, neg ? kSign : 0}; }

struct Operands {
  Wide a, b, c;
};

// f of the operands with their signs changed, rounded; rows a, b (and c where has_c) are loaded.
template <typename F>
inline Wide computed(const Operands& o, Sign sa, Sign sb, Sign sc, bool has_c, Rounding rounding, F f) {
  Operands s;
  Wide r;
  for (int i = 0; i < kLanes; i++) s.a.lane[i] = sa(o.a.lane[i]);
  for (int i = 0; i < kLanes; i++) s.b.lane[i] = sb(o.b.lane[i]);
  if (has_c) {
    for (int i = 0; i < kLanes; i++) s.c.lane[i] = sc(o.c.lane[i]);
  }
  {
    const HostRounding host(rounding);
    keep(s);
    const uint64_t* c = has_c ? s.c.lane : s.b.lane;
    for (int i = 0; i < kLanes; i++)
      r.lane[i] = as_bits(f(as_double(s.a.lane[i]), as_double(s.b.lane[i]), as_double(c[i])));
    keep(r);
  }
  bool nan = false;
  for (int i = 0; i < kLanes; i++) nan |= is_nan64(r.lane[i]);
  if (nan) {
    for (int i = 0; i < kLanes; i++) {
      if (is_nan64(o.a.lane[i])) r.lane[i] = o.a.lane[i] | kQuiet64;
      if (has_c && is_nan64(o.c.lane[i])) r.lane[i] = o.c.lane[i] | kQuiet64;
      if (is_nan64(o.b.lane[i])) r.lane[i] = o.b.lane[i] | kQuiet64;
      else if (is_nan64(r.lane[i]) && !is_nan64(o.a.lane[i]) && !(has_c && is_nan64(o.c.lane[i]))) r.lane[i] = kNan64;
    }
  }
  return r;
}

void load(const Decoded& d, const Lanes& l, Operands& o) {
  load_wide(l, d.ra, o.a);
  load_wide_b(d, l, o.b);
}

void dadd(const Decoded& d, Lanes& l) {
  Operands o;
  load(d, l, o);
  const Wide r =
      computed(o, sign(d.get(field::DAdd_abs_a), d.get(field::DAdd_neg_a)),
               sign(d.get(field::DAdd_abs_b), d.get(field::DAdd_neg_b)), {}, false,
               static_cast<Rounding>(d.get(field::DAdd_rnd)), [](double a, double b, double) { return a + b; });
  write_wide(l, d.rd, r);
}

void dmul(const Decoded& d, Lanes& l) {
  Operands o;
  load(d, l, o);
  const Wide r =
      computed(o, sign(0, d.get(field::DMul_neg)), {}, {}, false, static_cast<Rounding>(d.get(field::DMul_rnd)),
               [](double a, double b, double) { return a * b; });
  write_wide(l, d.rd, r);
}

void dfma(const Decoded& d, Lanes& l) {
  Operands o;
  load(d, l, o);
  load_wide(l, d.rc, o.c);
  const Wide r = computed(o, sign(0, d.get(field::DFma_neg_p)), {}, sign(0, d.get(field::DFma_neg_c)), true,
                          static_cast<Rounding>(d.get(field::DFma_rnd)), fused);
  write_wide(l, d.rd, r);
}

// Of g = lane / 4 and q = lane % 4: a lane has A's element q of row g, B's element q of column g, and of row g the
// results of columns 2 q and 2 q + 1. All lanes' registers are read.
void dmma(const Decoded& d, Lanes& l) {
  const auto second = [](uint8_t r) { return r == isa::kRz ? r : static_cast<uint8_t>(r + 2); };
  Wide a, b, sum[2];
  load_wide(l, d.ra, a);
  load_wide(l, d.rb, b);
  load_wide(l, d.rc, sum[0]);
  load_wide(l, second(d.rc), sum[1]);
  for (int k = 0; k < 4; k++) {
    for (int e = 0; e < 2; e++) {
      Operands o;
      for (int i = 0; i < kLanes; i++) {
        const int column = 2 * (i % 4) + e;
        o.a.lane[i] = a.lane[i - i % 4 + k];
        o.b.lane[i] = b.lane[4 * column + k];
      }
      o.c = sum[e];
      sum[e] = computed(o, {}, {}, {}, true, Rounding::Rn, fused);
    }
  }
  write_wide(l, d.rd, sum[0]);
  write_wide(l, second(d.rd), sum[1]);
}

void dmnmx(const Decoded& d, Lanes& l) {
  Operands o;
  load(d, l, o);
  Wide r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f64_minmax(o.a.lane[i], o.b.lane[i], d.get(field::DMinMax_max) != 0);
  write_wide(l, d.rd, r);
}

void dsetp(const Decoded& d, Lanes& l) {
  Operands o;
  load(d, l, o);
  const Sign sa = sign(d.get(field::DSetp_abs_a), d.get(field::DSetp_neg_a));
  const Sign sb = sign(d.get(field::DSetp_abs_b), d.get(field::DSetp_neg_b));
  const auto compare = static_cast<FCmp>(d.get(field::DSetp_cmp));
  Mask m = 0;
  for (int i = 0; i < kLanes; i++) m |= static_cast<Mask>(f64_compare(sa(o.a.lane[i]), sb(o.b.lane[i]), compare)) << i;
  write_compare(d, l, m, static_cast<isa::BoolOp>(d.get(field::DSetp_op)),
                predicate(l.predicates, d.get(field::DSetp_pc)));
}

void i2d(const Decoded& d, Lanes& l) {
  const bool is_signed = d.get(field::I2F_sign);  // exact: no rounding
  Wide r;
  for (int i = 0; i < kLanes; i++) {
    const uint32_t b = l.b->lane[i];
    r.lane[i] = as_bits(is_signed ? static_cast<double>(static_cast<int32_t>(b)) : static_cast<double>(b));
  }
  write_wide(l, d.rd, r);
}

void i642d(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::I2F_rnd));
  const bool is_signed = d.get(field::I2F_sign);
  Wide b, r;
  load_wide_b(d, l, b);
  for (int i = 0; i < kLanes; i++) {
    const bool negative = is_signed && b.lane[i] >> 63;
    r.lane[i] = f64_from_int(negative, negative ? 0 - b.lane[i] : b.lane[i], rounding);
  }
  write_wide(l, d.rd, r);
}

void d2i(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::D2I_rnd));
  const bool is_signed = d.get(field::D2I_sign);
  const uint32_t width = d.get(field::D2I_width);
  const int bits = width == 0 ? 32 : width == 1 ? 16 : 8;
  Wide b;
  load_wide_b(d, l, b);
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = static_cast<uint32_t>(f64_to_int(b.lane[i], bits, is_signed, rounding));
  write(l, d.rd, r);
}

void d2i64(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::D2I_rnd));
  Wide b, r;
  load_wide_b(d, l, b);
  for (int i = 0; i < kLanes; i++) r.lane[i] = f64_to_int(b.lane[i], 64, d.get(field::D2I_sign) != 0, rounding);
  write_wide(l, d.rd, r);
}

void drnd(const Decoded& d, Lanes& l) {
  const auto rounding = static_cast<Rounding>(d.get(field::DRnd_rnd));
  const bool integral = d.get(field::DRnd_integral), sat = d.get(field::DRnd_sat);
  Wide b, r;
  load_wide_b(d, l, b);
  for (int i = 0; i < kLanes; i++) {
    r.lane[i] = integral ? f64_round_integral(b.lane[i], rounding) : f64_quiet(b.lane[i]);
    if (sat) r.lane[i] = f64_saturate(r.lane[i]);
  }
  write_wide(l, d.rd, r);
}

}  // namespace

void add_f64(OpTable& table) {
  const auto set = [&table](isa::Opcode op, Execute f) { table[static_cast<uint8_t>(op)] = f; };
  set(isa::Opcode::Dadd, dadd);
  set(isa::Opcode::Dmul, dmul);
  set(isa::Opcode::Dfma, dfma);
  set(isa::Opcode::Dmma, dmma);
  set(isa::Opcode::Dmnmx, dmnmx);
  set(isa::Opcode::Dsetp, dsetp);
  set(isa::Opcode::I2d, i2d);
  set(isa::Opcode::I642d, i642d);
  set(isa::Opcode::D2i, d2i);
  set(isa::Opcode::D2i64, d2i64);
  set(isa::Opcode::Drnd, drnd);
}

}  // namespace heddle::model::HEDDLE_OPS
