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

namespace heddle::compiler::lower {

struct Input {
  const ptx::Module* module = nullptr;  // passed ptx::check without errors
  bool library = false;
};

struct Options {
  // Relocatable output: keep all visible functions, and let extern functions that no module defines
  // stay symbols for a later link. Otherwise each is an error at its first use.
  bool relocatable = false;
  // The machine has unit Fp64. Otherwise its instructions become calls of the functions of firmware/devrt/soft_f64.cu,
  // which must be among the modules.
  bool has_fp64 = true;
  // It has unit Fp16. Otherwise f32 instructions compute the same bits.
  bool has_fp16 = true;
  // It has a tensor unit. Otherwise mma is refused.
  bool has_tensor = true;
  // It has LDSM. Otherwise lanes shuffle addresses and load a word each.
  bool has_matrix_load = true;
  // It has DMMA. Otherwise lanes shuffle elements and multiply them with DFMA.
  bool has_dmma = true;
  // Its memory adds f32, f64, f16x2 and bf16x2, and has minimum and maximum of the last two. Otherwise a loop compares
  // and swaps.
  bool has_float_atomics = true;
};

// Never gives wrong code: what cannot be translated is reported in `diagnostics` by name and place
// ("Instruction 'tex.2d.v4.f32.f32' is not supported by this version"), all of it, and the result
// is then not to be used.
mir::Module lower(std::span<const Input> inputs, const Options& options, ptx::Diagnostics& diagnostics);

}  // namespace heddle::compiler::lower
