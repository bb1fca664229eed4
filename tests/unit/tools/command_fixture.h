// SPDX-License-Identifier: Apache-2.0
// Runs the heddle command as a user does.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

const std::string kHeddle = HEDDLE_BUILD_DIR "/bin/heddle";
const std::string kPrograms = PROGRAMS_DIR;

struct Ended {
  int status = -1;   // of waitpid
  std::string text;  // stdout and stderr
  int exit() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

inline std::string slurp(const fs::path& file) {
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

// Sends `number` to the run, or to its whole group as a terminal does; what the report says then.
inline void stop_a_run(const fs::path& scratch, int number, bool group, const std::vector<std::string>& options) {
  const fs::path report = scratch / "report.json", out = scratch / "output";
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(file, 1);
    dup2(file, 2);
    std::vector<std::string> words = {"heddle", "run", "--report", report.string()};
    words.insert(words.end(), options.begin(), options.end());
    for (const auto& word : {std::string("--"), kPrograms + "/kernel", std::string("endless")}) words.push_back(word);
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(kHeddle.c_str(), arguments.data());
    _exit(126);
  }
  for (int i = 0; i < 600 && slurp(out).find("launched") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(group ? -pid : pid, number);
  int status = 0;
  waitpid(pid, &status, 0);
  if (number == SIGINT) EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status << slurp(out);
  else EXPECT_EQ(WEXITSTATUS(status), 128 + number) << slurp(out);
  const auto j = nlohmann::json::parse(slurp(report), nullptr, false);
  ASSERT_TRUE(j.is_object()) << slurp(out);
  EXPECT_EQ(j["status"], "interrupted");
  ASSERT_EQ(j["kernels"].size(), 1u);
  EXPECT_EQ(j["kernels"][0]["completed"], false);
}
