// SPDX-License-Identifier: Apache-2.0
// The three clients of an SM on one link, before an L2 that answers in any order; sectors in pieces (tiny) and whole
// (cc80), which come on two links there.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "Vmem_hub.h"
#include "tests/unit/rtl/memory/beats.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kPieces = 32 / sizeof(Vmem_hub::icache_rsp_data_o);
constexpr ReqBits kReq{kPieces, kPieces == 1 ? 6 : 3, kPieces == 1 ? 3 : 1};
constexpr RspBits kRsp{kPieces};
constexpr unsigned kLinks = sizeof(Vmem_hub::mem_rsp_i) * 8 < 2 * kRsp.bits() ? 1 : 2;
constexpr size_t kWords = (kReq.bits() + 31) / 32;
constexpr size_t kInFlight[] = {4, 1};  // instruction, constant cache
constexpr unsigned kNever = 1u << 30;

uint32_t word(uint64_t sector, unsigned w) { return static_cast<uint32_t>(sector * 0x9e3779b1u + w * 0x85ebca6bu); }

struct Request {
  unsigned kind, id;
  uint64_t sector;
  bool error = false, answered = false;
};
using ReqWords = std::array<uint32_t, kWords>;

class MemHub : public ::testing::Test {
 protected:
  MemHub() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.lsu_req_valid_i = top_.icache_req_valid_i = top_.const_req_valid_i = top_.mem_rsp_valid_i = 0;
    top_.mem_req_ready_i = 1;
    top_.lsu_rsp_ready_i = (1 << kLinks) - 1;
    bench_.reset();
    bench_.settle();
  }

  struct Rates {
    unsigned lsu = 2, icache = 4, constant = 4, ready = 3, answer = 2, lsu_ready = 3;
  };

  // Noise but for what tells the beats of a request apart.
  void new_lsu(unsigned kind) {
    unsigned id = static_cast<unsigned>(rng_() % 128);
    while (lsu_open_.contains(id)) id = (id + 1) % 128;
    const uint64_t sector = rng_() & 0x7ffffffff;
    const unsigned beats = beats_of_request(kPieces, kind);
    for (unsigned b = 0; b < beats; b++) {
      ReqWords bits;
      for (uint32_t& w : bits) w = static_cast<uint32_t>(rng_());
      if (kReq.bits() % 32 != 0) bits.back() &= (1u << kReq.bits() % 32) - 1;
      set_bits(bits, kReq.kind(), 2, kind);
      set_bits(bits, kReq.id(), kIdBits, id);
      set_bits(bits, kReq.sector(), 35, sector);
      set_bits(bits, kReq.piece(), kReq.piece_w(), b);
      set_bits(bits, kReq.last(), 1, b + 1 == beats);
      lsu_.push_back(bits);
    }
  }

  void cycle(const Rates& r) {
    if (lsu_.empty() && bench_.one_in(r.lsu) && lsu_open_.size() < 100) new_lsu(static_cast<unsigned>(rng_() % 3));
    // Idle cycles between beats; a beat that is offered stays.
    if (!lsu_.empty() && !lsu_offers_) lsu_offers_ = bench_.one_in(std::min(r.lsu, 4u));
    for (unsigned c = 0; c < 2; c++) {
      if (!offers_[c] && waits_[c].size() < kInFlight[c] && bench_.one_in(c ? r.constant : r.icache)) {
        // The instruction cache's places in turn: the next one's answer must have come.
        const auto taken = [&](const Request& q) { return (q.id & 3) == place_; };
        if (c == 0 && std::any_of(waits_[0].begin(), waits_[0].end(), taken)) continue;
        offers_[c] = true;
        sector_[c] = rng_() & 0x7ffffffff;
      }
    }
    top_.lsu_req_valid_i = lsu_offers_;
    for (unsigned w = 0; w < kWords; w++)
      top_.lsu_req_i[w] = lsu_.empty() ? static_cast<uint32_t>(rng_()) : lsu_.front()[w];
    top_.icache_req_valid_i = offers_[0];
    top_.icache_req_sector_i = sector_[0];
    top_.icache_req_place_i = static_cast<unsigned char>(place_);
    top_.const_req_valid_i = offers_[1];
    top_.const_req_sector_i = sector_[1];
    top_.mem_req_ready_i = !bench_.one_in(r.ready);
    top_.lsu_rsp_ready_i = top_.mem_rsp_valid_i = 0;
    for (unsigned p = 0; p < kLinks; p++) {
      top_.lsu_rsp_ready_i =
          static_cast<unsigned char>(top_.lsu_rsp_ready_i | unsigned{!bench_.one_in(r.lsu_ready)} << p);
      drive_answer(p, r.answer);
    }
    bench_.settle();
    requests();
    if (HasFatalFailure()) return;
    now_.reset();
    for (unsigned p = 0; p < kLinks; p++) {
      responses(p);
      if (HasFatalFailure()) return;
    }
    for (Link& link : links_) link.finish();
    cache_response(0, top_.icache_rsp_valid_o, top_.icache_rsp_error_o, top_.icache_rsp_piece_o,
                   top_.icache_rsp_data_o);
    cache_response(1, top_.const_rsp_valid_o, top_.const_rsp_error_o, top_.const_rsp_piece_o, top_.const_rsp_data_o);
    if (HasFatalFailure()) return;
    bench_.tick();
  }

  // Beats of one answer follow each other, with idle cycles.
  void drive_answer(unsigned p, unsigned gap) {
    Link& l = links_[p];
    if (!l.answer && !in_l2_.empty() && bench_.one_in(gap)) {
      const size_t n = rng_() % in_l2_.size();
      l.answer = in_l2_[n];
      l.answer->error = bench_.one_in(20);
      l.beat = 0;
      in_l2_.erase(in_l2_.begin() + static_cast<long>(n));
    }
    if (l.answer && !l.answering) {
      l.answering = l.beat == 0 || bench_.one_in(gap);
      l.rides = kPieces == 1 && l.answer->kind != kReqWrite && bench_.one_in(2);
    }
    if (!l.answering) return;
    top_.mem_rsp_valid_i = static_cast<unsigned char>(top_.mem_rsp_valid_i | 1u << p);
    const unsigned at = p * kRsp.bits();
    set_answer(top_.mem_rsp_i, at, kRsp, l.answer->kind, l.answer->id, l.answer->error);
    if (l.rides) {
      set_bits(top_.mem_rsp_i, at + kRsp.ack_valid(), 1, 1);
      set_bits(top_.mem_rsp_i, at + kRsp.ack_id(), 7, rng_());
    }
    set_bits(top_.mem_rsp_i, at + kRsp.piece(), kReq.piece_w(), l.beat);
    set_bits(top_.mem_rsp_i, at + kRsp.last(), 1, l.last_beat());
    for (unsigned w = 0; w < 8 / kPieces; w++)
      set_bits(top_.mem_rsp_i, at + kRsp.data() + 32 * w, 32, word(l.answer->sector, l.beat * 8 / kPieces + w));
  }

  void requests() {
    const bool ready = top_.mem_req_ready_i, lsu = lsu_offers_ && top_.lsu_req_ready_o;
    const bool icache = offers_[0] && top_.icache_req_ready_o, constant = offers_[1] && top_.const_req_ready_o;
    ASSERT_EQ(lsu + icache + constant, top_.mem_req_valid_o && ready ? 1 : 0) << "one beat a cycle, and none is lost";
    ASSERT_EQ(top_.mem_req_valid_o, lsu_offers_ || (!begun_ && (offers_[0] || offers_[1])));
    // The caches first, but not within a request of the load/store unit, and not before what waits.
    const unsigned first = begun_ || (held_ == 2 && lsu_offers_) ? 2
                           : held_ == 1                          ? 1
                           : offers_[0]                          ? 0
                           : offers_[1]                          ? 1
                                                                 : 2;
    if (ready && !begun_) {
      ASSERT_EQ(icache, first == 0 && offers_[0]);
      ASSERT_EQ(constant, first == 1);
    }
    held_ = top_.mem_req_valid_o && !ready ? first : 0;
    if (begun_) {
      ASSERT_FALSE(icache || constant) << "comes between the beats of a request";
    }
    if (!lsu && !icache && !constant) return;
    const Request r{static_cast<unsigned>(get_bits(top_.mem_req_o, kReq.kind(), 2)),
                    static_cast<unsigned>(get_bits(top_.mem_req_o, kReq.id(), kIdBits)),
                    get_bits(top_.mem_req_o, kReq.sector(), 35)};
    const bool last = get_bits(top_.mem_req_o, kReq.last(), 1);
    if (lsu) {
      for (unsigned w = 0; w < kWords; w++) ASSERT_EQ(top_.mem_req_o[w], lsu_.front()[w]) << "passed on as it is";
      lsu_.pop_front();
      lsu_offers_ = false;
      begun_ = !last;
      if (last) lsu_open_[r.id] = r;
    } else {
      const unsigned c = icache ? 0 : 1;
      ASSERT_EQ(r.kind, kReqRead);
      ASSERT_EQ(r.id, c ? 3u << (kIdBits - 2) : (1u << (kIdBits - 1)) + place_);
      ASSERT_EQ(r.sector, sector_[c]);
      ASSERT_TRUE(last && get_bits(top_.mem_req_o, kReq.piece(), kReq.piece_w()) == 0);
      ASSERT_EQ(get_bits(top_.mem_req_o, kReq.mask(), 4), 0u) << "one sector";
      waits_[c].push_back(r);
      offers_[c] = false;
      if (c == 0) place_ = (place_ + 1) % 4;
    }
    taken_[lsu ? 2 : icache ? 0 : 1]++;
    if (last) in_l2_.push_back(r);
  }

  void responses(unsigned p) {
    Link& l = links_[p];
    const bool to_lsu = l.answering && l.answer->id >> (kIdBits - 1) == 0;
    // A cache gets an answer a cycle.
    const bool second = p > 0 && l.answering && !to_lsu && links_[0].answering &&
                        links_[0].answer->id >> (kIdBits - 2) == l.answer->id >> (kIdBits - 2);
    seconds_ += second;
    ASSERT_EQ(top_.lsu_rsp_valid_o >> p & 1, to_lsu || (l.answering && l.rides && !second));
    const unsigned at = p * kRsp.bits();
    if (top_.lsu_rsp_valid_o >> p & 1) {
      // Beside a cache's answer an acknowledgement comes as if alone.
      for (unsigned b = 0; b < kRsp.bits(); b += 32) {
        const unsigned width = std::min(32u, kRsp.bits() - b);
        uint64_t given = get_bits(top_.mem_rsp_i, at + b, width);
        for (unsigned k = 0; k < 2 && !to_lsu; k++) {
          const unsigned bit = kRsp.kind() + k;
          if (bit >= b && bit < b + width)
            given = (given & ~(1ull << (bit - b))) | uint64_t{kReqWrite >> k & 1} << (bit - b);
        }
        ASSERT_EQ(get_bits(top_.lsu_rsp_o, at + b, width), given) << "passed on as it is";
      }
    }
    if (!l.answering) return;
    ASSERT_EQ(top_.mem_rsp_ready_o >> p & 1, to_lsu ? top_.lsu_rsp_ready_i >> p & 1 : !second);
    if (!(top_.mem_rsp_ready_o >> p & 1)) return;
    if (!to_lsu) now_ = {l.answer->id, l.beat};
    if (to_lsu && l.last_beat()) lsu_open_.erase(l.answer->id);
    for (auto& queue : waits_)
      for (Request& r : queue)
        if (r.id == l.answer->id) r.error = l.answer->error, r.answered = true;
    l.taken = true;
  }

  // Pieces come as L2 gives them, in the same cycle; whole sectors in the order asked, out of hub_reader.
  template <typename Data>
  void cache_response(unsigned c, bool valid, bool error, unsigned piece, const Data& data) {
    if constexpr (kPieces > 1) {
      ASSERT_EQ(valid, now_ && (now_->id >> 6) == 2 + c);
    }
    if (!valid) return;
    ASSERT_FALSE(waits_[c].empty()) << "answer to nobody";
    auto r = waits_[c].begin();
    if constexpr (kPieces > 1) {
      r = std::find_if(waits_[c].begin(), waits_[c].end(), [&](const Request& q) { return q.id == now_->id; });
      ASSERT_EQ(piece, now_->beat);
    }
    ASSERT_TRUE(r->answered) << "client " << c << " is answered out of order";
    if (c == 0) {
      ASSERT_EQ(top_.icache_rsp_place_o, r->id & 3);
    }
    ASSERT_EQ(error, r->error);
    for (unsigned w = 0; w < 8 / kPieces; w++) ASSERT_EQ(port_word(data, w), word(r->sector, piece * 8 / kPieces + w));
    if (piece + 1 == kPieces) waits_[c].erase(r);
  }

  void drain() {
    const Rates quiet{kNever, kNever, kNever, kNever, 1, kNever};
    while (!lsu_.empty() && !HasFatalFailure()) cycle({1, kNever, kNever, kNever, 1, kNever});
    for (int t = 0; t < 1000; t++) {
      cycle(quiet);
      if (HasFatalFailure()) return;
    }
    EXPECT_TRUE(in_l2_.empty() && lsu_open_.empty() && waits_[0].empty() && waits_[1].empty());
  }

  RtlBench<Vmem_hub> bench_;
  Vmem_hub& top_;
  std::mt19937_64& rng_;
  std::deque<ReqWords> lsu_;  // beats of the load/store unit's request
  bool lsu_offers_ = false, begun_ = false;
  bool offers_[2] = {};
  unsigned held_ = 0;  // offered and not taken: 0 the instruction cache, or nothing; 1, 2
  unsigned place_ = 0;
  uint64_t sector_[2] = {};
  std::vector<Request> in_l2_;
  std::map<unsigned, Request> lsu_open_;
  std::deque<Request> waits_[2];
  struct Link {
    std::optional<Request> answer;  // L2's, of which `beat` is next
    bool answering = false;         // and offered
    bool rides = false;             // beside an acknowledgement
    bool taken = false;             // in this cycle
    unsigned beat = 0;
    bool last_beat() const { return beat + 1 == beats_of_answer(kPieces, answer->kind); }
    void finish() {
      if (!taken) return;
      taken = answering = false;
      if (last_beat()) answer.reset();
      else beat++;
    }
  };
  Link links_[kLinks];
  unsigned seconds_ = 0;  // answers that wait for a cache's on the other link
  struct Now {
    unsigned id, beat;
  };
  std::optional<Now> now_;  // what a cache gets in this cycle
  uint64_t taken_[3] = {};  // beats
};

TEST_F(MemHub, CachesGoFirst) {
  const Rates all{1, 1, 1, kNever, kNever, kNever};
  for (int t = 0; t < 5; t++) cycle(all);
  EXPECT_EQ(taken_[0], 4u);
  EXPECT_EQ(taken_[1], 1u);
  EXPECT_EQ(taken_[2], 0u);
  for (int t = 0; t < 6; t++) cycle(all);
  EXPECT_EQ(taken_[2], 6u) << "with all in flight that they may have, the caches let others go";
  drain();
}

TEST_F(MemHub, ARequestThatHasBegunIsEndedFirst) {
  if (kPieces == 1) GTEST_SKIP() << "requests of one beat";
  const Rates lsu{1, kNever, kNever, kNever, kNever, kNever}, caches{kNever, 1, 1, kNever, kNever, kNever};
  new_lsu(kReqWrite);
  cycle(lsu);
  for (int t = 0; t < 5; t++) {
    lsu_offers_ = false;
    const std::deque<ReqWords> rest = std::exchange(lsu_, {});
    cycle(caches);
    lsu_ = rest;
  }
  EXPECT_EQ(taken_[0] + taken_[1], 0u);
  for (unsigned b = 1; b < kPieces; b++) cycle(lsu);
  EXPECT_EQ(taken_[2], kPieces);
  cycle(caches);
  EXPECT_EQ(taken_[0], 1u);
  drain();
}

TEST_F(MemHub, RandomTraffic) {
  for (int round = 0; round < 120; round++) {
    const auto rate = [&] { return 1u << rng_() % 4; };
    const Rates r{rate(), rate(), rate(), 2 + rate(), rate(), 2 + rate()};
    for (int t = 0; t < 500; t++) {
      cycle(r);
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  drain();
  for (const uint64_t n : taken_) EXPECT_GT(n, 500u);
  if (kLinks > 1) {
    EXPECT_GT(seconds_, 100u);
  }
}

}  // namespace
}  // namespace heddle::test
