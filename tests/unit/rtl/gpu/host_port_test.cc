// SPDX-License-Identifier: Apache-2.0
// Sector requests in beats against an AXI4 host memory whose channels run apart from each other.
#include <algorithm>
#include <array>
#include <deque>

#include "Vhost_port.h"
#include "tests/unit/rtl/gpu/host_beats.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kDepth = HEDDLE_DEPTH, kPieces = HEDDLE_PIECES;  // pieces of a sector in the preset
constexpr HostReqBits kReq{kPieces};
constexpr HostRspBits kRsp{kPieces};

struct Request {
  bool write;
  uint64_t sector;
  uint32_t mask;
  SectorBytes data;
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
  unsigned beat_stall_ = 0;  // between the beats of a request
  unsigned writes_ = 2;      // 1 in n requests
  bool asks_ = true;

  void cycle() {
    const auto stall = [&](unsigned n) { return n != 0 && bench_.one_in(n); };
    if (beats_.empty() && asks_ && !stall(request_stall_)) {
      offer_ = {bench_.one_in(writes_), rng_() >> 5, static_cast<uint32_t>(rng_()), {}};
      for (uint8_t& b : offer_.data) b = static_cast<uint8_t>(rng_());
      beats_ = split(kPieces, beats_of_request(kPieces, offer_.write ? kReqWrite : kReqRead), offer_.data, offer_.mask);
    }
    // Once valid, a beat stays until it is taken.
    if (!offers_) offers_ = !beats_.empty() && (beats_.front().piece == 0 || !stall(beat_stall_));
    top_.req_valid_i = offers_;
    if (offers_) {
      set_bits(top_.req_i, kReq.write(), 1, offer_.write);
      set_bits(top_.req_i, kReq.sector(), 59, offer_.sector);
      set_beat(top_.req_i, 0, kReq, beats_.front());
    } else {
      for (unsigned bit = 0; bit <= kReq.write(); bit++) set_bits(top_.req_i, bit, 1, rng_() & 1);
    }
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
      const SectorBytes bytes = contents(r_due_.front()->sector);
      for (unsigned b = 0; b < 32; b++) set_bits(top_.h_axi_rdata_i, 8 * b, 8, bytes[b]);
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
    if (taken) offers_ = false;
    if (taken && beats_.front().last) {
      in_flight_.push_back(offer_);
      Request* q = &in_flight_.back();
      if (q->write) aw_due_.push_back(q), w_due_.push_back(q);
      else ar_due_.push_back(q);
      unanswered_++;
      most_ = std::max(most_, unanswered_);
      accepted_++;
    }
    if (taken) beats_.erase(beats_.begin());
    if (b) top_.h_axi_bvalid_i = 0;
    if (r) top_.h_axi_rvalid_i = 0;
    if (!top_.h_axi_rvalid_i)
      for (unsigned w = 0; w < 8; w++) top_.h_axi_rdata_i[w] = static_cast<uint32_t>(rng_());
    bench_.settle();
    response();
  }

  // What host memory holds.
  static SectorBytes contents(uint64_t sector) {
    std::mt19937 hash(static_cast<uint32_t>(sector * 0x9e3779b1u));
    SectorBytes bytes;
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(hash());
    return bytes;
  }

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
      for (unsigned b = 0; b < 32; b++) ASSERT_EQ(get_bits(top_.h_axi_wdata_o, 8 * b, 8), w_due_.front()->data[b]);
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

  // Answers come in the order of the requests; of a read beats, of which the first ones may come before R is taken.
  void response() {
    if (!top_.rsp_valid_o) return;
    ASSERT_FALSE(in_flight_.empty());
    const Request& q = in_flight_.front();
    ASSERT_EQ(get_bits(top_.rsp_o, kRsp.write(), 1), q.write);
    const Beat beat = get_beat(top_.rsp_o, 0, kRsp);
    ASSERT_TRUE(answer_.take(beats_of_answer(kPieces, q.write ? kReqWrite : kReqRead), beat))
        << "piece " << beat.piece << " last " << beat.last;
    if (!answer_.done) return;
    ASSERT_TRUE(q.answered) << "answered before its turn";
    ASSERT_EQ(get_bits(top_.rsp_o, kRsp.error(), 1), q.error);
    if (!q.write) {
      ASSERT_EQ(answer_.bytes, contents(q.sector));
    }
    in_flight_.pop_front();
    answered_++;
  }

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
  std::vector<Beat> beats_;  // of offer_, those not taken
  Join answer_{kPieces};
  uint64_t accepted_ = 0, answered_ = 0;
};

// A small machine, whose answers take a cycle for each piece, asks every second cycle.
TEST_F(HostPort, ReadsGoOutAtFullRate) {
  writes_ = 1u << 30;
  for (int t = 0; t < 200; t++) cycle();
  EXPECT_GE(accepted_, 196u / kPieces);
}

TEST_F(HostPort, NoMoreThanDepthInFlight) {
  b_stall_ = r_stall_ = 1;
  for (unsigned t = 0; t < 8 * kPieces * kDepth; t++) cycle();
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
    request_stall_ = stall(), aw_stall_ = stall(), w_stall_ = stall(), ar_stall_ = stall(), b_stall_ = stall(),
    r_stall_ = stall();
    beat_stall_ = stall();
    errors_ = round % 3 ? 0 : 7;
    writes_ = 1 + static_cast<unsigned>(rng_() % 4);
    for (int t = 0; t < 400; t++) {
      cycle();
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  drain();
  EXPECT_GT(answered_, 5000u / kPieces);
}

}  // namespace
}  // namespace heddle::test
