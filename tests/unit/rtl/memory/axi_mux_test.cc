// SPDX-License-Identifier: Apache-2.0
// Slices that read and write at random before a memory that answers in any order: each burst reaches the port once and
// whole, its data behind no other burst's address, and each answer its slice.
#include <algorithm>
#include <deque>
#include <type_traits>
#include <vector>

#include "Vaxi_mux.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kSlices = HEDDLE_SLICES, kSliceIdW = 4, kAddrW = 40;
constexpr unsigned kDataWords = sizeof(Vaxi_mux::m_axi_wdata_o) / 4;

template <typename Port>
uint64_t field(const Port& port, unsigned lsb, unsigned width) {
  uint64_t value = 0;
  for (unsigned b = 0; b < width; b++) value |= uint64_t{port_word(port, (lsb + b) / 32) >> (lsb + b) % 32 & 1} << b;
  return value;
}
template <typename Port>
void set_field(Port& port, unsigned lsb, unsigned width, uint64_t value) {
  for (unsigned b = 0; b < width; b++) {
    const unsigned at = lsb + b, bit = static_cast<unsigned>(value >> b & 1);
    if constexpr (std::is_integral_v<Port>) port = static_cast<Port>((port & ~(1ull << at)) | uint64_t{bit} << at);
    else port[at / 32] = (port[at / 32] & ~(1u << at % 32)) | bit << at % 32;
  }
}

struct Burst {
  uint64_t address = 0;
  unsigned len = 0, id = 0;  // len: beats - 1
  std::vector<uint32_t> data;
};

class AxiMux : public ::testing::Test {
 protected:
  AxiMux() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.awvalid_i = top_.wvalid_i = top_.arvalid_i = 0;
    top_.m_axi_bvalid_i = top_.m_axi_rvalid_i = 0;
    bench_.reset();
    bench_.settle();
  }

  struct Rates {
    unsigned write = 2, data = 2, read = 2, take = 2, answer = 2;  // one in so many cycles
  };

  Burst random_burst(bool data) {
    Burst b{rng_() & ((1ull << kAddrW) - 1), static_cast<unsigned>(rng_() % 8), static_cast<unsigned>(rng_() % 16), {}};
    for (unsigned n = 0; data && n <= b.len; n++) b.data.push_back(static_cast<uint32_t>(rng_()));
    return b;
  }

  void cycle(const Rates& r) {
    for (unsigned s = 0; s < kSlices; s++) {
      Slice& slice = slice_[s];
      // As the write-back buffer: the next address may stand before the last beat is taken, data follow their address.
      if (!slice.aw && slice.beats.size() <= 1 && bench_.one_in(r.write)) {
        slice.write = random_burst(true);
        slice.aw = true;
        for (unsigned n = 0; n <= slice.write.len; n++)
          slice.beats.push_back({slice.write.data[n], n == slice.write.len});
        slice.fresh = slice.beats.size() > slice.write.len + 1 ? 2 : 1;
      }
      if (!slice.w && !slice.beats.empty()) slice.w = (slice.fresh != 1) && bench_.one_in(r.data);
      if (slice.fresh == 1) slice.fresh = 0;
      if (!slice.ar && bench_.one_in(r.read)) {
        slice.read = random_burst(false);
        slice.ar = true;
      }
      set_field(top_.awvalid_i, s, 1, slice.aw);
      set_field(top_.awaddr_i, kAddrW * s, kAddrW, slice.write.address);
      set_field(top_.awlen_i, 8 * s, 8, slice.write.len);
      set_field(top_.awid_i, kSliceIdW * s, kSliceIdW, slice.write.id);
      set_field(top_.wvalid_i, s, 1, slice.w);
      for (unsigned w = 0; w < kDataWords; w++)
        set_field(top_.wdata_i, 32 * (kDataWords * s + w), 32, slice.w ? slice.beats.front().data + w : 0);
      set_field(top_.wstrb_i, 4 * kDataWords * s, 4 * kDataWords, slice.w ? ~uint64_t{slice.beats.front().data} : 0);
      set_field(top_.wlast_i, s, 1, slice.w && slice.beats.front().last);
      set_field(top_.arvalid_i, s, 1, slice.ar);
      set_field(top_.araddr_i, kAddrW * s, kAddrW, slice.read.address);
      set_field(top_.arlen_i, 8 * s, 8, slice.read.len);
      set_field(top_.arid_i, kSliceIdW * s, kSliceIdW, slice.read.id);
      set_field(top_.bready_i, s, 1, rng_() % 2);
      set_field(top_.rready_i, s, 1, rng_() % 2);
    }
    top_.m_axi_awready_i = bench_.one_in(r.take);
    top_.m_axi_wready_i = bench_.one_in(r.take);
    top_.m_axi_arready_i = bench_.one_in(r.take);
    drive(top_.m_axi_bvalid_i, top_.m_axi_bid_i, r.answer);
    drive(top_.m_axi_rvalid_i, top_.m_axi_rid_i, r.answer);
    bench_.settle();
    writes();
    if (HasFatalFailure()) return;
    reads();
    answer(top_.m_axi_bvalid_i, top_.m_axi_bid_i, top_.bvalid_o, top_.bready_i, top_.m_axi_bready_o, top_.bid_o);
    answer(top_.m_axi_rvalid_i, top_.m_axi_rid_i, top_.rvalid_o, top_.rready_i, top_.m_axi_rready_o, top_.rid_o);
    bench_.tick();
  }

  template <typename Valid, typename Id>
  void drive(Valid& valid, Id& id, unsigned rate) {
    valid = bench_.one_in(rate);
    id = static_cast<Id>(rng_() % (kSlices << kSliceIdW));
  }
  // To its slice alone, which says whether it takes it.
  void answer(bool valid, unsigned id, unsigned to, unsigned ready, bool taken, unsigned short_id) {
    const unsigned slice = id >> kSliceIdW;
    ASSERT_EQ(to, valid ? 1u << slice : 0u);
    ASSERT_EQ(taken, ready >> slice & 1);
    if (valid) {
      ASSERT_EQ(short_id, id & 15);
    }
  }

  void writes() {
    unsigned addresses = 0, beats = 0;
    for (unsigned s = 0; s < kSlices; s++) {
      Slice& slice = slice_[s];
      if (slice.aw && field(top_.awready_o, s, 1)) {
        ASSERT_TRUE(top_.m_axi_awvalid_o && top_.m_axi_awready_i);
        ASSERT_EQ(top_.m_axi_awid_o, s << kSliceIdW | slice.write.id);
        ASSERT_EQ(top_.m_axi_awaddr_o, slice.write.address);
        ASSERT_EQ(top_.m_axi_awlen_o, slice.write.len);
        addresses_.push_back(s);
        lengths_.push_back(slice.write.len);
        slice.aw = false;
        addresses++;
        for (unsigned o = 0; o < kSlices; o++)
          slice_[o].passed_over = o == s || !slice_[o].aw ? 0 : slice_[o].passed_over + 1;
        for (unsigned o = 0; o < kSlices; o++)
          ASSERT_LT(slice_[o].passed_over, kSlices) << "slice " << o << " waits too long";
      }
      if (slice.w && field(top_.wready_o, s, 1)) {
        ASSERT_TRUE(top_.m_axi_wvalid_o && top_.m_axi_wready_i);
        for (unsigned w = 0; w < kDataWords; w++)
          ASSERT_EQ(port_word(top_.m_axi_wdata_o, w), slice.beats.front().data + w);
        ASSERT_EQ(top_.m_axi_wstrb_o, field(top_.wstrb_i, 4 * kDataWords * s, 4 * kDataWords));
        ASSERT_EQ(top_.m_axi_wlast_o, slice.beats.front().last);
        data_.push_back({s, slice.beats.front().last});
        slice.beats.pop_front();
        slice.w = false;
        beats++;
        beats_++;
      }
    }
    ASSERT_EQ(addresses, top_.m_axi_awvalid_o && top_.m_axi_awready_i ? 1u : 0u);
    ASSERT_EQ(beats, top_.m_axi_wvalid_o && top_.m_axi_wready_i ? 1u : 0u);
    // The bursts' data come in the order of their addresses, each as long as its address says.
    while (!data_.empty() && !addresses_.empty()) {
      ASSERT_EQ(data_.front().slice, addresses_.front()) << "data with another slice's address";
      ASSERT_EQ(data_.front().last, beat_ == lengths_.front());
      beat_ = data_.front().last ? 0 : beat_ + 1;
      if (data_.front().last) {
        addresses_.pop_front();
        lengths_.pop_front();
        written_++;
      }
      data_.pop_front();
    }
    // What is offered stays.
    if (aw_waits_) {
      ASSERT_TRUE(top_.m_axi_awvalid_o);
      ASSERT_EQ(top_.m_axi_awid_o, aw_id_);
    }
    aw_waits_ = top_.m_axi_awvalid_o && !top_.m_axi_awready_i;
    aw_id_ = top_.m_axi_awid_o;
  }

  void reads() {
    unsigned taken = 0;
    for (unsigned s = 0; s < kSlices; s++) {
      Slice& slice = slice_[s];
      if (!slice.ar || !field(top_.arready_o, s, 1)) continue;
      ASSERT_EQ(top_.m_axi_arid_o, s << kSliceIdW | slice.read.id);
      ASSERT_EQ(top_.m_axi_araddr_o, slice.read.address);
      ASSERT_EQ(top_.m_axi_arlen_o, slice.read.len);
      slice.ar = false;
      taken++;
      read_++;
    }
    ASSERT_EQ(taken, top_.m_axi_arvalid_o && top_.m_axi_arready_i ? 1u : 0u);
    if (ar_waits_) {
      ASSERT_TRUE(top_.m_axi_arvalid_o);
      ASSERT_EQ(top_.m_axi_arid_o, ar_id_);
    }
    ar_waits_ = top_.m_axi_arvalid_o && !top_.m_axi_arready_i;
    ar_id_ = top_.m_axi_arid_o;
  }

  struct Beat {
    uint32_t data;
    bool last;
  };
  struct Slice {
    Burst write, read;
    bool aw = false, w = false, ar = false;  // offered
    unsigned fresh = 0;  // 1: the address came in this cycle, 2: behind the last beat of the burst before
    std::deque<Beat> beats;
    unsigned passed_over = 0;
  };
  struct Data {
    unsigned slice;
    bool last;
  };

  RtlBench<Vaxi_mux> bench_;
  Vaxi_mux& top_;
  std::mt19937_64& rng_;
  Slice slice_[kSlices];
  std::deque<unsigned> addresses_, lengths_;  // that the port took and whose data are not all there
  std::deque<Data> data_;
  unsigned beat_ = 0;
  bool aw_waits_ = false, ar_waits_ = false;
  unsigned aw_id_ = 0, ar_id_ = 0;
  uint64_t written_ = 0, beats_ = 0, read_ = 0;
};

TEST_F(AxiMux, RandomTraffic) {
  for (int round = 0; round < 100; round++) {
    const auto rate = [&] { return 1u << rng_() % 4; };
    const Rates r{rate(), rate(), rate(), rate(), rate()};
    for (int t = 0; t < 300; t++) {
      cycle(r);
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
  }
  for (int t = 0; t < 500; t++) cycle({1u << 30, 1, 1u << 30, 1, 1});
  for (const Slice& s : slice_) EXPECT_TRUE(!s.aw && !s.ar && s.beats.empty());
  EXPECT_TRUE(addresses_.empty() && data_.empty());
  EXPECT_GT(written_, 500u);
  EXPECT_GT(read_, 2000u);
}

// With all slices busy the port takes a beat, and an address to read, in each cycle.
TEST_F(AxiMux, LosesNoCycle) {
  for (int t = 0; t < 1000; t++) {
    cycle({1, 1, 1, 1, 1});
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_GT(read_, 990u);
  EXPECT_GT(beats_, 950u);
}

}  // namespace
}  // namespace heddle::test
