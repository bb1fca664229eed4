// SPDX-License-Identifier: Apache-2.0
// Which branches all lanes of a warp that take part surely decide alike. A wrong answer would only cost speed: the
// hardware handles every split. With `races` it may not be wrong: then every load counts as divergent, because lanes
// need not see the same while others write.
#pragma once

#include <vector>

#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

struct Divergence {
  std::vector<char> value;   // by unit (mir::Units): lanes may have different values there
  std::vector<char> branch;  // by block: its terminator may send lanes different ways
  // By block: the branch waits on memory that other lanes write (an atomic, volatile or ordered load decides it), so
  // lanes that left a loop here must not wait for those that spin.
  std::vector<char> waits;
};

Divergence find_divergence(const mir::Function& f, const Graph& g, const PostDominators& post, bool races = false);

}  // namespace heddle::compiler
