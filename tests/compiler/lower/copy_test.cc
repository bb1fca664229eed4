// SPDX-License-Identifier: Apache-2.0
// cp.async as the machine's instructions, on machines with asynchronous copies and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host-runtime/compiler/compile.h"

namespace heddle::compiler {
namespace {

std::vector<std::string> code_of(const std::string& body, bool async = true, const std::string& target = "sm_80") {
  const std::string head =
      ".version 8.4\n.target " + target +
      "\n.address_size 64\n.entry k(.param .u64 pin, .param .u32 size)\n{\n"
      ".shared .align 16 .b8 there[1024];\n.reg .b64 %in; .reg .b32 %to, %size; .reg .pred %p;\n"
      "ld.param.u64 %in, [pin]; ld.param.u32 %size, [size]; mov.u32 %to, there; setp.eq.u32 %p, %size, 3;\n";
  const auto compiled =
      compile({"copy.ptx", head + body + "ret;\n}\n"}, {.has = {.async_copy = async}, .verify = true});
  EXPECT_TRUE(compiled) << compiled.error().message();
  std::vector<std::string> out;
  if (compiled)
    for (const uint64_t word : compiled->cubin.code) out.push_back(isa::disassemble(word));
  return out;
}

// Where words of an instruction begin so.
bool begins(const std::string& instruction, const std::string& text) {
  return (" " + instruction).find(" " + text) != std::string::npos;
}
size_t count(const std::vector<std::string>& code, const std::string& text) {
  return static_cast<size_t>(
      std::count_if(code.begin(), code.end(), [&](const std::string& s) { return begins(s, text); }));
}
size_t place(const std::vector<std::string>& code, const std::string& text) {
  return static_cast<size_t>(
      std::find_if(code.begin(), code.end(), [&](const std::string& s) { return begins(s, text); }) - code.begin());
}
size_t zeros(const std::vector<std::string>& code) {
  return static_cast<size_t>(std::count_if(
      code.begin(), code.end(), [](const std::string& s) { return begins(s, "STS.") && s.ends_with(", RZ"); }));
}

constexpr const char* kCopies =
    "cp.async.ca.shared.global [%to], [%in], 4;\ncp.async.ca.shared.global [%to+8], [%in+8], 8;\n"
    "cp.async.cg.shared.global [%to+16], [%in+16], 16;\ncp.async.commit_group;\ncp.async.wait_group 2;\n"
    "cp.async.wait_group 1000;\ncp.async.wait_all;\n";

TEST(Copy, IsAsynchronous) {
  const auto code = code_of(kCopies);
  EXPECT_EQ(count(code, "LDGSTS.32 "), 1u);
  EXPECT_EQ(count(code, "LDGSTS.64 "), 1u);
  EXPECT_EQ(count(code, "LDGSTS.128.CG "), 1u);
  EXPECT_EQ(count(code, "LDG."), 0u);
  EXPECT_EQ(count(code, "STS."), 0u);
  EXPECT_EQ(count(code, "BRA"), 0u);
  EXPECT_LT(place(code, "LDGSTS.128"), place(code, "LDGDEPBAR"));
  EXPECT_LT(place(code, "LDGDEPBAR"), place(code, "DEPBAR 2"));
  EXPECT_LT(place(code, "DEPBAR 2"), place(code, "DEPBAR 7"));  // for no group
  EXPECT_LT(place(code, "DEPBAR 7"), place(code, "DEPBAR.ALL"));
  EXPECT_LT(place(code, "DEPBAR.ALL"), code.size());
}

TEST(Copy, IsALoadAndAStoreWithoutThem) {
  const auto code = code_of(kCopies, false);
  EXPECT_EQ(count(code, "LDG."), 3u);
  EXPECT_EQ(count(code, "STS."), 3u);
  EXPECT_EQ(count(code, "LDGSTS"), 0u);
  EXPECT_EQ(count(code, "DEPBAR"), 0u);
}

TEST(Copy, KeepsItsGuard) {
  const char* body =
      "@%p cp.async.ca.shared.global [%to+4], [%in], 4;\n@!%p cp.async.ca.shared.global [%to], [%in], 8;\n";
  const auto code = code_of(body);
  EXPECT_EQ(count(code, "@P0 LDGSTS.32"), 1u);
  EXPECT_EQ(count(code, "@!P0 LDGSTS.64"), 1u);
  const auto at_once = code_of(body, false);
  EXPECT_EQ(count(at_once, "@P0 LDG.32") + count(at_once, "@P0 STS.32"), 2u);
  EXPECT_EQ(count(at_once, "@!P0 LDG.64") + count(at_once, "@!P0 STS.64"), 2u);
}

// Of part of the bytes: lanes that copy all go without waiting, those that copy none store zeros.
TEST(Copy, InPartIsAsynchronousWhereItIsWhole) {
  const auto some = code_of("cp.async.cg.shared.global [%to], [%in], 16, %size;\n");
  EXPECT_EQ(count(some, "@P0 LDGSTS.128") + count(some, "@P1 LDGSTS.128") + count(some, "@P2 LDGSTS.128"), 1u);
  EXPECT_EQ(count(some, "STS.128"), 2u);
  EXPECT_EQ(zeros(some), 1u);
  EXPECT_LT(place(some, "LDGSTS"), place(some, "LDG."));
  const auto none = code_of("cp.async.ca.shared.global [%to], [%in], 8, %p;\n");
  EXPECT_EQ(count(none, "LDGSTS.64"), 1u);
  EXPECT_EQ(count(none, "LDG."), 0u);
  EXPECT_EQ(count(none, "BRA"), 0u);
  EXPECT_EQ(count(none, "STS."), 1u);
  EXPECT_EQ(zeros(none), 1u);
  const auto all = code_of("cp.async.ca.shared.global [%to], [%in], 8, 8;\n");
  EXPECT_EQ(count(all, "LDG."), 0u);
  EXPECT_EQ(count(all, "STS."), 0u);
}

// In bulk: a loop that moves 16 bytes a turn, of no turns where there is less; the groups are nothing.
TEST(Copy, InBulkIsALoop) {
  const auto code = code_of(
      "cp.async.bulk.global.shared::cta.bulk_group [%in], [%to], %size;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
      true, "sm_90");
  EXPECT_EQ(count(code, "LDS.128"), count(code, "STG.128"));
  EXPECT_GE(count(code, "LDS.128"), 1u);
  EXPECT_EQ(count(code, "LDS."), count(code, "LDS.128"));
  EXPECT_EQ(count(code, "DEPBAR") + count(code, "LDGDEPBAR") + count(code, "MEMBAR"), 0u);
  EXPECT_LT(place(code, "EXIT"), place(code, "LDS.128"));
}

// Four elements, or two, of which memory reduces each; of halves two at once. It flushes sums of f32, which in bulk are
// not flushed: those compare and swap.
TEST(Copy, InBulkReducesByElement) {
  const auto atomics = [](const std::string& what, const std::string& name) {
    const auto code = code_of("cp.reduce.async.bulk.global.shared::cta.bulk_group." + what + " [%in], [%to], %size;\n",
                              true, "sm_90");
    EXPECT_EQ(count(code, "ATOMG"), count(code, name)) << what;
    return count(code, name) / std::max<size_t>(count(code, "LDS.128"), 1);
  };
  EXPECT_EQ(atomics("add.u32", "ATOMG.32.ADD.U"), 4u);
  EXPECT_EQ(atomics("min.s64", "ATOMG.64.MIN.S"), 2u);
  EXPECT_EQ(atomics("add.noftz.bf16", "ATOMG.32.ADD.BF16X2"), 4u);
  EXPECT_EQ(atomics("max.f16", "ATOMG.32.MAX.F16X2"), 4u);
  EXPECT_EQ(atomics("add.f64", "ATOMG.64.ADD.F64"), 2u);
  EXPECT_EQ(atomics("add.f32", "ATOMG.32.CAS.U"), 4u);
}

// What is read before a copy is read before it is made; loads that do not depend on it need not wait for it to be sent.
TEST(Copy, KeepsItsPlaceAmongAccesses) {
  const auto code = code_of(
      "{ .reg .b32 %a, %b, %c; ld.shared.b32 %a, [%to]; cp.async.ca.shared.global [%to], [%in], 4;\n"
      "cp.async.wait_all; ld.shared.b32 %b, [%to]; add.u32 %c, %a, %b; st.global.b32 [%in], %c; }\n");
  EXPECT_LT(place(code, "LDS"), place(code, "LDGSTS"));
  EXPECT_LT(place(code, "LDGSTS"), place(code, "DEPBAR.ALL"));
  EXPECT_EQ(count(code, "LDS"), 2u);
  std::vector<std::string> behind(code.begin() + static_cast<long>(place(code, "DEPBAR.ALL")), code.end());
  EXPECT_EQ(count(behind, "LDS"), 1u);
}

}  // namespace
}  // namespace heddle::compiler
