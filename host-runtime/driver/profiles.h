// SPDX-License-Identifier: Apache-2.0
// Profiles of launches as a file (HEDDLE_PROFILE): a line of JSON for each launch that the settings choose, written
// when it has ended, so that a run that is killed leaves what it had. docs/profiling.md lists the fields.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/choice.h"
#include "host-runtime/driver/events.h"
#include "host-runtime/driver/module.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/settings.h"
#include "presets/preset.h"

namespace heddle::driver {

class Modules;

// What is written of a launch besides what the device counted.
struct ProfiledLaunch {
  const LaunchInfo& launch;
  bool completed = true;
  std::string device;
  bool has_clock = false;
};

// A line without its end. Code and source lines are those of the launch's module.
std::string to_json(const heddle_profile& profile, const ProfiledLaunch& launch, const Preset& preset,
                    const Modules& modules);

// What stands at `pc`, as JSON: its function, place in it, text and encoding.
std::string place(uint32_t pc, const LaunchInfo& launch, const Modules& modules);

class Profiles {
 public:
  // Null: the settings ask for none, nor for events. Error: the file cannot be written, or the device counts nothing.
  static Result<std::unique_ptr<Profiles>> open(const Settings& settings, const Preset& preset,
                                                const heddle_transport* transport);
  ~Profiles();
  Profiles(const Profiles&) = delete;
  Profiles& operator=(const Profiles&) = delete;

  // Asked once a launch, in the order of submission.
  bool takes(const Kernel& kernel) { return choice_.takes(kernel.display_name, kernel.info->name); }
  // The launch enters the ring of `device`.
  void begin(device::Backend& device, const LaunchInfo& launch) {
    device.profile(launch.profiled);
    if (events_) events_->begin(device, launch);
  }
  // Whether the user is told of this launch.
  bool tells(const LaunchInfo& launch) const { return tells_ && launch.profiled; }
  // It has ended, or was stopped. Error: the file could not be written; said once.
  Status record(device::Backend& device, const LaunchInfo& launch, bool completed, const Modules& modules);

 private:
  Profiles(const Settings& settings, const Preset& preset, std::FILE* file, std::unique_ptr<Events> events)
      : choice_(settings.profile_kernels, settings.profile_first, settings.profile_last),
        preset_(preset),
        name_(settings.profile),
        device_(settings.device),
        tells_(settings.profile_status),
        file_(file),
        events_(std::move(events)) {}

  Choice choice_;
  const Preset preset_;
  std::string name_, device_;
  const bool tells_;
  std::FILE* file_;  // null: no profile is wanted, or the file could not be written
  std::unique_ptr<Events> events_;
};

}  // namespace heddle::driver
