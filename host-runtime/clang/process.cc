// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/clang/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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

Outcome run_quietly(std::vector<std::string> words, const std::function<bool()>& go_on) {
  Outcome out;
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) != 0) {
    out.failure = "cannot start '" + words[0] + "': " + std::strerror(errno);
    return out;
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, pipes[1], STDERR_FILENO);
  // Signals that this process blocks or ignores are nothing to the program.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), &files, &attributes, as_arguments(words).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(pipes[1]);
  if (error != 0) {
    close(pipes[0]);
    out.failure = "cannot start '" + words[0] + "': " + std::strerror(error);
    return out;
  }
  bool stopped = false;
  char part[4096];
  for (;;) {
    const ssize_t n = read(pipes[0], part, sizeof part);
    if (n > 0) out.output.append(part, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) break;
    if (!stopped && !go_on()) {
      stopped = true;
      kill(child, SIGKILL);
    }
    pollfd ready{pipes[0], POLLIN, 0};
    if (n < 0) poll(&ready, 1, 20);
  }
  close(pipes[0]);
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  // A process that ignores SIGCHLD is not told how its children ended: what they made says it.
  if (ended < 0) return out;
  if (WIFSIGNALED(status))
    out.failure = "'" + words[0] + "' was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
                  strsignal(WTERMSIG(status)) + ")";
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return out;
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
  if (!ec && mkdtemp(name.data())) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ec;
  if (!path_.empty()) std::filesystem::remove_all(path_, ec);
}

}  // namespace heddle::nvcc
