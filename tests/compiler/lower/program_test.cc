// SPDX-License-Identifier: Apache-2.0
// Memory, parameters, control flow and calls: small kernels run on machine IR.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/lower/kernel.h"

namespace heddle::compiler::lower::test {
namespace {

using Words = std::vector<uint64_t>;

// Runs kernel k(out pointer, then `params` bytes) and gives what it left in 8 words.
Words run(const std::string& text, const std::vector<uint8_t>& params = {}, uint32_t tid = 0) {
  Compiled compiled = compile_modules({text});
  EXPECT_EQ(compiled.complaints, "");
  Words out(8);
  if (!compiled.complaints.empty()) return out;
  Thread thread;
  thread.tid = tid;
  thread.params.resize(8);
  void* pointer = out.data();
  std::memcpy(thread.params.data(), &pointer, 8);
  thread.params.insert(thread.params.end(), params.begin(), params.end());
  MirEval eval(compiled.module);
  EXPECT_EQ(eval.run("k", thread), "");
  return out;
}

std::string kernel(const std::string& body, const std::string& params = "", const std::string& before = "") {
  return before + ".visible .entry k(.param .u64 out" + params +
         ")\n{\n.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 "
         "%f<8>;\n"
         "ld.param.u64 %rd0, [out];\n" +
         body + "\nret;\n}\n";
}

TEST(Memory, NarrowLoadsExtendByTheirType) {
  Words out =
      run(kernel("mov.u32 %r1, 0x80FF; st.global.u32 [%rd0], %r1;"
                 "ld.global.s8 %r2, [%rd0]; st.global.u32 [%rd0+8], %r2;"
                 "ld.global.u8 %rd1, [%rd0]; st.global.u64 [%rd0+16], %rd1;"
                 "ld.global.s16 %rd1, [%rd0]; st.global.u64 [%rd0+24], %rd1;"));
  EXPECT_EQ(out[1], 0xFFFFFFFFu);
  EXPECT_EQ(out[2], 0xFFu);
  EXPECT_EQ(out[3], 0xFFFFFFFFFFFF80FFu);
}

TEST(Memory, VectorsKeepTheirElementsOrder) {
  Words out =
      run(kernel("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3;"
                 "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, 4};"
                 "ld.global.v2.u64 {%rd1, %rd2}, [%rd0]; st.global.v2.u64 [%rd0+16], {%rd2, %rd1};"
                 "mov.u16 %h1, 0x1122; mov.u16 %h2, 0x3344;"
                 "st.global.v4.u16 [%rd0+32], {%h1, %h2, 5, %h1};"
                 "st.global.v2.u8 [%rd0+40], {%h2, %h1};"
                 "ld.global.v4.u8 {%r4, _, %r5, %r6}, [%rd0+32]; st.global.u32 [%rd0+48], %r6;"));
  EXPECT_EQ(out[0], 0x0000000200000001u);
  EXPECT_EQ(out[1], 0x0000000400000003u);
  EXPECT_EQ(out[2], out[1]);
  EXPECT_EQ(out[3], out[0]);
  EXPECT_EQ(out[4], 0x1122000533441122u);
  EXPECT_EQ(out[5], 0x2244u);
  EXPECT_EQ(out[6], 0x33u);
}

TEST(Memory, OneElementMayStandInBraces) {  // as Triton writes it
  Words out =
      run(kernel("mov.u32 %r1, 7; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 7;"
                 "@%p1 st.global.b32 [ %rd0 + 0 ], { %r1 };"
                 "@%p1 ld.global.b32 { %r2 }, [ %rd0 + 0 ];"
                 "@!%p1 ld.global.b32 { %r2 }, [ %rd0 + 32 ];"
                 "st.global.L1::evict_last.b32 [ %rd0 + 8 ], { %r2 };"));
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 7u);
}

// Registers that a failing guard leaves alone; an element that is the address as well.
TEST(Memory, GuardedVectorsKeepWhatTheyDoNotLoad) {
  Words out =
      run(kernel("mov.u64 %rd1, 5; mov.u64 %rd2, 6; setp.eq.u64 %p1, %rd1, 5;"
                 "st.global.u64 [%rd0], 1; st.global.u64 [%rd0+8], 2;"
                 "@!%p1 ld.global.v2.u64 {%rd1, %rd2}, [%rd0];"
                 "@%p1 st.global.v2.u64 [%rd0+16], {%rd1, %rd2};"
                 "@!%p1 st.global.v2.u64 [%rd0+32], {%rd1, %rd2};"
                 "add.u64 %rd3, %rd0, 0; @%p1 ld.global.v2.u64 {%rd3, %rd2}, [%rd3];"
                 "st.global.v2.u64 [%rd0+48], {%rd3, %rd2};"));
  EXPECT_EQ(out, (Words{1, 2, 5, 6, 0, 0, 1, 2}));
}

TEST(Memory, SpacesAndGenericAddressesMeetInTheSameBytes) {
  Words out =
      run(kernel(".local .align 8 .b8 depot[16]; .shared .align 8 .b8 tile[16];"
                 "mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1;"
                 "st.u32 [%rd2+4], 7; ld.local.u32 %r1, [depot+4]; st.global.u32 [%rd0], %r1;"
                 "cvta.shared.u64 %rd3, tile; add.s64 %rd3, %rd3, 8; st.u32 [%rd3], 9;"
                 "ld.shared.u32 %r2, [tile+8]; st.global.u32 [%rd0+8], %r2;"
                 "cvta.to.shared.u64 %rd4, %rd3; ld.shared.u32 %r3, [%rd4]; st.global.u32 [%rd0+16], %r3;"
                 "isspacep.local %p1, %rd2; isspacep.shared %p2, %rd2; isspacep.global %p3, %rd0;"
                 "selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; selp.u32 %r6, 4, 0, %p3;"
                 "add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; st.global.u32 [%rd0+24], %r4;"));
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 9u);
  EXPECT_EQ(out[2], 9u);
  EXPECT_EQ(out[3], 5u);
}

TEST(Memory, InitialValuesAndAddressesArrive) {
  Words out =
      run(kernel("ld.global.u32 %r1, [table+4]; st.global.u32 [%rd0], %r1;"
                 "ld.global.u64 %rd1, [where]; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd0+8], %r2;"
                 "ld.const.u8 %r3, [bytes+4]; st.global.u32 [%rd0+16], %r3;"
                 "mov.u64 %rd2, bytes; ld.const.u8 %r4, [%rd2+1]; st.global.u32 [%rd0+24], %r4;"
                 "ld.global.u64 %rd3, [split]; ld.u32 %r5, [%rd3]; st.global.u32 [%rd0+32], %r5;",
                 "",
                 ".global .u32 table[3] = {5, 6};\n.global .u64 where = table+4;\n"
                 ".const .u8 bytes[2][3] = {{1, 2}, {3, 4}};\n"
                 ".global .align 8 .u8 split[8] = {0xFF(table), 0xFF00(table), 0xFF0000(table),"
                 " 0xFF000000(table), 0xFF00000000(table), 0xFF0000000000(table),"
                 " 0xFF000000000000(table), 0xFF00000000000000(table)};\n"));
  EXPECT_EQ(out[0], 6u);
  EXPECT_EQ(out[1], 6u);
  EXPECT_EQ(out[2], 4u);
  EXPECT_EQ(out[3], 2u);
  EXPECT_EQ(out[4], 5u);
}

TEST(Parameters, AreLaidOutByTheirAlignment) {
  std::vector<uint8_t> params = {0x81, 0, 0x34, 0x92, 1, 2, 3, 4, 9, 0, 0, 0, 0, 0, 0, 0x80};
  Words out = run(kernel("ld.param.s8 %r1, [c]; st.global.u32 [%rd0], %r1;"
                         "ld.param.u16 %r2, [s]; st.global.u32 [%rd0+8], %r2;"
                         "ld.param.v4.u8 {%r3, %r4, %r5, %r6}, [b]; st.global.u32 [%rd0+16], %r5;"
                         "ld.param.u64 %rd1, [d]; st.global.u64 [%rd0+24], %rd1;"
                         "mov.u64 %rd2, b; ld.param.u32 %r7, [%rd2]; st.global.u32 [%rd0+32], %r7;",
                         ", .param .s8 c, .param .u16 s, .param .align 4 .b8 b[4], .param .u64 d"),
                  params);
  EXPECT_EQ(out[0], 0xFFFFFF81u);
  EXPECT_EQ(out[1], 0x9234u);
  EXPECT_EQ(out[2], 3u);
  EXPECT_EQ(out[3], 0x8000000000000009u);
  EXPECT_EQ(out[4], 0x04030201u);
}

// As clang reads float2 items[] of a structure by a running index; the first element may take the address's register.
TEST(Parameters, VectorsLoadFromComputedAddresses) {
  std::vector<uint8_t> params(32);
  for (uint8_t i = 0; i < 32; ++i) params[i] = i;
  Words out =
      run(kernel("mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 8; mov.u64 %rd2, b; add.s64 %rd3, %rd2, %rd1;"
                 "ld.param.v2.f32 {%f1, %f2}, [%rd3]; st.global.v2.f32 [%rd0], {%f1, %f2};"
                 "ld.param.v4.u16 {%h1, %h2, %h3, %h4}, [%rd3]; st.global.v4.u16 [%rd0+8], {%h4, %h3, %h2, %h1};"
                 "ld.param.v2.s8 {%r2, %r3}, [%rd3+1]; st.global.v2.u32 [%rd0+16], {%r2, %r3};"
                 "ld.param.v2.u64 {%rd3, %rd4}, [%rd3+8]; st.global.v2.u64 [%rd0+24], {%rd3, %rd4};",
                 ", .param .align 8 .b8 b[32]"),
          params, 1);
  EXPECT_EQ(out[0], 0x0f0e0d0c0b0a0908u);
  EXPECT_EQ(out[1], 0x09080b0a0d0c0f0eu);
  EXPECT_EQ(out[2], 0x0000000a00000009u);
  EXPECT_EQ(out[3], 0x1716151413121110u);
  EXPECT_EQ(out[4], 0x1f1e1d1c1b1a1918u);
}

TEST(Control, LoopsAndGuards) {
  Words out =
      run(kernel("mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
                 "LOOP: add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1;"
                 "setp.lt.u32 %p1, %r1, 10; @%p1 bra LOOP;\n"
                 "@!%p1 add.u32 %r2, %r2, 100; @%p1 add.u32 %r2, %r2, 1000;"
                 "@!%p1 div.u32 %r2, %r2, 5; @%p1 div.u32 %r2, %r2, 7;"
                 "st.global.u32 [%rd0], %r2; @!%p1 exit; st.global.u32 [%rd0+8], 1;"));
  EXPECT_EQ(out[0], 29u);
  EXPECT_EQ(out[1], 0u);
}

TEST(Control, AGuardMayBeWrittenByItsOwnInstruction) {
  Words out =
      run(kernel("mov.u32 %r1, 3; setp.eq.s32 %p1, %r1, 3;"
                 "@%p1 setp.eq.s32 %p1|%p2, %r1, 4; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 2, 0, %p2;"
                 "st.global.u32 [%rd0], %r2; st.global.u32 [%rd0+8], %r3;"));
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[1], 2u);
}

TEST(Control, IndexedBranchesTakeTheirLabel) {
  for (uint32_t i = 0; i < 3; ++i) {
    Words out = run(kernel("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; brx.idx %r1, T;\n"
                           "T: .branchtargets A, B, C;\n"
                           "A: add.u32 %r2, %r2, 1;\nB: add.u32 %r2, %r2, 10;\nC: st.global.u32 [%rd0], %r2;"),
                    {}, i);
    EXPECT_EQ(out[0], (std::array<uint64_t, 3>{11, 10, 0})[i]);
  }
}

// A guard's other lanes run, too, but not this instruction.
TEST(Control, TheActiveMaskIsARegisterWithoutAGuard) {
  for (const bool guarded : {false, true}) {
    const std::string ptx = ".version 8.4\n.target sm_80\n.address_size 64\n" +
                            kernel(std::string("setp.eq.u32 %p1, %r2, %r3; mov.u32 %r1, 5;") +
                                   (guarded ? "@%p1 " : "") + "activemask.b32 %r1; st.global.u32 [%rd0], %r1;");
    const auto compiled = compile({"mask.ptx", ptx}, {.verify = true});
    ASSERT_TRUE(compiled) << compiled.error().message();
    size_t registers = 0, ballots = 0;
    for (const uint64_t word : compiled->cubin.code) {
      registers += isa::disassemble(word).find("SR_ACTIVEMASK") != std::string::npos;
      ballots += isa::disassemble(word).find("BALLOT") != std::string::npos;
    }
    EXPECT_EQ(registers, guarded ? 0u : 1u);
    EXPECT_EQ(ballots, guarded ? 1u : 0u);
  }
}

TEST(Control, SelectionTakesPredicatesOfAllKinds) {
  Words out =
      run(kernel("mov.u32 %r1, 5; setp.gt.s32 %p1, %r1, 3; setp.lt.and.s32 %p2|%p3, %r1, 3, %p1;"
                 "xor.pred %p4, %p1, %p3; not.pred %p5, %p4; mov.pred %p6, 1; and.pred %p7, %p6, !%p5;"
                 "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4;"
                 "selp.u32 %r5, 8, 0, %p5; selp.u32 %r6, 16, 0, %p7;"
                 "add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4;"
                 "add.u32 %r2, %r2, %r6; st.global.u32 [%rd0], %r2;"));
  EXPECT_EQ(out[0], 2u + 8u + 0u);
}

const char kFunctions[] =
    ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>; .reg .pred %p<2>;\n"
    "ld.param.u32 %r1, [a]; setp.eq.u32 %p1, %r1, 0; st.param.b32 [r], 77; @%p1 ret;\n"
    "shl.b32 %r2, %r1, 1; st.param.b32 [r+0], %r2; ret;\n}\n"
    ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16], .param .b8 n)\n{\n"
    ".reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .b64 %x;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [a+8]; ld.param.s8 %r1, [n]; cvt.s64.s32 %x, %r1;"
    "add.s64 %rd1, %rd1, %x; st.param.v2.b64 [r], {%rd2, %rd1}; ret;\n}\n"
    ".func (.reg .u32 s) plus(.reg .u32 a, .reg .u32 b)\n{\nadd.u32 s, a, b; ret;\n}\n";

TEST(Calls, ScalarsStructsAndRegistersCross) {
  Words out =
      run(kernel("{ .param .b32 p; .param .b32 q; st.param.b32 [p], 21; call (q), twice, (p);"
                 "ld.param.b32 %r1, [q]; st.global.u32 [%rd0], %r1;"
                 "st.param.b32 [p], 0; call (q), twice, (p); ld.param.b32 %r1, [q]; st.global.u32 "
                 "[%rd0+8], %r1; }"
                 "{ .param .align 8 .b8 p[16]; .param .b8 n; .param .align 8 .b8 q[16];"
                 "st.param.b64 [p], 100; st.param.b32 [p+8], 5; st.param.b32 [p+12], 0;"
                 "mov.u16 %h1, 0xFF; st.param.b8 [n], %h1; call.uni (q), swap, (p, n);"
                 "ld.param.v2.b64 {%rd1, %rd2}, [q]; st.global.v2.u64 [%rd0+16], {%rd1, %rd2}; }"
                 "call (%r2), plus, (%r1, 3); st.global.u32 [%rd0+32], %r2;",
                 "", kFunctions));
  EXPECT_EQ(out[0], 42u);
  EXPECT_EQ(out[1], 77u);
  EXPECT_EQ(out[2], 5u);
  EXPECT_EQ(out[3], 99u);
  EXPECT_EQ(out[4], 80u);
}

TEST(Calls, AFunctionsAddressCanBeCalled) {
  Words out =
      run(kernel("ld.global.u64 %rd1, [entry]; mov.u64 %rd2, twice; setp.eq.u64 %p1, %rd1, %rd2;"
                 "selp.u32 %r2, 1, 0, %p1; st.global.u32 [%rd0], %r2;"
                 "{ .param .b32 p; .param .b32 q; st.param.b32 [p], 8;\n"
                 "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                 "call (q), %rd1, (p), proto; ld.param.b32 %r1, [q]; st.global.u32 [%rd0+8], %r1; }",
                 "", std::string(kFunctions) + ".global .u64 entry = twice;\n"));
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[1], 16u);
}

TEST(Peepholes, AnIndexedAddressIsOneWideMultiplyAdd) {
  Compiled c =
      compile_modules({kernel("mov.u32 %r1, %tid.x; mul.wide.s32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1;"
                              "add.s64 %rd3, %rd1, %rd0; st.global.u32 [%rd2], 1; st.global.u32 [%rd3], 1;")});
  int wide = 0, adds = 0;
  for (const mir::Block& b : c.module.functions[0].blocks) {
    for (const mir::Instruction& i : b.body) {
      wide += i.is(isa::Opcode::ImadWide) && !i.c.is_none();
      adds += i.is(isa::Opcode::Iadd64);
    }
  }
  EXPECT_EQ(wide, 2);
  EXPECT_EQ(adds, 0);
}

TEST(Peepholes, AProductOfALaterValueIsNotUsed) {
  // %r1 changes between the product and the sum.
  Words out =
      run(kernel("mov.u32 %r1, 3; mul.wide.s32 %rd1, %r1, 4; mov.u32 %r1, 100; add.s64 %rd2, %rd1, %rd3;"
                 "sub.s64 %rd2, %rd2, %rd3; st.global.u64 [%rd0], %rd2;"));
  EXPECT_EQ(out[0], 12u);
}

TEST(Linking, LibrariesGiveWhatIsReachedAndNoMore) {
  std::string main =
      ".extern .func (.param .b32 r) helper(.param .b32 a);\n"
      ".func (.param .b32 r) own(.param .b32 a) { .reg .b32 x; ld.param.u32 x, [a];"
      "st.param.b32 [r], x; ret; }\n" +
      kernel(
          "{ .param .b32 p; .param .b32 q; st.param.b32 [p], 2; call (q), helper, (p);"
          "ld.param.b32 %r1, [q]; call (q), own, (p); st.global.u32 [%rd0], %r1; }");
  std::string library =
      ".global .u32 offset = 40;\n.global .u32 unused = 1;\n"
      ".func (.param .b32 r) own(.param .b32 a)\n{ .reg .b32 x; .reg .b32 y; ld.param.u32 x, [a];"
      "ld.global.u32 y, [offset]; add.u32 x, x, y; st.param.b32 [r], x; ret; }\n"
      ".visible .func (.param .b32 r) helper(.param .b32 a)\n{ .reg .b32 x; .param .b32 p; .param "
      ".b32 q;"
      "ld.param.u32 x, [a]; st.param.b32 [p], x; call (q), own, (p); ld.param.b32 x, [q];"
      "st.param.b32 [r], x; ret; }\n.visible .func idle() { ret; }\n";
  Compiled c = compile_modules({main, library});
  EXPECT_EQ(c.complaints, "");
  EXPECT_EQ(c.module.functions.size(), 4u);  // k, helper, and an own of each module
  EXPECT_EQ(c.module.variables.size(), 1u);
  std::set<std::string> names;
  for (const mir::Function& f : c.module.functions) EXPECT_TRUE(names.insert(f.name).second) << f.name;
  Words out(2);
  Thread thread;
  thread.params.resize(8);
  void* pointer = out.data();
  std::memcpy(thread.params.data(), &pointer, 8);
  MirEval eval(c.module);
  EXPECT_EQ(eval.run("k", thread), "");
  EXPECT_EQ(out[0], 42u);
}

TEST(Linking, AStrongDefinitionWinsOverAWeakOne) {
  Compiled c =
      compile_modules({".weak .global .u32 x = 1;\n.visible .entry k() { .reg .b32 r; "
                       "ld.global.u32 r, [x]; ret; }\n",
                       ".visible .global .u32 x = 2;\n"});
  EXPECT_EQ(c.complaints, "");
  ASSERT_EQ(c.module.variables.size(), 1u);
  EXPECT_EQ(c.module.variables[0].init[0], 2);
}

TEST(Linking, TwoStrongDefinitionsAreAnError) {
  Compiled c = compile_modules({".visible .func f() { ret; }\n", ".visible .func f() { ret; }\n"});
  EXPECT_EQ(c.complaints,
            "lib1.ptx:4:16: error: Multiple definition of 'f'\n.visible .func f() { ret; }\n       "
            "        ^\n");
}

TEST(Linking, RelocatableOutputKeepsExternFunctionsOpen) {
  std::string text = ".extern .func away();\n.visible .func f() { call away; ret; }\n";
  Compiled c = compile_modules({text}, {.relocatable = true});
  EXPECT_EQ(c.complaints, "");
  ASSERT_EQ(c.module.functions.size(), 1u);
  bool open = false;
  for (const mir::Symbol& s : c.module.symbols) open |= s.kind == mir::Symbol::Kind::ExternFunction && s.name == "away";
  EXPECT_TRUE(open);
}

TEST(Lines, InstructionsCarryTheirSourceLine) {
  Compiled c =
      compile_modules({".file 1 \"a.cu\"\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n.loc 1 7 "
                       "3\nmov.u32 %r1, 5;\nret;\n}\n"});
  ASSERT_EQ(c.module.files.size(), 1u);
  const mir::Loc& loc = c.module.functions[0].blocks[0].body[0].loc;
  EXPECT_EQ(c.module.files[loc.file], "a.cu");
  EXPECT_EQ(loc.line, 7u);
  EXPECT_EQ(loc.column, 3u);
}

}  // namespace
}  // namespace heddle::compiler::lower::test
