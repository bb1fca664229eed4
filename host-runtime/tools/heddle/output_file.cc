// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/output_file.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/commands.h"

namespace heddle::tools {

namespace fs = std::filesystem;

namespace {

std::string temporary_pattern(const char* what) {
  std::error_code ec;
  return (fs::temp_directory_path(ec) / ("heddle-" + std::string(what) + "-XXXXXX")).string();
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const char* what) {
  std::string pattern = temporary_pattern(what);
  if (!mkdtemp(pattern.data())) return Error("cannot create a temporary folder, " + pattern);
  return TemporaryFolder(std::move(pattern));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ec;
  if (!name_.empty()) fs::remove_all(name_, ec);
}

Result<std::string> temporary_file(const char* what) {
  std::error_code ec;
  std::string pattern = temporary_pattern(what);
  const int descriptor = mkstemp(pattern.data());
  if (descriptor < 0) return Error("cannot create a temporary file in " + fs::temp_directory_path(ec).string());
  close(descriptor);
  return pattern;
}

Result<OutputFile> OutputFile::make(const std::string& asked, const char* what) {
  std::error_code ec;
  if (!asked.empty()) {
    const std::string name = fs::absolute(asked, ec).string();
    if (auto ok = write_file(name, "", 0); !ok) return ok.error();
    return OutputFile(name, false);
  }
  auto made = temporary_file(what);
  if (!made) return made.error();
  return OutputFile(std::move(*made), true);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)), temporary_(std::exchange(other.temporary_, false)) {}

OutputFile::~OutputFile() {
  if (temporary_) std::remove(name_.c_str());
}

Ran what_ran(const std::string& report_file) {
  const auto text = read_file(report_file);
  const auto json = nlohmann::json::parse(text ? *text : "", nullptr, false);
  Ran ran;
  if (!json.is_object()) return ran;
  ran.interrupted = json.value("status", "") == "interrupted";
  std::set<std::string> names;
  if (json.contains("kernels"))
    for (const auto& k : json["kernels"]) names.insert(k.value("name", ""));
  for (const std::string& name : names) ran.names += "\n  " + name;
  return ran;
}

std::string default_device(const device::Installation& installation, const std::string& preset, const char* command) {
  if (const char* device = std::getenv("HEDDLE_DEVICE"); device && *device) return device;
  if (installation.backend("rtl", preset)) return "rtl";
  print_error(std::string(command) + ": preset " + preset +
              "'s hardware is not built: on the golden model, which has no clock");
  return "model";
}

}  // namespace heddle::tools
