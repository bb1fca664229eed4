// SPDX-License-Identifier: Apache-2.0
// Which WARPSYNCs are needless. One too many costs a few cycles, one too few gives wrong results: so most of these must
// stay.
#include "host-runtime/compiler/passes/warp_sync.h"

#include <gtest/gtest.h>

#include "host-runtime/compiler/mir/builder.h"

namespace heddle::compiler {
namespace {

using isa::Opcode;
using mir::BlockId;
using mir::Builder;
using mir::imm;
using mir::Operand;
using mir::VReg;

struct WarpSync : testing::Test {
  WarpSync() : b(f) {
    f.is_kernel = true;
    b.set_block(b.new_block());
  }
  void sync(mir::Pred guard = {}) { b.op(Opcode::Warpsync, {}, {}, imm(-1)).guard(guard); }
  VReg is_three(Operand value) {
    const VReg p = b.pred();
    b.op(Opcode::Isetp, {}, value, imm(3)).pd(p);
    return p;
  }
  VReg of_lane() {
    const Operand tid = b.reg(b.r32());
    b.op(Opcode::S2r, tid, {}, imm(0));
    return is_three(tid);
  }
  VReg of_parameter() {
    const Operand n = b.reg(b.r32());
    b.mov(n, mir::constant(0, 0));
    return is_three(n);
  }
  VReg of_memory(Opcode load) {
    const Operand n = b.reg(b.r32()), a = b.reg(b.r64());
    b.mov64(a, 4096);
    b.op(load, n, load == Opcode::Lds ? a.word(0) : a, imm(0)).set("size", isa::MemSize::B32);
    return is_three(n);
  }
  // if (p) { sync } sync
  void around(VReg p) {
    const BlockId inside = b.new_block(), after = b.new_block();
    b.branch({p, false}, inside, after);
    b.set_block(inside);
    sync();
    b.jump(after);
    b.set_block(after);
    sync();
    b.exit();
  }
  mir::Function f;
  Builder b;
};

TEST_F(WarpSync, GoesWhereLanesHaveNotParted) {
  sync();
  sync();
  b.exit();
  EXPECT_EQ(drop_warp_syncs(f), 2u);
}
TEST_F(WarpSync, GoesAfterAUniformBranch) {
  around(of_parameter());
  EXPECT_EQ(drop_warp_syncs(f), 2u);
}
TEST_F(WarpSync, GoesWhereOtherLanesHaveEnded) {
  const VReg lane = of_lane();
  b.op(Opcode::Exit, {}).guard({lane, false});
  sync();
  b.exit();
  EXPECT_EQ(drop_warp_syncs(f), 1u);
}
TEST_F(WarpSync, GoesAfterAVote) {
  const VReg any = b.pred();
  const VReg lane = of_lane();
  b.op(Opcode::Vote, {}).set("mode", isa::VoteMode::Any).p({lane, false}).pd(any);
  around(any);
  EXPECT_EQ(drop_warp_syncs(f), 2u);
}
TEST_F(WarpSync, StaysAfterADivergentBranch) {
  sync();
  around(of_lane());
  EXPECT_EQ(drop_warp_syncs(f), 1u);
}
TEST_F(WarpSync, StaysAfterABranchOnMemoryThatOthersWrite) {
  for (const Opcode load : {Opcode::Ldg, Opcode::Lds, Opcode::Ld}) {
    f.blocks.clear();
    b.set_block(b.new_block());
    around(of_memory(load));
    EXPECT_EQ(drop_warp_syncs(f), 0u);
  }
}
TEST_F(WarpSync, StaysInALoopThatLanesLeaveOneByOne) {
  const BlockId loop = b.new_block(), after = b.new_block();
  b.jump(loop);
  b.set_block(loop);
  sync();
  b.branch({of_lane(), false}, loop, after);
  b.set_block(after);
  sync();
  b.exit();
  EXPECT_EQ(drop_warp_syncs(f), 0u);
}
TEST_F(WarpSync, StaysAfterOneThatAGuardKeepsSomeFrom) {
  sync();
  sync({of_lane(), false});
  sync();
  b.exit();
  EXPECT_EQ(drop_warp_syncs(f), 1u);
}
TEST_F(WarpSync, StaysAfterACall) {
  b.call({});
  sync();
  b.exit();
  EXPECT_EQ(drop_warp_syncs(f), 0u);
}
TEST_F(WarpSync, StaysInFunctions) {
  f.is_kernel = false;
  sync();
  b.ret();
  EXPECT_EQ(drop_warp_syncs(f), 0u);
}

}  // namespace
}  // namespace heddle::compiler
