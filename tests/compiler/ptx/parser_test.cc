// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/parser.h"

#include <gtest/gtest.h>

#include "host-runtime/compiler/ptx/check.h"

namespace heddle::compiler::ptx {
namespace {

const char kHead[] = ".version 8.3\n.target sm_80\n.address_size 64\n";

struct Parsed {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module;
  explicit Parsed(const std::string& text, bool checked = false) {
    module = parse(std::make_shared<Source>("t", kHead + text), diagnostics);
    if (checked && !diagnostics.has_errors()) check(*module, diagnostics);
    EXPECT_EQ(diagnostics.render(), "");
  }
  // The n-th instruction of the first function's outermost block.
  const Instruction& instruction(size_t n) const {
    for (const Statement& s : module->functions[0]->body.statements) {
      if (auto* i = std::get_if<Instruction>(&s); i && n-- == 0) return *i;
    }
    throw std::out_of_range("instruction");
  }
};

uint64_t value_of(const std::string& expression) {
  Parsed p(".global .u64 x = " + expression + ";");
  return p.module->variables[0]->init[0].bits;
}

TEST(Parser, ReadsTheHeader) {
  Parsed p("");
  EXPECT_EQ(p.module->version_major, 8u);
  EXPECT_EQ(p.module->version_minor, 3u);
  EXPECT_EQ(p.module->target, 80u);
  EXPECT_EQ(p.module->address_size, 64u);
}

TEST(Parser, EvaluatesConstantExpressionsAsC) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7u);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9u);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3u);
  EXPECT_EQ(value_of("-7 / 2"), static_cast<uint64_t>(-3));
  EXPECT_EQ(value_of("-7 % 4"), static_cast<uint64_t>(-3));
  EXPECT_EQ(value_of("1 << 4 | 3 & 2 ^ 1"), 19u);
  EXPECT_EQ(value_of("-8 >> 1"), static_cast<uint64_t>(-4));
  EXPECT_EQ(value_of("0xFFFFFFFFFFFFFFFF >> 60"), 15u);
  EXPECT_EQ(value_of("~0 == -1 ? 5 : 6"), 5u);
  EXPECT_EQ(value_of("!0 + !7"), 1u);
  EXPECT_EQ(value_of("1 < 2 && 2 < 1 || 3 >= 3"), 1u);
  EXPECT_EQ(value_of("-1 < 0U"), 0u);
  EXPECT_EQ(value_of("WARP_SZ * 2"), 64u);
  EXPECT_EQ(value_of("0x8000000000000000 / -1"), 0u);  // unsigned: the literal is
}

TEST(Parser, KeepsFloatBits) {
  Parsed p(".global .f32 a[3] = {0f3F800000, 1.5, 0d4000000000000000};");
  const auto& init = p.module->variables[0]->init;
  EXPECT_FALSE(init[0].is_double);
  EXPECT_EQ(init[0].bits, 0x3F800000u);
  EXPECT_TRUE(init[1].is_double);
  EXPECT_EQ(init[1].bits, 0x3FF8000000000000u);
  EXPECT_EQ(init[2].bits, 0x4000000000000000u);
}

TEST(Parser, ShortNestedListsKeepTheirRows) {
  Parsed p(".global .u32 a[2][3] = {{1, 2}, {4}};");
  const auto& init = p.module->variables[0]->init;
  ASSERT_EQ(init.size(), 3u);
  EXPECT_EQ(init[1].index, 1u);
  EXPECT_EQ(init[2].index, 3u);
  EXPECT_EQ(p.module->variables[0]->bytes(), 24u);
}

TEST(Parser, AnUnsizedArrayTakesItsListsLength) {
  Parsed p(".global .u16 a[] = {1, 2, 3};");
  EXPECT_EQ(p.module->variables[0]->dims[0], 3u);
}

TEST(Parser, AddressBytesCarryTheirMask) {
  Parsed p(".global .u32 g; .global .u8 a[2] = {0xFF(g), 0xFF00(generic(g)+4)};");
  const auto& init = p.module->variables[1]->init;
  EXPECT_EQ(init[0].mask, 0xFFu);
  EXPECT_FALSE(init[0].generic);
  EXPECT_EQ(init[1].mask, 0xFF00u);
  EXPECT_TRUE(init[1].generic);
  EXPECT_EQ(init[1].addend, 4);
}

TEST(Parser, OperandsHaveTheirParts) {
  Parsed p(
      ".entry k() {\n@!%p1 setp.eq.s32 %p2|%p3, %r1, -5;\n"
      "ld.global.v2.u32 {%r1, _}, [%rd1+-8];\n}");
  const Instruction& setp = p.instruction(0);
  EXPECT_TRUE(setp.guarded);
  EXPECT_TRUE(setp.guard.negated);
  EXPECT_EQ(setp.full_name(), "setp.eq.s32");
  EXPECT_EQ(setp.loc, (Loc{5, 7}));
  ASSERT_EQ(setp.operands[0].elements.size(), 1u);
  EXPECT_EQ(setp.operands[0].elements[0].name, "%p3");
  EXPECT_EQ(static_cast<int64_t>(setp.operands[2].bits), -5);
  const Instruction& ld = p.instruction(1);
  EXPECT_EQ(ld.operands[0].elements[1].kind, Operand::Kind::kSink);
  EXPECT_EQ(ld.operands[1].kind, Operand::Kind::kAddress);
  EXPECT_EQ(ld.operands[1].offset, -8);
}

TEST(Parser, LaunchBoundsAreRead) {
  Parsed p(".entry k() .maxntid 128, 2 .minnctapersm 3 .maxnreg 40 { ret; }");
  const Function& f = *p.module->functions[0];
  EXPECT_EQ(f.max_threads, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(f.min_blocks, 3u);
  EXPECT_EQ(f.max_registers, 40u);
}

TEST(Parser, SectionsAreKeptAsText) {
  Parsed p(".section .debug_str\n{\ninfo:\n.b8 104,105,0\n}");
  ASSERT_EQ(p.module->sections.size(), 1u);
  EXPECT_EQ(p.module->sections[0].name, "debug_str");
  EXPECT_NE(p.module->sections[0].text.find("104"), std::string_view::npos);
}

TEST(Check, InnerScopesHideOuterNames) {
  Parsed p(
      ".entry k() {\n.reg .b32 %r<3>;\nmov.u32 %r1, 1;\n{\n.reg .b32 %r<2>;\n"
      "mov.u32 %r1, 2;\n}\nmov.u32 %r2, %r1;\n}",
      true);
  const Function& f = *p.module->functions[0];
  EXPECT_EQ(f.registers.size(), 5u);
  const auto& inner = *std::get<std::unique_ptr<Block>>(f.body.statements[2]);
  const auto& hidden = std::get<Instruction>(inner.statements[1]).operands[0];
  EXPECT_EQ(hidden.ref.index, 4u);
  EXPECT_EQ(p.instruction(1).operands[1].ref.index, 1u);
}

TEST(Check, TheFormGivesTheTypes) {
  Parsed p(
      ".entry k() {\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.reg .f32 %f<2>;\n"
      "cvt.rn.f32.s64 %f1, %rd1;\nslct.b32.f32 %r1, %r1, %r2, %f1;\n}",
      true);
  EXPECT_EQ(p.instruction(0).types[1], Type::kF32);
  EXPECT_EQ(p.instruction(0).types[0], Type::kS64);
  EXPECT_EQ(p.instruction(1).types[0], Type::kB32);
  EXPECT_EQ(p.instruction(1).types[1], Type::kF32);
}

TEST(Check, AnAliasMeansItsTarget) {
  Parsed p(
      ".func target() { ret; }\n.func other();\n.alias other, target;\n"
      ".entry k() { call other; ret; }",
      true);
  const Function& k = *p.module->functions[2];
  const auto& call = std::get<Instruction>(k.body.statements[0]);
  EXPECT_EQ(call.operands[0].ref.function->name, "target");
}

}  // namespace
}  // namespace heddle::compiler::ptx
