// SPDX-License-Identifier: Apache-2.0
// heddle trace: what the driver wrote of launches, and the files made of it; its words, on the golden model. traced.py
// has the hardware.
#include <set>
#include <sstream>

#include "host-runtime/tools/heddle/trace/outputs.h"
#include "isa/isa.h"
#include "tests/unit/tools/command_fixture.h"

namespace {

namespace trace = heddle::tools::trace;

const std::string kLaunch =
    R"j(L {"launch":1,"name":"k(int)","symbol":"_Z1ki","grid":"(1,1,1)","block":"(32,1,1)","preset":"tiny",)j"
    R"j("clock_khz":1000.0,"sms":1,"warps_per_sm":8,"bucket":100,"limit":1000})j"
    "\n+ 500\n";

unsigned state(const std::string& word) {
  const auto& words = trace::state_words();
  return static_cast<unsigned>(std::find(words.begin(), words.end(), word) - words.begin());
}

std::string tell(uint64_t cycle, unsigned warp, const std::string& word) {
  return "s " + std::to_string(cycle) + " 0 " + std::to_string(warp) + " " + std::to_string(state(word)) + "\n";
}

trace::Launch only(const std::string& text) {
  auto launches = trace::parse_events(text);
  EXPECT_TRUE(launches) << launches.error().message();
  EXPECT_EQ(launches->size(), 1u);
  return launches->empty() ? trace::Launch{} : launches->front();
}

using Trace = Command;

TEST_F(Trace, StatesAreMergedAndEndWhereTheWarpDoes) {
  const auto l = only(kLaunch + tell(5, 2, "no_instruction") + tell(9, 2, "no_instruction") + tell(12, 2, "selected") +
                      tell(13, 2, "none") + tell(20, 2, "selected") + "- 30 1\n");
  const auto& slices = l.states.at({0, 2});
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].begin, 5u);
  EXPECT_EQ(slices[0].end, 12u);
  EXPECT_EQ(slices[1].end, 13u);
  EXPECT_EQ(slices[2].end, 30u);  // with the launch
  EXPECT_TRUE(l.completed);
}

TEST_F(Trace, WhatALimitCutsEndsThere) {
  const auto l =
      only(kLaunch + tell(5, 0, "wait") + "b 4 0 1 7 0 0\nn 9\n" + tell(20, 0, "barrier") + "n 26\n- 30 1\n");
  const auto& slices = l.states.at({0, 0});
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0].end, 9u);
  EXPECT_EQ(slices[1].begin, 20u);
  EXPECT_EQ(slices[1].end, 26u);
  EXPECT_EQ(l.blocks.at(0).end, 9u);
  EXPECT_EQ(l.blocks.at(0).index, "(7,0,0)");
}

TEST_F(Trace, AFileThatIsCutOffGivesWhatIsThere) {
  const auto l = only(kLaunch + tell(5, 0, "wait") + tell(25, 0, "barrier") + "s 27 0");
  EXPECT_FALSE(l.completed);
  EXPECT_EQ(l.cycles, 25u);
  EXPECT_EQ(l.states.at({0, 0}).size(), 1u);
  const auto bad = trace::parse_events(kLaunch + "s 27 0\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message(), "line 3 is no event: s 27 0");
  EXPECT_FALSE(trace::parse_events("s 1 0 0 0\n"));
}

TEST_F(Trace, AnInstructionsStages) {
  const auto l =
      only(kLaunch + tell(3, 1, "no_instruction") + tell(8, 1, "long_scoreboard") + tell(10, 1, "wait") +
           tell(11, 1, "selected") + tell(12, 1, "branch_resolving") + "i 11 0 1 4 64 15\nx 13 0 1 4 0\nr 17 0 1 4\n" +
           tell(19, 1, "none") + "p 64 {\"pc\":16,\"text\":\"IADD R1, R1, R2\"}\n- 20 1\n");
  const fs::path file = scratch / "k";
  ASSERT_TRUE(trace::write_konata(file.string(), l, {0, 100}));
  EXPECT_EQ(
      slurp(file),
      "Kanata\t0004\nC=\t0\nC\t3\nI\t0\t4\t1\nL\t0\t0\t0x0010: IADD R1, R1, R2\n"
      "L\t0\t1\tactive 0x0000000f, SM 0 warp 1, issued in cycle 11, waited: 2 long_scoreboard, 1 wait\nS\t0\t0\tF\n"
      "C\t5\nE\t0\t0\tF\nS\t0\t0\tWt\nS\t0\t1\tls\nC\t2\nE\t0\t1\tls\nS\t0\t1\twa\n"
      "C\t1\nE\t0\t0\tWt\nE\t0\t1\twa\nS\t0\t0\tIs\nC\t1\nE\t0\t0\tIs\nS\t0\t0\tOc\n"
      "C\t1\nE\t0\t0\tOc\nS\t0\t0\tInt\nC\t4\nE\t0\t0\tInt\nS\t0\t0\tWb\nC\t1\nE\t0\t0\tWb\nR\t0\t0\t0\n");
}

TEST_F(Trace, WhatHasNotRetiredWhenARunStopsIsFlushed) {
  const auto l = only(kLaunch + tell(3, 0, "selected") + "i 3 0 0 0 64 1\ni 5 0 0 1 72 1\nj 9 0 0 1\n- 20 0\n");
  const fs::path file = scratch / "k";
  ASSERT_TRUE(trace::write_konata(file.string(), l, {0, 100}));
  const std::string text = slurp(file);
  EXPECT_NE(text.find("R\t1\t0\t0\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("R\t0\t1\t1\n")) << text;
  EXPECT_FALSE(trace::write_konata("/nonexistent/k", l, {0, 100}));
}

// Each "consumer producer" of the file.
std::set<std::string> dependences(const std::string& text) {
  std::set<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("D\t")) {
      EXPECT_TRUE(line.ends_with("\t0")) << line;
      const size_t between = line.find('\t', 2);
      EXPECT_TRUE(
          all.insert(line.substr(2, between - 2) + " " + line.substr(between + 1, line.rfind('\t') - between - 1))
              .second)
          << line;
    }
  return all;
}

std::string program(const std::vector<std::string>& text) {
  std::string places;
  for (size_t n = 0; n < text.size(); n++)
    places += "p " + std::to_string(8 * n) + " {\"pc\":" + std::to_string(8 * n) + ",\"text\":\"" + text[n] +
              "\",\"word\":" + std::to_string(heddle::isa::assemble(text[n]).value()) + "}\n";
  return places;
}

TEST_F(Trace, AnInstructionDependsOnThoseThatWroteWhatItReads) {
  const std::string code = program({"MOV R1, 5", "@P0 MOV R1, 6", "IADD R2, R1, R1", "ISETP.LT P0, PT, R2, 3, PT",
                                    "LDG.64 R4, [R2+0]", "@P0 FADD R6, R5, R1"});
  const fs::path file = scratch / "k";
  std::string issues;
  for (int n = 0; n < 6; n++)
    issues += "i " + std::to_string(10 + n) + " 0 0 " + std::to_string(n) + " " + std::to_string(8 * n) + " 15\n";
  // Another warp, and one that comes into the first one's slot, have their own registers.
  issues += "i 20 0 1 2 16 15\ni 30 0 0 0 16 15\n";
  ASSERT_TRUE(trace::write_konata(file.string(), only(kLaunch + issues + code + "- 40 1\n"), {0, 100}));
  EXPECT_EQ(dependences(slurp(file)), (std::set<std::string>{"2 0", "2 1", "3 2", "4 2", "5 0", "5 1", "5 3", "5 4"}));
}

TEST_F(Trace, ADependenceIsOfTheSameLanes) {
  // Lanes 0 and 1 write R1, then lanes 2 and 3; who reads it in two lanes reads one's, in all four both; a last write
  // hides them.
  const std::string code = program({"MOV R1, 5", "MOV R1, 6", "MOV R2, R1", "MOV R3, R1", "MOV R1, 7", "MOV R4, R1"});
  const unsigned lanes[] = {3, 12, 12, 15, 15, 15};
  std::string issues;
  for (int n = 0; n < 6; n++)
    issues += "i " + std::to_string(10 + n) + " 0 0 " + std::to_string(n) + " " + std::to_string(8 * n) + " " +
              std::to_string(lanes[n]) + "\n";
  const fs::path file = scratch / "k";
  ASSERT_TRUE(trace::write_konata(file.string(), only(kLaunch + issues + code + "- 40 1\n"), {0, 100}));
  EXPECT_EQ(dependences(slurp(file)), (std::set<std::string>{"2 1", "3 0", "3 1", "5 4"}));
}

TEST_F(Trace, TheTimelineHasTheHostAndTheSms) {
  const auto l =
      only(kLaunch + "b 2 0 0 0 0 0\n" + tell(3, 1, "wait") + "c 0 0 5 1 8 6 96 32\nm 0 1 64 0\ne 19 0 0\n- 20 1\n");
  const fs::path file = scratch / "t.json";
  // The host's part is cut off.
  ASSERT_TRUE(trace::write_chrome(file.string(), "[\n{\"ph\":\"M\",\"name\":\"process_name\"},\n{\"ph\":\"X\",\"na",
                                  {l}, {"a note"}));
  const auto j = nlohmann::json::parse(slurp(file), nullptr, false);
  ASSERT_TRUE(j.is_object()) << slurp(file);
  EXPECT_EQ(j["otherData"]["notes"][0], "a note");
  const auto find = [&](const std::string& name) {
    for (const auto& e : j["traceEvents"])
      if (e["name"] == name) return e;
    ADD_FAILURE() << "no " << name;
    return nlohmann::json();
  };
  EXPECT_EQ(find("k(int)")["ts"], 500.0);  // a cycle is a microsecond
  EXPECT_EQ(find("k(int)")["dur"], 20.0);
  EXPECT_EQ(find("wait")["tid"], 1001);
  EXPECT_EQ(find("block (0,0,0)")["args"]["cycles"], 17);
  EXPECT_EQ(find("L1 sectors per 100 cycles")["args"]["misses"], 2);
  EXPECT_EQ(find("L1 sectors per 100 cycles")["pid"], find("wait")["pid"]);
  EXPECT_EQ(find("L2 bytes per 100 cycles")["args"], nlohmann::json({{"read", 96}, {"written", 32}}));
  EXPECT_EQ(find("memory channel 1: bytes per 100 cycles")["args"]["read"], 64);
  EXPECT_EQ(find("resident warps")["args"]["warps"], 1);
}

TEST_F(Trace, TheModelHasNoClock) {
  const std::string options = "trace --device model -o " + (scratch / "t.json").string();
  const auto e = run(options + " -- " + kPrograms + "/kernel once");
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("the device 'model' has no clock, or does not tell: the host's timeline only")) << e.text;
  const auto j = nlohmann::json::parse(slurp(scratch / "t.json"), nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_GT(j["traceEvents"].size(), 5u);
  EXPECT_EQ(run(options + " -- /bin/sh -c '" + kPrograms + "/kernel once; exit 5'").exit(), 5);
  const auto alone = run("run --device model --quiet -- " + kPrograms + "/kernel once",
                         "HEDDLE_EVENTS=" + (scratch / "events").string());
  EXPECT_TRUE(alone.has("HEDDLE_EVENTS: the device 'model' does not tell when what happens")) << alone.text;
}

TEST_F(Trace, WordsAreCheckedBeforeTheProgramStarts) {
  const std::string program = " -- /bin/sh -c 'echo started'";
  const struct {
    const char *options, *text;
  } cases[] = {{"-o /nonexistent/t.json", "-o: cannot write '/nonexistent/t.json'"},
               {"--konata k", "has no clock, or does not tell"},
               {"--waves k", "has no clock, or does not tell"},
               {"--konata k --window 5", "--window '5': FIRST:LAST is expected"},
               {"--konata k --window 7:5", "--window '7:5': FIRST:LAST is expected"},
               {"--window 5:7", "--window is of --konata and --waves"},
               {"--seed x -o /dev/null", "HEDDLE_SEED='x'"},
               {"--limit x", ""},
               {"--bogus", "unknown word"}};
  for (const auto& c : cases) {
    const auto e = run(std::string("trace --device model ") + c.options + program);
    EXPECT_EQ(e.exit(), 2) << c.options << e.text;
    EXPECT_TRUE(e.has(c.text)) << c.options << e.text;
    EXPECT_FALSE(e.has("started")) << c.options;
  }
  EXPECT_EQ(run("trace --device model").exit(), 2);
  EXPECT_EQ(run("trace --device model -- " + scratch.string() + "/none").exit(), 127);
}

}  // namespace
