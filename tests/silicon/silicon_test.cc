// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/silicon.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
