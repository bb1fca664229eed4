// SPDX-License-Identifier: Apache-2.0
// Makes the control flow graph small: indexed branches become trees of compares, or tables of branches; blocks that
// nothing reaches go; empty blocks are jumped over; chains become one block; `if (x) return;` of a kernel becomes a
// guarded EXIT; a device function gets a single return.
#pragma once

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// Indexed terminators with few targets -> binary trees of ISETP and Branch.
void lower_indexed_branches(mir::Function& f);

// Indexed terminators -> tables of branches, to one of which BRX goes. Blocks keep their numbers from here on.
void address_branch_tables(mir::Function& f);

// Device functions: all returns go through one block.
void unify_returns(mir::Function& f);

// Keeps block 0 the entry; renumbers blocks.
void clean_up_cfg(mir::Function& f);

// Blocks behind all that go on to them, but for the heads of loops: the machine takes each branch backward for a turn
// of a loop. Otherwise as they are; what seldom runs stays where it is.
void order_blocks(mir::Function& f);

}  // namespace heddle::compiler
