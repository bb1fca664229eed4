// SPDX-License-Identifier: Apache-2.0
// List scheduling, top down, on the dependence graph of a block. Priority: the longest path of latencies to the block's
// end; while more registers are live than the target, the instruction that frees most. One that makes a predicate waits
// while most predicates are live.
#include "host-runtime/compiler/passes/schedule.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "host-runtime/compiler/passes/liveness.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Accesses;
using mir::Area;
using mir::Instruction;
using mir::kNone;
using mir::Unit;

unsigned assumed_latency(const Instruction& i) {
  if (i.pseudo != mir::Pseudo::None) return 1;
  switch (i.op) {
    case Opcode::Lds:
    case Opcode::Ldsm: return 25;
    case Opcode::Ldc:
    case Opcode::Ldl: return 35;
    case Opcode::Ldg:
    case Opcode::Ld: return 200;
    default: break;
  }
  if (mir::is_atomic(i)) return 200;
  switch (i.info().latency) {
    case isa::Latency::Alu:
    case isa::Latency::Extract:
    case isa::Latency::Insert: return 4;
    case isa::Latency::Mul:
    case isa::Latency::Fma: return 5;
    case isa::Latency::Cvt:
    case isa::Latency::Dbl: return 8;
    case isa::Latency::Sfu:
    case isa::Latency::Shfl:
    case isa::Latency::Mma:
    case isa::Latency::Dmma: return 20;
    case isa::Latency::Tex: return 300;
    default: return 1;
  }
}

namespace {

constexpr unsigned kConstantLead = 8;  // cycles that a constant is made before it is urgent
constexpr unsigned kGuardLatency =
    12;                              // from a comparison to what its predicate guards, or the branch that asks for it
constexpr int kPredicateTarget = 6;  // of seven
constexpr size_t kWindow = 1024;     // longer blocks are scheduled in pieces: bounds the work

class BlockScheduler {
 public:
  BlockScheduler(mir::Function& f, const mir::Units& units, const Liveness& liveness, LiveSet& live, unsigned target)
      : f_(f),
        units_(units),
        liveness_(liveness),
        live_(live),
        hot_target_(target),
        last_write_(units.count(), kNone),
        readers_(units.count()) {}

  void run(mir::BlockId b) {
    mir::Block& block = f_.blocks[b];
    target_ = block.rare ? 0 : hot_target_;
    if (block.body.size() < 3) return;
    block_ = b;
    for (size_t first = 0; first < block.body.size(); first += kWindow)
      piece(block, first, std::min(first + kWindow, block.body.size()));
  }

 private:
  struct Node {
    std::vector<std::pair<uint32_t, unsigned>> succs;  // node, latency
    unsigned waiting = 0;                              // predecessors not yet issued
    unsigned height = 0;                               // longest path to the end
    unsigned ready_at = 0;
    int version = 0;  // memory: distinguishes base register values
  };

  void edge(uint32_t from, uint32_t to, unsigned latency) {
    if (from == kNone || from == to) return;
    nodes_[from].succs.emplace_back(to, latency);
    nodes_[to].waiting++;
  }

  void piece(mir::Block& block, size_t first, size_t last) {
    const auto n = static_cast<uint32_t>(last - first);
    body_ = block.body.data() + first;
    nodes_.assign(n, {});
    is_constant_.assign(n, 0);
    for (uint32_t k = 0; k < n; k++)
      is_constant_[k] = body_[k].is(Opcode::Mov) && !body_[k].b.is_reg() && !body_[k].b.is_phys();
    build(n);
    if (last == block.body.size()) decides(block.end);
    for (Unit u : touched_) {
      last_write_[u] = kNone;
      readers_[u].clear();
    }
    for (uint32_t k = n; k-- > 0;) {
      unsigned h = nodes_[k].height;
      for (const auto& [to, latency] : nodes_[k].succs) h = std::max(h, nodes_[to].height + latency);
      nodes_[k].height = h;
    }
    prepare_pressure(block, first, last);
    const std::vector<uint32_t> order = list(n);
    std::vector<Instruction> out;
    out.reserve(n);
    for (uint32_t k : order) out.push_back(std::move(body_[k]));
    std::move(out.begin(), out.end(), body_);
  }

  void build(uint32_t n) {
    touched_.clear();
    uint32_t fence = kNone;
    std::vector<uint32_t> since_fence;
    std::vector<uint32_t> loads, stores;
    for (uint32_t k = 0; k < n; k++) {
      const Instruction& i = body_[k];
      accesses_.collect(f_, units_, i);
      for (const mir::UnitRange& r : accesses_.reads)
        for (Unit u = r.first; u < r.first + r.count; u++) {
          if (last_write_[u] != kNone) edge(last_write_[u], k, latency_to(last_write_[u], i, u));
          readers_[u].push_back(k);
          touched_.push_back(u);
        }
      if (is_copy(i)) keep_behind_readers(i);
      for (const mir::UnitRange& w : accesses_.writes)
        for (Unit u = w.first; u < w.first + w.count; u++) {
          for (uint32_t r : readers_[u]) edge(r, k, 0);
          edge(last_write_[u], k, 1);
          readers_[u].clear();
          last_write_[u] = k;
          touched_.push_back(u);
        }
      if ((mir::is_motion_fence(i) && !meets_all(i)) || accesses_.clobbers) {
        for (uint32_t s : since_fence) edge(s, k, 0);
        edge(fence, k, 0);
        fence = k;
        since_fence.clear();
        loads.clear();
        stores.clear();
        continue;
      }
      edge(fence, k, 0);
      since_fence.push_back(k);
      if (i.pseudo != mir::Pseudo::None || (mir::area_of(i) == Area::None && !meets_all(i))) continue;
      const bool store = mir::is_store(i) || meets_all(i);
      for (uint32_t s : stores)
        if (may_alias(s, k)) edge(s, k, 1);
      if (store)
        for (uint32_t l : loads)
          if (may_alias(l, k)) edge(l, k, 0);
      (store ? stores : loads).push_back(k);
    }
  }

  // Until `reader`, which reads the unit, may follow.
  unsigned latency_to(uint32_t maker, const Instruction& reader, Unit u) const {
    const bool guards = reader.guard.reg != kNone && units_.of(reader.guard.reg) == u;
    return std::max(assumed_latency(body_[maker]), guards ? kGuardLatency : 0);
  }

  // What the block's end asks for is made early.
  void decides(const mir::Terminator& end) {
    accesses_.collect(f_, units_, end);
    for (const mir::UnitRange& r : accesses_.reads)
      for (Unit u = r.first; u < r.first + r.count; u++)
        if (last_write_[u] != kNone && !is_register_unit(u)) nodes_[last_write_[u]].height = kGuardLatency;
  }

  static bool is_copy(const Instruction& i) { return i.pseudo == mir::Pseudo::Copy && i.dst.is_reg() && i.a.is_reg(); }

  // A copy: what made its source stays behind those that read the destination's old value before, and copies of that.
  // So the two may share a register, and nobody waits for the copy.
  void keep_behind_readers(const Instruction& copy) {
    const uint32_t maker = last_write_[units_.of(copy.a)];
    if (maker == kNone) return;
    for (uint32_t reader : readers_[units_.of(copy.dst)]) {
      if (reader >= maker) continue;
      edge(reader, maker, 0);
      if (!is_copy(body_[reader])) continue;
      for (uint32_t other : readers_[units_.of(body_[reader].dst)])
        if (other < maker) edge(other, maker, 0);
    }
  }

  // Lanes are the same from one jump, or wait for others, to the next. So what brings values from lane to lane may pass
  // what computes; among accesses to memory, by which lanes may have agreed, it stays where it is. So does an
  // asynchronous copy, which reads in one memory and writes in another; what comes behind it waits for its group.
  static bool meets_all(const Instruction& i) {
    return i.pseudo == mir::Pseudo::None && (i.info().unit == isa::Unit::Warp || i.op == Opcode::Ldgsts);
  }

  // The base register has the same value at both when nothing in between writes it.
  bool may_alias(uint32_t a, uint32_t b) const {
    const Instruction &x = body_[a], &y = body_[b];
    if (meets_all(x) || meets_all(y)) return true;
    const Area s = mir::area_of(x), t = mir::area_of(y);
    if (s != t && s != Area::Generic && t != Area::Generic) return false;
    if (x.a.is_frame() && y.a.is_frame() && x.a.id != y.a.id) return false;
    if (s != t || !(x.a == y.a) || !x.b.is_imm() || !y.b.is_imm()) return true;
    if (x.a.is_reg() && written_since(x.a, a)) return true;
    return x.b.imm < y.b.imm + mir::access_bytes(y) && y.b.imm < x.b.imm + mir::access_bytes(x);
  }
  bool written_since(const mir::Operand& o, uint32_t a) const {
    const Unit u = units_.of(o);
    for (unsigned w = 0; w < o.count; w++)
      if (last_write_[u + w] != kNone && last_write_[u + w] >= a) return true;
    return false;
  }

  bool is_register_unit(Unit u) const {
    const mir::VReg v = units_.vreg(u);
    return v != kNone && f_.vregs[v] != mir::RegClass::P;
  }

  // Live registers at the start of the piece, and for each unit how many reads are left in it.
  void prepare_pressure(const mir::Block& block, size_t first, size_t last) {
    liveness_.at_end(block_, live_);
    accesses_.collect(f_, units_, block.end);
    Liveness::step_back(accesses_, live_);
    for (size_t k = block.body.size(); k-- > last;) {
      accesses_.collect(f_, units_, block.body[k]);
      Liveness::step_back(accesses_, live_);
    }
    live_after_.clear();
    for (Unit u : live_.items()) live_after_.push_back(u);
    reads_left_.resize(units_.count());
    for (Unit u : live_after_) reads_left_[u]++;  // never dies inside
    for (size_t k = last; k-- > first;) {
      accesses_.collect(f_, units_, block.body[k]);
      for (const mir::UnitRange& r : accesses_.reads)
        for (Unit u = r.first; u < r.first + r.count; u++) {
          reads_left_[u]++;
          pending_.push_back(u);
        }
      Liveness::step_back(accesses_, live_);
    }
    now_live_ = {};
    for (Unit u : live_.items()) now_live_.count(is_register_unit(u), 1);
  }

  struct LiveCounts {
    int registers = 0, predicates = 0;
    void count(bool is_register, int change) { (is_register ? registers : predicates) += change; }
  };

  // What issuing the instruction would add (negative: frees).
  LiveCounts growth(uint32_t k) {
    accesses_.collect(f_, units_, body_[k]);
    LiveCounts change;
    for (const mir::UnitRange& w : accesses_.writes)
      for (Unit u = w.first; u < w.first + w.count; u++)
        if (!live_.contains(u)) change.count(is_register_unit(u), 1);
    for (const mir::UnitRange& r : accesses_.reads)
      for (Unit u = r.first; u < r.first + r.count; u++)
        if (live_.contains(u) && reads_left_[u] == 1) change.count(is_register_unit(u), -1);
    return change;
  }

  void issue(uint32_t k) {
    accesses_.collect(f_, units_, body_[k]);
    for (const mir::UnitRange& r : accesses_.reads)
      for (Unit u = r.first; u < r.first + r.count; u++)
        if (--reads_left_[u] == 0 && live_.contains(u)) {
          live_.erase(u);
          now_live_.count(is_register_unit(u), -1);
        }
    for (const mir::UnitRange& w : accesses_.writes)
      for (Unit u = w.first; u < w.first + w.count; u++)
        if (reads_left_[u] > 0 && !live_.contains(u)) {
          live_.insert(u);
          now_live_.count(is_register_unit(u), 1);
        }
  }

  std::vector<uint32_t> list(uint32_t n) {
    std::vector<uint32_t> order, ready;
    order.reserve(n);
    for (uint32_t k = 0; k < n; k++)
      if (nodes_[k].waiting == 0) ready.push_back(k);
    unsigned cycle = 0;
    while (!ready.empty()) {
      const size_t pick = choose(ready, cycle);
      const uint32_t k = ready[pick];
      ready.erase(ready.begin() + static_cast<ptrdiff_t>(pick));
      issue(k);
      order.push_back(k);
      cycle = std::max(cycle, nodes_[k].ready_at) + 1;
      for (const auto& [to, latency] : nodes_[k].succs) {
        nodes_[to].ready_at = std::max(nodes_[to].ready_at, cycle - 1 + latency);
        if (--nodes_[to].waiting == 0) ready.push_back(to);
      }
    }
    for (Unit u : live_after_) reads_left_[u] = 0;
    for (Unit u : pending_) reads_left_[u] = 0;
    pending_.clear();
    return order;
  }

  // Index into `ready`.
  size_t choose(const std::vector<uint32_t>& ready, unsigned cycle) {
    const bool tight = now_live_.registers >= static_cast<int>(target_);
    const bool crowded = now_live_.predicates >= kPredicateTarget;
    unsigned highest = 0;
    for (uint32_t k : ready) highest = std::max(highest, nodes_[k].height);
    size_t best = 0;
    LiveCounts best_growth;
    for (size_t n = 0; n < ready.size(); n++) {
      const Node& c = nodes_[ready[n]];
      const Node& b = nodes_[ready[best]];
      const LiveCounts g = tight || crowded ? growth(ready[n]) : LiveCounts{};
      if (n == 0) {
        best_growth = g;
        continue;
      }
      const auto rank = [&](const Node& x, uint32_t k, const LiveCounts& grow) {
        // Smaller is better.
        unsigned stall = x.ready_at > cycle ? x.ready_at - cycle : 0;
        if (is_constant_[k] && x.height + kConstantLead < highest) stall = kNone;  // it only takes a register yet
        // A wide load is no worse than several narrow ones: these would all come first, long before they are needed.
        const int more = mir::is_load(body_[k]) ? std::min(grow.registers, 1) : grow.registers;
        return std::tuple(crowded && grow.predicates > 0, tight ? more : 0, tight ? 0u : stall, tight ? 0u : ~x.height,
                          k);
      };
      if (rank(c, ready[n], g) < rank(b, ready[best], best_growth)) {
        best = n;
        best_growth = g;
      }
    }
    return best;
  }

  mir::Function& f_;
  const mir::Units& units_;
  const Liveness& liveness_;
  LiveSet& live_;
  unsigned hot_target_;
  unsigned target_ = 0;
  mir::BlockId block_ = 0;
  Instruction* body_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<char> is_constant_;
  std::vector<uint32_t> last_write_;
  std::vector<std::vector<uint32_t>> readers_;
  std::vector<Unit> touched_, live_after_, pending_;
  std::vector<uint32_t> reads_left_;
  LiveCounts now_live_;
  Accesses accesses_;
};

}  // namespace

void schedule(mir::Function& f, unsigned register_target) {
  const mir::Units units(f);
  const Graph g = block_graph(f);
  const Liveness liveness(f, units, g);
  LiveSet live(units.count());
  BlockScheduler scheduler(f, units, liveness, live, register_target);
  for (mir::BlockId b = 0; b < f.blocks.size(); b++) scheduler.run(b);
}

}  // namespace heddle::compiler
