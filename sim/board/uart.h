// SPDX-License-Identifier: Apache-2.0
// The serial adapter's side of the two wires, 8N1, a whole number of clocks a bit. Call each once a
// clock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace heddle::board {

class UartSender {
 public:
  explicit UartSender(unsigned clocks_per_bit) : clocks_(clocks_per_bit) {}
  std::deque<uint8_t>& queue() { return queue_; }
  bool idle() const { return left_ == 0 && queue_.empty(); }
  // The wire in the next clock.
  bool step();

 private:
  unsigned clocks_, clock_ = 0, left_ = 0;
  uint32_t bits_ = 0;
  std::deque<uint8_t> queue_;
};

class UartReceiver {
 public:
  explicit UartReceiver(unsigned clocks_per_bit) : clocks_(clocks_per_bit) {}
  // A byte, in the clock of its stop bit's middle. A low stop bit: none.
  std::optional<uint8_t> step(bool wire);

 private:
  unsigned clocks_, clock_ = 0, bit_ = 0;
  bool receiving_ = false;
  uint32_t bits_ = 0;
};

}  // namespace heddle::board
