// SPDX-License-Identifier: Apache-2.0
// Reads with places in turn, answered in any order: the client gets the answers in the order asked.
#include <deque>
#include <vector>

#include "Vhub_reader.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kDepth = HEDDLE_DEPTH;

class HubReader : public ::testing::Test {
 protected:
  HubReader() : bench_(seed()), top_(*bench_.top) {
    top_.mem_valid_i = 0;
    bench_.reset();
    bench_.settle();
  }

  struct Asked {
    unsigned place;
    uint32_t contents;
    bool answered = false, error = false;
  };

  void ask() {
    if (asked_.size() == kDepth) return;
    asked_.push_back({next_, static_cast<uint32_t>(bench_.rng())});
    next_ = (next_ + 1) % kDepth;
  }

  // L2 answers the n-th of those asked and not yet answered (none: -1).
  void cycle(int answer, bool error = false) {
    std::vector<Asked*> open;
    for (Asked& a : asked_)
      if (!a.answered) open.push_back(&a);
    top_.mem_valid_i = answer >= 0 && !open.empty();
    top_.mem_place_i = static_cast<unsigned char>(bench_.rng() % kDepth);
    top_.mem_error_i = error;
    for (unsigned w = 0; w < 8; w++) top_.mem_data_i[w] = static_cast<uint32_t>(bench_.rng());
    if (top_.mem_valid_i) {
      Asked& a = *open[static_cast<size_t>(answer) % open.size()];
      top_.mem_place_i = static_cast<unsigned char>(a.place);
      for (unsigned w = 0; w < 8; w++) top_.mem_data_i[w] = a.contents + w;
      a.error = error;
      a.answered = true;
    }
    bench_.tick();
    bench_.settle();
    if (!top_.rsp_valid_o) return;
    ASSERT_FALSE(asked_.empty());
    const Asked a = asked_.front();
    ASSERT_TRUE(a.answered) << "out of order";
    ASSERT_EQ(top_.rsp_place_o, a.place);
    ASSERT_EQ(top_.rsp_error_o, a.error);
    for (unsigned w = 0; w < 8; w++) ASSERT_EQ(top_.rsp_data_o[w], a.contents + w);
    asked_.pop_front();
    answered_++;
  }

  RtlBench<Vhub_reader> bench_;
  Vhub_reader& top_;
  std::deque<Asked> asked_;
  unsigned next_ = 0;
  uint64_t answered_ = 0;
};

TEST_F(HubReader, AnswersComeInTheOrderAsked) {
  ask();
  ask();
  cycle(1);
  for (int i = 0; i < 4; i++) cycle(-1);
  EXPECT_EQ(answered_, 0u) << "the second waits for the first";
  cycle(0);
  cycle(-1);
  EXPECT_EQ(answered_, 1u) << "two cycles after L2's answer";
  cycle(-1);
  EXPECT_EQ(answered_, 2u);
}

TEST_F(HubReader, RandomOrderOfAnswers) {
  auto& rng = bench_.rng;
  for (int t = 0; t < 20000; t++) {
    const unsigned phase = static_cast<unsigned>(t / 500 % 4);
    if (!bench_.one_in(phase == 1 ? 2 : 8)) ask();
    cycle(bench_.one_in(phase == 2 ? 8 : 2) ? static_cast<int>(rng() % kDepth) : -1, bench_.one_in(10));
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
  }
  for (int t = 0; t < 50; t++) cycle(0);
  EXPECT_TRUE(asked_.empty());
  EXPECT_GT(answered_, 4000u);
}

}  // namespace
}  // namespace heddle::test
