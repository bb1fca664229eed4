// SPDX-License-Identifier: Apache-2.0
// Who calls whom: the order in which functions are compiled (callees first), recursion, and which functions are reached
// from where.
#pragma once

#include <vector>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

struct CallGraph {
  explicit CallGraph(const mir::Module& m);

  std::vector<std::vector<uint32_t>> callees;  // by function index; direct calls, each once
  std::vector<char> calls_unknown;             // by function: indirectly, or an external function
  std::vector<char> address_taken;
  std::vector<char> recursive;      // on a cycle of direct calls
  std::vector<uint32_t> bottom_up;  // callees before callers (within a cycle: any order)

  // All functions that running `function` may enter, itself included; indirect calls reach every function whose
  // address is taken.
  std::vector<char> reachable(uint32_t function) const;
};

// The function behind a symbol, through aliases; kNone for what is not defined here.
uint32_t function_of(const mir::Module& m, mir::SymbolId symbol);
// The variable behind a symbol; kNone when it is none.
uint32_t variable_of(const mir::Module& m, mir::SymbolId symbol);

// Drops the bodies of functions that no kernel reaches (and whose address no variable holds).
void remove_unreached_functions(mir::Module& m);

}  // namespace heddle::compiler
