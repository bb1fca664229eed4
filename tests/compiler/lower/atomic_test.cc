// SPDX-License-Identifier: Apache-2.0
// Atomics of floating-point numbers: an instruction a word where memory computes on them, else a loop an element.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host-runtime/compiler/compile.h"
#include "isa/isa.h"

namespace heddle::compiler {
namespace {

std::vector<std::string> code_of(const std::string& body, bool has_float_atomics) {
  const std::string head =
      ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .u64 %rd<4>; .reg .f32 %f<8>; .reg .b32 %r<8>; .reg .f64 %d<4>; .reg .b16 %h<4>; .reg .pred "
      "%p<2>;\n.shared .align 8 .b8 "
      "s[64];\n"
      "ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\nld.global.b32 %r1, [%rd1+4];\n";
  const auto compiled =
      compile({"atomic.ptx", head + body + "ret;\n}\n"}, {.has = {.float_atomics = has_float_atomics}, .verify = true});
  EXPECT_TRUE(compiled) << compiled.error().message();
  std::vector<std::string> out;
  if (!compiled) return out;
  for (const uint64_t word : compiled->cubin.code) out.push_back(isa::disassemble(word));
  return out;
}

size_t count(const std::vector<std::string>& code, const std::string& text) {
  return static_cast<size_t>(
      std::count_if(code.begin(), code.end(), [&](const std::string& s) { return s.find(text) != std::string::npos; }));
}

struct Form {
  const char* ptx;
  const char* instruction;
  size_t instructions = 1;
  size_t loops = instructions;  // where memory does not compute
};
constexpr Form kForms[] = {
    {"atom.global.add.f32 %f2, [%rd1], %f1; st.global.f32 [%rd1+8], %f2;\n", "ATOMG.32.ADD.F32"},
    {"red.global.add.f32 [%rd1], %f1;\n", "ATOMG.32.ADD.F32"},
    {"red.shared.add.f32 [s], %f1;\n", "ATOMS.32.ADD.F32"},
    {"red.add.f32 [%rd1], %f1;\n", "ATOM.32.ADD.F32"},
    {"red.global.v2.f32.add [%rd1], {%f1, %f1};\n", "ATOMG.32.ADD.F32", 2},
    {"red.global.add.noftz.f16x2 [%rd1], %r1;\n", "ATOMG.32.ADD.F16X2"},
    {"red.shared.add.noftz.bf16x2 [s], %r1;\n", "ATOMS.32.ADD.BF16X2"},
    {"cvt.f64.f32 %d1, %f1; red.global.add.f64 [%rd1], %d1;\n", "ATOMG.64.ADD.F64"},
    {"red.global.min.noftz.v2.f16x2 [%rd1], {%r1, %r1};\n", "ATOMG.32.MIN.F16X2", 2},
    {"red.global.v4.bf16x2.max.noftz [%rd1], {%r1, %r1, %r1, %r1};\n", "ATOMG.32.MAX.BF16X2", 4},
    {"atom.global.max.noftz.v2.bf16x2 {%r2, %r3}, [%rd1], {%r1, %r1}; st.global.v2.b32 [%rd1+8], {%r2, %r3};\n",
     "ATOMG.32.MAX.BF16X2", 2},
    {"red.min.noftz.v2.f16x2 [%rd1], {%r1, %r1};\n", "ATOM.32.MIN.F16X2", 2},
    {"mov.b32 {%h1, %h2}, %r1; red.global.add.noftz.v2.f16 [%rd1], {%h1, %h2};\n", "ATOMG.32.ADD.F16X2", 1, 2},
    {"mov.b32 {%h1, %h2}, %r1; red.global.max.noftz.v8.bf16 [%rd1], {%h1, %h2, %h2, %h2, %h2, %h1, %h1, %h1};\n",
     "ATOMG.32.MAX.BF16X2", 4, 8},
    {"mov.b32 {%h1, %h2}, %r1; atom.global.v4.f16.min.noftz {_, %h3, _, _}, [%rd1], {%h1, %h2, %h1, %h1}; "
     "st.global.b16 [%rd1+8], %h3;\n",
     "ATOMG.32.MIN.F16X2", 2, 4},
};

TEST(Atomic, MemoryThatComputesTakesAnInstructionAWord) {
  for (const Form& form : kForms) {
    const auto code = code_of(form.ptx, true);
    EXPECT_EQ(count(code, form.instruction), form.instructions) << form.ptx;
    EXPECT_EQ(count(code, ".CAS"), 0u) << form.ptx;
    EXPECT_EQ(count(code, "BRA"), 0u) << form.ptx;
  }
}

// Lanes stay together from word to word, so they need not wait for each other.
TEST(Atomic, AVectorIsOneInstructionAWordWithoutBarriers) {
  for (const char* ptx :
       {"red.global.v2.f32.add [%rd1], {%f1, %f1};\n",
        "setp.ne.u32 %p1, %r1, 0; @%p1 red.global.min.noftz.v4.f16x2 [%rd1], {%r1, %r1, %r1, %r1};\n"}) {
    const auto code = code_of(ptx, true);
    EXPECT_EQ(count(code, "WARPSYNC") + count(code, "BALLOT"), 0u) << ptx;
    EXPECT_EQ(count(code_of(ptx, false), "WARPSYNC") > 0, true) << ptx;
  }
}

TEST(Atomic, ElsewhereALoopComparesAndSwaps) {
  for (const Form& form : kForms) {
    const auto code = code_of(form.ptx, false);
    EXPECT_EQ(count(code, form.instruction), 0u) << form.ptx;
    EXPECT_EQ(count(code, ".CAS"), form.loops) << form.ptx;
  }
}

// A vector is aligned to words; a number of 16 bits may be either half of one.
TEST(Atomic, HalvesOfWordsAreLoopsEverywhere) {
  for (const char* ptx : {"mov.b32 {%h1, %h2}, %r1; red.global.add.noftz.f16 [%rd1], %h1;\n"}) {
    const auto code = code_of(ptx, true);
    EXPECT_EQ(count(code, ".CAS"), 1u) << ptx;
    EXPECT_EQ(count(code, ".ADD.F"), 0u) << ptx;
  }
}

// Of 64 bits on shared memory, where somebody can tell in which order lanes come.
TEST(Atomic, OnDoublewordsOfSharedMemoryItIsSiliconsLoop) {
  const std::string read = " st.global.u64 [%rd1+8], %rd3;\n";
  const struct {
    std::string ptx;
    const char* instruction;  // where there is no loop on shared memory
    size_t instructions, loops;
  } kCases[] = {
      {"atom.shared.add.u64 %rd3, [s], %rd1;" + read, "ATOMS.64.ADD.U", 0, 1},
      {"atom.shared.max.s64 %rd3, [s], %rd1;" + read, "ATOMS.64.MAX.S", 0, 1},
      {"atom.shared.xor.b64 %rd3, [s+8], %rd1;" + read, "ATOMS.64.XOR.U", 0, 1},
      {"@%p1 atom.shared.and.b64 %rd3, [s], %rd1;" + read, "ATOMS.64.AND.U", 0, 1},
      {"atom.shared.add.u64 %rd3, [s], %rd1;\n", "ATOMS.64.ADD.U", 1, 0},
      {"atom.shared.add.u64 _, [s], %rd1;\n", "ATOMS.64.ADD.U", 1, 0},
      {"red.shared.min.s64 [s], %rd1;\n", "ATOMS.64.MIN.S", 1, 0},
      {"atom.shared.exch.b64 %rd3, [s], %rd1;" + read, "ATOMS.64.EXCH.U", 1, 0},
      {"atom.shared.add.u32 %r2, [s], %r1; st.global.u32 [%rd1+8], %r2;\n", "ATOMS.32.ADD.U", 1, 0},
      {"atom.global.add.u64 %rd3, [%rd1], %rd1;" + read, "ATOMG.64.ADD.U", 1, 0},
      {"atom.add.u64 %rd3, [%rd1], %rd1;" + read, "ATOM.64.ADD.U", 1, 1},
      {"red.add.u64 [%rd1], %rd1;\n", "ATOM.64.ADD.U", 1, 0},
      {"cvt.f64.f32 %d1, %f1; red.shared.add.f64 [s], %d1;\n", "ATOMS.64.ADD.F64", 0, 1},
      {"cvt.f64.f32 %d1, %f1; red.add.f64 [%rd1], %d1;\n", "ATOM.64.ADD.F64", 1, 1},
  };
  for (const auto& c : kCases) {
    const auto code = code_of("setp.ne.u32 %p1, %r1, 0;\n" + c.ptx, true);
    EXPECT_EQ(count(code, c.instruction), c.instructions) << c.ptx;
    EXPECT_EQ(count(code, "ATOMS.64.CAS"), c.loops) << c.ptx;
  }
}

}  // namespace
}  // namespace heddle::compiler
