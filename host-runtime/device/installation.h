// SPDX-License-Identifier: Apache-2.0
// Where Heddle's files lie: backends in <root>/lib/heddle, presets in <root>/share/heddle/presets.
//
// Roots, first match wins: HEDDLE_HOME; the folders above the object that holds this code (libheddle.so.0, or the
// heddle command), at most three levels up; that of the `heddle` command in PATH. A folder without either sub-folder is
// no root. How programs find libheddle.so.0 is in runtime/shim.c.
//
// A preset's hardware is there in two builds: the fast one, and one with checks, which HEDDLE_CHECKED=1 chooses.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle::device {

class Installation {
 public:
  // Looks around once; reads HEDDLE_HOME and HEDDLE_CHECKED.
  static Installation find();

  explicit Installation(std::vector<std::filesystem::path> roots, bool checked = false)
      : roots_(std::move(roots)), checked_(checked) {}

  const std::vector<std::filesystem::path>& roots() const { return roots_; }

  // Names that may be asked for, sorted: presets by their file, devices by the backends present.
  std::vector<std::string> presets() const;
  std::vector<std::string> devices() const;

  // The .toml of a preset; a name with a '/' or ending in .toml is taken as a path. The error lists
  // the presets there are.
  Result<std::filesystem::path> preset_file(const std::string& name) const;

  // The shared object that drives `device` ("model", "rtl", "lockstep", "tlm[:…]", "board:…") with `preset`. The error
  // lists the devices, or the presets whose hardware was built.
  Result<std::filesystem::path> backend(const std::string& device, const std::string& preset) const;

 private:
  std::vector<std::filesystem::path> files(const std::string& folder, const std::string& prefix,
                                           const std::string& suffix) const;

  std::vector<std::filesystem::path> roots_;
  bool checked_;
};

// Whether the golden model checks this device: "lockstep", also inside "tlm".
bool runs_in_lockstep(const std::string& device);

// "a, b, c"; "(none)" when empty.
std::string join(const std::vector<std::string>& words);

}  // namespace heddle::device
