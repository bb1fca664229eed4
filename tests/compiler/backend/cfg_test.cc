// SPDX-License-Identifier: Apache-2.0
// Dominators, post-dominators and loops against their definitions, on random graphs (most of them irreducible).
#include "host-runtime/compiler/passes/cfg.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/cfg_cleanup.h"

namespace heddle::compiler {
namespace {

using mir::Builder;
using mir::Pred;

uint64_t seed() {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t value = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

Graph random_graph(std::mt19937_64& random, size_t nodes) {
  Graph g(nodes);
  for (BlockId b = 0; b < nodes; b++)
    for (size_t n = random() % 3; n > 0; n--) {
      const auto to = static_cast<BlockId>(1 + random() % (nodes - 1));
      if (std::find(g.succs[b].begin(), g.succs[b].end(), to) == g.succs[b].end()) g.edge(b, to);
    }
  return g;
}

// Nodes that `from` reaches when `without` is taken away.
std::vector<char> reached(const Graph& g, BlockId from, BlockId without) {
  std::vector<char> seen(g.size());
  std::vector<BlockId> work;
  if (from != without) work.push_back(from);
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    if (seen[b]) continue;
    seen[b] = 1;
    for (BlockId s : g.succs[b])
      if (s != without) work.push_back(s);
  }
  return seen;
}

TEST(Dominators, AgreeWithTheirDefinitionOnRandomGraphs) {
  std::mt19937_64 random(seed());
  for (int n = 0; n < 300; n++) {
    const Graph g = random_graph(random, 2 + random() % 14);
    const DominatorTree tree(g, 0);
    const std::vector<char> all = reached(g, 0, mir::kNone);
    for (BlockId a = 0; a < g.size(); a++) {
      const std::vector<char> rest = reached(g, 0, a);
      for (BlockId b = 0; b < g.size(); b++)
        ASSERT_EQ(tree.dominates(a, b), all[a] && all[b] && !rest[b]) << "graph " << n << ": " << a << " over " << b;
    }
  }
}

TEST(Dominators, NearestCommonDominatesBothAndIsNearest) {
  std::mt19937_64 random(seed());
  for (int n = 0; n < 200; n++) {
    const Graph g = random_graph(random, 12);
    const DominatorTree tree(g, 0);
    for (BlockId a = 0; a < g.size(); a++)
      for (BlockId b = 0; b < g.size(); b++) {
        if (!tree.reaches(a) || !tree.reaches(b)) continue;
        const BlockId c = tree.nearest_common(a, b);
        ASSERT_TRUE(tree.dominates(c, a) && tree.dominates(c, b));
        for (BlockId d = 0; d < g.size(); d++) {
          const bool common = tree.dominates(d, a) && tree.dominates(d, b);
          ASSERT_TRUE(!common || tree.dominates(d, c));
        }
      }
  }
}

TEST(LoopNest, HoldsExactlyTheBlocksOnCycles) {
  std::mt19937_64 random(seed());
  for (int n = 0; n < 300; n++) {
    const Graph g = random_graph(random, 10);
    const LoopNest loops(g, 0);
    const std::vector<char> all = reached(g, 0, mir::kNone);
    for (BlockId b = 0; b < g.size(); b++) {
      bool cycle = false;
      for (BlockId s : g.succs[b]) cycle = cycle || reached(g, s, mir::kNone)[b];
      ASSERT_EQ(loops.depth(b) > 0, all[b] && cycle) << "graph " << n << " block " << b;
    }
  }
}

TEST(LoopNest, NestsAnInnerLoop) {
  Graph g(5);  // 0 -> 1 -> 2 -> 2, 2 -> 3 -> 1, 3 -> 4
  g.edge(0, 1), g.edge(1, 2), g.edge(2, 2), g.edge(2, 3), g.edge(3, 1), g.edge(3, 4);
  const LoopNest loops(g, 0);
  EXPECT_EQ(loops.depth(0), 0u);
  EXPECT_EQ(loops.depth(1), 1u);
  EXPECT_EQ(loops.depth(2), 2u);
  EXPECT_EQ(loops.depth(3), 1u);
  EXPECT_EQ(loops.depth(4), 0u);
  EXPECT_EQ(loops.loops()[loops.innermost(2)].parent, loops.innermost(1));
}

TEST(LoopNest, TakesAnIrreducibleCycleAsOneLoopOfTwoHeaders) {
  Graph g(4);  // 0 enters the cycle 1 <-> 2 at both
  g.edge(0, 1), g.edge(0, 2), g.edge(1, 2), g.edge(2, 1), g.edge(2, 3);
  const LoopNest loops(g, 0);
  EXPECT_EQ(loops.innermost(1), loops.innermost(2));
  EXPECT_EQ(loops.loops()[loops.innermost(1)].headers.size(), 2u);
}

TEST(BlockFrequencies, AreThoseOfLoopsAndSmallWhereABlockIsRare) {
  mir::Function f;
  mir::Builder b(f);
  const BlockId entry = b.new_block(), loop = b.new_block(), slow = b.new_block(), end = b.new_block();
  const mir::VReg p = b.pred();
  b.set_block(entry), b.jump(loop);
  b.set_block(loop), b.branch({p, false}, slow, end);
  b.set_block(slow), b.jump(loop);
  b.set_block(end), b.exit();
  f.blocks[slow].rare = true;
  EXPECT_EQ(block_frequencies(f), (std::vector<double>{1, 8, 8.0 / 64, 1}));
}

// A kernel whose block 0 may leave early: branch to `out` (exits) or on to a diamond that meets in `meet`.
TEST(PostDominators, IgnoreEarlyExits) {
  mir::Function f;
  f.is_kernel = true;
  Builder b(f);
  const mir::VReg p = b.pred();
  const BlockId entry = b.new_block(), left = b.new_block(), right = b.new_block(), out = b.new_block(),
                more = b.new_block(), meet = b.new_block();
  b.set_block(entry), b.branch({p, false}, left, right);
  b.set_block(left), b.branch({p, false}, out, more);
  b.set_block(out), b.exit();
  b.set_block(more), b.jump(meet);
  b.set_block(right), b.jump(meet);
  b.set_block(meet), b.exit();
  const Graph g = block_graph(f);
  const PostDominators post(f, g);
  EXPECT_EQ(post.ipdom(entry), meet);
  EXPECT_EQ(post.ipdom(left), more);
  EXPECT_EQ(post.ipdom(meet), post.exit_node());
}

TEST(PostDominators, GiveBlocksOfAnEndlessLoopTheExit) {
  mir::Function f;
  f.is_kernel = true;
  Builder b(f);
  const mir::VReg p = b.pred();
  const BlockId entry = b.new_block(), loop = b.new_block(), done = b.new_block();
  b.set_block(entry), b.branch({p, false}, loop, done);
  b.set_block(loop), b.jump(loop);
  b.set_block(done), b.exit();
  const Graph g = block_graph(f);
  const PostDominators post(f, g);
  EXPECT_EQ(post.ipdom(loop), post.exit_node());
  EXPECT_EQ(post.ipdom(entry), done);
}

TEST(CfgCleanup, TurnsABranchToTheEndIntoAGuardedExit) {
  mir::Function f;
  f.is_kernel = true;
  Builder b(f);
  const mir::VReg p = b.pred();
  const BlockId entry = b.new_block(), work = b.new_block(), end = b.new_block();
  b.set_block(entry), b.branch({p, false}, end, work);
  b.set_block(work), b.op(isa::Opcode::Membar, {}), b.jump(end);
  b.set_block(end), b.exit();
  clean_up_cfg(f);
  ASSERT_EQ(f.blocks.size(), 1u);
  ASSERT_EQ(f.blocks[0].body.size(), 2u);
  EXPECT_TRUE(f.blocks[0].body[0].is(isa::Opcode::Exit));
  EXPECT_EQ(f.blocks[0].body[0].guard, (Pred{p, false}));
  EXPECT_EQ(f.blocks[0].end.kind, mir::Terminator::Kind::Exit);
}

TEST(CfgCleanup, GivesDeviceFunctionsOneReturn) {
  mir::Function f;
  Builder b(f);
  const mir::VReg p = b.pred();
  const BlockId entry = b.new_block(), one = b.new_block(), two = b.new_block();
  b.set_block(entry), b.branch({p, false}, one, two);
  b.set_block(one), b.op(isa::Opcode::Membar, {}), b.ret();
  b.set_block(two), b.ret();
  unify_returns(f);
  int returns = 0;
  for (const mir::Block& block : f.blocks) returns += block.end.kind == mir::Terminator::Kind::Return;
  EXPECT_EQ(returns, 1);
}

// Its first block branches to one of the others.
mir::Function indexed(BlockId targets) {
  mir::Function f;
  f.is_kernel = true;
  Builder b(f);
  std::vector<BlockId> to;
  b.set_block(b.new_block());
  for (BlockId n = 0; n < targets; n++) to.push_back(b.new_block());
  b.indexed(b.reg(b.r32()), to);
  for (BlockId t : to) b.set_block(t), b.exit();
  return f;
}

TEST(CfgCleanup, LowersAnIndexedBranchToCompares) {
  mir::Function f = indexed(5);
  lower_indexed_branches(f);
  int branches = 0;
  for (const mir::Block& block : f.blocks) {
    EXPECT_NE(block.end.kind, mir::Terminator::Kind::Indexed);
    branches += block.end.kind == mir::Terminator::Kind::Branch;
  }
  EXPECT_EQ(branches, 4);
}

TEST(CfgCleanup, MakesATableOfAnIndexedBranchWithManyTargets) {
  mir::Function f = indexed(20);
  lower_indexed_branches(f);
  const mir::Block& entry = f.blocks[0];
  EXPECT_EQ(entry.end.kind, mir::Terminator::Kind::Indexed);
  const std::vector<BlockId> targets = entry.end.targets;
  EXPECT_EQ(targets.size(), 20u);
  address_branch_tables(f);
  EXPECT_EQ(entry.end.kind, mir::Terminator::Kind::Table);
  EXPECT_EQ(entry.end.targets, targets);
  ASSERT_EQ(entry.body.size(), 2u);
  EXPECT_TRUE(entry.body[0].b.is_table());
  EXPECT_EQ(entry.body[1].dst, entry.end.index);
}

}  // namespace
}  // namespace heddle::compiler
