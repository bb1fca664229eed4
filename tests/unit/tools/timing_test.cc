// SPDX-License-Identifier: Apache-2.0
// heddle timing: what is read, compared and said of it.
#include "host-runtime/tools/heddle/timing.h"

#include <cmath>

#include "tests/unit/tools/command_fixture.h"

namespace heddle::tools {
namespace {

constexpr char kKernels[] = R"({"device": "D", "kernels": [
  {"name": "add", "variant": "n=1", "threads": 32, "cycles_min": 100, "cycles_median": 120, "check": "ok"},
  {"name": "add", "variant": "n=1", "threads": 64, "cycles_min": 50, "cycles_median": 60, "check": "WRONG"}]})";

TEST(Timing, AKernelsCaseIsItsVariantAndThreads) {
  const auto run = read_timing(kKernels, "f");
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->device, "D");
  ASSERT_EQ(run->cases.size(), 2u);
  EXPECT_EQ(run->cases[0].subject, "add");
  EXPECT_EQ(run->cases[0].name, "add, n=1, 32 threads");
  EXPECT_EQ(run->cases[0].cycles, 100);
  EXPECT_EQ(run->wrong, std::vector<std::string>{"add, n=1, 64 threads"});
}

TEST(Timing, AnInstructionHasALatencyAnIntervalOrCases) {
  const auto run = read_timing(R"({"device": "D", "results": [{"name": "a", "latency_cycles": 4.5},
    {"name": "b", "stride": 2, "interval_cycles": 8}, {"name": "c", "cases": [{"warps": 1, "cycles": 14},
    {"warps": 2, "cycles": 16}]}]})",
                               "f");
  ASSERT_TRUE(run) << run.error().message();
  std::string names;
  for (const TimingCase& c : run->cases) names += c.name + "=" + std::to_string(static_cast<int>(c.cycles)) + "; ";
  EXPECT_EQ(names, "a=4; b, stride 2=8; c, warps 1=14; c, warps 2=16; ");
}

TEST(Timing, WhatIsNoRecordingIsNamed) {
  EXPECT_NE(read_timing("{", "FILE").error().message().find("FILE: "), std::string::npos);
  EXPECT_FALSE(read_timing(R"({"device": "D"})", "FILE"));
  const std::string cut = R"({"device": "D", "results": [{"name": "a", "latency_cycles": 4}, {"name": "b"}]})";
  EXPECT_NE(read_timing(cut, "FILE").error().message().find("FILE: after case 'a': "), std::string::npos);
}

TEST(Timing, RatiosAreComparedByTheirLogarithms) {
  const TimingRun silicon{"S", {{"a", "a", 10}, {"b", "b", 100}, {"c", "c", 1000}, {"d", "d", 7}, {"e", "e", 7}}, {}};
  const TimingRun here{"H", {{"c", "c", 4000}, {"b", "b", 100}, {"a", "a", 2.5}, {"e", "e", 0}, {"x", "x", 1}}, {}};
  const auto all = compare_timing(silicon, here, "");
  ASSERT_EQ(all.pairs.size(), 3u);
  EXPECT_EQ(all.pairs[0].ratio(), 0.25);
  EXPECT_EQ(all.missing, (std::vector<std::string>{"d", "e"}));
  EXPECT_NEAR(all.mean_absolute_error, (0.75 + 0 + 3) / 3, 1e-9);
  EXPECT_NEAR(all.geometric_mean, 1, 1e-12);
  EXPECT_NEAR(all.correlation, 1, 1e-12);
  const auto one = compare_timing(silicon, here, "a");
  EXPECT_EQ(one.pairs.size(), 1u);
  EXPECT_NEAR(one.geometric_mean, 0.25, 1e-12);
  EXPECT_EQ(one.correlation, 0);
  EXPECT_TRUE(compare_timing(silicon, here, "no such").pairs.empty());
}

class TimingCommand : public Command {
 protected:
  // A program that prints what it would have measured, and silicon's answer.
  void record(const std::string& here, const std::string& silicon, int status = 0) {
    std::ofstream(scratch / "kernel_timing.cu")
        << "#include <cstdio>\nint main() { std::puts(R\"X(" << here << ")X\"); return " << status << "; }\n";
    std::ofstream(scratch / "h200_kernels.json") << silicon;
  }
  static std::string kernel(int cycles, const char* check = "ok") {
    return R"({"device": "D", "kernels": [{"name": "add", "variant": "n=1", "threads": 32, "cycles_min": )" +
           std::to_string(cycles) + R"(, "check": ")" + check + "\"}]}";
  }
  Ended timing(const std::string& options = "") { return run("timing --device model " + options + scratch.string()); }
};

TEST_F(TimingCommand, PrintsBothSides) {
  record(kernel(50), kernel(100));
  const auto e = timing();
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("add, n=1, 32 threads       100.00        50.00     0.50")) << e.text;
  EXPECT_TRUE(e.has(
      "kernels: 1 cases, 0 not here; mean absolute error 50.0% of silicon's cycles, geometric mean of ratios 0.500"))
      << e.text;
  const auto j = nlohmann::json::parse(timing("--json ").text, nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_EQ(j["parts"][0]["cases"][0]["here"], 50);
}

TEST_F(TimingCommand, AWrongResultFails) {
  record(kernel(50, "WRONG"), kernel(100), 1);
  const auto e = timing();
  EXPECT_EQ(e.exit(), 1) << e.text;
  EXPECT_TRUE(e.has("WRONG RESULT: add, n=1, 32 threads")) << e.text;
}

TEST_F(TimingCommand, SaysWhatIsMissingOrEndedBadly) {
  EXPECT_TRUE(timing().has("has no kernel_timing.cu or instruction_timing.cu"));
  record(kernel(50), "{");
  EXPECT_TRUE(timing().has("h200_kernels.json: "));
  EXPECT_EQ(timing().exit(), 2);
  fs::remove(scratch / "h200_kernels.json");
  EXPECT_TRUE(timing().has("h200_kernels.json"));
  record(kernel(50), kernel(100), 3);
  EXPECT_TRUE(timing().has("kernel_timing.cu ended with status 3"));
  record("nothing", kernel(100));
  EXPECT_TRUE(timing().has("what kernel_timing.cu printed: "));
  const auto none = timing("--filter mul ");
  EXPECT_EQ(none.exit(), 1);
  EXPECT_TRUE(none.has("no case was compared")) << none.text;
  std::ofstream(scratch / "kernel_timing.cu") << "no program";
  EXPECT_TRUE(timing().has("the compiler, given ")) << timing().text;
}

}  // namespace
}  // namespace heddle::tools
