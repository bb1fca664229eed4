// SPDX-License-Identifier: Apache-2.0
// What simplification, folding and the removal of dead code are there for, on the smallest function that shows it. That
// none of them breaks a program is random_test's business.
#include <algorithm>

#include "host-runtime/compiler/passes/common.h"
#include "host-runtime/compiler/passes/fold.h"
#include "host-runtime/compiler/passes/pipeline.h"
#include "host-runtime/compiler/passes/separate.h"
#include "tests/compiler/backend/passes_fixture.h"

namespace heddle::compiler {
namespace {

using Simplify = PassFixture;
using DeadCode = PassFixture;
using SeparateValues = PassFixture;

// Inline assembly has a register or two for all that is between.
TEST_F(SeparateValues, LetsSumsThroughOneRegisterBeOneInstructionEach) {
  const Operand y = b.reg(b.r32()), between = b.reg(b.r32()), first = b.reg(b.r32()), second = b.reg(b.r32());
  b.op(Opcode::S2r, y, {}, imm(1));
  b.op(Opcode::Iadd, between, x, y);
  b.op(Opcode::Iadd, first, between, y);
  b.op(Opcode::Iadd, between, first, x);
  b.op(Opcode::Iadd, second, between, y);
  store(first);
  store(second);
  b.exit();
  PassContext context;
  context.register_limit = 255;
  for (const Pass& pass : function_passes()) pass.run(f, context);
  EXPECT_EQ(count(Opcode::Iadd3), 2u) << to_string(f);
  EXPECT_EQ(count(Opcode::Iadd), 0u) << to_string(f);
}

// What is written in part, or under a guard, goes on with what was there; what leaves the block keeps its register.
TEST_F(SeparateValues, KeepsAValueTogether) {
  const Operand word = b.reg(b.r32()), pair = b.reg(b.r64());
  const VReg p = b.pred();
  for (int n = 0; n < 2; n++) {
    b.op(Opcode::S2r, word, {}, imm(1));
    b.op(Opcode::Isetp, {}, word, imm(3)).pd(p);
    b.set_guard({p, false});
    b.op(Opcode::Iadd, word, word, x);
    b.set_guard({});
    b.op(Opcode::ImadWide, pair, word, imm(4));
    b.op(Opcode::S2r, pair.word(1), {}, imm(1));
    b.op(Opcode::Iadd64, address, address, pair);
  }
  const mir::BlockId next = b.new_block();
  b.jump(next);
  b.set_block(next);
  b.set_guard({p, false});
  store(word);
  store(pair.word(0));
  b.exit();
  separate_values(f);
  const std::vector<Instruction>& body = f.blocks[0].body;
  const auto expect_one_value = [&](size_t at, bool leaves) {
    const VReg w = body[at].dst.id, q = body[at + 1].pd, d = body[at + 3].dst.id;
    EXPECT_EQ(w == word.id && q == p && d == pair.id, leaves);
    EXPECT_EQ(w != word.id && q != p && d != pair.id, !leaves);
    EXPECT_EQ(body[at + 1].a.id, w);
    EXPECT_EQ(body[at + 2].guard.reg, q);
    for (const Operand& o : {body[at + 2].dst, body[at + 2].a, body[at + 3].a}) EXPECT_EQ(o.id, w);
    for (const Operand& o : {body[at + 4].dst, body[at + 5].b}) EXPECT_EQ(o.id, d);
  };
  expect_one_value(2, false);
  expect_one_value(8, true);
}

TEST_F(Simplify, MakesOneInstructionOfLogicOfThreeSources) {
  const Operand y = b.reg(b.r32()), z = b.reg(b.r32()), both = b.reg(b.r32()), odd = b.reg(b.r32()),
                rest = b.reg(b.r32());
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
    for (unsigned k = 0; k < 3; k++)
      (sources[k]->id == x.id ? vx : sources[k]->id == y.id ? vy : vz) = n >> (2 - k) & 1;
    EXPECT_EQ(i.field("lut") >> n & 1, static_cast<unsigned>((vz != (vx && !vy)) || vy)) << n;
  }
}

TEST_F(Simplify, LeavesLogicThatOthersReadOrThatNeedsALongConstant) {
  const Operand y = b.reg(b.r32()), shared = b.reg(b.r32()), sum = b.reg(b.r32()), masked = b.reg(b.r32()),
                both = b.reg(b.r32());
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

TEST_F(Simplify, ComparesBitsWithZeroInOneInstruction) {
  const Operand y = b.reg(b.r32()), odd = b.reg(b.r32()), bit = b.reg(b.r32()), both = b.reg(b.r32()),
                kept = b.reg(b.r32()), more = b.reg(b.r32());
  b.op(Opcode::S2r, y, {}, imm(1));
  const VReg p = b.pred(), q = b.pred(), r = b.pred(), s = b.pred(), t = b.pred();
  b.op(Opcode::Lop, odd, x, imm(1)).set("op", isa::LogicOp::And);
  b.op(Opcode::Isetp, {}, odd, imm(1)).set("cmp", isa::ICmp::Eq).pd(p);  // x has it
  b.op(Opcode::Lop, bit, x, imm(64)).set("op", isa::LogicOp::And);
  b.op(Opcode::Isetp, {}, bit, imm(0)).set("cmp", isa::ICmp::Eq).pd(q);  // x has it not
  b.op(Opcode::Lop, both, x, y).set("op", isa::LogicOp::And);
  b.op(Opcode::Isetp, {}, both, imm(0)).set("cmp", isa::ICmp::Ne).pd(r);
  b.op(Opcode::Lop, kept, x, imm(6)).set("op", isa::LogicOp::And);  // two bits of which one is compared with: stays
  b.op(Opcode::Isetp, {}, kept, imm(2)).set("cmp", isa::ICmp::Eq).pd(s);
  b.op(Opcode::Lop, more, y, imm(8)).set("op", isa::LogicOp::And);  // has another reader: stays
  b.op(Opcode::Isetp, {}, more, imm(0)).set("cmp", isa::ICmp::Ne).pd(t);
  store(more);
  for (const VReg guard : {p, q, r, s, t}) {
    b.set_guard({guard, false});
    store(x);
  }
  b.set_guard({});
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Lop), 2u) << to_string(f);
  const auto cmp_of = [&](VReg pd) {
    return static_cast<isa::ICmp>(
        std::find_if(f.blocks[0].body.begin(), f.blocks[0].body.end(), [&](const Instruction& i) {
          return i.pd == pd;
        })->field("cmp"));
  };
  EXPECT_EQ(cmp_of(p), isa::ICmp::Any);
  EXPECT_EQ(cmp_of(q), isa::ICmp::None);
  EXPECT_EQ(cmp_of(r), isa::ICmp::Any);
  EXPECT_EQ(cmp_of(s), isa::ICmp::Eq);
  EXPECT_EQ(cmp_of(t), isa::ICmp::Ne);
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
  const Instruction& last = *std::find_if(f.blocks[0].body.begin(), f.blocks[0].body.end(),
                                          [&](const Instruction& i) { return i.pd == both; });
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

TEST_F(Simplify, AddsThreeInOne) {
  const Operand y = b.reg(b.r32()), z = b.reg(b.r32()), sum = b.reg(b.r32()), all = b.reg(b.r32());
  b.mov(y, mir::constant(0, 24)), b.op(Opcode::Popc, y, {}, y);
  b.op(Opcode::Popc, z, {}, y);
  b.op(Opcode::Iadd, sum, x, y).set("neg_b", 1);
  b.op(Opcode::Iadd, all, z, sum).set("neg_b", 1);  // z - (x - y)
  store(all);
  b.exit();
  optimise();
  ASSERT_EQ(count(Opcode::Iadd3), 1u) << to_string(f);
  EXPECT_EQ(count(Opcode::Iadd), 0u) << to_string(f);
  const Instruction* i = find(Opcode::Iadd3);
  EXPECT_EQ(i->c, z);
  EXPECT_EQ(i->field(i->a == x ? "neg_a" : "neg_b"), 1u);
  EXPECT_EQ(i->field(i->a == x ? "neg_b" : "neg_a"), 0u);
}

TEST_F(Simplify, KeepsASumThatIsReadElsewhere) {
  const Operand y = b.reg(b.r32()), sum = b.reg(b.r32()), all = b.reg(b.r32());
  b.op(Opcode::Popc, y, {}, x);
  b.op(Opcode::Iadd, sum, x, y);
  b.op(Opcode::Iadd, all, sum, y);
  store(sum), store(all);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Iadd3), 0u) << to_string(f);
  EXPECT_EQ(count(Opcode::Iadd), 2u) << to_string(f);
}

// An offset is worth more: it costs nothing in an address.
TEST_F(Simplify, KeepsASumWithANumber) {
  const Operand y = b.reg(b.r32()), sum = b.reg(b.r32()), all = b.reg(b.r32());
  b.op(Opcode::Popc, y, {}, x);
  b.op(Opcode::Iadd, sum, x, y);
  b.op(Opcode::Iadd, all, sum, imm(16));
  store(all);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Iadd3), 0u) << to_string(f);
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

// The special function unit reads |x| and -x. All it computes but tanh takes subnormal numbers as zeros anyway.
TEST_F(Simplify, TakesSignsIntoSpecialFunctions) {
  const Operand size = b.reg(b.r32()), minus = b.reg(b.r32()), both = b.reg(b.r32());
  const Operand root = b.reg(b.r32()), power = b.reg(b.r32()), reciprocal = b.reg(b.r32()), tanh = b.reg(b.r32());
  b.op(Opcode::Fadd, size, x, imm(0x80000000)).set("abs_a", 1);
  b.op(Opcode::Fadd, minus, x, imm(0x80000000)).set("neg_a", 1).set("ftz", 1);
  b.op(Opcode::Fadd, both, size, imm(0x80000000)).set("neg_a", 1);
  b.op(Opcode::Mufu, root, {}, size).set("op", isa::MufuOp::Sqrt);
  b.op(Opcode::Mufu, power, {}, minus).set("op", isa::MufuOp::Ex2);
  b.op(Opcode::Mufu, reciprocal, {}, both).set("op", isa::MufuOp::Rcp);
  b.op(Opcode::Mufu, tanh, {}, minus).set("op", isa::MufuOp::Tanh);
  for (const Operand& result : {root, power, reciprocal, tanh}) store(result);
  b.exit();
  optimise();
  EXPECT_EQ(count(Opcode::Fadd), 1u) << to_string(f);
  const auto expect = [&](isa::MufuOp op, unsigned abs, unsigned neg, bool of_x) {
    for (const auto& block : f.blocks) {
      for (const Instruction& i : block.body) {
        if (!i.is(Opcode::Mufu) || i.field("op") != static_cast<unsigned>(op)) continue;
        EXPECT_EQ(i.field("abs"), abs);
        EXPECT_EQ(i.field("neg"), neg);
        EXPECT_EQ(i.b == x, of_x);
        return;
      }
    }
    ADD_FAILURE() << "no such function";
  };
  expect(isa::MufuOp::Sqrt, 1, 0, true);
  expect(isa::MufuOp::Ex2, 0, 1, true);
  expect(isa::MufuOp::Rcp, 1, 1, true);
  expect(isa::MufuOp::Tanh, 0, 0, false);
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
  b.op(Opcode::Ldg, b.reg(b.r32()), address, imm(0))
      .set("size", isa::MemSize::B32)
      .set("order", isa::MemOrder::Acquire);
  b.exit();
  remove_dead_code(f);
  EXPECT_EQ(count(Opcode::Ldg), 1u);
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

}  // namespace
}  // namespace heddle::compiler
