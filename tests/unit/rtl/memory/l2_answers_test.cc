// SPDX-License-Identifier: Apache-2.0
// Answers of a slice for three clients, pushed where there is room and taken at random: each client's answers come in
// their order, and its acknowledgements in theirs; what heads both comes together. Room is as much as the header says.
#include <deque>

#include "Vl2_answers.h"
#include "tests/unit/rtl/memory/beats.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kClients = HEDDLE_CLIENTS;
constexpr unsigned kPieces = sizeof(Vl2_answers::answer_i) * 8 > 256 ? 1 : 4;
constexpr RspBits kRsp{kPieces};
constexpr unsigned kPlaces = kPieces == 1 ? 32 : 64;
constexpr unsigned kMost = kPlaces - 9 * kPieces;  // with more there is no room

struct Beat {
  unsigned kind, id, error, piece, last;
  uint64_t data;
};

class L2Answers : public ::testing::Test {
 protected:
  L2Answers() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.valid_i = top_.take_i = 0;
    bench_.reset();
    bench_.settle();
  }

  static constexpr bool acks(const Beat& b) { return kPieces == 1 && b.kind == kReqWrite; }
  bool waits(unsigned c) const { return !answers_[c].empty() || !acks_[c].empty(); }

  Beat random_beat() {
    Beat b{static_cast<unsigned>(rng_() % 3), static_cast<unsigned>(rng_() % 256), bench_.one_in(8), 0, 1, rng_()};
    if (b.kind == kReqRead && kPieces > 1) b.piece = static_cast<unsigned>(rng_() % 4), b.last = b.piece == 3;
    return b;
  }

  // Pushes a beat for client `to` and takes from client `from`; kClients: none.
  void cycle(unsigned to, const Beat& beat, unsigned from) {
    top_.valid_i = to < kClients;
    top_.client_i = static_cast<uint8_t>(to < kClients ? to : rng_() % kClients);
    set_bits(top_.answer_i, kRsp.kind(), 2, beat.kind);
    set_bits(top_.answer_i, kRsp.id(), kIdBits, beat.id);
    set_bits(top_.answer_i, kRsp.error(), 1, beat.error);
    set_bits(top_.answer_i, kRsp.piece(), kPieces == 4 ? 2 : 1, beat.piece);
    set_bits(top_.answer_i, kRsp.last(), 1, beat.last);
    set_bits(top_.answer_i, kRsp.data(), 64, beat.data);
    top_.take_i = static_cast<uint8_t>(from < kClients ? 1u << from : 0);
    bench_.settle();
    for (unsigned c = 0; c < kClients; c++) {
      ASSERT_EQ(top_.waits_o >> c & 1, waits(c)) << "client " << c;
      ASSERT_EQ(top_.room_o >> c & 1, answers_[c].size() <= kMost && acks_[c].size() <= kMost) << "client " << c;
    }
    if (from < kClients) look(from);
    if (to < kClients) (acks(beat) ? acks_ : answers_)[to].push_back(beat);
    if (!HasFatalFailure()) bench_.tick();
  }

  void look(unsigned from) {
    const auto& rsp = top_.rsp_o;
    const bool answer = get_bits(rsp, kRsp.kind(), 2) != kReqWrite, ack = get_bits(rsp, kRsp.ack_valid(), 1);
    const auto id = get_bits(rsp, kRsp.id(), kIdBits);
    if (kPieces == 1) {
      ASSERT_EQ(answer, !answers_[from].empty());
      ASSERT_EQ(ack, !acks_[from].empty());
      together_ += answer && ack;
    } else {
      ASSERT_EQ(ack, answers_[from].front().kind == kReqWrite);
    }
    if (ack) {
      auto& queue = kPieces == 1 ? acks_[from] : answers_[from];
      ASSERT_EQ(get_bits(rsp, kRsp.ack_id(), kIdBits), queue.front().id);
      ASSERT_EQ(get_bits(rsp, kRsp.ack_error(), 1), queue.front().error);
      ASSERT_TRUE(answer || get_bits(rsp, kRsp.last(), 1));
      queue.pop_front();
    }
    if (!answer) return;
    const Beat& b = answers_[from].front();
    ASSERT_EQ(get_bits(rsp, kRsp.kind(), 2), b.kind);
    ASSERT_EQ(id, b.id);
    ASSERT_EQ(get_bits(rsp, kRsp.error(), 1), b.error);
    ASSERT_EQ(get_bits(rsp, kRsp.piece(), kPieces == 4 ? 2 : 1), b.piece);
    ASSERT_EQ(get_bits(rsp, kRsp.last(), 1), b.last);
    ASSERT_EQ(get_bits(rsp, kRsp.data(), 64), b.data);
    answers_[from].pop_front();
  }

  RtlBench<Vl2_answers> bench_;
  Vl2_answers& top_;
  std::mt19937_64& rng_;
  std::deque<Beat> answers_[kClients], acks_[kClients];
  unsigned together_ = 0;
};

TEST_F(L2Answers, RandomTraffic) {
  unsigned full = 0;
  for (int round = 0; round < 100; round++) {
    const uint32_t pushes = 1u << rng_() % 3, takes = 1u << rng_() % 4;
    const bool one = bench_.one_in(3);  // all of one client
    for (int t = 0; t < 200; t++) {
      unsigned to = one ? 1 : static_cast<unsigned>(rng_() % kClients), from = static_cast<unsigned>(rng_() % kClients);
      const bool room = answers_[to].size() <= kMost && acks_[to].size() <= kMost;
      full += !room;
      if (!room || !bench_.one_in(pushes)) to = kClients;
      if (!waits(from) || !bench_.one_in(takes)) from = kClients;
      cycle(to, random_beat(), from);
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  EXPECT_GT(full, 100u);
  if (kPieces == 1) {
    EXPECT_GT(together_, 100u);
  }
}

// What is on its way when a client has no more room finds a place: eight operations of a sector each.
TEST_F(L2Answers, RoomIsForAllThatIsOnItsWay) {
  for (unsigned c = 0; c < kClients; c++) {
    unsigned pushed = 0;
    while (answers_[c].size() <= kMost) {
      cycle(c, Beat{kReqRead, pushed++ % 256, 0, 0, 1, rng_()}, kClients);
      ASSERT_FALSE(HasFatalFailure());
    }
    for (unsigned n = 0; n < 8 * kPieces; n++) {
      cycle(c, Beat{kReqRead, pushed++ % 256, 0, 0, 1, rng_()}, kClients);
      ASSERT_FALSE(HasFatalFailure());
    }
    EXPECT_EQ(pushed, kPlaces - kPieces + 1);
  }
  for (unsigned c = 0; c < kClients; c++)
    while (waits(c)) {
      cycle(kClients, random_beat(), c);
      ASSERT_FALSE(HasFatalFailure());
    }
}

}  // namespace
}  // namespace heddle::test
