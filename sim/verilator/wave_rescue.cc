// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/wave_rescue.h"

#include <signal.h>

#include <array>
#include <cstddef>
#include <ctime>

namespace heddle::rtl {
namespace {

constexpr std::array<int, 7> kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGHUP, SIGQUIT};
constexpr int kWaitMilliseconds = 200;  // for a thread that is in the middle of a cycle

// Signals belong to the process, hence so does this: the waveforms under way, and what was there before.
std::array<std::atomic<WaveRescue*>, 8> open_waves;
std::array<struct sigaction, kSignals.size()> before;
std::array<std::atomic<bool>, kSignals.size()> ours;

// From a handler: system calls and atomics only.
void on_signal(int number) {
  for (auto& wave : open_waves)
    if (WaveRescue* w = wave.load(); w && w->postpone(number)) return;
  for (auto& wave : open_waves)
    if (WaveRescue* w = wave.load()) w->write();
  for (size_t i = 0; i < kSignals.size(); i++)
    if (kSignals[i] == number && ours[i].exchange(false)) sigaction(number, &before[i], nullptr);
  raise(number);  // blocked until this returns
}

void watch() {
  for (size_t i = 0; i < kSignals.size(); i++) {
    struct sigaction now {};
    if (ours[i].load() || sigaction(kSignals[i], nullptr, &now) != 0) continue;
    // A program that ignores or handles a signal does not die of it.
    if ((now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    before[i] = now;
    if (sigaction(kSignals[i], &action, nullptr) == 0) ours[i].store(true);
  }
}

// Only where nobody has put another handler on top.
void unwatch() {
  for (size_t i = 0; i < kSignals.size(); i++) {
    struct sigaction now {};
    if (!ours[i].load() || sigaction(kSignals[i], nullptr, &now) != 0 || now.sa_handler != on_signal) continue;
    if (ours[i].exchange(false)) sigaction(kSignals[i], &before[i], nullptr);
  }
}

}  // namespace

WaveRescue::WaveRescue(FstWriter& writer) : writer_(writer) {
  for (auto& place : open_waves) {
    WaveRescue* none = nullptr;
    if (place.compare_exchange_strong(none, this)) break;
  }
  watch();
}

WaveRescue::~WaveRescue() {
  bool others = false;
  for (auto& place : open_waves) {
    WaveRescue* self = this;
    place.compare_exchange_strong(self, nullptr);
    others |= place.load() != nullptr;
  }
  if (!others) unwatch();
}

bool WaveRescue::postpone(int number) {
  if (number != SIGHUP && number != SIGQUIT) return false;  // a crash does not come back
  if (!changing_.load() || !pthread_equal(changer_.load(), pthread_self())) return false;
  postponed_.store(number);
  return true;
}

void WaveRescue::die() { on_signal(postponed_.exchange(0)); }

void WaveRescue::write() {
  dying_.store(true);
  for (int i = 0; changing_.load(); i++) {
    if (i == kWaitMilliseconds) return;  // this thread itself, perhaps
    constexpr timespec kMillisecond{0, 1000000};
    nanosleep(&kMillisecond, nullptr);
  }
  writer_.rescue();
}

}  // namespace heddle::rtl
