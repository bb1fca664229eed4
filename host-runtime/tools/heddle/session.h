// SPDX-License-Identifier: Apache-2.0
// A driver context for tools that run kernels of their own.
#pragma once

#include <memory>
#include <string>

#include "heddle/result.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/driver/context.h"

namespace heddle::tools {

// The preset of that name, or in that .toml file.
Result<Preset> find_preset(const std::string& preset);

// Opens `device` with `preset`; cycle limit and seed come from the environment as for any program. No
// status line. `cycle_limit`: a kernel's where the environment has none; 0: none.
Result<std::unique_ptr<driver::Context>> open_context(const std::string& device, const std::string& preset,
                                                      uint64_t cycle_limit = 0);

// How PTX is compiled for this machine.
compiler::CompileOptions options_for(const Preset& preset);

// Compiles PTX and places it. Errors are the compiler's, with places.
Result<driver::Module*> load_ptx(driver::Context& context, const std::string& name, const std::string& text);

}  // namespace heddle::tools
