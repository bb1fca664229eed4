// SPDX-License-Identifier: Apache-2.0
// Mbarriers as the machine's instructions: what each operation adds to the word, its fences, and copies that arrive.
#include "isa/mbarrier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host-runtime/compiler/compile.h"

namespace heddle::compiler {
namespace {

std::vector<std::string> code_of(const std::string& body, bool async = true) {
  const std::string head =
      ".version 8.5\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p)\n{\n"
      ".shared .align 16 .b8 there[1024]; .shared .align 8 .b64 bar[2];\n"
      ".reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<4>;\n"
      "ld.param.u64 %rd0, [p]; ld.global.u32 %r0, [%rd0]; mov.u32 %r1, bar; mov.u32 %r2, there;\n";
  const auto compiled =
      compile({"mbarrier.ptx", head + body + "\nret;\n}\n"}, {.has = {.async_copy = async}, .verify = true});
  EXPECT_TRUE(compiled) << body << compiled.error().message();
  std::vector<std::string> out;
  if (compiled)
    for (const uint64_t word : compiled->cubin.code) out.push_back(isa::disassemble(word));
  return out;
}

size_t count(const std::vector<std::string>& code, const std::string& text) {
  return static_cast<size_t>(
      std::count_if(code.begin(), code.end(), [&](const std::string& s) { return s.find(text) != s.npos; }));
}
size_t place(const std::vector<std::string>& code, const std::string& text) {
  return static_cast<size_t>(
      std::find_if(code.begin(), code.end(), [&](const std::string& s) { return s.find(text) != s.npos; }) -
      code.begin());
}

struct Form {
  const char* ptx;
  size_t arrivals, fences;
};
constexpr Form kForms[] = {
    {"mbarrier.inval.shared.b64 [bar];", 0, 0},
    {"mbarrier.init.shared.b64 [bar], %r0;", 0, 0},
    {"mbarrier.arrive.shared.b64 %rd1, [bar];", 1, 1},
    {"mbarrier.arrive.relaxed.cta.shared.b64 _, [bar], %r0;", 1, 0},
    {"mbarrier.arrive.noComplete.b64 %rd1, [%rd0], 5;", 1, 1},
    {"mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r1+8], %r0;", 1, 1},
    {"mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 16;", 1, 1},
    {"mbarrier.expect_tx.shared.b64 [bar], %r0;", 1, 0},
    {"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 64;", 1, 0},
    {"fence.mbarrier_init.release.cluster;", 0, 1},
};

TEST(Mbarrier, OneAtomicArrives) {
  for (const Form& form : kForms) {
    const auto code = code_of(form.ptx);
    EXPECT_EQ(count(code, "ATOMS.64.ARRIVE.U"), form.arrivals) << form.ptx;
    EXPECT_EQ(count(code, "MEMBAR"), form.fences) << form.ptx;
    EXPECT_EQ(count(code, "BRA"), 0u) << form.ptx;
    EXPECT_LE(count(code, "MEMBAR") ? place(code, "MEMBAR") : 0, place(code, "ATOMS")) << form.ptx;
  }
}

TEST(Mbarrier, AnArrivalWhoseTokenNobodyReadsHasNone) {
  EXPECT_EQ(count(code_of("mbarrier.arrive.shared.b64 %rd1, [bar];"), "ATOMS.64.ARRIVE.U.RELAXED RZ"), 1u);
  EXPECT_EQ(count(code_of("mbarrier.arrive.shared.b64 %rd1, [bar]; st.global.u64 [%rd0], %rd1;"),
                  "ATOMS.64.ARRIVE.U.RELAXED RZ"),
            0u);
}

TEST(Mbarrier, ATestLooksOnceAndATryTwice) {
  const char* const kStore = "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0], %r3;";
  auto code = code_of(std::string("mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;") + kStore);
  EXPECT_EQ(count(code, "LDS.32"), 1u);
  EXPECT_EQ(count(code, "NANOSLEEP"), 0u);
  EXPECT_EQ(count(code, "MEMBAR"), 1u);
  code = code_of(std::string("mbarrier.try_wait.shared.b64 %p1, [%r1+8], %rd0, 1000;") + kStore);
  EXPECT_EQ(count(code, "LDS.32"), 2u);
  EXPECT_EQ(count(code, "NANOSLEEP"), 1u);
  EXPECT_EQ(count(code, "ATOMS"), 0u);
  EXPECT_EQ(count(code, "IMNMX"), 0u);
  code = code_of(
      std::string("setp.eq.u32 %p1, %r0, 1; @%p1 mbarrier.try_wait.parity.relaxed.cta.b64 %p1, [%rd0], %r0;") + kStore);
  EXPECT_EQ(count(code, "LDS.32"), 2u);
  EXPECT_EQ(count(code, "MEMBAR"), 0u);
}

TEST(Mbarrier, AHintSaysHowLongATryRests) {
  const char* const kStore = "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0], %r3;";
  const auto code_with = [&](const std::string& hint) {
    return code_of("mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0" + hint + ";" + kStore);
  };
  EXPECT_EQ(count(code_with(""), "NANOSLEEP 32"), 1u);
  EXPECT_EQ(count(code_with(", 7"), "NANOSLEEP 7"), 1u);
  EXPECT_EQ(count(code_with(", 10000000"), "NANOSLEEP 64"), 1u);
  EXPECT_EQ(count(code_with(", 0xffffffff"), "NANOSLEEP 64"), 1u);
  const auto code = code_with(", %r0");
  EXPECT_EQ(count(code, "IMNMX"), 1u);
  EXPECT_EQ(count(code, "NANOSLEEP R"), 1u);
}

TEST(Mbarrier, CopiesAreWaitedForBetweenAnArrivalMoreAndOneLess) {
  const std::string copy = "cp.async.ca.shared.global [%r2], [%rd0], 4; cp.async.mbarrier.arrive";
  auto code = code_of(copy + ".shared.b64 [bar];");
  EXPECT_EQ(count(code, "ATOMS.64.ARRIVE.U"), 2u);
  EXPECT_LT(place(code, "ATOMS"), place(code, "DEPBAR.ALL"));
  code = code_of(copy + ".noinc.b64 [%rd0];");
  EXPECT_EQ(count(code, "ATOMS.64.ARRIVE.U"), 1u);
  EXPECT_LT(place(code, "DEPBAR.ALL"), place(code, "ATOMS"));
  EXPECT_EQ(count(code_of(copy + ".noinc.b64 [%rd0];", false), "DEPBAR"), 0u);
}

TEST(Mbarrier, LearnsOfBytesStoredAfterThem) {
  const std::string how = ".shared::cluster.mbarrier::complete_tx::bytes";
  for (const std::string store : {"st.async" + how + ".v4.u32 [%r2+16], {%r0, %r1, %r2, %r0}, [bar+8];",
                                  "@%p0 st.async" + how + ".u64 [%r2], %rd0, [%r1];"}) {
    const auto code = code_of("setp.eq.u32 %p0, %r0, 1;" + store);
    EXPECT_EQ(count(code, "STS"), 1u) << store;
    EXPECT_EQ(count(code, "ATOMS.64.ARRIVE"), 1u) << store;
    EXPECT_LT(place(code, "STS"), place(code, "ATOMS.64.ARRIVE")) << store;
  }
  const auto code = code_of("red.async.relaxed.cluster" + how + ".add.u32 [%r2], %r0, [%r1];");
  EXPECT_EQ(count(code, "ATOMS"), 2u);
  EXPECT_LT(place(code, "ATOMS.32.ADD"), place(code, "ATOMS.64.ARRIVE"));
}

TEST(Mbarrier, LearnsOfBytesInBulkAfterThem) {
  const std::string load =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0], %r0, [%r1];";
  auto code = code_of(load);
  EXPECT_GE(count(code, "LDGSTS.128"), 1u);
  EXPECT_LT(place(code, "DEPBAR.ALL"), place(code, "ATOMS.64.ARRIVE.U"));
  EXPECT_EQ(count(code, "ATOMS"), 1u);
  code = code_of(load, false);
  EXPECT_GE(count(code, "LDG.128"), 1u);
  EXPECT_LT(place(code, "STS.128"), place(code, "ATOMS.64.ARRIVE.U"));
  EXPECT_EQ(count(code, "ATOMS"), 1u);
  code =
      code_of("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2], [there+512], 64, [bar];");
  EXPECT_GE(count(code, "LDS.128"), 1u);
  EXPECT_EQ(count(code, "LDG.128"), 0u);
  code = code_of(
      "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [%r2], [there+512], %r0, "
      "[bar];");
  EXPECT_EQ(count(code, "ATOMS.64.ADD.U") % 2, 0u);
  EXPECT_EQ(count(code, "ATOMS.64.ARRIVE.U"), 1u);
  EXPECT_EQ(count(code, "STS"), 0u);
}

}  // namespace
}  // namespace heddle::compiler
