// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic: add, multiply, compare, minimum, logic, select, moves.
#include "sim/model/lanes.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

void mov(const Decoded& d, Lanes& l) {
  unary(d, l, [](uint32_t b) { return b; });
}

// Carry in, one a lane, and the form of a negated operand: without carry in a negated operand is
// its two's complement; with it the one's complement, so that chains of IADD subtract wide numbers.
struct Carry {
  Mask in;
  uint32_t extra;  // added to every lane
};

Carry carry(const Decoded& d, const Lanes& l) {
  if (d.get(field::Add_use_cin)) return {predicate(l.predicates, d.get(field::Add_cin)), 0};
  return {0, d.get(field::Add_neg_a) + d.get(field::Add_neg_b)};
}

void iadd(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  const uint32_t flip_a = 0u - d.get(field::Add_neg_a);
  const uint32_t flip_b = 0u - d.get(field::Add_neg_b);
  const Carry c = carry(d, l);
  Row r;
  if (d.get(field::Add_sat)) {
    for (int i = 0; i < kLanes; i++) {
      const int64_t sum = int64_t{static_cast<int32_t>(a[i] ^ flip_a)} + static_cast<int32_t>(b[i] ^ flip_b) +
                          (c.in >> i & 1) + c.extra;
      const int64_t low = sum < INT32_MIN ? INT32_MIN : sum;
      r.lane[i] = static_cast<uint32_t>(low > INT32_MAX ? INT32_MAX : low);
    }
  } else {
    for (int i = 0; i < kLanes; i++) r.lane[i] = (a[i] ^ flip_a) + (b[i] ^ flip_b) + (c.in >> i & 1) + c.extra;
  }
  if (d.pd != isa::kPt) {
    Mask out = 0;
    for (int i = 0; i < kLanes; i++) {
      const uint64_t sum = uint64_t{a[i] ^ flip_a} + (b[i] ^ flip_b) + (c.in >> i & 1) + c.extra;
      out |= static_cast<Mask>(sum >> 32 & 1) << i;
    }
    write_predicate(l, d.pd, out);
  }
  write(l, d.rd, r);
}

void iadd64(const Decoded& d, Lanes& l) {
  Wide a, b, r;
  load_wide(l, d.ra, a);
  load_wide_b(d, l, b);
  const uint64_t flip_a = 0u - uint64_t{d.get(field::Add_neg_a)};
  const uint64_t flip_b = 0u - uint64_t{d.get(field::Add_neg_b)};
  const Carry c = carry(d, l);
  for (int i = 0; i < kLanes; i++) {
    r.lane[i] = (a.lane[i] ^ flip_a) + (b.lane[i] ^ flip_b) + (c.in >> i & 1) + c.extra;
  }
  if (d.pd != isa::kPt) {
    Mask out = 0;
    for (int i = 0; i < kLanes; i++) {
      const auto sum =
          static_cast<unsigned __int128>(a.lane[i] ^ flip_a) + (b.lane[i] ^ flip_b) + (c.in >> i & 1) + c.extra;
      out |= static_cast<Mask>(sum >> 64 & 1) << i;
    }
    write_predicate(l, d.pd, out);
  }
  write_wide(l, d.rd, r);
}

void imad(const Decoded& d, Lanes& l) {
  if (!d.get(field::Mul_hi)) {
    ternary(d, l, [](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; });
  } else if (d.get(field::Mul_sign)) {
    ternary(d, l, [](uint32_t a, uint32_t b, uint32_t c) {
      const int64_t product = int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b);
      return static_cast<uint32_t>(static_cast<uint64_t>(product) >> 32) + c;
    });
  } else {
    ternary(d, l, [](uint32_t a, uint32_t b, uint32_t c) { return static_cast<uint32_t>(uint64_t{a} * b >> 32) + c; });
  }
}

void imad_wide(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  Wide c;
  load_wide(l, d.rc, c);
  if (d.get(field::MulWide_sign)) {
    for (int i = 0; i < kLanes; i++) {
      c.lane[i] += static_cast<uint64_t>(int64_t{static_cast<int32_t>(a[i])} * static_cast<int32_t>(b[i]));
    }
  } else {
    for (int i = 0; i < kLanes; i++) c.lane[i] += uint64_t{a[i]} * b[i];
  }
  write_wide(l, d.rd, c);
}

template <typename F>
Mask compare_lanes(const uint32_t* a, const uint32_t* b, F f) {
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f(a[i], b[i]) ? kAllLanes : 0;
  return gather(r);
}

void isetp(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  const bool sign = d.get(field::ISetp_sign);
  const uint32_t flip = sign ? 0x80000000u : 0;  // signed order is unsigned order of these
  const auto less = [flip](uint32_t x, uint32_t y) { return (x ^ flip) < (y ^ flip); };
  Mask m = 0;
  switch (static_cast<isa::ICmp>(d.get(field::ISetp_cmp))) {
    case isa::ICmp::Lt: m = compare_lanes(a, b, less); break;
    case isa::ICmp::Le: m = ~compare_lanes(b, a, less); break;
    case isa::ICmp::Gt: m = compare_lanes(b, a, less); break;
    case isa::ICmp::Ge: m = ~compare_lanes(a, b, less); break;
    case isa::ICmp::Eq: m = compare_lanes(a, b, [](uint32_t x, uint32_t y) { return x == y; }); break;
    case isa::ICmp::Ne: m = compare_lanes(a, b, [](uint32_t x, uint32_t y) { return x != y; }); break;
    case isa::ICmp::Any: m = compare_lanes(a, b, [](uint32_t x, uint32_t y) { return (x & y) != 0; }); break;
    case isa::ICmp::None: m = compare_lanes(a, b, [](uint32_t x, uint32_t y) { return (x & y) == 0; }); break;
  }
  write_compare(d, l, m, static_cast<isa::BoolOp>(d.get(field::ISetp_op)),
                predicate(l.predicates, d.get(field::ISetp_pc)));
}

void isetp64(const Decoded& d, Lanes& l) {
  Wide a, b;
  load_wide(l, d.ra, a);
  load_wide_b(d, l, b);
  const uint64_t flip = d.get(field::ISetp_sign) ? uint64_t{1} << 63 : 0;
  Mask less = 0, equal = 0, any = 0;
  for (int i = 0; i < kLanes; i++) {
    less |= static_cast<Mask>((a.lane[i] ^ flip) < (b.lane[i] ^ flip)) << i;
    equal |= static_cast<Mask>(a.lane[i] == b.lane[i]) << i;
    any |= static_cast<Mask>((a.lane[i] & b.lane[i]) != 0) << i;
  }
  Mask m = 0;
  switch (static_cast<isa::ICmp>(d.get(field::ISetp_cmp))) {
    case isa::ICmp::Lt: m = less; break;
    case isa::ICmp::Le: m = less | equal; break;
    case isa::ICmp::Gt: m = ~(less | equal); break;
    case isa::ICmp::Ge: m = ~less; break;
    case isa::ICmp::Eq: m = equal; break;
    case isa::ICmp::Ne: m = ~equal; break;
    case isa::ICmp::Any: m = any; break;
    case isa::ICmp::None: m = ~any; break;
  }
  write_compare(d, l, m, static_cast<isa::BoolOp>(d.get(field::ISetp_op)),
                predicate(l.predicates, d.get(field::ISetp_pc)));
}

void imnmx(const Decoded& d, Lanes& l) {
  const uint32_t flip = d.get(field::IMinMax_sign) ? 0x80000000u : 0;
  if (d.get(field::IMinMax_max)) {
    binary(d, l, [flip](uint32_t a, uint32_t b) { return (a ^ flip) > (b ^ flip) ? a : b; });
  } else {
    binary(d, l, [flip](uint32_t a, uint32_t b) { return (a ^ flip) < (b ^ flip) ? a : b; });
  }
}

void imnmx64(const Decoded& d, Lanes& l) {
  Wide a, b, r;
  load_wide(l, d.ra, a);
  load_wide_b(d, l, b);
  const uint64_t flip = d.get(field::IMinMax_sign) ? uint64_t{1} << 63 : 0;
  const bool max = d.get(field::IMinMax_max);
  for (int i = 0; i < kLanes; i++) {
    const bool less = (a.lane[i] ^ flip) < (b.lane[i] ^ flip);
    r.lane[i] = less != max ? a.lane[i] : b.lane[i];
  }
  write_wide(l, d.rd, r);
}

void iabs(const Decoded& d, Lanes& l) {
  unary(d, l, [](uint32_t b) { return b >> 31 ? 0 - b : b; });
}

void lop(const Decoded& d, Lanes& l) {
  switch (static_cast<isa::LogicOp>(d.get(field::Logic_op))) {
    case isa::LogicOp::And: return binary(d, l, [](uint32_t a, uint32_t b) { return a & b; });
    case isa::LogicOp::Or: return binary(d, l, [](uint32_t a, uint32_t b) { return a | b; });
    case isa::LogicOp::Xor: return binary(d, l, [](uint32_t a, uint32_t b) { return a ^ b; });
    case isa::LogicOp::Andn: return binary(d, l, [](uint32_t a, uint32_t b) { return a & ~b; });
  }
}

void lop3(const Decoded& d, Lanes& l) {
  // The sum of the minterms that the table names, as masks so that lanes stay together.
  uint32_t term[8];
  for (int i = 0; i < 8; i++) term[i] = 0u - (d.get(field::Lut_lut) >> i & 1);
  ternary(d, l, [&term](uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t high = (b & ((c & term[7]) | (~c & term[6]))) | (~b & ((c & term[5]) | (~c & term[4])));
    const uint32_t low = (b & ((c & term[3]) | (~c & term[2]))) | (~b & ((c & term[1]) | (~c & term[0])));
    return (a & high) | (~a & low);
  });
}

void plop(const Decoded& d, Lanes& l) {
  const Mask r =
      combine(static_cast<isa::BoolOp>(d.get(field::PLogic_op)), predicate(l.predicates, d.get(field::PLogic_pa)),
              predicate(l.predicates, d.get(field::PLogic_pb)));
  write_predicate(l, d.pq, ~r);
  write_predicate(l, d.pd, r);
}

void sel(const Decoded& d, Lanes& l) {
  const Mask p = predicate(l.predicates, d.get(field::Select_p));
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = p >> i & 1 ? a[i] : b[i];
  write(l, d.rd, r);
}

}  // namespace

void add_int(OpTable& table) {
  const auto set = [&table](isa::Opcode op, Execute f) { table[static_cast<uint8_t>(op)] = f; };
  set(isa::Opcode::Mov, mov);
  set(isa::Opcode::Iadd, iadd);
  set(isa::Opcode::Iadd64, iadd64);
  set(isa::Opcode::Imad, imad);
  set(isa::Opcode::ImadWide, imad_wide);
  set(isa::Opcode::Isetp, isetp);
  set(isa::Opcode::Isetp64, isetp64);
  set(isa::Opcode::Imnmx, imnmx);
  set(isa::Opcode::Imnmx64, imnmx64);
  set(isa::Opcode::Iabs, iabs);
  set(isa::Opcode::Lop, lop);
  set(isa::Opcode::Lop3, lop3);
  set(isa::Opcode::Plop, plop);
  set(isa::Opcode::Sel, sel);
}

}  // namespace heddle::model::HEDDLE_OPS
