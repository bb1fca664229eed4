// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/convergence.h"

#include <algorithm>
#include <map>
#include <utility>

#include "host-runtime/compiler/passes/divergence.h"

namespace heddle::compiler {

using mir::Function;
using mir::Instruction;
using mir::kNone;

namespace {

struct Region {
  BlockId start;                // D: BSSY goes to its end
  BlockId meet;                 // P
  std::vector<BlockId> blocks;  // between them, neither included; sorted
  unsigned first_barrier = 0;   // lower ones belong to functions called inside
  unsigned barrier = 0;

  bool contains(BlockId b) const { return std::binary_search(blocks.begin(), blocks.end(), b); }
};

class Placer {
 public:
  Placer(Function& f, const std::function<unsigned(const mir::Call&)>& callee_barriers)
      : f_(f), callee_barriers_(callee_barriers), graph_(block_graph(f)), dominators_(graph_, 0), post_(f, graph_),
        loops_(graph_, 0), divergence_(find_divergence(f, graph_, post_)) {}

  ConvergenceStats run() {
    std::map<BlockId, std::vector<BlockId>> branches;  // by post-dominator
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      if (!divergence_.branch[b]) continue;
      const BlockId p = post_.ipdom(b);
      if (p != DominatorTree::kNoNode && p != post_.exit_node()) branches[p].push_back(b);
    }
    for (const auto& [meet, from] : branches) {
      Region region;
      if (find_region(meet, from, region)) regions_.push_back(std::move(region));
      else stats_.skipped++;
    }
    assign_barriers();
    for (const Region& r : regions_) insert(r);
    return stats_;
  }

 private:
  bool find_region(BlockId meet, const std::vector<BlockId>& from, Region& region) {
    const mir::Block& last = f_.blocks[meet];
    if (last.body.empty() && last.end.kind == mir::Terminator::Kind::Exit) return false;  // nothing to do together
    BlockId start = from[0];
    for (BlockId b : from) {
      start = dominators_.nearest_common(start, b);
      if (start == DominatorTree::kNoNode || spins(b)) return false;
    }
    for (size_t attempts = 0; attempts <= f_.blocks.size(); attempts++) {
      while (loops_.innermost(start) != kNone && !loops_.contains(loops_.innermost(start), meet)) {
        start = dominators_.idom(start);
        if (start == DominatorTree::kNoNode) return false;
      }
      if (start == meet || !post_.post_dominates(meet, start)) return false;
      const BlockId outside = collect(start, meet, region);
      if (outside == kNone) {
        region.start = start;
        region.meet = meet;
        return region.first_barrier < isa::kNumConvergenceBarriers;
      }
      // Control enters the region from elsewhere too: begin further up.
      const BlockId up = outside == start ? dominators_.idom(start) : dominators_.nearest_common(start, outside);
      if (up == DominatorTree::kNoNode || up == start) return false;
      start = up;
    }
    return false;
  }

  // Lanes that leave a loop here waited for memory that lanes still inside may have to write.
  bool spins(BlockId b) const {
    const uint32_t loop = loops_.innermost(b);
    if (loop == kNone || !divergence_.waits[b]) return false;
    return std::any_of(graph_.succs[b].begin(), graph_.succs[b].end(),
                       [&](BlockId s) { return !loops_.contains(loop, s); });
  }

  // Fills region.blocks; kNone, or a block that `start` does not dominate (start itself: it lies on a cycle).
  BlockId collect(BlockId start, BlockId meet, Region& region) {
    region.blocks.clear();
    region.first_barrier = 0;
    std::vector<char> seen(f_.blocks.size());
    std::vector<BlockId> work(graph_.succs[start]);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (b == meet || seen[b]) continue;
      if (b == start || !dominators_.dominates(start, b)) return b;
      seen[b] = 1;
      region.blocks.push_back(b);
      for (const Instruction& i : f_.blocks[b].body)
        if (i.pseudo == mir::Pseudo::Call)
          region.first_barrier = std::max(region.first_barrier, callee_barriers_(f_.calls[i.call]));
      work.insert(work.end(), graph_.succs[b].begin(), graph_.succs[b].end());
    }
    std::sort(region.blocks.begin(), region.blocks.end());
    return kNone;
  }

  static bool overlap(const Region& a, const Region& b) {
    if (a.start == b.start || a.contains(b.start) || b.contains(a.start)) return true;
    size_t x = 0, y = 0;
    while (x < a.blocks.size() && y < b.blocks.size()) {
      if (a.blocks[x] == b.blocks[y]) return true;
      (a.blocks[x] < b.blocks[y] ? x : y)++;
    }
    return false;
  }

  // Widest first. Regions that overlap get different barriers; others too as long as there are enough, because splits of
  // one warp can be in both at once.
  void assign_barriers() {
    std::stable_sort(regions_.begin(), regions_.end(),
                     [](const Region& a, const Region& b) { return a.blocks.size() > b.blocks.size(); });
    std::vector<Region> placed;
    std::vector<unsigned> users(isa::kNumConvergenceBarriers);
    for (Region& r : regions_) {
      std::vector<char> taken(isa::kNumConvergenceBarriers);
      for (const Region& other : placed)
        if (overlap(r, other)) taken[other.barrier] = 1;
      unsigned best = isa::kNumConvergenceBarriers;
      for (unsigned n = r.first_barrier; n < isa::kNumConvergenceBarriers; n++)
        if (!taken[n] && (best == isa::kNumConvergenceBarriers || users[n] < users[best])) best = n;
      if (best == isa::kNumConvergenceBarriers) {
        stats_.skipped++;
        continue;
      }
      r.barrier = best;
      users[best]++;
      stats_.barriers = std::max(stats_.barriers, best + 1);
      placed.push_back(std::move(r));
    }
    regions_ = std::move(placed);
    stats_.regions = static_cast<unsigned>(regions_.size());
  }

  void insert(const Region& r) {
    const auto sync = static_cast<BlockId>(f_.blocks.size());
    mir::Block block;
    block.name = "sync";
    Instruction bsync;
    bsync.op = isa::Opcode::Bsync;
    bsync.barrier = static_cast<uint8_t>(r.barrier);
    bsync.loc = f_.blocks[r.meet].body.empty() ? f_.blocks[r.meet].end.loc : f_.blocks[r.meet].body[0].loc;
    block.body.push_back(bsync);
    block.end.kind = mir::Terminator::Kind::Jump;
    block.end.targets = {r.meet};
    f_.blocks.push_back(std::move(block));
    auto redirect = [&](BlockId b) {
      for (BlockId& t : f_.blocks[b].end.targets)
        if (t == r.meet) t = sync;
    };
    redirect(r.start);
    for (BlockId b : r.blocks) redirect(b);
    // Sync blocks of inner regions lead to their meeting point, which an outer region may contain: its edge to the
    // outer meeting point is the one of that block, redirected above.
    Instruction bssy;
    bssy.op = isa::Opcode::Bssy;
    bssy.barrier = static_cast<uint8_t>(r.barrier);
    bssy.b = mir::block_start(r.meet);
    bssy.loc = f_.blocks[r.start].end.loc;
    f_.blocks[r.start].body.push_back(bssy);
  }

  Function& f_;
  const std::function<unsigned(const mir::Call&)>& callee_barriers_;
  Graph graph_;
  DominatorTree dominators_;
  PostDominators post_;
  LoopNest loops_;
  Divergence divergence_;
  std::vector<Region> regions_;
  ConvergenceStats stats_;
};

}  // namespace

ConvergenceStats place_convergence_barriers(Function& f,
                                            const std::function<unsigned(const mir::Call&)>& callee_barriers) {
  return Placer(f, callee_barriers).run();
}

}  // namespace heddle::compiler
