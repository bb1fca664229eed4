// SPDX-License-Identifier: Apache-2.0
// Each instruction of targets.tsv is taken from its first target on, and below it refused by that target's name and its
// place.
#include "host-runtime/compiler/ptx/targets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "host-runtime/compiler/ptx/check.h"
#include "host-runtime/compiler/ptx/parser.h"

namespace heddle::compiler {
namespace {

struct Row {
  std::string first, instruction;
};

std::vector<Row> rows() {
  std::ifstream table(HEDDLE_PTX_TESTS "/targets.tsv");
  std::vector<Row> all;
  for (std::string line; std::getline(table, line);) {
    const size_t tab = line.find('\t');
    all.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return all;
}

// What is wrong with it; empty: nothing.
std::string complaint(const std::string& instruction, const std::string& target) {
  const auto source = std::make_shared<ptx::Source>(
      "k.ptx", ".version 8.8\n.target sm_" + target +
                   "\n.address_size 64\n.visible .entry k()\n{\n"
                   ".reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %l<10>; .reg .f32 %f<10>; .reg .f64 %d<10>; "
                   ".reg .pred %p<10>; .reg .b128 %q<4>;\n" +
                   instruction + "\nret;\n}\n");
  ptx::Diagnostics diagnostics;
  const auto module = ptx::parse(source, diagnostics);
  if (!diagnostics.has_errors()) ptx::check(*module, diagnostics);
  return diagnostics.has_errors() ? diagnostics.render() : "";
}

std::string refusal(const Row& row) {
  return "k.ptx:7:1: error: Instruction '" + row.instruction.substr(0, row.instruction.find_first_of(" ;")) +
         "' requires .target sm_" + row.first + " or higher";
}

TEST(Targets, AreSiliconsForEachInstruction) {
  const std::vector<Row> all = rows();
  ASSERT_GE(all.size(), 300u);
  for (const auto& [first, instruction] : all) {
    for (const char* target : {"75", "80", "86", "87", "89", "90", "90a", "100a"}) {
      const std::string why = complaint(instruction, target);
      const bool exact = !first.ends_with('a') || std::string_view(target).ends_with('a');
      if (ptx::target_number(target) >= ptx::target_number(first) && exact) {
        EXPECT_EQ(why, "") << instruction;
        continue;
      }
      EXPECT_NE(why.find(refusal({first, instruction})), std::string::npos)
          << instruction << " for sm_" << target << ": " << why;
    }
  }
}

// ptxas of CUDA 13.0 compiles for no machine before sm_75, but says of a .target before it what that lacks.
TEST(Targets, BeforeSm75AreOfPtxasToo) {
  struct {
    const char *before, *first, *instruction;
  } const rows[] = {
      {"52", "53", "add.f16 %h0, %h1, %h2;"},
      {"52", "53", "mul.rn.ftz.sat.f16x2 %r0, %r1, %r2;"},
      {"52", "53", "fma.rn.f16x2 %r0, %r1, %r2, %r3;"},
      {"52", "53", "neg.f16 %h0, %h1;"},
      {"52", "53", "setp.lt.f16 %p0, %h1, %h2;"},
      {"52", "53", "set.gt.u32.f16 %r0, %h1, %h2;"},
      {"53", "60", "red.global.add.noftz.f16x2 [%l1], %r1;"},
      {"62", "70", "atom.global.add.noftz.f16 %h0, [%l1], %h1;"},
      {"62", "70", "cvt.rn.satfinite.f16.f32 %h0, %f1;"},
      {"72", "75", "ex2.approx.f16x2 %r0, %r1;"},
      {"72", "75", "tanh.approx.f32 %f0, %f1;"},
  };
  for (const auto& [before, first, instruction] : rows) {
    EXPECT_NE(complaint(instruction, before).find(refusal({first, instruction})), std::string::npos) << instruction;
    EXPECT_EQ(complaint(instruction, first), "");
  }
}

// What only sm_90a has is refused before and after it.
TEST(Targets, WgmmaIsOfOne) {
  for (const char* instruction :
       {"wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 1;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r0, %r1}, %l0, %l1, 1, 1, 1, 0, 0;"}) {
    EXPECT_EQ(complaint(instruction, "90a"), "");
    for (const char* target : {"80", "90", "100", "100a"})
      EXPECT_NE(complaint(instruction, target).find("' requires .target sm_90a\n"), std::string::npos)
          << instruction << " for sm_" << target;
  }
}

}  // namespace
}  // namespace heddle::compiler
