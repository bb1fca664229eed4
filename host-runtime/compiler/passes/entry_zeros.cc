// SPDX-License-Identifier: Apache-2.0
// Backward data flow over machine registers. A guarded write defines nothing where the guard fails, yet mostly the
// reads have the same guard:
//
//   @P0 LDG R4, [R2]          R4 is live here only where P0 holds: so above, it is dead
//   @P0 IADD R4, R4, 1
//   @P0 STG [R2], R4
//
// So liveness says under which guard, as long as that predicate keeps its value.
#include "host-runtime/compiler/passes/entry_zeros.h"

#include <array>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

using mir::Instruction;
using mir::kNone;
using mir::Pred;
using mir::Unit;
using mir::UnitRange;

namespace {

constexpr unsigned kPredicateBase = 256;
constexpr unsigned kLocations = kPredicateBase + isa::kNumPredicates;

constexpr uint8_t kDead = 0;
constexpr uint8_t kLive = 1;  // from 2 on: live where predicate n / 2 - 1 is false (n odd: true)
using State = std::array<uint8_t, kLocations>;

uint8_t join(uint8_t a, uint8_t b) { return a == b || b == kDead ? a : a == kDead ? b : kLive; }

class EntryZeros {
 public:
  EntryZeros(mir::Function& f, const Allocation& allocation, const RegMask& saved_by_callees)
      : f_(f), allocation_(allocation), saved_(saved_by_callees), units_(f) {}

  void run() {
    const State live = live_at_entry();
    std::vector<Instruction> zeros;
    for (unsigned r = 0; r < kMaxRegisters; r++)
      if (live[r] != kDead && !defined_at_entry(r)) zeros.push_back(zero_register(r));
    for (unsigned p = 0; p < isa::kNumPredicates; p++)
      if (live[kPredicateBase + p] != kDead) zeros.push_back(zero_predicate(p));
    std::vector<Instruction>& first = f_.blocks[0].body;
    first.insert(first.begin(), zeros.begin(), zeros.end());
  }

 private:
  unsigned location(Unit u) const {
    const mir::VReg v = units_.vreg(u);
    if (v == kNone) return u;
    return allocation_.color[v] + (f_.vregs[v] == mir::RegClass::P ? kPredicateBase : u - units_.of(v));
  }

  State live_at_entry() {
    const Graph g = block_graph(f_);
    std::vector<State> in(f_.blocks.size(), State{});
    const std::vector<BlockId> order = reverse_post_order(g, 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = order.size(); n-- > 0;) {
        const BlockId b = order[n];
        State live{};
        for (BlockId s : g.succs[b])
          for (unsigned l = 0; l < kLocations; l++) live[l] = join(live[l], in[s][l]);
        step_back(f_.blocks[b], live);
        changed |= live != in[b];
        in[b] = live;
      }
    }
    return in[0];
  }

  void step_back(const mir::Block& block, State& live) {
    accesses_.collect(f_, units_, block.end);
    read(live, kLive);
    for (size_t n = block.body.size(); n-- > 0;) step_back(block.body[n], live);
  }

  void step_back(const Instruction& i, State& live) {
    if (i.pseudo == mir::Pseudo::Undef || copies_itself(i)) return;
    accesses_.collect(f_, units_, i);
    if (accesses_.conditional) accesses_.reads.resize(accesses_.reads.size() - accesses_.writes.size());
    const uint8_t where = i.guard.present() ? under(i.guard) : kLive;
    each(accesses_.writes, [&](unsigned l) {
      if (l >= kPredicateBase) forget(l - kPredicateBase, live);
    });
    each(accesses_.writes, [&](unsigned l) {
      if (where == kLive || live[l] == where) live[l] = kDead;
    });
    read(live, where);
    if (i.guard.present()) live[kPredicateBase + predicate(i.guard)] = kLive;
    if (i.pseudo != mir::Pseudo::Call) return;
    for (unsigned r = 0; r < kMaxRegisters; r++)
      if (saved_.test(r)) live[r] = join(live[r], where);
  }

  // The encoder leaves it out.
  bool copies_itself(const Instruction& i) const {
    if (i.pseudo != mir::Pseudo::Copy || i.pd != kNone) return false;
    return allocation_.at(i.dst) == allocation_.at(i.a);
  }

  template <typename F>
  void each(const std::vector<UnitRange>& ranges, F visit) const {
    for (const UnitRange& r : ranges)
      for (Unit u = r.first; u < r.first + r.count; u++) visit(location(u));
  }
  void read(State& live, uint8_t where) const {
    each(accesses_.reads, [&](unsigned l) { live[l] = join(live[l], where); });
  }

  unsigned predicate(const Pred& p) const { return allocation_.color[p.reg]; }
  uint8_t under(const Pred& p) const { return static_cast<uint8_t>(2 * predicate(p) + (p.negated ? 2 : 3)); }
  // Above its write, a predicate says something else.
  static void forget(unsigned p, State& live) {
    for (uint8_t& l : live)
      if (l / 2 == p + 1) l = kLive;
  }

  bool defined_at_entry(unsigned r) const {
    if (f_.is_kernel) return false;
    if (r == kStackPointer || r == kReturnPc || is_callee_saved(r)) return true;
    for (const mir::Operand& o : f_.live_at_entry)
      if (r >= o.id && r < o.id + o.count) return true;
    return false;
  }

  Instruction zero_register(unsigned r) const {
    Instruction i;
    i.op = isa::Opcode::Mov;
    i.dst = mir::phys(r);
    i.b = mir::imm(0);
    i.loc = f_.loc;
    return i;
  }
  Instruction zero_predicate(unsigned p) const {
    Instruction i;
    i.pseudo = mir::Pseudo::Copy;
    for (i.pd = 0; f_.vregs[i.pd] != mir::RegClass::P || allocation_.color[i.pd] != p;) i.pd++;
    i.p = {kNone, true};
    i.loc = f_.loc;
    return i;
  }

  mir::Function& f_;
  const Allocation& allocation_;
  const RegMask& saved_;
  mir::Units units_;
  mir::Accesses accesses_;
};

}  // namespace

void zero_at_entry(mir::Function& f, const Allocation& allocation, const RegMask& saved_by_callees) {
  EntryZeros(f, allocation, saved_by_callees).run();
}

}  // namespace heddle::compiler
