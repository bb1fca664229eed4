// SPDX-License-Identifier: Apache-2.0
// The status line of a long run: kernel, blocks done of total, cycles, kHz, time left. One line on a
// terminal, rewritten in place at most five times a second and wiped when the kernel ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace heddle::driver {

struct ProgressSample {
  std::string kernel;
  uint64_t blocks_done = 0, blocks_total = 0;
  uint64_t cycles = 0;    // of this kernel
  uint64_t profiled = 0;  // the launch's number, where `heddle prof` tells of it; else 0
};

// "sgemm  block 12/64  1,234,567 cycles  85 kHz  4 s left"; `seconds` since the kernel began.
std::string progress_text(const ProgressSample& sample, double seconds);

class Progress {
 public:
  // `out` is not owned; null: silent.
  explicit Progress(std::FILE* out) : out_(out) {}
  ~Progress() { clear(); }

  bool enabled() const { return out_ != nullptr; }
  void begin();
  // True when it is time to show a sample.
  bool due();
  void show(const ProgressSample& sample);
  // Wipes the line, so that other output starts on a clean one.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* out_;
  Clock::time_point begin_{}, next_{};
  bool shown_ = false;
};

// "==PROF== Profiling "sgemm" - 3:", Nsight Compute's words.
std::string profiling_text(const std::string& kernel, uint64_t launch);

// 1234567 -> "1,234,567"
std::string with_commas(uint64_t value);

}  // namespace heddle::driver
