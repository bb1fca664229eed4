// SPDX-License-Identifier: Apache-2.0
// Constant expressions, evaluated while they are parsed: 64-bit integers, signed or unsigned, and
// doubles (PTX ISA, "Constant Expressions").
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "host-runtime/compiler/ptx/parser_impl.h"

namespace heddle::compiler::ptx {
namespace {

double as_double(ConstValue v) {
  switch (v.kind) {
    case ConstValue::Kind::kSigned: return static_cast<double>(static_cast<int64_t>(v.bits));
    case ConstValue::Kind::kUnsigned: return static_cast<double>(v.bits);
    case ConstValue::Kind::kFloat:
      return v.is_double ? std::bit_cast<double>(v.bits) : std::bit_cast<float>(static_cast<uint32_t>(v.bits));
  }
  return 0;
}

ConstValue from_double(double d) { return {ConstValue::Kind::kFloat, true, std::bit_cast<uint64_t>(d)}; }
ConstValue from_bool(bool b) { return {ConstValue::Kind::kSigned, true, b ? 1u : 0u}; }

int precedence(const Token& token) {
  if (token.kind != TokenKind::kPunct) return 0;
  std::string_view t = token.text;
  if (t == "||") return 1;
  if (t == "&&") return 2;
  if (t == "|") return 3;
  if (t == "^") return 4;
  if (t == "&") return 5;
  if (t == "==" || t == "!=") return 6;
  if (t == "<" || t == "<=" || t == ">" || t == ">=") return 7;
  if (t == "<<" || t == ">>") return 8;
  if (t == "+" || t == "-") return 9;
  if (t == "*" || t == "/" || t == "%") return 10;
  return 0;
}

}  // namespace

std::optional<ConstValue> parse_int_literal(std::string_view text) {
  ConstValue value;
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) {
    value.kind = ConstValue::Kind::kUnsigned;
    text.remove_suffix(1);
  }
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value.bits, base);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value.bits >> 63) value.kind = ConstValue::Kind::kUnsigned;
  return value;
}

ConstValue parse_float_literal(std::string_view text) {
  ConstValue value{ConstValue::Kind::kFloat, true, 0};
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F')) {
    value.is_double = false;
    std::from_chars(text.data() + 2, text.data() + text.size(), value.bits, 16);
  } else if (text.size() > 2 && text[0] == '0' && (text[1] == 'd' || text[1] == 'D')) {
    std::from_chars(text.data() + 2, text.data() + text.size(), value.bits, 16);
  } else {
    value.bits = std::bit_cast<uint64_t>(std::strtod(std::string(text).c_str(), nullptr));
  }
  return value;
}

bool Parser::at_expression() const {
  const Token& t = peek();
  return t.kind == TokenKind::kInt || t.kind == TokenKind::kFloat || t.is("-") || t.is("+") || t.is("~") || t.is("!") ||
         t.is("(") || (t.kind == TokenKind::kName && t.text == "WARP_SZ");
}

ConstValue Parser::parse_expression() {
  ConstValue value = parse_binary(1);
  if (accept("?")) {
    ConstValue yes = parse_expression();
    expect(":");
    ConstValue no = parse_expression();
    return as_double(value) != 0 ? yes : no;
  }
  return value;
}

ConstValue Parser::parse_binary(int min_precedence) {
  ConstValue left = parse_unary();
  for (;;) {
    int p = precedence(peek());
    if (p == 0 || p < min_precedence) return left;
    const Token op = take();
    ConstValue right = parse_binary(p + 1);
    left = apply_binary(op, left, right);
  }
}

ConstValue Parser::parse_unary() {
  if (++depth_ > 200) fail_at(peek(), "Constant expression is nested too deeply");
  ConstValue value;
  if (accept("-")) {
    value = parse_unary();
    if (value.kind == ConstValue::Kind::kFloat) {
      value.bits ^= value.is_double ? uint64_t{1} << 63 : uint64_t{1} << 31;
    } else {
      value.bits = -value.bits;
    }
  } else if (accept("+")) {
    value = parse_unary();
  } else if (accept("~")) {
    value = parse_unary();
    value.bits = ~value.bits;
  } else if (accept("!")) {
    value = from_bool(as_double(parse_unary()) == 0);
  } else if (peek().is("(") && peek(1).kind == TokenKind::kDotWord) {
    take();
    bool is_signed = peek().text == "s64";
    if (!is_signed && peek().text != "u64") fail_near();
    take();
    expect(")");
    value = parse_unary();
    if (value.kind == ConstValue::Kind::kFloat) fail_near();
    value.kind = is_signed ? ConstValue::Kind::kSigned : ConstValue::Kind::kUnsigned;
  } else if (accept("(")) {
    value = parse_expression();
    expect(")");
  } else {
    value = parse_literal();
  }
  --depth_;
  return value;
}

ConstValue Parser::parse_literal() {
  const Token& token = peek();
  if (token.kind == TokenKind::kInt) {
    auto value = parse_int_literal(token.text);
    if (!value) fail_at(token, "Invalid integer constant '" + std::string(token.text) + "'");
    take();
    return *value;
  }
  if (token.kind == TokenKind::kFloat) return parse_float_literal(take().text);
  if (token.kind == TokenKind::kName && token.text == "WARP_SZ") {
    take();
    return {ConstValue::Kind::kSigned, true, 32};
  }
  fail_near();
}

ConstValue Parser::apply_binary(const Token& op, ConstValue a, ConstValue b) {
  std::string_view t = op.text;
  bool real = a.kind == ConstValue::Kind::kFloat || b.kind == ConstValue::Kind::kFloat;
  if (real) {
    double x = as_double(a), y = as_double(b);
    if (t == "+") return from_double(x + y);
    if (t == "-") return from_double(x - y);
    if (t == "*") return from_double(x * y);
    if (t == "/") return from_double(x / y);
    if (t == "<") return from_bool(x < y);
    if (t == "<=") return from_bool(x <= y);
    if (t == ">") return from_bool(x > y);
    if (t == ">=") return from_bool(x >= y);
    if (t == "==") return from_bool(x == y);
    if (t == "!=") return from_bool(x != y);
    if (t == "&&") return from_bool(x != 0 && y != 0);
    if (t == "||") return from_bool(x != 0 || y != 0);
    fail_at(op, "Operator '" + std::string(t) + "' needs integer operands");
  }
  bool is_unsigned = a.kind == ConstValue::Kind::kUnsigned || b.kind == ConstValue::Kind::kUnsigned;
  uint64_t x = a.bits, y = b.bits;
  auto sx = static_cast<int64_t>(x), sy = static_cast<int64_t>(y);
  ConstValue out{is_unsigned ? ConstValue::Kind::kUnsigned : ConstValue::Kind::kSigned, true, 0};
  if (t == "/" || t == "%") {
    if (y == 0) fail_at(op, "Division by zero in constant expression");
    if (is_unsigned) {
      out.bits = t == "/" ? x / y : x % y;
    } else if (sy == -1) {
      out.bits = t == "/" ? -x : 0;  // INT64_MIN / -1 wraps
    } else {
      out.bits = static_cast<uint64_t>(t == "/" ? sx / sy : sx % sy);
    }
    return out;
  }
  if (t == "<<" || t == ">>") {
    // The shift's type is its left operand's.
    out.kind = a.kind;
    if (t == "<<") {
      out.bits = y > 63 ? 0 : x << y;
    } else if (a.kind == ConstValue::Kind::kSigned) {
      out.bits = static_cast<uint64_t>(sx >> (y > 63 ? 63 : y));
    } else {
      out.bits = y > 63 ? 0 : x >> y;
    }
    return out;
  }
  if (t == "+") out.bits = x + y;
  if (t == "-") out.bits = x - y;
  if (t == "*") out.bits = x * y;
  if (t == "&") out.bits = x & y;
  if (t == "|") out.bits = x | y;
  if (t == "^") out.bits = x ^ y;
  if (t == "==") return from_bool(x == y);
  if (t == "!=") return from_bool(x != y);
  if (t == "&&") return from_bool(x != 0 && y != 0);
  if (t == "||") return from_bool(x != 0 || y != 0);
  if (t == "<") return from_bool(is_unsigned ? x < y : sx < sy);
  if (t == "<=") return from_bool(is_unsigned ? x <= y : sx <= sy);
  if (t == ">") return from_bool(is_unsigned ? x > y : sx > sy);
  if (t == ">=") return from_bool(is_unsigned ? x >= y : sx >= sy);
  return out;
}

int64_t Parser::parse_int_constant(const char* what) {
  const Token token = peek();
  if (!at_expression()) {
    if (token.kind == TokenKind::kEnd) fail_near();
    fail_at(token, std::string("Expected ") + what + " near '" + std::string(token.text) + "'");
  }
  ConstValue value = parse_expression();
  if (value.kind == ConstValue::Kind::kFloat) {
    fail_at(token, std::string("Expected ") + what + ", not a floating-point value");
  }
  return static_cast<int64_t>(value.bits);
}

uint32_t Parser::parse_u32(const char* what) {
  const Token token = peek();
  int64_t value = parse_int_constant(what);
  if (value < 0 || value > UINT32_MAX) fail_at(token, std::string("Out of range: ") + what);
  return static_cast<uint32_t>(value);
}

}  // namespace heddle::compiler::ptx
