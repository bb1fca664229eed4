// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/regions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace heddle::compiler {

using mir::kNone;
using Kind = mir::Terminator::Kind;

bool Region::contains(BlockId b) const { return std::binary_search(blocks.begin(), blocks.end(), b); }

namespace {

constexpr uint32_t kFunction = kNone;  // the level outside of all loops
constexpr uint32_t kWorthwhile = 12;   // instructions that lanes had better run together, though not all come

// For each block of a loop with one header: the next place that each iteration passes if it does not leave.
class IterationPostDominators {
 public:
  IterationPostDominators(const Graph& g, const Loop& loop) : blocks_(loop.blocks) {
    std::sort(blocks_.begin(), blocks_.end());
    const auto header = static_cast<BlockId>(blocks_.size());  // of the next iteration
    header_ = loop.headers[0];
    Graph backward(blocks_.size() + 1);
    for (BlockId n = 0; n < blocks_.size(); n++)
      for (BlockId s : g.succs[blocks_[n]]) {
        if (s == header_) backward.edge(header, n);
        else if (const BlockId t = number(s); t != kNone) backward.edge(t, n);
      }
    tree_.emplace(backward, header);
  }
  BlockId ipdom(BlockId b) const {
    const BlockId p = tree_->idom(number(b));
    return p == kNone ? kNone : p == blocks_.size() ? header_ : blocks_[p];
  }

 private:
  BlockId number(BlockId b) const {
    const auto at = std::lower_bound(blocks_.begin(), blocks_.end(), b);
    return at != blocks_.end() && *at == b ? static_cast<BlockId>(at - blocks_.begin()) : kNone;
  }
  std::vector<BlockId> blocks_;
  BlockId header_;
  std::optional<DominatorTree> tree_;
};

class Finder {
 public:
  Finder(const mir::Function& f, const Graph& g, const PostDominators& post, const Divergence& divergence)
      : f_(f),
        g_(g),
        post_(post),
        divergence_(divergence),
        dominators_(g, 0),
        loops_(g, 0),
        iterations_(loops_.loops().size()),
        mark_(g.size()) {}

  Regions run() {
    for (BlockId b = 0; b < g_.size(); b++)
      if (divergence_.branch[b] && dominators_.reaches(b)) add_branch(b);
    for (const auto& [where, branches] : groups_) {
      if (nothing_to_share(where.second)) {
        out_.skipped++;
        continue;
      }
      std::optional<Region> region;
      if (std::none_of(branches.begin(), branches.end(),
                       [this, header = where.first](BlockId b) { return spins(b, header); }))
        region = find(where.first, where.second, branches);
      const auto again = [&](BlockId b) { return comes_again(b, *region); };
      if (region && std::any_of(branches.begin(), branches.end(), again)) region.reset();
      if (region) out_.found.push_back(std::move(*region));
      else out_.skipped++;
    }
    const std::vector<uint32_t> work = work_behind();
    for (BlockId b = 1; b < g_.size(); b++)
      if (dominators_.reaches(b) && work[b] >= kWorthwhile) add_partial(b);
    return std::move(out_);
  }

 private:
  bool inside(uint32_t level, BlockId b) const { return level == kFunction || loops_.contains(level, b); }
  BlockId header(uint32_t level) const { return level == kFunction ? kNone : loops_.loops()[level].headers[0]; }
  // Irreducible loops are no level of their own.
  uint32_t level_of(uint32_t loop) const {
    while (loop != kNone && loops_.loops()[loop].headers.size() > 1) loop = loops_.loops()[loop].parent;
    return loop;
  }
  uint32_t outer(uint32_t level) const { return level_of(loops_.loops()[level].parent); }

  BlockId meeting_place(uint32_t level, BlockId b) {
    if (level == kFunction) {
      const BlockId p = post_.ipdom(b);
      return p == post_.exit_node() ? kNone : p;
    }
    std::optional<IterationPostDominators>& i = iterations_[level];
    if (!i) i.emplace(g_, loops_.loops()[level]);
    return i->ipdom(b);
  }

  // Files the branch under its meeting place on every level on which its lanes may be apart.
  void add_branch(BlockId b) {
    bool apart = false;
    for (uint32_t level = level_of(loops_.innermost(b));; level = outer(level)) {
      const auto& succs = g_.succs[b];
      apart = apart || std::count_if(succs.begin(), succs.end(), [&](BlockId s) { return inside(level, s); }) > 1;
      if (apart) {
        const BlockId meet = meeting_place(level, b);
        if (meet == kNone) return;
        groups_[{level, meet}].push_back(b);
        if (!leaves(level, b, meet)) return;
      }
      if (level == kFunction) return;
    }
  }

  // Do ways from the branch to its meeting place leave the level?
  bool leaves(uint32_t level, BlockId b, BlockId meet) {
    if (level == kFunction) return false;
    begin_marks();
    std::vector<BlockId> work{b};
    while (!work.empty()) {
      const BlockId x = work.back();
      work.pop_back();
      for (BlockId s : g_.succs[x]) {
        if (!inside(level, s)) return true;
        if (s != meet && s != header(level) && set_mark(s, 1)) work.push_back(s);
      }
    }
    return false;
  }

  // By block: instructions to which all ways lead through it.
  std::vector<uint32_t> work_behind() const {
    std::vector<uint32_t> work(g_.size());
    const std::vector<BlockId> order = reverse_post_order(g_, 0);
    for (size_t n = order.size(); n-- > 0;) {
      const BlockId b = order[n];
      work[b] += static_cast<uint32_t>(f_.blocks[b].body.size());
      if (b != 0) work[dominators_.idom(b)] += work[b];
    }
    return work;
  }

  // Lanes come to `meet` by several ways, or leave a loop there.
  void add_partial(BlockId meet) {
    const uint32_t level = level_of(loops_.innermost(meet));
    if (meet == header(level) || groups_.contains({level, meet})) return;
    const std::vector<BlockId>& preds = g_.preds[meet];
    if (preds.size() < 2 && level_of(loops_.innermost(preds[0])) == level) return;
    std::optional<Region> region = find(level, meet, {dominators_.idom(meet)});
    if (!region) return;
    bool apart = false;
    std::vector<BlockId> inside = region->blocks;
    if (region->start != kNone) inside.push_back(region->start);
    for (BlockId b : inside) {
      apart = apart || divergence_.branch[b];
      if (spins(b, level) || comes_again(b, *region)) return;
    }
    region->optional = true;
    if (apart) out_.found.push_back(std::move(*region));
  }

  bool nothing_to_share(BlockId meet) const {
    const mir::Block& last = f_.blocks[meet];
    return last.body.empty() && last.end.kind == Kind::Exit;
  }

  // Lanes that leave a loop here waited for memory that lanes still inside may have to write.
  bool spins(BlockId b, uint32_t level) const {
    const uint32_t loop = loops_.innermost(b);
    if (loop == kNone || loop == level || !divergence_.waits[b]) return false;
    return std::any_of(g_.succs[b].begin(), g_.succs[b].end(), [&](BlockId s) { return !loops_.contains(loop, s); });
  }

  // The same where the lanes that go on stay in the loop (a lock taken, used and given back in each round of it): who
  // waits at such a branch comes to it again before the meeting place.
  bool comes_again(BlockId b, const Region& region) {
    if (!divergence_.waits[b]) return false;
    begin_marks();
    std::vector<BlockId> work = {b};
    while (!work.empty()) {
      const BlockId from = work.back();
      work.pop_back();
      for (BlockId s : g_.succs[from]) {
        if (s == b) return true;
        if (s != region.meet && region.contains(s) && set_mark(s, 1)) work.push_back(s);
      }
    }
    return false;
  }

  std::optional<Region> find(uint32_t level, BlockId meet, const std::vector<BlockId>& branches) {
    BlockId at = branches[0];
    for (BlockId b : branches) at = dominators_.nearest_common(at, b);
    for (size_t attempts = 0; attempts <= g_.size(); attempts++) {
      bool enter = false;  // the barrier is armed on the way into `at`, else at its end
      if (at == kNone || !inside(level, at)) return {};
      // In a loop that the meeting place lies outside of, it would be armed again and again: go in front of it.
      uint32_t loop = kNone;
      for (uint32_t l = loops_.innermost(at); l != level && l != kNone; l = loops_.loops()[l].parent)
        if (!loops_.contains(l, meet)) loop = l;
      if (loop != kNone) {
        const std::vector<BlockId>& headers = loops_.loops()[loop].headers;
        enter = headers.size() == 1;
        at = headers[0];
        for (BlockId h : headers) at = dominators_.nearest_common(at, h);
        if (!enter) continue;
      }
      if (enter && (at == meet || at == 0)) return {};
      Region region;
      region.meet = meet;
      const BlockId outside = collect(level, at, enter, region);
      if (outside != kNone) {  // control enters the region from elsewhere, too: begin further up
        const BlockId up = outside == at ? dominators_.idom(at) : dominators_.nearest_common(at, outside);
        if (up == at) return {};
        at = up;
        continue;
      }
      if (!enter) tighten(level, at, branches, region);
      return finish(region) ? std::optional(std::move(region)) : std::nullopt;
    }
    return {};
  }

  // Fills region.blocks: what lies on ways from `at` to the meeting place. kNone, or a block that `at` does not
  // dominate
  // (`at` itself: it lies on a cycle).
  BlockId collect(uint32_t level, BlockId at, bool enter, Region& region) {
    region.blocks.clear();
    region.start = enter ? kNone : at;
    region.entry = enter ? at : kNone;
    begin_marks();
    std::vector<BlockId> work, back;
    const auto visit = [&](BlockId from, BlockId b) {
      if (b == region.meet) back.push_back(from);
      else if (b != header(level) && inside(level, b) && set_mark(b, 1)) work.push_back(b);
    };
    if (enter) visit(kNone, at);
    else
      for (BlockId s : g_.succs[at]) visit(at, s);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (BlockId s : g_.succs[b]) visit(b, s);
    }
    while (!back.empty()) {
      const BlockId b = back.back();
      back.pop_back();
      if (mark_[b] != epoch_ + 1 || !set_mark(b, 2)) continue;
      if (!dominators_.dominates(at, b) || (b == at && !enter)) return b;
      region.blocks.push_back(b);
      for (BlockId p : g_.preds[b])
        if (mark_[p] == epoch_ + 1) back.push_back(p);
    }
    std::sort(region.blocks.begin(), region.blocks.end());
    return kNone;
  }

  // Where only one way from `at` leads inside, and no branch that we gather for stands there, arm on that way.
  void tighten(uint32_t level, BlockId at, const std::vector<BlockId>& branches, Region& region) {
    if (std::find(branches.begin(), branches.end(), at) != branches.end()) return;
    BlockId way = kNone;
    unsigned ways = 0, others = 0;
    for (BlockId s : g_.succs[at]) {
      if (region.contains(s)) way = s, ways++;
      else others++;
    }
    if (ways != 1 || others == 0 || way == header(level)) return;
    Region other;
    other.meet = region.meet;
    if (collect(level, way, true, other) == kNone && other.blocks == region.blocks) region = std::move(other);
  }

  bool finish(Region& region) {
    std::vector<BlockId> from = region.blocks;
    if (region.start != kNone) from.push_back(region.start);
    for (BlockId b : from) {
      const std::vector<BlockId>& targets = f_.blocks[b].end.targets;
      for (uint32_t slot = 0; slot < targets.size(); slot++) {
        const BlockId t = targets[slot];
        if (t == region.meet) region.syncs.push_back({b, slot});
        else if (!region.contains(t) && !is_final(t)) region.breaks.push_back({b, slot});
      }
    }
    if (region.entry != kNone)
      for (BlockId p : g_.preds[region.entry]) {
        if (region.contains(p)) continue;
        for (uint32_t slot = 0; slot < f_.blocks[p].end.targets.size(); slot++)
          if (f_.blocks[p].end.targets[slot] == region.entry) region.arms.push_back({p, slot});
      }
    if (region.arms.size() == 1 && g_.succs[region.arms[0].from].size() == 1) {  // the same, without another block
      region.start = region.arms[0].from;
      region.entry = kNone;
      region.arms.clear();
    }
    return !region.syncs.empty();
  }

  // Lanes end here right away, without a call on the way: they may stay on the list.
  bool is_final(BlockId b) const {
    const mir::Block& block = f_.blocks[b];
    return (block.end.kind == Kind::Exit || block.end.kind == Kind::Unreachable) &&
           std::none_of(block.body.begin(), block.body.end(),
                        [](const mir::Instruction& i) { return i.pseudo == mir::Pseudo::Call; });
  }

  void begin_marks() { epoch_ += 4; }
  bool set_mark(BlockId b, uint32_t value) {
    if (mark_[b] >= epoch_ + value) return false;
    mark_[b] = epoch_ + value;
    return true;
  }

  const mir::Function& f_;
  const Graph& g_;
  const PostDominators& post_;
  const Divergence& divergence_;
  DominatorTree dominators_;
  LoopNest loops_;
  std::vector<std::optional<IterationPostDominators>> iterations_;
  std::map<std::pair<uint32_t, BlockId>, std::vector<BlockId>> groups_;  // (level, meeting place): branches
  std::vector<uint32_t> mark_;
  uint32_t epoch_ = 0;
  Regions out_;
};

}  // namespace

Regions find_regions(const mir::Function& f, const Graph& g, const PostDominators& post, const Divergence& divergence) {
  return Finder(f, g, post, divergence).run();
}

}  // namespace heddle::compiler
