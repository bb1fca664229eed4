// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/liveness.h"

#include <algorithm>
#include <bit>

namespace heddle::compiler {

using mir::Accesses;
using mir::kNone;
using mir::Unit;
using mir::UnitRange;

Liveness::Liveness(const mir::Function& f, const mir::Units& units, const Graph& g) {
  const size_t blocks = f.blocks.size();
  // Units read before they are written in some block: only these can be live between blocks.
  std::vector<uint32_t> dense(units.count(), kNone);
  std::vector<uint32_t> written(units.count(), kNone);  // block of the last write
  std::vector<std::vector<Unit>> gen(blocks), kill(blocks);
  Accesses a;
  for (BlockId b = 0; b < blocks; b++) {
    auto reads = [&] {
      for (const UnitRange& r : a.reads)
        for (Unit u = r.first; u < r.first + r.count; u++) {
          if (written[u] == b) continue;
          if (dense[u] == kNone) {
            dense[u] = static_cast<uint32_t>(global_.size());
            global_.push_back(u);
          }
          gen[b].push_back(u);
        }
    };
    for (const mir::Instruction& i : f.blocks[b].body) {
      a.collect(f, units, i);
      reads();
      if (a.conditional) continue;
      for (const UnitRange& w : a.writes)
        for (Unit u = w.first; u < w.first + w.count; u++)
          if (written[u] != b) {
            written[u] = b;
            kill[b].push_back(u);
          }
    }
    a.collect(f, units, f.blocks[b].end);
    reads();
  }
  const size_t words = (global_.size() + 63) / 64;
  in_.assign(blocks, Bits(words));
  out_.assign(blocks, Bits(words));
  std::vector<Bits> keep(blocks, Bits(words, ~uint64_t{0}));
  for (BlockId b = 0; b < blocks; b++) {
    for (Unit u : kill[b])
      if (dense[u] != kNone) keep[b][dense[u] / 64] &= ~(uint64_t{1} << dense[u] % 64);
    for (Unit u : gen[b]) in_[b][dense[u] / 64] |= uint64_t{1} << dense[u] % 64;
  }
  std::vector<BlockId> order = reverse_post_order(g, 0);
  std::vector<char> queued(blocks, 1);
  std::vector<BlockId> work(order);  // popped from the back: post-order first
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    queued[b] = 0;
    Bits& out = out_[b];
    for (BlockId s : g.succs[b])
      for (size_t w = 0; w < words; w++) out[w] |= in_[s][w];
    bool changed = false;
    for (size_t w = 0; w < words; w++) {
      const uint64_t next = in_[b][w] | (out[w] & keep[b][w]);
      changed |= next != in_[b][w];
      in_[b][w] = next;
    }
    if (!changed) continue;
    for (BlockId p : g.preds[b])
      if (!queued[p]) {
        queued[p] = 1;
        work.push_back(p);
      }
  }
}

void Liveness::fill(const Bits& bits, LiveSet& live) const {
  live.clear();
  for (size_t w = 0; w < bits.size(); w++)
    for (uint64_t rest = bits[w]; rest; rest &= rest - 1)
      live.insert(global_[w * 64 + static_cast<size_t>(std::countr_zero(rest))]);
}

Pressure max_pressure(const mir::Function& f) {
  const mir::Units units(f);
  const Graph g = block_graph(f);
  const Liveness liveness(f, units, g);
  LiveSet live(units.count());
  Accesses a;
  Pressure now, most;
  const auto is_predicate = [&](Unit u) {
    return units.vreg(u) != kNone && f.vregs[units.vreg(u)] == mir::RegClass::P;
  };
  const auto count = [&](Unit u, unsigned change) { (is_predicate(u) ? now.predicates : now.registers) += change; };
  const auto step_back = [&] {
    for (const auto* ranges : {&a.writes, &a.reads})
      for (const UnitRange& r : *ranges)
        for (Unit u = r.first; u < r.first + r.count; u++) {
          const bool lives = ranges == &a.reads;
          if (lives == live.contains(u) || (!lives && a.conditional)) continue;
          count(u, lives ? 1u : -1u);
          lives ? live.insert(u) : live.erase(u);
        }
    most.registers = std::max(most.registers, now.registers);
    most.predicates = std::max(most.predicates, now.predicates);
  };
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    liveness.at_end(b, live);
    now = {};
    for (Unit u : live.items()) count(u, 1);
    a.collect(f, units, f.blocks[b].end);
    step_back();
    for (size_t n = f.blocks[b].body.size(); n-- > 0;) {
      a.collect(f, units, f.blocks[b].body[n]);
      step_back();
    }
  }
  return most;
}

}  // namespace heddle::compiler
