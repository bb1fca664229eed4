// SPDX-License-Identifier: Apache-2.0
// Compiled with -frounding-math.
#include <bit>
#include <cmath>
#include <initializer_list>

#include "tests/unit/rtl/execute/float_reference.h"

namespace heddle::test {
namespace {

using isa::Opcode;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kSign = u64{1} << 63, kQuiet = u64{1} << 51;

double value(u64 bits) { return std::bit_cast<double>(bits); }
bool is_nan(u64 bits) { return std::isnan(value(bits)); }

// noinline: the rounding mode must be set around the operation itself.
[[gnu::noinline]] double host_fma(double a, double b, double c) { return std::fma(a, b, c); }
[[gnu::noinline]] double host_add(double a, double b) { return a + b; }
[[gnu::noinline]] double host_mul(double a, double b) { return a * b; }
[[gnu::noinline]] double host_round(double v) { return std::nearbyint(v); }
[[gnu::noinline]] double host_narrow(long double v) { return static_cast<double>(v); }

u64 modify(u64 v, u32 abs, u32 neg) {
  if (abs) v &= ~kSign;
  return neg ? v ^ kSign : v;
}

// The first NaN of the operands as they came, in the order given, made quiet; or the result.
u64 finish(double result, std::initializer_list<u64> operands) {
  for (const u64 v : operands) {
    if (is_nan(v)) return v | kQuiet;
  }
  return std::isnan(result) ? kSign | u64{0x7ff8} << 48 : std::bit_cast<u64>(result);
}

LaneResult compare(const Request& r, unsigned lane) {
  const double a = value(modify(r.wide_a(lane), r.get("abs_a"), r.get("neg_a")));
  const double b = value(modify(r.wide_b(lane), r.get("abs_b"), r.get("neg_b")));
  return comparison(r, lane, a, b);
}

u64 min_max(u64 a, u64 b, bool max) {
  if (is_nan(a)) return is_nan(b) ? b | kQuiet : b;
  if (is_nan(b)) return a;
  const double x = value(a), y = value(b);
  const bool a_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return a_less != max ? a : b;
}

u64 from_int(const Request& r, unsigned lane, bool wide) {
  const u64 bits = wide ? r.wide_b(lane) : r.b[lane];
  long double exact = 0;
  if (r.get("sign")) {
    exact = wide ? static_cast<long double>(static_cast<std::int64_t>(bits))
                 : static_cast<long double>(static_cast<std::int32_t>(bits));
  } else {
    exact = static_cast<long double>(bits);
  }
  HostRounding rounding(r.get("rnd"));
  return std::bit_cast<u64>(host_narrow(exact));
}

u64 to_int(const Request& r, unsigned lane, bool wide) {
  const u64 b = r.wide_b(lane);
  const bool sign = r.get("sign") != 0;
  const int bits = wide ? 64 : 32 >> r.get("width");
  u64 result = 0;
  if (is_nan(b)) {
    result = u64{1} << (bits - 1);
    if (sign) result = ~result + 1;
    return wide ? result : static_cast<u32>(result);
  }
  double rounded = 0;
  {
    HostRounding rounding(r.get("rnd"));
    rounded = host_round(value(b));
  }
  const long double v = rounded;  // exact, infinities too
  const long double high = std::ldexp(1.0L, sign ? bits - 1 : bits) - 1;
  const long double low = sign ? -std::ldexp(1.0L, bits - 1) : 0;
  if (v >= high) result = static_cast<u64>(high);
  else if (v <= low) result = sign ? static_cast<u64>(static_cast<std::int64_t>(low)) : 0;
  else result = v < 0 ? static_cast<u64>(static_cast<std::int64_t>(v)) : static_cast<u64>(v);
  return wide ? result : static_cast<u32>(result);
}

u64 integral(const Request& r, u64 b) {
  u64 result = b;
  if (is_nan(b)) {
    result |= kQuiet;
  } else if (r.get("integral")) {
    HostRounding rounding(r.get("rnd"));
    result = std::bit_cast<u64>(host_round(value(b)));
  }
  if (!r.get("sat")) return result;
  return is_nan(result) || (result & kSign) ? 0 : value(result) > 1.0 ? std::bit_cast<u64>(1.0) : result;
}

LaneResult run_fp64(const Request& r, unsigned lane) {
  const u64 a = r.wide_a(lane), b = r.wide_b(lane), c = r.wide_c(lane);
  switch (static_cast<Opcode>(r.op)) {
    case Opcode::Dadd: {
      const double x = value(modify(a, r.get("abs_a"), r.get("neg_a")));
      const double y = value(modify(b, r.get("abs_b"), r.get("neg_b")));
      HostRounding rounding(r.get("rnd"));
      return {finish(host_add(x, y), {b, a})};
    }
    case Opcode::Dmul: {
      HostRounding rounding(r.get("rnd"));
      return {finish(host_mul(value(modify(a, 0, r.get("neg"))), value(b)), {b, a})};
    }
    case Opcode::Dfma: {
      const double x = value(modify(a, 0, r.get("neg_p"))), z = value(modify(c, 0, r.get("neg_c")));
      HostRounding rounding(r.get("rnd"));
      return {finish(host_fma(x, value(b), z), {b, c, a})};
    }
    case Opcode::Dmnmx: return {min_max(a, b, r.get("max") != 0)};
    case Opcode::Dsetp: return compare(r, lane);
    case Opcode::I2d: return {from_int(r, lane, false)};
    case Opcode::I642d: return {from_int(r, lane, true)};
    case Opcode::D2i: return {to_int(r, lane, false)};
    case Opcode::D2i64: return {to_int(r, lane, true)};
    case Opcode::Drnd: return {integral(r, b)};
    default: ADD_FAILURE() << "no reference for " << isa::info(r.op)->mnemonic; return {};
  }
}

}  // namespace

Reference fp64_reference(const Request& request) {
  Reference reference;
  reference.p_we = static_cast<Opcode>(request.op) == Opcode::Dsetp;
  reference.we = !reference.p_we;
  reference.wide = isa::info(request.op)->dst == isa::Operand::R64;
  reference.lane = run_fp64;
  return reference;
}

}  // namespace heddle::test
