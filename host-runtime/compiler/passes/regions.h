// SPDX-License-Identifier: Apache-2.0
// Where lanes that a divergent branch sent different ways can go on together, level by level of the loop nest.
//
// At the level of a loop, only what happens between two visits of its header counts: lanes meet at the place that
// every way through the rest of the iteration passes (the header itself, if no other), and lanes that leave the loop
// take themselves off the list (BREAK). So a loop whose lanes leave one by one still runs its iterations together:
//
//   H: …  branch p A else B      level of the loop:  meets at H; A and B between; the edge A -> after breaks
//   A: …  branch q H else after  level of function:  meets at `after`; H, A and B between; armed before H
//   B: …  jump H
//
// Then there are blocks with much to do that only some lanes come to, by several ways or at different times (the body
// of `if (a || b)`; what follows a `break`). These can wait for each other, too: who goes elsewhere breaks.
#pragma once

#include <vector>

#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/divergence.h"

namespace heddle::compiler {

struct Edge {
  BlockId from;
  uint32_t slot;  // index into the terminator's targets
};

struct Region {
  BlockId meet;                 // P: BSYNC on the edges into it
  BlockId start = mir::kNone;   // BSSY at the end of this block …
  BlockId entry = mir::kNone;   // … or, instead, on the edges into this one (which lies inside) from outside
  std::vector<BlockId> blocks;  // inside: ways to P; sorted
  std::vector<Edge> syncs;      // into P
  std::vector<Edge> breaks;     // out, elsewhere than to P
  std::vector<Edge> arms;       // into `entry`
  unsigned barrier = 0;         // set by the convergence pass
  bool optional = false;        // not all lanes come to P

  bool contains(BlockId b) const;
};

struct Regions {
  std::vector<Region> found;
  unsigned skipped = 0;  // meeting places without a region: no entry can be found, or lanes wait for each other
};

Regions find_regions(const mir::Function& f, const Graph& g, const PostDominators& post, const Divergence& divergence);

}  // namespace heddle::compiler
