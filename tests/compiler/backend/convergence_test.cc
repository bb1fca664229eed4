// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/convergence.h"
#include "host-runtime/compiler/passes/divergence.h"

namespace heddle::compiler {
namespace {

using isa::Opcode;
using mir::BlockId;
using mir::Builder;
using mir::imm;
using mir::Operand;
using mir::VReg;

struct Convergence : testing::Test {
  Convergence() : b(f) {
    f.is_kernel = true;
    entry = b.new_block();
    tid = b.reg(b.r32());
    b.op(Opcode::S2r, tid, {}, imm(0));
  }
  VReg lane_predicate() {
    const VReg p = b.pred();
    b.op(Opcode::Isetp, {}, tid, imm(3)).pd(p);
    return p;
  }
  VReg uniform_predicate() {
    const VReg p = b.pred();
    const Operand n = b.reg(b.r32());
    b.mov(n, mir::constant(0, 0));
    b.op(Opcode::Isetp, {}, n, imm(3)).pd(p);
    return p;
  }
  void effect() { b.op(Opcode::Membar, {}); }
  ConvergenceStats place(unsigned callee = 0) {
    return place_convergence_barriers(f, [=](const mir::Call&) { return callee; });
  }
  // Index of the block whose body ends with the n-th BSSY; kNone.
  BlockId bssy(int n = 0) const {
    for (BlockId k = 0; k < f.blocks.size(); k++)
      for (const mir::Instruction& i : f.blocks[k].body)
        if (i.is(Opcode::Bssy) && n-- == 0) return k;
    return mir::kNone;
  }
  mir::Function f;
  Builder b;
  BlockId entry;
  Operand tid;
};

TEST_F(Convergence, GathersTheLanesOfADivergentIf) {
  const BlockId left = b.new_block(), right = b.new_block(), meet = b.new_block();
  b.branch({lane_predicate(), false}, left, right);
  b.set_block(left), effect(), b.jump(meet);
  b.set_block(right), effect(), b.jump(meet);
  b.set_block(meet), effect(), b.exit();
  EXPECT_EQ(place().regions, 1u);
  EXPECT_EQ(bssy(), entry);
  const BlockId sync = f.blocks[left].end.targets[0];
  EXPECT_EQ(f.blocks[right].end.targets[0], sync);
  EXPECT_TRUE(f.blocks[sync].body[0].is(Opcode::Bsync));
  EXPECT_EQ(f.blocks[sync].end.targets[0], meet);
}

TEST_F(Convergence, LeavesUniformBranchesAlone) {
  const BlockId left = b.new_block(), right = b.new_block(), meet = b.new_block();
  b.branch({uniform_predicate(), false}, left, right);
  b.set_block(left), effect(), b.jump(meet);
  b.set_block(right), effect(), b.jump(meet);
  b.set_block(meet), effect(), b.exit();
  EXPECT_EQ(place().regions, 0u);
  EXPECT_EQ(bssy(), mir::kNone);
}

TEST_F(Convergence, ArmsTheBarrierOfADivergentLoopInFrontOfIt) {
  const BlockId loop = b.new_block(), after = b.new_block();
  b.jump(loop);
  b.set_block(loop), effect(), b.branch({lane_predicate(), false}, loop, after);
  b.set_block(after), effect(), b.exit();
  EXPECT_EQ(place().regions, 1u);
  EXPECT_EQ(bssy(), entry);
}

TEST_F(Convergence, GivesNestedRegionsDifferentBarriers) {
  const BlockId outer = b.new_block(), left = b.new_block(), right = b.new_block(), inner_meet = b.new_block(),
                meet = b.new_block();
  b.branch({lane_predicate(), false}, outer, meet);
  b.set_block(outer), b.branch({lane_predicate(), false}, left, right);
  b.set_block(left), effect(), b.jump(inner_meet);
  b.set_block(right), effect(), b.jump(inner_meet);
  b.set_block(inner_meet), effect(), b.jump(meet);
  b.set_block(meet), effect(), b.exit();
  const ConvergenceStats s = place();
  EXPECT_EQ(s.regions, 2u);
  EXPECT_NE(f.blocks[entry].body.back().barrier, f.blocks[outer].body.back().barrier);
}

// Lanes that have left a loop which waits for others must not wait for those that spin.
TEST_F(Convergence, LeavesSpinLoopsAlone) {
  const Operand address = b.reg(b.r64()), old = b.reg(b.r32());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  const BlockId loop = b.new_block(), after = b.new_block();
  b.jump(loop);
  b.set_block(loop);
  b.op(Opcode::Atomg, old, address, imm(0), imm(1)).set("size", isa::MemSize::B32).set("op", isa::AtomOp::Cas);
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, old, imm(0)).set("cmp", isa::ICmp::Ne).pd(p);
  b.branch({p, false}, loop, after);
  b.set_block(after), effect(), b.exit();
  const ConvergenceStats s = place();
  EXPECT_EQ(s.regions, 0u);
  EXPECT_EQ(s.skipped, 1u);
}

TEST_F(Convergence, HoldsNoBarrierAcrossAnUnknownCall) {
  const BlockId left = b.new_block(), meet = b.new_block();
  b.branch({lane_predicate(), false}, left, meet);
  b.set_block(left), b.call({}), b.jump(meet);
  b.set_block(meet), effect(), b.exit();
  mir::Function copy = f;
  EXPECT_EQ(place(isa::kNumConvergenceBarriers).regions, 0u);
  f = copy;
  EXPECT_EQ(place(3).regions, 1u);
  EXPECT_EQ(f.blocks[entry].body.back().barrier, 3);
}

TEST_F(Convergence, GivesAnIrreducibleRegionABarrierOnlyAroundIt) {
  // entry -> {one, two}, one <-> two, both may leave to meet.
  const BlockId one = b.new_block(), two = b.new_block(), meet = b.new_block();
  const VReg p = lane_predicate();
  b.branch({p, false}, one, two);
  b.set_block(one), effect(), b.branch({p, false}, two, meet);
  b.set_block(two), effect(), b.branch({p, true}, one, meet);
  b.set_block(meet), effect(), b.exit();
  EXPECT_EQ(place().regions, 1u);
  EXPECT_EQ(bssy(), entry);
}

TEST_F(Convergence, NeverUsesMoreThanSixteenBarriers) {
  std::vector<BlockId> meets;
  for (int n = 0; n < 20; n++) {  // twenty ifs, one inside the other
    const BlockId inside = b.new_block(), meet = b.new_block();
    b.branch({lane_predicate(), false}, inside, meet);
    meets.push_back(meet);
    b.set_block(inside);
    effect();
  }
  b.jump(meets.back());
  for (size_t n = meets.size(); n-- > 0;) {
    b.set_block(meets[n]);
    effect();
    if (n == 0) b.exit();
    else b.jump(meets[n - 1]);
  }
  const ConvergenceStats s = place();
  EXPECT_EQ(s.regions, 16u);
  EXPECT_EQ(s.skipped, 4u);
  EXPECT_LE(s.barriers, 16u);
}

}  // namespace
}  // namespace heddle::compiler
