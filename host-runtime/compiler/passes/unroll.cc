// SPDX-License-Identifier: Apache-2.0
// A loop qualifies when its end compares a counter, after its step, with a bound that the loop does not change. Turns
// are left at least until the counter's value three steps on is on the same side of the bound. So that nothing can
// overflow in the loop, the guard compares the counter with the bound less three steps, which is computed once, in
// front of the loop, and kept within the numbers that there are: where bound - 3 * step would be below the least
// number, the limit is that number, no counter is below it, and the loop does all turns itself.
//
// A loop that goes on while its counter is unlike the bound goes on, too, while it is below (counting down: above).
#include "host-runtime/compiler/passes/unroll.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/fold.h"
#include "host-runtime/compiler/passes/liveness.h"

namespace heddle::compiler {

using isa::ICmp;
using isa::Opcode;
using mir::Block;
using mir::Function;
using mir::imm;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pred;
using mir::VReg;

namespace {

constexpr unsigned kTurns = 4;
constexpr int64_t kAhead = kTurns - 1;  // turns that must come behind the one at hand
constexpr int kMostLoads = 3;           // a turn that has more is long enough, or was several turns once
constexpr int64_t kMostStep = 1 << 24;  // either way

// reg += by, once a turn; nothing else writes it.
struct Step {
  uint32_t at = 0;  // in the block's body
  Operand reg;
  int64_t by = 0;
};

// The loop goes on while counter < bound (down: >), or what implies that.
struct Condition {
  Step counter;
  uint32_t compare = 0;  // in the block's body
  Operand bound;
  bool down = false, is_signed = false;
};

bool is_plain_sum(const Instruction& i) {
  return (i.is(Opcode::Iadd) || i.is(Opcode::Iadd64)) && i.mod == 0 && i.pd == kNone && !i.p.present() &&
         !i.p.negated && !i.guard.present() && !i.guard.negated;
}

class Unroller {
 public:
  Unroller(Function& f, unsigned register_limit)
      : f_(f), limit_(register_limit), graph_(block_graph(f)), units_(f), liveness_(f, units_, graph_) {}

  unsigned run() {
    const unsigned pressure = max_pressure(f_).registers;
    const auto blocks = static_cast<BlockId>(f_.blocks.size());
    unsigned unrolled = 0;
    for (BlockId b = 1; b < blocks; b++) {
      if (!is_loop(b)) continue;
      count_writes(b);
      const std::optional<Condition> c = condition(b);
      if (!c || pressure + loaded_ahead(b) > limit_) continue;
      find_steps(b);
      unroll(b, *c);
      unrolled++;
    }
    return unrolled;
  }

 private:
  // ---- which loops

  bool is_loop(BlockId b) const {
    const Block& block = f_.blocks[b];
    if (block.no_unroll || block.rare || block.body.size() > kUnrollLimit) return false;
    const mir::Terminator& t = block.end;
    if (t.kind != mir::Terminator::Kind::Branch || !t.cond.present()) return false;
    if ((t.targets[0] == b) == (t.targets[1] == b)) return false;
    for (const Instruction& i : block.body)
      if (mir::is_convergent(i) || mir::is_motion_fence(i)) return false;
    if (std::count_if(block.body.begin(), block.body.end(), mir::is_load) > kMostLoads) return false;
    return std::any_of(block.body.begin(), block.body.end(),
                       [&](const Instruction& i) { return mir::is_load(i) && passes_stores(i, block); });
  }

  // Loads behind a store that may be to the same place wait for it: another turn's then do, too.
  static bool passes_stores(const Instruction& load, const Block& block) {
    const mir::Area area = mir::area_of(load);
    return std::none_of(block.body.begin(), block.body.end(), [&](const Instruction& i) {
      const mir::Area other = mir::area_of(i);
      return mir::is_store(i) && (other == area || other == mir::Area::Generic || area == mir::Area::Generic);
    });
  }

  // Registers that the loads of the turns ahead take.
  unsigned loaded_ahead(BlockId b) const {
    unsigned words = 0;
    for (const Instruction& i : f_.blocks[b].body)
      if (mir::is_load(i)) words += kAhead * i.dst.count;
    return words;
  }

  void count_writes(BlockId b) {
    writes_.assign(f_.vregs.size(), 0);
    for (const Instruction& i : f_.blocks[b].body) {
      if (i.dst.is_reg()) writes_[i.dst.id]++;
      if (i.pd != kNone) writes_[i.pd]++;
      if (i.pq != kNone) writes_[i.pq]++;
    }
  }

  bool is_whole(const Operand& o) const { return o.is_reg() && o.count == words_of(f_.vregs[o.id]); }
  bool is_fixed(const Operand& o) const { return !o.is_phys() && (!o.is_reg() || writes_[o.id] == 0); }

  std::optional<Step> step(const std::vector<Instruction>& body, uint32_t at) const {
    const Instruction& i = body[at];
    if (!is_plain_sum(i) || !is_whole(i.dst) || writes_[i.dst.id] != 1) return std::nullopt;
    if (!(i.a == i.dst) || !i.b.is_imm()) return std::nullopt;
    const int64_t by = i.dst.count == 1 ? static_cast<int32_t>(i.b.imm) : i.b.imm;
    if (by == 0 || by > kMostStep || by < -kMostStep) return std::nullopt;
    return Step{at, i.dst, by};
  }

  std::optional<Condition> condition(BlockId b) const {
    const Block& block = f_.blocks[b];
    const Pred goes_on = block.end.targets[0] == b ? block.end.cond : !block.end.cond;
    if (writes_[goes_on.reg] != 1) return std::nullopt;
    Condition out;
    while (block.body[out.compare].pd != goes_on.reg)
      if (++out.compare == block.body.size()) return std::nullopt;
    Instruction i = block.body[out.compare];
    if (!(i.is(Opcode::Isetp) || i.is(Opcode::Isetp64)) || i.guard.present() || i.p.present() || i.p.negated ||
        i.pq != kNone || i.field("op") != 0)
      return std::nullopt;
    for (int side = 0; side < 2 && out.counter.reg.is_none(); side++) {
      if (side == 1) swap_sources(i);
      for (uint32_t n = 0; n < out.compare && i.a.is_reg(); n++)
        if (const auto s = step(block.body, n); s && s->reg == i.a) out.counter = *s;
    }
    out.bound = i.b.is_none() ? imm(0) : i.b;
    if (out.counter.reg.is_none() || !is_fixed(out.bound)) return std::nullopt;
    if (!out.bound.is_imm() && !is_whole(out.bound) && !(out.bound.is_const() && i.is(Opcode::Isetp)))
      return std::nullopt;
    out.is_signed = i.field("sign") != 0;
    return bounded(out, static_cast<ICmp>(i.field("cmp")), goes_on.negated) ? std::optional(out) : std::nullopt;
  }

  // Does the counter step towards where the comparison ends the loop?
  static bool bounded(Condition& c, ICmp cmp, bool negated) {
    const bool step_down = c.counter.by < 0;
    switch (cmp) {
      case ICmp::Lt:
      case ICmp::Le: c.down = negated; break;
      case ICmp::Gt:
      case ICmp::Ge: c.down = !negated; break;
      case ICmp::Eq:
      case ICmp::Ne:
        if ((cmp == ICmp::Eq) != negated) return false;
        c.down = step_down;
        c.is_signed = !c.down && c.bound.is_imm(0);  // up to 0: from below
        break;
      default: return false;
    }
    return c.down == step_down;
  }

  // ---- how

  void find_steps(BlockId b) {
    steps_.clear();
    const std::vector<Instruction>& body = f_.blocks[b].body;
    for (uint32_t n = 0; n < body.size(); n++)
      if (const auto s = step(body, n)) steps_.push_back(*s);
  }

  void unroll(BlockId b, const Condition& c) {
    mir::Builder build(f_);
    const BlockId guard = build.new_block(), turns = build.new_block(), rest = build.new_block();
    for (BlockId other = 0; other < guard; other++)
      for (BlockId& t : f_.blocks[other].end.targets)
        if (t == b && other != b) t = guard;
    guards_.emplace_back(guard, b);
    const Block loop = f_.blocks[b];
    f_.blocks[b].no_unroll = f_.blocks[turns].no_unroll = true;
    const BlockId after = loop.end.targets[0] == b ? loop.end.targets[1] : loop.end.targets[0];

    build.set_loc(loop.end.loc);
    build.set_block(guard);
    const Operand limit = limit_of(build, c);
    branch_if_left(build, c, limit, turns, b);

    copy_turns(loop, turns, b, after);
    build.set_block(turns);
    branch_if_left(build, c, limit, turns, rest);

    build.set_block(rest);
    Instruction compare = loop.body[c.compare];
    compare.pd = build.pred();
    f_.blocks[rest].body.push_back(compare);
    f_.blocks[rest].end = loop.end;
    f_.blocks[rest].end.cond.reg = compare.pd;
  }

  static void branch_if_left(mir::Builder& build, const Condition& c, const Operand& limit, BlockId yes, BlockId no) {
    const VReg left = build.pred();
    build.op(c.counter.reg.count == 2 ? Opcode::Isetp64 : Opcode::Isetp, {}, c.counter.reg, limit)
        .set("cmp", c.down ? ICmp::Gt : ICmp::Lt)
        .set("sign", c.is_signed)
        .pd(left);
    build.branch({left, false}, yes, no);
  }

  // What the counter is below (down: above) while all turns ahead come.
  static Operand limit_of(mir::Builder& build, const Condition& c) {
    const bool wide = c.counter.reg.count == 2;
    const unsigned bits = wide ? 64 : 32;
    const __int128 least = c.is_signed ? -(__int128{1} << (bits - 1)) : 0;
    const __int128 most = least + ((__int128{1} << bits) - 1);
    const __int128 steps = kAhead * c.counter.by, end = (c.down ? most : least) + steps;
    if (c.bound.is_imm()) {
      __int128 bound = wide ? c.bound.imm : static_cast<int32_t>(c.bound.imm);
      if (bound < least) bound += __int128{1} << bits;
      return imm(static_cast<int64_t>((c.down ? std::min(bound, end) : std::max(bound, end)) - steps));
    }
    const Operand kept = build.reg(wide ? build.r64() : build.r32());
    const Operand limit = build.reg(wide ? build.r64() : build.r32());
    Operand bound = c.bound;
    if (!bound.is_reg()) build.mov(bound = kept, c.bound);
    build.op(wide ? Opcode::Imnmx64 : Opcode::Imnmx, kept, bound, imm(static_cast<int64_t>(end)))
        .set("max", !c.down)
        .set("sign", c.is_signed);
    build.op(wide ? Opcode::Iadd64 : Opcode::Iadd, limit, kept, imm(static_cast<int64_t>(-steps)));
    return limit;
  }

  // A guard reads nothing that its loop does not.
  LiveSet live_at(BlockId b) const {
    LiveSet live(units_.count());
    const auto guarded = std::find_if(guards_.begin(), guards_.end(), [&](const auto& g) { return g.first == b; });
    liveness_.at_start(guarded == guards_.end() ? b : guarded->second, live);
    return live;
  }
  bool holds(const LiveSet& live, VReg v) const {
    for (unsigned n = 0; n < std::max(words_of(f_.vregs[v]), 1u); n++)
      if (live.contains(units_.of(v) + n)) return true;
    return false;
  }

  // A value that does not go from turn to turn, nor leaves the loop, has a register of its own in each turn; of the
  // others all but the last do. A constant step is from the counter as it was before all turns, so that a turn need not
  // wait for the one before, and addresses are that register and an offset.
  void copy_turns(const Block& loop, BlockId into, BlockId b, BlockId after) {
    const size_t registers = writes_.size();
    std::vector<VReg> name(registers), last(registers, kNone), written;
    std::vector<char> carried(registers), kept(registers);
    const LiveSet before = live_at(b), behind = live_at(after);
    for (VReg v = 0; v < registers; v++) {
      name[v] = v;
      if (writes_[v] == 0) continue;
      written.push_back(v);
      carried[v] = holds(before, v);
      kept[v] = carried[v] || holds(behind, v);
    }
    const auto for_each_value = [&](Instruction& i, auto visit) {  // that replaces all that its register held
      if (i.guard.present() || i.guard.negated) return;
      if (is_whole(i.dst)) visit(i.dst.id);
      if (i.pd != kNone) visit(i.pd);
      if (i.pq != kNone) visit(i.pq);
    };
    std::vector<Instruction> body = loop.body;
    for (uint32_t n = 0; n < body.size(); n++) for_each_value(body[n], [&](VReg& v) { last[v] = n; });
    const auto fresh = [&](VReg v) { return f_.new_vreg(mir::RegClass{f_.vregs[v]}); };
    for (unsigned turn = 0; turn < kTurns; turn++) {
      const bool is_last = turn == kTurns - 1;
      for (VReg v : written)
        if (!carried[v]) name[v] = kept[v] && is_last ? v : fresh(v);
      for (uint32_t n = 0; n < body.size(); n++) {
        Instruction i = body[n];
        const auto current = [&](VReg& v) { v = name[v]; };
        mir::for_each_operand(
            f_, i, [&](Operand& o) { current(o.id); }, current);
        Instruction results = body[n];
        for_each_value(results, [&](VReg& v) { name[v] = kept[v] && is_last && last[v] == n ? v : fresh(v); });
        i.dst = body[n].dst, i.pd = body[n].pd, i.pq = body[n].pq;
        if (i.dst.is_reg()) current(i.dst.id);
        if (i.pd != kNone) current(i.pd);
        if (i.pq != kNone) current(i.pq);
        for (const Step& s : steps_)
          if (s.at == n) i.a = s.reg, i.b = imm((turn + 1) * s.by);
        f_.blocks[into].body.push_back(std::move(i));
      }
    }
  }

  Function& f_;
  unsigned limit_;
  Graph graph_;
  mir::Units units_;
  Liveness liveness_;
  std::vector<uint32_t> writes_;  // by vreg: instructions of the loop that write it
  std::vector<Step> steps_;
  std::vector<std::pair<BlockId, BlockId>> guards_;  // and their loops
};

}  // namespace

unsigned unroll_loops(Function& f, unsigned register_limit) { return Unroller(f, register_limit).run(); }

}  // namespace heddle::compiler
