// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/nvcc/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::nvcc {
namespace {

std::vector<char*> as_arguments(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

int cannot_start(const std::string& program) {
  return fatal(
      "cannot start '" + program + "': " + std::strerror(errno) +
      " (install clang-19, or name another clang++ in HEDDLE_CLANG; -ccbin names another compiler for C and C++)");
}

}  // namespace

int fatal(const std::string& message) {
  std::fprintf(stderr, "nvcc fatal   : %s\n", message.c_str());
  return 1;
}

std::optional<std::string> output_of(std::vector<std::string> words) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    execvp(words[0].c_str(), as_arguments(words).data());
    _exit(127);
  }
  close(pipes[1]);
  std::string text;
  char part[512];
  for (ssize_t n; (n = read(pipes[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) text.append(part, static_cast<size_t>(n));
  close(pipes[0]);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

std::optional<int> clang_version(const std::string& program) {
  const std::string text = output_of({program, "--version"}).value_or("");
  const size_t at = text.find("clang version ");
  if (at == std::string::npos) return {};
  return std::atoi(text.c_str() + at + std::strlen("clang version "));
}

int Runner::run(std::vector<std::string> words) const {
  if (print) {
    std::string text = "#$ ";
    for (const std::string& word : words) text += "\"" + word + "\" ";
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  if (dry) return 0;
  const pid_t child = fork();
  if (child < 0) return cannot_start(words[0]);
  if (child == 0) {
    execvp(words[0].c_str(), as_arguments(words).data());
    _exit(cannot_start(words[0]));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

TemporaryFolder::TemporaryFolder() {
  std::error_code ec;
  std::string name = (std::filesystem::temp_directory_path(ec) / "heddle-nvcc-XXXXXX").string();
  if (mkdtemp(name.data())) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ec;
  if (!path_.empty()) std::filesystem::remove_all(path_, ec);
}

}  // namespace heddle::nvcc
