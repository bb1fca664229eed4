// SPDX-License-Identifier: Apache-2.0
// The window beside a copy engine that keeps the link busy, before an L2 that is often not ready
// and answers out of order: both in beats, with idle cycles between them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

#include "Vhost_window.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/memory/beats.h"
#include "verilated.h"

namespace {

using namespace heddle::test;

// Pieces of a sector; warp numbers of tiny and cc80.
constexpr unsigned kPieces = HEDDLE_PIECES;
constexpr ReqBits kReq{kPieces, kPieces == 1 ? 6 : 3, kPieces == 1 ? 3 : 1};
constexpr RspBits kRsp{kPieces};

struct Request {
  uint64_t sector = 0, id = 0;
  unsigned kind = 0;
  Join join{kPieces};
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
    if (answer_.empty() && !held_.empty()) {
      const size_t i = rng_() % held_.size();
      answered_ = held_[i];
      answer_ = split(kPieces, beats_of_answer(kPieces, answered_.kind), content(answered_.sector * 3));
      held_.erase(held_.begin() + static_cast<long>(i));
    }
    if (!answer_.empty() && chance(70)) {
      set_beat(dut_.mem_rsp_i, 0, kRsp, answer_.front());
      set_answer(dut_.mem_rsp_i, 0, kRsp, answered_.kind, answered_.id, answered_.sector == kRefused);
      // Beside an answer an acknowledgement may come, of either.
      const auto write = std::find_if(held_.begin(), held_.end(), [](const Request& r) { return r.kind == kReqWrite; });
      if (kPieces == 1 && answered_.kind != kReqWrite && write != held_.end() && chance(50)) {
        set_bits(dut_.mem_rsp_i, kRsp.ack_valid(), 1, 1);
        set_bits(dut_.mem_rsp_i, kRsp.ack_id(), kRsp.id_bits, write->id);
        set_bits(dut_.mem_rsp_i, kRsp.ack_error(), 1, write->sector == kRefused);
        held_.erase(write);
        together_++;
      }
      dut_.mem_rsp_valid_i = 1;
      answer_.erase(answer_.begin());
    }
    dut_.eval();
    Request shown;
    shown.sector = get_bits(dut_.mem_req_o, kReq.sector(), 35);
    shown.id = get_bits(dut_.mem_req_o, kReq.id(), kIdBits);
    shown.kind = static_cast<unsigned>(get_bits(dut_.mem_req_o, kReq.kind(), 2));
    const Beat beat = get_beat(dut_.mem_req_o, 0, kReq);
    if (stalled_) {
      EXPECT_TRUE(dut_.mem_req_valid_o) << "a request was taken back";
      EXPECT_EQ(shown.sector, stalled_sector_) << "a stalled request changed";
      EXPECT_EQ(beat.piece, stalled_piece_) << "a stalled request changed";
    }
    stalled_ = dut_.mem_req_valid_o && !dut_.mem_req_ready_i;
    stalled_sector_ = shown.sector;
    stalled_piece_ = beat.piece;
    if (dut_.mem_req_valid_o && dut_.mem_req_ready_i) {
      if (!begun_) coming_ = shown;
      EXPECT_EQ(shown.sector, coming_.sector) << "beats of two requests";
      EXPECT_EQ(shown.id, coming_.id) << "beats of two requests";
      EXPECT_TRUE(coming_.join.take(beats_of_request(kPieces, shown.kind), beat)) << "not the beat that follows";
      begun_ = !coming_.join.done;
      if (!begun_) held_.push_back(coming_);
      if (!begun_ && coming_.id >> (kIdBits - 1)) window_requests_.push_back(coming_);
    }
    ce_taken_ = dut_.ce_req_valid_i && dut_.ce_req_ready_o;
    if (dut_.ce_rsp_valid_o) {
      const bool answer = get_bits(dut_.ce_rsp_o, kRsp.kind(), 2) != kReqWrite;
      ce_answers_ += (answer && get_beat(dut_.ce_rsp_o, 0, kRsp).last) + get_bits(dut_.ce_rsp_o, kRsp.ack_valid(), 1);
    }
    done_ = dut_.window_done_o;
    error_ = dut_.window_error_o;
    for (unsigned b = 0; b < 32; b++) data_[b] = static_cast<uint8_t>(get_bits(dut_.window_data_o, 8 * b, 8));
    dut_.clk_i = 1;
    dut_.eval();
  }

  static SectorBytes content(uint64_t of) {
    SectorBytes bytes;
    for (unsigned b = 0; b < 32; b++) bytes[b] = static_cast<uint8_t>((of >> b % 3 * 4) + b * 31);
    return bytes;
  }

  // Requests of the copy engine, each beat of which stays until it is taken.
  void copy_engine(bool goes_on = true) {
    if (ce_taken_) {
      dut_.ce_req_valid_i = 0;
      ce_beats_.erase(ce_beats_.begin());
      ce_requests_ += ce_beats_.empty();
      ce_taken_ = false;
    }
    if (dut_.ce_req_valid_i || !chance(70)) return;
    if (ce_beats_.empty()) {
      if (!goes_on) return;
      const unsigned kind = chance(50) ? kReqWrite : kReqRead;
      set_bits(dut_.ce_req_i, kReq.sector(), 35, 5000 + rng_() % 1000);
      set_bits(dut_.ce_req_i, kReq.id(), kIdBits, rng_() % 16);
      set_bits(dut_.ce_req_i, kReq.kind(), 2, kind);
      ce_beats_ = split(kPieces, beats_of_request(kPieces, kind), content(rng_()), static_cast<uint32_t>(rng_()));
    }
    dut_.ce_req_valid_i = 1;
    set_beat(dut_.ce_req_i, 0, kReq, ce_beats_.front());
  }

  static constexpr uint64_t kRefused = 77;
  Vhost_window dut_;
  std::mt19937_64 rng_;
  std::vector<Request> held_, window_requests_;
  Request coming_, answered_;
  std::vector<Beat> ce_beats_, answer_;  // still to come
  bool stalled_ = false, begun_ = false, ce_taken_ = false, done_ = false, error_ = false;
  uint64_t stalled_sector_ = 0;
  unsigned stalled_piece_ = 0;
  SectorBytes data_{};
  int ce_requests_ = 0, ce_answers_ = 0, together_ = 0;
};

TEST_F(HostWindow, EachRequestIsAskedOnceAndAnsweredBesideTheCopyEngine) {
  for (uint64_t n = 0; n < 300; n++) {
    const bool write = chance(50);
    dut_.window_valid_i = 1;
    dut_.window_write_i = write;
    dut_.window_sector_i = 1000 + n;
    const auto mask = static_cast<uint32_t>(rng_());
    dut_.window_mask_i = mask;
    const SectorBytes bytes = content(n * 7);
    for (unsigned b = 0; b < 32; b++) set_bits(dut_.window_data_i, 8 * b, 8, bytes[b]);
    int cycles = 0;
    do {
      copy_engine();
      cycle();
    } while (!done_ && ++cycles < 1000);
    ASSERT_TRUE(done_) << "request " << n << " starves";
    EXPECT_FALSE(error_);
    if (!write) {
      EXPECT_EQ(data_, content((1000 + n) * 3));
    }
    ASSERT_EQ(window_requests_.size(), n + 1);
    const Request& r = window_requests_.back();
    EXPECT_EQ(r.sector, 1000 + n);
    EXPECT_EQ(r.kind, write ? kReqWrite : kReqRead);
    if (write) {
      EXPECT_EQ(r.join.bytes, bytes);
      EXPECT_EQ(r.join.mask, mask);
    }
    dut_.window_valid_i = 0;
    for (uint64_t pause = rng_() % 4; pause > 0; pause--) {
      copy_engine();
      cycle();
      EXPECT_FALSE(done_);
    }
  }
  for (int i = 0; i < 3000; i++) {
    copy_engine(false);
    cycle();
  }
  EXPECT_TRUE(held_.empty());
  EXPECT_GT(ce_requests_, 100);
  EXPECT_EQ(ce_answers_, ce_requests_);
  EXPECT_GE(together_, kPieces == 1 ? 50 : 0);
}

TEST_F(HostWindow, ARefusedAddressIsAnError) {
  dut_.window_valid_i = 1;
  dut_.window_sector_i = kRefused;
  for (int i = 0; i < 1000 && !done_; i++) cycle();
  EXPECT_TRUE(done_);
  EXPECT_TRUE(error_);
}

}  // namespace
