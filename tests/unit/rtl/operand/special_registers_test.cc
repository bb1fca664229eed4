// SPDX-License-Identifier: Apache-2.0
// Every special register of random warps and kernels against the PTX manual's words for it.
#include <Vspecial_registers_top.h>

#include <array>
#include <optional>
#include <vector>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using isa::SpecialReg;

struct Warp {
  unsigned first = 0;  // thread of lane 0
  std::array<std::uint32_t, 3> ctaid{};
  unsigned cluster = 0;  // rank, z, y, x of the block in its cluster, four bits each
};

class SpecialRegistersTest : public ::testing::Test {
 protected:
  SpecialRegistersTest() : bench(seed()), top(*bench.top) {
    top.kernel_start_i = top.start_valid_i = top.issue_valid_i = top.slice_valid_i = 0;
    top.slice_i = 0;
    bench.reset();
    bench.settle();
    warps.resize(top.sizes_o & 0xff);
  }

  template <class T>
  void any(T& port, unsigned bits) {
    port = static_cast<T>(bench.rng() & ((std::uint64_t{1} << bits) - 1));
  }

  void begin() {
    std::array<unsigned, 3> size;
    do {
      for (unsigned& s : size) s = static_cast<unsigned>(1 + bench.rng() % (1u << bench.rng() % 11));
    } while (size[0] * size[1] * size[2] > 1024 || size[2] > 64);
    threads = size[0] * size[1] * size[2];
    top.block_x_i = static_cast<unsigned short>(size[0]);
    top.block_y_i = static_cast<unsigned short>(size[1]);
    top.block_z_i = static_cast<unsigned char>(size[2]);
    any(top.grid_x_i, 32);
    any(top.grid_y_i, 16);
    any(top.grid_z_i, 16);
    any(top.dynamic_shared_i, 18);
    any(top.shared_bytes_i, 18);
    any(top.local_bytes_i, 32);
    any(top.envreg0_i, 32);
    any(top.envreg1_i, 32);
    any(top.grid_id_i, 32);
    any(top.cluster_i, 21);
    top.sm_id_i = static_cast<unsigned char>(bench.rng() % (top.sizes_o >> 16 & 0xff));
    top.kernel_start_i = 1;
    bench.tick();
    top.kernel_start_i = 0;
    unsigned cycles = 0;
    for (bench.settle(); !top.ready_o; bench.settle()) {
      bench.tick();
      ASSERT_LT(++cycles, 40u);
    }
    for (unsigned w = 0; w < warps.size(); w++) start(w);
  }

  void start(unsigned w) {
    const unsigned first = static_cast<unsigned>(bench.rng() % ((threads + 31) / 32)) * 32;
    warps[w] = {first,
                {static_cast<std::uint32_t>(bench.rng()), static_cast<std::uint32_t>(bench.rng() & 0xffff),
                 static_cast<std::uint32_t>(bench.rng() & 0xffff)},
                static_cast<unsigned>(bench.rng() & 0xffff)};
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    top.tid_x_i = static_cast<unsigned short>(first % top.block_x_i);
    top.tid_y_i = static_cast<unsigned short>(first / top.block_x_i % top.block_y_i);
    top.tid_z_i = static_cast<unsigned char>(first / top.block_x_i / top.block_y_i);
    top.ctaid_x_i = warps[w].ctaid[0];
    top.ctaid_y_i = static_cast<unsigned short>(warps[w].ctaid[1]);
    top.ctaid_z_i = static_cast<unsigned short>(warps[w].ctaid[2]);
    top.cluster_ctaid_i = static_cast<unsigned short>(warps[w].cluster);
    bench.tick();
    top.start_valid_i = 0;
  }

  // Registers that are the same in all lanes; none: they differ.
  std::optional<std::uint64_t> uniform(unsigned index, const Warp& w) const {
    switch (static_cast<SpecialReg>(index)) {
      case SpecialReg::TidX:
      case SpecialReg::TidY:
      case SpecialReg::TidZ:
      case SpecialReg::LaneId:
      case SpecialReg::LanemaskEq:
      case SpecialReg::LanemaskLt:
      case SpecialReg::LanemaskLe:
      case SpecialReg::LanemaskGt:
      case SpecialReg::LanemaskGe: return std::nullopt;
      case SpecialReg::NtidX: return top.block_x_i;
      case SpecialReg::NtidY: return top.block_y_i;
      case SpecialReg::NtidZ: return top.block_z_i;
      case SpecialReg::WarpId: return top.issue_slot_i;
      case SpecialReg::CtaidX: return w.ctaid[0];
      case SpecialReg::CtaidY: return w.ctaid[1];
      case SpecialReg::CtaidZ: return w.ctaid[2];
      case SpecialReg::SmId: return top.sm_id_i;
      case SpecialReg::NctaidX: return top.grid_x_i;
      case SpecialReg::NctaidY: return top.grid_y_i;
      case SpecialReg::NctaidZ: return top.grid_z_i;
      case SpecialReg::NSmId: return top.sizes_o >> 16 & 0xff;
      case SpecialReg::NWarpId: return top.sizes_o >> 8 & 0xff;
      case SpecialReg::GridId: return top.grid_id_i;
      case SpecialReg::ActiveMask: return top.issue_active_i;
      case SpecialReg::Clock:
      case SpecialReg::GlobaltimerLo: return top.cycle_i;  // the pair for S2R.64
      case SpecialReg::ClockHi:
      case SpecialReg::GlobaltimerHi: return top.cycle_i >> 32;
      case SpecialReg::DynSmemSize: return top.dynamic_shared_i;
      case SpecialReg::TotalSmemSize: return top.shared_bytes_i;
      case SpecialReg::LocalSize: return top.local_bytes_i;
      case SpecialReg::Envreg0: return top.envreg0_i;
      case SpecialReg::Envreg1: return top.envreg1_i;
      case SpecialReg::ClusterCtaidX: return top.clusters_o ? w.cluster & 15 : 0;
      case SpecialReg::ClusterCtaidY: return top.clusters_o ? w.cluster >> 4 & 15 : 0;
      case SpecialReg::ClusterCtaidZ: return top.clusters_o ? w.cluster >> 8 & 15 : 0;
      case SpecialReg::ClusterCtaRank: return top.clusters_o ? w.cluster >> 12 : 0;
      case SpecialReg::ClusterNctaidX: return top.cluster_i & 31;
      case SpecialReg::ClusterNctaidY: return top.cluster_i >> 5 & 31;
      case SpecialReg::ClusterNctaidZ: return top.cluster_i >> 10 & 31;
      case SpecialReg::ClusterNctaRank: return top.cluster_i >> 15 & 31;
      case SpecialReg::ClusterExplicit: return top.cluster_i >> 20;
      default: return 0;
    }
  }

  std::uint32_t of_lane(unsigned index, const Warp& w, unsigned lane) const {
    const unsigned thread = w.first + lane;
    switch (static_cast<SpecialReg>(index)) {
      case SpecialReg::TidX: return thread % top.block_x_i;
      case SpecialReg::TidY: return thread / top.block_x_i % top.block_y_i;
      case SpecialReg::TidZ: return thread / top.block_x_i / top.block_y_i;
      case SpecialReg::LaneId: return lane;
      case SpecialReg::LanemaskEq: return 1u << lane;
      case SpecialReg::LanemaskLt: return (1u << lane) - 1;
      case SpecialReg::LanemaskLe: return (2u << lane) - 1;
      case SpecialReg::LanemaskGt: return ~((2u << lane) - 1);
      default: return ~((1u << lane) - 1);
    }
  }

  RtlBench<Vspecial_registers_top> bench;
  Vspecial_registers_top& top;
  std::vector<Warp> warps;
  unsigned threads = 0;
};

TEST_F(SpecialRegistersTest, EveryIndexOfEveryWarp) {
  for (int kernel = 0; kernel < 60 && !HasFatalFailure(); kernel++) {
    begin();
    for (int n = 0; n < 300 && !HasFatalFailure(); n++) {
      const auto w = static_cast<unsigned>(bench.rng() % warps.size());
      // All that there are, and those behind.
      const auto index =
          bench.one_in(10) ? static_cast<unsigned>(bench.rng() % 256) : static_cast<unsigned>(bench.rng() % 36);
      top.issue_valid_i = 1;
      top.issue_warp_i = static_cast<unsigned char>(w);
      top.issue_index_i = static_cast<unsigned char>(index);
      any(top.issue_slot_i, 3);
      any(top.issue_active_i, 32);
      top.cycle_i = bench.rng();
      bench.settle();
      const auto value = uniform(index, warps[w]);
      ASSERT_EQ(top.lanes_o, !value.has_value()) << "index " << index;
      if (value) {
        ASSERT_EQ(top.value_o, *value) << "index " << index;
      }
      bench.tick();
      top.issue_valid_i = 0;
      if (!value) {
        const unsigned lanes = top.sizes_o >> 24;
        // A slice is asked for; a whole row comes by itself. What is issued meanwhile is another's.
        any(top.issue_warp_i, 1);
        for (unsigned lane = 0; lane < 32 && warps[w].first + lane < threads; lane++) {
          if (lanes < 32 && lane % lanes == 0) {
            top.slice_valid_i = 1;
            top.slice_i = static_cast<unsigned char>(lane / lanes);
            bench.tick();
            top.slice_valid_i = 0;
          }
          ASSERT_EQ(top.row_o[lane % lanes], of_lane(index, warps[w], lane)) << "index " << index << " lane " << lane;
        }
      }
      if (bench.one_in(8)) start(w);
    }
  }
}

}  // namespace
}  // namespace heddle::test
