// SPDX-License-Identifier: Apache-2.0
// Child processes and tools.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

#include "host-runtime/tools/heddle/commands.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

// Command name -> programs that do it, and the folders (from the root) where they lie.
const std::map<std::string, std::vector<std::string>> kTools = {
    {"ptxas", {"ptxas"}},
    {"disasm", {"heddle-disasm", "disasm"}},
    {"nvcc", {"nvcc"}},
    {"fatbinary", {"fatbinary"}},
};

volatile sig_atomic_t child_pid = 0;

void forward(int number) {
  if (child_pid > 0) kill(child_pid, number);
}

// The terminal's Ctrl-C has reached the child, too; one that somebody sent has not.
void forward_sent(int number, siginfo_t* info, void*) {
  if (info->si_code <= 0) forward(number);
}

}  // namespace

void print_error(const std::string& message) { std::fprintf(stderr, "heddle: %s\n", message.c_str()); }

fs::path own_folder() {
  std::error_code ec;
  return fs::canonical("/proc/self/exe", ec).parent_path();
}

fs::path library_folder() { return own_folder().parent_path() / "lib"; }

bool is_tool(const std::string& name) { return kTools.count(name) != 0; }

std::string tool_file(const std::string& name) {
  const fs::path root = own_folder().parent_path();
  for (const auto& folder : {root / "bin", root / "toolkit/bin", root / "libexec/heddle"})
    for (const auto& program : kTools.at(name))
      if (access((folder / program).c_str(), X_OK) == 0) return (folder / program).string();
  return {};
}

int run_tool(const std::string& name, char** arguments) {
  const fs::path root = own_folder().parent_path();
  std::string path = tool_file(name);
  if (path.empty()) {
    print_error("'" + name + "' is not built (looked in " + (root / "bin").string() + " and " +
                (root / "toolkit/bin").string() + ")");
    return 127;
  }
  arguments[0] = path.data();
  execv(path.c_str(), arguments);
  print_error("cannot start " + path + ": " + std::strerror(errno));
  return 126;
}

int run_child(const std::vector<std::string>& command,
              const std::vector<std::pair<std::string, std::string>>& environment, const std::string& output) {
  int pipes[2];  // tells an exec that failed from a program that ended
  if (pipe2(pipes, O_CLOEXEC) != 0) return -1;
  std::vector<char*> arguments;
  for (const auto& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    const int to =
        output.empty() ? STDOUT_FILENO : open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (to == STDOUT_FILENO || dup2(to, STDOUT_FILENO) >= 0) execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t n = write(pipes[1], &error, sizeof error);
    _exit(127);
  }
  close(pipes[1]);
  child_pid = pid;
  struct sigaction interrupt {};
  interrupt.sa_sigaction = forward_sent;
  interrupt.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGINT, &interrupt, nullptr);
  signal(SIGTERM, forward);
  signal(SIGHUP, forward);
  int error = 0, status = 0;
  if (read(pipes[0], &error, sizeof error) == sizeof error)
    print_error("cannot start '" + command[0] + "': " + std::strerror(error));
  close(pipes[0]);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  child_pid = 0;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  return status;
}

int exit_like(int wait_status) {
  if (wait_status == -1) return 126;
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  const int number = WTERMSIG(wait_status);
  if (number == SIGINT) raise(SIGINT);
  return 128 + number;
}

}  // namespace heddle::tools
