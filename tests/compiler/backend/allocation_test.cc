// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/allocate.h"
#include "host-runtime/compiler/passes/check_allocation.h"
#include "host-runtime/compiler/passes/coalesce.h"
#include "host-runtime/compiler/passes/liveness.h"
#include "host-runtime/compiler/passes/schedule.h"
#include "host-runtime/compiler/passes/spill_slots.h"

namespace heddle::compiler {
namespace {

using isa::Opcode;
using mir::Builder;
using mir::imm;
using mir::Operand;
using mir::VReg;

mir::Function kernel() {
  mir::Function f;
  f.name = std::string("k");
  f.is_kernel = true;
  return f;
}

void store(Builder& b, Operand address, Operand data, isa::MemSize size = isa::MemSize::B32) {
  b.op(Opcode::Stg, {}, address, imm(0), data).set("size", size);
}
void load(Builder& b, Operand dst, Operand address, isa::MemSize size = isa::MemSize::B32) {
  b.op(Opcode::Ldg, dst, address, imm(0)).set("size", size);
}

// `values` loads, all live together, then all stored.
mir::Function pressure(unsigned values) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  const Operand address = b.reg(b.r64());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  std::vector<Operand> live;
  for (unsigned n = 0; n < values; n++) {
    live.push_back(b.reg(b.r32()));
    load(b, live.back(), address);
  }
  for (const Operand& v : live) store(b, address, v);
  b.exit();
  return f;
}

TEST(Allocation, UsesNoMoreRegistersThanAreLive) {
  mir::Function f = pressure(30);
  const unsigned live = max_pressure(f).registers;
  const auto a = allocate_registers(f, kMaxRegisters);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(a->registers, live);
  EXPECT_EQ(a->spills.store_bytes, 0u);
  EXPECT_EQ(check_allocation(f, *a, kMaxRegisters), std::nullopt);
}

TEST(Allocation, SpillsToLocalMemoryUnderALimit) {
  mir::Function f = pressure(30);
  const auto a = allocate_registers(f, 16);
  ASSERT_TRUE(a.ok());
  EXPECT_LE(a->registers, 16u);
  EXPECT_GT(a->spills.store_bytes, 0u);
  EXPECT_GT(a->spills.load_bytes, 0u);
  EXPECT_FALSE(f.frame.empty());
  EXPECT_EQ(check_allocation(f, *a, 16), std::nullopt);
}

TEST(Allocation, ComputesCheapConstantsAnewInsteadOfSpillingThem) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  const Operand address = b.reg(b.r64());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  std::vector<Operand> constants;
  for (unsigned n = 0; n < 40; n++) {
    constants.push_back(b.reg(b.r32()));
    b.mov(constants.back(), imm(1000 + n));
  }
  for (const Operand& c : constants) store(b, address, c);
  b.exit();
  const auto a = allocate_registers(f, 16);
  ASSERT_TRUE(a.ok());
  EXPECT_GT(a->spills.rematerialised, 0u);
  EXPECT_EQ(a->spills.store_bytes, 0u);
  EXPECT_EQ(check_allocation(f, *a, 16), std::nullopt);
}

// Kernel parameters of 64 bits come by words; of one of them only the low word is read.
TEST(Allocation, TakesPairsFromTheConstantBankAnewInsteadOfSpillingThem) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  std::vector<Operand> pointers;
  for (unsigned n = 0; n < 20; n++) {
    pointers.push_back(b.reg(b.r64()));
    for (unsigned w = 0; w < 2; w++) b.mov(pointers.back().word(w), mir::constant(mir::kParamBank, 8 * n + 4 * w));
  }
  for (const Operand& p : pointers)
    store(b, p, p == pointers[7] ? p.word(1) : p, p == pointers[7] ? isa::MemSize::B32 : isa::MemSize::B64);
  b.exit();
  const auto a = allocate_registers(f, 16);
  ASSERT_TRUE(a.ok());
  EXPECT_GT(a->spills.rematerialised, 0u);
  EXPECT_EQ(a->spills.store_bytes, 0u);
  EXPECT_TRUE(f.frame.empty());
  EXPECT_EQ(check_allocation(f, *a, 16), std::nullopt);
  unsigned stores = 0;  // each with its own pointer, as last made before it
  for (const mir::Instruction& i : f.blocks[0].body) {
    if (!i.is(Opcode::Stg)) continue;
    std::vector<uint32_t> low(f.vregs.size(), mir::kNone), high = low;
    for (const mir::Instruction& m : f.blocks[0].body) {
      if (&m == &i) break;
      if (m.is(Opcode::Mov)) (m.dst.sub ? high : low)[m.dst.id] = m.b.id;
    }
    EXPECT_EQ(low[i.a.id], 8 * stores);
    EXPECT_EQ(high[i.a.id], 8 * stores + 4);
    if (stores == 7) {
      EXPECT_EQ(i.c.sub ? high[i.c.id] : low[i.c.id], 8u * 7 + 4);
    }
    stores++;
  }
  EXPECT_EQ(stores, 20u);
}

TEST(Allocation, SpillSlotsAreSharedByValuesOfDifferentTimes) {
  const auto phases = [](unsigned count) {
    mir::Function f = kernel();
    Builder b(f);
    b.new_block();
    const Operand address = b.reg(b.r64());
    b.op(Opcode::ImadWide, address, {}, imm(0));
    for (unsigned phase = 0; phase < count; phase++) {
      std::vector<Operand> live;
      for (unsigned n = 0; n < 24; n++) {
        const bool wide = n % 3 == 0;
        live.push_back(b.reg(wide ? b.r64() : b.r32()));
        load(b, live.back(), address, wide ? isa::MemSize::B64 : isa::MemSize::B32);
      }
      for (const Operand& v : live) store(b, address, v, v.count == 2 ? isa::MemSize::B64 : isa::MemSize::B32);
    }
    b.exit();
    EXPECT_TRUE(allocate_registers(f, 16).ok());
    return f;
  };
  const mir::Function one = phases(1), four = phases(4);
  ASSERT_EQ(one.frame.size(), 1u);
  ASSERT_EQ(four.frame.size(), 1u);
  EXPECT_GT(one.frame[0].size, 0u);
  EXPECT_EQ(four.frame[0].size, one.frame[0].size);
  EXPECT_EQ(four.frame[0].align, 8u);
}

TEST(Allocation, SpillSlotsOfOneTimeAreApart) {
  mir::Function f = pressure(40);
  ASSERT_TRUE(allocate_registers(f, 16).ok());
  std::map<int64_t, bool> full;  // by offset in the frame: written and not yet read
  unsigned loads = 0;
  for (const mir::Instruction& i : f.blocks[0].body) {
    if (i.is(Opcode::Stl)) {
      EXPECT_FALSE(full[i.b.imm]) << "offset " << i.b.imm;
      full[i.b.imm] = true;
    } else if (i.is(Opcode::Ldl)) {
      EXPECT_TRUE(full[i.b.imm]) << "offset " << i.b.imm;
      full[i.b.imm] = false;
      loads++;
    }
  }
  EXPECT_GT(loads, 20u);
}

// A value that only some lanes write, or that the next turn of a loop reads, keeps its slot all the while.
TEST(Allocation, SpillSlotsAreKeptAroundLoops) {
  mir::Function f = kernel();
  f.frame.push_back({.name = "array", .size = 64, .align = 16});
  for (int n = 0; n < 2; n++) f.frame.push_back({.name = "spill", .size = 4, .align = 4});
  Builder b(f);
  const mir::BlockId entry = b.new_block(), loop = b.new_block(), end = b.new_block();
  const Operand x = b.reg(b.r32());
  const VReg p = b.pred();
  const auto slot = [&](Opcode op, mir::FrameId id) {
    if (op == Opcode::Ldl) b.op(op, x, mir::frame(id), imm(0));
    else b.op(op, {}, mir::frame(id), imm(0), x);
  };
  b.set_block(entry);
  slot(Opcode::Stl, 1);
  b.jump(loop);
  b.set_block(loop);
  slot(Opcode::Ldl, 1);
  b.op(Opcode::Isetp, {}, x, imm(0)).pd(p);
  b.set_guard({p, false});
  slot(Opcode::Stl, 1);  // where not, the old value is read again
  b.set_guard({});
  slot(Opcode::Stl, 2);
  slot(Opcode::Ldl, 2);
  b.branch({p, false}, loop, end);
  b.set_block(end);
  b.exit();
  share_spill_slots(f, 1);
  ASSERT_EQ(f.frame.size(), 2u);
  EXPECT_EQ(f.frame[0].name, "array");
  EXPECT_EQ(f.frame[1].size, 8u);
}

TEST(Allocation, KeepsMorePredicatesThanThereAreInRegisters) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  const Operand address = b.reg(b.r64()), x = b.reg(b.r32());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  load(b, x, address);
  std::vector<VReg> preds;
  for (int n = 0; n < 12; n++) {
    preds.push_back(b.pred());
    b.op(Opcode::Isetp, {}, x, imm(n)).pd(preds.back());
  }
  for (VReg p : preds) {
    b.set_guard({p, false});
    store(b, address, x);
  }
  b.set_guard({});
  b.exit();
  const auto a = allocate_registers(f, kMaxRegisters);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(check_allocation(f, *a, kMaxRegisters), std::nullopt);
}

TEST(Allocation, AlignsPairsAndQuads) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  const Operand address = b.reg(b.r64()), q = b.reg(b.r128()), d = b.reg(b.r64()), x = b.reg(b.r32());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  load(b, x, address);
  load(b, q, address, isa::MemSize::B128);
  load(b, d, address, isa::MemSize::B64);
  store(b, address, x);
  store(b, address, q, isa::MemSize::B128);
  store(b, address, d, isa::MemSize::B64);
  b.exit();
  const auto a = allocate_registers(f, kMaxRegisters);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(a->color[q.id] % 4, 0);
  EXPECT_EQ(a->color[d.id] % 2, 0);
  EXPECT_EQ(check_allocation(f, *a, kMaxRegisters), std::nullopt);
}

// Loops of multiply-adds for whose operands there are places in different banks, with hardly a register to spare: what
// is wide, or lives all the while, must make room.
TEST(Allocation, ReadsTheOperandsOfAnInstructionFromDifferentBanks) {
  std::mt19937 random(1);
  unsigned products = 0, conflicts = 0;
  for (int kernels = 0; kernels < 40; kernels++) {
    mir::Function f = kernel();
    Builder b(f);
    const mir::BlockId entry = b.new_block(), loop = b.new_block(), end = b.new_block();
    const Operand address = b.reg(b.r64());
    const VReg p = b.pred();
    b.set_block(entry);
    b.op(Opcode::ImadWide, address, {}, imm(0));
    std::vector<Operand> live;
    for (unsigned n = 0; n < 8; n++) live.push_back(b.reg(b.r32()));
    live.push_back(b.reg(b.r64()));
    std::vector<Operand> loaded = live;
    std::shuffle(loaded.begin(), loaded.end(), random);
    const auto size = [](const Operand& o) { return o.count == 2 ? isa::MemSize::B64 : isa::MemSize::B32; };
    for (const Operand& v : loaded) load(b, v, address, size(v));
    b.jump(loop);
    b.set_block(loop);
    for (unsigned n = 0; n < 16; n++) {
      unsigned bank[] = {0, 1, 2, 3};
      std::shuffle(std::begin(bank), std::end(bank), random);
      const Operand x = live[bank[0]], y = live[bank[1]], z = live[bank[2] + 4 * (n % 2)];
      b.op(Opcode::Ffma, x, x, y, z);
    }
    const Operand quad = b.reg(b.r128());
    load(b, quad, address, isa::MemSize::B128);
    store(b, address, quad, isa::MemSize::B128);
    b.op(Opcode::Isetp, {}, live[0], imm(0)).pd(p);
    b.branch({p, false}, loop, end);
    b.set_block(end);
    for (const Operand& v : live) store(b, address, v, size(v));
    b.exit();
    const auto a = allocate_registers(f, kMaxRegisters);
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(check_allocation(f, *a, kMaxRegisters), std::nullopt);
    EXPECT_LE(a->registers, 16u);
    const auto bank = [&](const Operand& o) { return a->color[o.id] % kRegisterBanks; };
    for (const mir::Instruction& i : f.blocks[loop].body) {
      if (!i.is(Opcode::Ffma)) continue;
      products++;
      conflicts += bank(i.a) == bank(i.b) || bank(i.a) == bank(i.c) || bank(i.b) == bank(i.c);
    }
  }
  EXPECT_LE(conflicts, products / 50) << "of " << products;  // a sixth, where none makes room
}

TEST(Coalescing, MakesPackingAndUnpackingFree) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  const Operand address = b.reg(b.r64()), q = b.reg(b.r128()), out = b.reg(b.r64());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  load(b, q, address, isa::MemSize::B128);
  std::vector<Operand> parts;
  for (unsigned w = 0; w < 4; w++) {
    parts.push_back(b.reg(b.r32()));
    b.copy(parts[w], q.word(w));
  }
  b.copy(out.word(0), parts[2]);
  b.copy(out.word(1), parts[3]);
  store(b, address, out, isa::MemSize::B64);
  store(b, address, parts[0]);
  b.exit();
  coalesce_copies(f);
  for (const mir::Instruction& i : f.blocks[0].body) EXPECT_NE(i.pseudo, mir::Pseudo::Copy) << to_string(f, i);
}

TEST(Coalescing, KeepsACopyWhoseSourceChangesWhileItLives) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  const Operand address = b.reg(b.r64()), x = b.reg(b.r32()), y = b.reg(b.r32());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  load(b, x, address);
  b.copy(y, x);
  b.op(Opcode::Iadd, x, x, imm(1));
  store(b, address, x);
  store(b, address, y);
  b.exit();
  EXPECT_EQ(coalesce_copies(f), 0u);
}

// A register is stored and loaded again, as where a loop brings what the next turn stores: the load's latency is no
// reason to begin it before the store, for then its value needs another register, and a copy that waits for it.
TEST(Coalescing, WhatIsLoadedAnewStaysBehindTheLastReaderOfTheOldValue) {
  mir::Function f = kernel();
  Builder b(f);
  const mir::BlockId head = b.new_block(), loop = b.new_block(), end = b.new_block();
  b.set_block(head);
  const Operand address = b.reg(b.r64()), shared = b.reg(b.r32()), value = b.reg(b.r32());
  b.op(Opcode::ImadWide, address, {}, imm(0));
  b.op(Opcode::S2r, shared, {}, imm(0));
  load(b, value, address);
  b.jump(loop);
  b.set_block(loop);
  const Operand stored = b.reg(b.r32()), loaded = b.reg(b.r32()), far = b.reg(b.r32());
  b.op(Opcode::Shl, far, shared, imm(2));
  b.op(Opcode::Iadd, far, far, imm(64));
  b.copy(stored, value);
  b.op(Opcode::Sts, {}, far, imm(0), stored).set("size", isa::MemSize::B32);
  load(b, loaded, address);
  b.copy(value, loaded);
  const VReg p = b.pred();
  b.op(Opcode::Isetp, {}, shared, imm(7)).set("cmp", isa::ICmp::Lt)->pd = p;
  b.branch({p, false}, loop, end);
  b.set_block(end);
  store(b, address, value);
  b.exit();
  schedule(f, 64);
  coalesce_copies(f);
  for (const mir::Instruction& i : f.blocks[loop].body) EXPECT_NE(i.pseudo, mir::Pseudo::Copy) << to_string(f);
}

// The proof must see through wrong allocations: each is spoilt in one place.
TEST(CheckAllocation, FindsTwoLiveValuesInOneRegister) {
  mir::Function f = pressure(10);
  auto a = allocate_registers(f, kMaxRegisters);
  ASSERT_TRUE(a.ok());
  std::vector<VReg> words;
  for (VReg v = 0; v < f.vregs.size(); v++)
    if (f.vregs[v] == mir::RegClass::R32 && a->color[v] != kNoColor) words.push_back(v);
  int found = 0;
  for (size_t n = 0; n + 1 < words.size(); n++) {
    Allocation spoilt = *a;
    spoilt.color[words[n]] = spoilt.color[words[n + 1]];
    found += check_allocation(f, spoilt, kMaxRegisters).has_value();
  }
  EXPECT_EQ(found, static_cast<int>(words.size()) - 1);
}

TEST(CheckAllocation, FindsMisalignedAndOutOfRangePlaces) {
  mir::Function f = pressure(3);
  auto a = allocate_registers(f, kMaxRegisters);
  ASSERT_TRUE(a.ok());
  Allocation odd = *a;
  odd.color[0] = 1;  // the address pair
  EXPECT_TRUE(check_allocation(f, odd, kMaxRegisters).has_value());
  EXPECT_TRUE(check_allocation(f, *a, 2).has_value());
}

TEST(CheckAllocation, FindsAValueLostInACall) {
  mir::Function f = kernel();
  Builder b(f);
  b.new_block();
  const Operand x = b.reg(b.r32()), address = b.reg(b.r64());
  b.op(Opcode::S2r, x, {}, imm(0));
  mir::Call call;
  call.callee = 0;
  call.lowered = true;
  call.writes.push_back(mir::phys(2));
  b.call(call);
  b.op(Opcode::ImadWide, address, {}, imm(0));
  store(b, address, x);
  b.exit();
  auto a = allocate_registers(f, kMaxRegisters);
  ASSERT_TRUE(a.ok());
  EXPECT_TRUE(is_callee_saved(a->color[x.id]));
  EXPECT_EQ(check_allocation(f, *a, kMaxRegisters), std::nullopt);
  a->color[x.id] = 5;
  EXPECT_TRUE(check_allocation(f, *a, kMaxRegisters).has_value());
}

}  // namespace
}  // namespace heddle::compiler
