// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/interference.h"

#include <algorithm>
#include <bit>

namespace heddle::compiler {

using mir::Accesses;
using mir::kMachineUnits;
using mir::kNone;
using mir::Unit;
using mir::UnitRange;

PairSet::PairSet(size_t universe) {
  if (universe <= kDense) {
    row_words_ = (universe + 63) / 64;
    matrix_.assign(universe * row_words_, 0);
    return;
  }
  constexpr size_t kExpectedEach = 8;
  const size_t size = std::bit_ceil(universe * kExpectedEach * 2);
  table_.assign(size, 0);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
}

bool PairSet::contains(uint32_t a, uint32_t b) const {
  if (row_words_) return matrix_[a * row_words_ + b / 64] >> b % 64 & 1;
  const uint64_t k = key(a, b);
  for (size_t n = slot(k);; n = (n + 1) & (table_.size() - 1)) {
    if (table_[n] == k) return true;
    if (table_[n] == 0) return false;
  }
}

bool PairSet::insert(uint32_t a, uint32_t b) {
  if (!row_words_) return insert_sparse(a, b);
  uint64_t& w = word(a, b);
  if (w >> b % 64 & 1) return false;
  w |= uint64_t{1} << b % 64;
  word(b, a) |= uint64_t{1} << a % 64;
  used_++;
  return true;
}

bool PairSet::insert_sparse(uint32_t a, uint32_t b) {
  if (used_ * 3 > table_.size() * 2) grow();
  const uint64_t k = key(a, b);
  size_t n = slot(k);
  while (table_[n] != 0) {
    if (table_[n] == k) return false;
    n = (n + 1) & (table_.size() - 1);
  }
  table_[n] = k;
  used_++;
  return true;
}

void PairSet::grow() {
  std::vector<uint64_t> old(table_.size() * 2);
  old.swap(table_);
  shift_--;
  for (uint64_t k : old) {
    if (k == 0) continue;
    size_t n = slot(k);
    while (table_[n] != 0) n = (n + 1) & (table_.size() - 1);
    table_[n] = k;
  }
}

InterferenceGraph::InterferenceGraph(const mir::Function& f, const mir::Units& units, const Graph& g)
    : f_(f), units_(units), pairs_(units.count()), adjacent_(units.count()), forbidden_(units.count()),
      clobbered_(units.count()), is_predicate_(units.count()) {
  for (Unit u = kMachineUnits; u < units.count(); u++)
    is_predicate_[u] = f.vregs[units.vreg(u)] == mir::RegClass::P;
  const Liveness liveness(f, units, g);
  LiveSet live(units.count());
  Accesses a;
  const RegMask clobber = caller_saved();
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    liveness.at_end(b, live);
    a.collect(f, units, f.blocks[b].end);
    Liveness::step_back(a, live);
    for (size_t n = f.blocks[b].body.size(); n-- > 0;) {
      const mir::Instruction& i = f.blocks[b].body[n];
      a.collect(f, units, i);
      const bool copy = i.pseudo == mir::Pseudo::Copy && !i.guard.present();
      for (const UnitRange& w : a.writes) {
        for (unsigned k = 0; k < w.count; k++) {
          const Unit u = w.first + k;
          const Unit source = !copy ? kNone : i.pd != kNone ? (i.p.present() && !i.p.negated ? units.of(i.p.reg) : kNone)
                                                            : units.of(i.a) + k;
          for (Unit l : live.items())
            if (l != source) add(u, l);
        }
        for (const UnitRange& other : a.writes)
          for (unsigned k = 0; k < w.count; k++)
            for (unsigned m = 0; m < other.count; m++) add(w.first + k, other.first + m);
      }
      if (a.clobbers) {
        for (const UnitRange& w : a.writes)
          for (unsigned k = 0; k < w.count; k++) live.erase(w.first + k);
        for (Unit l : live.items()) {
          if (l < kMachineUnits) continue;
          if (is_predicate_[l]) clobbered_[l] = 1;
          else forbidden_[l] |= clobber;
        }
      }
      Liveness::step_back(a, live);
    }
  }
}

void InterferenceGraph::add(Unit a, Unit b) {
  if (a == b || is_predicate_[a] != is_predicate_[b]) return;
  if (a < kMachineUnits && b < kMachineUnits) return;
  if (a < kMachineUnits) return forbidden_[b].set(a);
  if (b < kMachineUnits) return forbidden_[a].set(b);
  if (!pairs_.insert(a, b)) return;
  adjacent_[a].push_back(b);
  adjacent_[b].push_back(a);
}

bool InterferenceGraph::interferes(Unit a, Unit b) const {
  if (a < kMachineUnits) return forbidden_[b].test(a);
  if (b < kMachineUnits) return forbidden_[a].test(b);
  return pairs_.contains(a, b);
}

void InterferenceGraph::merge(Unit into, Unit from) {
  forbidden_[into] |= forbidden_[from];
  clobbered_[into] = clobbered_[into] || clobbered_[from];
  // Entries of `from` in its neighbours' lists go stale; they are skipped by whoever maps units.
  for (Unit n : adjacent_[from]) {
    if (n == into || !pairs_.insert(into, n)) continue;
    adjacent_[into].push_back(n);
    adjacent_[n].push_back(into);
  }
  adjacent_[from].clear();
  adjacent_[from].shrink_to_fit();
}

}  // namespace heddle::compiler
