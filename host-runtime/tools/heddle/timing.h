// SPDX-License-Identifier: Apache-2.0
// What programs that time a multiprocessor print, from silicon and from here, side by side.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle::tools {

struct TimingCase {
  std::string subject;  // the kernel or instruction
  std::string name;     // with what tells its cases apart
  double cycles = 0;
};

struct TimingRun {
  std::string device;
  std::vector<TimingCase> cases;
  std::vector<std::string> wrong;  // cases whose result was checked and wrong
};

// A program's JSON: `kernels` (cycles_min), or `results` (latency_cycles or interval_cycles, or `cases` with cycles).
// `file` is for messages.
Result<TimingRun> read_timing(const std::string& text, const std::string& file);

struct TimingPair {
  std::string name;
  double silicon = 0, here = 0;

  double ratio() const { return here / silicon; }
};

struct TimingComparison {
  std::vector<TimingPair> pairs;     // in silicon's order
  std::vector<std::string> missing;  // silicon's cases that are not here, or have no ratio
  double mean_absolute_error = 0;    // of the cycles, in parts of silicon's
  double geometric_mean = 0;         // of the ratios
  double correlation = 0;            // of the cycles' logarithms; 0 where they do not vary
};

// Of silicon's cases those whose subject holds `filter`.
TimingComparison compare_timing(const TimingRun& silicon, const TimingRun& here, const std::string& filter);

}  // namespace heddle::tools
