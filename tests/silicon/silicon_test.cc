// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/silicon.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <utility>

#include "host-runtime/compiler/compile.h"
#include "host-runtime/tools/heddle/silicon_bounds.h"
#include "tests/silicon/shared_loop.h"

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
        "1152921504606846976}]}",
        8);
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

class SiliconMma : public ::testing::Test {
 protected:
  // A tile of `words` words of 4 bytes that count up.
  Result<std::vector<SiliconOp>> read(const nlohmann::json& shape, uint32_t words) {
    const fs::path folder = fs::path(::testing::TempDir()) / "heddle_silicon_mma";
    fs::create_directories(folder);
    std::ofstream(folder / "mma.json") << R"({"shapes": [)" << shape << "]}";
    std::vector<uint32_t> bin(words);
    std::iota(bin.begin(), bin.end(), 0);
    std::ofstream(folder / "mma.bin", std::ios::binary).write(reinterpret_cast<const char*>(bin.data()), words * 4);
    return read_silicon(folder);
  }
  static nlohmann::json shape(const char* instruction, int a, int b, int c, int d, int word, int tiles, int offset) {
    return {{"instruction", instruction}, {"a", a},         {"b", b},          {"c", c}, {"d", d},
            {"word_bytes", word},         {"tiles", tiles}, {"offset", offset}};
  }
};

TEST_F(SiliconMma, ALaneOfATileIsARow) {
  const auto ops = read(shape("mma.x", 2, 1, 4, 4, 4, 2, 8), 2 + 2 * 32 * 11);
  ASSERT_TRUE(ops) << ops.error().message();
  const SiliconOp& op = ops->front();
  EXPECT_EQ(op.name, "mma.x");
  EXPECT_EQ(op.body, "mma.x {%D0, %D1, %D2, %D3}, {%A0, %A1}, {%B0}, {%C0, %C1, %C2, %C3};");
  EXPECT_EQ(op.count, 64u);
  EXPECT_EQ(op.columns(), 11u);
  EXPECT_EQ(op.rows.front(), 2u);
  EXPECT_EQ(op.rows.back(), 705u);
  EXPECT_EQ(op.input_names.back(), "C3");
}

TEST_F(SiliconMma, WordsMayHaveEightBytesAndASparseMatrixMetadata) {
  auto ops = read(shape("mma.x", 1, 1, 2, 2, 8, 1, 0), 2 * 32 * 6);
  ASSERT_TRUE(ops) << ops.error().message();
  EXPECT_EQ(ops->front().rows.at(1), uint64_t{3} << 32 | 2);
  EXPECT_EQ(ops->front().inputs.front(), "u64");
  nlohmann::json sparse = shape("mma.sp.x", 1, 1, 1, 1, 4, 1, 0);
  sparse["e"] = 1, sparse["sel"] = 3;
  ops = read(sparse, 32 * 5);
  ASSERT_TRUE(ops) << ops.error().message();
  EXPECT_EQ(ops->front().body, "mma.sp.x {%D0}, {%A0}, {%B0}, {%C0}, %E0, 3;");
}

TEST_F(SiliconMma, TilesOutsideTheBinaryAndImpossibleOnesAreRefused) {
  EXPECT_FALSE(read(shape("mma.x", 2, 1, 4, 4, 4, 2, 12), 2 + 2 * 32 * 11));
  EXPECT_FALSE(read(shape("mma.x", 2, 1, 4, 4, 4, 0, 0), 11));
  EXPECT_FALSE(read(shape("mma.x", 0, 1, 4, 4, 4, 1, 0), 32 * 11));
  EXPECT_FALSE(read(shape("mma.x", 2, 1, 4, 4, 3, 1, 0), 32 * 11));
  EXPECT_FALSE(read("no shape", 32));
}

class SiliconOrder : public ::testing::Test {
 protected:
  Result<std::vector<SiliconOp>> read(const std::string& json) {
    const fs::path folder = fs::path(::testing::TempDir()) / "heddle_silicon_order";
    fs::create_directories(folder);
    std::ofstream(folder / "order.json") << json;
    return read_silicon(folder);
  }
  std::string refused(const std::string& json) {
    const auto ops = read(json);
    return ops ? "accepted" : ops.error().message();
  }
};

TEST_F(SiliconOrder, ACaseIsAWarpOfRows) {
  const auto ops =
      read(R"([{"kind":"store","bytes":8,"space":"shared","pattern":2,"slots":2,"mask":65537,"winner":[0,16]}])");
  ASSERT_TRUE(ops) << ops.error().message();
  ASSERT_EQ(ops->size(), 1u);
  const SiliconOp& op = ops->front();
  EXPECT_EQ(op.name, "order.st.shared.b64");
  ASSERT_EQ(op.count, 32u);
  ASSERT_EQ(op.rows.size(), 96u);
  const auto row = [&](size_t n) {
    return std::vector<uint64_t>(op.rows.begin() + static_cast<long>(3 * n),
                                 op.rows.begin() + static_cast<long>(3 * n + 3));
  };
  EXPECT_EQ(row(0), (std::vector<uint64_t>{0, 1, 1}));
  EXPECT_EQ(row(1), (std::vector<uint64_t>{0xffffffff, 2, 17}));
  EXPECT_EQ(row(16), (std::vector<uint64_t>{1, 17, 0}));
}

TEST_F(SiliconOrder, AnAtomicReturns) {
  std::string returned;
  for (int lane = 0; lane < 32; lane++) returned += (lane ? "," : "") + std::to_string(lane);
  const auto ops =
      read(R"([{"kind":"atomic","op":"add","space":"global","pattern":0,"slots":1,"mask":4294967295,"returned":[)" +
           returned + R"(],"memory":[32]}])");
  ASSERT_TRUE(ops) << ops.error().message();
  EXPECT_EQ(ops->front().outputs.size(), 2u);
  EXPECT_EQ((std::vector<uint64_t>(ops->front().rows.end() - 4, ops->front().rows.end())),
            (std::vector<uint64_t>{0, 1, 0, 31}));
}

TEST_F(SiliconOrder, WhatNoRecordingHasIsRefused) {
  EXPECT_NE(refused("[]").find("no cases"), std::string::npos);
  EXPECT_NE(refused(R"([{"kind":"load","space":"global"}])").find("kind load"), std::string::npos);
  EXPECT_NE(refused(R"([{"kind":"store","bytes":4,"space":"global","pattern":0,"slots":0,"mask":1,"winner":[]}])")
                .find("slots"),
            std::string::npos);
  EXPECT_NE(refused(R"([{"kind":"atomic","op":"nand","space":"global"}])").find("order.json"), std::string::npos);
  EXPECT_NE(refused("[").find("order.json"), std::string::npos);
}

// A copy of the recorded atomics to spoil.
class SiliconAtomics : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder);
    fs::copy(ATOMICS_DIR, folder);
    std::ifstream(folder / "atomics.json") >> index;
  }
  void write_index() { std::ofstream(folder / "atomics.json") << index; }
  std::string refused() {
    const auto ops = read_silicon(folder);
    return ops ? "accepted" : ops.error().message();
  }
  // What is said of an index that differs in one value of the first entry of `part`.
  std::string refused_with(const char* part, const char* key, const nlohmann::json& value) {
    const nlohmann::json was = std::exchange(index[part][0][key], value);
    write_index();
    index[part][0][key] = was;
    return refused();
  }
  // The form of that name alone, one bit of its last row's last byte changed.
  void plant(const std::string& part, const std::string& name) {
    nlohmann::json entry;
    for (const auto& e : index.at(part))
      if (e.at("name") == name) entry = e;
    index["forms"] = index["lanes"] = index["many_warps"] = nlohmann::json::array();
    index[part].push_back(entry);
    write_index();
    const size_t bytes = entry.at("bytes"), returns = entry.at("returns").get<bool>(), count = entry.at("count");
    const size_t row =
        part == "forms" ? bytes * (2 + entry.at("operands").get<size_t>() + returns) : 48 + bytes * (48 + 32 * returns);
    const auto last = static_cast<std::streamoff>(entry.at("offset").get<size_t>() + row * count - 1);
    std::fstream bin(folder / "atomics.bin", std::ios::in | std::ios::out | std::ios::binary);
    const int byte = bin.seekg(last).get();
    bin.seekp(last).put(static_cast<char>(byte ^ 1));
  }
  const fs::path folder = fs::path(::testing::TempDir()) / "heddle_silicon_atomics";
  nlohmann::json index;
};

TEST_F(SiliconAtomics, AFormsRowHasSixteenBytesForEachNumber) {
  const auto ops = read_silicon(folder);
  ASSERT_TRUE(ops) << ops.error().message();
  EXPECT_EQ(ops->size(), index["forms"].size() + index["lanes"].size() + index["many_warps"].size());
  for (const SiliconOp& op : *ops) {
    EXPECT_EQ(op.rows.size(), op.count * op.columns()) << op.name;
    EXPECT_EQ(op.count % op.case_rows, 0u) << op.name;
    if (op.name != "atom.shared.cas.b64") continue;
    EXPECT_EQ(op.entry, "atomic_095");
    EXPECT_NE(op.module.find(".visible .entry atomic_095("), std::string::npos);
    EXPECT_EQ(op.input_names, (std::vector<std::string>{"old", "old_hi", "a", "a_hi", "b", "b_hi"}));
    EXPECT_EQ(op.inputs, (std::vector<std::string>{"u64", "", "u64", "", "u64", ""}));
    for (size_t r = 0; r < op.count; ++r) {
      const uint64_t* row = op.rows.data() + r * op.columns();
      EXPECT_EQ(row[6], row[0] == row[2] ? row[4] : row[0]);
      EXPECT_EQ(row[8], row[0]);
    }
  }
}

TEST_F(SiliconAtomics, WhatTheBinaryOrTheKernelsLackIsNamed) {
  const auto size = fs::file_size(folder / "atomics.bin");
  fs::resize_file(folder / "atomics.bin", size - 1);
  const std::string last = index["lanes"].back()["name"];
  const std::string truncated = refused();
  EXPECT_NE(truncated.find("atomics.json: lanes 35 (\"" + last + "\"): its 7 rows of 816 bytes from byte "),
            std::string::npos)
      << truncated;
  EXPECT_NE(truncated.find("lie outside atomics.bin, which has " + std::to_string(size - 1)), std::string::npos);
  fs::remove(folder / "atomics.bin");
  EXPECT_NE(refused().find("atomics.bin"), std::string::npos);
  fs::copy_file(fs::path(ATOMICS_DIR) / "atomics.bin", folder / "atomics.bin");
  std::ofstream(folder / "atomics.ptx") << ".version 8.4\n";
  EXPECT_NE(refused().find("forms 0 (\"atom.global.and.b64\"): atomics.ptx has no kernel atomic_001"),
            std::string::npos);
  std::ofstream(folder / "atomics.ptx") << ".visible .entry atomic_001(";
  EXPECT_NE(refused().find("atomics.ptx: the kernel atomic_001 has no end"), std::string::npos);
  fs::remove(folder / "atomics.ptx");
  EXPECT_NE(refused().find("atomics.ptx"), std::string::npos);
}

TEST_F(SiliconAtomics, WhatNoRecordingHasIsRefused) {
  EXPECT_NE(refused_with("forms", "bytes", 32).find("forms 0 (\"atom.global.and.b64\"): bytes is 32"),
            std::string::npos);
  EXPECT_NE(refused_with("forms", "operands", 3).find("operands is 3"), std::string::npos);
  EXPECT_NE(refused_with("forms", "count", 0).find("no rows"), std::string::npos);
  EXPECT_NE(refused_with("forms", "count", uint64_t{1} << 60).find("lie outside atomics.bin"), std::string::npos);
  EXPECT_NE(refused_with("forms", "returns", "yes").find("atomics.json: forms 0"), std::string::npos);
  EXPECT_NE(refused_with("lanes", "space", "texture").find("space texture"), std::string::npos);
  EXPECT_NE(refused_with("lanes", "elements", 3).find("elements is 3"), std::string::npos);
  EXPECT_NE(refused_with("lanes", "elements", 4).find("less than two bytes"), std::string::npos);
  EXPECT_NE(refused_with("lanes", "offset", 1).find("case 0: "), std::string::npos);
  EXPECT_NE(refused_with("many_warps", "ascending", 1).find("many_warps 0: lanes that do not ascend"),
            std::string::npos);
  EXPECT_NE(refused_with("many_warps", "instructions", 7).find("no whole number"), std::string::npos);
  index["many_warps"][0]["instructions"] = index["many_warps"][0]["ascending"] = 132 * 8 * 1025;
  EXPECT_NE(refused_with("many_warps", "blocks", 132).find("more than 1024 instructions"), std::string::npos);
  EXPECT_NE(refused_with("many_warps", "warps_a_block", 33).find("no grid"), std::string::npos);
  EXPECT_NE(refused_with("many_warps", "type", "f16").find("type f16"), std::string::npos);
  index.erase("lanes");
  write_index();
  EXPECT_NE(refused().find("atomics.json: lanes: "), std::string::npos) << refused();
  index = {
      {"forms", nlohmann::json::array()}, {"lanes", nlohmann::json::array()}, {"many_warps", nlohmann::json::array()}};
  write_index();
  EXPECT_NE(refused().find("no forms"), std::string::npos);
  std::ofstream(folder / "atomics.json") << "{\n\"forms\": [}";
  EXPECT_NE(refused().find("atomics.json: "), std::string::npos);
  EXPECT_NE(refused().find("line 2"), std::string::npos) << refused();
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
    op.body = type == std::string("u64")   ? "mov.b64 %o, %a;"
              : type == std::string("u32") ? "mov.b32 %o, %a;"
                                           : "mov.b16 %o, %a;";
    op.inputs = op.outputs = {type};
    const auto compiled = compiler::compile({op.name, silicon_ptx(op)});
    EXPECT_TRUE(compiled) << compiled.error().message();
  }
}

// A recording as another seed would make it: some of the ops, in another order, with rows in another order and
// number (whole warps where lanes exchange values). `spoil`: one bit of one answer is wrong.
fs::path other_recording(uint64_t seed, bool spoil) {
  std::mt19937_64 random(seed);
  auto ops = *read_silicon(SILICON_DIR);
  std::erase_if(ops, [](const SiliconOp& op) { return ErrorBound::of(op.name).has_value(); });
  std::shuffle(ops.begin(), ops.end(), random);
  ops.resize(40);
  nlohmann::json list = nlohmann::json::array();
  std::vector<uint64_t> words(random() % 50, 0xdead);
  for (auto& op : ops) {
    const size_t together = std::regex_search(op.name, std::regex("^(shfl|vote|match|redux|order)")) ? 32 : 1;
    std::vector<size_t> groups(op.count / together), order;
    std::iota(groups.begin(), groups.end(), 0);
    std::shuffle(groups.begin(), groups.end(), random);
    groups.resize(1 + random() % groups.size());
    for (const size_t group : groups)
      for (size_t k = 0; k < together; k++) order.push_back(group * together + k);
    list.push_back({{"name", op.name},
                    {"body", op.body},
                    {"inputs", op.inputs},
                    {"outputs", op.outputs},
                    {"offset", words.size() * sizeof(uint64_t)},
                    {"count", order.size()}});
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
  EXPECT_TRUE(std::regex_search(e.text, std::regex("ops: 40 of 40 exact, ([0-9]+) of \\1 vectors exact\nPASSED\n$")))
      << e.text;
}

TEST(Silicon, OneWrongBitFailsTheRunAndIsPrinted) {
  const fs::path folder = other_recording(seed_of_test() + 1, true);
  const auto e = silicon(folder);
  EXPECT_EQ(e.status, 1) << e.text;
  EXPECT_NE(e.text.find("ops: 39 of 40 exact"), std::string::npos) << e.text;
  EXPECT_NE(e.text.find(": silicon 0x"), std::string::npos) << e.text;
  const auto none = silicon(folder, "--limit 0");
  EXPECT_EQ(none.text.find(": silicon 0x"), std::string::npos) << none.text;
  EXPECT_NE(none.text.find("1 more vectors are wrong"), std::string::npos) << none.text;
  EXPECT_NE(none.text.find("\nFAILED: 1 ops answer wrongly\n"), std::string::npos) << none.text;
}

TEST_F(SiliconAtomics, AWrongAnswerOfAFormIsPrinted) {
  plant("forms", "atom.global.exch.b128");
  const auto e = silicon(folder);
  EXPECT_EQ(e.status, 1) << e.text;
  EXPECT_TRUE(std::regex_search(e.text, std::regex("atom.global.exch.b128 row 47: old\\(u64\\)=0x[^\n]*"
                                                   "returned_hi\\(u64\\): silicon 0x[^\n]*, here 0x")))
      << e.text;
  EXPECT_NE(e.text.find("forms of atomics: 0 of 1 exact, 47 of 48 vectors exact"), std::string::npos) << e.text;
}

TEST_F(SiliconAtomics, AWrongAnswerOfAWarpsLaneIsPrinted) {
  plant("lanes", "atom.shared.exch.b128");
  const auto e = silicon(folder);
  EXPECT_EQ(e.status, 1) << e.text;
  EXPECT_NE(e.text.find("warp.atom.shared.exch.b128 case 6, lane 31: value(u64)="), std::string::npos) << e.text;
  EXPECT_NE(e.text.find("warp.atom.shared.exch.b128: 1 of 7 cases differ"), std::string::npos) << e.text;
  EXPECT_NE(e.text.find("atomics of a warp: 0 of 1 exact, 6 of 7 cases exact"), std::string::npos) << e.text;
  EXPECT_EQ(e.text.find("\nops: "), std::string::npos) << e.text;
}

// Case c of a warp's operation on shared memory as it was before, and as silicon left it.
std::pair<test::WarpWords, test::WarpWords> warp_case(const SiliconOp& op, size_t c) {
  test::WarpWords before, after;
  for (uint32_t lane = 0; lane < test::kLanes; ++lane) {
    const uint64_t* row = op.rows.data() + (c * test::kLanes + lane) * op.columns();
    before.value[lane] = row[0];
    before.at[lane] = static_cast<uint32_t>(row[4]);
    after.returned[lane] = row[8];
    constexpr uint32_t kSlots = 8;
    if (lane >= kSlots) continue;
    const uint32_t at = lane * static_cast<uint32_t>(row[5]);
    before.memory[at] = row[2];
    after.memory[at] = row[6];
  }
  after.value = before.value, after.at = before.at;
  return {before, after};
}

// The rule of silicon's loop says all that was recorded, and in some cases another order than the ascending one.
TEST_F(SiliconAtomics, SiliconsLoopsOnSharedMemoryGoByTheRule) {
  const std::map<std::string, test::WarpAtomic> loops = {
      {"warp.atom.shared.add.f64", {test::sum_of_f64}},         {"warp.red.shared.add.f64", {test::sum_of_f64}},
      {"warp.atom.shared.add.u64", {std::plus<uint64_t>()}},    {"warp.atom.shared.max.s64", {test::greater_s64, true}},
      {"warp.atom.shared.xor.b64", {std::bit_xor<uint64_t>()}},
  };
  const auto ops = read_silicon(folder);
  ASSERT_TRUE(ops) << ops.error().message();
  size_t known = 0, cases = 0, apart = 0;
  for (const SiliconOp& op : *ops) {
    const auto atomic = loops.find(op.name);
    if (atomic == loops.end()) continue;
    known++;
    for (size_t c = 0; c < op.count / test::kLanes; ++c, ++cases) {
      auto [rule, recorded] = warp_case(op, c);
      test::WarpWords in_order = rule;
      in_silicons_loop(rule, atomic->second);
      ascending(in_order, atomic->second);
      if (op.name.starts_with("warp.red")) rule.returned = in_order.returned = {};
      EXPECT_EQ(rule, recorded) << op.name << " case " << c;
      apart += in_order != recorded;
    }
  }
  EXPECT_EQ(known, loops.size());
  EXPECT_EQ(cases, 41u);
  EXPECT_EQ(apart, 16u);
}

TEST_F(SiliconAtomics, WhatTheCompilerRefusesIsNamed) {
  auto unknown = index["lanes"][0];
  unknown["name"] = "atom.global.rn.add.f32";
  index["lanes"].push_back(unknown);
  write_index();
  const auto e = silicon(folder, "--op 'warp.atom.*.add.f32'");
  EXPECT_EQ(e.status, 1) << e.text;
  EXPECT_NE(e.text.find("not run: warp.atom.global.rn.add.f32: "), std::string::npos) << e.text;
  EXPECT_NE(e.text.find("FAILED: 1 ops are refused by the compiler (--require-all)"), std::string::npos) << e.text;
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
  EXPECT_TRUE(e.text.ends_with("FAILED: 1 ops are refused by the compiler (--require-all)\n")) << e.text;
}

uint64_t bits(float f) { return std::bit_cast<uint32_t>(f); }

// The three numbers next to 1/3, which lies between them: 0.33 ulp above the second.
TEST(ErrorBound, CountsUlpsFromTheExactValue) {
  const auto rcp = ErrorBound::of("rcp.approx.f32");
  ASSERT_TRUE(rcp);
  const uint64_t three = bits(3.0f), third = bits(1.0f / 3), other = 0;
  EXPECT_TRUE(rcp->judge(&three, third, other).within);
  EXPECT_NEAR(rcp->judge(&three, third, other).ulps, 1.0 / 3, 1e-6);
  EXPECT_TRUE(rcp->judge(&three, third - 1, other).within);   // 0.67 ulp
  EXPECT_FALSE(rcp->judge(&three, third + 1, other).within);  // 1.33 ulp
  EXPECT_FALSE(rcp->judge(&three, third - 2, other).within);
  EXPECT_TRUE(rcp->judge(&three, third - 2, third - 2).within) << "silicon's own answer";
}

TEST(ErrorBound, LeavesZerosInfinitiesAndNansToSilicon) {
  const auto rcp = ErrorBound::of("rcp.approx.ftz.f32");
  const uint64_t subnormal = 1, infinity = bits(INFINITY), zero = 0, nan = 0x7fffffff;
  EXPECT_TRUE(rcp->judge(&subnormal, infinity, infinity).within);
  EXPECT_FALSE(rcp->judge(&subnormal, bits(3e38f), infinity).within) << "ftz: 1 / 0";
  EXPECT_FALSE(rcp->judge(&infinity, bits(-0.0f), zero).within);
  EXPECT_FALSE(rcp->judge(&nan, 0x7fc00000, nan).within);
}

TEST(ErrorBound, IsOfApproximationsAlone) {
  for (const char* op : {"add.f32", "rcp.rn.f32", "div.rn.f32", "sqrt.rn.ftz.f32", "rcp.rn.f64"})
    EXPECT_FALSE(ErrorBound::of(op)) << op;
  for (const char* op :
       {"div.full.f32", "sin.approx.ftz.f32", "ex2.approx.f16x2", "tanh.approx.bf16", "rcp.approx.ftz.f64"})
    EXPECT_TRUE(ErrorBound::of(op)) << op;
}

TEST(ErrorBound, JudgesPackedHalvesOneByOne) {
  const auto ex2 = ErrorBound::of("ex2.approx.f16x2");
  const uint64_t in = 0x3c004000, right = 0x40004400;  // 2 and 1; 4 and 2
  EXPECT_TRUE(ex2->judge(&in, right, 0).within);
  EXPECT_TRUE(ex2->judge(&in, right + 0x10000, 0).within);
  EXPECT_FALSE(ex2->judge(&in, right + 0x30000, 0).within);
  EXPECT_FALSE(ex2->judge(&in, right + 3, 0).within);
}

// The judge judged: what the H200 answered keeps PTX's promise by the exact value, too.
TEST(ErrorBound, SiliconKeepsIt) {
  size_t ops = 0, judged = 0;
  const auto recorded = read_silicon(SILICON_DIR);
  for (const auto& op : *recorded) {
    const auto bound = ErrorBound::of(op.name);
    if (!bound) continue;
    ops++;
    for (size_t row = 0; row < op.count; row++) {
      const uint64_t* words = op.rows.data() + row * op.columns();
      const uint64_t answer = words[op.inputs.size()];
      judged += bound->judge(words, answer, ~answer).within;
    }
  }
  EXPECT_EQ(ops, 27u);
  EXPECT_GT(judged, ops * 96 / 2);
}

TEST(Silicon, ApproximationsAreRightWithinTheirBound) {
  const fs::path folder = fs::path(::testing::TempDir()) / "heddle_approximate_recording";
  fs::create_directories(folder);
  std::ofstream(folder / "ptx_ops.json")
      << R"({"ops": [{"name": "rcp.approx.f32", "body": "rcp.approx.f32 %o, %a;", "inputs": ["f32"], "outputs": ["f32"],)"
      << R"( "offset": 0, "count": 2}]})";
  const auto record = [&](uint64_t second) {
    const uint64_t rows[] = {bits(4.0f), bits(0.25f), bits(3.0f), second};
    std::ofstream(folder / "ptx_ops.bin", std::ios::binary).write(reinterpret_cast<const char*>(rows), sizeof rows);
  };
  record(bits(1.0f / 3) - 1);
  const auto near = silicon(folder);
  EXPECT_EQ(near.status, 0) << near.text;
  EXPECT_NE(near.text.find("rcp.approx.f32: worst error 0.33 ulp, 1 of 2 vectors bit-equal"), std::string::npos)
      << near.text;
  EXPECT_NE(near.text.find("approximate ops: 1 of 1 within PTX's error bounds, 1 of 2 vectors bit-equal"),
            std::string::npos)
      << near.text;
  const auto exact = silicon(folder, "--exact");
  EXPECT_EQ(exact.status, 1) << exact.text;
  EXPECT_NE(exact.text.find("FAILED: 1 approximate vectors are not bit-equal (--exact)"), std::string::npos)
      << exact.text;
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
