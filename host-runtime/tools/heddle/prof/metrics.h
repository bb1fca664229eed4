// SPDX-License-Identifier: Apache-2.0
// What is shown of a profile: sections and metrics with Nsight Compute's names, each metric with its formula. Text, CSV
// and JSON show these and nothing else.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host-runtime/tools/heddle/prof/profile.h"

namespace heddle::tools::prof {

struct Section {
  const char* id;
  const char* title;
  bool basic;  // of --set basic
  bool timed;  // needs a clock for what it is about
};
const std::vector<Section>& sections();

struct Metric {
  const char* section;
  std::string name;
  std::string raw;                              // Nsight Compute's name where it has the same, else one in its manner
  std::string unit;                             // of what value gives
  bool timed;                                   // needs a clock
  std::function<double(const Profile&)> value;  // not a number: there is nothing to say
};
const std::vector<Metric>& metrics();
// None: it needs a clock, which the device lacks, or would be a ratio to nothing.
std::optional<double> value_of(const Metric& metric, const Profile& profile);
// By raw name.
double value_of(const char* raw, const Profile& profile);

// A value with a unit to read: 0.0123 second -> 12.30 ms; 1234567 -> "1,234,567".
struct Shown {
  std::string value, unit;
};
Shown show(double value, const std::string& unit);

}  // namespace heddle::tools::prof
