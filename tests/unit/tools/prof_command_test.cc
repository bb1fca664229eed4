// SPDX-License-Identifier: Apache-2.0
// heddle prof as a user meets it, on the golden model.
#include "tests/unit/tools/command_fixture.h"

namespace {

const std::string kModel = "prof --device model --preset cc80 ";
const std::string kOnce = " -- " + kPrograms + "/kernel once";

TEST_F(Command, ProfShowsALaunch) {
  const auto e = run(kModel + kOnce);
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("once (4, 1, 1)x(64, 1, 1), Device model, Preset cc80, CC 8.0")) << e.text;
  for (const char* section :
       {"GPU Speed Of Light Throughput", "Memory Workload Analysis", "Scheduler Statistics", "Warp State Statistics",
        "Instruction Statistics", "Launch Statistics", "Occupancy", "Source Counters"})
    EXPECT_TRUE(e.has(std::string("    Section: ") + section + "\n")) << section;
  EXPECT_TRUE(e.has("golden model has no clock")) << e.text;
  EXPECT_FALSE(e.has("Elapsed Cycles")) << e.text;
}

TEST_F(Command, ProfGivesTheProgramsExitStatus) {
  const auto e = run(kModel + "-- /bin/sh -c '" + kPrograms + "/kernel once; exit 5'");
  EXPECT_EQ(e.exit(), 5) << e.text;
  EXPECT_TRUE(e.has("Section: Occupancy")) << e.text;
}

TEST_F(Command, ProfShowsSectionsThatAreAskedFor) {
  const auto one = run(kModel + "--section Occupancy" + kOnce);
  EXPECT_TRUE(one.has("Section: Occupancy") && !one.has("Section: Launch")) << one.text;
  const auto two = run(kModel + "--section 'regex:launch|source' --section Occupancy" + kOnce);
  EXPECT_TRUE(two.has("Section: Occupancy") && two.has("Section: Launch") && two.has("Section: Source")) << two.text;
  const auto basic = run(kModel + "--set basic" + kOnce);
  EXPECT_TRUE(basic.has("Section: Occupancy") && !basic.has("Section: Source")) << basic.text;
}

TEST_F(Command, ProfKeepsAndShowsAFile) {
  const std::string file = (scratch / "profile.jsonl").string();
  const auto kept = run(kModel + "-o " + file + kOnce);
  EXPECT_EQ(kept.exit(), 0) << kept.text;
  const auto shown = run("prof --import " + file);
  EXPECT_EQ(shown.exit(), 0) << shown.text;
  EXPECT_TRUE(kept.has(shown.text)) << shown.text;
  const auto csv = run("prof --csv --page raw -i " + file);
  EXPECT_TRUE(csv.has("\"smsp__inst_executed.sum\"") && csv.has("\"once\"")) << csv.text;
  const auto j = nlohmann::json::parse(run("prof --json --page raw -i " + file).text, nullptr, false);
  ASSERT_TRUE(j.is_array());
  EXPECT_EQ(j[0]["metrics"]["smsp__inst_executed.sum"], 8);
  EXPECT_EQ(j[0]["metrics"]["smsp__warps_launched.sum"], 8);
  EXPECT_TRUE(j[0]["metrics"]["gpc__cycles_elapsed.max"].is_null());
  EXPECT_TRUE(run("prof --page source -i " + file).has("EXIT"));
  EXPECT_EQ(run("prof -k once -i " + file).exit(), 0);
  EXPECT_EQ(run("prof -k twice -i " + file).exit(), 1);
}

TEST_F(Command, ProfChoosesLaunches) {
  const std::string twice = " -- /bin/sh -c '" + kPrograms + "/kernel endless reset'";
  const auto first = run(kModel + "--cycle-limit 5000 -k regex:^end --section LaunchStats" + twice);
  EXPECT_TRUE(first.has("endless (4") && !first.has("once (4")) << first.text;
  EXPECT_TRUE(first.has("did not complete")) << first.text;
  const auto last = run(kModel + "--cycle-limit 5000 -k once --section LaunchStats" + twice);
  EXPECT_TRUE(last.has("once (4") && !last.has("endless (4")) << last.text;
}

TEST_F(Command, ProfSaysWhichKernelsRanWhenNoneIsChosen) {
  const auto e = run(kModel + "-k twice" + kOnce);
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("no launch is one that -k, -s and -c choose; these kernels ran:\n  once\n")) << e.text;
  EXPECT_EQ(run(kModel + "-s 1" + kOnce).exit(), 1);
  const auto none = run(kModel + "-- /bin/true");
  EXPECT_EQ(none.exit(), 1);
  EXPECT_TRUE(none.has("launched no kernel")) << none.text;
}

TEST_F(Command, ProfChecksItsOptionsBeforeTheProgramStarts) {
  const std::string program = " -- /bin/sh -c 'echo started'";
  const struct {
    const char *options, *text;
  } cases[] = {{"-o /nonexistent/p.jsonl", "cannot write '/nonexistent/p.jsonl'"},
               {"-o /dev/full -k 'regex:('", "no regular expression"},
               {"--section Caches", "there is none; known: SpeedOfLight"},
               {"--section 'regex:('", "no regular expression"},
               {"--set some", "basic or full"},
               {"--page some", "details, raw or source"},
               {"--page source --print-source some", "sass, ptx or cuda"},
               {"--csv --json", "one of them"},
               {"--import p.jsonl", "no program is run"},
               {"--html /nonexistent/p.html", "cannot write '/nonexistent/p.html'"},
               {"--baseline /nonexistent/p.jsonl", "--baseline: cannot read"},
               {"--baseline /etc/passwd", "no profile of a launch"},
               {"--seed x", "HEDDLE_SEED='x'"},
               {"-s -1", ""},
               {"--bogus", "unknown word"}};
  for (const auto& c : cases) {
    const auto e = run(kModel + c.options + program);
    EXPECT_EQ(e.exit(), 2) << c.options << e.text;
    EXPECT_TRUE(e.has(c.text)) << c.options << e.text;
    EXPECT_FALSE(e.has("started")) << c.options;
  }
  EXPECT_EQ(run("prof --device gpu -- /bin/true").exit(), 2);
  EXPECT_EQ(run("prof --device model --preset cc99 -- /bin/true").exit(), 2);
  EXPECT_EQ(run("prof --device model").exit(), 2);
  EXPECT_EQ(run("prof --device model -- " + scratch.string() + "/none").exit(), 127);
}

TEST_F(Command, ProfTellsOfEachLaunchAndWritesAPage) {
  const std::string file = (scratch / "page.html").string(), kept = (scratch / "kept.jsonl").string();
  const auto e = run(kModel + "-o " + kept + " --html " + file + kOnce);
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("==PROF== Profiling \"once\" - 1: 8 instructions\n")) << e.text;
  EXPECT_TRUE(e.has("==PROF== Report: " + file + "\n")) << e.text;
  EXPECT_NE(slurp(file).find("\"name\":\"once\""), std::string::npos);
  const auto none = run("run --device model --quiet" + kOnce, "HEDDLE_PROFILE=" + kept);
  EXPECT_FALSE(none.has("==PROF==")) << none.text;
  // Now two launches, and that one twice as the baseline: nothing changed, nothing is left.
  const auto beside = run("prof --section SpeedOfLight --section InstructionStats -i " + kept + " --baseline " + kept);
  EXPECT_TRUE(beside.has("Beside the baseline's launch 1.") && beside.has("Change %")) << beside.text;
  EXPECT_FALSE(beside.has("only in the baseline")) << beside.text;
  const auto more = run(kModel + "-s 1 -c 1 --baseline " + kept + " -- /bin/sh -c '" + kPrograms + "/kernel once'");
  EXPECT_EQ(more.exit(), 1) << more.text;
  const auto one = run(kModel + "--section LaunchStats --baseline " + kept + kOnce);
  EXPECT_TRUE(one.has("only in the baseline: once, launch 1")) << one.text;
}

// Of PTX without .loc, as the driver compiles it.
TEST_F(Command, ProfShowsThePtxOfEachInstruction) {
  const auto e = run(kModel + "--page source" + kOnce);
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("ret; ") && e.has("EXIT")) << e.text;
  const auto rows = run(kModel + "--page source --print-source ptx" + kOnce);
  EXPECT_TRUE(rows.has("ret; ") && !rows.has("EXIT")) << rows.text;
}

TEST_F(Command, ProfRefusesAFileThatIsNoProfile) {
  EXPECT_TRUE(run("prof -i " + scratch.string() + "/none").has("cannot read"));
  std::ofstream(scratch / "text") << "not a profile\n";
  const auto e = run("prof -i " + (scratch / "text").string());
  EXPECT_EQ(e.exit(), 2);
  EXPECT_TRUE(e.has("line 1: no profile of a launch")) << e.text;
}

TEST_F(Command, ProfShowsWhatAnInterruptedRunHadGathered) {
  const fs::path out = scratch / "interrupted";
  const std::string command = "timeout --preserve-status -s INT 3 " + kHeddle + " " + kModel +
                              "--section LaunchStats --section SourceCounters -- " + kPrograms + "/kernel endless >" +
                              out.string() + " 2>&1";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130) << slurp(out);
  const std::string text = slurp(out);
  EXPECT_NE(text.find("endless (4, 1, 1)x(64, 1, 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("did not complete"), std::string::npos) << text;
  EXPECT_NE(text.find("the program was interrupted"), std::string::npos) << text;
  EXPECT_NE(text.find("BRA"), std::string::npos) << text;
}

TEST_F(Command, AProgramAloneWritesItsProfile) {
  const std::string file = (scratch / "alone.jsonl").string();
  EXPECT_EQ(run("run --device model --quiet" + kOnce, "HEDDLE_PROFILE=" + file + " HEDDLE_PROFILE_KERNELS=on").exit(),
            0);
  EXPECT_EQ(run("run --device model --quiet" + kOnce, "HEDDLE_PROFILE=" + file + " HEDDLE_PROFILE_LAUNCHES=2:3").exit(),
            0);
  const auto j = nlohmann::json::parse(slurp(file), nullptr, false);  // one line
  ASSERT_TRUE(j.is_object()) << slurp(file);
  EXPECT_EQ(j["counters"]["Blocks"], 4);
  const auto unwritable = run("run --device model --quiet" + kOnce, "HEDDLE_PROFILE=/nonexistent/p");
  EXPECT_TRUE(unwritable.has("HEDDLE_PROFILE: cannot write '/nonexistent/p'")) << unwritable.text;
  const auto launches = run("run --device model" + kOnce, "HEDDLE_PROFILE_LAUNCHES=0:3");
  EXPECT_TRUE(launches.has("HEDDLE_PROFILE_LAUNCHES: launches are counted from 1")) << launches.text;
}

}  // namespace
