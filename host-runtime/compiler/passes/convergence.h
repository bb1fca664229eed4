// SPDX-License-Identifier: Apache-2.0
// Places convergence barriers, so that lanes which a branch sent different ways go on together where the ways meet
// (regions.h says where):
//
//   D:  …                          D:  …
//       branch p T else F              BSSY B0, P
//   T:  … jump P                       branch p T else F
//   F:  … branch q P else X  ->    T:  … jump P'
//   P:  …                          F:  … branch q P' else X'
//                                  P': BSYNC B0
//                                  P:  …
//                                  X': BREAK B0, jump X
//
// Never needed for correctness. But no lane may reach the BSYNC of one region while another region's barrier of the
// same number expects it: so regions with blocks in common have different numbers, and lanes that leave take a BREAK.
#pragma once

#include <functional>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

struct ConvergenceStats {
  unsigned regions = 0;   // barriers placed
  unsigned skipped = 0;   // meeting places that got none
  unsigned barriers = 0;  // highest barrier number used + 1
};

// `callee_barriers(call)`: how many barriers (from number 0) what is called may use, or 16 when unknown (indirect,
// recursive, external): then no barrier is held across it.
ConvergenceStats place_convergence_barriers(mir::Function& f,
                                            const std::function<unsigned(const mir::Call&)>& callee_barriers);

}  // namespace heddle::compiler
