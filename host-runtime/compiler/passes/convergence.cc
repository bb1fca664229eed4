// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/convergence.h"

#include <algorithm>
#include <map>
#include <utility>

#include "host-runtime/compiler/passes/regions.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Function;
using mir::Instruction;
using mir::kNone;

namespace {

constexpr unsigned kBarriers = isa::kNumConvergenceBarriers;

// What is to be done on an edge, in this order: leave regions, meet (inner regions first), enter regions (outer first).
struct Action {
  Opcode op;
  uint32_t region;  // index; regions are ordered from wide to narrow
  auto key() const {
    const int step = op == Opcode::Break ? 0 : op == Opcode::Bsync ? 1 : 2;
    return std::pair(step, op == Opcode::Bsync ? ~region : region);
  }
  bool operator<(const Action& o) const { return key() < o.key(); }
  bool operator==(const Action&) const = default;
};
using Actions = std::vector<Action>;

class Placer {
 public:
  Placer(Function& f, const std::function<unsigned(const mir::Call&)>& callee_barriers)
      : f_(f), callee_barriers_(callee_barriers) {}

  ConvergenceStats run() {
    find();
    assign_barriers();
    while (drop_inconsistent()) {
    }
    stats_.regions = static_cast<unsigned>(regions_.size());
    for (uint32_t r = 0; r < regions_.size(); r++)
      if (regions_[r].start != kNone) f_.blocks[regions_[r].start].body.push_back(instruction({Opcode::Bssy, r}));
    behind_.assign(regions_.size(), kNone);
    const auto edges = actions();
    for (const auto& [edge, list] : edges) {
      const BlockId to = f_.blocks[edge.first].end.targets[edge.second];
      const BlockId way = block_for(to, list);
      f_.blocks[edge.first].end.targets[edge.second] = way;
    }
    set_targets();
    return stats_;
  }

 private:
  void find() {
    const Graph graph = block_graph(f_);
    const PostDominators post(f_, graph);
    Regions all = find_regions(f_, graph, post, find_divergence(f_, graph, post));
    stats_.skipped = all.skipped;
    regions_ = std::move(all.found);
  }

  // Lower numbers belong to functions called inside.
  unsigned first_barrier(const Region& r) const {
    unsigned first = 0;
    for (BlockId b : r.blocks)
      for (const Instruction& i : f_.blocks[b].body)
        if (i.pseudo == mir::Pseudo::Call) first = std::max(first, callee_barriers_(f_.calls[i.call]));
    return first;
  }

  static std::pair<bool, size_t> wide_first(const Region& r) { return {r.optional, ~r.blocks.size()}; }

  static bool overlap(const Region& a, const Region& b) {
    if (a.start != kNone && (a.start == b.start || b.contains(a.start))) return true;
    if (b.start != kNone && a.contains(b.start)) return true;
    size_t x = 0, y = 0;
    while (x < a.blocks.size() && y < b.blocks.size()) {
      if (a.blocks[x] == b.blocks[y]) return true;
      (a.blocks[x] < b.blocks[y] ? x : y)++;
    }
    return false;
  }

  // Widest first, those where not all lanes meet last. Regions that overlap get different barriers; others too as long
  // as there are enough, because splits of one warp can be in both at once.
  void assign_barriers() {
    std::stable_sort(regions_.begin(), regions_.end(),
                     [](const Region& a, const Region& b) { return wide_first(a) < wide_first(b); });
    std::vector<Region> placed;
    std::vector<unsigned> users(kBarriers);
    for (Region& r : regions_) {
      std::vector<char> taken(kBarriers);
      for (size_t n = 0; n < placed.size(); n++)
        if (!taken[placed[n].barrier] && overlap(r, placed[n])) taken[placed[n].barrier] = 1;
      unsigned best = kBarriers;
      for (unsigned n = first_barrier(r); n < kBarriers; n++)
        if (!taken[n] && (best == kBarriers || users[n] < users[best])) best = n;
      if (best == kBarriers) {
        stats_.skipped += !r.optional;
        continue;
      }
      users[best]++;
      stats_.barriers = std::max(stats_.barriers, best + 1);
      r.barrier = best;
      placed.push_back(std::move(r));
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Region& a, const Region& b) { return a.blocks.size() > b.blocks.size(); });
    regions_ = std::move(placed);
  }

  using EdgeKey = std::pair<BlockId, uint32_t>;
  std::map<EdgeKey, Actions> actions() const {
    std::map<EdgeKey, Actions> out;
    for (uint32_t r = 0; r < regions_.size(); r++) {
      for (const Edge& e : regions_[r].breaks) out[{e.from, e.slot}].push_back({Opcode::Break, r});
      for (const Edge& e : regions_[r].syncs) out[{e.from, e.slot}].push_back({Opcode::Bsync, r});
      for (const Edge& e : regions_[r].arms) out[{e.from, e.slot}].push_back({Opcode::Bssy, r});
    }
    for (auto& [edge, list] : out) std::sort(list.begin(), list.end());
    return out;
  }

  // Lanes that met go on together, so what is left to do must be the same on all edges into the meeting place. A region
  // for which it is not is given up; true when one was.
  bool drop_inconsistent() {
    std::vector<const Actions*> rest(regions_.size());
    const auto edges = actions();
    for (const auto& [edge, list] : edges)
      for (size_t n = 0; n < list.size(); n++) {
        if (list[n].op != Opcode::Bsync) continue;
        const uint32_t r = list[n].region;
        const auto same = [n, &list = list](const Actions& other) {
          const auto at = std::find(other.begin(), other.end(), list[n]);
          return std::equal(at, other.end(), list.begin() + static_cast<ptrdiff_t>(n), list.end());
        };
        if (!rest[r]) rest[r] = &list;
        if (same(*rest[r])) continue;
        regions_.erase(regions_.begin() + static_cast<ptrdiff_t>(r));
        stats_.skipped++;
        return true;
      }
    return false;
  }

  Instruction instruction(const Action& a) const {
    Instruction i;
    i.op = a.op;
    i.barrier = static_cast<uint8_t>(regions_[a.region].barrier);
    const Region& r = regions_[a.region];
    if (a.op == Opcode::Bssy) {
      i.b = mir::block_start(a.region);  // set_targets() puts the place in
      i.loc = f_.blocks[r.start != kNone ? r.start : r.entry].end.loc;
    } else if (a.op == Opcode::Bsync) {
      const mir::Block& meet = f_.blocks[r.meet];
      i.loc = meet.body.empty() ? meet.end.loc : meet.body[0].loc;
    }
    return i;
  }

  // A block that does `list` and goes on to `to`; edges with the same rest share it.
  BlockId block_for(BlockId to, const Actions& list) {
    if (list.empty()) return to;
    const auto key = std::pair(to, list_key(list));
    if (const auto known = blocks_.find(key); known != blocks_.end()) return known->second;
    // A block per BSYNC, since lanes go on behind it; the others together.
    size_t n = 1;
    while (n < list.size() && list[n].op != Opcode::Bsync && list[0].op != Opcode::Bsync) n++;
    const BlockId next = block_for(to, {list.begin() + static_cast<ptrdiff_t>(n), list.end()});
    mir::Block block;
    block.name = list[0].op == Opcode::Bsync ? "sync" : list[0].op == Opcode::Bssy ? "arm" : "break";
    for (size_t k = 0; k < n; k++) block.body.push_back(instruction(list[k]));
    block.end.kind = mir::Terminator::Kind::Jump;
    block.end.targets = {next};
    if (list[0].op == Opcode::Bsync) behind_[list[0].region] = next;
    f_.blocks.push_back(std::move(block));
    return blocks_[key] = static_cast<BlockId>(f_.blocks.size() - 1);
  }

  static std::vector<uint64_t> list_key(const Actions& list) {
    std::vector<uint64_t> key;
    for (const Action& a : list) key.push_back(uint64_t{a.region} << 8 | static_cast<uint8_t>(a.op));
    return key;
  }

  // BSSY names the place behind its BSYNC.
  void set_targets() {
    for (mir::Block& block : f_.blocks)
      for (Instruction& i : block.body)
        if (i.is(Opcode::Bssy)) i.b.id = behind_[i.b.id];
  }

  Function& f_;
  const std::function<unsigned(const mir::Call&)>& callee_barriers_;
  std::vector<Region> regions_;
  std::map<std::pair<BlockId, std::vector<uint64_t>>, BlockId> blocks_;
  std::vector<BlockId> behind_;  // by region: where lanes that met go on
  ConvergenceStats stats_;
};

}  // namespace

ConvergenceStats place_convergence_barriers(Function& f,
                                            const std::function<unsigned(const mir::Call&)>& callee_barriers) {
  return Placer(f, callee_barriers).run();
}

}  // namespace heddle::compiler
