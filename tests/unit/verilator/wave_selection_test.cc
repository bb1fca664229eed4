// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/wave_selection.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/verilator/wave_save.h"

namespace heddle::rtl {
namespace {

using Names = std::vector<std::string>;

TEST(WavePath, InstancesAreNamedAsAUserKnowsThem) {
  EXPECT_EQ(wave_path({"gpu", "gpu", "g_sm[1]", "u_sm", "g_part[2]", "u_sub_partition", "u_front_end"}).scopes,
            (Names{"sm1", "part2", "front_end"}));
  EXPECT_EQ(wave_path({"gpu", "gpu", "u_l2", "g_answers", "u_answers"}).scopes, (Names{"l2", "answers"}));
  EXPECT_TRUE(wave_path({"gpu", "gpu"}).shown);
  EXPECT_TRUE(wave_path({"gpu", "gpu"}).scopes.empty());
}

TEST(WavePath, MonitorsAndLoopVariablesAndTheSecondSetOfPortsAreLeftOut) {
  EXPECT_FALSE(wave_path({"gpu"}).shown);
  EXPECT_FALSE(wave_path({"gpu", "gpu", "u_monitor"}).shown);
  EXPECT_FALSE(wave_path({"gpu", "gpu", "u_l2", "unnamedblk3"}).shown);
}

// Asks for every signal of a small GPU.
std::vector<std::string> chosen(WaveSelection& selection) {
  std::vector<std::string> wanted;
  const std::pair<Names, std::string> signals[] = {
      {{}, "kernel_start"},         {{"l2"}, "busy_o"},
      {{"sm0"}, "mem_req_valid_o"}, {{"sm0", "part0", "front_end", "decode"}, "word"},
      {{"sm0", "part0"}, "ready"},  {{"sm0", "part0", "front_end", "fetch"}, "pc_q"},
      {{"sm0", "part1"}, "ready"},  {{"sm0", "part1", "execution", "writeback"}, "valid"},
      {{"sm1", "lsu"}, "busy_o"},   {{"sm1", "part0", "operand_collector"}, "start_i"}};
  for (const auto& [scopes, name] : signals) {
    if (!selection.wants(scopes, name)) continue;
    std::string path;
    for (const auto& scope : scopes) path += scope + ".";
    wanted.push_back(path + name);
  }
  return wanted;
}

TEST(WaveSelection, NothingAskedForIsAll) {
  auto all = WaveSelection::parse("", "");
  ASSERT_TRUE(all);
  EXPECT_EQ(chosen(*all).size(), 10u);
  EXPECT_TRUE(all->check());
}

TEST(WaveSelection, ScopesTakeWhatIsBelowThem) {
  auto s = WaveSelection::parse("sm0.part1,gpu.l2", "");
  ASSERT_TRUE(s);
  EXPECT_EQ(chosen(*s), (Names{"l2.busy_o", "sm0.part1.ready", "sm0.part1.execution.writeback.valid"}));
  EXPECT_TRUE(s->check());
  auto every = WaveSelection::parse("sm*.part0", "");
  ASSERT_TRUE(every);
  EXPECT_EQ(chosen(*every).size(), 4u);
}

TEST(WaveSelection, OperandsHaveRequestsAndResultsOfAllUnits) {
  auto s = WaveSelection::parse("", "operands");
  ASSERT_TRUE(s);
  for (const char* name : {"req", "req_valid", "req_ready", "req_soon"})
    EXPECT_TRUE(s->wants({"sm0", "part0"}, name)) << name;
  for (const char* name : {"result", "result_valid", "result_turn", "result_ready"})
    EXPECT_TRUE(s->wants({"sm0", "part0", "execution"}, name)) << name;
  for (const char* unit : {"unit0", "unit7"})
    EXPECT_TRUE(s->wants({"sm0", "part0", "execution", unit}, "rsp_valid_o")) << unit;
}

TEST(WaveSelection, GroupsAreSignalsOfOnePurpose) {
  const std::pair<const char*, Names> cases[] = {
      {"frontend", {"sm0.part0.front_end.decode.word", "sm0.part0.front_end.fetch.pc_q"}},
      {"schedule", {"sm0.part0.ready", "sm0.part1.ready"}},
      {"operands", {"sm1.part0.operand_collector.start_i"}},
      {"memory", {"l2.busy_o", "sm0.mem_req_valid_o", "sm1.lsu.busy_o"}},
      {"retirement", {"kernel_start", "sm0.part1.execution.writeback.valid"}}};
  for (const auto& [group, wanted] : cases) {
    auto s = WaveSelection::parse("", group);
    ASSERT_TRUE(s);
    EXPECT_EQ(chosen(*s), wanted) << group;
  }
  auto two = WaveSelection::parse("sm0", "frontend,schedule");
  ASSERT_TRUE(two);
  EXPECT_EQ(chosen(*two).size(), 4u);
}

TEST(WaveSelection, AnUnknownGroupListsThem) {
  const auto s = WaveSelection::parse("", "frontend,cache");
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("no signal group 'cache'"), std::string::npos);
  EXPECT_NE(s.error().message().find("frontend, schedule, operands, memory, retirement"), std::string::npos);
}

TEST(WaveSelection, AnUnknownScopeListsWhatStandsThere) {
  auto s = WaveSelection::parse("l2,sm7", "");
  ASSERT_TRUE(s);
  chosen(*s);
  ASSERT_FALSE(s->check());
  EXPECT_NE(s->check().error().message().find("no scope 'sm7' for waveforms; in the GPU there are l2, sm0, sm1"),
            std::string::npos)
      << s->check().error().message();
  auto deep = WaveSelection::parse("sm0.part9.fetch", "");
  ASSERT_TRUE(deep);
  chosen(*deep);
  EXPECT_NE(deep->check().error().message().find("in sm0 there are part0, part1"), std::string::npos)
      << deep->check().error().message();
}

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(WaveSave, SignalsAreGroupedAndTranslated) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "heddle_wave_save";
  std::filesystem::create_directories(folder);
  WaveSave save((folder / "run.fst").string());
  const Names part = {"sm0", "part1"};
  save.add({"sm0", "part1", "front_end", "decode"}, "word", " [63:0]", 64);
  for (const char* name : {"resident_q", "waiting_o", "slot_valid", "sb_clear", "ready"})
    save.add(part, name, " [15:0]", 16);
  save.add({"sm0", "part1", "issue"}, "op", " [7:0]", 8);
  save.add({"sm0", "part1", "front_end", "fetch"}, "other", "", 1);
  ASSERT_TRUE(save.write());
  const std::string text = slurp(folder / "run.gtkw");
  EXPECT_NE(text.find("@800200\n-sm0.part1 frontend\n"), std::string::npos) << text;
  EXPECT_NE(text.find("heddle-disasm\ngpu.sm0.part1.front_end.decode.word[63:0]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("run.opcodes.txt\ngpu.sm0.part1.issue.op[7:0]\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("#{sm0.part1.warp15} (0)gpu.sm0.part1.resident_q[15:0] (0)gpu.sm0.part1.waiting_o[15:0] "
                "(0)gpu.sm0.part1.slot_valid[15:0] (0)gpu.sm0.part1.sb_clear[15:0] (0)gpu.sm0.part1.ready[15:0]\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("other"), std::string::npos);
  EXPECT_NE(slurp(folder / "run.opcodes.txt").find("\n02 EXIT\n"), std::string::npos);
  const std::string states = slurp(folder / "run.warps.txt");
  for (const char* line : {"\n00 -\n", "\n17 ready\n", "\n1e barrier\n", "\n14 scoreboard\n", "\n12 fetch\n"})
    EXPECT_NE(states.find(line), std::string::npos) << line;
  save.remove();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace heddle::rtl
