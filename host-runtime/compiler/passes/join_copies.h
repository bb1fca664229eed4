// SPDX-License-Identifier: Apache-2.0
// Copies of 16 bytes that come as two of 8 (clang writes an assignment of a float4 so): one load and one store of 128
// bits where the addresses of all lanes are multiples of 16, which the warp finds out when it gets there; else as they
// were.
//
//   ld x, [a+8]                 is any lane's (a | b) & 15 != 0?
//   st [b+8], x     becomes      no:  ld q, [a]   st [b], q   x = q.1   y = q.0
//   ld y, [a]                    yes: as before
//   st [b], y
//
// The first store may be to where the second load is, unless both addresses are multiples of 16.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// How many copies were joined. Does nothing where `register_limit` leaves little room for wide registers.
unsigned join_copies(mir::Function& f, unsigned register_limit);

}  // namespace heddle::compiler
