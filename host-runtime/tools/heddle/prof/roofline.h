// SPDX-License-Identifier: Apache-2.0
// What a launch computes, what it moves to do so, and how much of both the machine could do: the roofline.
#pragma once

#include <string>
#include <vector>

#include "host-runtime/tools/heddle/prof/metrics.h"

namespace heddle::tools::prof {

// Floating-point operations of an execution of an instruction: of each thread whose guard holds, or of a whole warp.
struct Operations {
  const char* kind = "";  // of kinds(): whose peak counts; "": it has none
  double thread = 0, warp = 0;
};
// As Nsight Compute counts: sums, products, and two for a fused one; not comparisons, conversions, special functions.
Operations operations(const Line& line);

// A kind of arithmetic.
struct Kind {
  const char* id;    // in raw names
  const char* name;  // "FP32"
};
const std::vector<Kind>& kinds();
double work(const Profile& profile, const char* kind);          // operations of the launch
double peak_a_cycle(const Profile& profile, const char* kind);  // of all SMs; 0: there is no such unit

// A memory whose bandwidth is a roof.
struct Level {
  const char* id;
  const char* name;
};
const std::vector<Level>& levels();
double moved(const Profile& profile, const char* level);              // bytes
double bandwidth_a_cycle(const Profile& profile, const char* level);  // bytes at most

// The section's metrics.
std::vector<Metric> roofline_metrics();

}  // namespace heddle::tools::prof
