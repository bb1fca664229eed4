// SPDX-License-Identifier: Apache-2.0
// Smallest-last order (the node with the least pressure from its neighbours is taken out first and coloured
// last); where every node left is over-constrained, the one that is cheapest to spill for its weight is taken out
// in hope. Colouring takes the lowest place that fits, or one that makes a copy to a machine register free.
#include "host-runtime/compiler/passes/color.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace heddle::compiler {

using mir::kNone;
using mir::RegClass;
using mir::Unit;
using mir::VReg;

namespace {

class Colorer {
 public:
  Colorer(const mir::Function& f, const mir::Units& units, const InterferenceGraph& g, const ColorRequest& request)
      : f_(f), units_(units), g_(g), request_(request) {
    result_.color.assign(f.vregs.size(), kNoColor);
  }

  Coloring run() {
    find_nodes();
    find_hints();
    order();
    for (size_t n = stack_.size(); n-- > 0;) select(stack_[n]);
    return std::move(result_);
  }

 private:
  bool is_pred(VReg v) const { return f_.vregs[v] == RegClass::P; }
  unsigned size(VReg v) const { return is_pred(v) ? 1 : words_of(f_.vregs[v]); }

  void find_nodes() {
    std::vector<char> used(units_.count());
    mir::Accesses a;
    auto mark = [&] {
      for (const auto* list : {&a.reads, &a.writes})
        for (const mir::UnitRange& r : *list)
          if (r.first >= mir::kMachineUnits) used[r.first] = 1;
    };
    for (const mir::Block& b : f_.blocks) {
      for (const mir::Instruction& i : b.body) {
        a.collect(f_, units_, i);
        mark();
      }
      a.collect(f_, units_, b.end);
      mark();
    }
    for (VReg v = 0; v < f_.vregs.size(); v++)
      for (unsigned w = 0; w < size(v); w++)
        if (used[units_.of(v) + w]) {
          nodes_.push_back(v);
          break;
        }
  }

  void find_hints() {
    hints_.resize(f_.vregs.size());
    for (const mir::Block& b : f_.blocks)
      for (const mir::Instruction& i : b.body) {
        if (i.pseudo != mir::Pseudo::Copy || i.pd != kNone) continue;
        if (i.dst.is_reg() && i.a.is_phys()) hint(i.dst, i.a.id);
        if (i.a.is_reg() && i.dst.is_phys()) hint(i.a, i.dst.id);
      }
  }
  void hint(const mir::Operand& o, unsigned machine) {
    if (machine >= o.sub) hints_[o.id].push_back(static_cast<uint8_t>(machine - o.sub));
  }

  // How many places of n's width a neighbour of m's width takes away, in registers.
  unsigned weight(VReg n, VReg m) const { return std::max(size(n), size(m)); }

  void order() {
    std::vector<unsigned> degree(f_.vregs.size());
    std::vector<char> removed(f_.vregs.size());
    std::vector<std::vector<VReg>> buckets;
    auto push = [&](VReg v) {
      if (buckets.size() <= degree[v]) buckets.resize(degree[v] + 1u);
      buckets[degree[v]].push_back(v);
    };
    for (VReg v : nodes_) {
      for (const Neighbour& m : g_.neighbours(v)) degree[v] += weight(v, m.vreg);
      push(v);
    }
    size_t left = nodes_.size();
    size_t lowest = 0;
    while (left > 0) {
      while (lowest < buckets.size() && buckets[lowest].empty()) lowest++;
      VReg v = buckets[lowest].back();
      buckets[lowest].pop_back();
      if (removed[v] || degree[v] != lowest) continue;
      const unsigned room = is_pred(v) ? isa::kNumPredicates : request_.limit;
      if (degree[v] + size(v) > room && request_.spill_cost) {
        const VReg cheap = cheapest(removed, degree);
        if (cheap != v) {
          buckets[lowest].push_back(v);
          v = cheap;
        }
      }
      removed[v] = 1;
      left--;
      stack_.push_back(v);
      for (const Neighbour& neighbour : g_.neighbours(v)) {
        const VReg m = neighbour.vreg;
        if (removed[m]) continue;
        degree[m] -= weight(m, v);
        push(m);
        lowest = std::min<size_t>(lowest, degree[m]);
      }
    }
  }

  VReg cheapest(const std::vector<char>& removed, const std::vector<unsigned>& degree) const {
    VReg best = kNone;
    double least = std::numeric_limits<double>::infinity();
    for (VReg v : nodes_) {
      if (removed[v]) continue;
      const double cost = (*request_.spill_cost)[v] / (degree[v] + 1.0);
      if (best == kNone || cost < least) {
        best = v;
        least = cost;
      }
    }
    return best;
  }

  void select(VReg v) {
    if (is_pred(v)) return select_predicate(v);
    const unsigned n = size(v);
    RegMask taken = request_.reserved;  // of base places
    for (unsigned w = 0; w < n; w++) {
      const RegMask& forbidden = g_.forbidden(units_.of(v) + w);
      if (n == 1) {
        taken |= forbidden;
      } else {
        for (unsigned base = 0; base + n <= kMaxRegisters; base += n)
          if (forbidden.test(base + w) || request_.reserved.test(base + w)) taken.set(base);
      }
    }
    for (const Neighbour& m : g_.neighbours(v)) {
      const unsigned c = result_.color[m.vreg];
      if (c == kNoColor) continue;
      for (unsigned words = m.words; words != 0; words &= words - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(words));
        if (c + bit % 4 >= bit / 4) taken.set(c + bit % 4 - bit / 4);
      }
    }
    auto fits = [&](unsigned base) { return base % n == 0 && base + n <= request_.limit && !taken.test(base); };
    for (uint8_t h : hints_[v])
      if (fits(h) && (h + n <= result_.registers || !has_low_place(fits, n))) return assign(v, h);
    if (request_.prefer_caller_saved)
      for (unsigned base = 0; base < kFirstCalleeSaved; base += n)
        if (fits(base) && base != kFrameBase) return assign(v, base);
    for (unsigned base = 0; base + n <= request_.limit; base += n)
      if (fits(base)) return assign(v, base);
    result_.failed_registers.push_back(v);
  }

  // A place that does not raise the number of registers.
  template <typename F>
  bool has_low_place(F fits, unsigned n) const {
    for (unsigned base = 0; base + n <= result_.registers; base += n)
      if (fits(base)) return true;
    return false;
  }

  void assign(VReg v, unsigned base) {
    result_.color[v] = static_cast<uint8_t>(base);
    result_.registers = std::max(result_.registers, base + size(v));
  }

  void select_predicate(VReg v) {
    const Unit u = units_.of(v);
    unsigned taken = g_.clobbered(u) ? 0x7fu : 0;
    for (const Neighbour& m : g_.neighbours(v))
      if (const uint8_t c = result_.color[m.vreg]; c != kNoColor) taken |= 1u << c;
    for (unsigned p = 0; p < isa::kNumPredicates; p++)
      if (!(taken >> p & 1)) {
        result_.color[v] = static_cast<uint8_t>(p);
        return;
      }
    result_.failed_predicates.push_back(v);
  }

  const mir::Function& f_;
  const mir::Units& units_;
  const InterferenceGraph& g_;
  const ColorRequest& request_;
  Coloring result_;
  std::vector<VReg> nodes_;
  std::vector<std::vector<uint8_t>> hints_;
  std::vector<VReg> stack_;
};

}  // namespace

Coloring color(const mir::Function& f, const mir::Units& units, const InterferenceGraph& interference,
               const ColorRequest& request) {
  return Colorer(f, units, interference, request).run();
}

}  // namespace heddle::compiler
