// SPDX-License-Identifier: Apache-2.0
// Which neighbouring accesses become one, and which must not: a wrong one gives wrong results or faults. Random
// programs of accesses that overlap, through several registers, tell whether all rules together are enough.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>

#include "host-runtime/compiler/compile.h"
#include "host-runtime/compiler/passes/merge_accesses.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/backend/passes_fixture.h"
#include "tests/rounds.h"

namespace heddle::compiler {
namespace {

struct Merge : PassFixture {
  Merge() : base(aligned(4)) {}
  // A number that is known to be a multiple of 2^bits, and no more.
  Operand aligned(int bits) {
    const Operand r = b.reg(b.r32());
    b.op(Opcode::Shl, r, x, imm(bits));
    return r;
  }
  Builder::Ref load(Operand at, int64_t offset, Operand to) {
    return b.op(Opcode::Lds, to, at, imm(offset)).set("size", to.count == 2 ? isa::MemSize::B64 : isa::MemSize::B32);
  }
  Operand load(Operand at, int64_t offset, bool wide = false) {
    const Operand r = b.reg(wide ? b.r64() : b.r32());
    load(at, offset, r);
    return r;
  }
  Builder::Ref put(Operand at, int64_t offset, Operand data, Opcode op = Opcode::Sts) {
    return b.op(op, {}, at, imm(offset), data).set("size", data.count == 2 ? isa::MemSize::B64 : isa::MemSize::B32);
  }
  // Of four stores of different registers.
  std::array<Operand, 4> numbers() {
    std::array<Operand, 4> out;
    for (int n = 0; n < 4; n++) {
      out[static_cast<size_t>(n)] = b.reg(b.r32());
      b.op(Opcode::Iadd, out[static_cast<size_t>(n)], x, imm(n + 1));
    }
    return out;
  }
  unsigned merge() {
    b.exit();
    const unsigned n = merge_accesses(f, 255, [](mir::SymbolId s) { return s == 0 ? 16u : 4u; });
    mir::Module module;
    module.symbols.resize(2);
    EXPECT_EQ(verify(module, f), std::nullopt) << to_string(f);
    return n;
  }
  size_t of_size(isa::MemSize size) const {
    size_t n = 0;
    for (const mir::Block& block : f.blocks)
      for (const Instruction& i : block.body) n += mir::is_memory(i) && i.field("size") == static_cast<unsigned>(size);
    return n;
  }
  Operand base;
};

TEST_F(Merge, FourLoadsAreOne) {
  std::array<Operand, 4> r;
  for (size_t n : {2, 0, 3, 1}) r[n] = load(base, 32 + 4 * static_cast<int64_t>(n));
  EXPECT_EQ(merge(), 3u);
  ASSERT_EQ(count(Opcode::Lds), 1u);
  const Instruction& wide = *find(Opcode::Lds);
  EXPECT_EQ(wide.field("size"), static_cast<unsigned>(isa::MemSize::B128));
  EXPECT_TRUE(wide.b.is_imm(32));
  for (const Instruction& i : f.blocks[0].body)
    for (unsigned n = 0; n < 4; n++) {
      if (i.pseudo != mir::Pseudo::Copy || !(i.dst == r[n])) continue;
      EXPECT_EQ(i.a, wide.dst.word(n));
    }
}
TEST_F(Merge, FourStoresAreOne) {
  const auto r = numbers();
  for (int n : {3, 1, 0, 2}) put(base, 16 + 4 * n, r[static_cast<size_t>(n)]);
  EXPECT_EQ(merge(), 3u);
  ASSERT_EQ(count(Opcode::Sts), 1u);
  EXPECT_TRUE(find(Opcode::Sts)->b.is_imm(16));
  EXPECT_EQ(of_size(isa::MemSize::B128), 1u);
}
TEST_F(Merge, TwoOrThreeBecomeAPair) {
  load(base, 8), load(base, 12), load(base, 20), load(base, 16), load(base, 24);
  EXPECT_EQ(merge(), 2u);
  EXPECT_EQ(of_size(isa::MemSize::B64), 2u);
  EXPECT_EQ(of_size(isa::MemSize::B32), 1u);
}
TEST_F(Merge, TwoPairsAreOne) {
  const Operand u = load(base, 0, true), v = load(base, 8, true);
  put(base, 64, u), put(base, 72, v);
  EXPECT_EQ(merge(), 2u);
  EXPECT_EQ(of_size(isa::MemSize::B128), 2u);
}
TEST_F(Merge, TwoWordsThatDoNotShareAPairStay) {
  load(base, 4), load(base, 8);
  load(base, 28), load(base, 32);
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, BytesStay) {
  for (int n = 0; n < 4; n++) b.op(Opcode::Lds, b.reg(b.r32()), base, imm(n)).set("size", isa::MemSize::U8);
  for (int n = 0; n < 4; n++) b.op(Opcode::Lds, b.reg(b.r32()), base, imm(2 * n)).set("size", isa::MemSize::U16);
  EXPECT_EQ(merge(), 0u);
}

// ---- alignment

TEST_F(Merge, OfAMultipleOfEightPairsOnly) {
  const Operand eight = aligned(3);
  for (int n = 0; n < 4; n++) load(eight, 4 * n);
  EXPECT_EQ(merge(), 2u);
  EXPECT_EQ(of_size(isa::MemSize::B64), 2u);
}
TEST_F(Merge, OfAMultipleOfFourNothing) {
  const Operand four = aligned(2);
  for (int n = 0; n < 4; n++) load(four, 4 * n);
  for (int n = 0; n < 4; n++) load(x, 4 * n);
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, AnOffsetCountsForTheAlignment) {
  const Operand odd = b.reg(b.r32()), twelve = b.reg(b.r32());
  b.op(Opcode::Iadd, odd, base, imm(4));
  b.op(Opcode::Lop, twelve, base, imm(12)).set("op", isa::LogicOp::Or);
  for (int n = 0; n < 4; n++) load(odd, 12 + 4 * n);
  for (int n = 0; n < 4; n++) load(twelve, -12 + 4 * n);
  EXPECT_EQ(merge(), 6u);
  EXPECT_EQ(of_size(isa::MemSize::B128), 2u);
}
TEST_F(Merge, KnowsWhatArithmeticKeeps) {
  const Operand product = b.reg(b.r32()), masked = b.reg(b.r32()), sum = b.reg(b.r32()), wide = b.reg(b.r64()),
                less = b.reg(b.r32());
  b.op(Opcode::Imad, product, x, imm(528), base);
  b.op(Opcode::Lop, masked, x, imm(-16)).set("op", isa::LogicOp::And);
  b.op(Opcode::Iadd3, sum, product, masked, base).set("neg_b", 1);
  b.op(Opcode::ImadWide, wide, sum, imm(3));
  b.op(Opcode::Imad, less, x, imm(24), base);
  for (int n = 0; n < 4; n++) load(wide.word(0), 4 * n);
  for (int n = 0; n < 4; n++) load(less, 4 * n);
  EXPECT_EQ(merge(), 5u);
  EXPECT_EQ(of_size(isa::MemSize::B128), 1u);
  EXPECT_EQ(of_size(isa::MemSize::B64), 2u);
}
TEST_F(Merge, FollowsARegisterThroughALoop) {
  for (const int step : {32, 8, 4}) {
    f.blocks.resize(1), f.blocks[0].body.resize(2), f.blocks[0].end = {};
    b.set_block(0);
    const Operand at = b.reg(b.r32());
    const VReg p = b.pred();
    const mir::BlockId loop = b.new_block(), after = b.new_block();
    b.op(Opcode::Shl, at, x, imm(4));
    b.jump(loop);
    b.set_block(loop);
    for (int n = 0; n < 4; n++) load(at, 4 * n);
    b.op(Opcode::Iadd, at, at, imm(step));
    b.op(Opcode::Isetp, {}, at, imm(999)).pd(p);
    b.branch({p, false}, loop, after);
    b.set_block(after);
    EXPECT_EQ(merge(), step == 32 ? 3u : step == 8 ? 2u : 0u);
  }
}
TEST_F(Merge, KnowsVariablesByTheirAlignment) {
  for (const mir::SymbolId s : {0u, 1u}) {
    const Operand at = b.reg(b.r64());
    b.mov(at.word(0), mir::symbol(s, 16, mir::SymbolPart::Lo));
    b.mov(at.word(1), mir::symbol(s, 16, mir::SymbolPart::Hi));
    for (int n = 0; n < 4; n++) b.op(Opcode::Ldg, b.reg(b.r32()), at, imm(4 * n)).set("size", isa::MemSize::B32);
  }
  EXPECT_EQ(merge(), 3u);
}
TEST_F(Merge, ConstantsToo) {
  for (const unsigned bank : {mir::kConstBank, mir::kParamBank})
    for (unsigned n = 0; n < 4; n++)
      b.op(Opcode::Ldc, b.reg(b.r32()), base, mir::constant(bank, 32 + 4 * n)).set("size", isa::MemSize::B32);
  EXPECT_EQ(merge(), 3u);  // but not parameters
}
TEST_F(Merge, ParametersAndSpecialRegistersAreUnknown) {
  const Operand p = b.reg(b.r32());
  b.mov(p, mir::constant(mir::kParamBank, 0));
  for (int n = 0; n < 4; n++) load(p, 4 * n);
  for (int n = 0; n < 4; n++) load(x, 4 * n);
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, ParametersOfFunctionsAreUnknown) {
  const Operand p = b.reg(b.r32());
  f.params.push_back({"p", 4, 4, p});
  b.op(Opcode::Shl, p, x, imm(4)).guard({b.pred(), false});
  for (int n = 0; n < 4; n++) load(p, 4 * n);
  EXPECT_EQ(merge(), 0u);
}

// ---- kinds of accesses

TEST_F(Merge, OrderedAndUncachedAccessesStay) {
  const auto r = numbers();
  for (int n = 0; n < 4; n++) load(base, 4 * n, b.reg(b.r32())).set("order", isa::MemOrder::Relaxed);
  for (int n = 0; n < 4; n++) load(base, 4 * n, b.reg(b.r32())).set("order", isa::MemOrder::Acquire);
  for (int n = 0; n < 4; n++) load(base, 4 * n, b.reg(b.r32())).set("cache", isa::CacheOp::Cv);
  for (int n = 0; n < 4; n++) put(base, 4 * n, r[static_cast<size_t>(n)]).set("order", isa::MemOrder::Relaxed);
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, CacheOperatorsMustBeEqual) {
  for (int n = 0; n < 4; n++)
    load(base, 4 * n, b.reg(b.r32())).set("cache", n % 2 ? isa::CacheOp::Cs : isa::CacheOp::Ca);
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, StoresUnderOneGuardAreOne) {
  const auto r = numbers();
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, x, imm(3)).pd(p);
  for (int n = 0; n < 4; n++) put(base, 4 * n, r[static_cast<size_t>(n)]).guard({p, true});
  for (int n = 0; n < 4; n++) put(base, 16 + 4 * n, r[static_cast<size_t>(n)]).guard({p, n % 2 == 0});
  EXPECT_EQ(merge(), 3u);
  EXPECT_EQ(find(Opcode::Sts)->guard, (mir::Pred{p, true}));
}
TEST_F(Merge, NotWhereTheGuardChanges) {
  const auto r = numbers();
  const VReg p = b.pred();
  for (int n = 0; n < 2; n++) {
    b.op(Opcode::Isetp, {}, x, imm(n)).pd(p);
    put(base, 4 * n, r[static_cast<size_t>(n)]).guard({p, false});
  }
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, GuardedLoadsStay) {
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, x, imm(3)).pd(p);
  for (int n = 0; n < 4; n++) load(base, 4 * n, b.reg(b.r32())).guard({p, false});
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, SmallKernelsOfFewRegistersStay) {
  for (int n = 0; n < 4; n++) load(base, 4 * n);
  b.exit();
  EXPECT_EQ(merge_accesses(f, 8, {}), 0u);
}

// ---- what comes between

TEST_F(Merge, NotAcrossBarriersFencesAtomicsAndCalls) {
  const auto between = [&](int n) {
    switch (n) {
      case 0: b.op(Opcode::Bar, {}, {}, imm(0)); break;
      case 1: b.op(Opcode::Membar, {}); break;
      case 2: b.op(Opcode::Atoms, b.reg(b.r32()), base, x).set("size", isa::MemSize::B32); break;
      case 3: b.call({}); break;
      case 4: b.op(Opcode::Warpsync, {}, {}, imm(-1)); break;
      case 5: load(base, 64, b.reg(b.r32())).set("order", isa::MemOrder::Acquire); break;
      default: b.op(Opcode::Exit, {}).guard({b.pred(), false}); break;
    }
  };
  const auto r = numbers();
  for (int n = 0; n < 7; n++) {
    load(base, 0), between(n), load(base, 4);
    put(base, 0, r[0]), between(n), put(base, 4, r[1]);
    between(n);
  }
  b.exit();
  EXPECT_EQ(merge_accesses(f, 255, {}), 0u);
}
TEST_F(Merge, NotAcrossBlocks) {
  load(base, 0);
  const mir::BlockId next = b.new_block();
  b.jump(next);
  b.set_block(next);
  load(base, 4);
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, NotWhereTheBaseChanges) {
  load(base, 0);
  b.op(Opcode::Iadd, base, base, imm(16));
  load(base, 4);
  load(base, 32, base);  // by the load itself
  load(base, 36);
  EXPECT_EQ(merge(), 0u);
}
TEST_F(Merge, LoadsPassStoresToOtherWordsOnly) {
  const auto r = numbers();
  load(base, 0), put(base, 64, r[0]), load(base, 4);    // another block
  load(base, 16), put(base, 16, r[0]), load(base, 20);  // a word that was loaded before
  load(base, 32), put(base, 36, r[0]), load(base, 36);  // the word itself
  load(base, 48), b.op(Opcode::Sts, {}, base, imm(53), x).set("size", isa::MemSize::U8), load(base, 52);
  EXPECT_EQ(merge(), 2u);
}
TEST_F(Merge, LoadsPassNoStoreThroughAnotherRegister) {
  const auto r = numbers();
  load(base, 0), put(x, 0, r[0]), load(base, 4);
  load(base, 16), put(address, 0, r[0], Opcode::St), load(base, 20);
  load(base, 32), put(address, 0, r[0], Opcode::Stg), load(base, 36);  // another memory
  EXPECT_EQ(merge(), 1u);
}
TEST_F(Merge, StoresPassNoAccessToTheirWords) {
  const auto r = numbers();
  put(base, 0, r[0]), load(base, 0), put(base, 4, r[1]);          // reads it
  put(base, 16, r[0]), put(base, 16, r[2]), put(base, 20, r[1]);  // the second and the third
  put(base, 32, r[0]), load(base, 36), put(base, 36, r[3]);       // reads what is not yet stored
  put(base, 48, r[0]), load(x, 0), put(base, 52, r[1]);           // may read it
  put(base, 64, r[0]), put(x, 0, r[2]), put(base, 68, r[1]);
  EXPECT_EQ(merge(), 2u) << to_string(f);
  EXPECT_EQ(count(Opcode::Sts), 10u);
}
TEST_F(Merge, StoresTakeTheDataAsItWas) {
  const auto r = numbers();
  put(base, 0, r[0]);
  b.op(Opcode::Iadd, r[0], r[0], imm(9));
  put(base, 4, r[1]);
  EXPECT_EQ(merge(), 1u);
  const auto& body = f.blocks[0].body;
  const auto copy = std::find_if(body.begin(), body.end(),
                                 [&](const Instruction& i) { return i.pseudo == mir::Pseudo::Copy && i.a == r[0]; });
  const auto change = std::find_if(body.begin(), body.end(), [&](const Instruction& i) { return i.b.is_imm(9); });
  EXPECT_LT(copy - body.begin(), change - body.begin());
}

// ---- moves

TEST_F(Merge, NotWhereMovesWouldTakeItsPlace) {
  std::array<Operand, 4> quads;
  for (int n = 0; n < 4; n++) {
    quads[static_cast<size_t>(n)] = b.reg(b.r128());
    b.op(Opcode::Lds, quads[static_cast<size_t>(n)], base, imm(16 * n)).set("size", isa::MemSize::B128);
  }
  for (unsigned n = 0; n < 4; n++) put(base, 256 + 4 * n, quads[n].word(1));  // a column
  for (unsigned n = 0; n < 4; n++) put(base, 512 + 4 * n, quads[2].word(n));  // a row
  for (unsigned n = 0; n < 4; n++) put(base, 1024 + 4 * n, imm(0));
  EXPECT_EQ(merge(), 3u);
}

// ---- programs

constexpr int kBytes = 96, kSmall = 8, kWide = 4, kBases = 5;

uint64_t environment(const char* name, uint64_t otherwise) {
  const char* s = std::getenv(name);
  return s ? std::strtoull(s, nullptr, 0) : otherwise;
}

struct Rng {
  std::mt19937_64 engine;
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

// The memory of a thread, and its registers.
struct Thread {
  std::array<uint8_t, kBytes + 32> memory{};
  std::array<uint64_t, kSmall + kWide> registers{};
  std::array<int, kBases> base{0, 8, 0, 4, 0};  // where each points to
};

// 0: %r1, known to be a multiple of 16; 1: of 8; 2: the same place as 0, which nobody knows; 3: 4 more than a multiple
// of 16; 4: a generic address.
constexpr const char* kNames[kBases] = {"%r1", "%r2", "%r3", "%r4", "%rd1"};

// One access, as PTX, and what it does to the threads.
std::string access(Rng& rng, std::vector<Thread>& threads, int base, int offset, int size, bool store) {
  const bool guarded = store && rng.below(6) == 0;
  const auto r = static_cast<size_t>(size == 8 ? kSmall + rng.below(kWide) : rng.below(kSmall));
  for (size_t n = 0; n < threads.size(); n++) {
    Thread& t = threads[n];
    uint8_t* at = t.memory.data() + t.base[static_cast<size_t>(base)] + offset;
    if (guarded && n % 2) continue;
    if (store) {
      std::memcpy(at, &t.registers[r], static_cast<size_t>(size));
    } else {
      t.registers[r] = 0;
      std::memcpy(&t.registers[r], at, static_cast<size_t>(size));
    }
  }
  const std::string reg = size == 8 ? fmt::format("%w{}", r - kSmall) : fmt::format("%v{}", r);
  const std::string op = fmt::format("{}{}{}.{}{}", guarded ? "@%p1 " : "", store ? "st" : "ld",
                                     rng.below(12) == 0 ? ".volatile" : "", base == 4 ? "" : "shared.",
                                     size == 8   ? "b64"
                                     : size == 4 ? "b32"
                                     : size == 2 ? "u16"
                                                 : "u8");
  const std::string place = fmt::format("[{}+{}]", kNames[base], offset);
  return store ? fmt::format("{} {}, {};\n", op, place, reg) : fmt::format("{} {}, {};\n", op, reg, place);
}

// An access anywhere, a change of a register, a fence.
std::string step(Rng& rng, std::vector<Thread>& threads) {
  const int kind = rng.below(24);
  if (kind == 0) {
    const int base = rng.below(4), by = 16 * rng.below(2);
    bool fits = true;
    for (Thread& t : threads) fits = fits && t.base[static_cast<size_t>(base)] + by <= 16;
    if (!fits) return {};
    for (Thread& t : threads) t.base[static_cast<size_t>(base)] += by;
    return fmt::format("add.u32 {0}, {0}, {1};\n", kNames[base], by);
  }
  if (kind == 1) return "bar.warp.sync 0xffffffff;\n";
  if (kind == 2) return "membar.cta;\n";
  if (kind == 3) {
    const auto a = static_cast<size_t>(rng.below(kSmall)), c = static_cast<size_t>(rng.below(kSmall));
    for (Thread& t : threads) t.registers[a] = static_cast<uint32_t>(t.registers[a] * 3 + t.registers[c]);
    return fmt::format("mad.lo.u32 %v{0}, %v{0}, 3, %v{1};\n", a, c);
  }
  const int base = rng.below(10) < 7 ? 0 : rng.below(kBases);
  const int size = std::array{4, 4, 4, 4, 4, 4, 8, 8, 1, 2}[static_cast<size_t>(rng.below(10))];
  int offset = rng.below(48 / size) * size;
  if ((threads[0].base[static_cast<size_t>(base)] + offset) % size) offset += 4;
  return access(rng, threads, base, offset, size, rng.below(2) != 0);
}

// The words of 16 bytes in any order, here and there with something else between.
std::string words(Rng& rng, std::vector<Thread>& threads) {
  const int base = rng.below(4), block = 16 * rng.below(3) - threads[0].base[static_cast<size_t>(base)] % 16;
  const bool store = rng.below(2) != 0;
  std::array<int, 4> order{0, 4, 8, 12};
  std::shuffle(order.begin(), order.end(), rng.engine);
  std::string out;
  for (const int n : order) {
    if (rng.below(8) == 0) out += step(rng, threads);
    if (const int offset = block + n; threads[0].base[static_cast<size_t>(base)] + offset >= 0)
      out += access(rng, threads, base, offset, 4, store);
  }
  return out;
}

struct Program {
  std::string text;
  std::vector<uint8_t> expected;
};

Program random_program(uint64_t seed) {
  Rng rng{std::mt19937_64(seed)};
  constexpr size_t kEach = 128 + 8 * (kSmall + kWide);
  std::vector<Thread> threads(32);
  std::string text = R"(.version 8.3
.target sm_80
.address_size 64
.shared .align 16 .b8 tile[4096];
.visible .entry k(.param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b32 %v<8>; .reg .b64 %w<4>;
  ld.param.u64 %rd7, [out]; mov.u32 %r0, %tid.x;
  mad.wide.u32 %rd7, %r0, )" +
                     std::to_string(kEach) +
                     R"(, %rd7;
  mov.u32 %r5, tile; shl.b32 %r6, %r0, 7; add.u32 %r1, %r5, %r6;
  mad.lo.u32 %r2, %r0, 120, %r5; mad.lo.u32 %r2, %r0, 8, %r2; add.u32 %r2, %r2, 8;
  ld.global.u32 %r3, [%rd7]; add.u32 %r3, %r3, %r1; add.u32 %r4, %r1, 4;
  cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1;
  and.b32 %r7, %r0, 1; setp.eq.u32 %p1, %r7, 0;
)";
  for (int n = 0; n < kBytes + 32; n += 8) text += fmt::format("mov.u64 %w0, {}; st.shared.u64 [%r1+{}], %w0;\n", n, n);
  for (int n = 0; n < kSmall; n++) text += fmt::format("mad.lo.u32 %v{}, %r0, 77, {};\n", n, 1000 * n + 5);
  for (int n = 0; n < kWide; n++) text += fmt::format("mul.wide.u32 %w{}, %v{}, {};\n", n, n, 123456789 + n);
  for (size_t t = 0; t < threads.size(); t++) {
    for (int n = 0; n < kBytes + 32; n += 8) threads[t].memory[static_cast<size_t>(n)] = static_cast<uint8_t>(n);
    for (size_t n = 0; n < kSmall; n++) threads[t].registers[n] = t * 77 + 1000 * n + 5;
    for (size_t n = 0; n < kWide; n++) threads[t].registers[kSmall + n] = threads[t].registers[n] * (123456789 + n);
  }
  for (int n = 0; n < 30; n++) text += rng.below(3) == 0 ? step(rng, threads) : words(rng, threads);
  text += "bar.warp.sync 0xffffffff; add.u32 %r1, %r5, %r6;\n";
  for (int n = 0; n < kSmall; n++) text += fmt::format("st.global.u32 [%rd7+{}], %v{};\n", 128 + 8 * n, n);
  for (int n = 0; n < kWide; n++) text += fmt::format("st.global.u64 [%rd7+{}], %w{};\n", 128 + 8 * (kSmall + n), n);
  for (int n = 0; n < 128; n += 8)
    text += fmt::format("ld.shared.u64 %w0, [%r1+{0}]; st.global.u64 [%rd7+{0}], %w0;\n", n);
  text += "ret;\n}\n";
  Program out{text, std::vector<uint8_t>(32 * kEach)};
  for (size_t t = 0; t < threads.size(); t++) {
    std::memcpy(out.expected.data() + t * kEach, threads[t].memory.data(), 128);
    std::memcpy(out.expected.data() + t * kEach + 128, threads[t].registers.data(), 8 * (kSmall + kWide));
  }
  return out;
}

TEST(MergedPrograms, LeaveTheSame) {
  const uint64_t seed = environment("HEDDLE_SEED", 1);
  const auto count = static_cast<unsigned>(environment("HEDDLE_PROGRAMS", heddle::test::rounds(200)));
  size_t wide = 0;
  for (unsigned n = 0; n < count && !testing::Test::HasFailure(); n++) {
    const Program p = random_program(seed + n);
    for (const unsigned level : {0u, 1u, 2u, 3u}) {
      CompileOptions options;
      options.optimization = level;
      options.verify = true;
      options.dump = [&](std::string_view pass, const mir::Function& f) {
        if (pass != "merge-accesses") return;
        for (const mir::Block& b : f.blocks)
          for (const Instruction& i : b.body)
            wide += (mir::is_load(i) || mir::is_store(i)) && mir::access_bytes(i) == 16;
      };
      const auto compiled = compile({"random.ptx", p.text}, options);
      ASSERT_TRUE(compiled.ok()) << compiled.error().message() << p.text;
      const auto run = test::run_on_model(compiled->cubin, "k", std::vector<uint8_t>(p.expected.size()), {}, {});
      ASSERT_TRUE(run.ok()) << run.error().message() << p.text;
      EXPECT_TRUE(run->buffer == p.expected) << "HEDDLE_SEED=" << seed + n << " HEDDLE_PROGRAMS=1, -O" << level << "\n"
                                             << (count == 1 ? p.text : "");
    }
  }
  if (count >= 10) {
    EXPECT_GT(wide, count);
  }
}

}  // namespace
}  // namespace heddle::compiler
