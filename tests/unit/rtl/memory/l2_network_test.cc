// SPDX-License-Identifier: Apache-2.0
// Clients and slices that offer and take at random, at two and four slices: each request reaches the slice of its
// line, beat by beat and in the client's order; each answer comes to its client once, on the link of its slice, its
// beats together and in the order given; a slice gives one a cycle, and a link takes one.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "Vl2_network_top.h"
#include "tests/unit/rtl/memory/beats.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kClients = HEDDLE_CLIENTS, kSlices = HEDDLE_SLICES;
constexpr unsigned kPieces = sizeof(Vl2_network_top::slice_rsp_i) * 8 / kClients / kSlices > 256 ? 1 : 4;
constexpr ReqBits kReq{kPieces, kPieces == 1 ? 6 : 3, kPieces == 1 ? 3 : 1};
constexpr RspBits kRsp{kPieces};
// Of a slice's answers: the slice's number modulo kLinks says on which they come.
constexpr unsigned kLinks = sizeof(Vl2_network_top::rsp_o) * 8 < 2 * kClients * kRsp.bits() ? 1 : 2;
constexpr unsigned kSharing = kSlices / kLinks;  // of a link
constexpr unsigned kNever = 1u << 30;

// The fold of a line's number: bits from 7 on of an address below 2^36.
unsigned slice_of(uint64_t sector) {
  unsigned slice = 0;
  for (uint64_t line = sector >> 2 & ((1u << 29) - 1); line != 0; line /= kSlices)
    slice ^= static_cast<unsigned>(line % kSlices);
  return slice;
}

struct Request {
  unsigned kind, id;
  uint64_t sector;
  unsigned beat = 0;  // that is offered, or comes
  std::vector<uint32_t> noise;
};

template <typename Port>
void set_port(Port& port, uint64_t value) {
  port = static_cast<Port>(value);
}

struct Rates {
  unsigned offer = 2, take = 2, answer = 2, ready = 2;  // one in so many cycles
};

class L2Network : public ::testing::Test {
 protected:
  L2Network() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.req_valid_i = 0;
    top_.slice_waits_i = 0;
    top_.rsp_ready_i = 0;
    top_.slice_req_ready_i = 0;
    bench_.reset();
    bench_.settle();
  }

  unsigned beats(const Request& r) const { return beats_of_request(kPieces, r.kind); }
  static unsigned answers(const Request& r) { return beats_of_answer(kPieces, r.kind); }
  static bool bit(uint64_t word, unsigned n) { return word >> n & 1; }

  void new_request(unsigned c) {
    // An answer is known by its id: a client has no two of one id.
    unsigned id = static_cast<unsigned>(rng_() % 256);
    while (open_[c][id]) id = (id + 1) % 256;
    const uint64_t line = bench_.one_in(2) ? rng_() % 16 : 1ull << rng_() % 29;
    request_[c] = Request{static_cast<unsigned>(rng_() % 3), id, 1ull << 31 | line << 2 | rng_() % 4, 0, {}};
    open_[c][id] = true;
    asked_++;
    new_noise(*request_[c]);
  }
  void new_noise(Request& r) {
    r.noise.resize((kReq.bits() + 31) / 32);
    for (uint32_t& w : r.noise) w = static_cast<uint32_t>(rng_());
    set_bits(r.noise, kReq.kind(), 2, r.kind);
    set_bits(r.noise, kReq.id(), kIdBits, r.id);
    set_bits(r.noise, kReq.sector(), 35, r.sector);
    set_bits(r.noise, kReq.piece(), kReq.piece_w(), r.beat);
    set_bits(r.noise, kReq.last(), 1, r.beat + 1 == beats(r));
  }

  void cycle(const Rates& rates) {
    uint64_t offers = 0, takes = 0, answers_now = 0, ready = 0;
    for (unsigned c = 0; c < kClients; c++) {
      if (!request_[c] && bench_.one_in(rates.offer) && in_l2_[c] < 100) new_request(c);
      if (request_[c] && !offered_[c]) offered_[c] = request_[c]->beat == 0 || bench_.one_in(std::min(rates.offer, 4u));
      offers |= uint64_t{offered_[c]} << c;
      for (unsigned w = 0; w < kReq.bits(); w += 32) {
        const unsigned width = std::min(32u, kReq.bits() - w);
        set_bits(top_.req_i, c * kReq.bits() + w, width, request_[c] ? request_[c]->noise[w / 32] : rng_());
      }
      for (unsigned p = 0; p < kLinks; p++) ready |= uint64_t{bench_.one_in(rates.ready)} << (c * kLinks + p);
      for (unsigned s = 0; s < kSlices; s++) {
        const unsigned at = s * kClients + c;
        takes |= uint64_t{bench_.one_in(rates.take)} << at;
        Answer& a = answer_[s][c];
        auto& waits = waits_[s][c];
        if (!a.request && !waits.empty() && bench_.one_in(rates.answer)) {
          const auto which = waits.begin() + static_cast<long>(rng_() % waits.size());
          a = Answer{*which, 0, false, bench_.one_in(8), {}};
          waits.erase(which);
        }
        if (a.request && !a.offered) {
          a.offered = a.beat == 0 || bench_.one_in(std::min(rates.answer, 4u));
          a.data = rng_();
        }
        if (!a.offered) continue;
        answers_now |= 1ull << at;
        const unsigned lsb = at * kRsp.bits();
        set_answer(top_.slice_rsp_i, lsb, kRsp, a.request->kind, a.request->id, a.error);
        set_bits(top_.slice_rsp_i, lsb + kRsp.piece(), kReq.piece_w(), a.beat);
        set_bits(top_.slice_rsp_i, lsb + kRsp.last(), 1, a.beat + 1 == answers(*a.request));
        set_bits(top_.slice_rsp_i, lsb + kRsp.data(), 64, a.data);
      }
    }
    set_port(top_.req_valid_i, offers);
    set_port(top_.rsp_ready_i, ready);
    set_port(top_.slice_req_ready_i, takes);
    set_port(top_.slice_waits_i, answers_now);
    bench_.settle();
    look_at_slices();
    for (unsigned c = 0; c < kClients && !HasFatalFailure(); c++) {
      look_at_request(c, takes);
      for (unsigned p = 0; p < kLinks && !HasFatalFailure(); p++) look_at_link(c, p, bit(ready, c * kLinks + p));
    }
    if (!HasFatalFailure()) bench_.tick();
  }

  void look_at_request(unsigned c, uint64_t takes) {
    const unsigned home = request_[c] ? slice_of(request_[c]->sector) : 0;
    for (unsigned s = 0; s < kSlices; s++)
      ASSERT_EQ(bit(top_.slice_req_valid_o, s * kClients + c), offered_[c] && s == home)
          << "client " << c << ", slice " << s;
    if (!offered_[c]) return;
    ASSERT_EQ(bit(top_.req_ready_o, c), bit(takes, home * kClients + c));
    if (!bit(top_.req_ready_o, c)) return;
    Request& r = *request_[c];
    offered_[c] = false;
    if (++r.beat < beats(r)) return new_noise(r);
    waits_[home][c].push_back(r);
    in_l2_[c]++;
    request_[c].reset();
  }

  void look_at_slices() {
    const uint64_t waits = top_.slice_waits_i, takes = top_.slice_take_o;
    bool on_links = false;
    for (const auto& links : coming_)
      for (const auto& link : links) on_links |= !link.empty();
    ASSERT_EQ(top_.busy_o, waits != 0 || on_links);
    ASSERT_EQ(takes & ~waits, 0u) << "takes what does not wait";
    for (unsigned s = 0; s < kSlices; s++) {
      const uint64_t mine = takes >> s * kClients & ((1u << kClients) - 1);
      ASSERT_EQ(mine & (mine - 1), 0u) << "slice " << s << " gives to two clients";
    }
  }

  // What the link shows; then what it takes from a slice, behind that.
  void look_at_link(unsigned c, unsigned p, bool ready) {
    auto& coming = coming_[c][p];
    const bool room = coming.size() < 2;
    ASSERT_EQ(bit(top_.rsp_valid_o, c * kLinks + p), !coming.empty());
    if (!coming.empty()) {
      const unsigned lsb = (c * kLinks + p) * kRsp.bits();
      for (unsigned b = 0; b < kRsp.bits();
           b += b == 0 ? kRsp.last() : 8) {  // of the data the first word says something
        const unsigned width = b == 0 ? 64 : std::min(8u, kRsp.bits() - b);
        ASSERT_EQ(get_bits(top_.rsp_o, lsb + b, width), coming.front().bits[b]) << "client " << c << ", from bit " << b;
      }
      if (ready) {
        const Coming& beat = coming.front();
        if (beat.last) {
          ASSERT_TRUE(open_[c][beat.id]);
          open_[c][beat.id] = false;
          in_l2_[c]--;
          answered_++;
        }
        coming.pop_front();
      }
    }
    take(c, p, room);
  }

  void take(unsigned c, unsigned p, bool room) {
    uint64_t offers = 0, taken = 0;
    auto& begun = begun_[c][p];
    for (unsigned s = p; s < kSlices; s += kLinks) {
      offers |= uint64_t{answer_[s][c].offered} << s;
      taken |= uint64_t{bit(top_.slice_take_o, s * kClients + c)} << s;
    }
    if (!room) {
      ASSERT_EQ(taken, 0u) << "no room";
    }
    ASSERT_EQ(taken & (taken - 1), 0u) << "of two slices";
    if (begun) {
      ASSERT_EQ(taken & ~(1ull << *begun), 0u) << "another answer comes between";
    }
    // With room a link waits for the beats that follow, or for a slice that serves other clients.
    for (unsigned s = p; s < kSlices; s += kLinks) {
      if (!bit(offers, s) || bit(taken, s)) waited_[s][c] = 0;
      else if (room && !(begun && !bit(offers, *begun))) waited_[s][c]++;
      ASSERT_LE(waited_[s][c], kSharing * kSharing * kPieces * kClients) << "slice " << s << " waits too long";
    }
    if (taken == 0) return;
    unsigned from = 0;
    while (!bit(taken, from)) from++;
    const unsigned at = (from * kClients + c) * kRsp.bits();
    Answer& a = answer_[from][c];
    Coming beat;
    for (unsigned b = 0; b < kRsp.bits(); b += b == 0 ? kRsp.last() : 8)
      beat.bits[b] = get_bits(top_.slice_rsp_i, at + b, b == 0 ? 64 : std::min(8u, kRsp.bits() - b));
    a.offered = false;
    beats_from_[from][c]++;
    for (unsigned s = p; s < kSlices; s += kLinks) {
      passed_over_[s][c] = s == from || !bit(offers, s) ? 0 : passed_over_[s][c] + 1;
      ASSERT_LE(passed_over_[s][c], (kSharing - 1) * kPieces) << "slice " << s << " is passed over";
    }
    beat.id = a.request->id;
    beat.last = ++a.beat == answers(*a.request);
    begun = from;
    if (beat.last) {
      a = Answer{};
      begun.reset();
    }
    coming_[c][p].push_back(beat);
  }

  void drain() {
    for (int t = 0; t < 20000 && answered_ != asked_; t++) {
      cycle({kNever, 1, 1, 1});
      for (unsigned c = 0; c < kClients; c++) {
        if (request_[c]) offered_[c] = true;
      }
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(answered_, asked_) << "a request is lost";
  }

  struct Answer {
    std::optional<Request> request;
    unsigned beat = 0;
    bool offered = false, error = false;
    uint64_t data = 0;
  };

  struct Coming {
    std::map<unsigned, uint64_t> bits;  // by the lowest
    unsigned id = 0;
    bool last = false;
  };

  RtlBench<Vl2_network_top> bench_;
  Vl2_network_top& top_;
  std::mt19937_64& rng_;
  std::optional<Request> request_[kClients];
  bool offered_[kClients] = {};
  std::array<bool, 256> open_[kClients] = {};
  unsigned in_l2_[kClients] = {};
  std::vector<Request> waits_[kSlices][kClients];
  Answer answer_[kSlices][kClients];
  std::optional<unsigned> begun_[kClients][kLinks];  // of whose answer a link has taken some beats
  std::deque<Coming> coming_[kClients][kLinks];      // what it has taken and the client has not
  unsigned waited_[kSlices][kClients] = {};          // cycles
  unsigned passed_over_[kSlices][kClients] = {};
  uint64_t beats_from_[kSlices][kClients] = {};
  uint64_t asked_ = 0, answered_ = 0;
};

TEST_F(L2Network, RandomTraffic) {
  for (int round = 0; round < 60; round++) {
    const auto rate = [&] { return 1u << rng_() % 4; };
    const Rates r{rate(), rate(), rate(), rate()};
    for (int t = 0; t < 300; t++) {
      cycle(r);
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  drain();
  EXPECT_GT(answered_, 3000u);
}

TEST_F(L2Network, SlicesThatAnswerAllTheTimeHaveTurns) {
  for (int t = 0; t < 2000; t++) {
    cycle({1, 1, 1, 1});
    ASSERT_FALSE(HasFatalFailure());
  }
  for (unsigned c = 0; c < kClients; c++)
    for (unsigned s = 0; s < kSlices; s++)
      EXPECT_GT(beats_from_[s][c], 200u / kSlices) << "client " << c << ", slice " << s;
  drain();
}

// Lines a power of two apart, as those of a matrix's column, lie in all slices.
TEST_F(L2Network, LinesOfAnyStrideAreSpread) {
  for (unsigned shift = 0; shift < 20; shift++) {
    unsigned count[kSlices] = {};
    for (uint64_t n = 0; n < 256; n++) count[slice_of(1ull << 31 | n << shift << 2)]++;
    for (const unsigned n : count) EXPECT_EQ(n, 256 / kSlices) << "stride 2^" << shift;
  }
}

}  // namespace
}  // namespace heddle::test
