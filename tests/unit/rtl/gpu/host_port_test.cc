// SPDX-License-Identifier: Apache-2.0
// Sector requests against an AXI4 host memory whose channels run apart from each other.
#include <algorithm>
#include <array>
#include <deque>

#include "Vhost_port.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kDepth = HEDDLE_DEPTH, kPieces = HEDDLE_PIECES;   // pieces of a sector in the preset
// gpu_pkg::host_req_t: data 256, mask 32, sector 59, write. host_rsp_t: data 256, error, write.
constexpr unsigned kMask = 256, kSector = 288, kWrite = 347, kRspError = 256, kRspWrite = 257;
using Words = std::array<uint32_t, 8>;

struct Request {
  bool write;
  uint64_t sector;
  uint32_t mask;
  Words data;
  // Filled by the host.
  bool error = false, answered = false;
};

class HostPort : public ::testing::Test {
 protected:
  HostPort() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.req_valid_i = top_.h_axi_bvalid_i = top_.h_axi_rvalid_i = 0;
    top_.h_axi_awready_i = top_.h_axi_wready_i = top_.h_axi_arready_i = 1;
    bench_.reset();
    bench_.settle();
  }

  unsigned request_stall_ = 0, aw_stall_ = 0, w_stall_ = 0, ar_stall_ = 0, b_stall_ = 0, r_stall_ = 0, errors_ = 0;
  unsigned writes_ = 2;  // 1 in n requests
  bool asks_ = true;

  void cycle() {
    const auto stall = [&](unsigned n) { return n != 0 && bench_.one_in(n); };
    if (!offers_ && asks_ && !stall(request_stall_)) {
      offer_ = {bench_.one_in(writes_), rng_() >> 5, static_cast<uint32_t>(rng_()), {}};
      for (uint32_t& w : offer_.data) w = static_cast<uint32_t>(rng_());
      offers_ = true;
    }
    top_.req_valid_i = offers_;
    set_bits(top_.req_i, kWrite, 1, offer_.write);
    set_bits(top_.req_i, kSector, 59, offer_.sector);
    set_bits(top_.req_i, kMask, 32, offer_.mask);
    for (unsigned w = 0; w < 8; w++) top_.req_i[w] = offer_.data[w];
    top_.h_axi_awready_i = !stall(aw_stall_);
    top_.h_axi_wready_i = !stall(w_stall_);
    top_.h_axi_arready_i = !stall(ar_stall_);
    // Once valid, an answer stays until it is taken.
    if (!top_.h_axi_bvalid_i && !b_due_.empty() && !stall(b_stall_)) {
      top_.h_axi_bvalid_i = 1;
      top_.h_axi_bresp_i = stall(errors_) ? 1 + rng_() % 3 : 0;
    }
    if (!top_.h_axi_rvalid_i && !r_due_.empty() && !stall(r_stall_)) {
      top_.h_axi_rvalid_i = 1;
      top_.h_axi_rresp_i = stall(errors_) ? 1 + rng_() % 3 : 0;
      for (unsigned w = 0; w < 8; w++) top_.h_axi_rdata_i[w] = word(r_due_.front()->sector, w);
    }
    bench_.settle();
    ASSERT_EQ(top_.busy_o, unanswered_ != 0);
    channels();
    if (HasFatalFailure()) return;
    const bool taken = offers_ && top_.req_ready_o;
    const bool b = top_.h_axi_bvalid_i && top_.h_axi_bready_o, r = top_.h_axi_rvalid_i && top_.h_axi_rready_o;
    ASSERT_FALSE(b && r) << "one answer a cycle";
    if (b) answer(b_due_, top_.h_axi_bresp_i != 0);
    if (r) answer(r_due_, top_.h_axi_rresp_i != 0);
    bench_.tick();
    if (taken) {
      in_flight_.push_back(offer_);
      Request* q = &in_flight_.back();
      if (q->write) aw_due_.push_back(q), w_due_.push_back(q);
      else ar_due_.push_back(q);
      offers_ = false;
      unanswered_++;
      most_ = std::max(most_, unanswered_);
      accepted_++;
    }
    if (b) top_.h_axi_bvalid_i = 0;
    if (r) top_.h_axi_rvalid_i = 0;
    bench_.settle();
    response();
  }

  static uint32_t word(uint64_t sector, unsigned w) { return static_cast<uint32_t>(sector * 0x9e3779b1u + w * 0x85ebca6bu); }

  void answer(std::deque<Request*>& due, bool error) {
    due.front()->error = error;
    due.front()->answered = true;
    due.pop_front();
    unanswered_--;
  }

  void channels() {
    if (top_.h_axi_awvalid_o) {
      ASSERT_FALSE(aw_due_.empty());
      ASSERT_EQ(top_.h_axi_awaddr_o, aw_due_.front()->sector << 5);
    }
    if (top_.h_axi_wvalid_o) {
      ASSERT_FALSE(w_due_.empty());
      ASSERT_EQ(top_.h_axi_wstrb_o, w_due_.front()->mask);
      for (unsigned w = 0; w < 8; w++) ASSERT_EQ(top_.h_axi_wdata_o[w], w_due_.front()->data[w]);
    }
    if (top_.h_axi_arvalid_o) {
      ASSERT_FALSE(ar_due_.empty());
      ASSERT_EQ(top_.h_axi_araddr_o, ar_due_.front()->sector << 5);
    }
    // Valid stays until ready: what is due has been offered since it was accepted.
    ASSERT_EQ(top_.h_axi_awvalid_o, !aw_due_.empty());
    ASSERT_EQ(top_.h_axi_wvalid_o, !w_due_.empty());
    ASSERT_EQ(top_.h_axi_arvalid_o, !ar_due_.empty());
    if (top_.h_axi_awvalid_o && top_.h_axi_awready_i) aw_taken_.push_back(aw_due_.front()), aw_due_.pop_front();
    if (top_.h_axi_wvalid_o && top_.h_axi_wready_i) w_taken_.push_back(w_due_.front()), w_due_.pop_front();
    if (top_.h_axi_arvalid_o && top_.h_axi_arready_i) r_due_.push_back(ar_due_.front()), ar_due_.pop_front();
    while (!aw_taken_.empty() && !w_taken_.empty()) {
      ASSERT_EQ(aw_taken_.front(), w_taken_.front());
      b_due_.push_back(aw_taken_.front());
      aw_taken_.pop_front();
      w_taken_.pop_front();
    }
  }

  // Answers come in the order of the requests.
  void response() {
    if (!top_.rsp_valid_o) {
      if (++data_age_ < kPieces) data();
      return;
    }
    ASSERT_FALSE(in_flight_.empty());
    const Request q = in_flight_.front();
    in_flight_.pop_front();
    ASSERT_TRUE(q.answered) << "answered before its turn";
    ASSERT_EQ(get_bits(top_.rsp_o, kRspWrite, 1), q.write);
    ASSERT_EQ(get_bits(top_.rsp_o, kRspError, 1), q.error);
    if (!q.write) {
      ASSERT_GE(++data_age_, kPieces) << "data of the read before have not stood long enough";
      data_age_ = 0;
      data_of_ = q.sector;
    }
    else if (++data_age_ >= kPieces) return answered();
    data();
    answered();
  }
  void data() {
    for (unsigned w = 0; w < 8; w++) ASSERT_EQ(top_.rsp_o[w], word(data_of_, w));
  }
  void answered() { answered_++; }

  void drain() {
    asks_ = false;
    for (int t = 0; t < 1000; t++) {
      cycle();
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(accepted_, answered_);
    EXPECT_FALSE(top_.busy_o);
    asks_ = true;
  }

  RtlBench<Vhost_port> bench_;
  Vhost_port& top_;
  std::mt19937_64& rng_;
  bool offers_ = false;
  Request offer_{};
  std::deque<Request> in_flight_;  // its elements stay where they are
  std::deque<Request*> aw_due_, w_due_, ar_due_, aw_taken_, w_taken_, b_due_, r_due_;
  unsigned unanswered_ = 0, most_ = 0;
  unsigned data_age_ = 100;   // cycles since a read's answer
  uint64_t data_of_ = 0;      // its sector
  uint64_t accepted_ = 0, answered_ = 0;
};

// Where a sector has pieces, one each while their data stand.
TEST_F(HostPort, AReadGoesOutEachCycle) {
  writes_ = 1u << 30;
  for (int t = 0; t < 100; t++) cycle();
  EXPECT_GE(accepted_, 98u / kPieces);
}

TEST_F(HostPort, NoMoreThanDepthInFlight) {
  b_stall_ = r_stall_ = 1;
  for (unsigned t = 0; t < 4 * kDepth; t++) cycle();
  EXPECT_EQ(most_, kDepth);
  b_stall_ = r_stall_ = 0;
  drain();
}

TEST_F(HostPort, AQuickReadWaitsForTheWriteBeforeIt) {
  b_stall_ = 30;
  for (int t = 0; t < 2000; t++) cycle();
  EXPECT_GT(answered_, 50u);
  drain();
}

TEST_F(HostPort, RandomTraffic) {
  for (int round = 0; round < 60; round++) {
    const auto stall = [&] { return static_cast<unsigned>(bench_.one_in(3) ? 0 : 2 + rng_() % 5); };
    request_stall_ = stall(), aw_stall_ = stall(), w_stall_ = stall(), ar_stall_ = stall(), b_stall_ = stall(), r_stall_ = stall();
    errors_ = round % 3 ? 0 : 7;
    writes_ = 1 + static_cast<unsigned>(rng_() % 4);
    for (int t = 0; t < 400; t++) {
      cycle();
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  drain();
  EXPECT_GT(answered_, 5000u);
}

}  // namespace
}  // namespace heddle::test
