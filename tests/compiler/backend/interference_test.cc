// SPDX-License-Identifier: Apache-2.0
// The interference graph against a set of pairs of words, on random functions: built at once, and kept over spilling.
#include "host-runtime/compiler/passes/interference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "host-runtime/compiler/passes/pipeline.h"
#include "host-runtime/compiler/passes/spill.h"
#include "tests/compiler/backend/random_function.h"

namespace heddle::compiler {
namespace {

using mir::kMachineUnits;
using mir::kNone;
using mir::Unit;
using mir::VReg;
using Pairs = std::set<std::pair<Unit, Unit>>;

bool is_predicate(const mir::Function& f, const mir::Units& units, Unit u) {
  return units.vreg(u) != kNone && f.vregs[units.vreg(u)] == mir::RegClass::P;
}

// The n-th instruction is fresh, and where its guard holds unit `from` goes to `to` under the same guard; nobody asks
// for `to` before.
bool is_copied_later(const mir::Function& f, const mir::Units& units, const mir::Block& b, size_t n, Unit from,
                     Unit to) {
  if (!b.body[n].fresh) return false;
  const mir::Pred guard = b.body[n].guard;
  mir::Accesses a;
  for (size_t m = n + 1; m < b.body.size(); m++) {
    const mir::Instruction& i = b.body[m];
    if (i.pseudo == mir::Pseudo::Copy && i.pd == kNone && i.guard == guard && !i.fresh)
      for (unsigned w = 0; w < i.dst.count; w++)
        if (units.of(i.dst) + w == to && units.of(i.a) + w == from) return true;
    a.collect(f, units, i);
    const auto has = [](const std::vector<mir::UnitRange>& ranges, Unit u) {
      return std::any_of(ranges.begin(), ranges.end(), [&](const auto& r) { return u - r.first < r.count; });
    };
    if (a.clobbers || has(a.reads, to) || has(a.writes, to) || has(a.writes, units.of(guard.reg))) return false;
  }
  return false;
}

// Each write interferes with all that is live behind the instruction, but for what it copies or what it is copied to,
// and with its other writes.
Pairs pairs_by_liveness(const mir::Function& f, bool joins) {
  const mir::Units units(f);
  const Liveness liveness(f, units, block_graph(f));
  Pairs pairs;
  const auto add = [&](Unit a, Unit b) {
    if (is_predicate(f, units, a) != is_predicate(f, units, b) || units.vreg(a) == units.vreg(b)) return;
    pairs.insert({a, b});
    pairs.insert({b, a});
  };
  LiveSet live(units.count());
  mir::Accesses a;
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    liveness.at_end(b, live);
    a.collect(f, units, f.blocks[b].end);
    Liveness::step_back(a, live);
    for (size_t n = f.blocks[b].body.size(); n-- > 0;) {
      const mir::Instruction& i = f.blocks[b].body[n];
      a.collect(f, units, i);
      Pairs copies;
      if (i.pseudo == mir::Pseudo::Copy && (joins || !i.guard.present())) {
        if (!i.guard.present() && i.pd != kNone && i.p.present() && !i.p.negated)
          copies.insert({units.of(i.pd), units.of(i.p.reg)});
        for (unsigned w = 0; i.pd == kNone && w < i.dst.count; w++)
          copies.insert({units.of(i.dst) + w, units.of(i.a) + w});
      }
      std::vector<Unit> writes;
      for (const mir::UnitRange& w : a.writes)
        for (unsigned k = 0; k < w.count; k++) writes.push_back(w.first + k);
      for (Unit w : writes) {
        for (Unit l : live.items())
          if (!copies.contains({w, l}) && !(joins && is_copied_later(f, units, f.blocks[b], n, w, l))) add(w, l);
        for (Unit other : writes) add(w, other);
      }
      Liveness::step_back(a, live);
    }
  }
  return pairs;
}

Pairs pairs_of(const mir::Function& f, const InterferenceGraph& g) {
  const mir::Units& units = g.units();
  Pairs pairs;
  for (VReg v = 0; v < f.vregs.size(); v++) {
    std::set<VReg> met;
    for (const Neighbour& n : g.neighbours(v)) {
      EXPECT_TRUE(met.insert(n.vreg).second) << "v" << v << " names v" << n.vreg << " twice";
      for (unsigned bit = 0; bit < 16; bit++)
        if (n.words >> bit & 1) pairs.insert({units.of(v) + bit / 4, units.of(n.vreg) + bit % 4});
    }
  }
  for (Unit u = kMachineUnits; u < units.count(); u++)
    for (unsigned r = 0; r < kMachineUnits; r++)
      if (g.forbidden(u).test(r)) pairs.insert({u, r}), pairs.insert({r, u});
  return pairs;
}

std::vector<char> clobbered(const InterferenceGraph& g) {
  std::vector<char> all;
  for (Unit u = 0; u < g.units().count(); u++) all.push_back(g.clobbered(u));
  return all;
}

mir::Function random_kernel(std::mt19937_64& random, unsigned functions) {
  mir::Module m =
      test::random_module(random, {.blocks = 6, .instructions = 10, .registers = 20, .functions = functions});
  PassContext context;
  context.register_limit = kMaxRegisters;
  context.callee_barriers = [](const mir::Call&) { return unsigned{isa::kNumConvergenceBarriers}; };
  for (const Pass& pass : function_passes()) pass.run(m.functions[0], context);
  return m.functions[0];
}

TEST(Interference, IsBetweenWhatIsDefinedAndWhatIsLive) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    std::mt19937_64 random(seed);
    const mir::Function f = random_kernel(random, 0);
    ASSERT_EQ(pairs_of(f, InterferenceGraph(f)), pairs_by_liveness(f, false)) << "seed " << seed;
    ASSERT_EQ(pairs_of(f, InterferenceGraph(f, nullptr, true)), pairs_by_liveness(f, true)) << "seed " << seed;
  }
}

TEST(Interference, SpillingLeavesTheGraphThatABuildAnewFinds) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    std::mt19937_64 random(seed);
    mir::Function f = random_kernel(random, seed % 3);
    InterferenceGraph kept(f);
    Spiller spiller(f);
    for (int round = 0; round < 4; round++) {
      const bool predicates = round % 2 == 0;
      const std::vector<double> cost = spiller.costs();
      std::vector<VReg> spilled;
      for (VReg v = 0; v < f.vregs.size(); v++)
        if ((f.vregs[v] == mir::RegClass::P) == predicates && std::isfinite(cost[v]) && random() % 4 == 0)
          spilled.push_back(v);
      predicates ? spiller.spill_predicates(spilled) : spiller.spill_registers(spilled);
      kept.replace(spilled);
      const InterferenceGraph anew(f);
      ASSERT_EQ(pairs_of(f, kept), pairs_of(f, anew)) << "seed " << seed << ", round " << round;
      ASSERT_EQ(clobbered(kept), clobbered(anew)) << "seed " << seed << ", round " << round;
    }
  }
}

TEST(Interference, OfAPartOfTheRegistersIsThatPartOfTheGraph) {
  std::mt19937_64 random(1);
  const mir::Function f = random_kernel(random, 1);
  std::vector<char> wanted(f.vregs.size());
  for (char& w : wanted) w = random() % 2 == 0;
  const InterferenceGraph whole(f), part(f, &wanted);
  const auto is_wanted = [&](Unit u) { return u < kMachineUnits || wanted[whole.units().vreg(u)]; };
  Pairs expected = pairs_of(f, whole);
  std::erase_if(expected, [&](const auto& p) { return !is_wanted(p.first) || !is_wanted(p.second); });
  Pairs got = pairs_of(f, part);
  std::erase_if(got, [&](const auto& p) { return !is_wanted(p.first) || !is_wanted(p.second); });
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace heddle::compiler
