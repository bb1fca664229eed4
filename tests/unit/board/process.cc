// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/board/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace heddle::test {

Process::Process(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                 const std::string& output_file)
    : output_(output_file) {
  pid_ = fork();
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(out, 1);
  dup2(out, 2);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

Process::~Process() {
  if (status_ >= 0) return;
  send(SIGKILL);
  wait(10);
}

void Process::send(int signal) {
  if (status_ < 0) kill(pid_, signal);
}

int Process::wait(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (status_ < 0) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_)
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    else if (std::chrono::steady_clock::now() > end) return -1;
    else usleep(10000);
  }
  return status_;
}

std::string Process::output() const {
  std::ifstream in(output_);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace heddle::test
