// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/device/installation.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace heddle::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBackends = "lib/heddle";
constexpr const char* kPresets = "share/heddle/presets";
constexpr const char* kRtlPrefix = "libheddle_rtl_";
constexpr const char* kChecked = "_checked";
constexpr const char* kModel = "libheddle_model.so";
constexpr const char* kTlm = "libheddle_tlm.so";
constexpr const char* kBoard = "libheddle_board.so";

// "tlm" or "tlm:…": the rest is the backend's own business.
bool is_tlm(const std::string& device) { return device == "tlm" || device.starts_with("tlm:"); }

// "board:PATH…", as board.h reads it. "board" alone is told there what it lacks.
bool is_board(const std::string& device) { return device == "board" || device.starts_with("board:"); }

// The backend of a device that serves every preset; null: each preset has its own.
const char* shared_backend(const std::string& device) {
  return device == "model" ? kModel : is_tlm(device) ? kTlm : is_board(device) ? kBoard : nullptr;
}

bool is_root(const fs::path& p) {
  std::error_code ec;
  return fs::is_directory(p / kBackends, ec) || fs::is_directory(p / kPresets, ec);
}

fs::path own_object() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&own_object), &info) || !info.dli_fname) return {};
  std::error_code ec;
  fs::path p = fs::canonical(info.dli_fname, ec);
  if (ec) p = fs::canonical("/proc/self/exe", ec);  // a program started through PATH
  return ec ? fs::path{} : p;
}

// The files behind every `heddle` that PATH's folders hold.
std::vector<fs::path> commands_in_path() {
  std::vector<fs::path> out;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code ec;
    const fs::path command = fs::canonical(fs::path(folder) / "heddle", ec);
    if (folder.starts_with('/') && !ec) out.push_back(command);
  }
  return out;
}

}  // namespace

bool runs_in_lockstep(const std::string& device) {
  return device == "lockstep" || device == "tlm" || device == "tlm:lockstep" || device.starts_with("tlm:lockstep:");
}

std::string join(const std::vector<std::string>& words) {
  if (words.empty()) return "(none)";
  std::string out;
  for (const auto& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

Installation Installation::find() {
  std::vector<fs::path> roots;
  const auto add = [&](const fs::path& p) {
    if (!p.empty() && is_root(p) && std::find(roots.begin(), roots.end(), p) == roots.end()) roots.push_back(p);
  };
  const auto add_above = [&](const fs::path& file) {
    fs::path folder = file.parent_path();
    for (int level = 0; level < 4 && !folder.empty(); ++level) {
      add(folder);
      if (folder == folder.parent_path()) break;
      folder = folder.parent_path();
    }
  };
  if (const char* home = std::getenv("HEDDLE_HOME"); home && *home) add(fs::path(home));
  add_above(own_object());
  for (const fs::path& command : commands_in_path()) add(command.parent_path().parent_path());
  const char* checked = std::getenv("HEDDLE_CHECKED");
  return Installation(std::move(roots), checked && *checked && std::string(checked) != "0");
}

std::vector<fs::path> Installation::files(const std::string& folder, const std::string& prefix,
                                          const std::string& suffix) const {
  std::vector<fs::path> out;
  for (const auto& root : roots_) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(root / folder, ec)) {
      const std::string name = entry.path().filename().string();
      if (name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix))
        out.push_back(entry.path());
    }
  }
  return out;
}

std::vector<std::string> Installation::presets() const {
  std::set<std::string> names;
  for (const auto& f : files(kPresets, "", ".toml")) names.insert(f.stem().string());
  return {names.begin(), names.end()};
}

std::vector<std::string> Installation::devices() const {
  std::vector<std::string> out;
  if (!files(kBackends, kRtlPrefix, ".so").empty()) out = {"lockstep", "rtl"};
  const auto one = [&](const char* file, const char* device) {
    for (const auto& root : roots_) {
      std::error_code ec;
      if (!fs::exists(root / kBackends / file, ec)) continue;
      out.insert(std::lower_bound(out.begin(), out.end(), device), device);
      break;
    }
  };
  one(kBoard, "board:PATH");
  one(kModel, "model");
  one(kTlm, "tlm");
  return out;
}

Result<fs::path> Installation::preset_file(const std::string& name) const {
  std::error_code ec;
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) {
    if (fs::is_regular_file(name, ec)) return fs::path(name);
    return Error("no preset file '" + name + "'");
  }
  for (const auto& root : roots_) {
    const fs::path p = root / kPresets / (name + ".toml");
    if (fs::is_regular_file(p, ec)) return p;
  }
  return Error("unknown preset '" + name + "' (HEDDLE_PRESET); available: " + join(presets()));
}

Result<fs::path> Installation::backend(const std::string& device, const std::string& preset) const {
  std::error_code ec;
  const char* shared = shared_backend(device);
  if (!shared && device != "rtl" && device != "lockstep")
    return Error("unknown device '" + device +
                 "' (HEDDLE_DEVICE); known: board:PATH, lockstep, model, rtl, tlm; available: " + join(devices()));
  const std::string hardware = preset + (checked_ ? kChecked : "");
  const std::string file = shared ? shared : kRtlPrefix + hardware + ".so";
  for (const auto& root : roots_)
    if (fs::exists(root / kBackends / file, ec)) return root / kBackends / file;
  // In the source tree the target has the library's name.
  const std::string builds =
      "in Heddle's source tree this builds it: ./heddle build " + fs::path(file).stem().string().substr(3);
  if (shared)
    return Error("device '" + device + "' is not built (no " + file + "); available: " + join(devices()) + "; " +
                 builds);
  if (checked_)
    return Error("the hardware of preset '" + preset + "' is not built with checks (HEDDLE_CHECKED; no " + file +
                 "); " + builds);
  std::set<std::string> built;  // once, however many places have it
  for (const auto& f : files(kBackends, kRtlPrefix, ".so")) {
    const std::string stem = f.stem().string();
    if (!stem.ends_with(kChecked)) built.insert(stem.substr(std::string(kRtlPrefix).size()));
  }
  return Error("device '" + device + "' is not built for preset '" + preset + "' (no " + file +
               "); presets with hardware: " + join({built.begin(), built.end()}) + "; " + builds);
}

}  // namespace heddle::device
