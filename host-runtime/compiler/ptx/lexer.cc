// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/lexer.h"

#include <array>

namespace heddle::compiler::ptx {
namespace {

enum : uint8_t { kWord = 1, kStart = 2, kDigit = 4, kBlank = 8 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> c{};
  for (int i = 'a'; i <= 'z'; ++i) c[i] = kWord | kStart;
  for (int i = 'A'; i <= 'Z'; ++i) c[i] = kWord | kStart;
  for (int i = '0'; i <= '9'; ++i) c[i] = kWord | kDigit;
  c['_'] = c['$'] = kWord | kStart;
  c[' '] = c['\t'] = c['\r'] = c['\f'] = c['\v'] = kBlank;
  return c;
}
constexpr std::array<uint8_t, 256> kClass = make_classes();

bool is(char c, uint8_t classes) { return kClass[static_cast<unsigned char>(c)] & classes; }

class Lexer {
 public:
  Lexer(const SourcePtr& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), text_(source->text()) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 4 + 8);
    while (skip_blank()) next();
    emit(TokenKind::kEnd, here(), text_.substr(text_.size()));
    return std::move(tokens_);
  }

 private:
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  Loc here() const { return {line_, static_cast<uint32_t>(pos_ - line_start_ + 1)}; }
  void emit(TokenKind kind, Loc loc, std::string_view text) { tokens_.push_back({kind, loc, text}); }
  void error(Loc loc, std::string message) { diagnostics_.error(source_, loc, std::move(message)); }
  void new_line() {
    ++line_;
    line_start_ = pos_;
  }

  // Moves to the next token; false at the end of the text.
  bool skip_blank() {
    while (pos_ < text_.size()) {
      char c = text_[pos_];
      if (c == '\n') {
        ++pos_;
        new_line();
      } else if (is(c, kBlank)) {
        ++pos_;
      } else if (c == '/' && at(pos_ + 1) == '/') {
        skip_line();
      } else if (c == '/' && at(pos_ + 1) == '*') {
        skip_block_comment();
      } else if (c == '#' && pos_ == line_start_) {
        skip_line();
      } else if (c == '\0') {
        // The driver API hands texts with their terminating zero.
        ++pos_;
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_line() {
    size_t end = text_.find('\n', pos_);
    pos_ = end == std::string_view::npos ? text_.size() : end;
  }

  void skip_block_comment() {
    Loc start = here();
    pos_ += 2;
    while (pos_ < text_.size()) {
      if (text_[pos_] == '*' && at(pos_ + 1) == '/') {
        pos_ += 2;
        return;
      }
      bool eol = text_[pos_] == '\n';
      ++pos_;
      if (eol) new_line();
    }
    error(start, "Unterminated comment");
  }

  void next() {
    Loc loc = here();
    char c = text_[pos_];
    if (is(c, kStart) || (c == '%' && is(at(pos_ + 1), kStart))) {
      size_t start = pos_++;
      while (is(at(pos_), kWord)) ++pos_;
      emit(TokenKind::kName, loc, text_.substr(start, pos_ - start));
    } else if (c == '.' && is(at(pos_ + 1), kWord)) {
      dot_word(loc);
    } else if (is(c, kDigit)) {
      number(loc);
    } else if (c == '"') {
      string(loc);
    } else {
      punct(loc);
    }
  }

  void dot_word(Loc loc) {
    size_t start = ++pos_;
    while (is(at(pos_), kWord) || (at(pos_) == ':' && at(pos_ + 1) == ':' && is(at(pos_ + 2), kWord))) {
      pos_ += at(pos_) == ':' ? 2 : 1;
    }
    emit(TokenKind::kDotWord, loc, text_.substr(start, pos_ - start));
  }

  void number(Loc loc) {
    size_t start = pos_;
    char second = at(pos_ + 1);
    if (text_[pos_] == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
      hex_float(loc, second == 'f' || second == 'F' ? 8 : 16);
      return;
    }
    bool prefixed = text_[pos_] == '0' && (second == 'x' || second == 'X' || second == 'b' || second == 'B');
    while (is(at(pos_), kWord)) ++pos_;
    bool real = false;
    if (!prefixed && at(pos_) == '.' && is(at(pos_ + 1), kDigit)) {
      real = true;
      ++pos_;
      while (is(at(pos_), kWord)) ++pos_;
    }
    std::string_view body = text_.substr(start, pos_ - start);
    char last = body.back();
    if (!prefixed && (last == 'e' || last == 'E') && (at(pos_) == '-' || at(pos_) == '+')) {
      real = true;
      ++pos_;
      while (is(at(pos_), kDigit)) ++pos_;
    } else if (!prefixed && body.find_first_of("eE") != std::string_view::npos) {
      real = true;
    }
    emit(real ? TokenKind::kFloat : TokenKind::kInt, loc, text_.substr(start, pos_ - start));
  }

  void hex_float(Loc loc, size_t digits) {
    size_t start = pos_;
    pos_ += 2;
    while (is(at(pos_), kWord)) ++pos_;
    std::string_view text = text_.substr(start, pos_ - start);
    bool hex = text.substr(2).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (!hex || text.size() != digits + 2) {
      error(loc, "Invalid floating-point constant '" + std::string(text) + "': " + std::string(text.substr(0, 2)) +
                     " needs " + std::to_string(digits) + " hexadecimal digits");
      text = digits == 8 ? "0f00000000" : "0d0000000000000000";
    }
    emit(TokenKind::kFloat, loc, text);
  }

  void string(Loc loc) {
    size_t start = ++pos_;
    while (pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\n') {
      pos_ += text_[pos_] == '\\' && at(pos_ + 1) != '\n' ? 2 : 1;
    }
    if (pos_ > text_.size()) pos_ = text_.size();
    emit(TokenKind::kString, loc, text_.substr(start, pos_ - start));
    if (at(pos_) == '"') {
      ++pos_;
    } else {
      error(loc, "Unterminated string");
    }
  }

  void punct(Loc loc) {
    static constexpr std::string_view kPairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    for (std::string_view pair : kPairs) {
      if (text_.substr(pos_, 2) == pair) {
        emit(TokenKind::kPunct, loc, text_.substr(pos_, 2));
        pos_ += 2;
        return;
      }
    }
    if (std::string_view("{}()[]<>,;:@!=+-*/%&|^~?").find(text_[pos_]) != std::string_view::npos) {
      emit(TokenKind::kPunct, loc, text_.substr(pos_, 1));
    } else {
      error(loc, "Unexpected character '" + printable(text_[pos_]) + "'");
    }
    ++pos_;
  }

  static std::string printable(char c) {
    unsigned char u = static_cast<unsigned char>(c);
    if (u >= 0x20 && u < 0x7F) return std::string(1, c);
    static const char* digits = "0123456789ABCDEF";
    return std::string("\\x") + digits[u >> 4] + digits[u & 15];
  }

  const SourcePtr& source_;
  Diagnostics& diagnostics_;
  std::string_view text_;
  std::vector<Token> tokens_;
  size_t pos_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> lex(const SourcePtr& source, Diagnostics& diagnostics) { return Lexer(source, diagnostics).run(); }

}  // namespace heddle::compiler::ptx
