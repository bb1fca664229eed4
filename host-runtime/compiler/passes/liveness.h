// SPDX-License-Identifier: Apache-2.0
// Which units (words of registers, predicates, machine registers) are live where. Units that live only
// inside one block take no room in the sets.
#pragma once

#include <cstdint>
#include <vector>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

// A set of units with fast insert, erase and iteration.
class LiveSet {
 public:
  explicit LiveSet(mir::Unit universe) : position_(universe, mir::kNone) {}
  bool contains(mir::Unit u) const { return position_[u] != mir::kNone; }
  void insert(mir::Unit u) {
    if (contains(u)) return;
    position_[u] = static_cast<uint32_t>(items_.size());
    items_.push_back(u);
  }
  void erase(mir::Unit u) {
    if (!contains(u)) return;
    const mir::Unit last = items_.back();
    items_[position_[u]] = last;
    position_[last] = position_[u];
    items_.pop_back();
    position_[u] = mir::kNone;
  }
  void clear() {
    for (mir::Unit u : items_) position_[u] = mir::kNone;
    items_.clear();
  }
  const std::vector<mir::Unit>& items() const { return items_; }
  size_t size() const { return items_.size(); }

 private:
  std::vector<mir::Unit> items_;
  std::vector<uint32_t> position_;
};

class Liveness {
 public:
  Liveness(const mir::Function& f, const mir::Units& units, const Graph& g);

  // Sets `live` to the units live after the block's terminator, resp. before its first instruction.
  void at_end(BlockId b, LiveSet& live) const { fill(out_[b], live); }
  void at_start(BlockId b, LiveSet& live) const { fill(in_[b], live); }

  // Moves `live` from after to before what was collected in `accesses`.
  static void step_back(const mir::Accesses& accesses, LiveSet& live) {
    if (!accesses.conditional)
      for (const mir::UnitRange& w : accesses.writes)
        for (unsigned n = 0; n < w.count; n++) live.erase(w.first + n);
    for (const mir::UnitRange& r : accesses.reads)
      for (unsigned n = 0; n < r.count; n++) live.insert(r.first + n);
  }

 private:
  using Bits = std::vector<uint64_t>;
  void fill(const Bits& bits, LiveSet& live) const;

  std::vector<mir::Unit> global_;  // dense number -> unit
  std::vector<Bits> in_, out_;
};

// Most 32-bit registers live at once, and most predicates.
struct Pressure {
  unsigned registers = 0;
  unsigned predicates = 0;
};
Pressure max_pressure(const mir::Function& f);

}  // namespace heddle::compiler
