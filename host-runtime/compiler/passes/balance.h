// SPDX-License-Identifier: Apache-2.0
// Moves, shifts and sums as products, so that units Int and Imad have the same to do: both take a warp every other
// cycle where lanes are half a warp.
//
//   MOV R1, R2       IMAD R1, RZ, RZ, R2
//   SHL R1, R2, 5    IMAD R1, R2, 32, RZ
//   IADD R1, R2, R3  IMAD R1, R2, 1, R3
#pragma once

#include "host-runtime/compiler/passes/allocate.h"

namespace heddle::compiler {

// After register allocation. In each block, of what both units can do, as many instructions as even their counts out go
// to Imad, spread evenly.
void balance_units(mir::Function& f, const Allocation& allocation);

}  // namespace heddle::compiler
