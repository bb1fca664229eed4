// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/litmus/condition.h"

#include <algorithm>

namespace heddle::tools::litmus {
namespace {

class Parser {
 public:
  Parser(Tokens& tokens, Test& test) : tokens_(tokens), test_(test) {}

  // "and" binds more strongly than "or".
  std::unique_ptr<Condition> any() {
    auto left = all();
    while (tokens_.take("\\/")) left = joined(Condition::Kind::Or, std::move(left), all());
    return left;
  }

  Observed observed() {
    const Token first = tokens_.peek();
    Observed what;
    if (tokens_.peek(1).text == ":") {
      what.thread = parse_thread(tokens_);
      tokens_.expect(":");
    }
    const bool bracket = what.thread < 0 && tokens_.take("[");
    what.name = tokens_.identifier("a register or variable");
    if (bracket) tokens_.expect("]");
    if (what.thread >= static_cast<int>(test_.threads.size()))
      throw SyntaxError{first.line, "there is no thread P" + std::to_string(what.thread)};
    if (what.thread < 0 && !test_.variables.contains(what.name))
      throw SyntaxError{first.line, "there is no variable '" + what.name + "'"};
    if (what.thread >= 0 && !test_.threads[static_cast<size_t>(what.thread)].registers.contains(what.name))
      throw SyntaxError{first.line, "thread P" + std::to_string(what.thread) + " has no register '" + what.name + "'"};
    return what;
  }

 private:
  static std::unique_ptr<Condition> joined(Condition::Kind kind, std::unique_ptr<Condition> left,
                                           std::unique_ptr<Condition> right) {
    auto c = std::make_unique<Condition>();
    c->kind = kind;
    c->left = std::move(left);
    c->right = std::move(right);
    return c;
  }

  std::unique_ptr<Condition> all() {
    auto left = one();
    while (tokens_.take("/\\")) left = joined(Condition::Kind::And, std::move(left), one());
    return left;
  }

  std::unique_ptr<Condition> one() {
    if (tokens_.take("~") || tokens_.take("not")) return joined(Condition::Kind::Not, one(), nullptr);
    if (tokens_.take("(")) {
      auto inner = any();
      tokens_.expect(")");
      return inner;
    }
    auto c = std::make_unique<Condition>();
    c->a = side();
    c->compare = tokens_.peek().text == "=" ? "==" : tokens_.peek().text;
    const std::string known[] = {"==", "!=", "<", "<=", ">", ">="};
    if (std::find(std::begin(known), std::end(known), c->compare) == std::end(known)) tokens_.fail("a comparison");
    tokens_.next();
    c->b = side();
    return c;
  }

  Condition::Side side() {
    Condition::Side s;
    const std::string& text = tokens_.peek().text;
    const bool digit = !text.empty() && text[0] >= '0' && text[0] <= '9';
    if ((digit && tokens_.peek(1).text != ":") || text == "-") {
      s.constant = tokens_.number();
    } else {
      s.is_constant = false;
      s.observed = test_.observe(observed());
    }
    return s;
  }

  Tokens& tokens_;
  Test& test_;
};

}  // namespace

int parse_thread(Tokens& tokens) {
  const std::string text = tokens.peek().text, digits = text.substr(!text.empty() && text[0] == 'P');
  if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos)
    tokens.fail("a thread (P0)");
  tokens.next();
  return std::stoi(digits);
}

bool Condition::holds(const State& state) const {
  switch (kind) {
    case Kind::Not: return !left->holds(state);
    case Kind::And: return left->holds(state) && right->holds(state);
    case Kind::Or: return left->holds(state) || right->holds(state);
    case Kind::Compare: break;
  }
  const int32_t x = a.is_constant ? a.constant : state[a.observed], y = b.is_constant ? b.constant : state[b.observed];
  if (compare == "==") return x == y;
  if (compare == "!=") return x != y;
  if (compare == "<") return x < y;
  if (compare == "<=") return x <= y;
  return compare == ">" ? x > y : x >= y;
}

void parse_ending(Tokens& tokens, Test& test) {
  Parser parser(tokens, test);
  if (tokens.take("locations")) {
    tokens.expect("[");
    while (!tokens.take("]")) {
      test.observe(parser.observed());
      if (tokens.peek().text != "]") tokens.expect(";");
    }
  }
  if (tokens.take("filter")) {
    test.filter = parser.any();
    tokens.take(";");
  }
  if (tokens.take("exists")) {
    test.quantifier = Quantifier::Exists;
  } else if (tokens.take("forall")) {
    test.quantifier = Quantifier::Forall;
  } else if (tokens.take("~") || tokens.take("not")) {
    tokens.expect("exists");
    test.quantifier = Quantifier::NotExists;
  } else {
    tokens.fail("exists, ~exists or forall");
  }
  const size_t from = tokens.place();
  test.condition = parser.any();
  test.condition_text = tokens.joined(from, tokens.place());
  tokens.take(";");
  if (!tokens.at_end()) tokens.fail("the end of the file");
}

}  // namespace heddle::tools::litmus
