// SPDX-License-Identifier: Apache-2.0
// Compiled with -frounding-math.
#include "tests/unit/rtl/execute/float_reference.h"

#include <bit>
#include <cmath>

namespace heddle::test {
namespace {

using isa::Opcode;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kNan = 0x7fffffff, kSign = 0x80000000;

float value(u32 bits) { return std::bit_cast<float>(bits); }
bool is_nan(u32 bits) { return std::isnan(value(bits)); }
u32 flush(u32 v) { return std::fpclassify(value(v)) == FP_SUBNORMAL ? v & kSign : v; }
u32 flush_if(u32 ftz, u32 v) { return ftz ? flush(v) : v; }

// noinline: the rounding mode must be set around the operation itself.
[[gnu::noinline]] float host_fma(float a, float b, float c) { return std::fmaf(a, b, c); }
[[gnu::noinline]] float host_add(float a, float b) { return a + b; }
[[gnu::noinline]] float host_mul(float a, float b) { return a * b; }
[[gnu::noinline]] float host_narrow(double v) { return static_cast<float>(v); }
[[gnu::noinline]] float host_round(float v) { return std::nearbyintf(v); }

u32 finish(float result, u32 ftz, u32 sat) {
  u32 bits = std::isnan(result) ? kNan : std::bit_cast<u32>(result);
  bits = flush_if(ftz, bits);
  if (sat) {
    const float v = value(bits);
    bits = std::isnan(v) || std::signbit(v) ? 0 : v > 1.0f ? 0x3f800000 : bits;
  }
  return bits;
}

u32 modify(u32 v, u32 abs, u32 neg) {
  if (abs) v &= ~kSign;
  return neg ? v ^ kSign : v;
}

LaneResult fp32_compare(const Request& r, unsigned lane) {
  const u32 ftz = r.get("ftz");
  const float a = value(flush_if(ftz, modify(r.a[lane], r.get("abs_a"), r.get("neg_a"))));
  const float b = value(flush_if(ftz, modify(r.b[lane], r.get("abs_b"), r.get("neg_b"))));
  return comparison(r, lane, a, b);
}

u32 min_max(const Request& r, unsigned lane) {
  u32 a = flush_if(r.get("ftz"), r.a[lane]), b = flush_if(r.get("ftz"), r.b[lane]);
  const u32 sign = (a ^ b) & kSign;
  const bool xorsign = r.get("xorsign_abs") != 0;
  if (xorsign) {
    a &= ~kSign;
    b &= ~kSign;
  }
  u32 result = 0;
  if (is_nan(a) && is_nan(b)) return kNan;
  if (is_nan(a) || is_nan(b)) {
    if (r.get("nan")) return kNan;
    result = is_nan(a) ? b : a;
  } else {
    const float x = value(a), y = value(b);
    const bool a_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
    result = a_less != (r.get("max") != 0) ? a : b;
  }
  return xorsign ? (result & ~kSign) | sign : result;
}

LaneResult run_fp32(const Request& r, unsigned lane) {
  const u32 a = r.a[lane], b = r.b[lane], c = r.c[lane];
  switch (static_cast<Opcode>(r.op)) {
    case Opcode::Fadd: {
      const u32 ftz = r.get("ftz");
      const float x = value(flush_if(ftz, modify(a, r.get("abs_a"), r.get("neg_a"))));
      const float y = value(flush_if(ftz, modify(b, r.get("abs_b"), r.get("neg_b"))));
      HostRounding rounding(r.get("rnd"));
      return {finish(host_add(x, y), ftz, r.get("sat"))};
    }
    case Opcode::Fmul: {
      const u32 ftz = r.get("ftz");
      const float x = value(flush_if(ftz, modify(a, 0, r.get("neg")))), y = value(flush_if(ftz, b));
      HostRounding rounding(r.get("rnd"));
      return {finish(host_mul(x, y), ftz, r.get("sat"))};
    }
    case Opcode::Ffma: {
      const u32 ftz = r.get("ftz");
      const float x = value(flush_if(ftz, modify(a, 0, r.get("neg_p")))), y = value(flush_if(ftz, b));
      const float z = value(flush_if(ftz, modify(c, 0, r.get("neg_c"))));
      HostRounding rounding(r.get("rnd"));
      return {finish(host_fma(x, y, z), ftz, r.get("sat"))};
    }
    case Opcode::Fmnmx: return {min_max(r, lane)};
    case Opcode::Fsetp: return fp32_compare(r, lane);
    default: ADD_FAILURE() << "no reference for " << isa::info(r.op)->mnemonic; return {};
  }
}

// f32 of an integer: the host's conversion from long double, in which 64-bit integers are exact.
u32 from_int(const Request& r, unsigned lane, bool wide) {
  const u64 bits = wide ? r.wide_b(lane) : r.b[lane];
  long double exact = 0;
  if (r.get("sign")) {
    exact = wide ? static_cast<long double>(static_cast<std::int64_t>(bits))
                 : static_cast<long double>(static_cast<std::int32_t>(bits));
  } else {
    exact = static_cast<long double>(bits);
  }
  HostRounding rounding(r.get("rnd"));
  volatile long double v = exact;
  volatile float f = static_cast<float>(v);
  return std::bit_cast<u32>(static_cast<float>(f));
}

u64 to_int(const Request& r, unsigned lane, bool wide) {
  const u32 b = flush_if(r.get("ftz"), r.b[lane]);
  const bool sign = r.get("sign") != 0;
  const int bits = wide ? 64 : 32 >> r.get("width");
  if (is_nan(b)) return wide ? u64{1} << 63 : 0;
  float rounded = 0;
  {
    HostRounding rounding(r.get("rnd"));
    rounded = host_round(value(b));
  }
  const long double v = rounded;  // exact, infinities too
  const long double high = std::ldexp(1.0L, sign ? bits - 1 : bits) - 1;
  const long double low = sign ? -std::ldexp(1.0L, bits - 1) : 0;
  u64 result = 0;
  if (v >= high) result = static_cast<u64>(high);
  else if (v <= low) result = sign ? static_cast<u64>(static_cast<std::int64_t>(low)) : 0;
  else result = v < 0 ? static_cast<u64>(static_cast<std::int64_t>(v)) : static_cast<u64>(v);
  return wide ? result : static_cast<u32>(result);
}

u32 saturate(u32 v) { return is_nan(v) || (v & kSign) ? 0 : value(v) > 1.0f ? 0x3f800000 : v; }

LaneResult run_cvt(const Request& r, unsigned lane) {
  switch (static_cast<Opcode>(r.op)) {
    case Opcode::I2f: return {from_int(r, lane, false)};
    case Opcode::I642f: return {from_int(r, lane, true)};
    case Opcode::F2i: return {to_int(r, lane, false)};
    case Opcode::F2i64: return {to_int(r, lane, true)};
    case Opcode::Frnd: {
      const u32 b = flush_if(r.get("ftz"), r.b[lane]);
      HostRounding rounding(r.get("rnd"));
      return {finish(r.get("integral") ? host_round(value(b)) : value(b), 0, r.get("sat"))};
    }
    case Opcode::F2d: {
      u32 b = flush_if(r.get("ftz"), r.b[lane]);
      if (r.get("sat")) b = saturate(b);
      // A NaN keeps sign and payload and is quiet.
      if (is_nan(b)) return {u64{b & kSign} << 32 | 0x7ff8000000000000 | u64{b & 0x7fffff} << 29};
      return {std::bit_cast<u64>(static_cast<double>(value(b)))};
    }
    case Opcode::D2f: {
      const double v = std::bit_cast<double>(r.wide_b(lane));
      u32 result = 0;
      if (std::isnan(v)) {
        result = (static_cast<u32>(r.wide_b(lane) >> 32) & kSign) | 0x7fc00000 |
                 static_cast<u32>(r.wide_b(lane) >> 29 & 0x7fffff);
      } else {
        HostRounding rounding(r.get("rnd"));
        result = flush_if(r.get("ftz"), std::bit_cast<u32>(host_narrow(v)));
      }
      return {r.get("sat") ? saturate(result) : result};
    }
    case Opcode::F2f: return f2f_reference(r, lane);
    default: ADD_FAILURE() << "no reference for " << isa::info(r.op)->mnemonic; return {};
  }
}

}  // namespace

Reference fp32_reference(const Request& request) {
  Reference reference;
  reference.p_we = static_cast<Opcode>(request.op) == Opcode::Fsetp;
  reference.we = !reference.p_we;
  reference.lane = run_fp32;
  return reference;
}

Reference cvt_reference(const Request& request) {
  Reference reference;
  reference.wide = isa::info(request.op)->dst == isa::Operand::R64;
  reference.lane = run_cvt;
  return reference;
}

}  // namespace heddle::test
