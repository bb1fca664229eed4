// SPDX-License-Identifier: Apache-2.0
// Smallest-last order (the node with the least pressure from its neighbours is taken out first and coloured
// last); where every node left is over-constrained, the one that is cheapest to spill for its weight is taken out
// in hope. Colouring takes the lowest place that fits, or one that makes a copy to a machine register free; where
// registers are spread, the lowest in the bank that fewest of the operands read beside it lie in, by how often that
// happens.
#include "host-runtime/compiler/passes/color.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

using mir::kNone;
using mir::RegClass;
using mir::Unit;
using mir::VReg;

namespace {

class Colorer {
 public:
  Colorer(const mir::Function& f, const InterferenceGraph& g, const ColorRequest& request)
      : f_(f), units_(g.units()), g_(g), request_(request) {
    result_.color.assign(f.vregs.size(), kNoColor);
  }

  Coloring run() {
    find_nodes();
    find_hints();
    if (request_.spread != 0) find_companions();
    order();
    for (size_t n = stack_.size(); n-- > 0;)
      if (is_pred(stack_[n])) select_predicate(stack_[n]);
    if (!result_.failed_predicates.empty()) return std::move(result_);  // once they are spilled all is different
    for (size_t n = stack_.size(); n-- > 0;)
      if (!is_pred(stack_[n])) select(stack_[n]);
    if (request_.spread != 0 && result_.failed_registers.empty()) spread();
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

  // What is read beside a register: its word at the register's place plus `distance` is read in the same instruction.
  struct Companion {
    VReg vreg;
    unsigned distance;
    double frequency;
  };
  using BankCosts = std::array<double, kRegisterBanks>;  // by the bank of a register's first word

  static unsigned bank(unsigned place) { return place % kRegisterBanks; }

  void find_companions() {
    companions_.resize(f_.vregs.size());
    beside_machine_.resize(f_.vregs.size());
    const LoopNest loops(block_graph(f_), 0);
    for (mir::BlockId b = 0; b < f_.blocks.size(); b++) {
      const double frequency = loops.frequency(b);
      for (const mir::Instruction& i : f_.blocks[b].body) {
        if (i.pseudo != mir::Pseudo::None) continue;
        const std::array<const mir::Operand*, 3> read = {&i.a, &i.b, &i.c};
        for (const mir::Operand* mine : read)
          for (const mir::Operand* other : read)
            if (mine != other && mine->is_reg()) read_beside(*mine, *other, frequency);
      }
    }
  }
  void read_beside(const mir::Operand& mine, const mir::Operand& other, double frequency) {
    constexpr unsigned kMostWords = 2;  // of an operand; matrices take their rows one after the other
    if (mine.count > kMostWords || other.count > kMostWords) return;
    for (unsigned w = 0; w < mine.count; w++)
      for (unsigned n = 0; n < other.count; n++) {
        const unsigned distance = other.sub + n + 2 * kRegisterBanks - (mine.sub + w);
        if (other.is_phys()) beside_machine_[mine.id][bank(other.id + distance)] += frequency;
        else if (other.is_reg() && other.id != mine.id) companions_[mine.id].push_back({other.id, distance, frequency});
      }
  }

  // How often an operand of the same instruction lies in the same bank.
  BankCosts conflicts(VReg v) const {
    BankCosts costs = beside_machine_[v];
    for (const Companion& c : companions_[v])
      if (result_.color[c.vreg] != kNoColor) costs[bank(result_.color[c.vreg] + c.distance)] += c.frequency;
    return costs;
  }

  // When a register was given its place most of what is read beside it had none yet.
  void spread() {
    constexpr int kRounds = 2;
    for (int round = 0; round < kRounds; round++)
      for (size_t n = stack_.size(); n-- > 0;) {
        const VReg v = stack_[n];
        if (is_pred(v) || !hints_[v].empty() || conflicts(v)[bank(result_.color[v])] == 0) continue;
        result_.color[v] = kNoColor;
        select(v);  // its old place, at worst
      }
    result_.registers = 0;
    for (VReg v : stack_)
      if (!is_pred(v)) result_.registers = std::max(result_.registers, result_.color[v] + size(v));
  }

  // How many places of n's width a neighbour of m's width takes away, in registers.
  unsigned weight(VReg n, VReg m) const { return std::max(size_[n], size_[m]); }

  // What order() knows of a register.
  struct Node {
    unsigned degree = 0;
    uint32_t changed = 0;  // when its degree did, or kRemoved
    bool removed() const { return changed == kRemoved; }
  };
  static constexpr uint32_t kRemoved = ~uint32_t{0};

  void order() {
    state_.resize(f_.vregs.size());
    size_.resize(f_.vregs.size());
    for (VReg v : nodes_) size_[v] = static_cast<uint8_t>(size(v));
    for (VReg v : nodes_) {
      for (const Neighbour& m : g_.neighbours(v)) state_[v].degree += weight(v, m.vreg);
      state_[v].changed = clock_++;
    }
    for (size_t left = nodes_.size(); left > 0;) {
      while (lowest_ < buckets_.size() && buckets_[lowest_].empty()) lowest_++;
      if (lowest_ == buckets_.size()) {
        look_further();
        continue;
      }
      VReg v = buckets_[lowest_].back();
      buckets_[lowest_].pop_back();
      if (state_[v].removed() || state_[v].degree != lowest_) continue;
      const unsigned room = is_pred(v) ? isa::kNumPredicates : request_.limit;
      if (lowest_ + size_[v] > room && request_.spill_cost) {
        const VReg cheap = cheapest();
        if (cheap != v) {
          buckets_[lowest_].push_back(v);
          v = cheap;
        }
      }
      remove(v);
      left--;
    }
  }

  void remove(VReg v) {
    state_[v].changed = kRemoved;
    stack_.push_back(v);
    for (const Neighbour& m : g_.neighbours(v)) {
      Node& n = state_[m.vreg];
      if (n.removed()) continue;
      n.degree -= weight(m.vreg, v);
      n.changed = clock_++;
      if (n.degree >= buckets_.size()) continue;
      buckets_[n.degree].push_back(m.vreg);
      lowest_ = std::min<size_t>(lowest_, n.degree);
    }
  }

  // Buckets, by degree, hold what is near the lowest; a node's last place in them counts. Values that live long lose
  // neighbours all the time and are far from it. Once all buckets are empty there are twice as many, filled in the
  // order of changes.
  void look_further() {
    unsigned nearest = std::numeric_limits<unsigned>::max();
    std::vector<VReg> far;
    for (VReg v : nodes_)
      if (!state_[v].removed()) nearest = std::min(nearest, state_[v].degree);
    buckets_.resize(2 * std::max<size_t>(nearest, request_.limit));
    for (VReg v : nodes_)
      if (!state_[v].removed() && state_[v].degree < buckets_.size()) far.push_back(v);
    std::sort(far.begin(), far.end(), [&](VReg a, VReg b) { return state_[a].changed < state_[b].changed; });
    for (VReg v : far) buckets_[state_[v].degree].push_back(v);
    lowest_ = nearest;
  }

  // Of those left, the one that costs least for its degree. Degrees only fall, so costs only rise: what is in the heap
  // is a lower bound, and the first whose bound is exact is the cheapest.
  VReg cheapest() {
    const auto price = [&](VReg v) { return Price{(*request_.spill_cost)[v] / (state_[v].degree + 1.0), v}; };
    if (prices_.empty()) {
      for (VReg v : nodes_)
        if (!state_[v].removed()) prices_.push_back(price(v));
      std::make_heap(prices_.begin(), prices_.end(), std::greater<>());
    }
    for (;;) {
      std::pop_heap(prices_.begin(), prices_.end(), std::greater<>());
      const VReg v = prices_.back().second;
      const bool exact = prices_.back() == price(v);
      if (state_[v].removed()) {
        prices_.pop_back();
        continue;
      }
      prices_.back() = price(v);
      std::push_heap(prices_.begin(), prices_.end(), std::greater<>());
      if (exact) return v;
    }
  }

  void select(VReg v) {
    const unsigned n = words_of(f_.vregs[v]);
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
    std::array<uint64_t, 5> shifted{};  // bit r: place r - 3
    for (const Neighbour& m : g_.neighbours(v)) {
      const unsigned c = result_.color[m.vreg];
      if (c == kNoColor) continue;
      // Its word n at c + n takes place c + n - w for word w: bit 3 + n - w of these, from c - 3 on.
      const uint64_t places = (m.words & 0xf) << 3 | (m.words >> 2 & 0x3c) | (m.words >> 7 & 0x1e) | m.words >> 12;
      shifted[c / 64] |= places << c % 64;
      shifted[c / 64 + 1] |= places >> 1 >> (63 - c % 64);
    }
    for (size_t k = 0; k < taken.bits.size(); k++) taken.bits[k] |= shifted[k] >> 3 | shifted[k + 1] << 61;
    const unsigned limit = request_.spread != 0 ? request_.spread : request_.limit;
    auto fits = [&](unsigned base) { return base % n == 0 && base + n <= limit && !taken.test(base); };
    for (uint8_t h : hints_[v])
      if (fits(h) && (h + n <= result_.registers || !has_low_place(fits, n))) return assign(v, h);
    if (request_.prefer_caller_saved)
      for (unsigned base = 0; base < kFirstCalleeSaved; base += n)
        if (fits(base) && base != kFrameBase) return assign(v, base);
    const BankCosts costs = request_.spread != 0 ? conflicts(v) : BankCosts{};
    unsigned best = kNoColor;
    for (unsigned base = 0; base + n <= limit; base += n)
      if (fits(base) && (best == kNoColor || costs[bank(base)] < costs[bank(best)])) best = base;
    if (best != kNoColor) return assign(v, best);
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
  std::vector<std::vector<Companion>> companions_;  // by vreg
  std::vector<BankCosts> beside_machine_;           // by vreg: what machine registers read beside it cost
  std::vector<Node> state_;                         // by vreg
  std::vector<uint8_t> size_;                       // by vreg
  uint32_t clock_ = 0;
  std::vector<std::vector<VReg>> buckets_;
  size_t lowest_ = 0;
  std::vector<VReg> stack_;
  using Price = std::pair<double, VReg>;
  std::vector<Price> prices_;  // of what is left, a heap
};

}  // namespace

Coloring color(const mir::Function& f, const InterferenceGraph& interference, const ColorRequest& request) {
  return Colorer(f, interference, request).run();
}

}  // namespace heddle::compiler
