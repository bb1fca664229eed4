// SPDX-License-Identifier: Apache-2.0
// Random kernels and blocks: each warp begins where and as its first thread's index says, once; a block is
// home when its last warp is, in whatever order they come.
#include <Vblock_slots_top.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

struct Block {
  unsigned slot = 0, first = 0;
  std::uint32_t shared = 0;
  std::uint64_t ctaid = 0;
};

struct Kernel {
  std::array<unsigned, 3> size{};
  unsigned registers = 0;
  unsigned threads() const { return size[0] * size[1] * size[2]; }
  unsigned warps() const { return (threads() + 31) / 32; }
};

class BlockSlotsTest : public ::testing::Test {
 protected:
  BlockSlotsTest() : bench(seed()), top(*bench.top) {
    top.kernel_start_i = top.hold_i = top.block_valid_i = top.ended_valid_i = 0;
    bench.reset();
    bench.settle();
    parts = top.sizes_o & 0xff;
    warps = top.sizes_o >> 8 & 0xff;
    slots = top.sizes_o >> 16 & 0xff;
  }

  void begin(const Kernel& k) {
    kernel = k;
    top.block_x_i = static_cast<unsigned short>(k.size[0]);
    top.block_y_i = static_cast<unsigned short>(k.size[1]);
    top.block_threads_i = static_cast<unsigned short>(k.threads());
    top.block_warps_i = static_cast<unsigned char>(k.warps());
    top.registers_i = static_cast<unsigned char>(k.registers);
    top.kernel_start_i = 1;
    top.block_valid_i = 0;
    step();
    top.kernel_start_i = 0;
  }

  void offer(const Block& b) {
    offered = b;
    top.block_valid_i = 1;
    top.block_slot_i = static_cast<unsigned char>(b.slot);
    top.block_first_i = static_cast<unsigned char>(b.first);
    top.block_shared_i = b.shared;
    top.block_ctaid_i = b.ctaid;
    top.block_cluster_i = static_cast<unsigned short>(b.ctaid >> 24);
  }

  void check_start(const Block& b, unsigned index) {
    const unsigned slot = b.first + index, thread = 32 * index;
    const unsigned left = kernel.threads() - thread;
    ASSERT_EQ(top.start_valid_o, 1u << slot % parts) << "cycle " << bench.cycle;
    ASSERT_EQ(top.start_slot_o, slot);
    ASSERT_EQ(top.start_warp_o, slot / parts);
    ASSERT_EQ(top.start_mask_o, left >= 32 ? ~0u : (1u << left) - 1) << "warp " << index;
    ASSERT_EQ(top.start_block_o, b.slot);
    ASSERT_EQ(top.start_shared_o, b.shared);
    ASSERT_EQ(top.start_row_o, slot / parts * ((kernel.registers + 1) / 2 * 2));
    ASSERT_EQ(top.start_index_o, index);
    ASSERT_EQ(top.start_x_o, thread % kernel.size[0])
        << "warp " << index << " of " << kernel.size[0] << " x " << kernel.size[1];
    ASSERT_EQ(top.start_y_o, thread / kernel.size[0] % kernel.size[1]) << "warp " << index;
    ASSERT_EQ(top.start_z_o, thread / kernel.size[0] / kernel.size[1]) << "warp " << index;
    ASSERT_EQ(top.start_ctaid_o, b.ctaid);
    ASSERT_EQ(top.start_cluster_o, b.ctaid >> 24 & 0xffff);
  }

  // Warps end at random: a sub-partition names one of its own that has ended.
  void end_some(std::uint32_t one_in) {
    top.ended_valid_i = 0;
    for (unsigned part = 0; part < parts; part++) {
      std::vector<unsigned> mine;
      for (const auto& [slot, owner] : running)
        if (slot % parts == part && (owner.second || bench.one_in(one_in))) mine.push_back(slot);
      if (mine.empty()) continue;
      for (const unsigned slot : mine) running[slot].second = true;
      top.ended_valid_i |= static_cast<unsigned char>(1u << part);
      const unsigned slot = mine[bench.rng() % mine.size()];
      top.ended_warp_i = (top.ended_warp_i & ~(0xffu << 8 * part)) | slot / parts << 8 * part;
    }
  }

  void step() {
    const auto asked = static_cast<unsigned>(bench.rng() % warps);
    top.who_warp_i = static_cast<unsigned char>(asked);
    bench.settle();
    // Home a cycle after its last warp has been counted.
    ASSERT_EQ(top.done_valid_o, done.has_value()) << "cycle " << bench.cycle;
    if (done) {
      ASSERT_EQ(top.done_slot_o, *done);
      home++;
    }
    done.reset();
    std::uint64_t resident = 0;
    for (const auto& [slot, owner] : running) resident |= std::uint64_t{1} << slot;
    if (ended) resident |= std::uint64_t{1} << ended->first;
    ASSERT_EQ(top.resident_o, resident) << "cycle " << bench.cycle;
    ASSERT_EQ(top.busy_o, starting.has_value());
    if (running.contains(asked)) {
      const Block& b = blocks.at(running[asked].first);
      ASSERT_EQ(top.who_index_o, asked - b.first);
      ASSERT_EQ(top.who_slot_o, b.slot);
      ASSERT_EQ(top.who_ctaid_o, b.ctaid);
    }
    if (top.hold_i || top.kernel_start_i || starting) {
      ASSERT_FALSE(top.block_ready_o) << "cycle " << bench.cycle;
    } else {
      ASSERT_LT(refused += top.block_ready_o ? 0 : 1, 40u) << "refuses without a reason";
    }
    if (top.block_ready_o) refused = 0;

    // Warps come one a cycle from the cycle after the block.
    if (starting) {
      check_start(*starting, next);
      running[starting->first + next] = {starting->slot, false};
      begun++;
      if (++next == kernel.warps()) starting.reset();
    } else {
      ASSERT_EQ(top.start_valid_o, 0u) << "cycle " << bench.cycle;
    }
    if (HasFatalFailure()) return;
    const bool taken = top.block_valid_i && top.block_ready_o;
    if (taken) {
      starting = offered;
      next = 0;
      blocks[offered.slot] = offered;
      left[offered.slot] = kernel.warps();
    }
    std::optional<std::pair<unsigned, unsigned>> came;
    const unsigned ends = top.ended_valid_i & top.ended_ready_o;
    ASSERT_LE(std::popcount(ends), 1);
    ASSERT_TRUE(ends != 0 || top.ended_valid_i == 0);
    if (ends != 0) {
      const auto part = static_cast<unsigned>(std::countr_zero(ends));
      const unsigned slot = (top.ended_warp_i >> 8 * part & 0xff) * parts + part;
      came = {slot, running.at(slot).first};
      running.erase(slot);
    }
    if (top.staged_o) std::swap(came, ended);
    if (came && --left[came->second] == 0) {
      done = came->second;
      blocks.erase(*done);
    }
    bench.tick();
    if (taken) top.block_valid_i = 0;
  }

  RtlBench<Vblock_slots_top> bench;
  Vblock_slots_top& top;
  unsigned parts = 0, warps = 0, slots = 0;
  Kernel kernel;
  Block offered;
  std::optional<Block> starting;
  unsigned next = 0;                                      // its warp that starts now
  std::map<unsigned, Block> blocks;                       // resident, by slot
  std::map<unsigned, unsigned> left;                      // warps not home
  std::map<unsigned, std::pair<unsigned, bool>> running;  // warp slot: block slot, has ended
  std::optional<std::pair<unsigned, unsigned>> ended;     // warp slot, block slot: counted in the next cycle
  std::optional<unsigned> done;
  unsigned home = 0, begun = 0, refused = 0;
};

TEST_F(BlockSlotsTest, StartsEachWarpOnceAndCountsThemHome) {
  for (int n = 0; n < 300 && !HasFatalFailure(); n++) {
    // Sizes of all shapes: a row, thin columns, 32 in the middle of a digit.
    Kernel k;
    const unsigned most = std::min(1024u, 32 * warps);
    do {
      k.size = {static_cast<unsigned>(1 + bench.rng() % (1u << bench.rng() % 11)),
                static_cast<unsigned>(1 + bench.rng() % (1u << bench.rng() % 11)),
                static_cast<unsigned>(1 + bench.rng() % (1u << bench.rng() % 7))};
    } while (k.threads() > most || k.size[2] > 64);
    // All rows of a sub-partition fit the file of 512.
    k.registers = static_cast<unsigned>(1 + bench.rng() % (512 / (warps / parts) - 1));
    begin(k);
    const auto ends = static_cast<std::uint32_t>(1 + bench.rng() % 40);
    const unsigned places = std::min(slots, warps / k.warps());
    for (int cycles = 0; cycles < 400 && !HasFatalFailure(); cycles++) {
      top.hold_i = bench.one_in(4);
      if (!top.block_valid_i && bench.one_in(2)) {
        const auto slot = static_cast<unsigned>(bench.rng() % places);
        const bool free = !blocks.contains(slot) && !(starting && starting->slot == slot);
        const std::uint32_t shared = static_cast<std::uint32_t>(bench.rng() & 0x3fff);
        if (free) offer({slot, slot * k.warps(), shared, bench.rng()});
      }
      end_some(ends);
      step();
    }
    top.block_valid_i = 0;
    for (int cycles = 0; cycles < 300 && (starting || !running.empty() || ended || done) && !HasFatalFailure();
         cycles++) {
      end_some(1);
      step();
    }
    ASSERT_TRUE(running.empty());
  }
  std::printf("%u warps, %u blocks\n", begun, home);
  EXPECT_GT(home, 1000u);
}

// No warp waits for its end while others end without pause.
TEST_F(BlockSlotsTest, TakesEndsInTurn) {
  begin({.size = {32 * std::min(warps, 32u), 1, 1}, .registers = 8});
  for (int n = 0; n < 40 && !HasFatalFailure(); n++) step();
  offer({.slot = 0, .first = 0});
  for (unsigned n = 0; n < 2 + kernel.warps() && !HasFatalFailure(); n++) step();
  ASSERT_EQ(running.size(), kernel.warps());
  for (unsigned n = 0; n < kernel.warps() && !HasFatalFailure(); n++) {
    end_some(1);
    step();
    std::vector<unsigned> of(parts);
    for (const auto& [slot, owner] : running) of[slot % parts]++;
    ASSERT_LE(*std::max_element(of.begin(), of.end()) - *std::min_element(of.begin(), of.end()), 1u);
  }
  top.ended_valid_i = 0;
  step();
  step();
  EXPECT_EQ(home, 1u);
}

}  // namespace
}  // namespace heddle::test
