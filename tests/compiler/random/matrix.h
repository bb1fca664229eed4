// SPDX-License-Identifier: Apache-2.0
// Products of matrices: their shapes, a lane's registers, and their names. Not for other folders.
#pragma once

#include <array>
#include <string>

#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {

// What the words of Numbers are scrambled by, as execute_matrix.cc and print_matrix.cc do it.
inline constexpr uint32_t kLaneFactor = 0x9e3779b1, kRareFactor = 0x2545f491;
struct ScrambleStep {
  unsigned shift;
  uint32_t factor;  // 1: the last step
};
inline constexpr ScrambleStep kScramble[] = {{16, 0x7feb352d}, {15, 0x846ca68b}, {16, 1}};

bool is_float(const Product& p);
bool is_float8(const Product& p);
// mma.m8n8k4 of f16: four products at a time, each by two quads of lanes.
bool is_quads(const Product& p);
unsigned factor_bits(const Product& p);            // of a number of A or B
unsigned sum_bits(const Product& p, char matrix);  // of C or D
// Columns of A; of a sparse A as many as B has rows.
unsigned columns_of_a(const Product& p);
// Of a lane, for mma: 'a' to 'd'.
unsigned registers_of(const Product& p, char matrix);
unsigned selectors(const Product& p);

// A warp's registers of a matrix: eight at most of each lane.
using Fragment = std::array<std::array<uint64_t, 32>, 8>;
struct MmaOperands {
  Fragment a{}, b{}, c{};
  std::array<uint32_t, 32> metadata{};
};
// D of mma (execute_matrix.cc).
Fragment mma_results(const Product& p, MmaOperands o);

// Of wmma with D of so many rows: columns of D, and those of A.
unsigned wmma_columns(const Product& p, unsigned rows);
unsigned wmma_depth(const Product& p);
inline constexpr unsigned kWmmaRegisters = 8;  // at most
unsigned wmma_registers(const Product& p, unsigned rows, char matrix);

// "s8"
std::string factor_name(const Product& p, bool is_signed);
std::string sum_name(const Product& p, char matrix);

// Rows and columns of a matrix of wmma, and a number's bits.
struct MatrixExtent {
  unsigned rows, columns, bits;
  unsigned lines(const MatrixPlace& place) const { return place.by_columns ? columns : rows; }
  unsigned line_bytes(const MatrixPlace& place) const { return (place.by_columns ? rows : columns) * bits / 8; }
  unsigned line_slices(const MatrixPlace& place) const { return (line_bytes(place) + kSliceBytes - 1) / kSliceBytes; }
};
MatrixExtent wmma_extent(const Product& p, unsigned rows, char matrix);

}  // namespace heddle::compiler::test
