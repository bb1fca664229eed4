// SPDX-License-Identifier: Apache-2.0
// Fields of packed structs in a verilated port. Verilator keeps a packed value as little-endian words, the
// struct's last member in the lowest bits.
#pragma once

#include <cstdint>

namespace heddle::test {

// gpu_pkg::settings_t, where its fields begin.
namespace settings_bits {
constexpr unsigned kL1 = 0, kYield = 1, kPolicy = 17, kMemEnd = 19, kCodeSize = 59, kCodeBase = 91, kCodeChanged = 131;
}

// Bits [lsb, lsb + width) of a wide port (an array of 32-bit words), width at most 64.
template <typename Words>
uint64_t get_bits(const Words& words, unsigned lsb, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++) {
    const unsigned bit = lsb + i;
    value |= static_cast<uint64_t>(words[bit / 32] >> (bit % 32) & 1) << i;
  }
  return value;
}

template <typename Words>
void set_bits(Words& words, unsigned lsb, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++) {
    const unsigned bit = lsb + i;
    const uint32_t mask = 1u << (bit % 32);
    words[bit / 32] = (words[bit / 32] & ~mask) | (static_cast<uint32_t>(value >> i & 1) << (bit % 32));
  }
}

}  // namespace heddle::test
