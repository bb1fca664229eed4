// SPDX-License-Identifier: Apache-2.0
// uart_tx into uart_rx, and uart_rx alone against lines with noise, wrong rates and broken bytes.
#include <cmath>
#include <deque>
#include <vector>

#include "Vuart_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr double kClocksPerBit = static_cast<double>(HEDDLE_CLOCKHZ_VALUE) / HEDDLE_BAUD_VALUE;

class Uart : public ::testing::Test {
 protected:
  Uart() : bench_(seed()), top_(*bench_.top) {
    top_.valid_i = 0;
    top_.rxd_i = 1;
    bench_.reset();
    for (int i = 0; i < 20; i++) cycle(true);
  }
  // One clock with the wire as it is; `loop`: the wire is what the transmitter sends.
  void cycle(bool wire) {
    top_.rxd_i = wire;
    bench_.settle();
    bench_.tick();
    bench_.settle();
    if (top_.rx_valid_o) got_.push_back(top_.rx_data_o);
    if (top_.rx_error_o) errors_++;
  }
  // The bits of a byte at a rate of `scale` times ours, beginning at any fraction of a clock. Each clock shows the wire
  // as it is at its middle; one in `noise` clocks shows the opposite, never two of four.
  void wire(uint16_t bits, int count, double scale = 1, unsigned noise = 0) {
    const double per_bit = kClocksPerBit / scale;
    while (time_ + 0.5 < per_bit * count) {
      const int bit = static_cast<int>((time_ + 0.5) / per_bit);
      const bool flip = noise && ++since_flip_ > 3 && bench_.one_in(noise);
      if (flip) since_flip_ = 0;
      cycle((bits >> bit & 1) != flip);
      time_ += 1;
    }
    time_ -= per_bit * count;
  }
  static uint16_t frame(uint8_t byte) { return static_cast<uint16_t>(0x200 | byte << 1); }
  void rest(double bits = 3) { wire(0xffff, static_cast<int>(bits)); }

  RtlBench<Vuart_top> bench_;
  Vuart_top& top_;
  std::vector<uint8_t> got_;
  int errors_ = 0;
  double time_ = 0;
  int since_flip_ = 0;
};

TEST_F(Uart, EveryByteArrivesThroughBoth) {
  std::deque<uint8_t> sent;
  std::vector<uint8_t> all;
  uint64_t cycles = 0;
  for (int n = 0; n < 600;) {
    if (!top_.valid_i && !bench_.one_in(3)) {
      top_.valid_i = 1;
      top_.data_i = static_cast<uint8_t>(n < 256 ? n : static_cast<int>(bench_.rng() & 0xff));
    }
    bench_.settle();
    const bool taken = top_.valid_i && top_.ready_o;
    const uint8_t byte = top_.data_i;
    cycle(top_.txd_o);
    cycles++;
    if (!taken) continue;
    all.push_back(byte);
    top_.valid_i = 0;
    n++;
  }
  for (int i = 0; i < 12 * kClocksPerBit; i++) cycle(top_.txd_o);
  EXPECT_EQ(got_, all);
  EXPECT_EQ(errors_, 0);
  // No byte takes longer than ten bits and a pause of a few clocks.
  EXPECT_LT(static_cast<double>(cycles), 600 * (10 * kClocksPerBit + 4));
}

TEST_F(Uart, TheTransmittersBitsLastAsLongAsTheyShould) {
  top_.valid_i = 1;
  top_.data_i = 0x55;  // the wire changes with each bit
  bool before = true;
  std::vector<double> edges;
  for (int t = 0; t < 400 * kClocksPerBit; t++) {
    bench_.settle();
    cycle(top_.txd_o);
    if (top_.txd_o != before) edges.push_back(t);
    before = top_.txd_o;
  }
  ASSERT_GT(edges.size(), 350u);
  for (size_t i = 1; i < edges.size(); i++) ASSERT_NEAR(edges[i] - edges[i - 1], kClocksPerBit, 1.0);
  EXPECT_NEAR((edges.back() - edges.front()) / static_cast<double>(edges.size() - 1), kClocksPerBit,
              0.02 * kClocksPerBit);
}

// Two percent; at four clocks a bit, where a clock is a quarter of a bit, half a percent.
TEST_F(Uart, RatesThatAreOffAreUnderstood) {
  const double off = kClocksPerBit < 8 ? 0.005 : 0.02;
  for (const double scale : {1 - off, 1.0, 1 + off}) {
    got_.clear();
    std::vector<uint8_t> sent;
    for (int n = 0; n < 300; n++) {
      sent.push_back(static_cast<uint8_t>(bench_.rng()));
      wire(frame(sent.back()), 10, scale);
      if (bench_.one_in(4)) rest();
    }
    rest();
    EXPECT_EQ(got_, sent) << scale;
  }
  EXPECT_EQ(errors_, 0);
}

TEST_F(Uart, SingleWrongSamplesAreOutvoted) {
  if (kClocksPerBit < 8) GTEST_SKIP() << "at four clocks a bit the three samples reach from edge to edge";
  std::vector<uint8_t> sent;
  for (int n = 0; n < 300; n++) {
    sent.push_back(static_cast<uint8_t>(bench_.rng()));
    wire(0xffff, 2);
    wire(0, 1);  // a clean start bit, then noise
    wire(static_cast<uint16_t>(0x100 | sent.back()), 9, 1, 6);
    wire(0xffff, 2);
  }
  EXPECT_EQ(got_, sent);
}

TEST_F(Uart, AGlitchIsNoStartBit) {
  for (int n = 0; n < 50; n++) {
    cycle(false);
    rest(12);
  }
  EXPECT_TRUE(got_.empty());
  wire(frame(0x5a), 10);
  rest();
  EXPECT_EQ(got_, std::vector<uint8_t>{0x5a});
}

TEST_F(Uart, ALowStopBitIsToldAndTheNextByteIsWhole) {
  wire(static_cast<uint16_t>(0x33 << 1), 10);  // no stop bit
  wire(0, 30);                                 // a break
  rest();
  EXPECT_TRUE(got_.empty());
  EXPECT_EQ(errors_, 1);
  wire(frame(0xc4), 10);
  rest();
  EXPECT_EQ(got_, std::vector<uint8_t>{0xc4});
}

}  // namespace
}  // namespace heddle::test
