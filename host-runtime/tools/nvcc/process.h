// SPDX-License-Identifier: Apache-2.0
// The programs that nvcc starts.
#pragma once

#include <filesystem>
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
