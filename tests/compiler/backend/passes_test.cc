// SPDX-License-Identifier: Apache-2.0
// What the passes of control flow, legalisation and order are there for, on the smallest function that shows it. That
// none of them breaks a program is random_test's business.
#include <algorithm>

#include "host-runtime/compiler/passes/cfg_cleanup.h"
#include "host-runtime/compiler/passes/common.h"
#include "host-runtime/compiler/passes/if_convert.h"
#include "host-runtime/compiler/passes/legalize.h"
#include "host-runtime/compiler/passes/liveness.h"
#include "host-runtime/compiler/passes/schedule.h"
#include "host-runtime/compiler/passes/sink.h"
#include "tests/compiler/backend/passes_fixture.h"

namespace heddle::compiler {
namespace {

using Sink = PassFixture;
using IfConversion = PassFixture;
using BlockOrder = PassFixture;
using Legalize = PassFixture;
class Schedule : public PassFixture {
 protected:
  // Where the first of them stands in the first block.
  auto first(Opcode op) const {
    const auto& body = f.blocks[0].body;
    return std::find_if(body.begin(), body.end(), [op](const Instruction& i) { return i.is(op); }) - body.begin();
  }
};

TEST_F(IfConversion, GuardsASmallBody) {
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, x, imm(3)).pd(p);
  const mir::BlockId body = b.new_block(), after = b.new_block();
  b.branch({p, false}, body, after);
  b.set_block(body), store(x), b.jump(after);
  b.set_block(after), b.op(Opcode::Membar, {}), b.exit();
  EXPECT_EQ(convert_ifs(f), 1u);
  clean_up_cfg(f);
  ASSERT_EQ(f.blocks.size(), 1u);
  EXPECT_EQ(find(Opcode::Stg)->guard, (mir::Pred{p, false}));
}

// A loaded value that only the arm wants takes no register before it is loaded; what is computed from it is guarded,
// too.
TEST_F(IfConversion, KeepsNoRegisterForAValueOfTheArmAlone) {
  const VReg p = b.pred();
  const Operand value = b.reg(b.r32()), sum = b.reg(b.r32());
  b.op(Opcode::Isetp, {}, x, imm(3)).pd(p);
  const mir::BlockId then = b.new_block(), done = b.new_block();
  b.branch({p, false}, then, done);
  b.set_block(then);
  b.op(Opcode::Ldg, value, address, imm(0)).set("size", isa::MemSize::B32);
  b.op(Opcode::Iadd, sum, value, x);
  store(sum);
  b.jump(done);
  b.set_block(done);
  b.exit();
  ASSERT_EQ(convert_ifs(f), 1u);
  const Instruction *load = find(Opcode::Ldg), *add = find(Opcode::Iadd);
  EXPECT_TRUE(load->guard.present() && load->fresh);
  EXPECT_TRUE(add->guard.present() && add->fresh);
  EXPECT_EQ(max_pressure(f).registers, 4u);  // the address, x, the value
}

TEST_F(IfConversion, LeavesBarriersUnderTheirBranch) {
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, x, imm(3)).pd(p);
  const mir::BlockId body = b.new_block(), after = b.new_block();
  b.branch({p, false}, body, after);
  b.set_block(body), b.op(Opcode::Bar, {}, {}, imm(0)), b.jump(after);
  b.set_block(after), b.op(Opcode::Membar, {}), b.exit();
  EXPECT_EQ(convert_ifs(f), 0u);
}

TEST_F(Legalize, GivesEveryInstructionAForm) {
  const Operand y = b.reg(b.r32()), d = b.reg(b.r64());
  b.op(Opcode::Iadd, y, imm(100000), x);
  b.op(Opcode::Ffma, y, x, imm(0x3f800001), x);
  b.op(Opcode::Ffma, y, x, imm(0x3f800000), x);
  b.op(Opcode::Imad, y, imm(7), imm(70000), imm(9));
  b.op(Opcode::Iadd64, d, d, imm(int64_t{1} << 40));
  b.op(Opcode::Shf, y, x, imm(1 << 20), imm(5));
  b.op(Opcode::Isetp, {}, x, imm(1 << 20)).pd(b.pred());
  b.op(Opcode::Ldg, y, address, imm(1 << 20)).set("size", isa::MemSize::B32);
  b.op(Opcode::Stg, {}, address, imm(-40000), imm(77)).set("size", isa::MemSize::B32);
  b.op(Opcode::Ldc, y, x, mir::constant(1, 6)).set("size", isa::MemSize::U16);
  b.exit();
  legalize(f);
  for (const Instruction& i : f.blocks[0].body) {
    EXPECT_TRUE(choose_form(i).has_value()) << to_string(f, i);
    for (const Operand* o : {&i.a, &i.c}) EXPECT_TRUE(o->is_none() || o->is_reg()) << to_string(f, i);
  }
}

TEST_F(Legalize, MakesALoopsConstantsInFrontOfIt) {
  const VReg p = b.pred();
  const mir::BlockId loop = b.new_block(), done = b.new_block();
  b.jump(loop);
  b.set_block(loop);
  b.op(Opcode::Ffma, x, x, imm(0x3f812345), x);
  b.op(Opcode::Isetp, {}, x, imm(0)).pd(p);
  b.branch({p, false}, loop, done);
  b.set_block(done), store(x), b.exit();
  legalize(f);
  EXPECT_EQ(f.blocks[loop].body.size(), 2u);
  EXPECT_TRUE(f.blocks[0].body.back().is(Opcode::Mov));
}

TEST_F(Legalize, MakesConstantsOfRareBlocksWhereTheyAreNeeded) {
  const mir::BlockId loop = b.new_block(), rare = b.new_block(), latch = b.new_block(), done = b.new_block();
  const VReg p = b.pred();
  b.jump(loop);
  b.set_block(loop);
  b.op(Opcode::Isetp, {}, x, imm(3)).pd(p);
  b.branch({p, false}, rare, latch);
  b.set_block(rare);
  f.blocks[rare].rare = true;
  b.op(Opcode::Imad, x, x, imm(0x12345), imm(0x54321));
  b.jump(latch);
  b.set_block(latch);
  b.branch({p, true}, loop, done);
  b.set_block(done);
  store(x);
  b.exit();
  legalize(f);
  EXPECT_TRUE(f.blocks[rare].body.size() >= 2);
  EXPECT_TRUE(f.blocks[rare].body[0].is(Opcode::Mov));
}

TEST_F(Sink, MovesAConstantToTheBlockThatNeedsIt) {
  const Operand pointer = b.reg(b.r64());
  const mir::BlockId start = b.block(), left = b.new_block(), right = b.new_block(), loop = b.new_block();
  const VReg p = b.pred();
  b.mov(pointer.word(0), mir::constant(0, 8));
  b.mov(pointer.word(1), mir::constant(0, 12));
  b.op(Opcode::Isetp, {}, x, imm(3)).pd(p);
  b.branch({p, false}, left, right);
  b.set_block(left);
  b.exit();
  b.set_block(right);
  b.jump(loop);
  b.set_block(loop);
  b.op(Opcode::Stg, {}, pointer, imm(0), x).set("size", isa::MemSize::B32);
  b.branch({p, false}, loop, left);
  sink_constants(f);
  for (const Instruction& i : f.blocks[start].body) EXPECT_FALSE(i.is(Opcode::Mov));
  ASSERT_EQ(f.blocks[right].body.size(), 2u);  // in front of the loop
  EXPECT_TRUE(f.blocks[right].body[0].is(Opcode::Mov));
}

// A loop whose arms meet in a block written before them, as clang writes a switch in a loop: only the loop goes
// backward.
TEST_F(BlockOrder, PutsBlocksBehindThoseThatGoOnToThem) {
  const mir::BlockId head = b.new_block("head"), meet = b.new_block("meet"), end = b.new_block("end"),
                     left = b.new_block("left"), right = b.new_block("right"), rare = b.new_block("rare");
  f.blocks[rare].rare = true;
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, x, imm(3)).set("cmp", isa::ICmp::Lt).pd(p);
  b.jump(head);
  b.set_block(head);
  b.branch({p, false}, left, right);
  b.set_block(meet);
  b.branch({p, false}, head, end);
  b.set_block(end);
  b.exit();
  b.set_block(left);
  b.jump(meet);
  b.set_block(right);
  b.branch({p, false}, meet, rare);
  b.set_block(rare);
  b.jump(end);
  order_blocks(f);
  std::vector<std::string> names;
  for (const mir::Block& block : f.blocks) names.push_back(block.name);
  EXPECT_EQ(names, (std::vector<std::string>{"", "head", "left", "right", "meet", "end", "rare"}));
  EXPECT_EQ(f.blocks[f.blocks[4].end.targets[0]].name, "head");
  EXPECT_EQ(f.blocks[f.blocks[6].end.targets[0]].name, "end");
}

TEST_F(Schedule, StartsLoadsBeforeArithmeticThatDoesNotNeedThem) {
  std::vector<Operand> loaded;
  Operand sum = x;
  for (int n = 0; n < 4; n++) {
    const Operand v = b.reg(b.r32()), next = b.reg(b.r32());
    b.op(Opcode::Ldg, v, address, imm(4 * n)).set("size", isa::MemSize::B32);
    b.op(Opcode::Iadd, next, sum, v);
    sum = next;
  }
  store(sum);
  b.exit();
  schedule(f, 64);
  size_t last_load = 0, first_sum = f.blocks[0].body.size();
  for (size_t n = 0; n < f.blocks[0].body.size(); n++) {
    if (f.blocks[0].body[n].is(Opcode::Ldg)) last_load = n;
    if (f.blocks[0].body[n].is(Opcode::Iadd)) first_sum = std::min(first_sum, n);
  }
  EXPECT_LT(last_load, first_sum) << to_string(f);
}

// Twelve comparisons that wait for their loads, each used a while later: all at once would take more predicates than
// there are.
TEST_F(Schedule, KeepsPredicatesWithinTheMachinesSeven) {
  Operand sum = x;
  for (int n = 0; n < 12; n++) {
    const Operand v = b.reg(b.r32()), root = b.reg(b.r32()), next = b.reg(b.r32());
    const VReg p = b.pred();
    b.op(Opcode::Ldg, v, address, imm(4 * n)).set("size", isa::MemSize::B32);
    b.op(Opcode::Fsetp, {}, v, imm(0)).set("cmp", isa::FCmp::Lt).pd(p);
    b.op(Opcode::Mufu, root, {}, v);
    b.op(Opcode::Fmul, root, root, root).guard({p, false});
    b.op(Opcode::Fadd, next, sum, root);
    sum = next;
  }
  store(sum);
  b.exit();
  EXPECT_EQ(max_pressure(f).predicates, 1u);
  schedule(f, 64);
  EXPECT_LE(max_pressure(f).predicates, 7u) << to_string(f);
}

// A comparison that the program makes last, behind a chain of two sums: what it decides waits for it longer than data
// would.
TEST_F(Schedule, ComparesEarlyForAGuard) {
  const Operand v = b.reg(b.r32()), w = b.reg(b.r32());
  const VReg p = b.pred();
  b.op(Opcode::Iadd, v, x, imm(1));
  b.op(Opcode::Iadd, w, v, v);
  b.op(Opcode::Isetp, {}, x, imm(7)).set("cmp", isa::ICmp::Lt).pd(p);
  b.op(Opcode::Iadd, w, w, w).guard({p, false});
  store(w);
  b.exit();
  schedule(f, 64);
  EXPECT_LT(first(Opcode::Isetp), first(Opcode::Iadd)) << to_string(f);
}

TEST_F(Schedule, ComparesEarlyForTheBlocksBranch) {
  const Operand v = b.reg(b.r32()), w = b.reg(b.r32());
  const VReg p = b.pred();
  const mir::BlockId there = b.new_block(), done = b.new_block();
  b.op(Opcode::Iadd, v, x, imm(1));
  b.op(Opcode::Iadd, w, v, v);
  b.op(Opcode::Isetp, {}, x, imm(7)).set("cmp", isa::ICmp::Lt).pd(p);
  b.branch({p, false}, there, done);
  b.set_block(there);
  store(w);
  b.jump(done);
  b.set_block(done);
  b.exit();
  schedule(f, 64);
  EXPECT_LT(first(Opcode::Isetp), first(Opcode::Iadd)) << to_string(f);
}

TEST_F(Schedule, KeepsLoadsBehindStoresThatMayWriteThem) {
  const Operand other = b.reg(b.r64()), v = b.reg(b.r32());
  b.op(Opcode::ImadWide, other, x, imm(4));
  store(x);
  b.op(Opcode::Ldg, v, other, imm(0)).set("size", isa::MemSize::B32);
  b.op(Opcode::Stg, {}, other, imm(4), v).set("size", isa::MemSize::B32);
  b.exit();
  schedule(f, 64);
  std::vector<Opcode> memory;
  for (const Instruction& i : f.blocks[0].body)
    if (mir::Instruction(i).info().unit == isa::Unit::Lsu) memory.push_back(i.op);
  EXPECT_EQ(memory, (std::vector<Opcode>{Opcode::Stg, Opcode::Ldg, Opcode::Stg}));
}

TEST_F(Schedule, MovesNothingAcrossABarrier) {
  const Operand v = b.reg(b.r32());
  b.op(Opcode::Iadd, v, x, imm(1));
  b.op(Opcode::Bar, {}, {}, imm(0));
  const Operand w = b.reg(b.r32());
  b.op(Opcode::Ldg, w, address, imm(0)).set("size", isa::MemSize::B32);
  store(w);
  b.exit();
  schedule(f, 64);
  std::vector<Opcode> order;
  for (const Instruction& i : f.blocks[0].body) order.push_back(i.op);
  EXPECT_LT(std::find(order.begin(), order.end(), Opcode::Bar), std::find(order.begin(), order.end(), Opcode::Ldg));
}

// Exchanges between lanes pass arithmetic, but no access to memory, and none another one.
TEST_F(Schedule, StartsExchangesBeforeArithmeticButKeepsThemAmongAccesses) {
  Operand sum = x;
  for (int n = 0; n < 4; n++) {
    const Operand v = b.reg(b.r32()), next = b.reg(b.r32());
    b.op(Opcode::Shfl, v, x, imm(n)).set("mode", isa::ShflMode::Bfly);
    b.op(Opcode::Iadd, next, sum, v);
    sum = next;
  }
  store(x);
  const Operand v = b.reg(b.r32()), last = b.reg(b.r32());
  b.op(Opcode::Shfl, v, sum, imm(0)).set("mode", isa::ShflMode::Idx);
  b.op(Opcode::Ldg, last, address, imm(8)).set("size", isa::MemSize::B32);
  store(v);
  store(last);
  b.exit();
  schedule(f, 64);
  std::vector<int64_t> exchanges;
  std::vector<Opcode> order;
  for (const Instruction& i : f.blocks[0].body) {
    order.push_back(i.op);
    if (i.is(Opcode::Shfl)) exchanges.push_back(i.b.imm);
  }
  EXPECT_EQ(exchanges, (std::vector<int64_t>{0, 1, 2, 3, 0}));
  const auto nth = [&](Opcode op, size_t n) {
    auto at = order.begin();
    for (size_t k = 0; at != order.end(); ++at)
      if (*at == op && k++ == n) break;
    return at;
  };
  EXPECT_LT(nth(Opcode::Shfl, 3), nth(Opcode::Iadd, 0)) << to_string(f);
  EXPECT_LT(nth(Opcode::Shfl, 3), nth(Opcode::Stg, 0));
  EXPECT_LT(nth(Opcode::Stg, 0), nth(Opcode::Shfl, 4));
  EXPECT_LT(nth(Opcode::Shfl, 4), nth(Opcode::Ldg, 0));
}

}  // namespace
}  // namespace heddle::compiler
