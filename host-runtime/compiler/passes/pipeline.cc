// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/pipeline.h"

#include <algorithm>

#include "host-runtime/compiler/passes/abi.h"
#include "host-runtime/compiler/passes/aggregate.h"
#include "host-runtime/compiler/passes/cfg_cleanup.h"
#include "host-runtime/compiler/passes/common.h"
#include "host-runtime/compiler/passes/dead_code.h"
#include "host-runtime/compiler/passes/if_convert.h"
#include "host-runtime/compiler/passes/join_copies.h"
#include "host-runtime/compiler/passes/legalize.h"
#include "host-runtime/compiler/passes/liveness.h"
#include "host-runtime/compiler/passes/merge_accesses.h"
#include "host-runtime/compiler/passes/schedule.h"
#include "host-runtime/compiler/passes/separate.h"
#include "host-runtime/compiler/passes/simplify.h"
#include "host-runtime/compiler/passes/sink.h"
#include "host-runtime/compiler/passes/unroll.h"
#include "host-runtime/compiler/passes/warp_sync.h"

namespace heddle::compiler {

using mir::Function;

namespace {

// Live registers that the scheduler may reach: as many as the program's own order needs, and some more to hide latency.
constexpr unsigned kSchedulingSlack = 8;
constexpr unsigned kSchedulingFloor = 28;
// Where they are more than a full multiprocessor has for each thread, that many more, up to what blocks of 1,024
// threads have.
constexpr unsigned kRegistersOfFullSm = 32;
constexpr unsigned kFurtherSlack = 8;
constexpr unsigned kRegistersOfLargestBlock = 56;  // and gaps
constexpr unsigned kGaps = 3;                      // fewer where accesses were merged: their wide registers leave gaps

void run_simplify(Function& f, PassContext&) {
  constexpr int kRounds = 3;
  for (int n = 0; n < kRounds; n++) {
    bool changed = simplify(f);
    if (n == 0) changed |= share_common_values(f);
    if (!changed) return;
    remove_dead_code(f);
  }
}

void run_merge(Function& f, PassContext& context) {
  if (merge_accesses(f, context.register_limit, context.symbol_align) == 0) return;
  context.has_merged = true;
  simplify(f);
  remove_dead_code(f);
}

void run_join_copies(Function& f, PassContext& context) {
  if (join_copies(f, context.register_limit) == 0) return;
  context.has_merged = true;
  clean_up_cfg(f);
  simplify(f);
  remove_dead_code(f);
}

void run_if_conversion(Function& f, PassContext&) {
  constexpr int kNesting = 3;
  for (int n = 0; n < kNesting && convert_ifs(f) > 0; n++) clean_up_cfg(f);
}

void run_unroll(Function& f, PassContext& context) {
  if (unroll_loops(f, context.register_limit) == 0) return;
  clean_up_cfg(f);
  run_simplify(f, context);
}

void run_schedule(Function& f, PassContext& context) {
  const unsigned limit = context.register_limit > kSchedulingSlack ? context.register_limit - kSchedulingSlack / 2 : 8;
  const unsigned natural = max_pressure(f).registers;
  const unsigned gaps = context.has_merged ? kGaps : 0;
  unsigned target = std::max(kSchedulingFloor, natural + kSchedulingSlack);
  if (target > kRegistersOfFullSm)
    target = std::max(target, std::min(target + kFurtherSlack, kRegistersOfLargestBlock));
  schedule(f, std::min(limit, target - gaps));
}

constexpr Pass kPasses[] = {
    {"indexed-branches", 0, [](Function& f, PassContext&) { lower_indexed_branches(f); }},
    {"returns", 0, [](Function& f, PassContext&) { unify_returns(f); }},
    {"cfg", 0, [](Function& f, PassContext&) { clean_up_cfg(f); }},
    {"dead-code", 1, [](Function& f, PassContext&) { remove_dead_code(f); }},
    {"separate-values", 1, [](Function& f, PassContext&) { separate_values(f); }},
    {"simplify", 1, run_simplify},
    {"merge-accesses", 1, run_merge},
    {"join-copies", 1, run_join_copies},
    {"cfg", 1, [](Function& f, PassContext&) { clean_up_cfg(f); }},
    {"if-conversion", 1, run_if_conversion},
    {"unroll", 1, run_unroll},
    {"aggregate-reductions", 1, [](Function& f, PassContext&) { aggregate_reductions(f); }},
    {"block-order", 1, [](Function& f, PassContext&) { order_blocks(f); }},
    {"branch-tables", 0, [](Function& f, PassContext&) { address_branch_tables(f); }},
    {"calls", 0, [](Function& f, PassContext&) { lower_calls(f); }},
    {"legalize", 0, [](Function& f, PassContext&) { legalize(f); }},
    {"dead-code", 0, [](Function& f, PassContext&) { remove_dead_code(f); }},
    {"sink-constants", 1, [](Function& f, PassContext&) { sink_constants(f); }},
    {"warp-syncs", 1, [](Function& f, PassContext&) { drop_warp_syncs(f); }},
    {"convergence", 0,
     [](Function& f, PassContext& c) { c.convergence = place_convergence_barriers(f, c.callee_barriers); }},
    {"schedule", 1, run_schedule},
};

}  // namespace

std::span<const Pass> function_passes() { return kPasses; }

}  // namespace heddle::compiler
