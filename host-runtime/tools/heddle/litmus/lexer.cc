// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/litmus/lexer.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace heddle::tools::litmus {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

std::string shown(const Token& t) { return t.text.empty() ? "the end of the file" : "'" + t.text + "'"; }

}  // namespace

// Quoted descriptions and comments, (* *) and //, are left out.
Tokens::Tokens(const std::string& text) {
  int line = 1;
  const auto skip_past = [&](size_t i, const std::string& end, const char* what) {
    const size_t found = text.find(end, i);
    if (found == std::string::npos) throw SyntaxError{line, std::string(what) + " does not end"};
    line += static_cast<int>(
        std::count(text.begin() + static_cast<long>(i), text.begin() + static_cast<long>(found), '\n'));
    return found + end.size();
  };
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      ++line, ++i;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (c == '"') {
      i = skip_past(i + 1, "\"", "a description");
    } else if (text.compare(i, 2, "(*") == 0) {
      i = skip_past(i + 2, "*)", "a comment");
    } else if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (is_word(c)) {
      size_t end = i;
      while (end < text.size() && is_word(text[end])) ++end;
      tokens_.push_back({text.substr(i, end - i), line});
      i = end;
    } else {
      size_t length = 1;
      for (const char* two : {"/\\", "\\/", "==", "!=", "<=", ">="})
        if (text.compare(i, 2, two) == 0) length = 2;
      tokens_.push_back({text.substr(i, length), line});
      i += length;
    }
  }
  tokens_.push_back({"", line});
}

Token Tokens::next() {
  Token t = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return t;
}

bool Tokens::take(const std::string& text) {
  if (peek().text != text) return false;
  next();
  return true;
}

void Tokens::expect(const std::string& text) {
  if (!take(text)) fail("'" + text + "'");
}

void Tokens::fail(const std::string& wanted) const {
  throw SyntaxError{peek().line, "wanted " + wanted + ", there is " + shown(peek())};
}

int32_t Tokens::number() {
  const bool negative = take("-");
  const std::string& text = peek().text;
  if (text.empty() || !is_digit(text[0])) fail("a number");
  char* end = nullptr;
  errno = 0;
  const bool hex = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
  const unsigned long value = std::strtoul(text.c_str(), &end, hex ? 16 : 10);
  if (*end) fail("a number");
  if (errno || value > (hex ? 0xffffffffUL : 0x7fffffffUL + negative)) fail("a number of 32 bits");
  next();
  return static_cast<int32_t>(static_cast<uint32_t>(negative ? -value : value));
}

std::string Tokens::identifier(const char* what) {
  const std::string& text = peek().text;
  if (text.empty() || !is_word(text[0]) || is_digit(text[0])) fail(what);
  return next().text;
}

std::string Tokens::joined(size_t from, size_t to) const {
  std::string all;
  for (size_t i = from; i < to; ++i) {
    const std::string& text = tokens_[i].text;
    const bool tight =
        all.empty() || text == ")" || text == ":" || all.back() == '(' || all.back() == ':' || all.back() == '~';
    all += (tight ? "" : " ") + text;
  }
  return all;
}

}  // namespace heddle::tools::litmus
