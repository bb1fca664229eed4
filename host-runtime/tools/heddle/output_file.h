// SPDX-License-Identifier: Apache-2.0
// What commands that run programs do before and after: temporary places, and what became of the run.
#pragma once

#include <string>
#include <utility>

#include "heddle/result.h"
#include "host-runtime/device/installation.h"

namespace heddle::tools {

// An empty file of its own, for the caller to remove; `what` is in its name.
Result<std::string> temporary_file(const char* what);

// A folder of its own, which goes with this, and all that is in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const char* what);
  TemporaryFolder(TemporaryFolder&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  ~TemporaryFolder();
  const std::string& name() const { return name_; }

 private:
  explicit TemporaryFolder(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// A file of a run: where it was asked for, or a temporary one, which goes with this. Found out before the run, which
// may take hours.
class OutputFile {
 public:
  static Result<OutputFile> make(const std::string& asked, const char* what);
  OutputFile(OutputFile&& other) noexcept;
  ~OutputFile();
  const std::string& name() const { return name_; }

 private:
  OutputFile(std::string name, bool temporary) : name_(std::move(name)), temporary_(temporary) {}
  std::string name_;
  bool temporary_;
};

// How the program's run ended, as far as its report has it.
struct Ran {
  std::string names;  // of the kernels, a line each; empty: none
  bool interrupted = false;
};
Ran what_ran(const std::string& report_file);

// HEDDLE_DEVICE; else rtl if it was built for the preset, else the golden model, which `command` says.
std::string default_device(const device::Installation& installation, const std::string& preset, const char* command);

}  // namespace heddle::tools
