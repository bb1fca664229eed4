// SPDX-License-Identifier: Apache-2.0
// Which edges have come, in place of Verilator's array of a byte each. They are set as bytes and looked at as bits:
// what runs for any of many clocks (in a GPU of 16 SMs and 32 slices some functions wait for 50) then asks one or two
// words, not fifty bytes. Included before all that Verilator writes.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heddle::rtl {

// Verilator's code asks for any() between setting some and looking at them; there bytes become bits. What is joined of
// others is bits alone.
template <std::size_t Size>
class TriggerBits {
 public:
  class Trigger {
   public:
    Trigger(TriggerBits& all, std::size_t index) : all_(all), index_(index) {}
    operator bool() const { return (all_.bits_[index_ / 64] >> index_ % 64 & 1) != 0; }
    Trigger& operator=(bool value) {
      all_.bytes_[index_] = value;
      return *this;
    }

   private:
    TriggerBits& all_;
    std::size_t index_;
  };

  Trigger at(std::size_t index) { return Trigger(*this, index); }
  void clear() {
    joined_ = true;
    for (std::uint64_t& bits : bits_) bits = 0;
  }
  void set(const TriggerBits& other) {
    joined_ = true;
    for (std::size_t i = 0; i < kWords; i++) bits_[i] |= other.bits_[i];
  }
  void andNot(const TriggerBits& a, const TriggerBits& b) {
    joined_ = true;
    for (std::size_t i = 0; i < kWords; i++) bits_[i] = a.bits_[i] & ~b.bits_[i];
  }
  bool any() {
    if (!joined_) pack();
    std::uint64_t all = 0;
    for (const std::uint64_t bits : bits_) all |= bits;
    return all != 0;
  }

 private:
  void pack() {
    for (std::uint64_t& bits : bits_) bits = 0;
    for (std::size_t i = 0; i < kEights; i++) {
      std::uint64_t eight;
      std::memcpy(&eight, bytes_ + i * 8, 8);
      bits_[i / 8] |= (eight * 0x0102040810204080u >> 56) << i % 8 * 8;  // the product's highest byte has them all
    }
  }

  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  static constexpr std::size_t kEights = (Size + 7) / 8, kWords = (Size + 63) / 64;
  std::uint8_t bytes_[kEights * 8] = {};
  std::uint64_t bits_[kWords] = {};
  bool joined_ = false;
};

}  // namespace heddle::rtl

#define VlTriggerVec heddle::rtl::TriggerBits
