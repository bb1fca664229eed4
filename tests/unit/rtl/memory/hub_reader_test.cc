// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <vector>

#include "Vhub_reader.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kDepth = HEDDLE_DEPTH, kBase = HEDDLE_BASE;
// mem_pkg::rsp_t: data 256, error, id 8, kind 2.
constexpr unsigned kError = 256, kId = 257;

class HubReader : public ::testing::Test {
 protected:
  HubReader() : bench_(seed()), top_(*bench_.top) {
    top_.req_valid_i = top_.mem_rsp_valid_i = 0;
    top_.mem_req_ready_i = 1;
    bench_.reset();
    bench_.settle();
  }

  struct Asked {
    unsigned id;
    uint64_t sector;
    bool answered = false, error = false;
  };

  static uint32_t word(uint64_t sector, unsigned w) { return static_cast<uint32_t>(sector * 0x9e3779b1u + w * 0x85ebca6bu); }

  // L2 answers the n-th of those asked and not yet answered (none: -1).
  void cycle(bool asks, bool ready, int answer, bool error = false) {
    top_.req_valid_i = asks;
    top_.req_sector_i = sector_;
    top_.mem_req_ready_i = ready;
    top_.mem_rsp_valid_i = 0;
    std::vector<Asked*> open;
    for (Asked& a : asked_)
      if (!a.answered) open.push_back(&a);
    if (answer >= 0 && !open.empty()) {
      Asked& a = *open[static_cast<size_t>(answer) % open.size()];
      top_.mem_rsp_valid_i = 1;
      set_bits(top_.mem_rsp_i, kId, 8, a.id);
      set_bits(top_.mem_rsp_i, kError, 1, error);
      for (unsigned w = 0; w < 8; w++) top_.mem_rsp_i[w] = word(a.sector, w);
      a.error = error;
      a.answered = true;
    }
    bench_.settle();
    if (!asks) {
      ASSERT_FALSE(top_.mem_req_valid_o);
    }
    ASSERT_EQ(top_.mem_req_valid_o && ready, asks && top_.req_ready_o) << "both sides see the same handshake";
    ASSERT_EQ(top_.busy_o, !asked_.empty());
    if (top_.mem_req_valid_o && ready) {
      ASSERT_LT(asked_.size(), kDepth) << "more in flight than it can put in order";
      ASSERT_EQ(top_.mem_req_sector_o, sector_);
      ASSERT_EQ(top_.mem_req_id_o & ~(kDepth - 1), kBase);
      for (const Asked& a : asked_) ASSERT_NE(a.id, top_.mem_req_id_o) << "id in use";
      asked_.push_back({top_.mem_req_id_o, sector_});
      sector_ = bench_.rng() & 0x7ffffffff;
      accepted_++;
    } else if (asks && ready) {
      ASSERT_EQ(asked_.size(), kDepth) << "refuses although there is room";
    }
    bench_.tick();
    bench_.settle();
    if (top_.rsp_valid_o) {
      ASSERT_FALSE(asked_.empty());
      const Asked a = asked_.front();
      ASSERT_TRUE(a.answered) << "out of order";
      ASSERT_EQ(top_.rsp_error_o, a.error);
      for (unsigned w = 0; w < 8; w++) ASSERT_EQ(top_.rsp_data_o[w], word(a.sector, w));
      asked_.pop_front();
      answered_++;
    }
  }

  RtlBench<Vhub_reader> bench_;
  Vhub_reader& top_;
  std::deque<Asked> asked_;
  uint64_t sector_ = 5, accepted_ = 0, answered_ = 0;
};

TEST_F(HubReader, AnswersComeInTheOrderAsked) {
  cycle(true, true, -1);
  cycle(true, true, -1);
  cycle(false, true, 1);
  for (int i = 0; i < 4; i++) cycle(false, true, -1);
  EXPECT_EQ(answered_, 0u) << "the second waits for the first";
  cycle(false, true, 0);
  for (int i = 0; i < 4; i++) cycle(false, true, -1);
  EXPECT_EQ(answered_, 2u);
}

TEST_F(HubReader, NoMoreThanDepthInFlight) {
  for (unsigned i = 0; i < kDepth + 5; i++) cycle(true, true, -1);
  EXPECT_EQ(accepted_, kDepth);
}

TEST_F(HubReader, RandomOrderOfAnswers) {
  auto& rng = bench_.rng;
  for (int t = 0; t < 20000; t++) {
    const unsigned phase = static_cast<unsigned>(t / 500 % 4);
    cycle(!bench_.one_in(phase == 1 ? 2 : 8), !bench_.one_in(3),
          bench_.one_in(phase == 2 ? 8 : 2) ? static_cast<int>(rng() % kDepth) : -1, bench_.one_in(10));
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
  }
  for (int t = 0; t < 50; t++) cycle(false, true, 0);
  EXPECT_EQ(accepted_, answered_);
  EXPECT_GT(answered_, 4000u);
}

}  // namespace
}  // namespace heddle::test
