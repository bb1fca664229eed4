// SPDX-License-Identifier: Apache-2.0
// One walk over the function, backward, with the set of what is live: what is defined interferes with all of it. A pair
// of registers may meet at several definitions; lists may name it as often until they are united, which is when they
// have doubled and at the end. No set of pairs is kept: nine in ten pairs of a big function meet once.
#include "host-runtime/compiler/passes/interference.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace heddle::compiler {

using mir::Accesses;
using mir::Instruction;
using mir::kMachineUnits;
using mir::kNone;
using mir::Unit;
using mir::UnitRange;
using mir::VReg;

namespace {

constexpr size_t kFirstUnion = 256;

// Four bits, at 0 … 3, to bits 0, 4, 8, 12.
constexpr unsigned spread(unsigned words) {
  return (words & 1) | (words & 2) << 3 | (words & 4) << 6 | (words & 8) << 9;
}

// Of a list's owner.
unsigned lowest_word(unsigned pairs) { return static_cast<unsigned>(std::countr_zero(pairs)) / 4; }

// The source's first unit when nothing but a copy is made, else kNone.
Unit copied(const mir::Instruction& i, const mir::Units& units, bool joins) {
  if (i.pseudo != mir::Pseudo::Copy || (i.guard.present() && (i.pd != kNone || !joins))) return kNone;
  if (i.pd == kNone) return units.of(i.a);
  return i.p.present() && !i.p.negated ? units.of(i.p.reg) : kNone;
}

}  // namespace

InterferenceGraph::InterferenceGraph(const mir::Function& f, const std::vector<char>* wanted, bool joins)
    : f_(f), joins_(joins), graph_(block_graph(f)), units_(f), live_(0), live_new_(0) {
  add_registers(wanted);
  walk();
  for (List& list : lists_) unite(list);
}

void InterferenceGraph::replace(const std::vector<VReg>& gone) {
  std::vector<char> is_gone(lists_.size()), touched(lists_.size());
  for (VReg v : gone) is_gone[v] = 1;
  const auto once = [&](VReg v) { return v < touched.size() && !std::exchange(touched[v], 1); };
  for (VReg v : gone) {
    for (const Neighbour& n : lists_[v])
      if (once(n.vreg)) std::erase_if(lists_[n.vreg], [&](const Neighbour& m) { return is_gone[m.vreg]; });
    lists_[v] = {};
    for (Unit u = units_.of(v); u < units_.of(v) + std::max(1u, words_of(f_.vregs[v])); u++) {
      forbidden_[u] = {};
      clobbered_[u] = 0;
    }
  }
  first_new_ = static_cast<VReg>(lists_.size());
  first_new_unit_ = units_.count();
  units_ = mir::Units(f_);
  add_registers(nullptr);
  walk();
  touched.assign(first_new_, 0);
  for (VReg v = first_new_; v < lists_.size(); v++) {
    unite(lists_[v]);
    for (const Neighbour& n : lists_[v])
      if (once(n.vreg)) unite(lists_[n.vreg]);
  }
}

void InterferenceGraph::add_registers(const std::vector<char>* wanted) {
  const size_t registers = f_.vregs.size();
  for (VReg v = first_new_; v < registers; v++)
    kind_.push_back(wanted && !(*wanted)[v]           ? Kind::Unwanted
                    : f_.vregs[v] == mir::RegClass::P ? Kind::Predicate
                                                      : Kind::Register);
  lists_.resize(registers);
  forbidden_.resize(units_.count());
  clobbered_.resize(units_.count());
  linked_.resize(registers);
  place_.resize(registers);
  united_place_.resize(registers);
  united_at_.resize(registers, kFirstUnion);
}

void InterferenceGraph::walk() {
  const Liveness liveness(f_, units_, graph_);
  live_ = LiveSet(units_.count());
  live_new_ = LiveSet(first_new_ == 0 ? 0 : units_.count());
  Accesses a;
  for (BlockId b = 0; b < f_.blocks.size(); b++) {
    start_block(liveness, b);
    a.collect(f_, units_, f_.blocks[b].end);
    step_back(a);
    for (size_t n = f_.blocks[b].body.size(); n-- > 0;) {
      a.collect(f_, units_, f_.blocks[b].body[n]);
      instruction(f_.blocks[b].body[n], a);
      step_back(a);
      if (joins_) follow(f_.blocks[b].body[n], a);
    }
  }
}

// What an instruction has to do with the copies behind it; it may be one itself.
void InterferenceGraph::follow(const Instruction& i, const Accesses& a) {
  if (!guarded_.empty()) {
    std::erase_if(guarded_, [&](const GuardedCopy& c) {
      const auto has = [](const std::vector<UnitRange>& ranges, Unit u) {
        return std::any_of(ranges.begin(), ranges.end(), [&](const UnitRange& r) { return u - r.first < r.count; });
      };
      return a.clobbers || has(a.reads, c.to) || has(a.writes, c.to) || has(a.writes, units_.of(c.guard.reg));
    });
  }
  if (i.pseudo == mir::Pseudo::Copy && i.guard.present() && !i.fresh && i.pd == kNone && i.dst.is_reg() && i.a.is_reg())
    for (unsigned w = 0; w < i.dst.count; w++) guarded_.push_back({units_.of(i.dst) + w, units_.of(i.a) + w, i.guard});
}

bool InterferenceGraph::is_copied_under(const Instruction& i, Unit from, Unit to) const {
  if (!i.fresh) return false;
  return std::any_of(guarded_.begin(), guarded_.end(),
                     [&](const GuardedCopy& c) { return c.guard == i.guard && c.from == from && c.to == to; });
}

void InterferenceGraph::start_block(const Liveness& liveness, BlockId b) {
  guarded_.clear();
  liveness.at_end(b, live_);
  if (first_new_ == 0) return;
  live_new_.clear();
  for (Unit l : live_.items())
    if (l >= first_new_unit_) live_new_.insert(l);
}

void InterferenceGraph::step_back(const Accesses& a) {
  Liveness::step_back(a, live_);
  if (first_new_ == 0) return;
  for (const std::vector<UnitRange>* ranges : {&a.writes, &a.reads})
    for (const UnitRange& r : *ranges)
      for (Unit u = r.first; u < r.first + r.count; u++) {
        if (u < first_new_unit_) continue;
        if (live_.contains(u)) live_new_.insert(u);
        else live_new_.erase(u);
      }
}

void InterferenceGraph::instruction(const mir::Instruction& i, const Accesses& a) {
  const Unit source = copied(i, units_, joins_);
  for (size_t n = 0; n < a.writes.size(); n++) {
    const UnitRange& w = a.writes[n];
    define(i, w, source);
    const VReg v = units_.vreg(w.first);
    for (size_t m = n + 1; m < a.writes.size() && v != kNone; m++) {
      const UnitRange& other = a.writes[m];
      const VReg o = units_.vreg(other.first);
      if (o == kNone || o == v || kind_[o] != kind_[v] || kind_[v] == Kind::Unwanted) continue;
      if (std::max(v, o) < first_new_) continue;
      definition_++;
      make_room(v);
      for (Unit u = other.first; u < other.first + other.count; u++)
        link(v, ((1u << w.count) - 1) << (w.first - units_.of(v)), o, u - units_.of(o));
    }
  }
  if (a.clobbers) clobber(a);
}

void InterferenceGraph::define(const Instruction& i, const UnitRange& w, Unit source) {
  const VReg v = units_.vreg(w.first);
  if (v == kNone) return define_machine(w, source);
  const Kind kind = kind_[v];
  if (kind == Kind::Unwanted) return;
  const unsigned first = w.first - units_.of(v);
  definition_++;
  make_room(v);
  for (Unit l : to_meet(v >= first_new_).items()) {
    unsigned words = (1u << w.count) - 1;
    if (source != kNone && l - source < w.count) words &= ~(1u << (l - source));
    if (i.fresh && !guarded_.empty())
      for (unsigned k = 0; k < w.count; k++)
        if (is_copied_under(i, w.first + k, l)) words &= ~(1u << k);
    const VReg o = units_.vreg(l);
    if (o != kNone) {
      if (o != v && kind_[o] == kind && words != 0) link(v, words << first, o, l - units_.of(o));
    } else if (kind == Kind::Register) {
      for (unsigned k = 0; k < w.count; k++)
        if (words >> k & 1) forbidden_[w.first + k].set(l);
    }
  }
}

void InterferenceGraph::define_machine(const UnitRange& w, Unit source) {
  for (Unit l : to_meet(first_new_ == 0).items()) {
    const VReg o = units_.vreg(l);
    if (o == kNone || kind_[o] != Kind::Register) continue;
    for (unsigned k = 0; k < w.count; k++)
      if (source == kNone || l != source + k) forbidden_[l].set(w.first + k);
  }
}

void InterferenceGraph::clobber(const Accesses& a) {
  for (const UnitRange& w : a.writes)
    for (Unit u = w.first; u < w.first + w.count; u++) {
      live_.erase(u);
      if (first_new_ != 0) live_new_.erase(u);
    }
  const RegMask mask = caller_saved();
  for (Unit l : to_meet(first_new_ == 0).items()) {
    if (l < kMachineUnits) continue;
    if (kind_[units_.vreg(l)] == Kind::Predicate) clobbered_[l] = 1;
    else forbidden_[l] |= mask;
  }
}

// Both lists get an entry, or a further word in the one that this definition has made.
void InterferenceGraph::link(VReg v, unsigned words, VReg o, unsigned word) {
  const auto own = static_cast<uint16_t>(spread(words) << word);
  const auto others = static_cast<uint16_t>(words << 4 * word);
  const bool again = linked_[o] == definition_;
  if (!again || lowest_word(own) < lowest_word(lists_[v][place_[o]].words)) {
    linked_[o] = definition_;
    place_[o] = static_cast<uint32_t>(lists_[v].size());
    lists_[v].push_back({o, own});
  } else {
    lists_[v][place_[o]].words |= own;
  }
  if (!again) {
    make_room(o);
    lists_[o].push_back({v, 0});
  }
  lists_[o].back().words |= others;
}

void InterferenceGraph::make_room(VReg v) {
  if (lists_[v].size() < united_at_[v]) return;
  unite(lists_[v]);
  united_at_[v] = std::max(kFirstUnion, 2 * lists_[v].size());
}

// Each neighbour once: those of word 0 in the order in which they were met, then those of the next words only.
void InterferenceGraph::unite(List& list) {
  const auto by_word = [](const Neighbour& a, const Neighbour& b) {
    return lowest_word(a.words) < lowest_word(b.words);
  };
  if (!std::is_sorted(list.begin(), list.end(), by_word)) {
    unordered_.swap(list);
    list.clear();
    for (unsigned w = 0; w < 4; w++)
      std::copy_if(unordered_.begin(), unordered_.end(), std::back_inserter(list),
                   [&](const Neighbour& n) { return lowest_word(n.words) == w; });
  }
  uint32_t size = 0;
  for (const Neighbour n : list) {
    const uint32_t at = united_place_[n.vreg];
    if (at < size && list[at].vreg == n.vreg) {
      list[at].words |= n.words;
    } else {
      united_place_[n.vreg] = size;
      list[size++] = n;
    }
  }
  list.resize(size);
}

void InterferenceGraph::merge(VReg into, unsigned word, VReg from) {
  for (unsigned w = 0; w < std::max(1u, words_of(f_.vregs[from])); w++) {
    const Unit to = units_.of(into) + word + w;
    forbidden_[to] |= forbidden_[units_.of(from) + w];
    clobbered_[to] = clobbered_[to] || clobbered_[units_.of(from) + w];
  }
  for (const Neighbour n : lists_[from]) lists_[into].push_back({n.vreg, static_cast<uint16_t>(n.words << 4 * word)});
  lists_[from] = {};
}

}  // namespace heddle::compiler
