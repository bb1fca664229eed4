// SPDX-License-Identifier: Apache-2.0
// No thread reads a register or predicate before it has written it: a launch clears none of them, so it would find
// what another thread left there, and programs would not give the same results on every device and in every run.
#pragma once

#include "host-runtime/compiler/passes/allocate.h"
#include "host-runtime/compiler/passes/machine.h"

namespace heddle::compiler {

// After the frame's layout. Zeroes at the entry what is live there without being an argument. A function leaves what
// callers keep for it (callee-saved registers, which it stores at its entry) to the kernel: `saved_by_callees` are
// those that any function reached from here stores.
void zero_at_entry(mir::Function& f, const Allocation& allocation, const RegMask& saved_by_callees);

}  // namespace heddle::compiler
