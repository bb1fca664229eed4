// SPDX-License-Identifier: Apache-2.0
// The heddle command as a user meets it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace {

namespace fs = std::filesystem;

const std::string kHeddle = HEDDLE_BUILD_DIR "/bin/heddle";
const std::string kPrograms = PROGRAMS_DIR;

struct Ended {
  int status = -1;   // of waitpid
  std::string text;  // stdout and stderr
  int exit() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

std::string slurp(const fs::path& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Command : public ::testing::Test {
 protected:
  void SetUp() override {
    scratch = fs::path(::testing::TempDir()) /
              ("heddle_command_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(scratch);
    fs::create_directories(scratch);
  }
  void TearDown() override { fs::remove_all(scratch); }

  Ended run(const std::string& arguments, const std::string& environment = "") {
    Ended e;
    const fs::path out = scratch / "output";
    e.status = std::system((environment + " " + kHeddle + " " + arguments + " >" + out.string() + " 2>&1").c_str());
    e.text = slurp(out);
    return e;
  }

  fs::path scratch;
};

TEST_F(Command, RunGivesTheProgramsExitStatus) {
  EXPECT_EQ(run("run --device model -- /bin/sh -c 'exit 5'").exit(), 5);
}

TEST_F(Command, RunServesAProgramAndSummarises) {
  const fs::path report = scratch / "report.json";
  const auto e = run("run --device model --preset cc80 --report " + report.string() + " -- " + kPrograms + "/kernel once");
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("cudaSuccess")) << e.text;
  EXPECT_TRUE(e.has("device model, preset cc80: 1 launch, ok")) << e.text;
  const auto j = nlohmann::json::parse(slurp(report), nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_EQ(j["kernels"][0]["name"], "once");
  EXPECT_EQ(j["kernels"][0]["grid"], (std::vector<int>{4, 1, 1}));
  EXPECT_GE(j["totals"]["warp_instructions"], 8);
}

TEST_F(Command, RunListsPresetsAndDevicesWhenTheNameIsUnknown) {
  const auto preset = run("run --device model --preset cc99 -- " + kPrograms + "/count_plain");
  EXPECT_EQ(preset.exit(), 2);
  EXPECT_TRUE(preset.has("unknown preset 'cc99'") && preset.has("cc80")) << preset.text;
  const auto device = run("run --device gpu -- " + kPrograms + "/count_plain");
  EXPECT_EQ(device.exit(), 2);
  EXPECT_TRUE(device.has("unknown device 'gpu'") && device.has("model")) << device.text;
}

TEST_F(Command, AProgramAloneListsThemToo) {
  const auto e = run("run -- true", "HEDDLE_DEVICE=model");
  EXPECT_EQ(e.exit(), 0);
  const fs::path out = scratch / "alone";
  const std::string command = "LD_LIBRARY_PATH=" HEDDLE_BUILD_DIR "/lib HEDDLE_PRESET=cc99 " + kPrograms +
                              "/count_plain >" + out.string() + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_NE(slurp(out).find("unknown preset 'cc99'"), std::string::npos) << slurp(out);
  EXPECT_NE(slurp(out).find("error 100"), std::string::npos) << slurp(out);
}

TEST_F(Command, RunNamesAMissingProgram) {
  const auto e = run("run --device model -- " + scratch.string() + "/none");
  EXPECT_EQ(e.exit(), 127);
  EXPECT_TRUE(e.has("no program")) << e.text;
}

TEST_F(Command, RunSaysWhenItReplacesAnotherVendorsRuntime) {
  const auto e = run("run --device model -- " + kPrograms + "/count_rpath");
  EXPECT_TRUE(e.has("another vendor's, by DT_RPATH")) << e.text;
  EXPECT_TRUE(e.has("served by")) << e.text;
  EXPECT_TRUE(e.has("1 devices, error 0")) << e.text;
}

TEST_F(Command, RunSaysThatAStaticRuntimeCannotBeServed) {
  const auto e = run("run --device model -- " + kPrograms + "/static_vendor");
  EXPECT_TRUE(e.has("linked in statically")) << e.text;
}

TEST_F(Command, ACycleLimitStopsAnEndlessKernel) {
  const auto e = run("run --device model --cycle-limit 50000 -- " + kPrograms + "/kernel endless");
  EXPECT_EQ(e.exit(), 3);
  EXPECT_TRUE(e.has("cudaErrorLaunchTimeout")) << e.text;
  EXPECT_TRUE(e.has("longer than the limit of 50000 cycles")) << e.text;
}

TEST_F(Command, CtrlCStillWritesTheReport) {
  const fs::path report = scratch / "report.json", out = scratch / "output";
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(file, 1);
    dup2(file, 2);
    execl(kHeddle.c_str(), "heddle", "run", "--device", "model", "--report", report.c_str(), "--",
          (kPrograms + "/kernel").c_str(), "endless", nullptr);
    _exit(126);
  }
  for (int i = 0; i < 600 && slurp(out).find("launched") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(-pid, SIGINT);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status << slurp(out);
  const auto j = nlohmann::json::parse(slurp(report), nullptr, false);
  ASSERT_TRUE(j.is_object()) << slurp(out);
  EXPECT_EQ(j["status"], "interrupted");
  ASSERT_EQ(j["kernels"].size(), 1u);
  EXPECT_EQ(j["kernels"][0]["completed"], false);
}

// Tools as scripts that print a version, alone on PATH with the shell's helpers.
TEST_F(Command, DoctorNamesWhatIsMissingOrTooOld) {
  const auto tool = [&](const char* name, const char* version) {
    std::ofstream(scratch / name) << "#!/bin/sh\necho '" << version << "'\n";
    chmod((scratch / name).c_str(), 0755);
  };
  tool("verilator", "Verilator 4.210 2021-07-07");
  tool("g++", "g++ (Debian 12.2.0-14) 12.2.0");
  tool("cmake", "cmake version 3.25.1");
  tool("ninja", "1.11.1");
  const auto e = run("doctor", "PATH=" + scratch.string());
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("verilator 4.210") && e.has("TOO OLD")) << e.text;
  EXPECT_TRUE(e.has("MISSING")) << e.text;
  EXPECT_TRUE(e.has("apt-get install clang-19 verilator")) << e.text;
}

TEST_F(Command, DoctorTellsWhichRuntimeAProgramLoads) {
  const auto e = run("doctor " + kPrograms + "/count_rpath");
  EXPECT_TRUE(e.has("libcudart.so.12 => ") && e.has("another vendor's")) << e.text;
  EXPECT_TRUE(e.has("heddle run")) << e.text;
}

TEST_F(Command, ToolsGetTheirOwnArguments) {
  const auto e = run("ptxas --version");
  EXPECT_EQ(e.exit(), 0);
  EXPECT_TRUE(e.has("release 12")) << e.text;
}

TEST_F(Command, SiliconCountsWhatRanAndFailsOnAMismatch) {
  fs::create_directories(scratch / "d");
  std::ofstream(scratch / "d/ptx_ops.json")
      << R"({"ops": [{"name": "add.u32", "body": "add.u32 %o, %a, %b;", "inputs": ["u32","u32"], "outputs": ["u32"],)"
      << R"( "offset": 0, "count": 2}]})";
  const uint64_t rows[] = {1, 2, 3, 4, 5, 10};
  std::ofstream(scratch / "d/ptx_ops.bin", std::ios::binary).write(reinterpret_cast<const char*>(rows), sizeof rows);
  const auto e = run("silicon --device model " + (scratch / "d").string());
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("add.u32 row 1: a(u32)=0x4 b(u32)=0x5  o(u32): silicon 0xa, here 0x9")) << e.text;
  EXPECT_TRUE(e.has("ops: 0 of 1 exact, 1 of 2 vectors exact")) << e.text;
}

TEST_F(Command, SiliconThatRunsNothingFails) {
  const auto e = run("silicon --device model --op no_such_op " SILICON_DIR);
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("ops: 0 of 0 exact")) << e.text;
}

}  // namespace
