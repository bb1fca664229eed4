// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/faults.h"

#include "host-runtime/device/contract.h"
#include "isa/isa.h"

namespace heddle::driver {

namespace c = contract;

void Faults::handle(const Failure& failure, const Task::Item* item) {
  counters_.clear_line();
  if (recovering_) return;
  const LaunchInfo* launch = item ? item->launch.get() : nullptr;
  if (launch) counters_.record(*launch, false);
  outcome_.fail(describe(failure, context(failure, launch)));
  if (failure.status == 0) return;  // a backend that is dead
  recovering_ = true;
  recover_();
  recovering_ = false;
}

FailureContext Faults::context(const Failure& failure, const LaunchInfo* launch) const {
  FailureContext where;
  where.cycle_limit = cycle_limit_;
  if (!launch) return where;
  where.kernel = launch->run.name;
  where.grid = launch->run.grid;
  where.block_dim = launch->run.block;
  where.local_bytes = launch->local_bytes;
  where.stack_bytes = launch->stack_bytes;
  if (failure.kind != c::kFaultIllegalPc) {
    const uint64_t word = modules_.instruction(failure.pc);
    if (word) where.instruction = isa::disassemble(word, failure.pc);
    if (const Module* module = modules_.holding(failure.pc)) {
      where.source = module->source(failure.pc);
      where.function = module->inner_function(failure.pc);
    }
  }
  if (failure.kind == c::kFaultIllegalAddress && (failure.code & 0xf) == c::kFaultSpaceGlobal)
    where.neighbourhood = allocations_.neighbourhood(failure.address);
  return where;
}

}  // namespace heddle::driver
