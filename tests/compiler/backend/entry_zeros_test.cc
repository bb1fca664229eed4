// SPDX-License-Identifier: Apache-2.0
// Programs that read what they never wrote, on a golden model whose registers begin with garbage.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"

namespace heddle::compiler::test {
namespace {

struct Compiled {
  formats::Cubin cubin;
  std::map<std::string, unsigned> zeros;  // at the entry, by function
};

// %rd1: address of this thread's word in the buffer, %r1: thread index.
std::string kernel(const std::string& body) {
  return R"(.visible .entry k(.param .u64 out)
{ .reg .b32 %r<80>; .reg .b64 %rd<8>; .reg .pred %p<8>; .reg .f32 %f<8>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
)" + body +
         "\n  ret;\n}\n";
}

unsigned leading_zeros(const mir::Function& f) {
  unsigned n = 0;
  for (const mir::Instruction& i : f.blocks[0].body) {
    const bool reg = i.is(isa::Opcode::Mov) && i.dst.is_phys() && i.b.is_imm(0);
    const bool pred = i.pseudo == mir::Pseudo::Copy && i.pd != mir::kNone && !i.p.present() && i.p.negated;
    if (!reg && !pred) break;
    n++;
  }
  return n;
}

Compiled build(const std::string& text, unsigned optimization) {
  Compiled out;
  CompileOptions options;
  options.optimization = optimization;
  options.verify = true;
  options.dump = [&](std::string_view pass, const mir::Function& f) {
    if (pass == "entry-zeros") out.zeros[f.name] = leading_zeros(f);
  };
  auto compiled = compile({"test.ptx", ".version 8.3\n.target sm_80\n.address_size 64\n" + text}, options);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message();
  if (compiled) out.cubin = std::move(compiled->cubin);
  return out;
}

std::vector<uint32_t> run(const formats::Cubin& cubin) {
  const auto result = run_on_model(cubin, "k", std::vector<uint8_t>(32 * 4), {}, {});
  EXPECT_TRUE(result.ok()) << result.error().message();
  std::vector<uint32_t> words(32);
  if (result) std::memcpy(words.data(), result->buffer.data(), 128);
  return words;
}

class EntryZeros : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Levels, EntryZeros, testing::Values(0u, 2u),
                         [](const auto& level) { return "O" + std::to_string(level.param); });

TEST_P(EntryZeros, ARegisterThatIsNeverWrittenReadsAsZero) {
  const Compiled c = build(kernel("add.u32 %r2, %r1, %r9; st.global.u32 [%rd1], %r2;"), GetParam());
  const std::vector<uint32_t> out = run(c.cubin);
  for (uint32_t t = 0; t < 32; t++) EXPECT_EQ(out[t], t);
}

TEST_P(EntryZeros, APredicateThatIsNeverWrittenIsFalse) {
  const Compiled c = build(kernel("selp.u32 %r2, 7, %r1, %p3; st.global.u32 [%rd1], %r2;"), GetParam());
  const std::vector<uint32_t> out = run(c.cubin);
  for (uint32_t t = 0; t < 32; t++) EXPECT_EQ(out[t], t);
}

TEST_P(EntryZeros, SoIsWhatOnlySomeLanesWrite) {
  const Compiled c = build(kernel(R"(setp.lt.u32 %p1, %r1, 5; @%p1 ld.global.u32 %r2, [%rd1]; @%p1 add.u32 %r2, %r2, 9;
    st.global.u32 [%rd1], %r2;)"),
                           GetParam());
  const std::vector<uint32_t> out = run(c.cubin);
  for (uint32_t t = 0; t < 32; t++) EXPECT_EQ(out[t], t < 5 ? 9 : 0);
}

TEST_P(EntryZeros, SoIsARegisterOfALoopThatItsFirstTurnReads) {
  const Compiled c = build(kernel(R"(mov.u32 %r3, 0;
LOOP: add.u32 %r2, %r2, %r1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra LOOP;
    st.global.u32 [%rd1], %r2;)"),
                           GetParam());
  const std::vector<uint32_t> out = run(c.cubin);
  for (uint32_t t = 0; t < 32; t++) EXPECT_EQ(out[t], 3 * t);
}

TEST_P(EntryZeros, FunctionsHaveThemToo) {
  const Compiled c = build(R"(.func (.param .b32 r) f(.param .b32 a)
{ .reg .b32 %r<9>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, %r3; st.param.b32 [r], %r2; ret; }
)" + kernel(R"({ .param .b32 a; st.param.b32 [a], %r1; .param .b32 r; call.uni (r), f, (a); ld.param.b32 %r2, [r]; }
    st.global.u32 [%rd1], %r2;)"),
                           GetParam());
  const std::vector<uint32_t> out = run(c.cubin);
  for (uint32_t t = 0; t < 32; t++) EXPECT_EQ(out[t], t);
}

// A function stores the registers that it keeps for its caller, so they must hold something.
TEST_P(EntryZeros, AKernelWritesWhatItsFunctionsKeepForIt) {
  std::string many = ".func (.param .b32 r) f(.param .b32 a)\n{ .reg .b32 %r<80>; ld.param.u32 %r0, [a];\n";
  for (int n = 1; n < 40; n++) many += "  add.u32 %r" + std::to_string(n) + ", %r0, " + std::to_string(n * n) + ";\n";
  many += "  call g;\n";
  for (int n = 1; n < 40; n++) many += "  mad.lo.u32 %r0, %r0, %r" + std::to_string(n) + ", 1;\n";
  many += "  st.param.b32 [r], %r0; ret; }\n";
  const Compiled c = build(".func g() { ret; }\n" + many + kernel(R"(
    { .param .b32 a; st.param.b32 [a], %r1; .param .b32 r; call.uni (r), f, (a); ld.param.b32 %r2, [r]; }
    st.global.u32 [%rd1], %r2;)"),
                           GetParam());
  EXPECT_GE(c.zeros.at("k"), 36u);
  EXPECT_EQ(c.zeros.at("f"), 0u);
}

// What has been defined under a guard and is read under it costs nothing.
TEST(EntryZerosCost, NothingWhereTheGuardsAgree) {
  const Compiled c = build(kernel(R"(setp.lt.u32 %p1, %r1, 5; @!%p1 bra END;
    ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 9; st.global.u32 [%rd1], %r2;
END:)"),
                           2);
  EXPECT_EQ(c.zeros.at("k"), 0u);
}

TEST(EntryZerosCost, ButTheGuardMustNotHaveChanged) {
  const Compiled c = build(kernel(R"(setp.lt.u32 %p1, %r1, 5; @%p1 ld.global.u32 %r2, [%rd1];
    setp.lt.u32 %p1, %r1, 7; @%p1 st.global.u32 [%rd1], %r2;)"),
                           2);
  EXPECT_EQ(c.zeros.at("k"), 1u);
  EXPECT_EQ(run(c.cubin)[6], 0u);
}

}  // namespace
}  // namespace heddle::compiler::test
