// SPDX-License-Identifier: Apache-2.0
// Where each unit is written. A unit with a single, unconditional definition behaves as in SSA form wherever
// that definition dominates: most registers of compiled PTX are so.
#pragma once

#include <vector>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

class Definitions {
 public:
  struct Site {
    BlockId block = mir::kNone;
    uint32_t index = 0;  // in the block's body
  };

  // Instructions may be changed while this is in use, but none added or moved.
  explicit Definitions(const mir::Function& f);

  const mir::Units& units() const { return units_; }
  bool single(mir::Unit u) const { return writes_[u] == 1; }
  bool single(const mir::Operand& reg) const;
  // The instruction that alone defines the unit; null otherwise.
  const mir::Instruction* of(mir::Unit u) const;
  // The one instruction that alone defines all words of the register operand; null otherwise.
  const mir::Instruction* of(const mir::Operand& reg) const;
  Site site(mir::Unit u) const { return sites_[u]; }
  // The definition of a single unit comes before the place on every path to it.
  bool before(mir::Unit u, Site place) const;
  bool before(const mir::Operand& reg, Site place) const;
  const Graph& graph() const { return graph_; }

 private:
  const mir::Function& f_;
  mir::Units units_;
  Graph graph_;
  DominatorTree dominators_;
  std::vector<uint32_t> writes_;  // 2 and more: several, or conditional
  std::vector<Site> sites_;
};

}  // namespace heddle::compiler
