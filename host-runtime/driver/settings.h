// SPDX-License-Identifier: Apache-2.0
// What the user chose, from HEDDLE_* variables of the environment (docs/runtime.md lists them).
#pragma once

#include <cstdint>
#include <string>

#include "heddle/result.h"

namespace heddle::driver {

struct Settings {
  std::string device = "lockstep";  // HEDDLE_DEVICE
  std::string preset = "cc80";      // HEDDLE_PRESET: a name, or a path of a .toml
  std::string report;               // HEDDLE_REPORT: JSON file, empty: none
  // HEDDLE_RTL_KERNELS, HEDDLE_RTL_LAUNCHES=A:B: launches on the device, all else on the golden model.
  std::string rtl_kernels;  // a regular expression, found in the name as the program has it; empty: all
  uint64_t rtl_first = 0;   // of those, counted from 1; 0: every launch is on the device
  uint64_t rtl_last = 0;
  bool chooses() const { return rtl_first != 0; }
  // HEDDLE_PROFILE: JSON lines, empty: none; HEDDLE_PROFILE_KERNELS, HEDDLE_PROFILE_LAUNCHES=A:B: of which launches.
  std::string profile, profile_kernels;
  uint64_t profile_first = 0;
  uint64_t profile_last = 0;
  bool profile_status = false;  // HEDDLE_PROFILE_STATUS=1: a line on stderr for each of them
  // HEDDLE_EVENTS: of the same launches, empty: none; HEDDLE_EVENTS_WINDOW=A:B: cycles of the first one in which
  // instructions are followed; HEDDLE_EVENTS_LIMIT: lines outside of that.
  std::string events;
  bool events_window = false;
  uint64_t events_first = 0;
  uint64_t events_last = 0;
  uint64_t events_limit = ~uint64_t{0};
  std::string trace;        // HEDDLE_TRACE: the timeline's JSON file, empty: none
  std::string wave;         // HEDDLE_WAVE: FST file, empty: none
  std::string wave_scopes;  // HEDDLE_WAVE_SCOPE, HEDDLE_WAVE_GROUP: lists with commas, empty: all
  std::string wave_groups;
  uint64_t wave_begin = 0;  // HEDDLE_WAVE_CYCLES=A:B
  uint64_t wave_end = ~uint64_t{0};
  bool wave_launch = false;  // HEDDLE_WAVE_LAUNCH=1: counted from the first profiled launch's start
  uint64_t cycle_limit = 0;  // HEDDLE_CYCLE_LIMIT: a kernel's, 0: none
  std::string inject;        // HEDDLE_INJECT: a planted bug
  uint64_t seed = 0;         // HEDDLE_SEED: contents of undefined state
  bool log_api = false;      // HEDDLE_LOG, words with commas between them; api: a line for each call of the CUDA API
  bool status_line = false;  // HEDDLE_STATUS=1
  bool blocking = false;     // CUDA_LAUNCH_BLOCKING=1: a launch returns when it ended

  // Errors name the variable and what it may hold.
  static Result<Settings> from_environment();
};

}  // namespace heddle::driver
