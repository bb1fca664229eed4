// SPDX-License-Identifier: Apache-2.0
// The last retirements of an SM, for the report of a mismatch.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/cosim/events.h"

namespace heddle::cosim {

struct Retirement {
  uint64_t cycle;
  uint64_t word;  // the instruction
  uint32_t pc;
  Mask mask;
  uint16_t seq;
  uint8_t warp;
  bool has_row;
  uint8_t rd;      // with the index added
  uint8_t lane;    // lowest of mask
  uint32_t value;  // of that lane
};

class History {
 public:
  void add(const Retirement& r) { items_[count_++ % items_.size()] = r; }
  // The last 32 of `warp`, oldest first; of the whole SM when warp is negative.
  std::string text(int warp) const;

 private:
  std::array<Retirement, 512> items_{};
  uint64_t count_ = 0;
};

}  // namespace heddle::cosim
