// SPDX-License-Identifier: Apache-2.0
// One HMMA or IMMA: its operand registers in all lanes, and what it gives, by arithmetic in 128-bit
// integers on matrices laid out by the words of the PTX manual.
#ifndef HEDDLE_TESTS_UNIT_RTL_TENSOR_MMA_TILE_H_
#define HEDDLE_TESTS_UNIT_RTL_TENSOR_MMA_TILE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace heddle::test {

using WarpRow = std::array<std::uint32_t, 32>;
using WarpRows = std::array<WarpRow, 4>;

// A binary floating point format: bits of exponent and fraction, bits it takes in a register, how
// many of them lie unused below.
struct MmaNumberFormat {
  int exponent, fraction, bits, unused;
  int bias() const { return (1 << (exponent - 1)) - 1; }
  int most() const { return (1 << exponent) - 1; }  // the exponent field of infinity and NaN
};
inline constexpr MmaNumberFormat kMmaF16{5, 10, 16, 0}, kMmaBf16{8, 7, 16, 0}, kMmaTf32{8, 10, 32, 13},
    kMmaF32{8, 23, 32, 0};

struct MmaTile {
  isa::Opcode op = isa::Opcode::Hmma;
  std::uint32_t mod = 0;
  WarpRows a{}, b{}, c{};
  WarpRow metadata{};

  // A field of mod by its name in isa.def; `flag` is 0 where the instruction has no such field.
  void set(std::string_view name, std::uint32_t value);
  std::uint32_t flag(std::string_view name) const;

  bool floats() const { return op == isa::Opcode::Hmma; }
  bool half_k() const { return flag("half_k") != 0 || flag("m8") != 0; }
  bool bytes() const { return !floats() && flag("bits") == 0; }
  MmaNumberFormat format() const;                                   // of A and B
  int a_rows() const { return flag("m8") ? 1 : half_k() ? 2 : 4; }  // registers of a lane
  int b_rows() const { return (half_k() ? 1 : 2) << flag("sparse"); }
  int c_rows() const { return flag("m8") || flag("f16_d") ? 2 : 4; }
  std::string text() const;
};

// An element in a lane's registers of a matrix.
struct MmaPlace {
  int lane, element;
};
// `per` elements a register; of a row of A a lane has `per` neighbours, then as many 8 rows below,
// then both 4 * per columns on.
MmaPlace mma_place_in_a(int row, int k, int per, bool m8);
MmaPlace mma_place_in_b(int k, int column, int per);
MmaPlace mma_place_in_c(int row, int column);
std::uint32_t mma_element(const WarpRows& rows, MmaPlace place, int bits);

// One result in `cd`: products of numbers in `ab`, of which there are 16 at most, and c.
std::uint32_t mma_sum(const MmaNumberFormat& ab, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                      std::uint32_t c, const MmaNumberFormat& cd);

// Registers of D; c_rows() of them.
WarpRows mma_reference(const MmaTile& tile);

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_TENSOR_MMA_TILE_H_
