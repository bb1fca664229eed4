// SPDX-License-Identifier: Apache-2.0
// The order in which lanes of a warp that meet in shared memory take their turns at an operation of 64 bits that
// silicon has no instruction for: all but exchange, and compare and swap. It is a loop there:
//
//   all lanes that wait read their words, and compute
//   those of min and max whose word would stay as it is have done
//   lanes 0 to 15 try to swap, then lanes 16 to 31; in each half, of the lanes whose words lie in one of the 16 banks
//   of eight bytes only the lowest tries; it has done if its word still holds what it read
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>

namespace heddle::test {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kAbsent = 0xffffffff;  // where a lane that is not active has its word

struct WarpAtomic {
  std::function<uint64_t(uint64_t word, uint64_t value)> apply;
  bool leaves = false;  // min, max
};

struct WarpWords {
  std::array<uint32_t, kLanes> at{};  // each lane's word: bytes from the beginning
  std::array<uint64_t, kLanes> value{}, returned{};
  std::map<uint32_t, uint64_t> memory{};

  bool operator==(const WarpWords&) const = default;
};

inline void take_turn(WarpWords& warp, uint32_t lane, const WarpAtomic& atomic) {
  uint64_t& word = warp.memory[warp.at[lane]];
  warp.returned[lane] = word;
  word = atomic.apply(word, warp.value[lane]);
}

inline void in_silicons_loop(WarpWords& warp, const WarpAtomic& atomic) {
  constexpr uint32_t kHalf = 16, kBanks = 16, kBankBytes = 8;
  uint32_t waiting = 0;
  for (uint32_t lane = 0; lane < kLanes; lane++) waiting |= uint32_t{warp.at[lane] != kAbsent} << lane;
  while (waiting) {
    std::array<uint64_t, kLanes> read{};
    for (uint32_t lane = 0; lane < kLanes; lane++) {
      if (~waiting >> lane & 1) continue;
      read[lane] = warp.memory[warp.at[lane]];
      if (!atomic.leaves || atomic.apply(read[lane], warp.value[lane]) != read[lane]) continue;
      warp.returned[lane] = read[lane];
      waiting &= ~(1u << lane);
    }
    uint32_t tries = waiting, taken = 0;
    for (uint32_t lane = 0; lane < kLanes; lane++) {
      if (lane % kHalf == 0) taken = 0;
      if (~tries >> lane & 1) continue;
      const uint32_t bank = 1u << warp.at[lane] / kBankBytes % kBanks;
      if (taken & bank) continue;
      taken |= bank;
      if (warp.memory[warp.at[lane]] != read[lane]) continue;
      take_turn(warp, lane, atomic);
      waiting &= ~(1u << lane);
    }
  }
}

inline void ascending(WarpWords& warp, const WarpAtomic& atomic) {
  for (uint32_t lane = 0; lane < kLanes; lane++)
    if (warp.at[lane] != kAbsent) take_turn(warp, lane, atomic);
}

// Of two NaNs memory's counts; it is made quiet.
inline uint64_t sum_of_f64(uint64_t word, uint64_t value) {
  constexpr uint64_t kQuiet = uint64_t{1} << 51, kInvalid = 0xfff8000000000000;
  const double a = std::bit_cast<double>(word), b = std::bit_cast<double>(value), sum = a + b;
  return std::isnan(a)     ? word | kQuiet
         : std::isnan(b)   ? value | kQuiet
         : std::isnan(sum) ? kInvalid
                           : std::bit_cast<uint64_t>(sum);
}

inline uint64_t greater_s64(uint64_t word, uint64_t value) {
  return static_cast<int64_t>(word) < static_cast<int64_t>(value) ? value : word;
}

}  // namespace heddle::test
