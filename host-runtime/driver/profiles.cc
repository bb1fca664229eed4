// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/profiles.h"

#include <cerrno>
#include <cstring>

namespace heddle::driver {

Result<std::unique_ptr<Profiles>> Profiles::open(const Settings& settings, const Preset& preset,
                                                 const heddle_transport* transport) {
  if (settings.profile.empty()) return std::unique_ptr<Profiles>();
  if (!transport->profile || !transport->profiled)
    return Error("HEDDLE_PROFILE: the device '" + settings.device + "' does not count what launches do", Code::Unknown);
  std::FILE* file = std::fopen(settings.profile.c_str(), "ae");
  if (!file)
    return Error("HEDDLE_PROFILE: cannot write '" + settings.profile + "': " + std::strerror(errno), Code::Unknown);
  return std::unique_ptr<Profiles>(new Profiles(settings, preset, file));
}

Profiles::~Profiles() {
  if (file_) std::fclose(file_);
}

Status Profiles::record(device::Backend& device, const LaunchInfo& launch, bool completed, const Modules& modules) {
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
