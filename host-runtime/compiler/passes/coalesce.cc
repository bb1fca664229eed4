// SPDX-License-Identifier: Apache-2.0
// Aggressive coalescing, most frequent copies first. A merged register becomes a place (root, word) within the
// wider one; unions only join a register into one at least as wide, at an offset that keeps it aligned.
#include "host-runtime/compiler/passes/coalesce.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "host-runtime/compiler/passes/interference.h"

namespace heddle::compiler {

using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::RegClass;
using mir::VReg;

namespace {

class Coalescer {
 public:
  explicit Coalescer(Function& f)
      : f_(f), copied_(registers_of_copies(f)), interference_(f, &copied_, true), units_(interference_.units()) {
    for (VReg v = 0; v < f.vregs.size(); v++) place_.push_back({v, 0});
  }

  unsigned run() {
    struct Candidate {
      double frequency;
      const Instruction* copy;
    };
    const LoopNest loops(block_graph(f_), 0);
    std::vector<Candidate> candidates;
    for (mir::BlockId b = 0; b < f_.blocks.size(); b++)
      for (const Instruction& i : f_.blocks[b].body)
        if (is_candidate(i)) candidates.push_back({loops.frequency(b), &i});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.frequency > b.frequency; });
    for (const Candidate& c : candidates) {
      const Instruction& i = *c.copy;
      if (i.pd != kNone) join(i.pd, 0, i.p.reg, 0);
      else join(i.dst.id, i.dst.sub, i.a.id, i.a.sub);
    }
    return rewrite();
  }

 private:
  struct Place {
    VReg root;
    unsigned word;
  };

  // A copy from one register to another; of predicates an unguarded one.
  static bool is_candidate(const Instruction& i) {
    if (i.pseudo != mir::Pseudo::Copy || (i.guard.present() && i.pd != kNone)) return false;
    return i.pd != kNone ? i.p.present() && !i.p.negated : i.dst.is_reg() && i.a.is_reg();
  }

  // By vreg. Of the others it does not matter here what they interfere with.
  static std::vector<char> registers_of_copies(const Function& f) {
    std::vector<char> copied(f.vregs.size());
    for (const mir::Block& b : f.blocks)
      for (const Instruction& i : b.body)
        if (is_candidate(i))
          for (VReg v : i.pd != kNone ? std::array{i.pd, i.p.reg} : std::array{i.dst.id, i.a.id}) copied[v] = 1;
    return copied;
  }

  unsigned size(VReg v) const { return f_.vregs[v] == RegClass::P ? 1 : words_of(f_.vregs[v]); }

  Place find(VReg v) {
    Place p = place_[v];
    if (p.root == v) return p;
    const Place up = find(p.root);
    place_[v] = {up.root, up.word + p.word};
    return place_[v];
  }

  // A word of `narrow` interferes with the word of `wide` that it would be at word `at`.
  bool interfere(VReg wide, VReg narrow, unsigned at) {
    const bool in_narrow = interference_.neighbours(narrow).size() < interference_.neighbours(wide).size();
    const VReg searched = in_narrow ? wide : narrow;
    for (const Neighbour& n : interference_.neighbours(in_narrow ? narrow : wide)) {
      const Place p = find(n.vreg);
      if (p.root != searched) continue;
      for (unsigned words = n.words; words != 0; words &= words - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(words));
        const unsigned own = bit / 4, other = p.word + bit % 4;
        if (in_narrow ? other == at + own : own == at + other) return true;
      }
    }
    return false;
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
    if (interfere(wide, narrow, at)) return;
    // A machine register forced on a word by calls must not empty the choice of the whole.
    if (!choice_remains(wide, narrow, at)) return;
    interference_.merge(wide, at, narrow);
    place_[narrow] = {wide, at};
  }

  bool choice_remains(VReg wide, VReg narrow, unsigned at) {
    const unsigned n = size(wide);
    for (unsigned base = 0; base + n <= kMaxRegisters; base += n) {
      bool free = true;
      for (unsigned w = 0; w < n && free; w++) {
        free = !interference_.forbidden(units_.of(wide) + w).test(base + w);
        if (free && w >= at && w < at + size(narrow))
          free = !interference_.forbidden(units_.of(narrow) + w - at).test(base + w);
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
    std::vector<char> kept(f_.vregs.size());  // where a guard fails they hold what the copies' targets held
    for (mir::Block& b : f_.blocks) {
      for (Instruction& i : b.body) mir::for_each_operand(f_, i, reg, pred);
      mir::for_each_operand(b.end, reg, pred);
      removed += static_cast<unsigned>(std::erase_if(b.body, [&](const Instruction& i) {
        const bool gone =
            i.pseudo == mir::Pseudo::Copy && (i.pd != kNone ? i.p == mir::Pred{i.pd, false} : i.dst == i.a);
        if (gone && i.guard.present() && !i.fresh) kept[i.dst.id] = 1;
        return gone;
      }));
    }
    for (mir::Block& b : f_.blocks)
      for (Instruction& i : b.body)
        if (i.fresh && i.dst.is_reg() && kept[i.dst.id]) i.fresh = false;
    return removed;
  }

  Function& f_;
  const std::vector<char> copied_;
  InterferenceGraph interference_;
  const mir::Units& units_;
  std::vector<Place> place_;
};

}  // namespace

unsigned coalesce_copies(Function& f) { return Coalescer(f).run(); }

}  // namespace heddle::compiler
