// SPDX-License-Identifier: Apache-2.0
// The three clients of an SM on one link, before an L2 that answers in any order.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <vector>

#include "Vmem_hub.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

// mem_pkg::req_t of preset tiny, from its last bit: lane 5, seq 16, warp 3, atom_sign, atom_op 4, wide,
// offset 5, data 256, mask 32, sector 35, id 8, kind 2. rsp_t: data 256, error, id 8, kind 2.
constexpr unsigned kReqSector = 323, kReqId = 358, kReqKind = 366, kReqBits = 368;
constexpr unsigned kRspError = 256, kRspId = 257, kRspKind = 265;
constexpr unsigned kRead = 0;
constexpr size_t kInFlight[] = {4, 1};   // instruction, constant cache

struct Request {
  unsigned kind, id;
  uint64_t sector;
  bool error;
};

class MemHub : public ::testing::Test {
 protected:
  MemHub() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.lsu_req_valid_i = top_.icache_req_valid_i = top_.const_req_valid_i = top_.mem_rsp_valid_i = 0;
    top_.mem_req_ready_i = top_.lsu_rsp_ready_i = 1;
    bench_.reset();
    bench_.settle();
  }

  struct Rates {
    unsigned lsu = 2, icache = 4, constant = 4, ready = 3, answer = 2, lsu_ready = 3;
  };

  static uint32_t word(uint64_t sector, unsigned w) { return static_cast<uint32_t>(sector * 0x9e3779b1u + w * 0x85ebca6bu); }

  void new_lsu() {
    for (unsigned w = 0; w < (kReqBits + 31) / 32; w++) lsu_bits_[w] = static_cast<uint32_t>(rng_());
    lsu_bits_[(kReqBits - 1) / 32] &= (1u << kReqBits % 32) - 1;
    unsigned id = static_cast<unsigned>(rng_() % 128);
    while (lsu_open_.contains(id)) id = (id + 1) % 128;
    set_bits(lsu_bits_, kReqId, 8, id);
    set_bits(lsu_bits_, kReqKind, 2, rng_() % 3);
    lsu_offers_ = true;
  }

  void cycle(const Rates& r) {
    if (!lsu_offers_ && bench_.one_in(r.lsu) && lsu_open_.size() < 100) new_lsu();
    for (unsigned c = 0; c < 2; c++) {
      if (!offers_[c] && bench_.one_in(c ? r.constant : r.icache)) {
        offers_[c] = true;
        sector_[c] = rng_() & 0x7ffffffff;
      }
    }
    top_.lsu_req_valid_i = lsu_offers_;
    for (unsigned w = 0; w < lsu_bits_.size(); w++) top_.lsu_req_i[w] = lsu_bits_[w];
    top_.icache_req_valid_i = offers_[0];
    top_.icache_req_sector_i = sector_[0];
    top_.const_req_valid_i = offers_[1];
    top_.const_req_sector_i = sector_[1];
    top_.mem_req_ready_i = !bench_.one_in(r.ready);
    top_.lsu_rsp_ready_i = !bench_.one_in(r.lsu_ready);
    if (!answering_ && !in_l2_.empty() && bench_.one_in(r.answer)) {
      const size_t n = rng_() % in_l2_.size();
      answer_ = in_l2_[n];
      answer_.error = bench_.one_in(20);
      in_l2_.erase(in_l2_.begin() + static_cast<long>(n));
      answering_ = true;
    }
    top_.mem_rsp_valid_i = answering_;
    if (answering_) {
      set_bits(top_.mem_rsp_i, kRspKind, 2, answer_.kind);
      set_bits(top_.mem_rsp_i, kRspId, 8, answer_.id);
      set_bits(top_.mem_rsp_i, kRspError, 1, answer_.error);
      for (unsigned w = 0; w < 8; w++) top_.mem_rsp_i[w] = word(answer_.sector, w);
    }
    bench_.settle();
    requests();
    if (HasFatalFailure()) return;
    responses();
    if (HasFatalFailure()) return;
    bench_.tick();
    bench_.settle();
    cache_response(0, top_.icache_rsp_valid_o, top_.icache_rsp_error_o, top_.icache_rsp_data_o);
    cache_response(1, top_.const_rsp_valid_o, top_.const_rsp_error_o, top_.const_rsp_data_o);
  }

  void requests() {
    const bool ready = top_.mem_req_ready_i;
    const unsigned taken = (top_.lsu_req_valid_i && top_.lsu_req_ready_o) + (offers_[0] && top_.icache_req_ready_o) +
                           (offers_[1] && top_.const_req_ready_o);
    ASSERT_EQ(taken, top_.mem_req_valid_o && ready ? 1u : 0u) << "one request a cycle, and none is lost";
    // The caches first, as far as they have room.
    for (unsigned c = 0; c < 2; c++)
      if (ready && offers_[c] && waits_[c].size() < kInFlight[c] && !(c == 1 && offers_[0] && waits_[0].size() < kInFlight[0])) {
        ASSERT_TRUE(c ? top_.const_req_ready_o : top_.icache_req_ready_o) << "cache waits for others";
      }
    if (taken == 0) return;
    Request r{static_cast<unsigned>(get_bits(top_.mem_req_o, kReqKind, 2)), static_cast<unsigned>(get_bits(top_.mem_req_o, kReqId, 8)),
              get_bits(top_.mem_req_o, kReqSector, 35), false};
    if (top_.lsu_req_valid_i && top_.lsu_req_ready_o) {
      for (unsigned w = 0; w < lsu_bits_.size(); w++) ASSERT_EQ(top_.mem_req_o[w], lsu_bits_[w]) << "passed on as it is";
      lsu_open_[r.id] = r;
      lsu_offers_ = false;
      taken_[2]++;
    } else {
      const unsigned c = offers_[0] && top_.icache_req_ready_o ? 0 : 1;
      ASSERT_EQ(r.kind, kRead);
      ASSERT_EQ(r.id & 0xc0, c ? 0xc0u : 0x80u);
      ASSERT_EQ(r.sector, sector_[c]);
      ASSERT_LT(waits_[c].size(), kInFlight[c]) << "at most so many in flight";
      for (const Request& other : in_l2_) ASSERT_NE(other.id, r.id) << "id in use";
      waits_[c].push_back(r);
      offers_[c] = false;
      taken_[c]++;
    }
    in_l2_.push_back(r);
  }

  void responses() {
    const bool to_lsu = answering_ && answer_.id < 128;
    ASSERT_EQ(top_.lsu_rsp_valid_o, to_lsu);
    if (to_lsu) {
      ASSERT_EQ(get_bits(top_.lsu_rsp_o, kRspId, 8), answer_.id);
      ASSERT_EQ(get_bits(top_.lsu_rsp_o, kRspKind, 2), answer_.kind);
      ASSERT_EQ(get_bits(top_.lsu_rsp_o, kRspError, 1), answer_.error);
      for (unsigned w = 0; w < 8; w++) ASSERT_EQ(top_.lsu_rsp_o[w], word(answer_.sector, w));
    }
    if (!answering_) return;
    ASSERT_EQ(top_.mem_rsp_ready_o, !to_lsu || top_.lsu_rsp_ready_i);
    if (!top_.mem_rsp_ready_o) return;
    if (to_lsu) {
      lsu_open_.erase(answer_.id);
    } else {
      for (auto& queue : waits_)
        for (Request& r : queue)
          if (r.id == answer_.id) r.error = answer_.error, answered_.push_back(r.id);
    }
    answering_ = false;
  }

  template <typename Words>
  void cache_response(unsigned c, bool valid, bool error, const Words& data) {
    if (!valid) return;
    ASSERT_FALSE(waits_[c].empty()) << "answer to nobody";
    const Request r = waits_[c].front();
    waits_[c].pop_front();
    const auto here = std::find(answered_.begin(), answered_.end(), r.id);
    ASSERT_NE(here, answered_.end()) << "client " << c << " is answered out of order";
    answered_.erase(here);
    ASSERT_EQ(error, r.error);
    for (unsigned w = 0; w < 8; w++) ASSERT_EQ(data[w], word(r.sector, w));
  }

  void drain() {
    Rates quiet{1u << 30, 1u << 30, 1u << 30, 1u << 30, 1, 1u << 30};
    for (int t = 0; t < 1000; t++) {
      cycle(quiet);
      if (HasFatalFailure()) return;
    }
    EXPECT_TRUE(in_l2_.empty() && lsu_open_.empty() && waits_[0].empty() && waits_[1].empty());
    EXPECT_FALSE(top_.busy_o);
  }

  RtlBench<Vmem_hub> bench_;
  Vmem_hub& top_;
  std::mt19937_64& rng_;
  bool lsu_offers_ = false, offers_[2] = {}, answering_ = false;
  std::array<uint32_t, (kReqBits + 31) / 32> lsu_bits_{};
  uint64_t sector_[2] = {};
  std::vector<Request> in_l2_;
  std::map<unsigned, Request> lsu_open_;
  std::deque<Request> waits_[2];
  std::vector<unsigned> answered_;
  Request answer_{};
  uint64_t taken_[3] = {};
};

TEST_F(MemHub, CachesGoFirst) {
  for (int t = 0; t < 5; t++) cycle({1, 1, 1, 1u << 30, 1u << 30, 1u << 30});
  EXPECT_EQ(taken_[0], 4u);
  EXPECT_EQ(taken_[1], 1u);
  EXPECT_EQ(taken_[2], 0u);
  for (int t = 0; t < 6; t++) cycle({1, 1, 1, 1u << 30, 1u << 30, 1u << 30});
  EXPECT_EQ(taken_[2], 6u) << "with all in flight that they may have, the caches let others go";
  drain();
}

TEST_F(MemHub, RandomTraffic) {
  for (int round = 0; round < 40; round++) {
    const auto rate = [&] { return 1u << rng_() % 4; };
    const Rates r{rate(), rate(), rate(), 2 + rate(), rate(), 2 + rate()};
    for (int t = 0; t < 500; t++) {
      cycle(r);
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  drain();
  for (const uint64_t n : taken_) EXPECT_GT(n, 500u);
}

}  // namespace
}  // namespace heddle::test
