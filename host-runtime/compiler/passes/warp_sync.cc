// SPDX-License-Identifier: Apache-2.0
// A kernel's lanes start together. They part at a divergent branch, at a control instruction of which a guard
// leaves some out, and in functions, which lanes may leave one by one; to meet at a convergence barrier is no
// promise. Whatever can come after one of these keeps its WARPSYNCs. Lanes that end part from nobody.
#include "host-runtime/compiler/passes/warp_sync.h"

#include <algorithm>
#include <vector>

#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/divergence.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;

namespace {

bool parts_lanes(const Instruction& i) {
  if (i.pseudo == mir::Pseudo::Call) return true;
  if (i.pseudo != mir::Pseudo::None || i.info().unit != isa::Unit::Ctl || !i.guard.present()) return false;
  return i.op != Opcode::Exit && i.op != Opcode::Trap;
}

}  // namespace

unsigned drop_warp_syncs(mir::Function& f) {
  if (!f.is_kernel) return 0;
  const auto is_sync = [](const Instruction& i) { return i.is(Opcode::Warpsync); };
  if (std::none_of(f.blocks.begin(), f.blocks.end(),
                   [&](const mir::Block& b) { return std::any_of(b.body.begin(), b.body.end(), is_sync); }))
    return 0;
  const Graph graph = block_graph(f);
  const PostDominators post(f, graph);
  const Divergence divergence = find_divergence(f, graph, post, true);
  // Blocks that lanes may enter apart.
  std::vector<char> apart(f.blocks.size());
  std::vector<BlockId> work;
  const auto enter = [&](BlockId b) {
    if (!apart[b]) apart[b] = 1, work.push_back(b);
  };
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    const std::vector<Instruction>& body = f.blocks[b].body;
    if (divergence.branch[b] || std::any_of(body.begin(), body.end(), parts_lanes))
      for (BlockId next : graph.succs[b]) enter(next);
  }
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (BlockId next : graph.succs[b]) enter(next);
  }
  unsigned dropped = 0;
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    if (apart[b]) continue;
    std::vector<Instruction>& body = f.blocks[b].body;
    const auto end = std::find_if(body.begin(), body.end(), parts_lanes);
    const auto left = std::remove_if(body.begin(), end, is_sync);
    dropped += static_cast<unsigned>(end - left);
    body.erase(left, end);
  }
  return dropped;
}

}  // namespace heddle::compiler
