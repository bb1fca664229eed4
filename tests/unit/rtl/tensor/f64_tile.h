// SPDX-License-Identifier: Apache-2.0
// One DMMA: its operands in all lanes, and what it gives, as chains of the host's own fused products.
#ifndef HEDDLE_TESTS_UNIT_RTL_TENSOR_F64_TILE_H_
#define HEDDLE_TESTS_UNIT_RTL_TENSOR_F64_TILE_H_

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::test {

using WarpDoubles = std::array<std::uint64_t, 32>;  // a pair of registers in all lanes, bits of f64

struct F64Tile {
  WarpDoubles a{}, b{};
  std::array<WarpDoubles, 2> c{}, d{};  // of a lane's two columns
  std::uint32_t mask = ~0u;
};

// a * b + c with one rounding and DFMA's NaN.
std::uint64_t fused(std::uint64_t a, std::uint64_t b, std::uint64_t c);
// tile.d of the others.
void multiply(F64Tile& tile);
// Numbers near each other's products, a third with other masks.
F64Tile random_f64_tile(std::mt19937_64& random);
// Those of an H200 in `path`.json and `path`.bin.
std::vector<F64Tile> recorded_f64_tiles(const std::string& path);

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_TENSOR_F64_TILE_H_
