// SPDX-License-Identifier: Apache-2.0
// An instruction goes in without guard when that is safe and what it writes is not wanted on the other way (so that
// the old value need not be kept); else it gets the branch's predicate as its guard. A load that is not wanted on the
// other way is `fresh`: its register need not be kept free from the beginning.
#include "host-runtime/compiler/passes/if_convert.h"

#include <utility>

#include "host-runtime/compiler/passes/liveness.h"

namespace heddle::compiler {

using mir::Block;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Pred;
using Kind = mir::Terminator::Kind;

namespace {

bool may_guard(const Instruction& i, mir::VReg condition) {
  if (i.guard.present() || i.guard.negated || mir::is_convergent(i) || i.pd == condition || i.pq == condition)
    return false;
  return i.pseudo == mir::Pseudo::None || i.pseudo == mir::Pseudo::Copy || i.pseudo == mir::Pseudo::Undef;
}

bool may_speculate(const Instruction& i) { return !mir::has_side_effects(i) && !mir::is_memory(i); }

class Converter {
 public:
  explicit Converter(Function& f)
      : f_(f),
        graph_(block_graph(f)),
        units_(f),
        liveness_(f, units_, graph_),
        live_(units_.count()),
        unknown_(units_.count()) {}

  unsigned run() {
    std::vector<char> touched(f_.blocks.size());
    unsigned converted = 0;
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      mir::Terminator& t = f_.blocks[b].end;
      if (t.kind != Kind::Branch) continue;
      const BlockId yes = t.targets[0], no = t.targets[1];
      if (touched[b] || touched[yes] || touched[no]) continue;
      BlockId meet = kNone;
      if (is_arm(yes, no, t.cond.reg)) meet = no;
      else if (is_arm(no, yes, t.cond.reg)) meet = yes;
      else if (is_arm(yes, kNone, t.cond.reg) && is_arm(no, kNone, t.cond.reg) &&
               f_.blocks[yes].end.targets[0] == f_.blocks[no].end.targets[0] &&
               f_.blocks[yes].body.size() + f_.blocks[no].body.size() <= kIfConvertLimit)
        meet = f_.blocks[yes].end.targets[0];
      if (meet == kNone || meet == b) continue;
      touched[b] = touched[yes] = touched[no] = 1;
      Block& block = f_.blocks[b];
      const Pred cond = t.cond;
      // The arm that goes in first may write what the other arm does not read; the second, what is dead after.
      if (no != meet) absorb(block, no, !cond, yes);
      if (yes != meet) absorb(block, yes, cond, no != meet ? meet : no);
      block.end.kind = Kind::Jump;
      block.end.cond = {};
      block.end.targets = {meet};
      converted++;
    }
    return converted;
  }

 private:
  // A block entered only by this branch, small and guardable, that goes on to `to` (kNone: anywhere).
  bool is_arm(BlockId arm, BlockId to, mir::VReg condition) const {
    const Block& a = f_.blocks[arm];
    if (graph_.preds[arm].size() != 1 || a.end.kind != Kind::Jump || a.body.size() > kIfConvertLimit) return false;
    if (to != kNone && a.end.targets[0] != to) return false;
    for (const Instruction& i : a.body)
      if (!may_guard(i, condition)) return false;
    return true;
  }

  void absorb(Block& into, BlockId arm, Pred guard, BlockId other) {
    liveness_.at_start(other, live_);
    unknown_.clear();
    mir::Accesses a;
    for (Instruction& i : f_.blocks[arm].body) {
      a.collect(f_, units_, i);
      bool unwanted = true;  // on the other way
      for (const mir::UnitRange& w : a.writes)
        for (unsigned k = 0; k < w.count; k++) unwanted = unwanted && !live_.contains(w.first + k);
      // What a fresh register holds where the guard fails is anything: nobody shall compute with it.
      bool unknown = false;
      for (const mir::UnitRange& r : a.reads)
        for (unsigned k = 0; k < r.count; k++) unknown = unknown || unknown_.contains(r.first + k);
      if (!unwanted || unknown || !may_speculate(i)) {
        i.guard = guard;
        i.fresh = unwanted;
      }
      for (const mir::UnitRange& w : a.writes)
        for (unsigned k = 0; k < w.count; k++)
          if (i.fresh) unknown_.insert(w.first + k);
          else unknown_.erase(w.first + k);
      into.body.push_back(std::move(i));
    }
    f_.blocks[arm].body.clear();
  }

  Function& f_;
  Graph graph_;
  mir::Units units_;
  Liveness liveness_;
  LiveSet live_, unknown_;
};

}  // namespace

unsigned convert_ifs(Function& f) { return Converter(f).run(); }

}  // namespace heddle::compiler
