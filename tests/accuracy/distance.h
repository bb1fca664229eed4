// SPDX-License-Identifier: Apache-2.0
// The measure of the guide's tables: how many numbers of its type a result lies from the correctly
// rounded one.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace heddle::test {

// Beyond every distance between numbers.
constexpr int64_t kFar = INT64_MAX;

// 0 when equal, and between NaNs; infinity follows the largest number. kFar when only one is a NaN, or
// both are zeros of different signs.
template <typename T>
int64_t distance(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : kFar;
  if (a == 0 && b == 0) return std::signbit(a) == std::signbit(b) ? 0 : kFar;
  const auto order = [](T x) {
    const int64_t magnitude = std::bit_cast<Bits>(std::abs(x));
    return std::signbit(x) ? -magnitude : magnitude;
  };
  const bool apart = std::signbit(a) != std::signbit(b);  // of doubles, the difference may not fit
  return apart && sizeof(T) == 8 ? kFar - 1 : std::abs(order(a) - order(b));
}

}  // namespace heddle::test
