// SPDX-License-Identifier: Apache-2.0
// Lockstep bites on a large multiprocessor, too: each bug of sim/mutants/cc80.toml makes the CUDA program that the
// table names fail with the checker's report, and on the clean machine every one of these programs passes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

namespace {

struct Bug {
  const char* name;
  const char* program;
};
#define HEDDLE_BUG(name, program) {name, program},
constexpr Bug kBugs[] = {
#include HEDDLE_BUGS
};
#undef HEDDLE_BUG

// Where a program of one of the folders in HEDDLE_TEST_PROGRAMS lies; empty when it is in none.
std::string find(const std::string& program) {
  const char* folders = std::getenv("HEDDLE_TEST_PROGRAMS");
  std::istringstream in(folders ? folders : "");
  for (std::string folder; std::getline(in, folder, ':');)
    if (const std::string path = folder + "/" + program; access(path.c_str(), X_OK) == 0) return path;
  return "";
}

struct Outcome {
  int status = -1;     // as the shell has it; 124: it ran longer than a minute
  std::string output;  // both streams
};

Outcome run(const std::string& program, const std::string& bug) {
  const std::string path = find(program);
  if (path.empty()) return {-1, "no program " + program};
  const std::string command = "HEDDLE_DEVICE=lockstep HEDDLE_PRESET=cc80 HEDDLE_CHECKED= HEDDLE_INJECT=" + bug +
                              " timeout 60 " + path + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {-1, "cannot start " + path};
  Outcome out;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.output.append(buffer, n);
  const int status = pclose(pipe);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

TEST(MutantPrograms, PassOnTheCleanMachine) {
  std::set<std::string> programs;
  for (const Bug& bug : kBugs) programs.insert(bug.program);
  for (const std::string& program : programs) {
    const Outcome o = run(program, "");
    EXPECT_EQ(o.status, 0) << program << "\n" << o.output;
    EXPECT_EQ(o.output.find("lockstep mismatch"), std::string::npos) << program << "\n" << o.output;
  }
}

TEST(MutantPrograms, ThereAreEnoughOfThem) { EXPECT_GE(std::size(kBugs), 40u); }

class MutantProgram : public ::testing::TestWithParam<Bug> {};

TEST_P(MutantProgram, IsCaughtWithAReport) {
  const Outcome o = run(GetParam().program, GetParam().name);
  const size_t at = o.output.find("lockstep mismatch");
  std::cout << (at == std::string::npos ? o.output : o.output.substr(at, 300)) << "\n";
  // What memory holds at the end is compared when the program has given its status.
  EXPECT_NE(at, std::string::npos) << "status " << o.status;
}

INSTANTIATE_TEST_SUITE_P(All, MutantProgram, ::testing::ValuesIn(kBugs),
                         [](const auto& info) { return info.param.name; });

}  // namespace
