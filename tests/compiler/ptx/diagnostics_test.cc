// SPDX-License-Identifier: Apache-2.0
// Each bad/*.ptx says, in its last lines beginning with //|, what the compiler must print about it;
// each good/*.ptx must pass without a word. The expected lines are part of the file; places are
// those of the file as it stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/lower/lower.h"
#include "host-runtime/compiler/ptx/check.h"
#include "host-runtime/compiler/ptx/parser.h"

namespace heddle::compiler {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_PTX_TESTS) / folder)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// What is printed about the text; `lowered` tells whether it came as far as machine IR.
std::string complaints(const std::string& name, const std::string& text, mir::Module* out) {
  auto source = std::make_shared<ptx::Source>(name, text);
  ptx::Diagnostics diagnostics;
  std::unique_ptr<ptx::Module> module = ptx::parse(source, diagnostics);
  if (!diagnostics.has_errors()) ptx::check(*module, diagnostics);
  if (!diagnostics.has_errors()) {
    const auto library = ptx::parse(
        std::make_shared<ptx::Source>("copies of tensors", std::string(devrt::tensor_copy_ptx())), diagnostics);
    ptx::check(*library, diagnostics);
    const lower::Input inputs[] = {{module.get(), false}, {library.get(), true}};
    *out = lower::lower(inputs, {}, diagnostics);
  }
  return diagnostics.render();
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Bad : public ::testing::TestWithParam<std::string> {};

TEST_P(Bad, PrintsWhatTheFileExpects) {
  std::string expected;
  std::istringstream lines(read(GetParam()));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("//|", 0) == 0) expected += (line.size() > 4 ? line.substr(4) : "") + "\n";
  }
  ASSERT_FALSE(expected.empty()) << "the file expects nothing";
  // The expectations are comments at the end: they change no place but the end of the file.
  std::string text = read(GetParam());
  text.resize(text.find("//|"));
  mir::Module module;
  EXPECT_EQ(complaints(fs::path(GetParam()).filename().string(), text, &module), expected);
}

INSTANTIATE_TEST_SUITE_P(Files, Bad, ::testing::ValuesIn(files_of("bad")), test_name);

class Good : public ::testing::TestWithParam<std::string> {};

TEST_P(Good, PassesWithoutAWordAndGivesValidMachineIr) {
  mir::Module module;
  EXPECT_EQ(complaints(GetParam(), read(GetParam()), &module), "");
  EXPECT_FALSE(module.functions.empty());
  for (const mir::Function& function : module.functions) {
    EXPECT_EQ(mir::verify(module, function).value_or(""), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Good, ::testing::ValuesIn(files_of("good")), test_name);

TEST(Robustness, CutAndMangledTextNeverCrashes) {
  // Every prefix of a file in steps, and the file with single characters changed: whatever is said
  // about it, it is said, and nothing falls over.
  for (const std::string& path : files_of("good")) {
    std::string text = read(path);
    for (size_t length = 0; length < text.size(); length += 97) {
      mir::Module module;
      (void)complaints("cut", text.substr(0, length), &module);
    }
    const char marks[] = "{}[]();,.%@!|:<>\"0x\n\\";
    uint32_t random = 1;
    for (int n = 0; n < 400; ++n) {
      std::string mangled = text;
      for (int k = 0; k < 3; ++k) {
        random = random * 1664525 + 1013904223;
        mangled[random % mangled.size()] = marks[(random >> 24) % (sizeof(marks) - 1)];
      }
      mir::Module module;
      (void)complaints("mangled", mangled, &module);
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace heddle::compiler
