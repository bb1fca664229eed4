// SPDX-License-Identifier: Apache-2.0
// Thread indices and lane masks of random warps of random kernels against division and shifts.
#include <Vlane_registers_top.h>

#include <array>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using isa::SpecialReg;

class LaneRegistersTest : public ::testing::Test {
 protected:
  LaneRegistersTest() : bench(seed()), top(*bench.top) {
    top.kernel_start_i = top.valid_i = 0;
    bench.reset();
  }

  void begin(unsigned x, unsigned y) {
    top.block_x_i = static_cast<unsigned short>(x);
    top.block_y_i = static_cast<unsigned short>(y);
    top.kernel_start_i = 1;
    bench.tick();
    top.kernel_start_i = 0;
    unsigned cycles = 0;
    for (bench.settle(); !top.ready_o; bench.settle()) {
      bench.tick();
      ASSERT_LT(++cycles, 40u);
    }
  }

  static std::uint32_t expected(SpecialReg reg, unsigned x, unsigned y, unsigned thread, unsigned lane) {
    const std::uint32_t bit = 1u << lane;
    switch (reg) {
      case SpecialReg::TidX: return thread % x;
      case SpecialReg::TidY: return thread / x % y;
      case SpecialReg::TidZ: return thread / x / y;
      case SpecialReg::LaneId: return lane;
      case SpecialReg::LanemaskEq: return bit;
      case SpecialReg::LanemaskLt: return bit - 1;
      case SpecialReg::LanemaskLe: return bit | (bit - 1);
      case SpecialReg::LanemaskGt: return ~(bit | (bit - 1));
      default: return ~(bit - 1);  // LanemaskGe
    }
  }

  RtlBench<Vlane_registers_top> bench;
  Vlane_registers_top& top;
};

TEST_F(LaneRegistersTest, EveryLaneKnowsItsThread) {
  static constexpr SpecialReg kAll[] = {SpecialReg::TidX,       SpecialReg::TidY,       SpecialReg::TidZ,
                                        SpecialReg::LaneId,     SpecialReg::LanemaskEq, SpecialReg::LanemaskLt,
                                        SpecialReg::LanemaskLe, SpecialReg::LanemaskGt, SpecialReg::LanemaskGe};
  static constexpr std::array<std::array<unsigned, 3>, 8> kCorners = {
      {{1024, 1, 1}, {1, 1024, 1}, {1, 1, 64}, {32, 32, 1}, {31, 33, 1}, {33, 31, 1}, {24, 4, 1}, {3, 5, 7}}};
  for (unsigned n = 0; n < 400 && !HasFatalFailure(); n++) {
    std::array<unsigned, 3> size;
    if (n < kCorners.size()) {
      size = kCorners[n];
    } else {
      do {
        for (unsigned& s : size) s = static_cast<unsigned>(1 + bench.rng() % (1u << bench.rng() % 11));
      } while (size[0] * size[1] * size[2] > 1024 || size[2] > 64);
    }
    const auto [x, y, z] = size;
    begin(x, y);
    for (unsigned first = 0; first < x * y * z && !HasFatalFailure(); first += 32) {
      top.base_x_i = static_cast<unsigned short>(first % x);
      top.base_y_i = static_cast<unsigned short>(first / x % y);
      top.base_z_i = static_cast<unsigned char>(first / x / y);
      for (const SpecialReg reg : kAll) {
        const unsigned lanes = top.lanes_o;
        // Threads past the block's end do not exist, but a warp's lanes still have numbers.
        for (unsigned lane = 0; lane < 32 && first + lane < x * y * z; lane++) {
          if (lane % lanes == 0) {
            top.valid_i = 1;
            top.slice_i = static_cast<unsigned char>(lane / lanes);
            top.index_i = static_cast<unsigned char>(reg);
            bench.tick();
            top.valid_i = 0;
          }
          ASSERT_EQ(top.row_o[lane % lanes], expected(reg, x, y, first + lane, lane))
              << "register " << static_cast<int>(reg) << " of thread " << first + lane << " of " << x << " x " << y
              << " x " << z;
        }
      }
    }
  }
}

TEST_F(LaneRegistersTest, IsNotReadyBeforeTheTableIsComplete) {
  top.block_x_i = 7;
  top.block_y_i = 3;
  top.kernel_start_i = 1;
  bench.tick();
  top.kernel_start_i = 0;
  for (int n = 0; n < 32; n++) {
    bench.settle();
    ASSERT_FALSE(top.ready_o) << "cycle " << n;
    bench.tick();
  }
  bench.settle();
  EXPECT_TRUE(top.ready_o);
}

}  // namespace
}  // namespace heddle::test
