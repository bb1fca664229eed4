// SPDX-License-Identifier: Apache-2.0
// Aggressive coalescing, most frequent copies first. A merged register becomes a place (root, word) within the
// wider one; unions only join a register into one at least as wide, at an offset that keeps it aligned.
#include "host-runtime/compiler/passes/coalesce.h"

#include <algorithm>
#include <utility>

#include "host-runtime/compiler/passes/interference.h"

namespace heddle::compiler {

using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::RegClass;
using mir::Unit;
using mir::VReg;

namespace {

class Coalescer {
 public:
  explicit Coalescer(Function& f) : f_(f), units_(f), graph_(block_graph(f)), interference_(f, units_, graph_) {
    for (VReg v = 0; v < f.vregs.size(); v++) place_.push_back({v, 0});
    unit_.resize(units_.count());
    for (Unit u = 0; u < units_.count(); u++) unit_[u] = u;
  }

  unsigned run() {
    struct Candidate {
      double frequency;
      const Instruction* copy;
    };
    const LoopNest loops(graph_, 0);
    std::vector<Candidate> candidates;
    for (mir::BlockId b = 0; b < f_.blocks.size(); b++)
      for (const Instruction& i : f_.blocks[b].body)
        if (i.pseudo == mir::Pseudo::Copy && !i.guard.present()) candidates.push_back({loops.frequency(b), &i});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.frequency > b.frequency; });
    for (const Candidate& c : candidates) {
      const Instruction& i = *c.copy;
      if (i.pd != kNone) {
        if (i.p.present() && !i.p.negated) join(i.pd, 0, i.p.reg, 0);
      } else if (i.dst.is_reg() && i.a.is_reg()) {
        join(i.dst.id, i.dst.sub, i.a.id, i.a.sub);
      }
    }
    return rewrite();
  }

 private:
  struct Place {
    VReg root;
    unsigned word;
  };

  unsigned size(VReg v) const { return f_.vregs[v] == RegClass::P ? 1 : words_of(f_.vregs[v]); }

  Place find(VReg v) {
    Place p = place_[v];
    if (p.root == v) return p;
    const Place up = find(p.root);
    place_[v] = {up.root, up.word + p.word};
    return place_[v];
  }

  // Current name of a unit after merges.
  Unit current(Unit u) {
    while (unit_[u] != u) u = unit_[u] = unit_[unit_[u]];
    return u;
  }

  // Word x of a and word y of b shall be the same register.
  void join(VReg a, unsigned x, VReg b, unsigned y) {
    const Place pa = find(a), pb = find(b);
    if (pa.root == pb.root) return;
    int offset = static_cast<int>(pa.word + x) - static_cast<int>(pb.word + y);  // b's root within a's root
    VReg wide = pa.root, narrow = pb.root;
    if (size(wide) < size(narrow)) {
      std::swap(wide, narrow);
      offset = -offset;
    }
    const unsigned n = size(narrow);
    if (offset < 0 || offset % static_cast<int>(n) || static_cast<unsigned>(offset) + n > size(wide)) return;
    const auto at = static_cast<unsigned>(offset);
    for (unsigned w = 0; w < n; w++)
      if (interference_.interferes(current(units_.of(wide) + at + w), current(units_.of(narrow) + w))) return;
    // A machine register forced on a word by calls must not empty the choice of the whole.
    if (!choice_remains(wide, narrow, at)) return;
    for (unsigned w = 0; w < n; w++) {
      const Unit into = current(units_.of(wide) + at + w);
      const Unit from = current(units_.of(narrow) + w);
      interference_.merge(into, from);
      unit_[from] = into;
    }
    place_[narrow] = {wide, at};
  }

  bool choice_remains(VReg wide, VReg narrow, unsigned at) {
    const unsigned n = size(wide);
    for (unsigned base = 0; base + n <= kMaxRegisters; base += n) {
      bool free = true;
      for (unsigned w = 0; w < n && free; w++) {
        free = !interference_.forbidden(current(units_.of(wide) + w)).test(base + w);
        if (free && w >= at && w < at + size(narrow))
          free = !interference_.forbidden(current(units_.of(narrow) + w - at)).test(base + w);
      }
      if (free) return true;
    }
    return false;
  }

  unsigned rewrite() {
    auto reg = [&](Operand& o) {
      const Place p = find(o.id);
      o.id = p.root;
      o.sub = static_cast<uint8_t>(o.sub + p.word);
    };
    auto pred = [&](VReg& v) { v = find(v).root; };
    unsigned removed = 0;
    for (mir::Block& b : f_.blocks) {
      for (Instruction& i : b.body) mir::for_each_operand(f_, i, reg, pred);
      mir::for_each_operand(b.end, reg, pred);
      removed += static_cast<unsigned>(std::erase_if(b.body, [](const Instruction& i) {
        return i.pseudo == mir::Pseudo::Copy &&
               (i.pd != kNone ? i.p == mir::Pred{i.pd, false} : i.dst == i.a);
      }));
    }
    return removed;
  }

  Function& f_;
  mir::Units units_;
  Graph graph_;
  InterferenceGraph interference_;
  std::vector<Place> place_;
  std::vector<Unit> unit_;
};

}  // namespace

unsigned coalesce_copies(Function& f) { return Coalescer(f).run(); }

}  // namespace heddle::compiler
