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

TEST(Targets, AreSiliconsForEachInstruction) {
  const std::vector<Row> all = rows();
  ASSERT_GE(all.size(), 300u);
  for (auto [first, instruction] : all) {
    // Taken sooner than by silicon's: targets.h says why.
    const auto has = [&instruction](const char* word) { return instruction.find(word) != instruction.npos; };
    const bool vector = has("v2.") && (has("atom") || has("red"));
    if (!vector && (has("bf16") || has("e4m3x2") || has("e5m2x2")) && !has("oob") && !has("xorsign")) first = "80";
    for (const char* target : {"75", "80", "86", "87", "89", "90", "100a"}) {
      const std::string why = complaint(instruction, target);
      if (ptx::target_number(target) >= ptx::target_number(first)) {
        EXPECT_EQ(why, "") << instruction;
        continue;
      }
      EXPECT_NE(why.find("k.ptx:7:1: error: Instruction '" + instruction.substr(0, instruction.find_first_of(" ;")) +
                         "' requires .target sm_" + first + " or higher"),
                std::string::npos)
          << instruction << " for sm_" << target << ": " << why;
    }
  }
}

}  // namespace
}  // namespace heddle::compiler
