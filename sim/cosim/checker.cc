// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/checker.h"

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "sim/cosim/lockstep.h"
#include "sim/cosim/ring.h"
#include "sim/model/float_environment.h"

namespace heddle::cosim {
namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// A line in the file that HEDDLE_COMPARED names (checker.h). A count that cannot be written is one that a test misses.
void note_compared(const Lockstep& lockstep) {
  const char* name = std::getenv("HEDDLE_COMPARED");
  std::FILE* file = name && *name ? std::fopen(name, "a") : nullptr;
  if (!file) return;
  if (lockstep.failed()) std::fputs("mismatch\n", file);
  else std::fprintf(file, "%llu\n", static_cast<unsigned long long>(lockstep.compared_instructions()));
  std::fclose(file);
}

// Checks in the caller's thread.
class DirectChecker : public Checker {
 public:
  DirectChecker(const Preset& preset, model::DeviceMemory memory) : lockstep_(preset, std::move(memory)) {}
  ~DirectChecker() override { note_compared(lockstep_); }

  void push(const Event& event) override {
    const model::FloatEnvironment environment;
    lockstep_.handle(event);
  }
  bool failed() const override { return lockstep_.failed(); }
  Status drain() override { return failed() ? Status(Error(lockstep_.report())) : Status(); }
  std::string report() override { return lockstep_.report(); }
  void write_memory(uint64_t address, const void* data, size_t bytes) override {
    lockstep_.write_memory(address, data, bytes);
  }
  Status compare_memory(const uint8_t* bytes, const PageSet& written) override {
    lockstep_.equals_memory(bytes, written);
    return drain();
  }
  CheckerStats stats() const override {
    return {lockstep_.compared_instructions(), lockstep_.compared_memory_events(), 0};
  }

 private:
  Lockstep lockstep_;
};

// Checks in a thread of its own.
class ThreadedChecker : public Checker {
 public:
  ThreadedChecker(const Preset& preset, model::DeviceMemory memory, size_t ring_events)
      : lockstep_(preset, std::move(memory)), ring_(ring_events), thread_([this] { consume(); }) {}

  ~ThreadedChecker() override {
    stop_.store(true, std::memory_order_release);
    thread_.join();
    note_compared(lockstep_);
  }

  void push(const Event& event) override {
    while (!ring_.push(event)) {
      if (failed()) return;  // nobody listens any more
      std::this_thread::yield();
    }
  }

  bool failed() const override { return failed_.load(std::memory_order_relaxed); }

  Status drain() override {
    while (!ring_.drained() && !failed_.load(std::memory_order_acquire)) std::this_thread::yield();
    if (failed_.load(std::memory_order_acquire)) return Error(lockstep_.report());
    return {};
  }

  // After failed_ the consumer leaves lockstep_ alone.
  std::string report() override { return failed_.load(std::memory_order_acquire) ? lockstep_.report() : ""; }

  void write_memory(uint64_t address, const void* data, size_t bytes) override {
    if (!drain().ok()) return;
    lockstep_.write_memory(address, data, bytes);
  }

  Status compare_memory(const uint8_t* bytes, const PageSet& written) override {
    if (auto ok = drain(); !ok) return ok;
    if (!lockstep_.equals_memory(bytes, written)) failed_.store(true, std::memory_order_release);
    return drain();
  }

  CheckerStats stats() const override {
    return {instructions_.load(std::memory_order_relaxed), memory_.load(std::memory_order_relaxed),
            seconds_.load(std::memory_order_relaxed)};
  }

 private:
  void consume() {
    const model::FloatEnvironment environment;
    int idle = 0;
    uint32_t events = 0;
    while (!stop_.load(std::memory_order_acquire)) {
      const Event* event = ring_.front();
      if (!event) {
        rest(idle++);
        continue;
      }
      idle = 0;
      if (!lockstep_.handle(*event)) {
        publish();
        failed_.store(true, std::memory_order_release);
        return;
      }
      if (event->kind == EventKind::KernelEnd || ++events % 65536 == 0) publish();
      ring_.pop();
    }
  }

  // An empty ring fills again soon while a kernel runs, and not for long between kernels.
  void rest(int idle) {
    if (idle == 64) publish();
    if (idle < 64) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(idle < 1000 ? 20 : 200));
    }
  }

  void publish() {
    instructions_.store(lockstep_.compared_instructions(), std::memory_order_relaxed);
    memory_.store(lockstep_.compared_memory_events(), std::memory_order_relaxed);
    seconds_.store(thread_seconds(), std::memory_order_relaxed);
  }

  Lockstep lockstep_;
  Ring<Event> ring_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> instructions_{0}, memory_{0};
  std::atomic<double> seconds_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<Checker>> make_checker(const Preset& preset, const CheckerOptions& options) {
  if (preset.structure.sms < 1 || preset.structure.sms > 254 || preset.structure.warps_per_sm() > 64)
    return Error("the lockstep checker takes 1 to 254 SMs of at most 64 warps; preset " + preset.name + " has " +
                 std::to_string(preset.structure.sms) + " of " + std::to_string(preset.structure.warps_per_sm()));
  if (options.ring_events == 0 || (options.ring_events & (options.ring_events - 1)))
    return Error("the checker's ring must hold a power of two of events");
  auto memory = model::DeviceMemory::create(preset.runtime.mem_bytes);
  if (!memory) return memory.error();
  if (!options.threaded) return std::unique_ptr<Checker>(std::make_unique<DirectChecker>(preset, std::move(*memory)));
  return std::unique_ptr<Checker>(std::make_unique<ThreadedChecker>(preset, std::move(*memory), options.ring_events));
}

}  // namespace heddle::cosim
