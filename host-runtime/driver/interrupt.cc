// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

namespace heddle::driver {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
constexpr int64_t kSameMilliseconds = 500;

std::atomic<int> requested{0};  // the signal that came first
std::atomic<int64_t> when{0};   // it came, in milliseconds of the monotonic clock
std::atomic<bool> installed{false};
int wake[2] = {-1, -1};

int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1000000;
}

std::function<void()>& hook() {
  static auto* function = new std::function<void()>;  // outlives static destructors
  return *function;
}

[[noreturn]] void die_by(int number) {
  struct sigaction act {};
  act.sa_handler = SIG_DFL;
  sigaction(number, &act, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);        // to this thread: a signal to the process may reach another one, later than the next line
  _exit(128 + number);  // not reached unless the signal is blocked process-wide
}

void on_signal(int number) {
  int64_t never = 0;
  const int64_t time = now();
  if (!when.compare_exchange_strong(never, time)) {
    if (time - when.load() > kSameMilliseconds) die_by(number);
    return;
  }
  requested.store(number);
  const char byte = 1;
  [[maybe_unused]] const ssize_t n = write(wake[1], &byte, 1);
}

}  // namespace

bool interrupt_requested() { return requested.load(std::memory_order_relaxed) != 0; }

void finish_interrupt() {
  if (hook()) hook()();
  die_by(requested.load());
}

void watch_interrupt(std::function<void()> function) {
  if (installed.exchange(true)) return;
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
  for (const int number : kSignals) {
    struct sigaction old {};
    if (sigaction(number, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction act {};
    act.sa_handler = on_signal;
    act.sa_flags = SA_RESTART;
    sigaction(number, &act, nullptr);
  }
}

}  // namespace heddle::driver
