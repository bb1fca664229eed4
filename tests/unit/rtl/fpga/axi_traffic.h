// SPDX-License-Identifier: Apache-2.0
// Random AXI4 traffic as L2 makes it (bursts within a line of 128 bytes, a line read only when no write to it is
// under way) against a memory of bytes. For models with sdram_ctrl's s_axi ports, 64 bits wide.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {

template <class Model>
class AxiTraffic {
 public:
  static constexpr uint64_t kBase = 0x1000000000;
  static constexpr unsigned kBeat = 8;

  // Addresses are kBase + [0, bytes); one in `outside` bursts lies past `end` (the memory's size).
  AxiTraffic(RtlBench<Model>& bench, uint64_t end) : bench_(bench), top_(*bench.top), end_(end) {
    top_.s_axi_awvalid_i = top_.s_axi_wvalid_i = top_.s_axi_arvalid_i = 0;
    top_.s_axi_bready_i = top_.s_axi_rready_i = 1;
  }

  // Pauses: one in n cycles, 0: none.
  unsigned ask_pause = 0, w_pause = 0, r_pause = 0, b_pause = 0;
  unsigned outside = 0;       // one in n bursts
  unsigned lines = 64;        // few lines: the same rows again and again
  uint64_t spread = 1 << 14;  // bytes between lines
  bool asks = true;
  uint64_t reads = 0, writes = 0;

  void cycle() {
    const auto pauses = [&](unsigned n) { return n && bench_.one_in(n); };
    if (asks && !top_.s_axi_arvalid_i && reads_.size() < 6 && !pauses(ask_pause)) ask_read();
    if (asks && !top_.s_axi_awvalid_i && writes_.size() < 4 && !pauses(ask_pause)) ask_write();
    if (!top_.s_axi_wvalid_i && !beats_.empty() && !pauses(w_pause)) {
      top_.s_axi_wvalid_i = 1;
      top_.s_axi_wdata_i = beats_.front().data;
      top_.s_axi_wstrb_i = beats_.front().strobe;
    }
    top_.s_axi_rready_i = !pauses(r_pause);
    top_.s_axi_bready_i = !pauses(b_pause);
    bench_.settle();
    const bool ar = top_.s_axi_arvalid_i && top_.s_axi_arready_o, aw = top_.s_axi_awvalid_i && top_.s_axi_awready_o;
    const bool w = top_.s_axi_wvalid_i && top_.s_axi_wready_o;
    if (top_.s_axi_rvalid_o && top_.s_axi_rready_i) read_beat();
    if (top_.s_axi_bvalid_o && top_.s_axi_bready_i) write_end();
    bench_.tick();
    if (ar) top_.s_axi_arvalid_i = 0;
    if (aw) top_.s_axi_awvalid_i = 0;
    if (w) {
      top_.s_axi_wvalid_i = 0;
      beats_.pop_front();
    }
  }

  void drain() {
    asks = false;
    for (int i = 0; i < 20000 && !(reads_.empty() && writes_.empty()); i++) cycle();
    EXPECT_TRUE(reads_.empty() && writes_.empty()) << "bursts without an answer";
    asks = true;
  }

  // Everything asked is dropped, as by a reset of the GPU; lines being written then hold anything.
  void forget() {
    for (const Burst& b : writes_) unknown_.insert(b.address / 128);
    reads_.clear();
    writes_.clear();
    beats_.clear();
    top_.s_axi_awvalid_i = top_.s_axi_wvalid_i = top_.s_axi_arvalid_i = 0;
  }

 private:
  struct Burst {
    uint64_t address;
    unsigned beats, id, beat = 0;
    bool outside;
  };
  struct Beat {
    uint64_t data;
    uint8_t strobe;
  };

  Burst burst() {
    Burst b{};
    b.beats = 4 * (1 + static_cast<unsigned>(bench_.rng() % 4));
    const unsigned first = static_cast<unsigned>(bench_.rng() % (16 - b.beats + 1)) / 4 * 4;
    b.outside = outside && bench_.one_in(outside);
    const uint64_t line = (bench_.rng() % lines) * spread % end_ / 128;
    b.address = kBase + 128 * line + kBeat * first + (b.outside ? end_ : 0);
    b.id = static_cast<unsigned>(bench_.rng() % 16);
    return b;
  }

  bool busy(uint64_t address) const {
    return std::any_of(writes_.begin(), writes_.end(),
                       [&](const Burst& b) { return b.address / 128 == address / 128; });
  }

  void ask_read() {
    const Burst b = burst();
    if (busy(b.address) || unknown_.count(b.address / 128)) return;
    top_.s_axi_arvalid_i = 1;
    top_.s_axi_araddr_i = b.address;
    top_.s_axi_arlen_i = static_cast<uint8_t>(b.beats - 1);
    top_.s_axi_arid_i = static_cast<uint8_t>(b.id);
    reads_.push_back(b);
  }

  void ask_write() {
    const Burst b = burst();
    if (busy(b.address)) return;
    for (const Burst& r : reads_)
      if (r.address / 128 == b.address / 128) return;
    top_.s_axi_awvalid_i = 1;
    top_.s_axi_awaddr_i = b.address;
    top_.s_axi_awlen_i = static_cast<uint8_t>(b.beats - 1);
    top_.s_axi_awid_i = static_cast<uint8_t>(b.id);
    for (unsigned n = 0; n < b.beats; n++) {
      const Beat beat{bench_.rng(), static_cast<uint8_t>(bench_.one_in(3) ? bench_.rng() : 0xff)};
      beats_.push_back(beat);
      for (unsigned i = 0; i < kBeat && !b.outside; i++)
        if (beat.strobe >> i & 1) memory_[b.address + kBeat * n + i] = static_cast<uint8_t>(beat.data >> (8 * i));
    }
    writes_.push_back(b);
  }

  void read_beat() {
    ASSERT_FALSE(reads_.empty()) << "data nobody asked for";
    Burst& b = reads_.front();
    ASSERT_EQ(top_.s_axi_rid_o, b.id);
    ASSERT_EQ(top_.s_axi_rresp_o, b.outside ? 3 : 0);
    ASSERT_EQ(top_.s_axi_rlast_o, b.beat + 1 == b.beats);
    for (unsigned i = 0; i < kBeat && !b.outside; i++) {
      const auto at = memory_.find(b.address + kBeat * b.beat + i);
      if (at != memory_.end()) {
        ASSERT_EQ(top_.s_axi_rdata_o >> (8 * i) & 0xff, at->second) << std::hex << "address " << at->first;
      }
    }
    if (++b.beat == b.beats) {
      reads_.pop_front();
      reads++;
    }
  }

  void write_end() {
    ASSERT_FALSE(writes_.empty()) << "an answer to no write";
    ASSERT_EQ(top_.s_axi_bid_o, writes_.front().id);
    ASSERT_EQ(top_.s_axi_bresp_o, writes_.front().outside ? 3 : 0);
    writes_.pop_front();
    writes++;
  }

  RtlBench<Model>& bench_;
  Model& top_;
  uint64_t end_;
  std::deque<Burst> reads_, writes_;  // asked, not answered
  std::deque<Beat> beats_;
  std::map<uint64_t, uint8_t> memory_;
  std::set<uint64_t> unknown_;  // lines
};

}  // namespace heddle::test
