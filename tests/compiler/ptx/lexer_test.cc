// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/lexer.h"

#include <gtest/gtest.h>

namespace heddle::compiler::ptx {
namespace {

struct Lexed {
  SourcePtr source;
  Diagnostics diagnostics;
  std::vector<Token> tokens;
  explicit Lexed(std::string text) : source(std::make_shared<Source>("t", std::move(text))) {
    tokens = lex(source, diagnostics);
  }
};

TEST(Lexer, PlacesCountFromOneAcrossLinesAndComments) {
  Lexed l("add\n  /* x\n */ %r1 // tail\n;");
  ASSERT_EQ(l.tokens.size(), 4u);
  EXPECT_EQ(l.tokens[0].loc, (Loc{1, 1}));
  EXPECT_EQ(l.tokens[1].loc, (Loc{3, 5}));
  EXPECT_EQ(l.tokens[2].loc, (Loc{4, 1}));
  EXPECT_EQ(l.tokens[3].kind, TokenKind::kEnd);
}

TEST(Lexer, ModifiersAreSingleTokensWithTheirColons) {
  Lexed l("ld.global.L1::no_allocate.L2::128B.f32");
  ASSERT_EQ(l.tokens.size(), 6u);
  EXPECT_EQ(l.tokens[0].text, "ld");
  EXPECT_TRUE(l.tokens[2].is_dot("L1::no_allocate"));
  EXPECT_TRUE(l.tokens[3].is_dot("L2::128B"));
  EXPECT_TRUE(l.tokens[4].is_dot("f32"));
}

TEST(Lexer, ALabelsColonIsNoPartOfIt) {
  Lexed l("$L__BB0_1: .reg");
  EXPECT_EQ(l.tokens[0].text, "$L__BB0_1");
  EXPECT_TRUE(l.tokens[1].is(":"));
}

TEST(Lexer, NumbersAreToldFromFloats) {
  Lexed l("12 0x1E 017 0b101 5U 0f3F800000 0d3FF0000000000000 1.5e-3 2e5 8.3");
  TokenKind kinds[] = {TokenKind::kInt,   TokenKind::kInt,   TokenKind::kInt,   TokenKind::kInt,   TokenKind::kInt,
                       TokenKind::kFloat, TokenKind::kFloat, TokenKind::kFloat, TokenKind::kFloat, TokenKind::kFloat};
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(l.tokens[i].kind, kinds[i]) << l.tokens[i].text;
  EXPECT_EQ(l.tokens[7].text, "1.5e-3");
}

TEST(Lexer, RegistersAndModuloArePercentSigns) {
  Lexed l("%r1 5 % 3");
  EXPECT_EQ(l.tokens[0].text, "%r1");
  EXPECT_TRUE(l.tokens[2].is("%"));
}

TEST(Lexer, LineMarkersAndTerminatingZerosVanish) {
  Lexed l(std::string("# 1 \"a.cu\"\nret;\0", 16));
  ASSERT_EQ(l.tokens.size(), 3u);
  EXPECT_EQ(l.tokens[0].loc.line, 2u);
  EXPECT_FALSE(l.diagnostics.has_errors());
}

}  // namespace
}  // namespace heddle::compiler::ptx
