// SPDX-License-Identifier: Apache-2.0
// A module in device memory: its kernels and variables by name, with their final places.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "host-runtime/driver/failure.h"
#include "host-runtime/formats/cubin.h"
#include "presets/preset.h"

namespace heddle::driver {

class Module;

struct Kernel {
  const formats::CubinKernel* info = nullptr;  // in the module's cubin
  const Module* module = nullptr;
  uint32_t pc = 0;           // of its first instruction, in the code segment
  std::string display_name;  // demangled
  uint32_t max_threads = 0;  // a block's, of launch bounds; 0: none given
  Dim3 required_cluster{0, 0, 0};
};

struct Variable {
  uint64_t address = 0;  // device address
  uint64_t bytes = 0;
  bool constant = false;
};

// Where the parts of a cubin were placed.
struct Placement {
  uint32_t code_pc = 0;
  uint64_t globals = 0, constants = 0;  // device addresses; 0: there are none
};

class Module {
 public:
  Module(formats::Cubin cubin, const Placement& placement);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const Kernel* kernel(const std::string& name) const;
  const Variable* variable(const std::string& name) const;
  const formats::Cubin& cubin() const { return cubin_; }
  const Placement& placement() const { return placement_; }

  // Some kernel may print or assert: the device runtime's functions were linked in.
  bool prints() const { return prints_; }
  // A kernel of it may call malloc or free.
  bool allocates() const { return allocates_; }
  // It takes locks of the context.
  bool locks() const { return locks_; }

  bool holds(uint32_t pc) const { return pc - placement_.code_pc < cubin_.code.size() * 8; }
  // "file.cu:12" of a program counter in this module; empty when unknown.
  std::string source(uint32_t pc) const;
  // The device function, demangled, that holds the program counter, when it is not a kernel; else empty.
  std::string inner_function(uint32_t pc) const;

 private:
  formats::Cubin cubin_;
  Placement placement_;
  bool prints_ = false, allocates_ = false, locks_ = false;
  std::map<std::string, Kernel> kernels_;
  std::map<std::string, Variable> variables_;
};

// What code needs and a preset's hardware lacks: the first instruction, and a name for the lack ("double precision").
struct MissingHardware {
  uint32_t pc;
  std::string_view what;
};
std::optional<MissingHardware> missing_hardware(const formats::Cubin& cubin, const Preset::Structure& structure);

// The C++ name of a mangled symbol, with parameters; the symbol itself when it is none.
std::string demangle(const std::string& symbol);

}  // namespace heddle::driver
