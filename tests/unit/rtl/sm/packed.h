// SPDX-License-Identifier: Apache-2.0
// SystemVerilog packed structs for C++: fields in the order of the declaration, the first one in the uppermost bits.
#ifndef HEDDLE_TESTS_UNIT_RTL_SM_PACKED_H_
#define HEDDLE_TESTS_UNIT_RTL_SM_PACKED_H_

#include <cstdint>
#include <vector>

namespace heddle::test {

// Collects fields, then stores them into a Verilator port (scalar or words).
class Pack {
 public:
  Pack& operator()(std::uint64_t value, int width) {
    for (int i = width - 1; i >= 0; i--) bits_.push_back(i < 64 && (value >> i & 1) != 0);
    return *this;
  }
  template <typename Words>
  void to_words(Words& words) const {
    const std::size_t n = bits_.size();
    for (std::size_t w = 0; w < (n + 31) / 32; w++) {
      std::uint32_t word = 0;
      for (std::size_t i = 0; i < 32 && 32 * w + i < n; i++) word |= std::uint32_t{bits_[n - 1 - (32 * w + i)]} << i;
      words[w] = word;
    }
  }
  std::uint64_t to_scalar() const {
    std::uint64_t value = 0;
    for (const bool bit : bits_) value = value << 1 | bit;
    return value;
  }
  std::size_t width() const { return bits_.size(); }

 private:
  std::vector<bool> bits_;  // uppermost first
};

// Takes fields out of a port of `width` bits, the uppermost first.
template <typename Words>
class Unpack {
 public:
  Unpack(const Words& words, int width) : words_(words), at_(width) {}
  std::uint64_t operator()(int width) {
    std::uint64_t value = 0;
    for (int i = 0; i < width; i++) {
      at_--;
      value = value << 1 | (words_[at_ / 32] >> (at_ % 32) & 1);
    }
    return value;
  }
  void skip(int width) { at_ -= width; }

 private:
  const Words& words_;
  int at_;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_SM_PACKED_H_
