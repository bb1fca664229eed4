// SPDX-License-Identifier: Apache-2.0
// Warp instructions that lanes may come to at several places of a function at a time, each being a part of one
// operation:
//
//   if (p) x = shfl(all, v, 20); else y = shfl(all, w, 3);
//
// Each half of the lanes gets a value of the other. So both become calls of one function, where the lanes meet:
// WARPSYNC, SHFL, and back to where they came from.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Over all functions of a module as it comes from lowering; how many became calls.
unsigned join_collectives(mir::Module& m);

}  // namespace heddle::compiler
