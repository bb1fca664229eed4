// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/cfg_cleanup.h"

#include <algorithm>
#include <set>
#include <utility>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

using mir::Block;
using mir::BlockId;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Terminator;
using Kind = mir::Terminator::Kind;

namespace {

constexpr size_t kCompared = 7;  // targets of an indexed branch; more get a table

// A tree over targets[first, last) written at the end of block `at`.
void compare_tree(Function& f, BlockId at, const Terminator& t, size_t first, size_t last) {
  mir::Builder b(f);
  b.set_block(at);
  b.set_loc(t.loc);
  if (last - first == 1) return b.jump(t.targets[first]);
  const size_t middle = (first + last) / 2;
  const mir::VReg low = b.pred();
  b.op(isa::Opcode::Isetp, {}, t.index, mir::imm(static_cast<int64_t>(middle))).set("cmp", isa::ICmp::Lt).pd(low);
  const BlockId left = b.new_block();
  const BlockId right = b.new_block();
  b.branch({low, false}, left, right, t.uniform);
  compare_tree(f, left, t, first, middle);
  compare_tree(f, right, t, middle, last);
}

bool is_empty_exit(const Block& b) { return b.body.empty() && b.end.kind == Kind::Exit; }

// Where a jump to `b` ends up when empty blocks are skipped.
BlockId skip_empty(const Function& f, BlockId b) {
  for (size_t hops = 0; hops < f.blocks.size(); hops++) {
    const Block& block = f.blocks[b];
    if (!block.body.empty() || block.end.kind != Kind::Jump || block.end.targets[0] == b) return b;
    b = block.end.targets[0];
  }
  return b;
}

void simplify_terminator(Function& f, Block& block) {
  Terminator& t = block.end;
  for (BlockId& target : t.targets) target = skip_empty(f, target);
  if (t.kind == Kind::Branch && (t.targets[0] == t.targets[1] || !t.cond.present())) {
    const BlockId target = t.targets[t.cond.present() || !t.cond.negated ? 0 : 1];
    t.kind = Kind::Jump;
    t.cond = {};
    t.targets = {target};
  }
  if (t.kind == Kind::Branch && f.is_kernel) {
    for (int side = 0; side < 2; side++) {
      if (!is_empty_exit(f.blocks[t.targets[static_cast<size_t>(side)]])) continue;
      Instruction exit;
      exit.op = isa::Opcode::Exit;
      exit.guard = side == 0 ? t.cond : !t.cond;
      exit.loc = t.loc;
      block.body.push_back(exit);
      const BlockId other = t.targets[static_cast<size_t>(1 - side)];
      t.kind = Kind::Jump;
      t.cond = {};
      t.targets = {other};
      break;
    }
  }
  if (t.kind == Kind::Jump && is_empty_exit(f.blocks[t.targets[0]])) {
    t.kind = Kind::Exit;
    t.targets.clear();
  }
}

// Appends to each block the only successor that it is the only predecessor of.
void merge_chains(Function& f) {
  std::vector<unsigned> preds(f.blocks.size());
  for (const Block& b : f.blocks)
    for (BlockId t : b.end.targets) preds[t]++;
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    if (b != 0 && preds[b] == 0) continue;
    Block& block = f.blocks[b];
    while (block.end.kind == Kind::Jump) {
      const BlockId next = block.end.targets[0];
      if (next == b || next == 0 || preds[next] != 1) break;
      Block& tail = f.blocks[next];
      block.body.insert(block.body.end(), std::make_move_iterator(tail.body.begin()),
                        std::make_move_iterator(tail.body.end()));
      block.end = std::move(tail.end);
      tail.body.clear();
      tail.end = Terminator{};
      tail.end.kind = Kind::Unreachable;
      preds[next] = 0;
    }
  }
}

void remove_unreached(Function& f) {
  const std::vector<BlockId> order = reverse_post_order(block_graph(f), 0);
  if (order.size() == f.blocks.size()) return;
  std::vector<char> reached(f.blocks.size());
  for (BlockId b : order) reached[b] = 1;
  std::vector<BlockId> number(f.blocks.size(), kNone);
  std::vector<Block> kept;
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    if (!reached[b]) continue;
    number[b] = static_cast<BlockId>(kept.size());
    kept.push_back(std::move(f.blocks[b]));
  }
  for (Block& b : kept)
    for (BlockId& t : b.end.targets) t = number[t];
  f.blocks = std::move(kept);
}

}  // namespace

void lower_indexed_branches(Function& f) {
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    if (f.blocks[b].end.kind != Kind::Indexed || f.blocks[b].end.targets.size() > kCompared) continue;
    const Terminator t = std::move(f.blocks[b].end);
    compare_tree(f, b, t, 0, t.targets.size());
  }
}

void address_branch_tables(Function& f) {
  for (BlockId at = 0; at < f.blocks.size(); at++) {
    if (f.blocks[at].end.kind != Kind::Indexed) continue;
    mir::Builder b(f);
    b.set_block(at);
    b.set_loc(f.blocks[at].end.loc);
    const mir::Operand table = b.reg(b.r32()), place = b.reg(b.r32());
    b.op(isa::Opcode::Mov, table, {}, mir::block_table(at));
    b.op(isa::Opcode::Imad, place, f.blocks[at].end.index, mir::imm(isa::kInstructionBytes), table);
    f.blocks[at].end.index = place;
    f.blocks[at].end.kind = Kind::Table;
  }
}

void unify_returns(Function& f) {
  BlockId common = kNone;
  size_t returns = 0;
  for (const Block& b : f.blocks) returns += b.end.kind == Kind::Return;
  if (returns < 2) return;
  const size_t before = f.blocks.size();
  common = static_cast<BlockId>(before);
  f.blocks.emplace_back();
  f.blocks.back().name = "return";
  for (size_t b = 0; b < before; b++) {
    Terminator& t = f.blocks[b].end;
    if (t.kind != Kind::Return) continue;
    f.blocks.back().end = t;
    t.kind = Kind::Jump;
    t.targets = {common};
  }
}

void clean_up_cfg(Function& f) {
  remove_unreached(f);
  for (Block& b : f.blocks) simplify_terminator(f, b);
  merge_chains(f);
  for (Block& b : f.blocks) simplify_terminator(f, b);
  remove_unreached(f);
}

void order_blocks(Function& f) {
  const Graph graph = block_graph(f);
  const DominatorTree dominators(graph, 0);
  const auto count = static_cast<BlockId>(f.blocks.size());
  const auto counts = [&](BlockId from, BlockId to) {
    return !f.blocks[from].rare && dominators.reaches(from) && dominators.reaches(to) &&
           !dominators.dominates(to, from);
  };
  std::vector<unsigned> waiting(count);
  for (BlockId b = 0; b < count; b++)
    for (BlockId to : graph.succs[b]) waiting[to] += counts(b, to);
  std::set<BlockId> ready, rest;
  for (BlockId b = 0; b < count; b++) (waiting[b] == 0 ? ready : rest).insert(b);
  std::vector<BlockId> place(count);
  std::vector<BlockId> order;
  while (order.size() < count) {
    if (ready.empty()) ready.insert(*rest.begin());  // an irreducible loop: somewhere it begins
    const BlockId b = *ready.begin();
    ready.erase(b);
    rest.erase(b);
    place[b] = static_cast<BlockId>(order.size());
    order.push_back(b);
    for (BlockId to : graph.succs[b])
      if (counts(b, to) && --waiting[to] == 0 && rest.erase(to)) ready.insert(to);
  }
  std::vector<Block> blocks;
  for (BlockId b : order) blocks.push_back(std::move(f.blocks[b]));
  for (Block& block : blocks)
    for (BlockId& to : block.end.targets) to = place[to];
  f.blocks = std::move(blocks);
}

}  // namespace heddle::compiler
