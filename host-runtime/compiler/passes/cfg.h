// SPDX-License-Identifier: Apache-2.0
// The control flow graph of a function and what is computed from its shape: dominators, post-dominators,
// loop nest. All of it holds for irreducible graphs. Invalid once a terminator changes.
#pragma once

#include <vector>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

using mir::BlockId;

// A graph by numbers; node 0 … n-1.
struct Graph {
  std::vector<std::vector<BlockId>> succs;
  std::vector<std::vector<BlockId>> preds;

  explicit Graph(size_t nodes) : succs(nodes), preds(nodes) {}
  void edge(BlockId from, BlockId to) {
    succs[from].push_back(to);
    preds[to].push_back(from);
  }
  size_t size() const { return succs.size(); }
};

// Duplicate edges (a branch whose targets are one block) are kept once.
Graph block_graph(const mir::Function& f);

// Reverse post-order from `root`; nodes that it does not reach are left out.
std::vector<BlockId> reverse_post_order(const Graph& g, BlockId root);

// Dominators of the nodes that `root` reaches. For post-dominators: of the reversed graph.
class DominatorTree {
 public:
  DominatorTree(const Graph& g, BlockId root);

  static constexpr BlockId kNoNode = mir::kNone;
  // kNoNode for the root and for nodes that the root does not reach.
  BlockId idom(BlockId b) const { return idom_[b]; }
  bool reaches(BlockId b) const { return depth_[b] != 0; }
  // Every node dominates itself; false when the root does not reach one of them.
  bool dominates(BlockId a, BlockId b) const;
  BlockId nearest_common(BlockId a, BlockId b) const;

 private:
  std::vector<BlockId> idom_;
  std::vector<uint32_t> depth_;  // 1 for the root, 0: not reached
  std::vector<uint32_t> in_, out_;
};

// Post-dominators of a function. A virtual exit node (number blocks.size()) ends all paths.
// Blocks from which control never reaches the exit (endless loops) are given an edge to it.
// Paths that only end threads early (exit, unreachable) are not counted where another way goes on: ending
// lanes leave every convergence barrier, so nobody waits for them.
class PostDominators {
 public:
  PostDominators(const mir::Function& f, const Graph& g);
  BlockId exit_node() const { return exit_; }
  // kNoNode when unknown; exit_node() when control only meets at the end.
  BlockId ipdom(BlockId b) const { return tree_.idom(b); }
  bool post_dominates(BlockId a, BlockId b) const { return tree_.dominates(a, b); }

 private:
  BlockId exit_;
  DominatorTree tree_;
};

struct Loop {
  uint32_t parent = mir::kNone;  // index of the enclosing loop
  uint32_t depth = 1;
  std::vector<BlockId> headers;  // more than one: irreducible
  std::vector<BlockId> blocks;   // all, also of inner loops
};

// The loop nest by repeated strongly connected components.
class LoopNest {
 public:
  LoopNest(const Graph& g, BlockId root);
  const std::vector<Loop>& loops() const { return loops_; }
  // The innermost loop of a block, mir::kNone outside of loops.
  uint32_t innermost(BlockId b) const { return innermost_[b]; }
  uint32_t depth(BlockId b) const { return innermost_[b] == mir::kNone ? 0 : loops_[innermost_[b]].depth; }
  bool contains(uint32_t loop, BlockId b) const;
  // Estimated executions of the block relative to the entry: 8 per loop level, at most 8^6.
  double frequency(BlockId b) const;

 private:
  void find(const Graph& g, const std::vector<BlockId>& nodes, uint32_t parent);
  std::vector<Loop> loops_;
  std::vector<uint32_t> innermost_;
  std::vector<uint32_t> level_;  // scratch of find(): which sub-problem a node belongs to
  std::vector<char> cut_;        // headers already taken out
  uint32_t next_level_ = 0;
};

// The same estimate of all blocks; rare ones are reached less often than those around them.
std::vector<double> block_frequencies(const mir::Function& f);

}  // namespace heddle::compiler
