// SPDX-License-Identifier: Apache-2.0
// A child process that cannot outlive the test, its output in a file.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace heddle::test {

class Process {
 public:
  // `environment` is added to ours.
  Process(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
          const std::string& output_file);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal);
  // The exit status; 128 + n when signal n ended it; -1: it still runs after so many seconds.
  int wait(double seconds);
  std::string output() const;

 private:
  pid_t pid_;
  int status_ = -1;
  std::string output_;
};

}  // namespace heddle::test
