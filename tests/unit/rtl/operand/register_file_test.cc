// SPDX-License-Identifier: Apache-2.0
// Random reads of all banks and masked writes against an array of slices of rows: data a cycle later, and unchanged
// until the bank's next read. A whole row that is written in the very cycle, alone or with its pair's other one, is
// read as it will be.
#include <Vregister_file_top.h>

#include <array>
#include <optional>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using Row = std::array<std::uint32_t, 32>;  // one slice, in the lower lanes

class RegisterFileTest : public ::testing::Test {
 protected:
  RegisterFileTest() : rng(seed()) {
    context.randReset(2);
    context.randSeed(static_cast<int>(rng() & 0x7fffffff) | 1);
    top.rd_valid_i = 0;
    top.wr_valid_i = top.wr_pair_i = 0;
    top.eval();
    banks = top.sizes_o & 0xff;
    slices = top.sizes_o >> 8 & 0xff;
    lanes = 32 / slices;
    rows.resize((top.sizes_o >> 16) * slices);
  }

  void tick() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
  // n: row * slices + slice, as in `rows`.
  void write(unsigned n, std::uint32_t mask) {
    top.wr_valid_i = 1;
    top.wr_row_i = static_cast<unsigned short>(n / slices);
    top.wr_slice_i = static_cast<unsigned char>(n % slices);
    top.wr_lanes_i = mask & ~0u >> (32 - lanes);
    for (unsigned lane = 0; lane < 32; lane++) {
      top.wr_data_i[lane] = static_cast<std::uint32_t>(rng());
      top.wr_data_hi_i[lane] = static_cast<std::uint32_t>(rng());
    }
  }

  VerilatedContext context;
  std::mt19937_64 rng;
  Vregister_file_top top{&context};
  unsigned banks = 0, slices = 0, lanes = 0;
  std::vector<Row> rows;
};

TEST_F(RegisterFileTest, ReadsWhatWasWritten) {
  for (unsigned row = 0; row < rows.size(); row++) {
    write(row, ~0u);
    for (unsigned lane = 0; lane < 32; lane++) rows[row][lane] = top.wr_data_i[lane];
    tick();
  }
  std::array<std::optional<Row>, 4> expected;
  std::optional<unsigned> written;                   // this cycle
  unsigned fresh = 0, passed = 0, passed_upper = 0;  // reads of what came the cycle before; in that cycle
  for (int n = 0; n < 20000; n++) {
    // Few rows for a while, so that a row is read right after it was written; in slices in that very cycle none is.
    const auto range = static_cast<unsigned>(n / 500 % 2 == 0 ? rows.size() / slices : 4 * banks);
    const std::optional<unsigned> last = written;
    written.reset();
    if (rng() % 3 != 0) written = static_cast<unsigned>(rng() % (range * slices));
    // The other row of a pair.
    top.wr_pair_i = slices == 1 && rng() % 2 == 0;
    if (written && top.wr_pair_i) *written &= ~1u;
    std::optional<unsigned> upper;
    if (written && top.wr_pair_i) upper = *written + 1;
    top.rd_valid_i = 0;
    std::optional<unsigned> through, through_upper;  // the banks that read what is written
    for (unsigned b = 0; b < banks; b++) {
      const auto row = static_cast<unsigned>(rng() % (range / banks) * banks + b);
      const auto slice = static_cast<unsigned>(rng() % slices);
      top.rd_row_i = (top.rd_row_i & ~(0xffffull << 16 * b)) | std::uint64_t{row} << 16 * b;
      top.rd_slice_i = (top.rd_slice_i & ~(0xffu << 8 * b)) | slice << 8 * b;
      const unsigned place = row * slices + slice;
      if (rng() % 3 == 0 || (slices > 1 && place == written)) continue;
      fresh += place == last;
      if (place == written) through = b;
      if (place == upper) through_upper = b;
      top.rd_valid_i |= static_cast<unsigned char>(1u << b);
      expected[b] = rows[place];
    }
    top.wr_valid_i = 0;
    if (written) {
      static constexpr std::uint32_t kMasks[] = {0, ~0u, 1, 0x80808080};
      write(*written, rng() % 2 == 0 ? kMasks[rng() % 4] : static_cast<std::uint32_t>(rng()));
      for (unsigned lane = 0; lane < lanes; lane++) {
        if ((top.wr_lanes_i >> lane & 1) == 0) continue;
        rows[*written][lane] = top.wr_data_i[lane];
        if (upper) rows[*upper][lane] = top.wr_data_hi_i[lane];
      }
    }
    if (through) {
      expected[*through] = rows[*written];
      passed++;
    }
    if (through_upper) {
      expected[*through_upper] = rows[*upper];
      passed_upper++;
    }
    tick();
    const auto check = [&](unsigned b, const auto& words) {
      if (!expected[b]) return;
      for (unsigned lane = 0; lane < lanes; lane++)
        ASSERT_EQ(words[lane], (*expected[b])[lane]) << "bank " << b << " lane " << lane << " cycle " << n;
    };
    check(0, top.bank0_o);
    check(1, top.bank1_o);
    check(2, top.bank2_o);
    check(3, top.bank3_o);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(fresh, 50u);
  EXPECT_TRUE(slices > 1 || (passed > 50 && passed_upper > 50));
}

}  // namespace
}  // namespace heddle::test
