// SPDX-License-Identifier: Apache-2.0
// heddle run --wave, and the filter for GTKWave.
#include <algorithm>

#include "sim/verilator/wave_save.h"
#include "sim/verilator/wave_selection.h"
#include "tests/unit/tools/command_fixture.h"
#include "tests/unit/verilator/fst_reader.h"

namespace {

using Waves = Command;

const std::string kWave = "run --device rtl --preset " HEDDLE_RTL_PRESET " --wave ";
const std::string kOnce = " -- " + kPrograms + "/kernel once";

TEST_F(Waves, CtrlCLeavesAWholeWaveform) {
  const std::string wave = (scratch / "run.fst").string();
  stop_a_run(scratch, SIGINT, true,
             {"--device", "rtl", "--preset", HEDDLE_RTL_PRESET, "--wave", wave, "--wave-cycles", "0:400"});
  EXPECT_GT(fs::file_size(wave), 1000u);
  EXPECT_EQ(slurp(scratch / "output").find("waveform"), std::string::npos) << slurp(scratch / "output");
}

TEST_F(Waves, AWaveformIsWhole) {
  const fs::path wave = scratch / "run.fst";
  const std::string options = kWave + wave.string();
  const auto e = run(options + " --wave-cycles 10:200" + kOnce);
  EXPECT_EQ(e.exit(), 0) << e.text;
  const auto contents = heddle::test::read_fst(wave.string());
  EXPECT_EQ(contents.begin, 10u);
  EXPECT_EQ(contents.end, 200u);
  EXPECT_EQ(contents.names.count("gpu.sm0.part0.front_end.decode.word [63:0]"), 1u);
  EXPECT_EQ(contents.names.count("gpu.l2.clk_i"), 1u);
  EXPECT_TRUE(fs::exists(scratch / "run.gtkw"));
  const auto late = run(options + " --wave-cycles 100000000:100000001" + kOnce);
  EXPECT_EQ(late.exit(), 1);
  EXPECT_TRUE(late.has("not written: the window begins at cycle 100000000")) << late.text;
  EXPECT_FALSE(fs::exists(wave));
  EXPECT_FALSE(fs::exists(scratch / "run.gtkw"));
}

// Signals that the RTL has renamed would silently be missing.
TEST_F(Waves, GroupsAndSaveFilesNameSignalsThatAreThere) {
  namespace rtl = heddle::rtl;
  const fs::path wave = scratch / "run.fst";
  ASSERT_EQ(run(kWave + wave.string() + kOnce).exit(), 0);
  std::vector<std::vector<std::string>> paths;
  for (const auto& [name, signal] : heddle::test::read_fst(wave.string()).names)
    paths.push_back(rtl::wave_split(std::string_view(name).substr(4, name.find(' ') - 4), '.'));  // "gpu.", " [31:0]"
  std::vector<std::string_view> patterns = rtl::shown_patterns();
  std::vector<std::string> words;
  for (const auto& group : rtl::wave_groups())
    for (auto& word : rtl::wave_split(group.patterns, ' ')) words.push_back(std::move(word));
  patterns.insert(patterns.end(), words.begin(), words.end());
  for (const std::string_view pattern : patterns) {
    const auto parts = rtl::wave_split(pattern, '.');
    EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [&](const auto& path) {
      return rtl::wave_matches(parts, path);
    })) << pattern;
  }
}

// What the waveform tells of a warp is what the report counts.
TEST_F(Waves, AWaveformShowsEachInstruction) {
  const fs::path wave = scratch / "run.fst", report = scratch / "report.json";
  const auto e = run(kWave + wave.string() + " --wave-scope 'sm*.part*' --wave-group schedule,frontend --report " +
                     report.string() + kOnce);
  ASSERT_EQ(e.exit(), 0) << e.text;
  const auto contents = heddle::test::read_fst(wave.string());
  uint64_t issued = 0, words = 0;
  for (const auto& [name, signal] : contents.names) {
    EXPECT_EQ(name.rfind("gpu.sm", 0), 0u) << name;
    EXPECT_EQ(name.find("operand_collector"), std::string::npos) << name;
    const auto changes = contents.values.find(signal.first);
    if (changes == contents.values.end()) continue;
    if (name.ends_with(".issue.valid_i")) {
      for (size_t i = 0; i < changes->second.size(); i++)
        if (changes->second[i].second == "1")
          issued += (i + 1 < changes->second.size() ? changes->second[i + 1].first : contents.end + 1) -
                    changes->second[i].first;
    }
    if (name.ends_with(".part0.front_end.decode.word [63:0]")) words += changes->second.size();
  }
  const auto j = nlohmann::json::parse(slurp(report), nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_EQ(issued, j["totals"]["warp_instructions"].get<uint64_t>());
  EXPECT_GT(words, 1u);
}

TEST_F(Waves, UnknownScopesAndGroupsOfAWaveformAreFoundBeforeTheProgramStarts) {
  const std::string options = kWave + (scratch / "w.fst").string();
  const std::string program = " -- /bin/sh -c 'echo started'";
  const struct {
    const char *options, *text;
  } cases[] = {
      {" --wave-scope sm9", "no scope 'sm9' for waveforms; in the GPU there are block_dispatcher,"},
      {" --wave-scope sm0.part9", "in sm0 there are barriers,"},
      {" --wave-group cache", "no signal group 'cache' for waveforms; there are frontend, schedule, operands,"},
      {" --wave-group frontend --wave-scope l2", "no signal of the groups 'frontend' is in the scopes 'l2'"}};
  for (const auto& c : cases) {
    const auto e = run(options + c.options + program);
    EXPECT_EQ(e.exit(), 2) << c.options << e.text;
    EXPECT_TRUE(e.has(c.text)) << e.text;
    EXPECT_FALSE(e.has("started")) << c.options;
  }
  // A program that never uses the device has no waveform of the attempt.
  EXPECT_EQ(run(options + " --wave-scope sm0" + program).exit(), 1);
  EXPECT_FALSE(fs::exists(scratch / "w.fst"));
  EXPECT_FALSE(fs::exists(scratch / "w.gtkw"));
}

TEST_F(Waves, AProgramThatAbortsLeavesItsWaveform) {
  const fs::path wave = scratch / "run.fst";
  const auto e = run(kWave + wave.string() + " --wave-group schedule" + kOnce + " abort");
  EXPECT_EQ(e.exit(), 128 + SIGABRT) << e.text;
  const auto contents = heddle::test::read_fst(wave.string());
  bool ended = false;  // the block's warps came and went
  for (const auto& [name, signal] : contents.names)
    if (name.find("sm0.part0.resident_q") != std::string::npos) {
      const auto& values = contents.values.at(signal.first);
      ended = values.size() > 2 && values.back().second.find('1') == std::string::npos;
    }
  EXPECT_TRUE(ended);
}

// A file size limit is a full disk that a test can have; it adds SIGXFSZ, which would kill.
TEST_F(Waves, AFullDiskEndsTheWaveformAndTheProgramGoesOn) {
  const fs::path wave = scratch / "run.fst", out = scratch / "limited";
  const auto limited = [&](int kibibytes, const std::string& words) {
    const std::string command =
        "(ulimit -f " + std::to_string(kibibytes) + "; exec " + kHeddle + " " + words + ") >" + out.string() + " 2>&1";
    return WEXITSTATUS(std::system(("/bin/bash -c '" + command + "'").c_str()));
  };
  const int status = limited(192, kWave + wave.string() + " --cycle-limit 60000 -- " + kPrograms + "/kernel endless");
  const std::string text = slurp(out);
  EXPECT_NE(text.find("cudaErrorLaunchTimeout"), std::string::npos) << text;  // the program ran to its end
  EXPECT_EQ(status, 3) << text;
  EXPECT_NE(text.find("run.fst ends at cycle "), std::string::npos) << text;
  EXPECT_NE(text.find("File too large"), std::string::npos) << text;
  const auto contents = heddle::test::read_fst(wave.string());
  EXPECT_GT(contents.end, 100u);
  EXPECT_LT(contents.end, 60000u);
  // A program that succeeds fails the run: its waveform is not what was asked for. There is room for the names of
  // signals and little more.
  EXPECT_EQ(limited(80, kWave + wave.string() + kOnce), 1) << slurp(out);
}

// With GTKWave's tools: another program reads the file, and the filter answers through its pipes.
TEST_F(Waves, GtkWavesToolsReadAWaveform) {
  const fs::path wave = scratch / "run.fst", vcd = scratch / "run.vcd";
  ASSERT_EQ(run(kWave + wave.string() + kOnce).exit(), 0);
  ASSERT_EQ(std::system(("fst2vcd -f " + wave.string() + " -o " + vcd.string() + " >/dev/null").c_str()), 0);
  EXPECT_NE(slurp(vcd).find("$scope module part0 $end"), std::string::npos);
}

// As GTKWave asks its filter processes: a line, an answer, the next line.
TEST_F(Waves, TheDisassemblerAnswersWordByWord) {
  int to[2], from[2];
  ASSERT_TRUE(pipe(to) == 0 && pipe(from) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
    execl(HEDDLE_BUILD_DIR "/bin/heddle-disasm", "heddle-disasm", nullptr);
    _exit(126);
  }
  close(to[0]);
  close(from[1]);
  std::FILE* const answers = fdopen(from[0], "r");
  const std::pair<std::string, std::string> lines[] = {
      {"0000000030000702\n", "EXIT"}, {"0000000030000701\n", "NOP"}, {"xxxxxxxxxxxxxxxx\n", "xxxx"}, {"\n", "\n"}};
  for (const auto& [question, wanted] : lines) {
    ASSERT_EQ(write(to[1], question.data(), question.size()), static_cast<ssize_t>(question.size()));
    char line[256] = "";
    ASSERT_NE(std::fgets(line, sizeof line, answers), nullptr);  // hangs when it is not flushed
    EXPECT_NE(std::string(line).find(wanted), std::string::npos) << line;
  }
  close(to[1]);
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  std::fclose(answers);
}

}  // namespace
