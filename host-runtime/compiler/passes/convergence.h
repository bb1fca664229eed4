// SPDX-License-Identifier: Apache-2.0
// Places convergence barriers, so that lanes which a branch sent different ways go on together where the ways meet:
//
//   D:  …                          D:  …
//       branch p T else F              BSSY B0, P
//   T:  … jump P                       branch p T else F
//   F:  … jump P             ->    T:  … jump P'
//   P:  …                          F:  … jump P'
//                                  P': BSYNC B0
//                                  P:  …
//
// P is the immediate post-dominator of branches that may diverge, D the nearest place that dominates them all
// and lies in no loop that leaves P out. Never needed for correctness: a barrier only gathers lanes.
#pragma once

#include <functional>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

struct ConvergenceStats {
  unsigned regions = 0;  // barriers placed
  unsigned skipped = 0;  // post-dominators that got none
  unsigned barriers = 0;  // highest barrier number used + 1
};

// `callee_barriers(call)`: how many barriers (from number 0) what is called may use, or 16 when unknown (indirect,
// recursive, external): then no barrier is held across it.
ConvergenceStats place_convergence_barriers(mir::Function& f,
                                            const std::function<unsigned(const mir::Call&)>& callee_barriers);

}  // namespace heddle::compiler
