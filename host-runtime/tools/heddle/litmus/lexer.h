// SPDX-License-Identifier: Apache-2.0
// Words of a litmus file with their lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle::tools::litmus {

struct Token {
  std::string text;  // empty: the end
  int line = 0;
};

// Thrown inside the parser, caught by parse().
struct SyntaxError {
  int line;
  std::string message;
};

class Tokens {
 public:
  explicit Tokens(const std::string& text);

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token next();
  bool at_end() const { return peek().text.empty(); }
  bool take(const std::string& text);
  void expect(const std::string& text);
  int32_t number();
  std::string identifier(const char* what);
  [[noreturn]] void fail(const std::string& wanted) const;
  // The tokens' text between two places.
  std::string joined(size_t from, size_t to) const;
  size_t place() const { return at_; }

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace heddle::tools::litmus
