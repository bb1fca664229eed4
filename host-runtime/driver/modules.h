// SPDX-License-Identifier: Apache-2.0
// The modules in device memory, whose code is one segment (code_segment.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/code_segment.h"
#include "host-runtime/driver/module.h"
#include "host-runtime/driver/waits.h"
#include "host-runtime/driver/work.h"

namespace heddle::driver {

class Modules {
 public:
  // Where a link-time symbol of the driver's lies.
  using Symbols = std::function<std::optional<uint64_t>(std::string_view name)>;

  Modules(device::Backend& backend, const Preset& preset, Allocations& allocations, Work& work, Waits& waits,
          Symbols symbols)
      : backend_(backend),
        preset_(preset),
        allocations_(allocations),
        work_(work),
        waits_(waits),
        symbols_(std::move(symbols)) {}

  // Links the cubin and places it in device memory: code, globals, constants. It is there for all commands that are
  // submitted later; nothing is waited for.
  Result<Module*> load(formats::Cubin cubin);
  // Takes it away, and gives its memory back, once all work is done. Error: the device has failed; all stays until
  // reset.
  Status unload(const Module& module);

  // Tells a device where the code is that kernels run now.
  void set_code_registers(device::Backend& backend) const;
  // The instruction at a program counter, 0 outside of code; the module there, or null.
  uint64_t instruction(uint32_t pc) const { return code_.instruction(pc); }
  const Module* holding(uint32_t pc) const;

 private:
  // Takes memory; the task is to write it.
  Status place(const formats::Cubin& cubin, Placement& placement, Task& task);
  Status place_code(uint32_t pc, const std::vector<uint64_t>& code, Task& task);
  Status allocate(uint64_t bytes, uint64_t& address);
  void release(const Placement& placement, const formats::Cubin& cubin);

  device::Backend& backend_;
  const Preset& preset_;
  Allocations& allocations_;
  Work& work_;
  Waits& waits_;
  Symbols symbols_;
  CodeSegment code_;
  // Of the segment, as the device knows it: what was loaded last may not have come there yet.
  uint64_t code_address_ = 0, code_bytes_ = 0;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace heddle::driver
