// SPDX-License-Identifier: Apache-2.0
// The compiler as a library: PTX text in, cubin out. Used by ptxas and by the driver when it loads PTX.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/compiler/emit/backend.h"
#include "host-runtime/formats/cubin.h"
#include "presets/preset.h"

namespace heddle::compiler {

using PtxSource = formats::CubinSource;

struct CompileOptions {
  unsigned optimization = 2;          // 0 … 3
  unsigned max_registers = 0;         // 0: as many as there are
  unsigned registers_per_sm = 65536;  // which launch bounds divide
  unsigned newest_target = 0;         // 80: a .target above sm_80 is refused; 0: none is
  bool relocatable = false;           // for the device linker: the PTX is checked and kept, code comes with the link
  Features has{};                     // of the machine; without fp64 libraries must hold soft_f64.cu's functions
  bool verify = false;                // see BackendOptions
  // Linked with the first module: whole-program compilation, so calls between modules cost what calls within one do.
  std::vector<PtxSource> more{};
  // Modules from which only what is reached is taken (device runtime, malloc, vprintf, …).
  std::vector<PtxSource> libraries{};
  std::function<void(std::string_view pass, const mir::Function&)> dump{};
};

struct CompileResult {
  formats::Cubin cubin;
  std::string warnings;  // rendered; empty when there are none
};

// Errors are rendered as a compiler prints them: file:line:column, source line and caret, all that were found. Their
// code is Code::InvalidPtx where the PTX is wrong, none where it is too large for the machine.
Result<CompileResult> compile(const PtxSource& ptx, const CompileOptions& options = {});

// What ptxas -v prints about the kernels.
std::string resource_usage(const formats::Cubin& cubin);

}  // namespace heddle::compiler
