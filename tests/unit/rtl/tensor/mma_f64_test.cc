// SPDX-License-Identifier: Apache-2.0
// DMMA against chains of the host's own fused products, and against an H200's recorded tiles, with stalls on all links.
// The FP64 lanes are the test's: 8, 16 or 32 of them, which others may take at any time.
#include <Vmma_f64_top.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/rtl/tensor/f64_tile.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarp = 32;
#ifdef HEDDLE_NETLIST
constexpr int kTiles = 40;
#else
constexpr int kTiles = 3000;
#endif

class MmaF64 : public ::testing::Test {
 protected:
  MmaF64() {
    auto& t = *bench.top;
    t.step_valid_i = t.rsp_ready_i = t.fma_ready_i = t.fma_done_i = 0;
    bench.reset();
  }

  void send(const F64Tile& tile) {
    auto& t = *bench.top;
    tiles_.push_back({tile, sequence_});
    for (unsigned step = 0; step < 2; step++) {
      while (!bench.one_in(step_every)) cycle(false);
      t.seq_i = sequence_;
      t.mask_i = tile.mask;
      t.step_i = static_cast<CData>(step);
      for (unsigned i = 0; i < kWarp; i++) {
        put(t.row_i, 0, i, step == 0 ? tile.b[i] : bench.rng());
        put(t.row_i, 2, i, step == 0 ? tile.a[i] : tile.c[0][i]);
        put(t.row_i, 4, i, step == 0 ? bench.rng() : tile.c[1][i]);
      }
      for (int waited = 0; !cycle(true) && !HasFatalFailure(); waited++)
        ASSERT_LT(waited, 2000) << "a step is never taken";
      step_taken = bench.cycle - 1;
    }
    sequence_++;
  }

  void drain() {
    for (int waited = 0; !tiles_.empty() && !HasFatalFailure(); waited++) {
      cycle(false);
      ASSERT_LT(waited, 10'000) << tiles_.size() << " tiles never end";
    }
    cycle(false);
    EXPECT_EQ(bench.top->busy_o, 0);
  }

  RtlBench<Vmma_f64_top> bench{seed()};
  std::uint32_t step_every = 1, response_every = 1, others_every = 0;  // 0: no others
  unsigned beats = 2;                                                  // of a product: 32 by the number of lanes
  std::uint64_t step_taken = 0;
  std::vector<std::uint64_t> results;  // the cycles of each pair

 private:
  struct Pending {
    F64Tile tile;
    std::uint16_t sequence;
  };
  struct Product {
    std::uint64_t at;  // the cycle of its answer
    WarpDoubles sum;
  };

  template <class Port>
  static void put(Port& port, unsigned row, unsigned lane, std::uint64_t v) {
    set_port_word(port, row * kWarp + lane, static_cast<std::uint32_t>(v));
    set_port_word(port, (row + 1) * kWarp + lane, static_cast<std::uint32_t>(v >> 32));
  }

  // True when the step was taken.
  bool cycle(bool step) {
    auto& t = *bench.top;
    t.step_valid_i = step;
    t.rsp_ready_i = bench.one_in(response_every);
    t.fma_done_i = !products_.empty() && products_.front().at == bench.cycle;
    for (unsigned i = 0; i < kWarp; i++) put(t.fma_rows_i, 0, i, t.fma_done_i ? products_.front().sum[i] : bench.rng());
    if (beat_ == 0 && others_every != 0 && bench.one_in(others_every)) others_ = beats;
    t.fma_ready_i = 0;
    bench.settle();
    lanes();
    bench.settle();
    const bool taken = step && t.step_ready_o;
    if (t.rsp_valid_o && t.rsp_ready_i) check();
    if (t.fma_done_i) products_.pop_front();
    if (others_ > 0) others_--;
    bench.tick();
    return taken;
  }

  // A product is begun, or its next beat.
  void lanes() {
    auto& t = *bench.top;
    if (others_ > 0 || (beat_ == 0 && !t.fma_valid_o)) return;
    ASSERT_TRUE(t.fma_valid_o && t.fma_wants_o) << "a product went before its last beat";
    const bool chained = beat_ == 0 && t.fma_chained_o;
    ASSERT_TRUE(!chained || t.fma_done_i);
    if (beat_ == 0) products_.emplace_back().at = bench.cycle + beats + 2;
    for (unsigned i = beat_ * kWarp / beats; i < (beat_ + 1) * kWarp / beats; i++) {
      const auto word = [](const auto& port, unsigned at) {
        return std::uint64_t{port_word(port, 2 * at + 1)} << 32 | port_word(port, 2 * at);
      };
      const std::uint64_t z = chained ? products_.front().sum[i] : word(t.fma_z_o, i);
      products_.back().sum[i] = fused(word(t.fma_x_o, i / 4), word(t.fma_y_o, i % 4), z);
    }
    t.fma_ready_i = beat_ == beats - 1;
    beat_ = t.fma_ready_i ? 0 : beat_ + 1;
  }

  void check() {
    const auto& t = *bench.top;
    ASSERT_FALSE(tiles_.empty()) << "rows that nobody asked for";
    const Pending& x = tiles_.front();
    results.push_back(bench.cycle);
    ASSERT_EQ(t.seq_o, x.sequence);
    ASSERT_EQ(t.mask_o, x.tile.mask);
    ASSERT_EQ(t.index_o, 2 * element_);
    ASSERT_EQ(t.last_o, element_);
    for (unsigned i = 0; i < kWarp; i++) {
      const std::uint64_t got = std::uint64_t{port_word(t.rows_o, kWarp + i)} << 32 | port_word(t.rows_o, i);
      ASSERT_EQ(got, x.tile.d[element_][i])
          << "element " << element_ << " lane " << i << std::hex << " C 0x" << x.tile.c[element_][i];
    }
    element_ ^= 1;
    if (element_ == 0) tiles_.pop_front();
  }

  std::deque<Pending> tiles_;
  std::deque<Product> products_;
  std::uint16_t sequence_ = 0;
  unsigned element_ = 0;  // of the pair that comes next
  unsigned beat_ = 0, others_ = 0;
};

TEST_F(MmaF64, RandomTilesAreChainsOfFusedProducts) {
  for (int n = 0; n < kTiles && !HasFatalFailure(); n++) {
    if (n % 20 == 0) {
      drain();
      beats = 1u << bench.rng() % 3;
      step_every = 1 + bench.rng() % 3, response_every = 1 + bench.rng() % 4,
      others_every = bench.one_in(4) ? 0 : 2 + bench.rng() % 3;
      if (n % 60 == 0) step_every = response_every = 1, others_every = 0;
    }
    send(random_f64_tile(bench.rng));
  }
  drain();
}

TEST_F(MmaF64, EqualsAnH200sTiles) {
  const auto tiles = recorded_f64_tiles(HEDDLE_MMA_RECORDS "/mma");
  ASSERT_GE(tiles.size(), 10u);
  for (const F64Tile& tile : tiles) send(tile);
  drain();
}

// 16 lanes: the last pair comes 19 cycles after the last step, one DMMA every 16.
TEST_F(MmaF64, TakesAsManyCyclesAsItHasProducts) {
  for (const unsigned b : {1u, 2u, 4u}) {
    SCOPED_TRACE(b);
    beats = b;
    // A product follows the one before last, of its element, which takes so long.
    const std::uint64_t answer = b + 2, period = std::max<std::uint64_t>(2 * b, answer);
    results.clear();
    send(random_f64_tile(bench.rng));
    const std::uint64_t last_step = step_taken;
    drain();
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[1] - last_step, 1 + 3 * period + b + answer);
    results.clear();
    for (int n = 0; n < 10; n++) send(random_f64_tile(bench.rng));
    drain();
    for (std::size_t n = 8; n < results.size(); n++) EXPECT_EQ(results[n] - results[n - 2], 3 * period + 2 * b) << n;
  }
}

}  // namespace
}  // namespace heddle::test
