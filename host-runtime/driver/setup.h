// SPDX-License-Identifier: Apache-2.0
// How a device is opened, and what its registers are told then and after each reset.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/settings.h"
#include "presets/preset.h"

namespace heddle::driver {

class Setup {
 public:
  // `chosen`: the backend of the launches that the settings choose, null when they choose none; the other one is the
  // golden model then.
  Setup(const Settings& settings, const Preset& preset, std::string preset_file, const heddle_transport* chosen)
      : settings_(settings), preset_(preset), preset_file_(std::move(preset_file)), chosen_(chosen) {}

  const Settings& settings() const { return settings_; }
  const Preset& preset() const { return preset_; }
  const heddle_transport* chosen_transport() const { return chosen_; }

  // Of the device for all launches, or of that for chosen ones.
  device::OpenOptions options(bool chosen) const;
  // Checks identity and programs what is set at run time.
  Status configure(device::Backend& backend, Queue& queue) const;
  // Beyond so many bytes every access faults, page by page, as on silicon.
  void limit_memory(device::Backend& backend, uint64_t bytes);

 private:
  Settings settings_;
  Preset preset_;
  std::string preset_file_;
  const heddle_transport* chosen_;
  uint64_t memory_bytes_ = 0;  // as the device knows it; 0: all
};

}  // namespace heddle::driver
