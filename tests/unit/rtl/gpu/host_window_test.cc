// SPDX-License-Identifier: Apache-2.0
// The window beside a copy engine that keeps the link busy, before an L2 that is often not ready
// and answers out of order.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

#include "Vhost_window.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "verilated.h"

namespace {

using heddle::test::get_bits;
using heddle::test::set_bits;

// mem_pkg::req_t of preset tiny from its last member: lane 5, seq 16, warp 3, atom_sign 1, atom_op
// 4, wide 1, offset 5, data 256, mask 32, sector 35, id 8, kind 2. rsp_t: data 256, error 1, id 8,
// kind 2.
constexpr unsigned kData = 35, kMask = kData + 256, kSector = kMask + 32, kId = kSector + 35,
                   kKind = kId + 8;
constexpr uint64_t kWrite = 1;

struct Request {
  uint64_t sector, id, kind, word, mask;
};

class HostWindow : public ::testing::Test {
 protected:
  HostWindow() {
    const char* given = std::getenv("HEDDLE_SEED");
    const uint64_t seed = given ? std::strtoull(given, nullptr, 0) : std::random_device{}();
    std::cout << "HEDDLE_SEED=" << seed << "\n";
    rng_.seed(seed);
    dut_.ce_rsp_ready_i = 1;
    dut_.rst_ni = 0;
    cycle();
    dut_.rst_ni = 1;
  }

  bool chance(unsigned percent) { return rng_() % 100 < percent; }

  // A cycle; L2 answers one of the requests it holds, any.
  void cycle() {
    dut_.clk_i = 0;
    dut_.mem_req_ready_i = chance(60);
    dut_.mem_rsp_valid_i = 0;
    if (!held_.empty() && chance(50)) {
      const size_t i = rng_() % held_.size();
      set_bits(dut_.mem_rsp_i, 0, 64, held_[i].sector * 3);
      set_bits(dut_.mem_rsp_i, 256, 1, held_[i].sector == kRefused);
      set_bits(dut_.mem_rsp_i, 257, 8, held_[i].id);
      set_bits(dut_.mem_rsp_i, 265, 2, held_[i].kind);
      dut_.mem_rsp_valid_i = 1;
      held_.erase(held_.begin() + static_cast<long>(i));
    }
    dut_.eval();
    const Request shown = {get_bits(dut_.mem_req_o, kSector, 35), get_bits(dut_.mem_req_o, kId, 8),
                           get_bits(dut_.mem_req_o, kKind, 2), get_bits(dut_.mem_req_o, kData, 64),
                           get_bits(dut_.mem_req_o, kMask, 32)};
    if (stalled_) {
      EXPECT_TRUE(dut_.mem_req_valid_o) << "a request was taken back";
      EXPECT_EQ(shown.sector, stalled_sector_) << "a stalled request changed";
    }
    stalled_ = dut_.mem_req_valid_o && !dut_.mem_req_ready_i;
    stalled_sector_ = shown.sector;
    if (dut_.mem_req_valid_o && dut_.mem_req_ready_i) {
      held_.push_back(shown);
      if (shown.id & 0x80) window_requests_.push_back(shown);
    }
    ce_taken_ = dut_.ce_req_valid_i && dut_.ce_req_ready_o;
    ce_answers_ += dut_.ce_rsp_valid_o;
    done_ = dut_.window_done_o;
    error_ = dut_.window_error_o;
    data_ = get_bits(dut_.window_data_o, 0, 64);
    dut_.clk_i = 1;
    dut_.eval();
  }

  // A request of the copy engine, which stays until it is taken.
  void copy_engine() {
    if (ce_taken_) {
      dut_.ce_req_valid_i = 0;
      ce_requests_++;
    }
    if (dut_.ce_req_valid_i || !chance(70)) return;
    dut_.ce_req_valid_i = 1;
    set_bits(dut_.ce_req_i, kSector, 35, 5000 + rng_() % 1000);
    set_bits(dut_.ce_req_i, kId, 8, rng_() % 16);
  }

  static constexpr uint64_t kRefused = 77;
  Vhost_window dut_;
  std::mt19937_64 rng_;
  std::vector<Request> held_, window_requests_;
  bool stalled_ = false, ce_taken_ = false, done_ = false, error_ = false;
  uint64_t stalled_sector_ = 0, data_ = 0;
  int ce_requests_ = 0, ce_answers_ = 0;
};

TEST_F(HostWindow, EachRequestIsAskedOnceAndAnsweredBesideTheCopyEngine) {
  for (uint64_t n = 0; n < 300; n++) {
    const bool write = chance(50);
    dut_.window_valid_i = 1;
    dut_.window_write_i = write;
    dut_.window_sector_i = 1000 + n;
    dut_.window_mask_i = static_cast<uint32_t>(n);
    set_bits(dut_.window_data_i, 0, 64, n * 7);
    int cycles = 0;
    do {
      copy_engine();
      cycle();
    } while (!done_ && ++cycles < 1000);
    ASSERT_TRUE(done_) << "request " << n << " starves";
    EXPECT_FALSE(error_);
    if (!write) {
      EXPECT_EQ(data_, (1000 + n) * 3);
    }
    ASSERT_EQ(window_requests_.size(), n + 1);
    const Request& r = window_requests_.back();
    EXPECT_EQ(r.sector, 1000 + n);
    EXPECT_EQ(r.kind == kWrite, write);
    if (write) {
      EXPECT_EQ(r.word, n * 7);
      EXPECT_EQ(r.mask, n);
    }
    dut_.window_valid_i = 0;
    for (uint64_t pause = rng_() % 4; pause > 0; pause--) {
      copy_engine();
      cycle();
      EXPECT_FALSE(done_);
    }
  }
  while (dut_.ce_req_valid_i && !ce_taken_) cycle();
  dut_.ce_req_valid_i = 0;
  ce_requests_ += ce_taken_;
  for (int i = 0; i < 1000 && !held_.empty(); i++) cycle();
  EXPECT_GT(ce_requests_, 100);
  EXPECT_EQ(ce_answers_, ce_requests_);
}

TEST_F(HostWindow, ARefusedAddressIsAnError) {
  dut_.window_valid_i = 1;
  dut_.window_sector_i = kRefused;
  for (int i = 0; i < 1000 && !done_; i++) cycle();
  EXPECT_TRUE(done_);
  EXPECT_TRUE(error_);
}

}  // namespace
