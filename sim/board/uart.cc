// SPDX-License-Identifier: Apache-2.0
#include "sim/board/uart.h"

namespace heddle::board {

bool UartSender::step() {
  if (left_ == 0) {
    if (queue_.empty()) return true;
    bits_ = 0x200u | uint32_t{queue_.front()} << 1;  // start bit low, then the byte, then stop
    queue_.pop_front();
    left_ = 10;
    clock_ = 0;
  }
  const bool wire = bits_ & 1;
  if (++clock_ == clocks_) {
    clock_ = 0;
    bits_ >>= 1;
    --left_;
  }
  return wire;
}

std::optional<uint8_t> UartReceiver::step(bool wire) {
  if (!receiving_) {
    if (wire) return {};
    receiving_ = true;
    clock_ = bit_ = 0;
    bits_ = 0;
  }
  if (clock_ == clocks_ / 2) {
    if (bit_ == 0 && wire) {  // a glitch
      receiving_ = false;
      return {};
    }
    if (bit_ >= 1 && bit_ <= 8) bits_ |= uint32_t{wire} << (bit_ - 1);
    if (bit_ == 9) {
      receiving_ = false;
      if (wire) return static_cast<uint8_t>(bits_);
      return {};
    }
  }
  if (++clock_ == clocks_) {
    clock_ = 0;
    ++bit_;
  }
  return {};
}

}  // namespace heddle::board
