// SPDX-License-Identifier: Apache-2.0
// Which reductions a warp's lowest lane does for all. One too many gives wrong sums: so most of these must stay.
#include "host-runtime/compiler/passes/aggregate.h"

#include "tests/compiler/backend/passes_fixture.h"

namespace heddle::compiler {
namespace {

using mir::BlockId;

// All lanes have the fixture's address, each an x of its own.
struct Aggregate : PassFixture {
  Builder::Ref reduce(isa::AtomOp op, Operand at, Operand value, isa::AtomType type = isa::AtomType::U,
                      Operand old = {}) {
    return b.op(Opcode::Atomg, old, at, value)
        .set("size", isa::MemSize::B32)
        .set("op", op)
        .set("type", type)
        .set("order", isa::MemOrder::Relaxed);
  }
  unsigned joined() {
    b.exit();
    return aggregate_reductions(f);
  }
};

TEST_F(Aggregate, OneIsAddedAsOftenAsThereAreLanes) {
  reduce(isa::AtomOp::Add, address, imm(1));
  EXPECT_EQ(joined(), 1u);
  EXPECT_EQ(count(Opcode::Popc), 1u);
  EXPECT_EQ(count(Opcode::Imad), 0u);
  const Instruction& last = f.blocks[0].body.back();
  EXPECT_TRUE(last.is(Opcode::Atomg) && last.guard.present() && last.b.is_reg());
}
TEST_F(Aggregate, AParameterIsMultiplied) {
  const Operand n = b.reg(b.r32());
  b.mov(n, mir::constant(0, 8));
  reduce(isa::AtomOp::Add, address, n);
  EXPECT_EQ(joined(), 1u);
  EXPECT_EQ(count(Opcode::Imad), 1u);
}
TEST_F(Aggregate, AMinimumIsTakenOnce) {
  reduce(isa::AtomOp::Min, address, imm(3), isa::AtomType::S);
  EXPECT_EQ(joined(), 1u);
  EXPECT_EQ(count(Opcode::Popc), 0u);
}
TEST_F(Aggregate, LanesAreCountedOnceWhileTheyAreTheSame) {
  const auto reductions = [&] {
    reduce(isa::AtomOp::Add, address, imm(1));
    reduce(isa::AtomOp::Max, address, imm(5));
    reduce(isa::AtomOp::Add, address, imm(7));
  };
  reductions();
  EXPECT_EQ(aggregate_reductions(f), 3u);
  EXPECT_EQ(count(Opcode::Ballot), 1u);
  EXPECT_EQ(count(Opcode::Popc), 1u);
  const mir::Pred first = f.blocks[0].body.back().guard;
  EXPECT_TRUE(first.present());
  for (const Instruction& i : f.blocks[0].body)
    if (i.is(Opcode::Atomg)) EXPECT_EQ(i.guard, first);
}
TEST_F(Aggregate, LanesAreCountedAgainBehindABarrierAndAnExit) {
  const mir::VReg some = b.pred();
  reduce(isa::AtomOp::Add, address, imm(1));
  b.op(Opcode::Bar, {}, imm(0));
  reduce(isa::AtomOp::Add, address, imm(1));
  b.op(Opcode::Exit, {}).guard({some, false});
  reduce(isa::AtomOp::Add, address, imm(1));
  EXPECT_EQ(aggregate_reductions(f), 3u);
  EXPECT_EQ(count(Opcode::Ballot), 3u);
  EXPECT_EQ(count(Opcode::Popc), 3u);
}
TEST_F(Aggregate, LanesWithAddressesOfTheirOwnStay) {
  const Operand own = b.reg(b.r64());
  b.op(Opcode::ImadWide, own, x, imm(4), address);
  reduce(isa::AtomOp::Add, own, imm(1));
  EXPECT_EQ(joined(), 0u);
}
TEST_F(Aggregate, LanesWithOperandsOfTheirOwnStay) {
  reduce(isa::AtomOp::Add, address, x);
  EXPECT_EQ(joined(), 0u);
}
TEST_F(Aggregate, WhatWasLoadedMayDiffer) {
  const Operand n = b.reg(b.r32());
  b.op(Opcode::Ldg, n, address, imm(0)).set("size", isa::MemSize::B32);
  reduce(isa::AtomOp::Add, address, n);
  EXPECT_EQ(joined(), 0u);
}
TEST_F(Aggregate, WhoReadsTheOldValueStays) {
  reduce(isa::AtomOp::Add, address, imm(1), isa::AtomType::U, b.reg(b.r32()));
  EXPECT_EQ(joined(), 0u);
}
TEST_F(Aggregate, FloatsExchangesAndGuardedOnesStay) {
  reduce(isa::AtomOp::Add, address, imm(1), isa::AtomType::F32);
  reduce(isa::AtomOp::Exch, address, imm(1));
  reduce(isa::AtomOp::Xor, address, imm(1));
  reduce(isa::AtomOp::Add, address, imm(1)).guard({b.pred(), false});
  EXPECT_EQ(joined(), 0u);
}
// A counter of a loop that lanes leave one by one is not the same for all.
TEST_F(Aggregate, ACounterThatLanesLeaveAtDifferentValuesStays) {
  const Operand n = b.reg(b.r32()), mine = x;
  b.mov(n, imm(0));
  const BlockId loop = b.new_block(), after = b.new_block();
  b.jump(loop);
  b.set_block(loop);
  reduce(isa::AtomOp::Add, address, n);
  b.op(Opcode::Iadd, n, n, imm(1));
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, n, mine).set("cmp", isa::ICmp::Lt).pd(p);
  b.branch({p, false}, loop, after);
  b.set_block(after);
  EXPECT_EQ(joined(), 0u);
}

}  // namespace
}  // namespace heddle::compiler
