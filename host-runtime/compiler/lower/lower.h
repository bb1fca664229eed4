// SPDX-License-Identifier: Apache-2.0
// Checked PTX modules -> one machine-IR module: links them, chooses instructions, expands what the
// machine does not do in one (division, roots, wide products).
//
// Linking. Names that are .visible, .weak or .common are one name space over all modules; others
// are their module's own. A definition that is not weak wins over weak ones; two such are an error.
// Kernels and variables of ordinary modules are kept all; functions, and everything of a library
// module, only when something kept reaches them.
#pragma once

#include <memory>
#include <span>

#include "host-runtime/compiler/mir/mir.h"
#include "host-runtime/compiler/ptx/ast.h"
#include "host-runtime/compiler/ptx/source.h"
#include "presets/preset.h"

namespace heddle::compiler::lower {

struct Input {
  const ptx::Module* module = nullptr;  // passed ptx::check without errors
  bool library = false;
};

struct Options {
  // Relocatable output: keep all visible functions, and let extern functions that no module defines
  // stay symbols for a later link. Otherwise each is an error at its first use.
  bool relocatable = false;
  Features has{};  // of the machine; without fp64 the functions of soft_f64.cu must be among the modules
};

// Never gives wrong code: what cannot be translated is reported in `diagnostics` by name and place
// ("Instruction 'tex.2d.v4.f32.f32' is not supported by this version"), all of it, and the result
// is then not to be used.
mir::Module lower(std::span<const Input> inputs, const Options& options, ptx::Diagnostics& diagnostics);

}  // namespace heddle::compiler::lower
