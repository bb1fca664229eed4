// SPDX-License-Identifier: Apache-2.0
// Moves, shifts and sums that become products: as many as even out the units' counts, and the same results.
#include <gtest/gtest.h>

#include <cstdlib>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"

namespace heddle::compiler::test {
namespace {

struct Counts {
  int integer = 0, products = 0;
};

struct Compiled {
  formats::Cubin cubin;
  Counts before, after;  // of the kernel's largest block
};

Counts count(const mir::Function& f) {
  const mir::Block* largest = &f.blocks[0];
  for (const mir::Block& b : f.blocks)
    if (b.body.size() > largest->body.size()) largest = &b;
  Counts c;
  for (const mir::Instruction& i : largest->body) {
    if (i.pseudo != mir::Pseudo::None) continue;
    c.integer += i.info().unit == isa::Unit::Int;
    c.products += i.info().unit == isa::Unit::Imad;
  }
  return c;
}

// %r1: thread index, %r2 and %r3 random words of this thread, which become %r4's.
Compiled build(const std::string& body, unsigned optimization) {
  Compiled out;
  CompileOptions options;
  options.optimization = optimization;
  options.verify = true;
  options.dump = [&](std::string_view pass, const mir::Function& f) {
    if (pass == "entry-zeros") out.before = count(f);
    if (pass == "balance") out.after = count(f);
  };
  auto compiled = compile({"test.ptx", kernel_on_words(body, "%r4")}, options);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message();
  if (compiled) out.cubin = std::move(compiled->cubin);
  return out;
}

// What shifts of xorshift, and sums and differences, of which neither unit has too many.
std::string mixed() {
  std::string body = "mov.u32 %r4, %r2;\n";
  for (const char* step : {"13", "5", "17", "31", "1", "16"})
    body += std::string("shl.b32 %r5, %r4, ") + step +
            "; xor.b32 %r4, %r5, %r3; add.u32 %r6, %r4, %r2; shl.b32 %r4, %r6, 7; xor.b32 %r6, %r4, %r6; and.b32 %r4, "
            "%r6, %r3;" +
            " sub.u32 %r7, %r4, %r1; or.b32 %r4, %r7, %r2; shr.u32 %r8, %r4, 3; sub.u32 %r4, %r3, %r8;\n";
  return body;
}

TEST(BalanceTest, ResultsAreThoseOfTheSameProgramWithoutIt) {
  EXPECT_EQ(run_on_words(build(mixed(), 2).cubin), run_on_words(build(mixed(), 0).cubin));
}

TEST(BalanceTest, UnitsHaveTheSameToDo) {
  const Compiled c = build(mixed(), 2);
  EXPECT_GT(c.before.integer, 40);
  EXPECT_LT(c.before.products, 4);
  EXPECT_LE(std::abs(c.after.integer - c.after.products), 1);
  EXPECT_EQ(c.after.integer + c.after.products, c.before.integer + c.before.products);
}

TEST(BalanceTest, ProductsOfTheProgramCount) {
  std::string body = "mov.u32 %r4, %r2;\n";
  for (int n = 0; n < 20; n++) body += "mad.lo.u32 %r4, %r4, %r3, %r2; shl.b32 %r4, %r4, 3;\n";
  const Compiled c = build(body, 2);
  EXPECT_LE(c.after.products - c.before.products, 2);  // they are as many as the shifts already
}

TEST(BalanceTest, WhatHasCarriesOrNoProductStays) {
  std::string body = "mov.u32 %r4, %r2;\n";
  for (int n = 0; n < 10; n++)
    body += "add.cc.u32 %r4, %r4, %r3; addc.u32 %r5, %r2, %r1; xor.b32 %r4, %r4, %r5; shr.s32 %r4, %r4, 1;\n";
  const Compiled c = build(body, 2);
  EXPECT_EQ(c.after.products, c.before.products);
  EXPECT_EQ(run_on_words(c.cubin), run_on_words(build(body, 0).cubin));
}

}  // namespace
}  // namespace heddle::compiler::test
