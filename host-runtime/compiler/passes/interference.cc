// SPDX-License-Identifier: Apache-2.0
// One walk over the function, backward, with the set of what is live: what is defined interferes with all of it. A pair of
// registers may meet at several definitions; lists may name it as often until they are united, which is when they have
// doubled and at the end. No set of pairs is kept: nine in ten pairs of a big function meet once.
#include "host-runtime/compiler/passes/interference.h"

#include <algorithm>
#include <bit>

namespace heddle::compiler {

using mir::Accesses;
using mir::kMachineUnits;
using mir::kNone;
using mir::Unit;
using mir::UnitRange;
using mir::VReg;

namespace {

constexpr size_t kFirstUnion = 64;

// Four bits, at 0 … 3, to bits 0, 4, 8, 12.
constexpr unsigned spread(unsigned words) {
  return (words & 1) | (words & 2) << 3 | (words & 4) << 6 | (words & 8) << 9;
}

// Of a list's owner.
unsigned lowest_word(unsigned pairs) { return static_cast<unsigned>(std::countr_zero(pairs)) / 4; }

// The source's first unit when nothing but a copy is made, else kNone.
Unit copied(const mir::Instruction& i, const mir::Units& units) {
  if (i.pseudo != mir::Pseudo::Copy || i.guard.present()) return kNone;
  if (i.pd == kNone) return units.of(i.a);
  return i.p.present() && !i.p.negated ? units.of(i.p.reg) : kNone;
}

}  // namespace

InterferenceGraph::InterferenceGraph(const mir::Function& f, const mir::Units& units, const Graph& g,
                                     const std::vector<char>* wanted)
    : f_(f), units_(units), live_(units.count()), lists_(f.vregs.size()), forbidden_(units.count()), clobbered_(units.count()),
      linked_(f.vregs.size()), place_(f.vregs.size()), united_place_(f.vregs.size()), united_at_(f.vregs.size(), kFirstUnion) {
  for (VReg v = 0; v < f.vregs.size(); v++)
    kind_.push_back(wanted && !(*wanted)[v] ? Kind::Unwanted : f.vregs[v] == mir::RegClass::P ? Kind::Predicate : Kind::Register);
  const Liveness liveness(f, units, g);
  Accesses a;
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    liveness.at_end(b, live_);
    a.collect(f, units, f.blocks[b].end);
    Liveness::step_back(a, live_);
    for (size_t n = f.blocks[b].body.size(); n-- > 0;) {
      a.collect(f, units, f.blocks[b].body[n]);
      instruction(f.blocks[b].body[n], a);
      Liveness::step_back(a, live_);
    }
  }
  for (List& list : lists_) unite(list);
}

void InterferenceGraph::instruction(const mir::Instruction& i, const Accesses& a) {
  const Unit source = copied(i, units_);
  for (size_t n = 0; n < a.writes.size(); n++) {
    const UnitRange& w = a.writes[n];
    define(w, source);
    const VReg v = units_.vreg(w.first);
    for (size_t m = n + 1; m < a.writes.size() && v != kNone; m++) {
      const UnitRange& other = a.writes[m];
      const VReg o = units_.vreg(other.first);
      if (o == kNone || o == v || kind_[o] != kind_[v] || kind_[v] == Kind::Unwanted) continue;
      definition_++;
      make_room(v);
      for (Unit u = other.first; u < other.first + other.count; u++)
        link(v, ((1u << w.count) - 1) << (w.first - units_.of(v)), o, u - units_.of(o));
    }
  }
  if (a.clobbers) clobber(a);
}

void InterferenceGraph::define(const UnitRange& w, Unit source) {
  const VReg v = units_.vreg(w.first);
  if (v == kNone) return define_machine(w, source);
  const Kind kind = kind_[v];
  if (kind == Kind::Unwanted) return;
  const unsigned first = w.first - units_.of(v);
  definition_++;
  make_room(v);
  for (Unit l : live_.items()) {
    unsigned words = (1u << w.count) - 1;
    if (source != kNone && l - source < w.count) words &= ~(1u << (l - source));
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
  for (Unit l : live_.items()) {
    const VReg o = units_.vreg(l);
    if (o == kNone || kind_[o] != Kind::Register) continue;
    for (unsigned k = 0; k < w.count; k++)
      if (source == kNone || l != source + k) forbidden_[l].set(w.first + k);
  }
}

void InterferenceGraph::clobber(const Accesses& a) {
  for (const UnitRange& w : a.writes)
    for (unsigned k = 0; k < w.count; k++) live_.erase(w.first + k);
  const RegMask mask = caller_saved();
  for (Unit l : live_.items()) {
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
  const auto by_word = [](const Neighbour& a, const Neighbour& b) { return lowest_word(a.words) < lowest_word(b.words); };
  if (!std::is_sorted(list.begin(), list.end(), by_word)) std::stable_sort(list.begin(), list.end(), by_word);
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
