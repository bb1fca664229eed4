// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>

#include "host-runtime/driver/progress.h"
#include "host-runtime/tools/heddle/prof/metrics.h"

namespace heddle::tools::prof {
namespace {

std::string number(double value) {
  if (std::fabs(value - std::round(value)) < 1e-9 && std::fabs(value) < 1e15)
    return std::string(value < 0 ? "-" : "")
        .append(driver::with_commas(static_cast<uint64_t>(std::llround(std::fabs(value)))));
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  const std::string all = text;
  if (value < 1000) return all;
  return driver::with_commas(static_cast<uint64_t>(value)) + all.substr(all.find('.'));
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"SpeedOfLight", "GPU Speed Of Light Throughput", true, true},
      {"SpeedOfLight_RooflineChart", "GPU Speed Of Light Roofline Chart", false, true},
      {"MemoryWorkloadAnalysis", "Memory Workload Analysis", false, true},
      {"MemoryWorkloadAnalysis_Tables", "Memory Workload Analysis Tables", false, false},
      {"SchedulerStats", "Scheduler Statistics", false, true},
      {"WarpStateStats", "Warp State Statistics", false, true},
      {"InstructionStats", "Instruction Statistics", false, false},
      {"LaunchStats", "Launch Statistics", true, false},
      {"Occupancy", "Occupancy", true, false},
      {"SourceCounters", "Source Counters", false, false},
  };
  return all;
}

std::optional<double> value_of(const Metric& metric, const Profile& profile) {
  if (metric.timed && !profile.has_clock()) return std::nullopt;
  const double value = metric.value(profile);
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

double value_of(const char* raw, const Profile& profile) {
  for (const Metric& m : metrics())
    if (m.raw == raw) return value_of(m, profile).value_or(0);
  return 0;
}

Shown show(double value, const std::string& unit) {
  if (unit == "second") {
    const char* name = "s";
    for (const char* next : {"ms", "us", "ns"}) {
      if (value >= 1) break;
      value *= 1000;
      name = next;
    }
    return {number(value), name};
  }
  const bool rate = unit.ends_with("/second");
  if (unit != "byte" && !rate && unit != "hz") return {number(value), unit};
  const char* prefix = "";
  for (const char* next : {"K", "M", "G", "T"}) {
    if (value < 1000) break;
    value /= 1000;
    prefix = next;
  }
  return {number(value), std::string(prefix) + (rate ? unit.substr(0, unit.size() - 5) : unit)};
}

}  // namespace heddle::tools::prof
