// SPDX-License-Identifier: Apache-2.0
// mma.sync as the machine's instructions: what is around them, and on which machines there are none. (What they
// compute: tests/silicon.)
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "host-runtime/compiler/compile.h"

namespace heddle::compiler {
namespace {

constexpr const char* kHead =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".entry k(.param .u64 pin, .param .u64 pout)\n{\n"
    ".reg .b32 %a<4>, %b<2>, %t; .reg .f32 %c<4>, %d<4>; .reg .b64 %in, %out; .reg .pred %p;\n"
    "ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x;\n"
    "mad.wide.u32 %in, %t, 40, %in; mad.wide.u32 %out, %t, 16, %out;\n"
    "ld.global.b32 %a0, [%in]; ld.global.b32 %a1, [%in+4]; ld.global.b32 %a2, [%in+8]; ld.global.b32 %a3, [%in+12];\n"
    "ld.global.b32 %b0, [%in+16]; ld.global.b32 %b1, [%in+20];\n"
    "ld.global.f32 %c0, [%in+24]; ld.global.f32 %c1, [%in+28]; ld.global.f32 %c2, [%in+32]; ld.global.f32 %c3, "
    "[%in+36];\n";
constexpr const char* kTail =
    "st.global.f32 [%out], %c0; st.global.f32 [%out+4], %c1; st.global.f32 [%out+8], %c2; st.global.f32 [%out+12], "
    "%c3;\n"
    "ret;\n}\n";
constexpr const char* kMma =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, "
    "%c1, %c2, %c3};\n";

std::string program(const std::string& body) { return std::string(kHead) + body + kTail; }

// The mnemonics of the code, guards left out.
std::vector<std::string> code_of(const std::string& body, bool has_matrix_load = true) {
  const auto compiled = compile({"mma.ptx", program(body)}, {.has = {.matrix_load = has_matrix_load}, .verify = true});
  EXPECT_TRUE(compiled) << compiled.error().message();
  std::vector<std::string> out;
  if (!compiled) return out;
  for (const uint64_t word : compiled->cubin.code) {
    std::string text = isa::disassemble(word);
    if (text[0] == '@') text = text.substr(text.find(' ') + 1);
    out.push_back(text.substr(0, text.find(' ')));
  }
  return out;
}

size_t count(const std::vector<std::string>& code, const std::string& mnemonic) {
  return static_cast<size_t>(std::count_if(
      code.begin(), code.end(), [&](const std::string& s) { return s == mnemonic || s.starts_with(mnemonic + "."); }));
}

TEST(Mma, FragmentsNeedNoCopiesAndALoneWarpNoBarrier) {
  const auto code = code_of(std::string(kMma) + kMma);
  EXPECT_EQ(count(code, "HMMA"), 2u);
  EXPECT_LE(count(code, "MOV"), 4u);  // the parameters
  EXPECT_EQ(count(code, "WARPSYNC"), 0u);
}

TEST(Mma, LanesThatMayHavePartedMeetBeforeIt) {
  const auto code = code_of("LOOP:\nadd.u32 %t, %t, 1; setp.lt.u32 %p, %t, 7;\n@%p bra LOOP;\n" + std::string(kMma));
  const auto hmma = std::find(code.begin(), code.end(), "HMMA.F16");
  ASSERT_NE(hmma, code.end());
  EXPECT_EQ(hmma[-1], "WARPSYNC");
}

TEST(Mma, AGuardIsABranchAround) {
  const auto code = code_of("setp.lt.u32 %p, %a0, 7;\n@%p " + std::string(kMma));
  EXPECT_EQ(count(code, "HMMA"), 1u);
  EXPECT_EQ(count(code, "WARPSYNC"), 1u);
}

TEST(Mma, AMachineWithoutTheUnitRefusesItAndSaysWhoHasIt) {
  const auto compiled = compile({"mma.ptx", program(kMma)}, {.has = {.tensor = false}});
  ASSERT_FALSE(compiled);
  const std::string message = compiled.error().message();
  EXPECT_NE(message.find("'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32' needs a tensor unit"), std::string::npos)
      << message;
  EXPECT_NE(message.find("sm_80 is the first"), std::string::npos) << message;
  EXPECT_EQ(compiled.error().code(), Code::InvalidPtx);
}

TEST(Matrix, FourAreLoadedAtOnceAndElseByAShuffleAndALoadEach) {
  const std::string body =
      ".shared .align 16 .b8 rows[512]; .reg .b32 %s; mov.u32 %s, rows; mad.lo.u32 %s, %t, 16, %s;\n"
      "st.shared.b32 [%s], %a0; bar.warp.sync -1;\n"
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%s];\n" +
      std::string(kMma);
  const auto code = code_of(body), without = code_of(body, false);
  EXPECT_EQ(count(code, "LDSM"), 1u);
  EXPECT_EQ(count(code, "SHFL") + count(code, "LDS"), 0u);
  EXPECT_LE(count(code, "MOV"), 5u);  // parameters, an address: a product takes the matrices where they come
  EXPECT_EQ(count(code, "HMMA"), 1u);
  EXPECT_EQ(count(without, "SHFL"), 4u);
  EXPECT_EQ(count(without, "LDS"), 4u);
}

TEST(Matrix, OneIsTransposedByTwoShuffles) {
  const auto code = code_of("movmatrix.sync.aligned.m8n8.trans.b16 %a0, %a1;\nmov.b32 %c0, %a0;\n");
  EXPECT_EQ(count(code, "SHFL"), 2u);
  EXPECT_EQ(count(code, "PRMT"), 1u);
}

TEST(Wmma, IsTwoProductsAndOfTf32Four) {
  const std::string registers = ".reg .b32 %x<16>, %y<8>;\n";
  const auto load = [](const std::string& what, const std::string& type, int count) {
    std::string list = "{%x0";
    for (int i = 1; i < count; ++i) list += ", %x" + std::to_string(i);
    return "wmma.load." + what + type + " " + list + "}, [%in];\n";
  };
  const std::string sums = "{%y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7}";
  const std::string store = "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%out], " + sums + ";\n";
  std::string zeros;
  for (int i = 0; i < 8; ++i) zeros += "mov.b32 %y" + std::to_string(i) + ", 0;\n";
  const std::string eight = ", {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}", four = ", {%x0, %x1, %x2, %x3}";
  const auto f16 =
      code_of(registers + zeros + load("a.sync.aligned.row.m16n16k16.", "f16", 8) +
              "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " + sums + eight + eight + ", " + sums + ";\n" + store);
  EXPECT_EQ(count(f16, "HMMA"), 2u);
  const auto tf32 = code_of(registers + zeros + load("a.sync.aligned.row.m16n16k8.", "tf32", 4) +
                            "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 " + sums + four + four + ", " +
                            sums + ";\n" + store);
  EXPECT_EQ(count(tf32, "HMMA"), 4u);
}

TEST(Mma, MatricesOfDoublesAreDmmasOrShufflesAndFusedProducts) {
  const std::string ptx =
      ".version 8.4\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p)\n{\n.reg .f64 %d<16>; .reg .b64 "
      "%p;\nld.param.u64 %p, [p];\n"
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%d0, %d1, %d2, %d3}, {%d4, %d5, %d6, %d7}, {%d8, %d9}, {%d0, "
      "%d1, %d2, %d3};\n"
      "st.global.f64 [%p], %d0; st.global.f64 [%p+8], %d3;\nret;\n}\n";
  std::vector<uint64_t> code;
  const auto count = [&](const char* op) {
    return std::count_if(code.begin(), code.end(),
                         [&](uint64_t word) { return isa::disassemble(word).starts_with(op); });
  };
  const auto compiled = compile({"mma.ptx", ptx}, {.verify = true});
  ASSERT_TRUE(compiled) << compiled.error().message();
  code = compiled->cubin.code;
  EXPECT_EQ(count("DMMA"), 2 * 2);  // of eight rows and four columns of A each
  EXPECT_EQ(count("DFMA") + count("SHFL"), 0);
  const auto shuffled = compile({"mma.ptx", ptx}, {.has = {.tensor = false, .dmma = false}, .verify = true});
  ASSERT_TRUE(shuffled) << shuffled.error().message();
  code = shuffled->cubin.code;
  EXPECT_EQ(count("DFMA"), 2 * 8);            // of the four results two are stored, of eight products each
  EXPECT_EQ(count("SHFL"), 2 * (2 + 2) * 8);  // two words of two rows and two columns
  const auto without = compile({"mma.ptx", ptx}, {.has = {.fp64 = false}});
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().message().find("needs double precision in hardware"), std::string::npos)
      << without.error().message();
}

}  // namespace
}  // namespace heddle::compiler
