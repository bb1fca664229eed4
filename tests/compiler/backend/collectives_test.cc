// SPDX-License-Identifier: Apache-2.0
// Which warp instructions become calls of one function, where lanes of several places meet.
#include "host-runtime/compiler/passes/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host-runtime/compiler/mir/builder.h"

namespace heddle::compiler {
namespace {

using isa::Opcode;
using mir::BlockId;
using mir::Builder;
using mir::imm;
using mir::Operand;
using mir::VReg;

struct Collectives : testing::Test {
  Collectives() {
    m.symbols.push_back({"k", mir::Symbol::Kind::Function, 0, mir::Linkage::Visible, {}});
    mir::Function f;
    f.name = "k";
    f.symbol = 0;
    f.is_kernel = true;
    m.functions.push_back(f);
  }
  // if (tid == 3) { first } else { second }: each writes instructions.
  template <typename First, typename Second>
  void either(First first, Second second) {
    Builder b(m.functions[0]);
    b.set_block(b.new_block());
    const Operand tid = b.reg(b.r32());
    const VReg p = b.pred();
    b.op(Opcode::S2r, tid, {}, imm(0));
    b.op(Opcode::Isetp, {}, tid, imm(3)).pd(p);
    const BlockId x = b.new_block(), y = b.new_block(), end = b.new_block();
    b.branch({p, false}, x, y);
    for (const BlockId block : {x, y}) {
      b.set_block(block);
      if (block == x) first(b, tid);
      else second(b, tid);
      b.jump(end);
    }
    b.set_block(end);
    b.exit();
  }
  unsigned join() {
    const unsigned calls = join_collectives(m);
    for (const mir::Function& f : m.functions) {
      const auto wrong = mir::verify(m, f);
      EXPECT_FALSE(wrong.has_value()) << *wrong;
    }
    EXPECT_EQ(m.functions[0].calls.size(), calls);
    return calls;
  }
  static void sync(Builder& b, Operand mask) { b.op(Opcode::Warpsync, {}, {}, mask)->for_next = true; }
  static void redux(Builder& b, Operand a, isa::ReduxOp op = isa::ReduxOp::Add) {
    sync(b, imm(0xffffffff));
    b.op(Opcode::Redux, b.reg(b.r32()), a).set("op", op);
  }
  mir::Module m;
};

TEST_F(Collectives, OnBothSidesOfABranchMeet) {
  either([](Builder& b, Operand a) { redux(b, a); }, [](Builder& b, Operand a) { redux(b, a); });
  EXPECT_EQ(join(), 2u);
  EXPECT_EQ(m.functions.size(), 2u);
}
TEST_F(Collectives, OfAllKindsBecomeWellFormedFunctions) {
  const auto all = [](Builder& b, Operand a) {
    const VReg p = b.pred();
    sync(b, a), b.op(Opcode::Vote, {}).p({p, true}).pd(b.pred()).pq(b.pred());
    sync(b, a), b.op(Opcode::Ballot, b.reg(b.r32()));
    sync(b, a), b.op(Opcode::Match, b.reg(b.r32()), a).set("all", 1).pd(b.pred());
    sync(b, a), b.op(Opcode::Shfl, b.reg(b.r32()), a, imm(3)).set("clamp", 1).set("narrow", 2);
    sync(b, a), b.op(Opcode::Redux, b.reg(b.r32()), a);
  };
  either(all, all);
  EXPECT_EQ(join(), 10u);
  EXPECT_EQ(m.functions.size(), 6u);
}
TEST_F(Collectives, ShufflesOfDifferentBoundsMeet) {
  const auto shfl = [](unsigned narrow) {
    return [narrow](Builder& b, Operand a) {
      sync(b, imm(0xffffffff));
      b.op(Opcode::Shfl, b.reg(b.r32()), a, a).set("clamp", 1).set("narrow", narrow);
    };
  };
  either(shfl(0), shfl(1));
  EXPECT_EQ(join(), 2u);
  EXPECT_EQ(m.functions.size(), 2u);
  std::vector<int64_t> bounds;
  for (const mir::Call& c : m.functions[0].calls) bounds.push_back(c.args.back().value.imm);
  std::sort(bounds.begin(), bounds.end());
  EXPECT_EQ(bounds, (std::vector<int64_t>{0x1f, 0x101f}));
}
TEST_F(Collectives, OneAfterTheOtherStay) {
  either([](Builder& b, Operand a) { redux(b, a), redux(b, a); }, [](Builder&, Operand) {});
  EXPECT_EQ(join(), 0u);
}
// Two operations, each with a way around its place for lanes that need not wait.
TEST_F(Collectives, OneAfterTheOtherStayWithAWayAround) {
  Builder b(m.functions[0]);
  b.set_block(b.new_block());
  const Operand tid = b.reg(b.r32());
  b.op(Opcode::S2r, tid, {}, imm(0));
  for (int n = 0; n < 2; n++) {
    const VReg p = b.pred();
    b.op(Opcode::Isetp, {}, tid, imm(n)).pd(p);
    const BlockId slow = b.new_block(), next = b.new_block();
    m.functions[0].blocks[slow].rare = true;
    b.branch({p, false}, slow, next);
    b.set_block(slow);
    redux(b, tid);
    b.jump(next);
    b.set_block(next);
  }
  b.exit();
  EXPECT_EQ(join(), 0u);
}
TEST_F(Collectives, OfDifferentKindsStay) {
  either([](Builder& b, Operand a) { redux(b, a); }, [](Builder& b, Operand a) { redux(b, a, isa::ReduxOp::Max); });
  EXPECT_EQ(join(), 0u);
}
TEST_F(Collectives, ThatDoNotWaitStayAlsoBehindABarrier) {
  const auto alone = [](Builder& b, Operand a) {
    b.op(Opcode::Warpsync, {}, {}, imm(0xffffffff));
    b.op(Opcode::Redux, b.reg(b.r32()), a);
  };
  either(alone, alone);
  EXPECT_EQ(join(), 0u);
}

}  // namespace
}  // namespace heddle::compiler
