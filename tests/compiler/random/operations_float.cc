// SPDX-License-Identifier: Apache-2.0
// f32, f64, f16 and bf16, one and two in a register; approximations.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/compiler/random/numbers.h"
#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

using U = uint64_t;
constexpr const char* kRounding[] = {".rn", ".rz", ".rm", ".rp"};

// f for one number, or for both halves of a register.
std::function<U(U, U, U)> each(bool pair, std::function<U(U, U, U)> f) {
  if (!pair) return f;
  return [f](U a, U b, U c) { return f(a & 0xffff, b & 0xffff, c & 0xffff) | f(a >> 16, b >> 16, c >> 16) << 16; };
}

// Everything that a format's arithmetic is asked for, with one set of modifiers.
struct Kind {
  Format format;
  std::string suffix;  // ".f16x2"
  bool pair = false;
  std::string files(unsigned sources, bool constants) const {
    const char letter = pair ? 'w' : format == Format::F32 ? 'f' : format == Format::F64 ? 'e' : 'h';
    return std::string(1, letter) + std::string(sources, static_cast<char>(constants ? letter : letter - 32));
  }
};

void arithmetic(Operations& out, const Kind& k, const std::string& round, const std::string& modifiers, const Mode& m) {
  const Format f = k.format;
  const bool constants = f == Format::F32 || f == Format::F64;
  const auto name = [&](const char* op) { return op + round + modifiers + k.suffix; };
  if (!m.relu) {
    out.push_back({name("add"), k.files(2, constants), each(k.pair, [=](U a, U b, U) { return sum(f, a, b, m); })});
    out.push_back(
        {name("sub"), k.files(2, constants), each(k.pair, [=](U a, U b, U) { return sum(f, a, negated(f, b), m); })});
    out.push_back({name("mul"), k.files(2, constants), each(k.pair, [=](U a, U b, U) { return product(f, a, b, m); })});
  }
  out.push_back(
      {name("fma"), k.files(3, constants), each(k.pair, [=](U a, U b, U c) { return fused(f, a, b, c, m); })});
}

// fma.oob: 0 where a factor is the NaN that stands for what lies outside a tensor. Once more with a factor that often
// is.
void outside(Operations& out, const Kind& k, bool relu) {
  const Format f = k.format;
  const auto compute = each(k.pair, [=](U a, U b, U c) {
    for (const U factor : {a, b})
      if ((factor & 0x7fff) == 0x7ff7) return U{0};
    return fused(f, a, b, c, {.relu = relu});
  });
  const std::string name = std::string("fma.rn.oob") + (relu ? ".relu" : "") + k.suffix;
  const U nan = k.pair ? 0xfff77ff7 : 0xfff7;
  out.push_back({name, k.files(3, false), compute});
  const unsigned bits = k.pair ? 32 : 16;
  const char* const often = "setp.lt.s{0} %q, {{b}}, 0;selp.b{0} %t{1}, {2}, {{b}}, %q;{3} {{d}}, {{a}}, %t{1}, {{c}}";
  out.push_back({fmt::format(fmt::runtime(often), bits, k.pair ? 'x' : 'h', nan, name), k.files(3, false),
                 [=](U a, U b, U c) { return compute(a, b >> (bits - 1) ? nan : b, c); }});
}

void extremes(Operations& out, const Kind& k, bool variants) {
  const Format f = k.format;
  for (const bool max : {false, true})
    for (unsigned n = 0; n < (variants ? 8u : 1u); n++) {
      const Choice c{max, (n & 1) != 0, (n & 2) != 0, (n & 4) != 0};
      if (c.ftz && f == Format::Bf16) continue;
      out.push_back({fmt::format("{}{}{}{}{}", max ? "max" : "min", c.ftz ? ".ftz" : "", c.nan ? ".NaN" : "",
                                 c.xorsign ? ".xorsign.abs" : "", k.suffix),
                     k.files(2, f == Format::F32 || f == Format::F64),
                     each(k.pair, [=](U a, U b, U) { return extreme(f, a, b, c); })});
    }
}

// abs, neg: as sums with -0, which make NaN canonical.
void signs(Operations& out, const Kind& k, bool ftz) {
  const Format f = k.format;
  const std::string modifier = ftz ? ".ftz" : "";
  const auto normal = [=](U v) { return encode(f, decode(f, v, ftz), {.ftz = ftz}); };
  out.push_back(
      {"neg" + modifier + k.suffix, k.files(1, false), each(k.pair, [=](U a, U, U) { return normal(negated(f, a)); })});
  out.push_back({"abs" + modifier + k.suffix, k.files(1, false), each(k.pair, [=](U a, U, U) {
                   const U v = normal(a);
                   return std::signbit(decode(f, v)) ? negated(f, v) : v;
                 })});
}

void classes(Operations& out, const char* type, Format f, const char* files) {
  struct Class {
    const char* name;
    bool (*holds)(double x, double smallest);
  };
  static constexpr Class kClasses[] = {
      {"finite", [](double x, double) { return std::isfinite(x); }},
      {"infinite", [](double x, double) { return std::isinf(x); }},
      {"number", [](double x, double) { return !std::isnan(x); }},
      {"notanumber", [](double x, double) { return std::isnan(x); }},
      {"normal", [](double x, double smallest) { return std::isfinite(x) && (x == 0 || std::fabs(x) >= smallest); }},
      {"subnormal", [](double x, double smallest) { return x != 0 && std::fabs(x) < smallest; }},
  };
  const double smallest =
      f == Format::F32 ? double{std::numeric_limits<float>::min()} : std::numeric_limits<double>::min();
  for (const Class& c : kClasses)
    out.push_back({fmt::format("testp.{}.{} %q, {{a}};selp.u32 {{d}}, 1, 0, %q", c.name, type), files,
                   [=](U a, U, U) { return U{c.holds(decode(f, a), smallest)}; }});
}

void divisions(Operations& out, const Kind& k, const std::string& round, const std::string& modifiers, const Mode& m) {
  const Format f = k.format;
  const U one = f == Format::F32 ? 0x3f800000 : 0x3ff0000000000000;
  out.push_back(
      {"div" + round + modifiers + k.suffix, k.files(2, true), [=](U a, U b, U) { return quotient(f, a, b, m); }});
  out.push_back(
      {"rcp" + round + modifiers + k.suffix, k.files(1, false), [=](U a, U, U) { return quotient(f, one, a, m); }});
  out.push_back({"sqrt" + round + modifiers + k.suffix, k.files(1, false), [=](U a, U, U) { return root(f, a, m); }});
}

}  // namespace

Operations f32_operations() {
  Operations out;
  const Kind k{Format::F32, ".f32"};
  for (unsigned r = 0; r < 4; r++)
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true})
        arithmetic(out, k, kRounding[r], std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : ""),
                   {.rounding = r, .ftz = ftz, .sat = sat});
      divisions(out, k, kRounding[r], ftz ? ".ftz" : "", {.rounding = r, .ftz = ftz});
    }
  extremes(out, k, true);
  signs(out, k, false);
  signs(out, k, true);
  classes(out, "f32", Format::F32, "wF");
  for (unsigned r = 0; r < 4; r++)
    for (const bool ftz : {false, true})
      for (const bool sat : {false, true})
        out.push_back(
            {fmt::format("mad{}{}{}.f32", kRounding[r], ftz ? ".ftz" : "", sat ? ".sat" : ""), "ffff",
             [=](U a, U b, U c) { return fused(Format::F32, a, b, c, {.rounding = r, .ftz = ftz, .sat = sat}); }});
  out.push_back({"copysign.f32", "fWF", [](U a, U b, U) { return (a & 0x80000000) | (b & 0x7fffffff); }});
  return out;
}

Operations f64_operations() {
  Operations out;
  const Kind k{Format::F64, ".f64"};
  for (unsigned r = 0; r < 4; r++) {
    arithmetic(out, k, kRounding[r], "", {.rounding = r});
    divisions(out, k, kRounding[r], "", {.rounding = r});
    out.push_back({fmt::format("mad{}.f64", kRounding[r]), "eeee",
                   [=](U a, U b, U c) { return fused(Format::F64, a, b, c, {.rounding = r}); }});
  }
  extremes(out, k, false);
  signs(out, k, false);
  classes(out, "f64", Format::F64, "wE");
  out.push_back({"copysign.f64", "eDE", [](U a, U b, U) {
                   const U v = (a & U{1} << 63) | (b & ~U{0} >> 1);
                   return std::isnan(std::bit_cast<double>(v)) ? U{0x7ff8000000000000} : v;
                 }});
  return out;
}

Operations half_operations() {
  Operations out;
  for (const bool pair : {false, true}) {
    const Kind f16{Format::F16, pair ? ".f16x2" : ".f16", pair}, bf16{Format::Bf16, pair ? ".bf16x2" : ".bf16", pair};
    for (const bool ftz : {false, true})
      for (const bool sat : {false, true})
        arithmetic(out, f16, ".rn", std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : ""), {.ftz = ftz, .sat = sat});
    arithmetic(out, f16, ".rn", ".relu", {.relu = true});
    arithmetic(out, f16, ".rn", ".ftz.relu", {.ftz = true, .relu = true});
    arithmetic(out, bf16, ".rn", "", {});
    arithmetic(out, bf16, ".rn", ".relu", {.relu = true});
    for (const bool relu : {false, true}) {
      outside(out, f16, relu);
      outside(out, bf16, relu);
    }
    extremes(out, f16, true);
    extremes(out, bf16, true);
    signs(out, f16, false);
    signs(out, f16, true);
    signs(out, bf16, false);
  }
  return out;
}

// ---- approximations
// ----------------------------------------------------------------------------------------------------------

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr double kSmallest = 1.1754943508222875e-38;  // normal
// So many parts of the result's last place.
double ulps(double n, double exact) { return n * std::ldexp(std::fabs(exact), -23) + std::ldexp(1.0, -149); }
// .ftz: subnormal results, too, may be zeros.
double flushed(double n, double exact) { return ulps(n, exact) + kSmallest; }
double nothing(double, double) { return 0; }

}  // namespace

// clang-format off
std::span<const Approximation> approximations() {
  using D = double;
  static const Approximation kList[] = {
      {"rcp.approx.f32 {d}, {a}", "aF", [](D x, D) { return 1 / x; }, [](D, D, D r) { return ulps(1, r); }},
      {"rcp.approx.ftz.f32 {d}, {a}", "aF", [](D x, D) { return 1 / x; }, [](D x, D, D r) { return std::fabs(x) < kSmallest ? kAny : flushed(1, r); }},
      {"sqrt.approx.f32 {d}, {a}", "aF", [](D x, D) { return std::sqrt(x); }, [](D, D, D r) { return ulps(2, r); }},
      {"sqrt.approx.ftz.f32 {d}, {a}", "aF", [](D x, D) { return std::sqrt(x); }, [](D x, D, D r) { return std::fabs(x) < kSmallest ? kAny : flushed(2, r); }},
      {"rsqrt.approx.f32 {d}, {a}", "aF", [](D x, D) { return 1 / std::sqrt(x); }, [](D, D, D r) { return ulps(2, r); }},
      {"rsqrt.approx.ftz.f32 {d}, {a}", "aF", [](D x, D) { return 1 / std::sqrt(x); }, [](D x, D, D r) { return std::fabs(x) < kSmallest ? kAny : flushed(2, r); }},
      {"sin.approx.f32 {d}, {a}", "aF", [](D x, D) { return std::sin(x); }, [](D x, D, D) { return std::fabs(x) <= 3.1415926 || !std::isfinite(x) ? 0x1p-20 : kAny; }},
      {"cos.approx.f32 {d}, {a}", "aF", [](D x, D) { return std::cos(x); }, [](D x, D, D) { return std::fabs(x) <= 3.1415926 || !std::isfinite(x) ? 0x1p-20 : kAny; }},
      {"sin.approx.ftz.f32 {d}, {a}", "aF", [](D x, D) { return std::sin(x); }, [](D x, D, D) { return std::fabs(x) <= 3.1415926 || !std::isfinite(x) ? 0x1p-20 : kAny; }},
      {"cos.approx.ftz.f32 {d}, {a}", "aF", [](D x, D) { return std::cos(x); }, [](D x, D, D) { return std::fabs(x) <= 3.1415926 || !std::isfinite(x) ? 0x1p-20 : kAny; }},
      {"lg2.approx.f32 {d}, {a}", "aF", [](D x, D) { return std::log2(x); }, [](D, D, D r) { return std::max(0x1p-22, ulps(4, r)); }},
      {"lg2.approx.ftz.f32 {d}, {a}", "aF", [](D x, D) { return std::log2(x); },
       [](D x, D, D r) { return std::fabs(x) < kSmallest ? kAny : std::max(0x1p-22, ulps(4, r)); }},
      {"ex2.approx.f32 {d}, {a}", "aF", [](D x, D) { return std::exp2(x); }, [](D x, D, D r) { return ulps(3 + std::fabs(x) * 1.2, r); }},
      {"ex2.approx.ftz.f32 {d}, {a}", "aF", [](D x, D) { return std::exp2(x); }, [](D x, D, D r) { return flushed(3 + std::fabs(x) * 1.2, r); }},
      {"tanh.approx.f32 {d}, {a}", "aF", [](D x, D) { return std::tanh(x); }, [](D, D, D r) { return std::fabs(r) * 0x1p-10 + 0x1p-149; }},
      {"div.approx.f32 {d}, {a}, {b}", "aff", [](D x, D y) { return x / y; },
       [](D, D y, D r) { return std::fabs(y) >= 0x1p-126 && std::fabs(y) <= 0x1p126 ? ulps(3, r) : kAny; }},
      {"div.full.f32 {d}, {a}, {b}", "aff", [](D x, D y) { return x / y; },
       [](D, D y, D r) { return std::fabs(y) >= 0x1p-126 && std::isfinite(y) ? ulps(3, r) : kAny; }},
      {"div.full.ftz.f32 {d}, {a}, {b}", "aff", [](D x, D y) { return x / y; },
       [](D x, D y, D r) { return std::fabs(y) >= 0x1p-126 && std::isfinite(y) && (x == 0 || std::fabs(x) >= kSmallest) ? flushed(3, r) : kAny; }},
      {"ex2.approx.f16 %th, {a};cvt.f32.f16 {d}, %th", "aH", nothing, [](D, D, D) { return kAny; }},
      {"tanh.approx.f16 %th, {a};cvt.f32.f16 {d}, %th", "aH", nothing, [](D, D, D) { return kAny; }},
      {"ex2.approx.ftz.bf16 %th, {a};cvt.f32.bf16 {d}, %th", "aH", nothing, [](D, D, D) { return kAny; }},
      {"tanh.approx.bf16 %th, {a};cvt.f32.bf16 {d}, %th", "aH", nothing, [](D, D, D) { return kAny; }},
      {"ex2.approx.f16x2 %tx, {a};mov.b32 {{%th, _}}, %tx;cvt.f32.f16 {d}, %th", "aW", nothing, [](D, D, D) { return kAny; }},
      {"tanh.approx.bf16x2 %tx, {a};mov.b32 {{_, %th}}, %tx;cvt.f32.bf16 {d}, %th", "aW", nothing, [](D, D, D) { return kAny; }},
      {"rcp.approx.ftz.f64 %td, {a};cvt.rn.f32.f64 {d}, %td", "aE", [](D x, D) { return 1 / x; },
       // To the unit, which sees the upper word alone, a NaN may be an infinity.
       [](D x, D, D r) { return std::isnan(x) || std::fabs(x) < std::numeric_limits<D>::min() ? kAny : std::fabs(r) * 0x1p-19 + 0x1p-149; }},
      {"rsqrt.approx.f64 %td, {a};cvt.rn.f32.f64 {d}, %td", "aE", [](D x, D) { return 1 / std::sqrt(x); },
       [](D, D, D r) { return std::fabs(r) * 0x1p-19 + 0x1p-149; }},
  };
  return kList;
}
// clang-format on

}  // namespace heddle::compiler::test
