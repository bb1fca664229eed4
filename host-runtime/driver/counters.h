// SPDX-License-Identifier: Apache-2.0
// What the device counts: of each launch for the report, of the one that runs for the status line; and device time.
#pragma once

#include <chrono>
#include <cstdint>

#include "host-runtime/device/backend.h"
#include "host-runtime/driver/progress.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/report.h"

namespace heddle::driver {

class Modules;
class Profiles;

class Counters {
 public:
  // `report`: of a run without launches.
  Counters(device::Backend& device, Progress& progress, Report report, double clock_khz)
      : device_(&device), progress_(progress), report_(std::move(report)), clock_khz_(clock_khz) {}

  // Launches are profiled too.
  void profile(Profiles& profiles, const Modules& modules) { profiles_ = &profiles, modules_ = &modules; }

  // Launches are on that device from now on.
  void watch(device::Backend& device) { device_ = &device; }

  // A launch enters the ring.
  void begin(const LaunchInfo& launch);
  // Adds the launch in the ring to the report, with the counters as they stand.
  void record(const LaunchInfo& launch, bool completed);
  // Shows how far it is, when it is time to.
  void show(const LaunchInfo& launch);
  void clear_line() { progress_.clear(); }
  // What ran so far.
  const Report& report() const { return report_; }

  // Whether the device counts clock cycles, as of the last look; the golden model does not.
  bool has_clock() const { return has_clock_; }
  void look_for_clock() { has_clock_ = device_->stats().cycles != 0; }
  double clock_khz() const { return clock_khz_; }
  // Device time of `cycles`.
  double milliseconds(double cycles) const { return cycles / clock_khz_; }

 private:
  device::Backend* device_;
  Progress& progress_;
  Profiles* profiles_ = nullptr;  // null: none is wanted
  const Modules* modules_ = nullptr;
  Report report_;
  double clock_khz_;
  bool has_clock_ = false;
  heddle_stats begin_{};  // when the running launch entered the ring
  std::chrono::steady_clock::time_point began_{};
};

}  // namespace heddle::driver
