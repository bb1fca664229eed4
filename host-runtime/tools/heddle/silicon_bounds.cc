// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/silicon_bounds.h"

#include <algorithm>
#include <cmath>

namespace heddle::tools {
namespace {

constexpr long double kPi = 3.14159265358979323846264338327950288L;

using Value = long double;

}  // namespace

// The first whose name is the op's beginning counts. Sine: absolute, wider far from zero, open beyond 100 pi. Log2:
// absolute around one, else relative. f64: the manual gives no bound; silicon's own, which knows 20 bits of a
// reciprocal's fraction, and a root's nearest number. div.approx: a times 1/b, with a flushed 1/b: silicon alone says.
const ErrorBound::Rule ErrorBound::kRules[] = {
    {"div.approx", [](Value a, Value b) { return std::abs(b) > std::exp2(Value{126}) ? Value{NAN} : a / b; }, Kind::Ulp,
     2},
    {"div.full", [](Value a, Value b) { return a / b; }, Kind::Ulp, 2},
    {"rcp.approx.ftz.f64", [](Value a, Value) { return 1 / a; }, Kind::Relative, std::exp2(-20)},
    {"rsqrt.approx.f64", [](Value a, Value) { return 1 / std::sqrt(a); }, Kind::Ulp, 1},
    {"rcp.approx", [](Value a, Value) { return 1 / a; }, Kind::Ulp, 1},
    {"sqrt.approx", [](Value a, Value) { return std::sqrt(a); }, Kind::Relative, std::exp2(-23)},
    {"rsqrt.approx", [](Value a, Value) { return 1 / std::sqrt(a); }, Kind::Relative, std::exp2(-22.9)},
    {"sin.approx", [](Value a, Value) { return std::sin(a); }, Kind::Sine, std::exp2(-20.5)},
    {"cos.approx", [](Value a, Value) { return std::cos(a); }, Kind::Sine, std::exp2(-20.5)},
    {"lg2.approx", [](Value a, Value) { return std::log2(a); }, Kind::Log2, std::exp2(-22)},
    {"ex2.approx.f16", [](Value a, Value) { return std::exp2(a); }, Kind::Relative, std::exp2(-9.9)},
    {"ex2.approx.ftz.bf16", [](Value a, Value) { return std::exp2(a); }, Kind::Relative, std::exp2(-7)},
    {"ex2.approx", [](Value a, Value) { return std::exp2(a); }, Kind::Ulp, 2},
    {"tanh.approx.f16", [](Value a, Value) { return std::tanh(a); }, Kind::Absolute, std::exp2(-10.987)},
    {"tanh.approx.bf16", [](Value a, Value) { return std::tanh(a); }, Kind::Absolute, std::exp2(-8)},
    {"tanh.approx", [](Value a, Value) { return std::tanh(a); }, Kind::Relative, std::exp2(-11)},
};

std::optional<ErrorBound> ErrorBound::of(const std::string& op) {
  const std::string type = op.substr(op.rfind('.') + 1);
  Format format{};
  if (type == "f32") format = {32, 23, 1};
  else if (type == "f64") format = {64, 52, 1};
  else if (type == "f16" || type == "f16x2") format = {16, 10, type == "f16" ? 1 : 2};
  else if (type == "bf16" || type == "bf16x2") format = {16, 7, type == "bf16" ? 1 : 2};
  else return std::nullopt;
  for (const Rule& rule : kRules)
    if (op.starts_with(rule.name)) return ErrorBound(rule, format, op.find(".ftz") != std::string::npos);
  return std::nullopt;
}

long double ErrorBound::value(uint64_t word) const {
  const auto [bits, fraction, elements] = format_;
  const uint64_t significand = word & ((1ull << fraction) - 1);
  const int width = bits - 1 - fraction, bias = (1 << (width - 1)) - 1;
  const int exponent = static_cast<int>(word >> fraction & ((1ull << width) - 1));
  Value v = 0;
  if (exponent == 2 * bias + 1) v = significand ? NAN : INFINITY;
  else if (exponent != 0)
    v = std::ldexp(static_cast<Value>(significand | 1ull << fraction), exponent - bias - fraction);
  else if (!flush_) v = std::ldexp(static_cast<Value>(significand), 1 - bias - fraction);
  return word >> (bits - 1) & 1 ? -v : v;
}

long double ErrorBound::allowed(Value a, Value exact, Value ulp) const {
  const auto bound = static_cast<Value>(rule_->bound);
  switch (rule_->kind) {
    case Kind::Ulp: return bound;
    case Kind::Relative: return bound * std::abs(exact) / ulp;
    case Kind::Absolute: return bound / ulp;
    case Kind::Sine:
      if (std::abs(a) > 100 * kPi) return -1;
      return (std::abs(a) > 2 * kPi ? std::exp2(Value{-14.7L}) : bound) / ulp;
    case Kind::Log2: return (a > 0.5L && a < 2 ? bound : bound * std::abs(exact)) / ulp;
  }
  return 0;
}

ErrorBound::Verdict ErrorBound::judge_one(Value a, Value b, Value answer) const {
  const Value exact = rule_->exact(a, b);
  const int bias = (1 << (format_.bits - 2 - format_.fraction)) - 1, least = 1 - bias;  // exponent of normal numbers
  if (!std::isfinite(exact) || !std::isfinite(answer) || exact == 0) return {false, 0};
  if (flush_ && std::abs(exact) < std::ldexp(Value{1}, least)) return {false, 0};
  const int exponent = std::max(std::ilogb(exact), least);
  const Value ulp = std::ldexp(Value{1}, exponent - format_.fraction);
  const Value error = std::abs(answer - exact) / ulp, limit = allowed(a, exact, ulp);
  if (limit < 0) return {std::abs(answer) <= 1, 0};
  // An exact value between two numbers: the nearest must do.
  return {error <= std::max(limit, Value{0.5L}), static_cast<double>(error)};
}

ErrorBound::Verdict ErrorBound::judge(const uint64_t* inputs, uint64_t answer, uint64_t silicon) const {
  Verdict all{true, 0};
  for (int n = 0; n < format_.elements; n++) {
    const auto part = [&](uint64_t word) { return word >> (n * format_.bits) & ~0ull >> (64 - format_.bits); };
    const bool two = rule_->name[0] == 'd';
    const Verdict one = judge_one(value(part(inputs[0])), two ? value(part(inputs[1])) : 0, value(part(answer)));
    all.within = all.within && (one.within || part(answer) == part(silicon));
    if (one.within) all.ulps = std::max(all.ulps, one.ulps);
  }
  return all;
}

}  // namespace heddle::tools
