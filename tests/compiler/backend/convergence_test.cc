// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/convergence.h"

#include <gtest/gtest.h>

#include "host-runtime/compiler/mir/builder.h"
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

// entry -> head -> {one, two}; both go on with the next iteration or leave.
TEST_F(Convergence, GathersIterationsAtTheHeaderAndLeavesByBreak) {
  const BlockId head = b.new_block(), one = b.new_block(), two = b.new_block(), after = b.new_block();
  const VReg p = lane_predicate();
  b.jump(head);
  b.set_block(head), effect(), b.branch({p, false}, one, two);
  b.set_block(one), effect(), b.branch({p, false}, head, after);
  b.set_block(two), effect(), b.branch({p, true}, head, after);
  b.set_block(after), effect(), b.ret();
  const ConvergenceStats s = place();
  EXPECT_EQ(s.regions, 2u);  // of the iteration, and of the loop
  EXPECT_EQ(f.blocks[head].body.back().op, Opcode::Bssy);
  EXPECT_EQ(f.blocks[head].body.back().b.id, head);
  EXPECT_EQ(f.blocks[entry].body.back().op, Opcode::Bssy);
  const unsigned inner = f.blocks[head].body.back().barrier, outer = f.blocks[entry].body.back().barrier;
  for (BlockId latch : {one, two}) {
    const mir::Block& stay = f.blocks[f.blocks[latch].end.targets[0]];
    ASSERT_EQ(stay.body.size(), 1u);
    EXPECT_TRUE(stay.body[0].is(Opcode::Bsync));
    EXPECT_EQ(stay.body[0].barrier, inner);
    EXPECT_EQ(stay.end.targets[0], head);
    const mir::Block& leave = f.blocks[f.blocks[latch].end.targets[1]];
    ASSERT_EQ(leave.body.size(), 1u);
    EXPECT_TRUE(leave.body[0].is(Opcode::Break));
    EXPECT_EQ(leave.body[0].barrier, inner);
    const mir::Block& meet = f.blocks[leave.end.targets[0]];
    ASSERT_EQ(meet.body.size(), 1u);
    EXPECT_TRUE(meet.body[0].is(Opcode::Bsync));
    EXPECT_EQ(meet.body[0].barrier, outer);
  }
}

// outer: leaves, or goes into inner; inner: itself, or back to outer, from two places.
TEST_F(Convergence, ArmsOnTheWayIntoALoopThatLeadsBackToTheHeader) {
  const BlockId outer = b.new_block(), inner = b.new_block(), more = b.new_block(), after = b.new_block();
  const VReg p = lane_predicate();
  b.jump(outer);
  b.set_block(outer), effect(), b.branch({p, false}, after, inner);
  b.set_block(inner), effect(), b.branch({p, false}, outer, more);
  b.set_block(more), effect(), b.branch({p, true}, inner, outer);
  b.set_block(after), effect(), b.ret();
  EXPECT_EQ(place().regions, 2u);
  const mir::Block& way = f.blocks[f.blocks[outer].end.targets[1]];
  ASSERT_EQ(way.body.size(), 1u);
  EXPECT_TRUE(way.body[0].is(Opcode::Bssy));
  EXPECT_EQ(way.body[0].b.id, outer);
  EXPECT_EQ(way.end.targets[0], inner);
  EXPECT_EQ(f.blocks[inner].end.targets[0], f.blocks[more].end.targets[1]);
  EXPECT_EQ(f.blocks[more].end.targets[0], inner);
}

// if (p || q) much;
TEST_F(Convergence, GathersLanesThatComeToMuchWorkByDifferentWays) {
  const BlockId second = b.new_block(), much = b.new_block(), after = b.new_block();
  b.branch({lane_predicate(), false}, much, second);
  b.set_block(second), effect(), b.branch({lane_predicate(), true}, much, after);
  b.set_block(much);
  for (int n = 0; n < 20; n++) effect();
  b.jump(after);
  b.set_block(after), effect(), b.ret();
  EXPECT_EQ(place().regions, 2u);
  const mir::Block& way = f.blocks[f.blocks[entry].end.targets[0]];
  EXPECT_TRUE(way.body[0].is(Opcode::Bsync));
  EXPECT_EQ(way.end.targets[0], much);
  EXPECT_EQ(f.blocks[second].end.targets[0], f.blocks[entry].end.targets[0]);
  EXPECT_TRUE(f.blocks[f.blocks[second].end.targets[1]].body[0].is(Opcode::Break));
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
