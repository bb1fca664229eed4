// SPDX-License-Identifier: Apache-2.0
// What arrivals make of an mbarrier's word, against its fields as numbers; and which atomics may arrive.
#include "isa/mbarrier.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/model/machine_fixture.h"

namespace heddle::test {
namespace {

struct Fields {
  int64_t pending = 0, expected = 0, tx = 0;
  int parity = 0;

  uint64_t word() const {
    return (static_cast<uint64_t>(pending) & 0xfffff) | (static_cast<uint64_t>(expected) & 0xfffff) << 20 |
           (static_cast<uint64_t>(tx) & 0x1fffff) << 40 | static_cast<uint64_t>(parity) << 63;
  }
  void arrive(const Fields& by) {
    pending = (pending + by.pending) & 0xfffff;
    expected = (expected + by.expected) & 0xfffff;
    tx = (tx + by.tx) & 0x1fffff;
    if (pending != 0 || tx != 0) return;
    parity ^= 1;
    pending = expected;
  }
};

TEST(Mbarrier, CompletesAPhaseWithItsLastArrival) {
  Fields f{.pending = 3, .expected = 3};
  uint64_t word = f.word();
  for (int n = 1; n <= 9; ++n) {
    word = isa::mbarrier_arrive(word, Fields{.pending = -1}.word());
    EXPECT_EQ(word >> 63, static_cast<uint64_t>(n / 3 % 2));
    EXPECT_EQ(isa::kMbarrierPending.get(word), static_cast<uint64_t>(3 - n % 3));
    EXPECT_EQ(isa::kMbarrierExpected.get(word), 3u);
  }
}

TEST(Mbarrier, WaitsForBytesThatMayComeBeforeTheyAreExpected) {
  uint64_t word = Fields{.pending = 2, .expected = 2}.word();
  for (const Fields& by : {Fields{.tx = -48}, Fields{.pending = -1, .tx = 64}, Fields{.pending = -1}}) {
    word = isa::mbarrier_arrive(word, by.word());
    EXPECT_EQ(word >> 63, 0u);
  }
  EXPECT_EQ(isa::mbarrier_arrive(word, Fields{.tx = -16}.word()),
            (Fields{.pending = 2, .expected = 2, .parity = 1}.word()));
}

TEST(Mbarrier, ThatOneDropsExpectsFewerFromThenOn) {
  uint64_t word = Fields{.pending = 1, .expected = 5}.word();
  word = isa::mbarrier_arrive(word, Fields{.pending = -1, .expected = -1}.word());
  EXPECT_EQ(word, (Fields{.pending = 4, .expected = 4, .parity = 1}.word()));
}

TEST(Mbarrier, IgnoresTheOperandsUpperBits) {
  const uint64_t word = Fields{.pending = 2, .expected = 2, .parity = 1}.word(), by = Fields{.pending = -1}.word();
  EXPECT_EQ(isa::mbarrier_arrive(word, by | uint64_t{7} << 61), isa::mbarrier_arrive(word, by));
}

TEST(Mbarrier, AddsFieldByField) {
  std::mt19937_64 random(1);
  const auto number = [&](int bits) {
    const auto limit = int64_t{1} << bits;
    switch (random() % 4) {
      case 0: return int64_t{0};
      case 1: return limit - 1;
      case 2: return static_cast<int64_t>(random() % 3);
      default: return static_cast<int64_t>(random()) & (limit - 1);
    }
  };
  int completed = 0;
  for (int n = 0; n < 100000; ++n) {
    Fields f{number(20), number(20), number(21), static_cast<int>(random() % 2)};
    Fields by{number(20), number(20), number(21)};
    if (random() % 2) by.pending = -f.pending;
    if (random() % 2) by.tx = -f.tx;
    const uint64_t before = f.word(), parity = before >> 63;
    f.arrive(by);
    ASSERT_EQ(isa::mbarrier_arrive(before, by.word()), f.word()) << std::hex << before << " " << by.word();
    completed += f.word() >> 63 != parity;
  }
  EXPECT_GT(completed, 10000);
}

// 32 threads, one arrival each: each phase of four completes eight times.
TEST(Mbarrier, GivesEachArrivalTheWordBeforeIt) {
  Bench b(kPrologue + R"(
    MOV R4, 0x400004
    MOV R5, 0
    STS.64 [RZ+64], R4
    BAR.SYNC.POPC RZ, 0, RZ, PT
    MOV R6, 0xfffff
    MOV R7, 0xe0000000
    MOV R8, 64
    ATOMS.64.ARRIVE.U R4, R8, R6, RZ
    LDS.64 R16, [RZ+64]
    SHL R15, R10, 3
    IADD R2, R2, R15
    STG.64 [R2+0], R4
    STG.64 [R2+256], R16
    EXIT
  )");
  ASSERT_EQ(b.run(), model::Machine::State::Done);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(b.word(2 * i), 0x400000u + 4 - i % 4) << i;
    EXPECT_EQ(b.word(2 * i + 1), i / 4 % 2 << 31) << i;
    EXPECT_EQ(b.word(64 + 2 * i), 0x400004u) << i;
    EXPECT_EQ(b.word(64 + 2 * i + 1), 0u) << i;
  }
}

TEST(Mbarrier, IsInSharedMemoryAndHas64Bits) {
  const auto kind = [](const std::string& text) { return model::decode(assemble(text).at(0), 32).kind; };
  EXPECT_EQ(kind("ATOMS.64.ARRIVE.U R4, R8, R6, RZ"), model::Kind::Memory);
  EXPECT_EQ(kind("ATOMS.64.ARRIVE.S R4, R8, R6, RZ"), model::Kind::Illegal);
  EXPECT_EQ(kind("ATOMS.64.ARRIVE.F64 R4, R8, R6, RZ"), model::Kind::Illegal);
  EXPECT_EQ(kind("ATOMS.32.ARRIVE.U R4, R8, R6, RZ"), model::Kind::Illegal);
  EXPECT_EQ(kind("ATOMG.64.ARRIVE.U R4, R8, R6, RZ"), model::Kind::Illegal);
  EXPECT_EQ(kind("ATOM.64.ARRIVE.U R4, R8, R6, RZ"), model::Kind::Illegal);
}

}  // namespace
}  // namespace heddle::test
