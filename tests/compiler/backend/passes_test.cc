// SPDX-License-Identifier: Apache-2.0
// What each pass is there for, on the smallest function that shows it. That none of them breaks a program is
// random_test's business.
#include <gtest/gtest.h>

#include <algorithm>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/cfg_cleanup.h"
#include "host-runtime/compiler/passes/common.h"
#include "host-runtime/compiler/passes/dead_code.h"
#include "host-runtime/compiler/passes/fold.h"
#include "host-runtime/compiler/passes/if_convert.h"
#include "host-runtime/compiler/passes/legalize.h"
#include "host-runtime/compiler/passes/schedule.h"
#include "host-runtime/compiler/passes/liveness.h"
#include "host-runtime/compiler/passes/simplify.h"
#include "host-runtime/compiler/passes/sink.h"

namespace heddle::compiler {
namespace {

using isa::Opcode;
using mir::Builder;
using mir::imm;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::VReg;

struct Fixture : testing::Test {
  Fixture() : b(f) {
    f.is_kernel = true;
    b.new_block();
    address = b.reg(b.r64());
    x = b.reg(b.r32());
    b.op(Opcode::ImadWide, address, {}, imm(0));
    b.op(Opcode::S2r, x, {}, imm(0));
  }
  void store(Operand data) { b.op(Opcode::Stg, {}, address, imm(0), data).set("size", isa::MemSize::B32); }
  void optimise() {
    for (int n = 0; n < 4 && simplify(f); n++) remove_dead_code(f);
    remove_dead_code(f);
  }
  size_t count(Opcode op) const {
    size_t n = 0;
    for (const mir::Block& block : f.blocks)
      n += static_cast<size_t>(std::count_if(block.body.begin(), block.body.end(), [&](const Instruction& i) { return i.is(op); }));
    return n;
  }
  const Instruction* find(Opcode op) const {
    for (const mir::Block& block : f.blocks)
      for (const Instruction& i : block.body)
        if (i.is(op)) return &i;
    return nullptr;
  }
  mir::Function f;
  Builder b;
  Operand address, x;
};

using Simplify = Fixture;
using DeadCode = Fixture;
using Sink = Fixture;
using IfConversion = Fixture;
using Legalize = Fixture;
using Schedule = Fixture;

TEST_F(Simplify, MakesOneInstructionOfLogicOfThreeSources) {
  const Operand y = b.reg(b.r32()), z = b.reg(b.r32()), both = b.reg(b.r32()), odd = b.reg(b.r32()), rest = b.reg(b.r32());
  b.op(Opcode::S2r, y, {}, imm(1));
  b.op(Opcode::S2r, z, {}, imm(2));
  b.op(Opcode::Lop, both, x, y).set("op", isa::LogicOp::Andn);
  b.op(Opcode::Lop, odd, z, both).set("op", isa::LogicOp::Xor);
  b.op(Opcode::Lop, rest, odd, y).set("op", isa::LogicOp::Or);
  store(rest);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Lop), 0u);
  ASSERT_EQ(count(Opcode::Lop3), 1u);
  const Instruction& i = *find(Opcode::Lop3);
  const Operand* sources[] = {&i.a, &i.b, &i.c};
  for (unsigned n = 0; n < 8; n++) {
    bool vx = false, vy = false, vz = false;
    for (unsigned k = 0; k < 3; k++) (sources[k]->id == x.id ? vx : sources[k]->id == y.id ? vy : vz) = n >> (2 - k) & 1;
    EXPECT_EQ(i.field("lut") >> n & 1, static_cast<unsigned>((vz != (vx && !vy)) || vy)) << n;
  }
}

TEST_F(Simplify, LeavesLogicThatOthersReadOrThatNeedsALongConstant) {
  const Operand y = b.reg(b.r32()), shared = b.reg(b.r32()), sum = b.reg(b.r32()), masked = b.reg(b.r32()), both = b.reg(b.r32());
  b.op(Opcode::S2r, y, {}, imm(1));
  b.op(Opcode::Lop, shared, x, y).set("op", isa::LogicOp::Xor);
  b.op(Opcode::Lop, sum, shared, y).set("op", isa::LogicOp::And);
  b.op(Opcode::Lop, masked, x, imm(0x12345678)).set("op", isa::LogicOp::And);
  b.op(Opcode::Lop, both, masked, y).set("op", isa::LogicOp::Or);
  store(shared);
  store(sum);
  store(both);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Lop), 4u);
}

TEST_F(Simplify, TakesAPredicateIntoAComparison) {
  const VReg p = b.pred(), q = b.pred(), both = b.pred(), flipped = b.pred();
  b.op(Opcode::Isetp, {}, x, imm(3)).set("cmp", isa::ICmp::Lt).pd(p);
  b.op(Opcode::Isetp, {}, x, imm(1)).set("cmp", isa::ICmp::Ne).pd(q);
  b.op(Opcode::Plop, {}).set("op", isa::BoolOp::Or).pd(both).p({p, false}).p2({q, false});
  b.op(Opcode::Plop, {}).set("op", isa::BoolOp::Xor).pd(flipped).p({both, false}).p2({});  // not
  b.set_guard({flipped, false});
  store(x);
  b.set_guard({});
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Plop), 0u) << to_string(f);
  ASSERT_EQ(count(Opcode::Isetp), 2u);
  EXPECT_EQ(find(Opcode::Stg)->guard, (mir::Pred{both, true}));
  const Instruction& last = *std::find_if(f.blocks[0].body.begin(), f.blocks[0].body.end(), [&](const Instruction& i) { return i.pd == both; });
  EXPECT_EQ(last.field("op"), static_cast<unsigned>(isa::BoolOp::Or));
  EXPECT_TRUE(last.p.present());
}

TEST_F(Simplify, MasksAndShiftsOfFieldsAreFields) {
  const Operand low = b.reg(b.r32()), part = b.reg(b.r32()), again = b.reg(b.r32());
  b.op(Opcode::Lop, low, x, imm(0xFFFF)).set("op", isa::LogicOp::And);
  b.op(Opcode::Shr, part, low, imm(8));
  b.op(Opcode::Lop, again, part, imm(0xFFFF)).set("op", isa::LogicOp::And);  // eight bits at most
  store(again);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Lop) + count(Opcode::Shr), 0u) << to_string(f);
  ASSERT_EQ(count(Opcode::Bfe), 1u);
  EXPECT_TRUE(find(Opcode::Bfe)->b.is_imm(8 | 8 << 8));
}

TEST_F(Simplify, KeepsMasksThatMaskAndSignedShiftsOfUnsignedFields) {
  const Operand field = b.reg(b.r32()), shifted = b.reg(b.r32()), cut = b.reg(b.r32());
  b.op(Opcode::Bfe, field, x, imm(0 | 16 << 8)).set("sign", 1);
  b.op(Opcode::Shr, shifted, field, imm(8));  // unsigned: of the sign's copies, too
  b.op(Opcode::Lop, cut, shifted, imm(0xFFFF)).set("op", isa::LogicOp::And);
  store(cut);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Shr), 1u) << to_string(f);
  EXPECT_EQ(count(Opcode::Lop), 1u);
}

TEST_F(Simplify, FusesAnAddressSumIntoTheWideProduct) {
  const Operand product = b.reg(b.r64()), base = b.reg(b.r64()), sum = b.reg(b.r64()), v = b.reg(b.r32());
  b.mov(base.word(0), mir::constant(0, 0)), b.mov(base.word(1), mir::constant(0, 4));
  b.op(Opcode::ImadWide, product, x, imm(4)).set("sign", 1);
  b.op(Opcode::Iadd64, sum, base, product);
  b.op(Opcode::Ldg, v, sum, imm(0)).set("size", isa::MemSize::B32);
  store(v);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Iadd64), 0u);
  const Instruction* load = find(Opcode::Ldg);
  ASSERT_NE(load, nullptr);
  bool fused = false;
  for (const Instruction& i : f.blocks[0].body) fused |= i.is(Opcode::ImadWide) && i.dst == load->a && i.c == base;
  EXPECT_TRUE(fused) << to_string(f);
}

TEST_F(Simplify, FoldsAConstantIntoTheOffsetOfAnAccess) {
  const Operand next = b.reg(b.r64()), v = b.reg(b.r32());
  b.op(Opcode::Iadd64, next, address, imm(-24));
  b.op(Opcode::Ldg, v, next, imm(8)).set("size", isa::MemSize::B32);
  store(v);
  b.exit();
  optimise();
  EXPECT_EQ(find(Opcode::Ldg)->a, address);
  EXPECT_TRUE(find(Opcode::Ldg)->b.is_imm(-16));
  EXPECT_EQ(count(Opcode::Iadd64), 0u);
}

TEST_F(Simplify, TakesParametersFromTheConstantBankIntoCompares) {
  const Operand n = b.reg(b.r32());
  const VReg p = b.pred();
  b.mov(n, mir::constant(0, 24));
  b.op(Opcode::Isetp, {}, x, n).set("cmp", isa::ICmp::Ge).pd(p);
  b.set_guard({p, false}), store(x), b.set_guard({});
  b.exit();
  optimise();
  EXPECT_TRUE(find(Opcode::Isetp)->b == mir::constant(0, 24));
  EXPECT_EQ(count(Opcode::Mov), 0u);
}

TEST_F(Simplify, DoesNotMoveACopyPastAChangeOfItsSource) {
  const Operand y = b.reg(b.r32());
  b.copy(y, x);
  b.op(Opcode::Iadd, x, x, imm(1));
  store(y);
  b.exit();
  optimise();
  EXPECT_EQ(find(Opcode::Stg)->c, y);
}

TEST_F(Simplify, TurnsASharedAddressOf64BitsInto32) {
  const Operand wide = b.reg(b.r64()), v = b.reg(b.r32());
  b.op(Opcode::ImadWide, wide, x, imm(4));
  b.op(Opcode::Lds, v, wide.word(0), imm(16)).set("size", isa::MemSize::B32);
  store(v);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Imad), 1u) << to_string(f);
}

TEST_F(Simplify, TakesSignsIntoTheArithmetic) {
  const Operand minus = b.reg(b.r32()), size = b.reg(b.r32()), sum = b.reg(b.r32()), d = b.reg(b.r32());
  b.op(Opcode::Fadd, minus, x, imm(0x80000000)).set("neg_a", 1);
  b.op(Opcode::Fadd, size, x, imm(0x80000000)).set("abs_a", 1);
  b.op(Opcode::Fadd, sum, size, minus);
  b.op(Opcode::Ffma, d, minus, x, sum);
  store(d);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Fadd), 1u);
  const Instruction *add = find(Opcode::Fadd), *fma = find(Opcode::Ffma);
  EXPECT_EQ(add->a, x);
  EXPECT_EQ(add->b, x);
  EXPECT_EQ(add->field("abs_a"), 1u);
  EXPECT_EQ(add->field("neg_b"), 1u);
  EXPECT_EQ(fma->a, x);
  EXPECT_EQ(fma->field("neg_p"), 1u);
}

// neg.ftz makes a zero of a subnormal number, which arithmetic without .ftz would not.
TEST_F(Simplify, KeepsASignChangeThatFlushes) {
  const Operand minus = b.reg(b.r32()), d = b.reg(b.r32());
  b.op(Opcode::Fadd, minus, x, imm(0x80000000)).set("neg_a", 1).set("ftz", 1);
  b.op(Opcode::Fmul, d, minus, x);
  store(d);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Fadd), 1u);
}

TEST(Fold, ComputesConstantOperations) {
  Instruction i;
  i.op = Opcode::Lop;
  i.set_field("op", static_cast<unsigned>(isa::LogicOp::Xor));
  i.dst = mir::phys(4);
  i.a = imm(0xff), i.b = imm(0x0f);
  EXPECT_TRUE(fold(i));
  EXPECT_TRUE(i.is(Opcode::Mov));
  EXPECT_TRUE(i.b.is_imm(0xf0));
}

TEST(Fold, MirrorsAComparisonWhoseConstantComesFirst) {
  Instruction i;
  i.op = Opcode::Isetp;
  i.set_field("cmp", static_cast<unsigned>(isa::ICmp::Lt));
  i.a = imm(5), i.b = mir::phys(4);
  EXPECT_TRUE(fold(i));
  EXPECT_EQ(i.a, mir::phys(4));
  EXPECT_EQ(i.field("cmp"), static_cast<unsigned>(isa::ICmp::Gt));
}

TEST_F(DeadCode, RemovesWhatNobodyReadsAndKeepsEffects) {
  const Operand dead = b.reg(b.r32()), loaded = b.reg(b.r32());
  b.op(Opcode::Iadd, dead, x, imm(1));
  b.op(Opcode::Ldg, loaded, address, imm(0)).set("size", isa::MemSize::B32);
  b.op(Opcode::Atomg, loaded, address, x).set("size", isa::MemSize::B32);
  b.op(Opcode::Bar, {}, {}, imm(0));
  store(x);
  b.exit();
  remove_dead_code(f);
  EXPECT_EQ(count(Opcode::Iadd), 0u);
  EXPECT_EQ(count(Opcode::Ldg), 0u);
  EXPECT_EQ(count(Opcode::Atomg), 1u);
  EXPECT_TRUE(find(Opcode::Atomg)->dst.is_none());
  EXPECT_EQ(count(Opcode::Bar), 1u);
}

TEST_F(DeadCode, KeepsALoadThatOrders) {
  b.op(Opcode::Ldg, b.reg(b.r32()), address, imm(0)).set("size", isa::MemSize::B32).set("order", isa::MemOrder::Acquire);
  b.exit();
  remove_dead_code(f);
  EXPECT_EQ(count(Opcode::Ldg), 1u);
}

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

// A loaded value that only the arm wants takes no register before it is loaded; what is computed from it is guarded, too.
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

TEST_F(Simplify, ComputesNothingTwice) {
  const mir::BlockId then = b.new_block(), end = b.new_block();
  const Operand one = b.reg(b.r32()), two = b.reg(b.r32()), three = b.reg(b.r32()), other = b.reg(b.r32());
  const VReg p = b.pred();
  b.op(Opcode::Bfe, one, x, imm(4096)).set("sign", 1);
  b.op(Opcode::Bfe, other, x, imm(4096));  // unsigned
  store(one);
  b.op(Opcode::Isetp, {}, x, imm(3)).set("cmp", isa::ICmp::Lt).pd(p);
  b.branch({p, false}, then, end);
  b.set_block(then);
  b.op(Opcode::Bfe, two, x, imm(4096)).set("sign", 1);
  store(two);
  b.jump(end);
  b.set_block(end);
  b.op(Opcode::Bfe, three, x, imm(4096)).set("sign", 1);
  store(three);
  store(other);
  b.exit();
  EXPECT_TRUE(share_common_values(f));
  optimise();
  EXPECT_EQ(count(Opcode::Bfe), 2u) << to_string(f);
}

// Where a source may have changed, or not every path has come by the first, the second stays.
TEST_F(Simplify, ComputesAgainWhatMayHaveChanged) {
  const mir::BlockId loop = b.new_block(), left = b.new_block(), right = b.new_block(), end = b.new_block();
  const Operand old = b.reg(b.r32()), now = b.reg(b.r32()), a = b.reg(b.r32()), l = b.reg(b.r32()), r = b.reg(b.r32());
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, x, imm(3)).set("cmp", isa::ICmp::Lt).pd(p);
  b.jump(loop);
  b.set_block(loop);
  b.op(Opcode::Popc, old, {}, a);  // the last turn's
  store(old);
  b.op(Opcode::Ldg, a, address, imm(4)).set("size", isa::MemSize::B32);
  b.op(Opcode::Popc, now, {}, a);
  store(now);
  b.branch({p, false}, loop, left);
  b.set_block(left);
  b.branch({p, true}, right, end);
  b.set_block(right);
  b.op(Opcode::Brev, l, {}, x);
  store(l);
  b.jump(end);
  b.set_block(end);
  b.op(Opcode::Brev, r, {}, x);
  store(r);
  b.exit();
  EXPECT_FALSE(share_common_values(f)) << to_string(f);
}

// A loop whose arms meet in a block written before them, as clang writes a switch in a loop: only the loop goes backward.
TEST_F(Fixture, PutsBlocksBehindThoseThatGoOnToThem) {
  const mir::BlockId head = b.new_block("head"), meet = b.new_block("meet"), end = b.new_block("end"), left = b.new_block("left"),
                     right = b.new_block("right"), rare = b.new_block("rare");
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

// Twelve comparisons that wait for their loads, each used a while later: all at once would take more predicates than there are.
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

}  // namespace
}  // namespace heddle::compiler
