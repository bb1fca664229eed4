// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/matrix.h"

namespace heddle::compiler::test {

using Of = Product::Of;
using Size = Product::Size;

bool is_float(const Product& p) { return p.of <= Of::Tf32; }

unsigned factor_bits(const Product& p) {
  constexpr unsigned kBits[] = {16, 16, 16, 32, 8, 4, 1};
  return kBits[static_cast<int>(p.of)];
}

unsigned sum_bits(const Product& p) { return p.of == Of::F16Sums ? 16 : 32; }

unsigned columns_of_a(const Product& p) {
  const unsigned stored = (p.size == Size::Full ? 256 : 128) / factor_bits(p);
  return p.sparse ? 2 * stored : stored;
}

unsigned registers_of(const Product& p, char matrix) {
  if (matrix == 'a') return p.size == Size::Small ? 1 : p.size == Size::Half ? 2 : 4;
  if (matrix == 'b') return (p.size == Size::Full ? 2u : 1u) << p.sparse;
  return p.size == Size::Small || p.of == Of::F16Sums ? 2 : 4;
}

unsigned selectors(const Product& p) {
  return 16 * (p.of == Of::Tf32 ? 2 : p.of == Of::Nibbles ? 8 : 4) / columns_of_a(p);
}

unsigned wmma_columns(const Product& p, unsigned rows) { return p.size == Size::Small ? 8 : 256 / rows; }

unsigned wmma_depth(const Product& p) {
  constexpr unsigned kDepth[] = {16, 16, 16, 8, 16, 32, 128};
  return kDepth[static_cast<int>(p.of)];
}

MatrixExtent wmma_extent(const Product& p, unsigned rows, char matrix) {
  if (matrix == 'a') return {rows, wmma_depth(p), factor_bits(p)};
  if (matrix == 'b') return {wmma_depth(p), wmma_columns(p, rows), factor_bits(p)};
  return {rows, wmma_columns(p, rows), sum_bits(p)};
}

unsigned wmma_registers(const Product& p, unsigned rows, char matrix) {
  if (matrix <= 'b' && (p.of == Of::F16 || p.of == Of::F16Sums)) return 8;
  const MatrixExtent e = wmma_extent(p, rows, matrix);
  return e.rows * e.columns * e.bits / (32 * 32);
}

std::string factor_name(const Product& p, bool is_signed) {
  constexpr const char* kNames[] = {"f16", "f16", "bf16", "tf32", "u8", "u4", "b1"};
  std::string name = kNames[static_cast<int>(p.of)];
  if (is_signed && name[0] == 'u') name[0] = 's';
  return name;
}

std::string sum_name(const Product& p) { return p.of == Of::F16Sums ? "f16" : is_float(p) ? "f32" : "s32"; }

}  // namespace heddle::compiler::test
