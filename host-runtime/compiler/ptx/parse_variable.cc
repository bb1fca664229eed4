// SPDX-License-Identifier: Apache-2.0
// Variable declarations and their initialisers.
#include "host-runtime/compiler/ptx/parser_impl.h"

namespace heddle::compiler::ptx {

bool Parser::at_variable() const {
  if (peek().kind != TokenKind::kDotWord) return false;
  auto space = space_by_name(peek().text);
  return space && *space != Space::kReg;
}

// .global .align 4 .v2 .f32 a[2][3] = {…}, b;
void Parser::parse_variables(Linkage linkage, Variable::Role role, std::vector<std::unique_ptr<Variable>>& owner,
                             std::vector<Statement>* statements) {
  Variable base;
  base.linkage = linkage;
  base.role = role;
  base.space = *space_by_name(take().text);
  if (base.space == Space::kTex) {
    fail_at(peek(), "State space '.tex' is not supported by this version");
  }
  while (peek().kind == TokenKind::kDotWord) {
    std::string_view word = peek().text;
    if (word == "align") {
      parse_align(base);
    } else if (word == "attribute") {
      parse_attributes(base);
    } else if (word == "v2" || word == "v4") {
      take();
      base.width = word == "v2" ? 2 : 4;
    } else if (auto type = type_by_name(word); type && base.type == Type::kNone) {
      take();
      base.type = *type;
    } else {
      fail_near();
    }
  }
  if (base.type == Type::kNone) fail_near();
  if (base.type == Type::kPred) {
    fail_at(peek(), "Predicate variables are only allowed in the .reg state space");
  }
  do {
    auto variable = std::make_unique<Variable>(base);
    Token name = expect_name("a variable name");
    variable->loc = name.loc;
    variable->name = name.text;
    parse_array_dims(*variable);
    if (variable->align == 0) {
      variable->align = static_cast<uint32_t>(type_bytes(base.type)) * base.width;
    }
    if (accept("=")) parse_initializer(*variable);
    if (statements) statements->push_back(VariableStatement{variable.get()});
    owner.push_back(std::move(variable));
  } while (accept(","));
  expect(";");
}

void Parser::parse_align(Variable& variable) {
  take();
  Loc loc = peek().loc;
  variable.align = parse_u32("an alignment");
  if (variable.align == 0 || (variable.align & (variable.align - 1)) != 0) {
    error(loc, "Alignment must be a power of two");
    variable.align = 1;
  }
}

// .attribute(.managed), .attribute(.unified(a, b))
void Parser::parse_attributes(Variable& variable) {
  take();
  expect("(");
  int depth = 1;
  while (depth > 0) {
    if (peek().kind == TokenKind::kEnd) fail_near();
    if (peek().is_dot("managed")) variable.managed = true;
    if (peek().is("(")) ++depth;
    if (peek().is(")")) --depth;
    take();
  }
}

void Parser::parse_array_dims(Variable& variable) {
  while (accept("[")) {
    if (accept("]")) {
      if (!variable.dims.empty()) fail_near();
      variable.unsized = true;
      variable.dims.push_back(0);
      continue;
    }
    Loc loc = peek().loc;
    int64_t n = parse_int_constant("an array size");
    if (n < 0 || n > (int64_t{1} << 40)) {
      error(loc, "Invalid array size");
      n = 1;
    }
    variable.dims.push_back(static_cast<uint64_t>(n));
    expect("]");
  }
  // A product past 2^63 would wrap in Variable::bytes().
  uint64_t total = 1;
  for (uint64_t d : variable.dims) {
    if (d != 0 && total > (uint64_t{1} << 40) / d) {
      error(variable.loc, "Array '" + std::string(variable.name) + "' is too large");
      variable.dims = {1};
      return;
    }
    if (d != 0) total *= d;
  }
}

void Parser::parse_initializer(Variable& variable) {
  variable.has_init = true;
  if (variable.space == Space::kShared || variable.space == Space::kLocal || variable.space == Space::kParam) {
    error(peek().loc, "Initialization is not allowed for variable '" + std::string(variable.name) +
                          "' in state space '." + std::string(space_name(variable.space)) + "'");
  }
  if (peek().is("{")) {
    if (variable.dims.empty() && variable.width == 1) fail_near();
    parse_init_list(variable, 0, 0);
  } else if (peek().kind == TokenKind::kString) {
    fail_near();
  } else {
    parse_init_value(variable, 0);
  }
  if (variable.unsized) {
    // x[] = {…}: the list gives the size. (For x[][n], whole rows.)
    uint64_t row = variable.width;
    for (size_t i = 1; i < variable.dims.size(); ++i) row *= variable.dims[i];
    uint64_t count = variable.init.empty() ? 0 : variable.init.back().index + 1;
    variable.dims[0] = row == 0 ? 0 : (count + row - 1) / row;
    variable.unsized = false;
  }
}

// One brace level: its entries are rows of the remaining dimensions, or elements. A list may be
// shorter than its row; what it leaves out is zero.
void Parser::parse_init_list(Variable& variable, size_t depth, uint64_t first) {
  Loc open = peek().loc;
  expect("{");
  // How many elements one entry and the whole of this level span.
  uint64_t step = variable.width;
  for (size_t i = depth + 1; i < variable.dims.size(); ++i) step *= variable.dims[i];
  bool at_vector = depth >= variable.dims.size();
  if (at_vector) step = 1;
  uint64_t room =
      at_vector ? variable.width : (variable.dims[depth] == 0 && depth == 0 ? UINT32_MAX : variable.dims[depth] * step);
  uint64_t at = 0;
  if (accept("}")) return;
  do {
    Loc here = peek().loc;
    if (peek().is("{")) {
      if (at_vector || (depth + 1 >= variable.dims.size() && variable.width == 1)) fail_near();
      if (step != 0) at = (at + step - 1) / step * step;  // 0: a row of table[2][0]
      if (at >= room) error(here, "Too many initializers for '" + std::string(variable.name) + "'");
      parse_init_list(variable, depth + 1, first + at);
      at += step;
    } else {
      // Scalars fill the array in order, whatever the nesting.
      if (at >= room) {
        error(here, "Too many initializers for '" + std::string(variable.name) + "'");
      }
      parse_init_value(variable, first + at);
      ++at;
    }
  } while (accept(","));
  if (!peek().is("}")) {
    if (peek().kind == TokenKind::kEnd) fail_at({TokenKind::kPunct, open, "{"}, "Unclosed '{'");
    fail_near();
  }
  take();
}

// 5   0f3F800000   sym   sym+8   generic(sym)+8   0xFF00(sym)   0xFF(generic(sym)+4)
void Parser::parse_init_value(Variable& variable, uint64_t index) {
  InitValue value;
  value.loc = peek().loc;
  value.index = static_cast<uint32_t>(index);
  bool mask = peek().kind == TokenKind::kInt && peek(1).is("(") && peek(2).kind == TokenKind::kName;
  if (mask) {
    auto literal = parse_int_literal(take().text);
    if (!literal || literal->bits == 0) fail_near();
    value.mask = literal->bits;
    expect("(");
    parse_symbol_value(value);
    expect(")");
  } else if (peek().kind == TokenKind::kName && peek().text != "WARP_SZ") {
    parse_symbol_value(value);
  } else {
    ConstValue constant = parse_expression();
    value.kind = constant.kind == ConstValue::Kind::kFloat ? InitValue::Kind::kFloat : InitValue::Kind::kInt;
    value.is_double = constant.is_double;
    value.bits = constant.bits;
  }
  variable.init.push_back(value);
}

void Parser::parse_symbol_value(InitValue& value) {
  value.kind = InitValue::Kind::kSymbol;
  if (peek().text == "generic" && peek(1).is("(")) {
    take();
    take();
    value.generic = true;
    value.symbol = expect_name("a variable name").text;
    if (peek().is("+") || peek().is("-")) {
      bool minus = take().is("-");
      int64_t n = parse_int_constant("an offset");
      value.addend += minus ? -n : n;
    }
    expect(")");
  } else {
    value.symbol = expect_name("a variable name").text;
  }
  if (peek().is("+") || peek().is("-")) {
    bool minus = take().is("-");
    int64_t n = parse_int_constant("an offset");
    value.addend += minus ? -n : n;
  }
}

}  // namespace heddle::compiler::ptx
