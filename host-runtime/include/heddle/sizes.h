// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sizes that come from outside. What does not fit into 64 bits becomes kTooLarge and stays it, so that
// the comparison with what there is, which follows anyway, refuses it.
#pragma once

#include <cstdint>

namespace heddle {

inline constexpr uint64_t kTooLarge = UINT64_MAX;

constexpr uint64_t add_sizes(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kTooLarge : sum;
}

constexpr uint64_t multiply_sizes(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kTooLarge : product;
}

// The next multiple of `step`, which is not 0.
constexpr uint64_t round_up(uint64_t size, uint64_t step) {
  const uint64_t above = add_sizes(size, step - 1);
  return above == kTooLarge ? kTooLarge : above / step * step;
}

}  // namespace heddle
