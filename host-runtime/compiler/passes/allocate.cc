// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host-runtime/compiler/passes/coalesce.h"
#include "host-runtime/compiler/passes/spill_slots.h"

namespace heddle::compiler {

using mir::VReg;

namespace {

constexpr unsigned kGranularity = 8;  // a warp gets registers in eights

// Failed registers that may be spilled; for those that may not, the cheapest neighbour that may.
std::vector<VReg> choose_victims(const InterferenceGraph& g, const std::vector<VReg>& failed,
                                 const std::vector<double>& cost) {
  std::vector<VReg> victims;
  for (VReg v : failed) {
    VReg victim = v;
    if (std::isinf(cost[v])) {
      victim = mir::kNone;
      for (const Neighbour& n : g.neighbours(v))
        if (!std::isinf(cost[n.vreg]) && (victim == mir::kNone || cost[n.vreg] < cost[victim])) victim = n.vreg;
    }
    if (victim != mir::kNone && std::find(victims.begin(), victims.end(), victim) == victims.end())
      victims.push_back(victim);
  }
  return victims;
}

}  // namespace

Result<Allocation> allocate_registers(mir::Function& f, unsigned limit) {
  while (coalesce_copies(f) > 0) {
  }
  Spiller spiller(f);
  const auto first_slot = static_cast<mir::FrameId>(f.frame.size());
  ColorRequest request;
  request.limit = std::clamp(limit, 8u, kMaxRegisters);
  request.prefer_caller_saved = !f.is_kernel;
  // Of functions callers know which registers they may change, and what a kernel leaves alone those that it calls find
  // as zero (entry_zeros.h).
  if (f.is_kernel && f.calls.empty()) request.spread = kGranularity;
  if (uses_stack_pointer(f)) request.reserved.set(kStackPointer);
  if (!f.is_kernel && f.has_alloca) request.reserved.set(kFrameBase);
  InterferenceGraph graph(f);
  constexpr int kMaxRounds = 64;
  for (int round = 0; round < kMaxRounds; round++) {
    const std::vector<double> cost = spiller.costs();
    request.spill_cost = &cost;
    Coloring coloring = color(f, graph, request);
    if (!coloring.failed_predicates.empty()) {
      const std::vector<VReg> victims = choose_victims(graph, coloring.failed_predicates, cost);
      if (victims.empty()) break;
      spiller.spill_predicates(victims);
      graph.replace(victims);
      continue;
    }
    if (coloring.failed_registers.empty()) {
      share_spill_slots(f, first_slot);
      Allocation allocation;
      allocation.color = std::move(coloring.color);
      allocation.registers = coloring.registers;
      allocation.spills = spiller.stats();
      return allocation;
    }
    const std::vector<VReg> victims = choose_victims(graph, coloring.failed_registers, cost);
    if (victims.empty()) break;
    spiller.spill_registers(victims);
    graph.replace(victims);
  }
  return Error(fmt::format("{}: does not fit {} registers", f.name, request.limit));
}

}  // namespace heddle::compiler
