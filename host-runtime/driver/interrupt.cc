// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

namespace heddle::driver {
namespace {

std::atomic<bool> requested{false};
std::atomic<bool> installed{false};
int wake[2] = {-1, -1};

std::function<void()>& hook() {
  static auto* function = new std::function<void()>;  // outlives static destructors
  return *function;
}

void on_interrupt(int) {
  requested.store(true, std::memory_order_relaxed);
  const char byte = 1;
  [[maybe_unused]] const ssize_t n = write(wake[1], &byte, 1);
}

[[noreturn]] void die_by_interrupt() {
  struct sigaction act {};
  act.sa_handler = SIG_DFL;
  sigaction(SIGINT, &act, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  kill(getpid(), SIGINT);
  _exit(130);  // not reached unless the signal is blocked process-wide
}

}  // namespace

bool interrupt_requested() { return requested.load(std::memory_order_relaxed); }

void finish_interrupt() {
  if (hook()) hook()();
  die_by_interrupt();
}

void watch_interrupt(std::function<void()> function) {
  if (installed.exchange(true)) return;
  struct sigaction old {};
  if (sigaction(SIGINT, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;
  if (pipe2(wake, O_CLOEXEC) != 0) return;
  hook() = std::move(function);
  try {
    std::thread([] {
      char byte;
      ssize_t n;
      do n = read(wake[0], &byte, 1);
      while (n < 0 && errno == EINTR);
      if (n == 1) finish_interrupt();
    }).detach();
  } catch (const std::system_error&) {
    return;  // no thread to be had: Ctrl-C keeps its default, the report is lost then
  }
  struct sigaction act {};
  act.sa_handler = on_interrupt;
  act.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &act, nullptr);
}

}  // namespace heddle::driver
