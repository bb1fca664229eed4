// SPDX-License-Identifier: Apache-2.0
// The programs that nvcc and NVRTC start.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::nvcc {

// Prints what is wrong; 1, the exit status.
int fatal(const std::string& message);

struct Runner {
  bool print = false;  // each command on standard error, behind "#$ "
  bool dry = false;    // start nothing
  // Runs a command and waits; its exit status.
  int run(std::vector<std::string> words) const;
};

// What a program writes to standard output; nothing when it cannot be run.
std::optional<std::string> output_of(std::vector<std::string> words);

// A program whose words are for someone else than this process's user.
struct Outcome {
  std::string output;   // standard output and standard error
  std::string failure;  // why it was not started, or did not end by itself; empty: it ended
  int status = 0;       // its exit status, where it ended
};
// For processes of many threads. `go_on` is asked every 20 ms: false ends the program.
Outcome run_quietly(std::vector<std::string> words, const std::function<bool()>& go_on);

// The major version of a clang, from its --version; nothing when it cannot be run or says something else.
std::optional<int> clang_version(const std::string& program);

// A folder that goes with this object, and all in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }  // empty: it could not be made

 private:
  std::filesystem::path path_;
};

}  // namespace heddle::nvcc
