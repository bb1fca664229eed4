// SPDX-License-Identifier: Apache-2.0
// Registers that hold one value after the other: values that do not meet become registers of their own, those that meet
// stay one, and copies between values, or to where a function's argument lies, are free.
#include <gtest/gtest.h>

#include <set>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"

namespace heddle::compiler::test {
namespace {

struct Compiled {
  formats::Cubin cubin;
  std::set<mir::VReg> sums;  // registers that IADD writes, after separation
  unsigned copies = 0;       // that move something, in the end
};

Compiled build(const std::string& functions, const std::string& body, unsigned optimization = 2) {
  Compiled out;
  CompileOptions options;
  options.optimization = optimization;
  options.verify = true;
  options.dump = [&](std::string_view pass, const mir::Function& f) {
    if (pass != "separate-values" && pass != "balance") return;
    for (const mir::Block& b : f.blocks)
      for (const mir::Instruction& i : b.body) {
        if (pass == "separate-values") {
          if (i.op == isa::Opcode::Iadd && i.pseudo == mir::Pseudo::None) out.sums.insert(i.dst.id);
          continue;
        }
        const bool product = i.op == isa::Opcode::Imad && i.a.kind == mir::Operand::Kind::None && i.b.kind == i.a.kind;
        const bool move = i.op == isa::Opcode::Mov && (i.b.is_reg() || i.b.is_phys());
        out.copies += i.pseudo == mir::Pseudo::None && (product || move);
      }
  };
  auto compiled = compile({"test.ptx", kernel_on_words(body, "%r2", functions)}, options);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message();
  if (compiled) out.cubin = std::move(compiled->cubin);
  return out;
}

void same_as_unoptimized(const std::string& functions, const std::string& body) {
  EXPECT_EQ(run_on_words(build(functions, body).cubin), run_on_words(build(functions, body, 0).cubin));
}

TEST(SeparateTest, ValuesOnBothSidesOfABranchAreTwoRegisters) {
  const std::string body = R"(
  add.u32 %r4, %r2, %r3; setp.lt.u32 %p1, %r4, 77; @%p1 bra L; st.global.u32 [%rd1+4], %r4;
L: add.u32 %r4, %r2, 5; shl.b32 %r2, %r4, %r3;)";
  EXPECT_EQ(build("", body).sums.size(), 2u);
  same_as_unoptimized("", body);
}

TEST(SeparateTest, ValuesThatMeetStayOne) {
  const std::string join = R"(
  setp.lt.u32 %p1, %r2, %r3; @%p1 bra A; add.u32 %r4, %r2, 3; bra B;
A: add.u32 %r4, %r3, 5;
B: shl.b32 %r2, %r4, %r3;)";
  EXPECT_EQ(build("", join).sums.size(), 1u);
  same_as_unoptimized("", join);
  const std::string loop = R"(
  mov.u32 %r4, %r1;
L: xor.b32 %r2, %r2, %r4; add.u32 %r4, %r4, 3; setp.lt.u32 %p1, %r4, 40; @%p1 bra L;
  add.u32 %r2, %r2, %r4;)";
  same_as_unoptimized("", loop);
}

// What is written where a guard holds keeps the old value elsewhere.
TEST(SeparateTest, AGuardedWriteGoesOnWithTheValue) {
  const std::string body = R"(
  add.u32 %r4, %r2, 1; setp.lt.u32 %p1, %r2, %r3; @%p1 add.u32 %r4, %r3, 9; setp.gt.u32 %p1, %r4, 77;
  @%p1 bra L; st.global.u32 [%rd1+4], %r4;
L: mov.b32 %r2, %r4;)";
  EXPECT_EQ(build("", body).sums.size(), 1u);
  same_as_unoptimized("", body);
}

// The slow path needs what the fast one's result replaces.
TEST(SeparateTest, ARegisterThatIsItsOwnRootCostsNoCopy) {
  const std::string body = R"(
  cvt.rn.f64.u32 %f1, %r2; sqrt.rn.f64 %f1, %f1; sqrt.rn.f64 %f1, %f1; sqrt.rn.f64 %f1, %f1; cvt.rni.u32.f64 %r2, %f1;)";
  const std::string with_names = R"(
  cvt.rn.f64.u32 %f1, %r2; sqrt.rn.f64 %f2, %f1; sqrt.rn.f64 %f3, %f2; sqrt.rn.f64 %f4, %f3; cvt.rni.u32.f64 %r2, %f4;)";
  EXPECT_EQ(build("", body).copies, build("", with_names).copies);
  same_as_unoptimized("", body);
}

TEST(SeparateTest, AFunctionsArgumentIsUsedWhereItLies) {
  const std::string function = R"(
.func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<4>;
  ld.param.b32 %r1, [a]; xor.b32 %r1, %r1, 0x55; shf.l.wrap.b32 %r1, %r1, %r1, 3; xor.b32 %r1, %r1, 0x155; st.param.b32 [r], %r1; ret; })";
  const std::string call = R"(
  { .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call.uni (q), f, (p); ld.param.b32 %r2, [q]; })";
  EXPECT_EQ(build(function, call).copies, 0u);
  same_as_unoptimized(function, call);
}

}  // namespace
}  // namespace heddle::compiler::test
