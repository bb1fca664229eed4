// SPDX-License-Identifier: Apache-2.0
// The triggers of a model against a plain array of them.
#include "sim/verilator/trigger_bits.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace heddle::rtl {
namespace {

template <std::size_t Size>
void compare(std::uint32_t seed) {
  std::mt19937 rng(seed);
  std::array<bool, Size> a{}, b{};
  TriggerBits<Size> bits_a, bits_b, both, only;
  const std::uint32_t rare = 1 + rng() % (2 * Size);
  for (std::size_t i = 0; i < Size; i++) {
    bits_a.at(i) = a[i] = rng() % rare == 0;
    bits_b.at(i) = b[i] = rng() % rare == 0;
  }
  bool any_a = false, any_b = false;
  for (std::size_t i = 0; i < Size; i++) any_a |= a[i], any_b |= b[i];
  EXPECT_EQ(bits_a.any(), any_a);
  EXPECT_EQ(bits_b.any(), any_b);
  only.andNot(bits_a, bits_b);
  both.set(bits_a);
  both.set(bits_b);
  EXPECT_EQ(both.any(), any_a || any_b);
  for (std::size_t i = 0; i < Size; i++) {
    EXPECT_EQ(bits_a.at(i), a[i]) << i;
    EXPECT_EQ(only.at(i), a[i] && !b[i]) << i;
    EXPECT_EQ(both.at(i), a[i] || b[i]) << i;
  }
  both.clear();
  EXPECT_FALSE(both.any());
  for (std::size_t i = 0; i < Size; i++) EXPECT_FALSE(both.at(i)) << i;
}

TEST(TriggerBits, AreAsAnArray) {
  for (std::uint32_t seed = 0; seed < 200; seed++) {
    compare<1>(seed);
    compare<13>(seed);
    compare<64>(seed);
    compare<65>(seed);
    compare<130>(seed);
  }
}

}  // namespace
}  // namespace heddle::rtl
