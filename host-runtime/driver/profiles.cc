// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/profiles.h"

#include <cerrno>
#include <cstring>

namespace heddle::driver {

Result<std::unique_ptr<Profiles>> Profiles::open(const Settings& settings, const Preset& preset,
                                                 const heddle_transport* transport) {
  if (settings.profile.empty() && settings.events.empty()) return std::unique_ptr<Profiles>();
  const std::string device = "the device '" + settings.device + "' ";
  if (!settings.profile.empty() && (!transport->profile || !transport->profiled))
    return Error("HEDDLE_PROFILE: " + device + "does not count what launches do", Code::Unknown);
  if (!settings.events.empty() && (!transport->profile || !transport->events))
    return Error("HEDDLE_EVENTS: " + device + "does not tell when what happens", Code::Unknown);
  std::unique_ptr<Events> events;
  if (!settings.events.empty()) {
    auto opened = Events::open(settings, preset);
    if (!opened) return opened.error();
    events = std::move(*opened);
  }
  std::FILE* file = settings.profile.empty() ? nullptr : std::fopen(settings.profile.c_str(), "ae");
  if (!file && !settings.profile.empty())
    return Error("HEDDLE_PROFILE: cannot write '" + settings.profile + "': " + std::strerror(errno), Code::Unknown);
  return std::unique_ptr<Profiles>(new Profiles(settings, preset, file, std::move(events)));
}

Profiles::~Profiles() {
  if (file_) std::fclose(file_);
}

Status Profiles::record(device::Backend& device, const LaunchInfo& launch, bool completed, const Modules& modules) {
  if (events_)
    if (auto ok = events_->end(device, launch, completed, modules); !ok) return ok;
  const heddle_profile* profile = launch.profiled && file_ ? device.profiled() : nullptr;
  if (!profile) return {};
  // The golden model counts no cycles; it also runs what is not on a device for chosen launches.
  const bool clock = profile->counters[HEDDLE_COUNTER_Cycles] != 0;
  const ProfiledLaunch what{launch, completed, clock ? device_ : "model", clock};
  const std::string line = to_json(*profile, what, preset_, modules) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_) == line.size() && std::fflush(file_) == 0) return {};
  const Error error("HEDDLE_PROFILE: cannot write '" + name_ + "': " + std::strerror(errno));
  std::fclose(file_);
  file_ = nullptr;
  return error;
}

}  // namespace heddle::driver
