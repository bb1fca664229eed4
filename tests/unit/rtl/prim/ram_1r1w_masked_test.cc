// SPDX-License-Identifier: Apache-2.0
#include <Vram_1r1w_masked.h>

#include <array>

#include "tests/unit/rtl/rtl_bench.h"

namespace {

// Four lanes of 32 bits.
constexpr unsigned kDepth = HEDDLE_DEPTH, kLanes = 4;
static_assert(HEDDLE_LANES == kLanes && HEDDLE_LANEW == 32);

TEST(Ram1r1wMasked, WritesOnlyMaskedLanes) {
  heddle::test::RtlBench<Vram_1r1w_masked> bench(heddle::test::seed());
  std::array<std::array<std::uint32_t, kLanes>, kDepth> memory{};
  // Whole words first: there is no reset.
  bench.top->rd_en_i = 0;
  bench.top->wr_en_i = 1;
  bench.top->wr_mask_i = (1u << kLanes) - 1;
  for (unsigned i = 0; i < kLanes; ++i) bench.top->wr_data_i[i] = 0;
  for (unsigned a = 0; a < kDepth; ++a) {
    bench.top->wr_addr_i = a;
    bench.tick();
  }
  std::array<std::uint32_t, kLanes> last{};
  bool known = false;
  for (int step = 0; step < 20000; ++step) {
    const bool write = !bench.one_in(3), read = !bench.one_in(3);
    const unsigned wr_addr = bench.rng() % kDepth;
    const unsigned rd_addr = bench.one_in(3) ? wr_addr : bench.rng() % kDepth;
    const unsigned mask = bench.rng() % (1u << kLanes);
    bench.top->wr_en_i = write;
    bench.top->wr_mask_i = mask;
    bench.top->wr_addr_i = wr_addr;
    bench.top->rd_en_i = read;
    bench.top->rd_addr_i = rd_addr;
    std::array<std::uint32_t, kLanes> data{};
    for (unsigned i = 0; i < kLanes; ++i) {
      bench.top->wr_data_i[i] = data[i] = static_cast<std::uint32_t>(bench.rng());
    }
    bench.tick();
    if (read) {
      last = memory[rd_addr];
      known = true;
    }
    if (write) {
      for (unsigned i = 0; i < kLanes; ++i) {
        if ((mask >> i & 1) != 0) memory[wr_addr][i] = data[i];
      }
    }
    for (unsigned i = 0; known && i < kLanes; ++i) {
      ASSERT_EQ(bench.top->rd_data_o[i], last[i]) << "step " << step << " lane " << i;
    }
  }
}

}  // namespace
