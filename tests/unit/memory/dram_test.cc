// SPDX-License-Identifier: Apache-2.0
// The model of device memory at its port: reads see writes, and their answers come when banks and bus let them.
#include "sim/memory/dram.h"

#include <gtest/gtest.h>

#include <vector>

#include "host-runtime/device/contract.h"

namespace heddle::dram {
namespace {

constexpr uint64_t kBase = contract::kMemoryBase;
constexpr uint64_t kRow = 2048;
constexpr int kHit = 60, kMiss = 110;

class DramTest : public ::testing::Test {
 protected:
  // The memory of cc80, 16 banks, with a bus so wide.
  static Preset preset(int bytes_per_cycle) {
    auto p = load_preset(PRESET);
    EXPECT_TRUE(p) << p.error().message();
    p->dram = {.banks = 16,
               .row_bytes = static_cast<int>(kRow),
               .row_hit_cycles = kHit,
               .row_miss_cycles = kMiss,
               .bytes_per_cycle = bytes_per_cycle,
               .queue = 64};
    p->structure.memory_channels = 1;
    return *p;
  }

  // Asks for a line; its answer is told by `id`.
  void read(Channel& channel, uint64_t address, uint8_t id) {
    axi_.arvalid = true;
    axi_.araddr = address;
    axi_.arlen = static_cast<uint8_t>(128 / channel.beat_bytes() - 1);
    axi_.arid = id;
    do step(channel);
    while (!taken_);
    axi_.arvalid = false;
  }
  void step(Channel& channel) {
    axi_.rready = axi_.bready = true;
    taken_ = axi_.arvalid && axi_.arready;
    if (axi_.rvalid && axi_.rlast) answered_.push_back({axi_.rid, channel.cycle()});
    channel.step(axi_);
  }
  void run(Channel& channel, size_t answers) {
    for (int n = 0; n < 10000 && answered_.size() < answers; n++) step(channel);
    ASSERT_EQ(answered_.size(), answers);
  }

  struct Answer {
    uint8_t id;
    uint64_t cycle;
  };
  Axi axi_;
  bool taken_ = false;
  std::vector<Answer> answered_;
};

TEST_F(DramTest, AReadThatWaitsForItsRowKeepsNoOtherOffTheBus) {
  Dram memory(preset(64));
  Channel& channel = memory.channels()[0];
  read(channel, kBase, 0);
  run(channel, 1);
  read(channel, kBase + kRow, 1);  // another bank opens a row
  read(channel, kBase + 128, 2);   // of the row that is open
  run(channel, 3);
  EXPECT_EQ(answered_[1].id, 2);
  EXPECT_EQ(answered_[2].id, 1);
  EXPECT_LT(answered_[1].cycle + (kMiss - kHit) / 2, answered_[2].cycle);
}

TEST_F(DramTest, TheBusCarriesNoMoreThanItsBytes) {
  Dram memory(preset(16));
  Channel& channel = memory.channels()[0];
  for (unsigned n = 0; n < 40; n++) read(channel, kBase + n % 16 * kRow + n / 16 * 128, static_cast<uint8_t>(n));
  run(channel, 40);
  const uint64_t cycles = answered_.back().cycle - answered_.front().cycle;
  EXPECT_GE(cycles, 39 * 128 / 16 - 8u);
  EXPECT_LE(cycles, 39 * 128 / 16 + 8u);
}

// Rows 0 and 31 lie in one bank.
TEST_F(DramTest, RowsOfOneBankThatAreReadInTurnsAreOpenedOnce) {
  Dram memory(preset(64));
  Channel& channel = memory.channels()[0];
  for (unsigned n = 0; n < 16; n++) read(channel, kBase + n % 2 * 31 * kRow + n / 2 * 128, static_cast<uint8_t>(n));
  run(channel, 16);
  EXPECT_EQ(channel.counters().row_misses, 2u);
  EXPECT_LE(answered_.back().cycle, 2u * kMiss + 16 * 128 / 64);
  read(channel, kBase + 8 * 128, 0);  // when nothing waits any more, the last row alone is open
  run(channel, 17);
  EXPECT_EQ(channel.counters().row_misses, 3u);
}

// Of lines that follow each other a channel has every other one, side by side in its rows.
TEST_F(DramTest, AChannelHasItsPartOfEverything) {
  Preset p = preset(64);
  p.structure.memory_channels = 2;
  Dram memory(p);
  ASSERT_EQ(memory.channels().size(), 2u);
  Channel& channel = memory.channels()[1];
  for (unsigned n = 0; n < 16; n++) read(channel, kBase + 128 + n * 256, static_cast<uint8_t>(n));
  run(channel, 16);
  EXPECT_EQ(channel.counters().row_misses, 1u);
  EXPECT_EQ(channel.counters().row_hits, 15u);
  EXPECT_GE(answered_.back().cycle - answered_.front().cycle, 15 * 128 / 32 - 8u);
  read(channel, kBase + 128 + 16 * 256, 0);
  run(channel, 17);
  EXPECT_EQ(channel.counters().row_misses, 2u);
  EXPECT_EQ(memory.counters().reads, 17u);
}

TEST_F(DramTest, ARestLongerThanTheBusLooksAheadChangesNothing) {
  Dram memory(preset(64));
  Channel& channel = memory.channels()[0];
  uint64_t took[2];
  for (unsigned n = 0; n < 2; n++) {
    const uint64_t from = channel.cycle();
    read(channel, kBase + n * 128, 0);
    run(channel, n + 1);
    took[n] = answered_[n].cycle - from;
    channel.skip(100'000);
  }
  EXPECT_EQ(took[0] - took[1], static_cast<uint64_t>(kMiss - kHit));
}

}  // namespace
}  // namespace heddle::dram
