// SPDX-License-Identifier: Apache-2.0
// Machine IR of a module -> cubin: memory layout, the passes over each function, allocation, encoding, and what
// launching needs to know.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "host-runtime/compiler/mir/mir.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::compiler {

struct BackendOptions {
  unsigned optimization = 2;
  unsigned max_registers = 0;  // --maxrregcount; 0: none
  unsigned registers_per_sm = 65536;
  // Checks machine IR between passes and every allocation against an independent proof; slower.
  bool verify = false;
  // Called after each pass with its name and the function's text; may be empty.
  std::function<void(std::string_view pass, const mir::Function&)> dump{};
};

Result<formats::Cubin> generate(mir::Module module, const BackendOptions& options);

// Registers that a thread of the kernel may have, from its launch bounds and the options.
unsigned register_limit(const mir::LaunchBounds& bounds, unsigned max_registers, unsigned registers_per_sm);

}  // namespace heddle::compiler
