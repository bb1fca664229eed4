// SPDX-License-Identifier: Apache-2.0
// Loops of one block by four: in front of the loop comes one that does four turns at a time, as long as that many are
// left, so that what several turns load is on its way at once. The loop itself does the rest.
//
//   before -> loop -> after      becomes      before -> guard -> turns -> rest -> loop -> after
//               ^__|                                       |     ^__|       |      ^__|     ^
//                                                          |________________|______|________|
//   guard: are four turns left? to `turns`, else to `loop`        rest: is one left? to `loop`, else to `after`
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Bodies of at most this many instructions.
inline constexpr unsigned kUnrollLimit = 24;

// Returns how many loops were unrolled. Loops whose block says `no_unroll` are left alone; so are all where
// `register_limit` leaves no room for what several turns load.
unsigned unroll_loops(mir::Function& f, unsigned register_limit);

}  // namespace heddle::compiler
