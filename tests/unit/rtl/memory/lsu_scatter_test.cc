// SPDX-License-Identifier: Apache-2.0
#include "Vlsu_scatter_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kClassStore = 1, kClassAtomic = 2;

// Stores of random lanes to random places of a line, each byte from the lowest lane that writes it.
TEST(LsuScatter, BytesComeFromTheLowestLane) {
  std::mt19937_64 rng(seed());
  VerilatedContext context;
  auto top = std::make_unique<Vlsu_scatter_top>(&context);
  top->eval();
  const unsigned row_lanes = top->row_lanes_o, reach = 4 * top->reach_words_o;
  constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16};
  for (int n = 0; n < 2000; n++) {
    const unsigned size = static_cast<unsigned>(rng() % 7), bytes = kBytes[size];
    const uint32_t lanes = static_cast<uint32_t>(rng()) & ~0u >> (32 - row_lanes);
    const bool turned = rng() % 2;  // the halves of 16 bytes
    std::array<uint8_t, 128> line{}, enable{};
    std::array<uint32_t, 128> given{};
    for (unsigned w = 0; w < 8; w++) top->offset_i[w] = 0;
    for (unsigned l = 0; l < row_lanes; l++) {
      unsigned offset = static_cast<unsigned>(rng() % (reach / bytes)) * bytes;
      if (bytes == 16 && turned) offset += 8;
      top->offset_i[l / 4] |= offset << (8 * (l % 4));
      std::array<uint32_t, 4> data;
      for (unsigned w = 0; w < 4; w++) given[32 * w + l] = data[w] = static_cast<uint32_t>(rng());
      if (!(lanes >> l & 1)) continue;
      for (unsigned b = 0; b < bytes; b++) {
        if (enable[offset ^ b]) continue;
        line[offset ^ b] = static_cast<uint8_t>(data[b / 4] >> (8 * (b % 4)));
        enable[offset ^ b] = 1;
      }
    }
    top->en_i = 1;
    top->show_i = 0;
    top->cls_i = kClassStore;
    top->size_i = size;
    top->lanes_i = lanes;
    // With the pass, or where rows move in slices a cycle later.
    for (unsigned i = 0; i < 128; i++) top->data_i[i] = top->waits_o ? static_cast<uint32_t>(rng()) : given[i];
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
    for (unsigned i = 0; i < 128; i++) top->data_i[i] = top->waits_o ? given[i] : static_cast<uint32_t>(rng());
    top->show_i = 1;
    // The next pass may be here already: what was taken stands.
    top->en_i = 0;
    top->cls_i = static_cast<unsigned>(rng() % 3);
    top->size_i = static_cast<unsigned>(rng() % 7);
    top->lanes_i = static_cast<uint32_t>(rng());
    for (unsigned w = 0; w < 8; w++) top->offset_i[w] = static_cast<uint32_t>(rng());
    for (unsigned piece = 0; piece < top->pieces_o; piece++) {
      top->piece_i = piece;
      top->clk_i = 0;
      top->eval();
      const unsigned piece_bytes = 32 / top->pieces_o;
      for (unsigned o = 0; o < reach / top->pieces_o; o++) {
        const unsigned i =
            o / piece_bytes * 32 + piece * piece_bytes + o % piece_bytes;  // byte in what the pass reaches
        const bool enabled = top->bytes_o[o / 32] >> (o % 32) & 1;
        ASSERT_EQ(enabled, enable[i] != 0) << "byte " << i << " size " << size;
        ASSERT_TRUE(!enabled || (top->words_o[o / 4] >> (8 * (o % 4)) & 0xff) == line[i])
            << "byte " << i << " size " << size;
      }
      top->clk_i = 1;
      top->eval();
    }
  }
  top->final();
}

// Lanes of an atomic at the offsets that stand at the port, with operands at random, which are gone afterwards: what
// they were.
std::array<uint32_t, 128> scatter_atomic(RtlBench<Vlsu_scatter_top>& bench, bool shared, bool wide, uint32_t lanes) {
  auto& top = *bench.top;
  std::array<uint32_t, 128> data;
  for (unsigned i = 0; i < 128; i++) top.data_i[i] = data[i] = static_cast<uint32_t>(bench.rng());
  top.en_i = top.show_i = 1;
  top.shared_i = shared;
  top.cls_i = kClassAtomic;
  top.size_i = wide ? 5 : 4;
  top.lanes_i = lanes;
  top.piece_i = 0;
  bench.tick();
  top.en_i = 0;
  for (unsigned i = 0; i < 128; i++) top.data_i[i] = static_cast<uint32_t>(bench.rng());
  bench.settle();
  return data;
}

// Where the L2 works on a sector's words at once: each lane's operand at its word, what else it brings in the other
// half of the sector.
TEST(LsuScatter, AtomicsOnASectorHaveTheirOperandsInPlace) {
  RtlBench<Vlsu_scatter_top> bench(seed());
  auto& top = *bench.top;
  bench.settle();
  if (!top.bank_atomics_o) GTEST_SKIP() << "lane by lane";
  for (int n = 0; n < 2000; n++) {
    const bool wide = bench.one_in(2), half = bench.one_in(2);
    const unsigned sector = static_cast<unsigned>(bench.rng() % 4), step = wide ? 2 : 1;
    std::array<int, 8> lane_of;
    lane_of.fill(-1);
    uint32_t lanes = 0;
    for (unsigned w = 0; w < 8; w++) top.offset_i[w] = 0;
    for (unsigned l = 0; l < 32; l++) {
      const unsigned word = static_cast<unsigned>(bench.rng() % (half ? 4 : 8)) / step * step;
      top.offset_i[l / 4] |= (32 * sector + 4 * word) << (8 * (l % 4));
      if (lane_of[word] >= 0 || bench.one_in(4)) continue;
      lanes |= 1u << l;
      lane_of[word] = static_cast<int>(l);
    }
    if (lanes == 0) continue;
    top.join_lanes_i = 0;
    const auto data = scatter_atomic(bench, false, wide, lanes);
    EXPECT_EQ(top.lane_o, static_cast<unsigned>(__builtin_ctz(lanes)));
    for (unsigned w = 0; w < 32; w++) {
      const unsigned upper = wide ? w % 2 : 0, enabled = top.bytes_o[w / 8] >> 4 * (w % 8) & 15;
      const int lane = w / 8 == sector ? lane_of[w % 8 - upper] : -1;
      ASSERT_EQ(enabled, lane >= 0 ? 15u : 0u) << "word " << w;
      if (lane < 0) continue;
      ASSERT_EQ(top.words_o[w], data[32 * upper + static_cast<unsigned>(lane)]) << "word " << w;
      if (half) {
        ASSERT_EQ(top.words_o[w ^ 4], data[32 * (2 + upper) + static_cast<unsigned>(lane)]) << "word " << w;
      }
    }
  }
}

TEST(LsuScatter, AtomicTakesTheOperandsOfItsLane) {
  std::mt19937_64 rng(seed());
  VerilatedContext context;
  auto top = std::make_unique<Vlsu_scatter_top>(&context);
  top->eval();
  const unsigned row_lanes = top->row_lanes_o;
  if (top->bank_atomics_o) GTEST_SKIP() << "operands in place";
  for (unsigned warp_lane = 0; warp_lane < 32; warp_lane++) {
    const unsigned lane = warp_lane % row_lanes;
    top->slice_i = warp_lane / row_lanes;
    for (unsigned i = 0; i < 128; i++) top->data_i[i] = static_cast<uint32_t>(rng());
    for (unsigned w = 0; w < 8; w++) top->offset_i[w] = static_cast<uint32_t>(rng()) & 0x7c7c7c7c;
    top->en_i = top->show_i = 1;
    top->cls_i = kClassAtomic;
    top->size_i = 4;
    top->lanes_i = 1u << lane;
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
    EXPECT_EQ(top->lane_o, warp_lane);
    EXPECT_EQ(top->offset_o, (top->offset_i[lane / 4] >> (8 * (lane % 4))) % (4u * top->reach_words_o));
    const unsigned piece_words = 8 / top->pieces_o;
    for (unsigned w = 0; w < 4; w++) {
      top->piece_i = w / piece_words;
      top->clk_i = 0;
      top->eval();
      EXPECT_EQ(top->words_o[w % piece_words], top->data_i[32 * w + lane]);
    }
  }
  top->final();
}

// At the banks each lane's operands stand at its word: b as a store's data, c beside.
TEST(LsuScatter, AtomicsAtTheBanksHaveTheirOperandsThere) {
  RtlBench<Vlsu_scatter_top> bench(seed());
  auto& top = *bench.top;
  bench.settle();
  if (!top.bank_atomics_o) GTEST_SKIP() << "lane by lane";
  for (int n = 0; n < 2000; n++) {
    const bool wide = bench.one_in(2);
    std::array<int, 32> lane_of, join_of;  // by word; of the instruction behind
    lane_of.fill(-1), join_of.fill(-1);
    uint32_t lanes = 0, joined = 0;
    for (unsigned w = 0; w < 8; w++) top.offset_i[w] = top.join_offset_i[w] = 0;
    for (unsigned l = 0; l < 32; l++) {
      const unsigned word = static_cast<unsigned>(bench.rng() % 32) & ~unsigned{wide};
      top.offset_i[l / 4] |= 4 * word << (8 * (l % 4));
      if (lane_of[word] >= 0 || bench.one_in(4)) continue;
      lanes |= 1u << l;
      lane_of[word] = static_cast<int>(l);
    }
    for (unsigned l = 0; l < 32; l++) {
      const unsigned word = static_cast<unsigned>(bench.rng() % 32);
      top.join_offset_i[l / 4] |= 4 * word << (8 * (l % 4));
      if (wide || n % 2 || lane_of[word] >= 0 || join_of[word] >= 0) continue;
      joined |= 1u << l;
      join_of[word] = static_cast<int>(l);
    }
    std::array<uint32_t, 32> join_data;
    for (unsigned i = 0; i < 32; i++) top.join_data_i[i] = join_data[i] = static_cast<uint32_t>(bench.rng());
    top.join_lanes_i = joined;
    const auto data = scatter_atomic(bench, true, wide, lanes);
    for (unsigned w = 0; w < 32; w++) {
      const unsigned upper = wide ? w % 2 : 0;
      const int lane = lane_of[w - upper];
      if (join_of[w] >= 0) {
        ASSERT_EQ(top.words_o[w], join_data[static_cast<unsigned>(join_of[w])]) << "word " << w;
      }
      if (lane < 0) continue;
      ASSERT_EQ(top.words_o[w], data[32 * upper + static_cast<unsigned>(lane)]) << "word " << w;
      ASSERT_EQ(top.others_o[w], data[32 * (2 + upper) + static_cast<unsigned>(lane)]) << "word " << w;
    }
  }
}

}  // namespace
}  // namespace heddle::test
