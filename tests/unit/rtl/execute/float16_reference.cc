// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and 8-bit formats by their values: a result is found by looking for the exact value among all numbers of
// the format. Exact is a sum of two doubles: the products are, and what a sum loses is the second.
#include <cmath>
#include <vector>

#include "tests/unit/rtl/execute/float_reference.h"

namespace heddle::test {
namespace {

using isa::FloatFormat;

struct Layout {
  int exponent_bits, fraction_bits;
  bool has_infinity = true;
  const std::vector<double>* magnitudes = nullptr;

  unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
  unsigned sign() const { return 1u << (bits() - 1); }
  unsigned infinity() const { return has_infinity ? ((1u << exponent_bits) - 1) << fraction_bits : sign() - 1; }
  // Of a code without sign; of infinity's the number that would be next.
  double magnitude(unsigned code) const { return (*magnitudes)[code]; }
  double computed(unsigned code) const {
    const int field = static_cast<int>(code >> fraction_bits), bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned fraction = code & ((1u << fraction_bits) - 1);
    return field == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                      : std::ldexp(fraction + (1u << fraction_bits), field - bias - fraction_bits);
  }
  double value(unsigned code) const {
    const unsigned m = code & (sign() - 1);
    const double v = m == infinity() && has_infinity ? INFINITY : m >= infinity() ? NAN : magnitude(m);
    return code & sign() ? -v : v;
  }
};

// With the values of all numbers; f32 has too many and needs none.
Layout make_layout(int exponent_bits, int fraction_bits, bool has_infinity = true) {
  Layout f{exponent_bits, fraction_bits, has_infinity};
  auto* values = new std::vector<double>;
  for (unsigned code = 0; f.bits() <= 16 && code <= f.infinity(); code++) values->push_back(f.computed(code));
  f.magnitudes = values;
  return f;
}

const Layout& layout(FloatFormat format) {
  static const Layout kLayouts[] = {make_layout(8, 23), make_layout(5, 10), make_layout(8, 7), make_layout(4, 3, false),
                                    make_layout(5, 2)};
  return kLayouts[static_cast<int>(format)];
}

struct Modifiers {
  unsigned rounding = 0;
  bool ftz = false, sat = false, relu = false, finite = false;
};

// Which number of the format hi + lo becomes; lo is what hi, a rounded sum, lost.
unsigned narrowed(const Layout& f, double hi, double lo, const Modifiers& m) {
  const bool negative = std::signbit(hi);
  unsigned code;
  if (std::isnan(hi)) {
    if (m.sat) return 0;
    return f.sign() - 1;
  }
  if (negative) hi = -hi, lo = -lo;
  if (std::isinf(hi)) {
    code = m.finite || !f.has_infinity ? f.infinity() - 1 : f.infinity();
  } else {
    // hi + lo against a double: hi decides unless they are equal.
    const auto below = [&](double v) { return hi < v || (hi == v && lo < 0); };
    unsigned low = 0, high = f.infinity();  // the value is at least low's
    if (!below(f.magnitude(high))) low = high;
    while (high - low > 1 && low != f.infinity()) {
      const unsigned middle = (low + high) / 2;
      if (below(f.magnitude(middle))) high = middle;
      else low = middle;
    }
    code = low;
    const bool exact = hi == f.magnitude(low) && lo == 0;
    if (low == f.infinity()) {
      const bool stays = m.rounding == 1 || m.rounding == (negative ? 3u : 2u);
      if (stays) code--;
    } else if (!exact) {
      const double half = (f.magnitude(low) + f.magnitude(low + 1)) / 2;
      const bool tie = hi == half && lo == 0, above = !tie && !below(half);
      if (m.rounding == 0) code += above || (tie && low % 2 == 1);
      else code += m.rounding == (negative ? 2u : 3u);
    }
    if (code >= f.infinity() && (m.finite || !f.has_infinity)) code = f.infinity() - 1;
  }
  if (m.ftz && code >> f.fraction_bits == 0) code = 0;
  const double one = 1;
  if ((m.sat || m.relu) && negative) return 0;
  while (m.sat && f.magnitude(code) > one) code -= f.magnitude(code) > 2 * one ? 1u << f.fraction_bits : 1;
  return code | (negative ? f.sign() : 0);
}

double operand(const Layout& f, unsigned code, bool ftz) {
  if (ftz && (code & (f.sign() - 1)) >> f.fraction_bits == 0) code &= f.sign();
  return f.value(code);
}

unsigned fused(const Layout& f, double a, double b, double c, const Modifiers& m) {
  const double product = a * b, sum = product + c, back = sum - product;
  const double lost = std::isfinite(sum) ? (product - (sum - back)) + (c - back) : 0;
  return narrowed(f, sum, lost, m);
}

unsigned half_of(std::uint32_t x, int half) { return x >> (16 * half) & 0xffff; }

unsigned half_result(const Request& r, unsigned lane, int half) {
  const auto op = static_cast<isa::Opcode>(r.op);
  const Layout& f = layout(r.get("bf16") ? FloatFormat::Bf16 : FloatFormat::F16);
  Modifiers m;
  m.ftz = r.get("ftz");
  const double a = operand(f, half_of(r.a[lane], half), m.ftz), b = operand(f, half_of(r.b[lane], half), m.ftz);
  if (op == isa::Opcode::Hmnmx2) {
    const bool max = r.get("max"), flips = r.get("xorsign_abs");
    const double x = flips ? std::fabs(a) : a, y = flips ? std::fabs(b) : b;
    double v;
    if (std::isnan(x) || std::isnan(y))
      v = r.get("nan") || (std::isnan(x) && std::isnan(y)) ? NAN : std::isnan(x) ? y : x;
    else if (x == y) v = std::signbit(x) != max ? x : y;
    else v = (x < y) != max ? x : y;
    if (flips && !std::isnan(v)) v = std::copysign(v, std::signbit(a) != std::signbit(b) ? -1.0 : 1.0);
    return narrowed(f, v, 0, {});
  }
  m.sat = r.get("sat");
  if (op == isa::Opcode::Hadd2) {
    double x = r.get("abs_a") ? std::fabs(a) : a;
    if (r.get("neg_a")) x = -x;
    return fused(f, x, 1, r.get("neg_b") ? -b : b, m);
  }
  m.relu = r.get("relu");
  if (op == isa::Opcode::Hmul2) return narrowed(f, a * b, 0, m);
  return fused(f, a, b, operand(f, half_of(r.c[lane], half), m.ftz), m);
}

LaneResult run_fp16(const Request& r, unsigned lane) {
  LaneResult result;
  if (static_cast<isa::Opcode>(r.op) != isa::Opcode::Hsetp2) {
    result.d = half_result(r, lane, 0) | half_result(r, lane, 1) << 16;
    return result;
  }
  const Layout& f = layout(r.get("bf16") ? FloatFormat::Bf16 : FloatFormat::F16);
  const bool with = r.p >> lane & 1;
  const auto compare = [&](int half) {
    return holds(r.get("cmp"), operand(f, half_of(r.a[lane], half), r.get("ftz")),
                 operand(f, half_of(r.b[lane], half), r.get("ftz")));
  };
  result.p = combined(r.get("op"), compare(0), with);
  result.q = combined(r.get("op"), r.get("both") ? compare(1) : !compare(0), with);
  return result;
}

}  // namespace

Reference fp16_reference(const Request& request) {
  Reference reference;
  reference.p_we = static_cast<isa::Opcode>(request.op) == isa::Opcode::Hsetp2;
  reference.we = !reference.p_we;
  reference.lane = run_fp16;
  return reference;
}

LaneResult f2f_reference(const Request& r, unsigned lane) {
  const auto to = static_cast<FloatFormat>(r.get("to"));
  const bool both = r.get("both") && to != FloatFormat::F32;
  const FloatFormat from = both ? FloatFormat::F32 : static_cast<FloatFormat>(r.get("from"));
  const auto width = [](FloatFormat x) { return layout(x).bits(); };
  const auto part = [&](FloatFormat x, std::uint32_t v, bool high) {
    return width(x) == 32 ? v : v >> (high ? width(x) : 0) & ((1u << width(x)) - 1);
  };
  const std::uint32_t x = part(from, r.b[lane], r.get("high"));
  // The value as f32 has it; the numbers of all formats are f32's.
  const auto value = [&](std::uint32_t bits) {
    return from == FloatFormat::F32 ? double{std::bit_cast<float>(bits)} : operand(layout(from), bits, r.get("ftz"));
  };
  LaneResult result;
  if (to == FloatFormat::F32) {
    const double v = value(x);
    std::uint32_t bits = from == FloatFormat::F32 ? x : std::bit_cast<std::uint32_t>(static_cast<float>(v));
    if (from != FloatFormat::F32 && std::isnan(v)) {
      bits = 0x7fffffff;
      if (r.get("keep") && from == FloatFormat::F16) bits = (x >> 15) << 31 | 0x7f800000 | (x & 0x3ff) << 13;
      if (r.get("keep") && from == FloatFormat::Bf16) bits = x << 16;
    }
    result.d = bits;
    return result;
  }
  Modifiers m;
  m.rounding = r.get("rnd");
  m.ftz = r.get("ftz"), m.sat = r.get("sat"), m.relu = r.get("relu"), m.finite = r.get("finite");
  const auto code = [&](std::uint32_t bits) {
    const double v = value(bits);
    if (!std::isnan(v) || !r.get("keep") || width(to) != 16) return narrowed(layout(to), v, 0, m);
    // From 8 bits a NaN has neither sign nor payload.
    const std::uint32_t nan = from == FloatFormat::F32    ? bits
                              : from == FloatFormat::F16  ? (bits >> 15) << 31 | (bits & 0x3ff) << 13
                              : from == FloatFormat::Bf16 ? bits << 16
                                                          : 0x7fffff;
    if (m.sat) return 0u;
    return (nan >> 31) << 15 | (to == FloatFormat::F16 ? 0x7e00 | (nan >> 13 & 0x3ff) : 0x7fc0 | (nan >> 16 & 0x7f));
  };
  result.d = code(x);
  if (both) result.d |= std::uint64_t{code(r.a[lane])} << width(to);
  else if (r.get("pack")) result.d |= std::uint64_t{part(to, r.a[lane], false)} << width(to);
  return result;
}

}  // namespace heddle::test
