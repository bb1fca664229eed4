// SPDX-License-Identifier: Apache-2.0
// A unit is divergent when an instruction that reads a lane's identity, an atomic, or a divergent unit writes it, or
// when it is written more than once and one of the writes lies where only some lanes may come (between a divergent
// branch and its post-dominator). Iterated to a fixed point, because divergent branches make more of both.
#include "host-runtime/compiler/passes/divergence.h"

#include "host-runtime/compiler/mir/access.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Accesses;
using mir::Instruction;
using mir::Unit;

namespace {

bool is_divergent_source(const Instruction& i) {
  if (i.pseudo == mir::Pseudo::Call || mir::is_atomic(i)) return true;
  if (i.pseudo != mir::Pseudo::None) return false;
  switch (i.op) {
    case Opcode::S2r:
      switch (static_cast<isa::SpecialReg>(i.b.is_imm() ? i.b.imm : 0)) {
        case isa::SpecialReg::TidX:
        case isa::SpecialReg::TidY:
        case isa::SpecialReg::TidZ:
        case isa::SpecialReg::LaneId:
        case isa::SpecialReg::LanemaskEq:
        case isa::SpecialReg::LanemaskLt:
        case isa::SpecialReg::LanemaskLe:
        case isa::SpecialReg::LanemaskGt:
        case isa::SpecialReg::LanemaskGe: return true;
        default: return false;
      }
    case Opcode::Ldl:  // each lane has its own local memory
    case Opcode::Ld:
    case Opcode::Match: return true;
    default: return i.info().unit == isa::Unit::Tensor || i.info().unit == isa::Unit::Tex || i.op == Opcode::Shfl;
  }
}

// All lanes that take part get the same, whatever theirs was.
bool is_uniform_result(const Instruction& i) {
  if (i.pseudo != mir::Pseudo::None || i.guard.present()) return false;
  return i.op == Opcode::Vote || i.op == Opcode::Ballot || i.op == Opcode::Redux;
}

// Lanes may get different values though their operands are the same.
bool may_race(const Instruction& i) {
  return i.pseudo == mir::Pseudo::Undef || (mir::is_load(i) && i.op != Opcode::Ldc);
}

bool waits_on_memory(const Instruction& i) { return mir::is_atomic(i) || (mir::is_load(i) && i.field("order") != 0); }

class Analysis {
 public:
  Analysis(const mir::Function& f, const Graph& g, const PostDominators& post, bool races)
      : f_(f),
        g_(g),
        post_(post),
        races_(races),
        units_(f),
        divergent_(units_.count()),
        waiting_(units_.count()),
        writes_(units_.count()),
        partial_(f.blocks.size()) {
    result_.branch.resize(f.blocks.size());
    result_.waits.resize(f.blocks.size());
  }

  Divergence run() {
    count_writes();
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockId b = 0; b < f_.blocks.size(); b++) changed |= block(b);
    }
    result_.value = divergent_;
    return std::move(result_);
  }

 private:
  void count_writes() {
    for (const mir::Block& b : f_.blocks)
      for (const Instruction& i : b.body) {
        accesses_.collect(f_, units_, i);
        for (const mir::UnitRange& w : accesses_.writes)
          for (unsigned k = 0; k < w.count; k++) writes_[w.first + k] += i.guard.present() ? 2 : 1;
      }
    for (Unit u = 0; u < mir::kMachineUnits; u++) divergent_[u] = 1;  // what a caller gave
    for (const mir::AbiValue& p : f_.params)
      if (p.value.is_reg())
        for (unsigned k = 0; k < p.value.count; k++) divergent_[units_.of(p.value) + k] = 1;
  }

  // True when the mark is new.
  static bool mark(char& flag) {
    if (flag) return false;
    flag = 1;
    return true;
  }

  bool any(const std::vector<char>& what) const {
    for (const mir::UnitRange& r : accesses_.reads)
      for (unsigned k = 0; k < r.count; k++)
        if (what[r.first + k]) return true;
    return false;
  }

  bool block(BlockId b) {
    bool changed = false;
    for (const Instruction& i : f_.blocks[b].body) {
      accesses_.collect(f_, units_, i);
      // Where only some lanes come, others may come at another time, and get something else.
      const bool spread =
          is_uniform_result(i) ? partial_[b] : is_divergent_source(i) || (races_ && may_race(i)) || any(divergent_);
      const bool wait = waits_on_memory(i) || any(waiting_);
      for (const mir::UnitRange& w : accesses_.writes)
        for (Unit u = w.first; u < w.first + w.count; u++) {
          if (spread || (partial_[b] && writes_[u] > 1)) changed |= mark(divergent_[u]);
          if (wait) changed |= mark(waiting_[u]);
        }
    }
    const mir::Terminator& t = f_.blocks[b].end;
    if (t.targets.size() < 2 || t.kind == mir::Terminator::Kind::Jump) return changed;
    accesses_.collect(f_, units_, t);
    if (any(waiting_)) changed |= mark(result_.waits[b]);
    if (!t.uniform && any(divergent_) && mark(result_.branch[b])) {
      changed = true;
      mark_partial(b);
    }
    return changed;
  }

  // Blocks between the branch and its post-dominator.
  void mark_partial(BlockId branch) {
    const BlockId end = post_.ipdom(branch);
    std::vector<BlockId> work(g_.succs[branch]);
    std::vector<char> seen(f_.blocks.size());
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (b == end || seen[b]) continue;
      seen[b] = partial_[b] = 1;
      work.insert(work.end(), g_.succs[b].begin(), g_.succs[b].end());
    }
  }

  const mir::Function& f_;
  const Graph& g_;
  const PostDominators& post_;
  const bool races_;
  mir::Units units_;
  std::vector<char> divergent_, waiting_;
  std::vector<uint32_t> writes_;
  std::vector<char> partial_;
  Divergence result_;
  Accesses accesses_;
};

}  // namespace

Divergence find_divergence(const mir::Function& f, const Graph& g, const PostDominators& post, bool races) {
  return Analysis(f, g, post, races).run();
}

}  // namespace heddle::compiler
