// SPDX-License-Identifier: Apache-2.0
// Random HMMA and IMMA that reach what is rare in the arithmetic: each tile is of one of the styles
// below.
#ifndef HEDDLE_TESTS_UNIT_RTL_TENSOR_MMA_RANDOM_H_
#define HEDDLE_TESTS_UNIT_RTL_TENSOR_MMA_RANDOM_H_

#include <cstdint>
#include <random>

#include "tests/unit/rtl/tensor/mma_tile.h"

namespace heddle::test {

enum class MmaStyle {
  Ordinary,     // exponents about 1, and somewhat apart
  Smallest,     // sums near 2^-149 and 2^-126; C often a zero of either sign
  Cancelling,   // products in pairs of opposite signs, equal but for a last place here and there
  FarAddend,    // C from 36 places above the products to 36 below
  Ties,         // few significant bits: sums in the middle between two f16
  Overflowing,  // sums near the largest number
  OneProduct,   // one factor of A in a row is not zero
  Zeros,        // zeros of both signs, C zero or the smallest numbers
  Special,      // NaN and infinity here and there
};
inline constexpr int kMmaStyles = 9;

class MmaRandom {
 public:
  explicit MmaRandom(std::uint64_t seed) : random_(seed) {}

  // Any legal instruction and style. Registers that it does not read hold anything, of floats often
  // NaN.
  MmaTile tile();

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  int within(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1))); }
  std::uint32_t number(const MmaNumberFormat& f, int exponent);
  std::uint32_t zero(const MmaNumberFormat& f) { return below(2) << (f.exponent + f.fraction); }
  void floats(MmaTile& t);
  void integers(MmaTile& t);
  template <class Make>
  void fill(WarpRows& rows, int count, int bits, Make make);

  std::mt19937_64 random_;
  MmaStyle style_ = MmaStyle::Ordinary;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_TENSOR_MMA_RANDOM_H_
