// SPDX-License-Identifier: Apache-2.0
// Warpgroups' products as the machine's instructions: how many there are, and where there are none. (What they compute:
// tests/programs/cuda/wgmma.cu.)
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host-runtime/compiler/compile.h"

namespace heddle::compiler {
namespace {

std::string list(const std::string& prefix, int count) {
  std::string out = "{" + prefix + "0";
  for (int i = 1; i < count; ++i) out += ", " + prefix + std::to_string(i);
  return out + "}";
}

// A kernel that loads `sums` registers %d, does the body with descriptors %a, %b, and stores them.
std::string program(const std::string& body, int sums) {
  std::string text =
      ".version 8.4\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 pa, .param .u64 pb, .param .u64 pd, .param "
      ".u32 pn) .maxntid 128\n{\n.reg .b64 %a, %b, %p; .reg .pred %q; .reg .b32 %d<" +
      std::to_string(sums) +
      ">, %x<4>, %t, %n;\nld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %p, [pd]; ld.param.u32 %n, [pn];\n"
      "mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 512, %p; setp.ne.u32 %q, %n, 0;\n";
  for (int i = 0; i < 4; ++i)
    text += "ld.global.b32 %x" + std::to_string(i) + ", [%p+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < sums; ++i)
    text += "ld.global.b32 %d" + std::to_string(i) + ", [%p+" + std::to_string(4 * i) + "];\n";
  text += body;
  for (int i = 0; i < sums; ++i)
    text += "st.global.b32 [%p+" + std::to_string(4 * i) + "], %d" + std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

class Code {
 public:
  Code(const std::string& body, int sums, bool has_matrix_load = true) {
    const auto compiled =
        compile({"wgmma.ptx", program(body, sums)}, {.has = {.matrix_load = has_matrix_load}, .verify = true});
    EXPECT_TRUE(compiled) << compiled.error().message();
    if (!compiled) return;
    for (const uint64_t word : compiled->cubin.code) {
      std::string text = isa::disassemble(word);
      if (text[0] == '@') text = text.substr(text.find(' ') + 1);
      mnemonics_.push_back(text.substr(0, text.find(' ')));
    }
  }

  // Of a mnemonic with any modifiers.
  int count(const std::string& name) const {
    return static_cast<int>(std::count_if(mnemonics_.begin(), mnemonics_.end(), [&](const std::string& s) {
      return s == name || s.starts_with(name + ".");
    }));
  }
  int size() const { return static_cast<int>(mnemonics_.size()); }

 private:
  std::vector<std::string> mnemonics_;
};

const std::string kName = "wgmma.mma_async.sync.aligned.";

TEST(Wgmma, FencesAndGroupsAndNumbersOfRegistersAreNothing) {
  const Code nothing("", 4);
  const Code all(
      "wgmma.fence.sync.aligned;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
      "setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.inc.sync.aligned.u32 256;\n",
      4);
  EXPECT_EQ(all.size(), nothing.size());
}

// 128 sums a thread stay in registers.
TEST(Wgmma, TwoTilesOfColumnsAreALoadAndTwoProducts) {
  const std::string product = kName + "m64n256k16.f32.f16.f16 " + list("%d", 128) + ", %a, %b, 1, 1, 1, 0, 0;\n";
  const Code one(product, 128), two(product + product, 128);
  EXPECT_EQ(one.count("HMMA"), 32);
  EXPECT_EQ(one.count("LDSM"), 16 + 1);
  EXPECT_EQ(one.count("STL") + one.count("LDL") + one.count("WARPSYNC"), 0);
  EXPECT_EQ(two.count("STL") + two.count("LDL"), 0);
  EXPECT_LE(two.count("MOV"), 10);  // parameters, constants: products take the sums where they are
}

// A descriptor that is a constant but for its address: so are the distances of what is loaded, and the swizzle is done
// once for each matrix. Moved along K it is such a one, too.
TEST(Wgmma, PiecesAConstantApartNeedNoAddressesOfTheirOwn) {
  const std::string descriptors =
      ".reg .b64 %ca<4>, %cb<4>;\nshr.u64 %ca0, %a, 4; and.b64 %ca1, %ca0, 16383; or.b64 %ca2, %ca1, "
      "0x4000004000010000; add.s64 %ca3, %ca2, 2;\nshr.u64 %cb0, %b, 4; and.b64 %cb1, %cb0, 16383; or.b64 %cb2, %cb1, "
      "0x4000004000010000; add.s64 %cb3, %cb2, 2;\n";
  const std::string product = kName + "m64n256k16.f32.bf16.bf16 " + list("%d", 128);
  const Code none(descriptors, 128), one(descriptors + product + ", %ca2, %cb2, 1, 1, 1, 0, 0;\n", 128),
      moved(descriptors + product + ", %ca3, %cb3, 1, 1, 1, 0, 0;\n", 128);
  constexpr int kLoads = 17, kProducts = 32, kAddresses = 48;
  EXPECT_EQ(one.count("LOP3"), 2);
  EXPECT_LE(one.size(), none.size() + kLoads + kProducts + kAddresses);
  EXPECT_LE(moved.size(), none.size() + kLoads + kProducts + kAddresses);
}

TEST(Wgmma, AMayBeInRegistersAndALastTileAlone) {
  const Code code(kName + "m64n24k8.f32.tf32.tf32 " + list("%d", 12) + ", " + list("%x", 4) + ", %b, 1, 1, 1;\n", 12);
  EXPECT_EQ(code.count("HMMA"), 3);
  EXPECT_EQ(code.count("LDSM"), 2);
  const Code integers(kName + "m64n24k32.satfinite.s32.s8.u8 " + list("%d", 12) + ", %a, %b, 1;\n", 12);
  EXPECT_EQ(integers.count("IMMA"), 3);
}

TEST(Wgmma, SumsThatAreNotKeptAreNotRead) {
  const auto product = [](const std::string& kept) {
    return Code(kName + "m64n8k16.f16.f16.f16 " + list("%d", 2) + ", %a, %b, " + kept + ", 1, 1, 0, 0;\n", 2);
  };
  EXPECT_EQ(product("1").count("LDG"), product("0").count("LDG") + 2);
  EXPECT_EQ(product("%q").count("LDG"), product("1").count("LDG"));
}

TEST(Wgmma, SignsAreChangedInAAlone) {
  const auto product = [](const std::string& signs) {
    return Code(
        kName + "m64n64k16.f32.bf16.bf16 " + list("%d", 32) + ", " + list("%x", 4) + ", %b, 1, " + signs + ", 0;\n",
        32);
  };
  const int size = product("1, 1").size();
  EXPECT_EQ(product("-1, -1").size(), size);
  EXPECT_LE(product("-1, 1").size(), size + 4 + 1);
}

TEST(Wgmma, WithoutLoadsOfMatricesThereAreShufflesAndLoads) {
  const Code code(kName + "m64n16k16.f32.f16.f16 " + list("%d", 8) + ", " + list("%x", 4) + ", %b, 1, 1, 1, 0;\n", 8,
                  false);
  EXPECT_EQ(code.count("LDSM"), 0);
  EXPECT_EQ(code.count("LDS"), 4);
  EXPECT_EQ(code.count("HMMA"), 2);
}

TEST(Wgmma, AMachineWithoutTheUnitRefusesIt) {
  const auto compiled =
      compile({"wgmma.ptx", program(kName + "m64n8k16.f16.f16.f16 " + list("%d", 2) + ", %a, %b, 1, 1, 1, 0, 0;\n", 2)},
              {.has = {.tensor = false}});
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().message().find("needs a tensor unit"), std::string::npos) << compiled.error().message();
}

}  // namespace
}  // namespace heddle::compiler
