// SPDX-License-Identifier: Apache-2.0
// Text -> tokens. Comments, blank space and cpp line markers ("# 1 "file"") vanish here.
//
// A dot and the word after it are one token ('.b32', '.shared::cta', '.2d'), so an instruction's
// modifiers, a directive and the '.x' of '%tid.x' all arrive alike.
#pragma once

#include <string_view>
#include <vector>

#include "host-runtime/compiler/ptx/source.h"

namespace heddle::compiler::ptx {

enum class TokenKind : uint8_t {
  kEnd,
  kName,     // add  %r1  $L__BB0_1  WARP_SZ  _
  kDotWord,  // .b32: text holds the word without its dot
  kInt,      // 12  0x1F  017  0b101, an optional U
  kFloat,    // 0f3F800000  0d3FF0000000000000  1.5e3
  kString,   // text without its quotes
  kPunct,    // one of { } ( ) [ ] < > , ; : @ ! = + - * / % & | ^ ~ ? and << >> <= >= == != && ||
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Loc loc;
  std::string_view text;  // a view into the Source

  bool is(std::string_view punct) const { return kind == TokenKind::kPunct && text == punct; }
  bool is_dot(std::string_view word) const { return kind == TokenKind::kDotWord && text == word; }
};

// The tokens of `source`, ended by one kEnd token. Characters that begin no token are reported and
// skipped.
std::vector<Token> lex(const SourcePtr& source, Diagnostics& diagnostics);

}  // namespace heddle::compiler::ptx
