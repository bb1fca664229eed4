// SPDX-License-Identifier: Apache-2.0
// Smallest-last order (the node with the least pressure from its neighbours is taken out first and coloured
// last); where every node left is over-constrained, the one that is cheapest to spill for its weight is taken out
// in hope. Colouring takes the lowest place that fits, or one that makes a copy to a machine register free.
// Then registers are spread over the banks: each moves to the lowest place in the bank that fewest of the operands read
// beside it lie in, by how often that happens; where all places of such a bank are taken, it changes places with who is
// in one.
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
      : f_(f), units_(g.units()), g_(g), request_(request), limit_(request.limit) {
    result_.color.assign(f.vregs.size(), kNoColor);
  }

  Coloring run() {
    find_nodes();
    find_hints();
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
    machine_ = std::max(machine_, machine + 1);
  }

  // What is read beside a register: where the register's place is `distance` banks behind its own, words of both that
  // one instruction reads lie in one bank.
  struct Companion {
    VReg vreg;
    unsigned distance;
    double frequency;
    auto key() const { return std::pair(vreg, distance); }
  };
  using BankCosts = std::array<double, kRegisterBanks>;  // by the bank of a register's first word

  static unsigned bank(unsigned place) { return place % kRegisterBanks; }

  void find_companions() {
    companions_.resize(f_.vregs.size());
    beside_machine_.resize(f_.vregs.size());
    const std::vector<double> frequency = block_frequencies(f_);
    for (mir::BlockId b = 0; b < f_.blocks.size(); b++)
      for (const mir::Instruction& i : f_.blocks[b].body) {
        if (i.pseudo != mir::Pseudo::None) continue;
        const std::array<const mir::Operand*, 3> read = {&i.a, &i.b, &i.c};
        for (const mir::Operand* mine : read)
          for (const mir::Operand* other : read)
            if (mine != other && mine->is_reg()) read_beside(*mine, *other, frequency[b]);
      }
    for (std::vector<Companion>& all : companions_) unite(all);
  }
  void read_beside(const mir::Operand& mine, const mir::Operand& other, double frequency) {
    constexpr unsigned kMostWords = 2;  // of an operand; matrices take their rows one after the other
    if (mine.count > kMostWords || other.count > kMostWords) return;
    for (unsigned w = 0; w < mine.count; w++)
      for (unsigned n = 0; n < other.count; n++) {
        const unsigned distance = bank(other.sub + n + 2 * kRegisterBanks - (mine.sub + w));
        if (other.is_phys()) beside_machine_[mine.id][bank(other.id + distance)] += frequency;
        else if (other.is_reg() && other.id != mine.id) companions_[mine.id].push_back({other.id, distance, frequency});
      }
  }
  static void unite(std::vector<Companion>& all) {
    std::sort(all.begin(), all.end(), [](const Companion& a, const Companion& b) { return a.key() < b.key(); });
    std::vector<Companion> united;
    for (const Companion& c : all) {
      if (united.empty() || united.back().key() != c.key()) united.push_back(c);
      else united.back().frequency += c.frequency;
    }
    all = std::move(united);
  }

  // How often an operand of the same instruction lies in the same bank.
  BankCosts conflicts(VReg v) const {
    BankCosts costs = beside_machine_[v];
    for (const Companion& c : companions_[v])
      if (result_.color[c.vreg] != kNoColor) costs[bank(result_.color[c.vreg] + c.distance)] += c.frequency;
    return costs;
  }
  double conflict(VReg v) const { return conflicts(v)[bank(result_.color[v])]; }

  // First among the registers that there are, then among as many as the function takes anyhow.
  void spread() {
    const unsigned rounded = (result_.registers + request_.spread - 1) / request_.spread * request_.spread;
    const unsigned most = std::min(rounded, request_.limit);
    find_companions();
    for (const unsigned limit : {result_.registers, most, most}) {
      limit_ = limit;
      for (size_t n = stack_.size(); n-- > 0;)
        if (const VReg v = stack_[n]; !is_pred(v) && hints_[v].empty() && conflict(v) != 0) move(v);
    }
    result_.registers = 0;
    for (VReg v : stack_)
      if (!is_pred(v)) result_.registers = std::max(result_.registers, result_.color[v] + size(v));
  }
  void move(VReg v) {
    result_.color[v] = kNoColor;
    select(v);  // its old place, at worst
    if (conflict(v) != 0) exchange(v);
  }

  // An aligned group of places and another one. Registers in them that interfere, one by the other, and no more of
  // them, may change sides together.
  struct Sides {
    unsigned one, other, width;
    bool has(unsigned place, unsigned words) const { return meets(one, place, words) || meets(other, place, words); }
    unsigned across(unsigned place) const {
      return place / width * width == one ? place - one + other : place - other + one;
    }

   private:
    bool meets(unsigned side, unsigned place, unsigned words) const {
      return place < side + width && side < place + words;
    }
  };

  // Puts v elsewhere, and what is in its way there to v's place, where that makes fewer conflicts.
  void exchange(VReg v) {
    constexpr unsigned kWidest = 2;  // wider groups stay in their banks
    const BankCosts costs = conflicts(v);
    const unsigned place = result_.color[v];
    for (unsigned width = size(v); width <= kWidest; width *= 2)
      for (unsigned there = place % width; there < limit_; there += width)
        if (costs[bank(there)] < costs[bank(place)] &&
            exchange(v, {place / width * width, there / width * width, width}))
          return;
  }
  bool exchange(VReg v, const Sides& sides) {
    if (!find_group(v, sides)) return false;
    const auto cross = [&] {
      for (VReg m : group_) result_.color[m] = static_cast<uint8_t>(sides.across(result_.color[m]));
    };
    const double before = group_conflict();
    cross();
    if (group_conflict() < before) return true;
    cross();
    return false;
  }
  // All that has to change sides with v; false where one of them cannot.
  bool find_group(VReg v, const Sides& sides) {
    constexpr size_t kMost = 8;
    group_ = {v};
    for (size_t n = 0; n < group_.size(); n++) {
      const VReg m = group_[n];
      if (size(m) > sides.width || !hints_[m].empty() || !allowed(m, sides.across(result_.color[m]))) return false;
      for (const Neighbour& o : g_.neighbours(m))
        if (sides.has(result_.color[o.vreg], size(o.vreg)) && !in_group(o.vreg)) group_.push_back(o.vreg);
      if (group_.size() > kMost) return false;
    }
    return true;
  }
  bool in_group(VReg v) const { return std::find(group_.begin(), group_.end(), v) != group_.end(); }
  // Whatever lives there.
  bool allowed(VReg v, unsigned place) const {
    if (place + size(v) > limit_) return false;
    for (unsigned w = 0; w < size(v); w++)
      if (request_.reserved.test(place + w) || g_.forbidden(units_.of(v) + w).test(place + w)) return false;
    return true;
  }
  double group_conflict() const {
    double cost = 0;
    for (VReg m : group_) {
      const unsigned mine = bank(result_.color[m]);
      cost += beside_machine_[m][mine];
      for (const Companion& c : companions_[m])  // each knows the other
        if (bank(result_.color[c.vreg] + c.distance) == mine) cost += in_group(c.vreg) ? c.frequency / 2 : c.frequency;
    }
    return cost;
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
    auto fits = [&](unsigned base) { return base % n == 0 && base + n <= limit_ && !taken.test(base); };
    for (uint8_t h : hints_[v])
      if (fits(h) && (h + n <= std::max(result_.registers, machine_) || !has_low_place(fits, n))) return assign(v, h);
    if (request_.prefer_caller_saved)
      for (unsigned base = 0; base < kFirstCalleeSaved; base += n)
        if (fits(base) && base != kFrameBase) return assign(v, base);
    const BankCosts costs = companions_.empty() ? BankCosts{} : conflicts(v);
    unsigned best = kNoColor;
    for (unsigned base = 0; base + n <= limit_; base += n)
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
  unsigned limit_;
  unsigned machine_ = 0;  // registers that the function takes anyhow, for copies name them
  Coloring result_;
  std::vector<VReg> nodes_;
  std::vector<std::vector<uint8_t>> hints_;
  std::vector<std::vector<Companion>> companions_;  // by vreg
  std::vector<BankCosts> beside_machine_;           // by vreg: what machine registers read beside it cost
  std::vector<VReg> group_;                         // of registers that change sides together
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
