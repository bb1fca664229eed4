// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/silicon.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <regex>

#include "host-runtime/compiler/compile.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

class SiliconFolder : public ::testing::Test {
 protected:
  void write(const std::string& json, size_t words) {
    folder = fs::path(::testing::TempDir()) / "heddle_silicon_folder";
    fs::create_directories(folder);
    std::ofstream(folder / "ptx_ops.json") << json;
    std::ofstream bin(folder / "ptx_ops.bin", std::ios::binary);
    for (uint64_t i = 0; i < words; ++i) bin.write(reinterpret_cast<const char*>(&i), sizeof i);
  }
  static std::string op(const char* inputs, const char* outputs, int offset, int count) {
    return std::string(R"({"ops": [{"name": "x", "body": "b;", "inputs": )") + inputs + R"(, "outputs": )" + outputs +
           R"(, "offset": )" + std::to_string(offset) + R"(, "count": )" + std::to_string(count) + "}]}";
  }
  fs::path folder;
};

TEST(Silicon, TheRecordedFolderIsWhole) {
  const auto ops = read_silicon(SILICON_DIR);
  ASSERT_TRUE(ops) << ops.error().message();
  EXPECT_GT(ops->size(), 300u);
  for (const auto& op : *ops) EXPECT_EQ(op.rows.size(), op.count * op.columns()) << op.name;
}

TEST_F(SiliconFolder, RowsAreTakenFromTheirOffset) {
  write(op(R"(["u32","u32"])", R"(["u32"])", 16, 2), 8);
  const auto ops = read_silicon(folder);
  ASSERT_TRUE(ops) << ops.error().message();
  EXPECT_EQ(ops->front().rows, (std::vector<uint64_t>{2, 3, 4, 5, 6, 7}));
}

TEST_F(SiliconFolder, RowsOutsideTheBinaryAreRefused) {
  write(op(R"(["u32","u32"])", R"(["u32"])", 16, 3), 8);
  EXPECT_FALSE(read_silicon(folder));
}

TEST_F(SiliconFolder, ACountWhoseBytesOverflowIsRefused) {
  write(R"({"ops": [{"name": "x", "body": "b;", "inputs": ["u32"], "outputs": ["u32"], "offset": 0, "count": )"
        "1152921504606846976}]}", 8);
  EXPECT_FALSE(read_silicon(folder));
}

TEST_F(SiliconFolder, AnOpWithoutRowsIsRefused) {
  write(op(R"(["u32"])", R"(["u32"])", 0, 0), 8);
  EXPECT_FALSE(read_silicon(folder));
}

TEST_F(SiliconFolder, MoreOperandsThanTheKernelHasAreRefused) {
  write(op(R"(["u32","u32","u32","u32","u32"])", R"(["u32"])", 0, 1), 8);
  EXPECT_FALSE(read_silicon(folder));
}

TEST_F(SiliconFolder, BrokenJsonIsNamed) {
  write("{", 1);
  const auto ops = read_silicon(folder);
  ASSERT_FALSE(ops);
  EXPECT_NE(ops.error().message().find("ptx_ops.json"), std::string::npos);
}

TEST(Silicon, AMissingFolderIsNamed) {
  const auto ops = read_silicon("/nonexistent");
  ASSERT_FALSE(ops);
  EXPECT_NE(ops.error().message().find("/nonexistent"), std::string::npos);
}

TEST(Silicon, KernelsOfAllWidthsCompile) {
  for (const char* type : {"u8", "u16", "u32", "u64"}) {
    SiliconOp op;
    op.name = type;
    op.body = type == std::string("u64") ? "mov.b64 %o, %a;" : type == std::string("u32") ? "mov.b32 %o, %a;" : "mov.b16 %o, %a;";
    op.inputs = op.outputs = {type};
    const auto compiled = compiler::compile({op.name, silicon_ptx(op)});
    EXPECT_TRUE(compiled) << compiled.error().message();
  }
}

// A recording as another seed would make it: some of the ops, in another order, with rows in another order and
// number. `spoil`: one bit of one answer is wrong.
fs::path other_recording(uint64_t seed, bool spoil) {
  std::mt19937_64 random(seed);
  auto ops = *read_silicon(SILICON_DIR);
  std::shuffle(ops.begin(), ops.end(), random);
  ops.resize(40);
  nlohmann::json list = nlohmann::json::array();
  std::vector<uint64_t> words(random() % 50, 0xdead);
  for (auto& op : ops) {
    std::vector<size_t> order(op.count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    order.resize(1 + random() % op.count);
    list.push_back({{"name", op.name}, {"body", op.body}, {"inputs", op.inputs}, {"outputs", op.outputs},
                    {"offset", words.size() * sizeof(uint64_t)}, {"count", order.size()}});
    for (const size_t row : order)
      words.insert(words.end(), op.rows.begin() + static_cast<long>(row * op.columns()),
                   op.rows.begin() + static_cast<long>((row + 1) * op.columns()));
  }
  if (spoil) words.back() ^= 1;
  const fs::path folder = fs::path(::testing::TempDir()) / "heddle_other_recording";
  fs::create_directories(folder);
  std::ofstream(folder / "ptx_ops.json") << nlohmann::json{{"seed", seed}, {"ops", list}};
  std::ofstream(folder / "ptx_ops.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(words.data()), static_cast<long>(words.size() * sizeof(uint64_t)));
  return folder;
}

struct Ended {
  int status;
  std::string text;
};

Ended silicon(const fs::path& folder, const std::string& options = "") {
  const fs::path out = folder / "output";
  const std::string command = HEDDLE_COMMAND " silicon --device model --require-all " + options + " " + folder.string();
  const int status = std::system((command + " >" + out.string() + " 2>&1").c_str());
  std::ifstream in(out);
  return {WEXITSTATUS(status), std::string(std::istreambuf_iterator<char>(in), {})};
}

uint64_t seed_of_test() {
  const char* text = std::getenv("HEDDLE_SEED");
  const uint64_t seed = text ? std::strtoull(text, nullptr, 0) : 20240611;
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

TEST(Silicon, ARecordingWithOtherRowsIsExactToo) {
  const auto e = silicon(other_recording(seed_of_test(), false));
  EXPECT_EQ(e.status, 0) << e.text;
  EXPECT_TRUE(std::regex_search(e.text, std::regex("ops: 40 of 40 exact, ([0-9]+) of \\1 vectors exact\n$"))) << e.text;
}

TEST(Silicon, OneWrongBitFailsTheRunAndIsPrinted) {
  const fs::path folder = other_recording(seed_of_test() + 1, true);
  const auto e = silicon(folder);
  EXPECT_EQ(e.status, 1) << e.text;
  EXPECT_NE(e.text.find("ops: 39 of 40 exact"), std::string::npos) << e.text;
  EXPECT_NE(e.text.find(": silicon 0x"), std::string::npos) << e.text;
  const auto none = silicon(folder, "--limit 0");
  EXPECT_EQ(none.text.find(": silicon 0x"), std::string::npos) << none.text;
  EXPECT_NE(none.text.find("1 more vectors differ"), std::string::npos) << none.text;
}

// Ops that the compiler refuses do not count as run; --require-all makes them count.
TEST(Silicon, RefusedOpsFailTheRunOnlyWhenAllAreRequired) {
  const fs::path folder = fs::path(::testing::TempDir()) / "heddle_refused_recording";
  fs::create_directories(folder);
  std::ofstream(folder / "ptx_ops.json")
      << R"({"ops": [{"name": "add", "body": "add.u32 %o, %a, %a;", "inputs": ["u32"], "outputs": ["u32"], "offset": 0,)"
      << R"( "count": 1}, {"name": "frob", "body": "frob.u32 %o, %a;", "inputs": ["u32"], "outputs": ["u32"],)"
      << R"( "offset": 0, "count": 1}]})";
  const uint64_t row[] = {3, 6};
  std::ofstream(folder / "ptx_ops.bin", std::ios::binary).write(reinterpret_cast<const char*>(row), sizeof row);
  EXPECT_EQ(silicon(folder).status, 1);
  const std::string command = HEDDLE_COMMAND " silicon " + folder.string() + " >" + (folder / "output").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  const auto e = silicon(folder);
  EXPECT_NE(e.text.find("not run: frob"), std::string::npos) << e.text;
  EXPECT_NE(e.text.find("ops: 1 of 1 exact, 1 of 1 vectors exact"), std::string::npos) << e.text;
}

TEST(Silicon, PatternsAreNamesPartsOrShellPatterns) {
  EXPECT_TRUE(matches("", "add.u32"));
  EXPECT_TRUE(matches("add", "add.u32"));
  EXPECT_TRUE(matches("sub,add.u32", "add.u32"));
  EXPECT_TRUE(matches("add.?32", "add.u32"));
  EXPECT_FALSE(matches("add.*", "vadd.u32"));
  EXPECT_FALSE(matches("mul", "add.u32"));
}

}  // namespace
}  // namespace heddle::tools
