// SPDX-License-Identifier: Apache-2.0
// The tensor core with the FP64 lanes: matrix products of f16, integers and f64 side by side, and DFMAs of others that
// want the lanes, each against its reference, with stalls.
#include <Vtensor_top.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <utility>
#include <vector>

#include "tests/unit/rtl/execute/float_reference.h"
#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/rtl/tensor/f64_tile.h"
#include "tests/unit/rtl/tensor/mma_random.h"
#include "tests/unit/rtl/tensor/mma_tile.h"

namespace heddle::test {
namespace {

constexpr unsigned kBeats = kWarp / HEDDLE_LANES;
constexpr std::uint64_t kAnswer = kBeats + 2;  // cycles from a DFMA to its answer

class TensorUnit : public ::testing::Test {
 protected:
  TensorUnit() {
    auto& t = *bench.top;
    t.step_valid_i = t.rsp_ready_i = t.fma_valid_i = 0;
    bench.reset();
  }

  void send(const F64Tile& tile) {
    Product& p = begin(tile.mask, 4, isa::Opcode::Dmma, 0, true);
    for (unsigned e = 0; e < 2; e++) {
      for (unsigned i = 0; i < kWarp; i++) {
        p.want[2 * e][i] = static_cast<std::uint32_t>(tile.d[e][i]);
        p.want[2 * e + 1][i] = static_cast<std::uint32_t>(tile.d[e][i] >> 32);
      }
    }
    const auto words = [&](unsigned row, const WarpDoubles& values) {
      for (unsigned i = 0; i < kWarp; i++) {
        set_port_word(bench.top->row_i, row * kWarp + i, static_cast<std::uint32_t>(values[i]));
        set_port_word(bench.top->row_i, (row + 1) * kWarp + i, static_cast<std::uint32_t>(values[i] >> 32));
      }
    };
    words(0, tile.b), words(2, tile.a);
    step(0);
    words(2, tile.c[0]), words(4, tile.c[1]);
    step(1);
  }

  void send(const MmaTile& tile) {
    begin(~0u, static_cast<unsigned>(tile.c_rows()), tile.op, tile.mod, false).want = mma_reference(tile);
    const auto words = [&](unsigned row, const WarpRow& values) {
      for (unsigned i = 0; i < kWarp; i++) set_port_word(bench.top->row_i, row * kWarp + i, values[i]);
    };
    for (unsigned s = 0; s < (tile.flag("sparse") ? 3u : 2u); s++) {
      for (unsigned r = 0; r < 4 && s < 2; r++) words(2 + r, s == 0 ? tile.a[r] : tile.c[r]);
      for (unsigned r = 0; r < 2 && s < 2; r++) words(r, tile.b[2 * s + r]);
      if (s == 2) words(0, tile.metadata);
      step(s);
    }
  }

  void drain() {
    const std::uint32_t every = std::exchange(fma_every, 0);
    for (int waited = 0; !(products_[0].empty() && products_[1].empty() && fmas_.empty()) && !HasFatalFailure();
         waited++) {
      cycle(false);
      ASSERT_LT(waited, 10'000) << "results never come";
    }
    for (int i = 0; i < 24; i++) cycle(false);
    EXPECT_EQ(bench.top->busy_o, 0);
    fma_every = every;
  }

  RtlBench<Vtensor_top> bench{seed()};
  std::uint32_t step_every = 1, response_every = 1, fma_every = 0;  // 0: no DFMAs
  std::vector<std::uint64_t> doubles, fmas;  // the cycles of each pair of f64, each DFMA's answer
  std::uint64_t longest_wait = 0;            // of a DFMA for the lanes

 private:
  struct Product {
    WarpRows want;
    std::uint32_t mask;
    unsigned rows;
    std::uint16_t sequence;
  };
  struct Fma {
    std::uint64_t at;  // the cycle of its answer
    WarpDoubles want;
  };

  Product& begin(std::uint32_t mask, unsigned rows, isa::Opcode op, std::uint32_t mod, bool f64) {
    auto& t = *bench.top;
    t.seq_i = static_cast<SData>(sequence_ << 1 | f64);
    t.mask_i = mask;
    t.op_i = static_cast<CData>(op);
    t.mod_i = mod;
    products_[f64].push_back({{}, mask, rows, t.seq_i});
    sequence_++;
    return products_[f64].back();
  }

  void step(unsigned number) {
    bench.top->step_i = static_cast<CData>(number);
    while (!bench.one_in(step_every)) cycle(false);
    for (int waited = 0; !cycle(true) && !HasFatalFailure(); waited++)
      ASSERT_LT(waited, 2000) << "a step is never taken";
  }

  // True when the step was taken.
  bool cycle(bool step) {
    auto& t = *bench.top;
    t.step_valid_i = step;
    t.rsp_ready_i = bench.one_in(response_every);
    wants_fma_ = wants_fma_ || (fma_every != 0 && bench.one_in(fma_every));
    t.fma_valid_i = wants_fma_ && fma_soon_;
    if (t.fma_valid_i) present_fma();
    else if (wants_fma_) waited_++;
    bench.settle();
    const bool taken = step && t.step_ready_o;
    if (step && step_soon_) EXPECT_TRUE(taken) << "a step that was to be taken";
    if (t.rsp_valid_o && t.rsp_ready_i) check_pair();
    if (t.fma_valid_o) check_fma();
    else if (!fmas_.empty()) EXPECT_LT(bench.cycle, fmas_.front().at) << "a DFMA's answer is late";
    fma_soon_ = t.fma_soon_o;
    step_soon_ = t.step_soon_o;
    bench.tick();
    return taken;
  }

  void present_fma() {
    auto& t = *bench.top;
    Fma f;
    f.at = bench.cycle + kAnswer;
    for (unsigned i = 0; i < kWarp; i++) {
      std::array<std::uint64_t, 3> v;
      for (auto& x : v) x = random_double(bench.rng, std::bit_cast<std::uint64_t>(1.0));
      for (unsigned n = 0; n < 6; n++)
        set_port_word(t.fma_row_i, n * kWarp + i, static_cast<std::uint32_t>(v[n / 2] >> 32 * (n % 2)));
      f.want[i] = fused(v[0], v[1], v[2]);
    }
    fmas_.push_back(f);
    longest_wait = std::max(longest_wait, waited_);
    waited_ = 0;
    wants_fma_ = false;
  }

  void check_fma() {
    const auto& t = *bench.top;
    ASSERT_FALSE(fmas_.empty()) << "an answer that nobody asked for";
    ASSERT_EQ(bench.cycle, fmas_.front().at);
    for (unsigned i = 0; i < kWarp; i++) {
      const std::uint64_t got = std::uint64_t{port_word(t.fma_rows_o, kWarp + i)} << 32 | port_word(t.fma_rows_o, i);
      ASSERT_EQ(got, fmas_.front().want[i]) << "DFMA, lane " << i;
    }
    fmas_.pop_front();
    fmas.push_back(bench.cycle);
  }

  void check_pair() {
    const auto& t = *bench.top;
    const bool f64 = t.seq_o & 1;
    auto& products = products_[f64];
    ASSERT_FALSE(products.empty()) << "rows that nobody asked for";
    const Product& p = products.front();
    unsigned& row = rows_[f64];
    ASSERT_EQ(t.seq_o, p.sequence);
    ASSERT_EQ(t.mask_o, p.mask);
    ASSERT_EQ(t.index_o, row);
    for (unsigned r = 0; r < 2; r++) {
      for (unsigned i = 0; i < kWarp; i++)
        ASSERT_EQ(port_word(t.rows_o, r * kWarp + i), p.want[row + r][i])
            << (f64 ? "f64" : "other") << " row " << row + r << " lane " << i;
    }
    row += 2;
    ASSERT_EQ(t.last_o, row == p.rows);
    if (f64) doubles.push_back(bench.cycle);
    if (row == p.rows) products.pop_front(), row = 0;
  }

  std::array<std::deque<Product>, 2> products_;  // of f64 [1], all others [0]
  std::array<unsigned, 2> rows_{};               // that come next
  std::deque<Fma> fmas_;
  std::uint16_t sequence_ = 0;
  bool wants_fma_ = false, fma_soon_ = false, step_soon_ = false;
  std::uint64_t waited_ = 0;
};

TEST_F(TensorUnit, ProductsOfAllKindsSideBySide) {
  MmaRandom random(bench.rng());
  for (int n = 0; n < 6000 && !HasFatalFailure(); n++) {
    if (n % 50 == 0) {
      if (bench.one_in(2)) drain();
      step_every = 1 + bench.rng() % 3, response_every = 1 + bench.rng() % 4, fma_every = bench.rng() % 5;
      if (n % 200 == 0) step_every = response_every = 1;
    }
    if (bench.one_in(2)) send(random_f64_tile(bench.rng));
    else send(random.tile());
  }
  drain();
}

TEST_F(TensorUnit, EqualsAnH200sTilesOfF64) {
  const auto tiles = recorded_f64_tiles(HEDDLE_MMA_RECORDS "/mma");
  ASSERT_GE(tiles.size(), 10u);
  for (const F64Tile& tile : tiles) send(tile);
  drain();
}

// Where both want the lanes all the time, each gets every other turn.
TEST_F(TensorUnit, OthersAndMatricesTakeTurnsAtTheLanes) {
  fma_every = 1;
  for (int n = 0; n < 22; n++) send(random_f64_tile(bench.rng));  // of the last two nobody waits for the end
  ASSERT_GE(doubles.size(), 38u);
  EXPECT_LE(longest_wait, 3 * kBeats + 4);
  const auto during = std::count_if(fmas.begin(), fmas.end(), [&](std::uint64_t at) { return at <= doubles.back(); });
  EXPECT_GE(during, 8 * 19);
  EXPECT_LE(doubles.back() - doubles[1], 20 * 8 * (2 * kBeats + 4));
}

}  // namespace
}  // namespace heddle::test
