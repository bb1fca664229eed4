// SPDX-License-Identifier: Apache-2.0
// The functional machine: threads and blocks, block barriers, memory spaces, ends, residency.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sim/model/decode.h"
#include "tests/unit/model/machine_fixture.h"
#include "tests/unit/model/waiting_programs.h"

namespace heddle::test {
namespace {

using model::Machine;

TEST(Machine, RunsEveryThreadOfEveryBlock) {
  Bench b(kPrologue + R"(
    IADD R0, R10, 100
    STG.32 [R12+0], R0
    EXIT
  )",
          70, 13);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 70 * 13; i++) ASSERT_EQ(b.word(i), i + 100) << i;
  EXPECT_EQ(b.word(70 * 13), 0u);
  EXPECT_EQ(b.machine.counters().blocks_done, 13u);
  EXPECT_EQ(b.machine.counters().thread_instructions, 70u * 13 * 11);
}

TEST(Machine, NumbersThreadsInThreeDimensions) {
  Bench b(R"(
    S2R R0, SR_TID.X
    S2R R1, SR_TID.Y
    S2R R4, SR_TID.Z
    S2R R5, SR_CTAID.Y
    MOV R2, c[0][0x0]
    MOV R3, c[0][0x4]
    MOV R6, 5
    MOV R7, 15
    IMAD R8, R1, R6, R0       # x + 5 y
    IMAD R8, R4, R7, R8       # + 15 z
    MOV R9, 30
    IMAD R8, R5, R9, R8       # + 30 block
    MOV R15, 4
    IMAD.WIDE R12, R8, R15, R2
    IADD R8, R8, 1
    STG.32 [R12+0], R8
    EXIT
  )");
  b.launch.block[0] = 5;
  b.launch.block[1] = 3;
  b.launch.block[2] = 2;
  b.launch.grid[1] = 4;
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 120; i++) ASSERT_EQ(b.word(i), i + 1);
}

TEST(Machine, CopiesFromGlobalToSharedMemory) {
  // Each lane copies 8 bytes, the upper half of the warp to where the lower one does: of each half-warp in turn, the
  // later stays.
  Bench b(kPrologue + R"(
    MOV R7, 8
    IMAD.WIDE R8, R10, R7, R2
    LOP.AND R4, R10, 15
    SHL R4, R4, 3
    LDGSTS.64 [R8+4096], R4
    LDGDEPBAR
    DEPBAR 0
    LDS.64 R14, [R4+0]
    STG.64 [R8+0], R14
    EXIT
  )",
          32, 1);
  for (uint32_t i = 0; i < 64; i++) b.word(1024 + i) = 1000 + i;
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 64; i++) ASSERT_EQ(b.word(i), 1000 + 32 + i % 32) << i;
}

TEST(Machine, HoldsABlockAtItsBarrier) {
  // Warp 0 writes after a long loop; the others read after the barrier.
  Bench b(kPrologue + R"(
    ISETP.GE P0, PT, R10, 32, PT
    @P0 BRA $wait
    MOV R0, 0
  loop:
    IADD R0, R0, 1
    ISETP.LT P1, PT, R0, 2000, PT
    @P1 BRA $loop
    MOV R5, 0
    STS.32 [R5+16], R0
  wait:
    BAR.SYNC.POPC RZ, 0, RZ, PT
    MOV R5, 0
    LDS.32 R6, [R5+16]
    STG.32 [R12+0], R6
    EXIT
  )",
          128);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 128; i++) ASSERT_EQ(b.word(i), 2000u);
}

// Many programs write what others read behind a barrier without another one between; on hardware the write is late
// enough.
TEST(Machine, LetsNoWarpRunFarAheadBehindABarrier) {
  Bench b(kPrologue + R"(
    ISETP.GE P0, PT, R10, 32, PT
    MOV R5, 0
    MOV R0, 7
    @!P0 STS.32 [R5+16], R0
    BAR.SYNC.POPC RZ, 0, RZ, PT
    LDS.32 R6, [R5+16]
    STG.32 [R12+0], R6
    IADD R0, R0, 1
    IADD R0, R0, 1
    IADD R0, R0, 1
    IADD R0, R0, 1
    IADD R0, R0, 1
    IADD R0, R0, 1
    @!P0 STS.32 [R5+16], R0
    EXIT
  )",
          256);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 256; i++) ASSERT_EQ(b.word(i), 7u) << i;
}

TEST(Machine, ReducesPredicatesOverTheBlock) {
  Bench b(kPrologue + R"(
    ISETP.LT P0, PT, R10, 45, PT
    BAR.RED.POPC R4, 1, RZ, P0
    BAR.RED.AND R1, 1, RZ, P0
    BAR.RED.OR R2, 1, RZ, P0
    SEL R5, R15, RZ, P1
    SEL R6, R15, RZ, P2
    IMAD R4, R4, R15, R5
    IMAD R4, R4, R15, R6
    STG.32 [R12+0], R4
    EXIT
  )",
          96);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 96; i++) ASSERT_EQ(b.word(i), (45u * 4 + 0) * 4 + 4) << i;
}

TEST(Machine, CountsThreadsOfANamedBarrier) {
  // Warps 0 and 1 meet at barrier 2 while warp 2 arrives without waiting at barrier 3 with warp 3.
  Bench b(kPrologue + R"(
    MOV R20, 64
    ISETP.GE P0, PT, R10, 64, PT
    @P0 BRA $pair
    BAR.SYNC.POPC RZ, 2, R20, PT
    BRA $end
  pair:
    ISETP.GE P1, PT, R10, 96, PT
    @P1 BRA $consumer
    BAR.ARRIVE.POPC RZ, 3, R20, PT
    BRA $end
  consumer:
    BAR.SYNC.POPC RZ, 3, R20, PT
  end:
    STG.32 [R12+0], R20
    EXIT
  )",
          128);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 128; i++) ASSERT_EQ(b.word(i), 64u);
}

TEST(Machine, KeepsLocalMemoryApartForEveryThread) {
  Bench b(kPrologue + R"(
    MOV R5, 0
    STL.32 [R5+20], R10
    IADD R6, R10, 7
    MOV R8, 5
    MOV R9, 6
    STL.64 [R5+56], R8
    STL.U8 [R5+21], R6
    LDL.32 R7, [R5+20]
    LDL.64 R16, [R5+56]
    IADD R7, R7, R17
    STG.32 [R12+0], R7
    EXIT
  )",
          64, 20);
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 64 * 20; i++) {
    const uint32_t stored = (i & ~0xff00u) | ((i + 7) & 255) << 8;
    ASSERT_EQ(b.word(i), stored + 6) << i;
  }
}

TEST(Machine, SeesSharedAndLocalThroughGenericAddresses) {
  Bench b(kPrologue + R"(
    MOV R4, 64
    MOV R5, 15
    MOV R6, 32
    MOV R7, 14
    IMAD R4, R10, R15, R4
    ST.32 [R4+0], R10
    ST.32 [R6+0], R10
    BAR.SYNC.POPC RZ, 0, RZ, PT
    LDS.32 R0, [R4+0]
    LDL.32 R1, [R6+0]
    LD.32 R16, [R12+0]
    IADD R0, R0, R1
    IADD R0, R0, R16
    ST.32 [R12+0], R0
    EXIT
  )");
  for (uint32_t i = 0; i < 32; i++) b.word(i) = 1000;
  ASSERT_EQ(b.run(), Machine::State::Done);
  for (uint32_t i = 0; i < 32; i++) EXPECT_EQ(b.word(i), 1000 + 2 * i);
}

TEST(Machine, ExtendsNarrowLoads) {
  Bench b(kPrologue + R"(
    LDG.U8 R0, [R2+3]
    LDG.S8 R1, [R2+3]
    LDG.U16 R4, [R2+2]
    LDG.S16 R5, [R2+2]
    LDG.128 R16, [R2+0]
    STG.32 [R2+64], R0
    STG.32 [R2+68], R1
    STG.32 [R2+72], R4
    STG.32 [R2+76], R5
    STG.128 [R2+80], R16
    EXIT
  )",
          1);
  b.word(0) = 0x81828384;
  b.word(1) = 5;
  b.word(3) = 6;
  ASSERT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(b.word(16), 0x81u);
  EXPECT_EQ(b.word(17), 0xffffff81u);
  EXPECT_EQ(b.word(18), 0x8182u);
  EXPECT_EQ(b.word(19), 0xffff8182u);
  EXPECT_EQ(b.word(20), 0x81828384u);
  EXPECT_EQ(b.word(23), 6u);
}

// ---- ends ----

TEST(Machine, StopsAKernelAtItsLimit) {
  Bench b("loop:\nBRA $loop\n");
  EXPECT_EQ(b.run(), Machine::State::Timeout);
}

TEST(Machine, FindsABarrierThatCannotComplete) {
  Bench b(kTwoBarriersThatWait, 64);
  ASSERT_EQ(b.run(), Machine::State::Deadlock);
  EXPECT_EQ(b.machine.waiting_warps(0), 3u);
  EXPECT_EQ(b.machine.resident_warps(0), 3u);
}

// ---- residency ----

class Residents : public model::Observer {
 public:
  void block_started(const model::Block& block) override {
    now_[block.sm->index]++;
    most_ = std::max(most_, now_[block.sm->index]);
    sms_.insert(block.sm->index);
  }
  void block_ended(const model::Block& block) override { now_[block.sm->index]--; }
  void issued(const model::Warp&, const model::Decoded&, uint32_t, model::Mask, model::Mask) override {}
  void executed(const model::Warp&, const model::Decoded&, model::Mask, const model::Access*) override {}
  void released(const model::Released&) override {}
  int most_ = 0;
  std::set<uint32_t> sms_;

 private:
  int now_[2] = {};
};

int most_blocks(Bench& b) {
  Residents r;
  b.machine.observe(&r);
  EXPECT_EQ(b.run(), Machine::State::Done);
  EXPECT_EQ(r.sms_.size(), 2u);
  return r.most_;
}

TEST(Machine, LimitsBlocksByWarps) {
  Bench b("EXIT\n", 160, 100);  // 5 warps of 16
  b.launch.registers = 8;
  EXPECT_EQ(most_blocks(b), 3);
}
TEST(Machine, LimitsBlocksByRegisterRows) {
  Bench b("EXIT\n", 64, 100);  // a warp a sub-partition of 256 rows
  b.launch.registers = 63;     // takes 64
  EXPECT_EQ(most_blocks(b), 4);
}
TEST(Machine, LimitsBlocksBySharedMemory) {
  Bench b("EXIT\n", 32, 100);
  b.launch.shared_bytes = 6000;
  EXPECT_EQ(most_blocks(b), 2);
}
TEST(Machine, LimitsBlocksBySlots) {
  Bench b("EXIT\n", 32, 100);
  b.launch.registers = 8;
  b.launch.shared_bytes = 0;
  EXPECT_EQ(most_blocks(b), 8);
}
TEST(Machine, RefusesABlockThatFitsNoSm) {
  Bench b("EXIT\n", 32, 1);
  b.launch.shared_bytes = 16385;
  EXPECT_EQ(b.run(), Machine::State::Idle);
}

// isa::accesses says of every encoding what the machine reads and writes.
TEST(Decode, AgreesWithTheAccessesOfEachEncoding) {
  std::mt19937_64 random(1);
  std::set<isa::Opcode> seen;
  for (int n = 0; n < 400000; n++) {
    const uint64_t word = random();
    const model::Decoded d = model::decode(word);
    if (d.kind == model::Kind::Illegal) continue;
    seen.insert(d.op);
    const isa::Accesses all = isa::accesses(*isa::decode(word));
    isa::RegisterSet reads, writes;
    const auto rows = [](isa::RegisterSet& set, unsigned first, unsigned count) {
      for (unsigned r = first; r < first + count && r < isa::kRz; r++) set.set(r);
    };
    rows(reads, d.ra, d.ra_rows), rows(reads, d.rb, d.rb_rows), rows(reads, d.rc, d.rc_rows);
    rows(writes, d.rd, d.rows);
    for (const unsigned p : {d.pd, d.pq})
      if (p != isa::kPt) writes.set(isa::kFirstPredicateBit + p);
    ASSERT_EQ(all.writes, writes) << isa::disassemble(word);
    if (isa::info(d.op).unit == isa::Unit::Tensor) continue;  // metadata, too
    for (unsigned r = 0; r < isa::kRz; r++) ASSERT_EQ(all.reads[r], reads[r]) << isa::disassemble(word) << " R" << r;
  }
  EXPECT_GT(seen.size(), 80u);
}

}  // namespace
}  // namespace heddle::test
