// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/sink.h"

#include <algorithm>
#include <utility>

#include "host-runtime/compiler/passes/definitions.h"

namespace heddle::compiler {

using mir::Instruction;
using mir::kNone;
using mir::Unit;

namespace {

class Sinker {
 public:
  explicit Sinker(mir::Function& f)
      : f_(f),
        defs_(f),
        dominators_(defs_.graph(), 0),
        loops_(defs_.graph(), 0),
        needed_in_(defs_.units().count(), kNone) {}

  void run() {
    find_uses();
    std::vector<std::vector<Instruction>> arrivals(f_.blocks.size());
    for (BlockId b = 0; b < f_.blocks.size(); b++)
      std::erase_if(f_.blocks[b].body, [&](Instruction& i) {
        if (!is_constant(i)) return false;
        const BlockId to = target(b, i);
        if (to == b) return false;
        arrivals[to].push_back(std::move(i));
        return true;
      });
    for (BlockId b = 0; b < f_.blocks.size(); b++)
      for (Instruction& i : arrivals[b]) arrive(f_.blocks[b].body, std::move(i));
  }

 private:
  static bool is_constant(const Instruction& i) {
    return i.is(isa::Opcode::Mov) && !i.guard.present() && i.dst.is_reg() && i.dst.count == 1 && i.a.is_none() &&
           i.c.is_none() && (i.b.is_imm() || i.b.is_const() || i.b.is_symbol() || i.b.is_frame() || i.b.is_table());
  }

  // By unit: the block that dominates all that read it.
  void find_uses() {
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      const auto reads = [&] {
        for (const mir::UnitRange& r : accesses_.reads)
          for (Unit u = r.first; u < r.first + r.count; u++)
            needed_in_[u] = needed_in_[u] == kNone ? b : dominators_.nearest_common(needed_in_[u], b);
      };
      if (!dominators_.reaches(b)) continue;
      for (const Instruction& i : f_.blocks[b].body) {
        accesses_.collect(f_, defs_.units(), i);
        reads();
      }
      accesses_.collect(f_, defs_.units(), f_.blocks[b].end);
      reads();
    }
  }

  BlockId target(BlockId from, const Instruction& i) const {
    const Unit u = defs_.units().of(i.dst);
    BlockId to = needed_in_[u];
    if (to == kNone || !defs_.single(u) || !dominators_.dominates(from, to)) return from;
    while (to != from && loops_.innermost(to) != kNone && !loops_.contains(loops_.innermost(to), from))
      to = dominators_.idom(to);
    return to;
  }

  // In front of the first instruction that reads it.
  void arrive(std::vector<Instruction>& body, Instruction i) {
    const Unit u = defs_.units().of(i.dst);
    const auto at = std::find_if(body.begin(), body.end(), [&](const Instruction& other) {
      accesses_.collect(f_, defs_.units(), other);
      return std::any_of(accesses_.reads.begin(), accesses_.reads.end(),
                         [&](const mir::UnitRange& r) { return r.first <= u && u < r.first + r.count; });
    });
    body.insert(at, std::move(i));
  }

  mir::Function& f_;
  Definitions defs_;
  DominatorTree dominators_;
  LoopNest loops_;
  std::vector<BlockId> needed_in_;
  mir::Accesses accesses_;
};

}  // namespace

void sink_constants(mir::Function& f) { Sinker(f).run(); }

}  // namespace heddle::compiler
