// SPDX-License-Identifier: Apache-2.0
// What a run did, kernel by kernel, and its JSON form (HEDDLE_REPORT). Written at the program's end, also
// after a fault and on Ctrl-C.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/transport.h"
#include "host-runtime/driver/failure.h"

namespace heddle::driver {

// One launch: ended, or stopped by a fault or Ctrl-C (then with what it did so far).
struct KernelRun {
  std::string symbol;  // as in the PTX
  std::string name;    // demangled
  Dim3 grid, block;
  bool completed = true;
  uint64_t shared_bytes = 0;  // static and dynamic
  uint32_t registers = 0;
  uint64_t cycles = 0;  // device cycles; the model's own count, about one a warp instruction
  uint64_t warp_instructions = 0, thread_instructions = 0;
  uint64_t compared_instructions = 0, compared_memory_events = 0;
  double cpu_seconds = 0, wall_seconds = 0;
  uint64_t trace_digest = 0;  // of all that it issued and retired, and when; 0: not watched

  double ipc() const { return cycles ? double(warp_instructions) / double(cycles) : 0; }
  // Active and guarded lanes per warp instruction, at most 32.
  double active_lanes() const {
    return warp_instructions ? double(thread_instructions) / double(warp_instructions) : 0;
  }
};

struct Report {
  std::string program, device, preset;
  std::string status = "ok";  // or "interrupted", or the first line of the sticky error
  std::string waveform;       // what is wrong with the one that was asked for; empty: nothing, or none was
  bool deterministic = true;  // the device's work could run in one order only: its cycles are the same in each run
  std::vector<KernelRun> kernels;
  uint64_t launches = 0;  // may exceed kernels.size(): only the first kMaxKernels are kept
  KernelRun total;        // sums over all launches; its names and shapes are empty
  heddle_stats device_stats{};

  static constexpr size_t kMaxKernels = 4096;
  void add(const KernelRun& run);
  // Adds the launches of `other` behind these; names and status stay.
  void merge(const Report& other);
  // Lockstep ran instructions and the golden model confirmed some; false is a failed run.
  bool compared() const { return total.compared_instructions > 0; }
};

// The JSON text, indented. Rates are 0 when nothing ran.
std::string to_json(const Report& report);
// Writes to a temporary file beside `file`, then renames: a reader never sees half a report. What is no regular
// file (a device, a pipe) is written to.
Status write_report(const Report& report, const std::string& file);

}  // namespace heddle::driver
