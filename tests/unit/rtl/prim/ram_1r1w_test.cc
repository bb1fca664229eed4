// SPDX-License-Identifier: Apache-2.0
#include <Vram_1r1w.h>

#include <map>

#include "tests/unit/rtl/rtl_bench.h"

namespace {

constexpr unsigned kDepth = HEDDLE_DEPTH;

TEST(Ram1r1w, ReadsTheOldWordOnACollisionAndHoldsWithoutEnable) {
  heddle::test::RtlBench<Vram_1r1w> bench(heddle::test::seed());
  std::map<unsigned, std::uint32_t> memory;
  bool known = false;
  std::uint32_t last = 0;
  unsigned collisions = 0;
  for (int i = 0; i < 20000; ++i) {
    const bool write = !bench.one_in(3), read = !bench.one_in(3);
    const unsigned wr_addr = bench.rng() % kDepth;
    const unsigned rd_addr = bench.one_in(3) ? wr_addr : bench.rng() % kDepth;
    const auto data = static_cast<std::uint32_t>(bench.rng());
    bench.top->wr_en_i = write;
    bench.top->wr_addr_i = wr_addr;
    bench.top->wr_data_i = data;
    bench.top->rd_en_i = read;
    bench.top->rd_addr_i = rd_addr;
    bench.tick();
    if (read) {
      known = memory.count(rd_addr) != 0;
      last = known ? memory[rd_addr] : 0;
      collisions += write && wr_addr == rd_addr;
    }
    if (write) memory[wr_addr] = data;
    if (known) {
      ASSERT_EQ(bench.top->rd_data_o, last) << "step " << i;
    }
  }
  EXPECT_GT(collisions, 1000u);
}

}  // namespace
