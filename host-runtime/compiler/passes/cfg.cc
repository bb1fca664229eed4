// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/cfg.h"

#include <algorithm>
#include <utility>

namespace heddle::compiler {

using mir::kNone;

Graph block_graph(const mir::Function& f) {
  Graph g(f.blocks.size());
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    const std::vector<BlockId>& targets = f.blocks[b].end.targets;
    for (size_t n = 0; n < targets.size(); n++)
      if (std::find(targets.begin(), targets.begin() + static_cast<ptrdiff_t>(n), targets[n]) ==
          targets.begin() + static_cast<ptrdiff_t>(n))
        g.edge(b, targets[n]);
  }
  return g;
}

std::vector<BlockId> reverse_post_order(const Graph& g, BlockId root) {
  std::vector<BlockId> order;
  std::vector<char> seen(g.size());
  std::vector<std::pair<BlockId, size_t>> stack{{root, 0}};
  seen[root] = 1;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == g.succs[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const BlockId s = g.succs[node][next++];
    if (!seen[s]) {
      seen[s] = 1;
      stack.push_back({s, 0});
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm".
DominatorTree::DominatorTree(const Graph& g, BlockId root)
    : idom_(g.size(), kNoNode), depth_(g.size()), in_(g.size()), out_(g.size()) {
  const std::vector<BlockId> order = reverse_post_order(g, root);
  std::vector<uint32_t> position(g.size(), kNone);
  for (uint32_t n = 0; n < order.size(); n++) position[order[n]] = n;
  idom_[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId b : order) {
      if (b == root) continue;
      BlockId best = kNoNode;
      for (BlockId p : g.preds[b]) {
        if (position[p] == kNone || idom_[p] == kNoNode) continue;
        if (best == kNoNode) {
          best = p;
          continue;
        }
        BlockId x = p;
        while (x != best) {
          while (position[x] > position[best]) x = idom_[x];
          while (position[best] > position[x]) best = idom_[best];
        }
      }
      if (idom_[b] != best) {
        idom_[b] = best;
        changed = true;
      }
    }
  }
  idom_[root] = kNoNode;
  std::vector<std::vector<BlockId>> children(g.size());
  for (BlockId b : order)
    if (b != root) children[idom_[b]].push_back(b);
  uint32_t clock = 0;
  std::vector<std::pair<BlockId, size_t>> stack{{root, 0}};
  depth_[root] = 1;
  in_[root] = clock++;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == children[node].size()) {
      out_[node] = clock++;
      stack.pop_back();
      continue;
    }
    const BlockId c = children[node][next++];
    depth_[c] = depth_[node] + 1;
    in_[c] = clock++;
    stack.push_back({c, 0});
  }
}

bool DominatorTree::dominates(BlockId a, BlockId b) const {
  return reaches(a) && reaches(b) && in_[a] <= in_[b] && out_[b] <= out_[a];
}

BlockId DominatorTree::nearest_common(BlockId a, BlockId b) const {
  if (!reaches(a) || !reaches(b)) return kNoNode;
  while (a != b) {
    if (depth_[a] < depth_[b]) std::swap(a, b);
    a = idom_[a];
  }
  return a;
}

namespace {

// How many blocks lead to `b`.
size_t leading_to(const Graph& g, BlockId b) {
  std::vector<char> seen(g.size());
  std::vector<BlockId> work{b};
  size_t count = 0;
  while (!work.empty()) {
    const BlockId x = work.back();
    work.pop_back();
    if (seen[x]) continue;
    seen[x] = 1;
    count++;
    work.insert(work.end(), g.preds[x].begin(), g.preds[x].end());
  }
  return count;
}

// The reversed graph with the virtual exit as its root.
Graph reversed_with_exit(const mir::Function& f, const Graph& g) {
  const auto n = static_cast<BlockId>(g.size());
  const std::vector<BlockId> order = reverse_post_order(g, 0);
  // The way out that counts: a return if there is one, else the exit that most blocks lead to.
  std::vector<char> counts(n);
  bool any = false;
  for (BlockId b : order)
    if (f.blocks[b].end.kind == mir::Terminator::Kind::Return) {
      counts[b] = 1;
      any = true;
    }
  for (const auto kind : {mir::Terminator::Kind::Exit, mir::Terminator::Kind::Unreachable}) {
    if (any) break;
    BlockId best = kNone;
    size_t most = 0;
    for (BlockId b = 0; b < n; b++) {
      if (f.blocks[b].end.kind != kind) continue;
      const size_t from = leading_to(g, b);
      if (from >= most) {
        most = from;
        best = b;
      }
    }
    if (best != kNone) {
      counts[best] = 1;
      any = true;
    }
  }
  // Blocks from which a way out that counts is reached.
  std::vector<char> alive(counts);
  std::vector<BlockId> work;
  for (BlockId b = 0; b < n; b++)
    if (alive[b]) work.push_back(b);
  auto flood = [&] {
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (BlockId p : g.preds[b])
        if (!alive[p]) {
          alive[p] = 1;
          work.push_back(p);
        }
    }
  };
  flood();
  Graph out(n + 1u);
  // Edges run backward: from the exit to what ends, from a block to its predecessors. A block that
  // does not reach the way out hangs on the exit, and its predecessors ignore it where they can go on.
  for (BlockId b = 0; b < n; b++) {
    if (counts[b] || !alive[b]) out.edge(n, b);
    for (BlockId s : g.succs[b])
      if (alive[s] || !alive[b]) out.edge(s, b);
  }
  return out;
}

}  // namespace

PostDominators::PostDominators(const mir::Function& f, const Graph& g)
    : exit_(static_cast<BlockId>(g.size())), tree_(reversed_with_exit(f, g), exit_) {}

LoopNest::LoopNest(const Graph& g, BlockId root)
    : innermost_(g.size(), kNone), level_(g.size(), kNone), cut_(g.size()) {
  const std::vector<BlockId> nodes = reverse_post_order(g, root);
  find(g, nodes, kNone);
}

// Tarjan's components of the sub-graph of `nodes`, edges into cut headers left out. Each component with a
// cycle is a loop; its headers (entered from outside, or first in order) are cut and its inside searched.
void LoopNest::find(const Graph& g, const std::vector<BlockId>& nodes, uint32_t parent) {
  struct Frame {
    BlockId node;
    size_t next;
  };
  const uint32_t level = next_level_++;
  for (BlockId b : nodes) level_[b] = level;
  std::vector<std::vector<BlockId>> components;
  std::vector<uint32_t> index(g.size(), kNone), low(g.size());
  std::vector<char> on_stack(g.size());
  std::vector<BlockId> path;
  std::vector<Frame> stack;
  uint32_t clock = 0;
  auto inside = [&](BlockId b) { return level_[b] == level && !cut_[b]; };
  for (BlockId start : nodes) {
    if (index[start] != kNone) continue;
    stack.push_back({start, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const BlockId b = frame.node;
      if (frame.next == 0) {
        index[b] = low[b] = clock++;
        path.push_back(b);
        on_stack[b] = 1;
      }
      bool descended = false;
      while (frame.next < g.succs[b].size()) {
        const BlockId s = g.succs[b][frame.next++];
        if (!inside(s)) continue;
        if (index[s] == kNone) {
          stack.push_back({s, 0});
          descended = true;
          break;
        }
        if (on_stack[s]) low[b] = std::min(low[b], index[s]);
      }
      if (descended) continue;
      if (frame.next == 0) frame.next = 1;
      stack.pop_back();
      if (!stack.empty()) low[stack.back().node] = std::min(low[stack.back().node], low[b]);
      if (low[b] != index[b]) continue;
      std::vector<BlockId> component;
      BlockId top;
      do {
        top = path.back();
        path.pop_back();
        on_stack[top] = 0;
        component.push_back(top);
      } while (top != b);
      const bool self = std::find(g.succs[b].begin(), g.succs[b].end(), b) != g.succs[b].end();
      if (component.size() > 1 || (self && inside(b))) components.push_back(std::move(component));
    }
  }
  for (std::vector<BlockId>& component : components) {
    const auto id = static_cast<uint32_t>(loops_.size());
    loops_.emplace_back();
    Loop loop;
    loop.parent = parent;
    loop.depth = parent == kNone ? 1 : loops_[parent].depth + 1;
    for (BlockId b : component) innermost_[b] = id;
    for (BlockId b : component)
      for (BlockId p : g.preds[b])
        if (innermost_[p] != id) {
          loop.headers.push_back(b);
          break;
        }
    if (loop.headers.empty()) loop.headers.push_back(component.back());
    loop.blocks = component;
    for (BlockId b : loop.headers) cut_[b] = 1;
    loops_[id] = std::move(loop);
    // `component` stays the search space: its headers are cut, so their back edges are gone.
    find(g, component, id);
    for (BlockId b : loops_[id].headers) cut_[b] = 0;
  }
}

bool LoopNest::contains(uint32_t loop, BlockId b) const {
  for (uint32_t l = innermost_[b]; l != kNone; l = loops_[l].parent)
    if (l == loop) return true;
  return false;
}

double LoopNest::frequency(BlockId b) const {
  double f = 1;
  for (uint32_t d = std::min(depth(b), 6u); d > 0; d--) f *= 8;
  return f;
}

std::vector<double> block_frequencies(const mir::Function& f) {
  constexpr double kRare = 1.0 / 64;  // how often such a block is reached where others are
  const LoopNest loops(block_graph(f), 0);
  std::vector<double> frequency;
  for (BlockId b = 0; b < f.blocks.size(); b++)
    frequency.push_back(loops.frequency(b) * (f.blocks[b].rare ? kRare : 1));
  return frequency;
}

}  // namespace heddle::compiler
