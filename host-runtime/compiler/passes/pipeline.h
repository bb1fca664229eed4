// SPDX-License-Identifier: Apache-2.0
// The passes over one function, by name and in order, up to register allocation.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "host-runtime/compiler/mir/mir.h"
#include "host-runtime/compiler/passes/convergence.h"

namespace heddle::compiler {

struct PassContext {
  unsigned optimization = 2;    // 0: only what is needed
  unsigned register_limit = 0;  // what allocation will be given
  std::function<unsigned(const mir::Call&)> callee_barriers;
  std::function<uint32_t(mir::SymbolId)> symbol_align;  // of a global variable's address
  // Set by their passes.
  bool has_merged = false;  // accesses
  ConvergenceStats convergence;
};

struct Pass {
  std::string_view name;
  int level;  // least optimization level that runs it
  void (*run)(mir::Function&, PassContext&);
};

std::span<const Pass> function_passes();

}  // namespace heddle::compiler
