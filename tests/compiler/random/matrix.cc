// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/matrix.h"

namespace heddle::compiler::test {

using Of = Product::Of;
using Size = Product::Size;

bool is_float(const Product& p) { return p.of <= Of::F64; }
bool is_float8(const Product& p) { return p.of == Of::Float8 || p.of == Of::Float8Sums; }
bool is_quads(const Product& p) { return p.of <= Of::F16Sums && p.size == Size::Small; }

unsigned factor_bits(const Product& p) {
  constexpr unsigned kBits[] = {16, 16, 16, 32, 8, 8, 64, 8, 4, 1};
  return kBits[static_cast<int>(p.of)];
}

unsigned sum_bits(const Product& p, char matrix) {
  if (p.of == Of::F64) return 64;
  return sum_name(p, matrix) == "f16" ? 16 : 32;
}

unsigned columns_of_a(const Product& p) {
  if (p.of == Of::F64 || is_quads(p)) return 4 * p.steps;
  const unsigned stored = (p.size == Size::Full ? 256 : 128) / factor_bits(p);
  return p.sparse ? 2 * stored : stored;
}

unsigned registers_of(const Product& p, char matrix) {
  const bool half_sums = matrix >= 'c' && sum_bits(p, matrix) == 16;
  if (is_quads(p)) return matrix <= 'b' ? 2 : half_sums ? 4 : 8;
  if (p.of == Of::F64 && matrix <= 'b') return matrix == 'a' && p.size == Size::Full ? 2 * p.steps : p.steps;
  if (matrix == 'a') return p.size == Size::Small ? 1 : p.size == Size::Half ? 2 : 4;
  if (matrix == 'b') return (p.size == Size::Full ? 2u : 1u) << p.sparse;
  return p.size == Size::Small || half_sums ? 2 : 4;
}

unsigned selectors(const Product& p) {
  return 16 * (p.of == Of::Tf32 ? 2 : p.of == Of::Nibbles ? 8 : 4) / columns_of_a(p);
}

unsigned wmma_columns(const Product& p, unsigned rows) { return p.size == Size::Small ? 8 : 256 / rows; }

unsigned wmma_depth(const Product& p) {
  constexpr unsigned kDepth[] = {16, 16, 16, 8, 0, 0, 4, 16, 32, 128};  // none of 8-bit floating point
  return kDepth[static_cast<int>(p.of)];
}

MatrixExtent wmma_extent(const Product& p, unsigned rows, char matrix) {
  if (matrix == 'a') return {rows, wmma_depth(p), factor_bits(p)};
  if (matrix == 'b') return {wmma_depth(p), wmma_columns(p, rows), factor_bits(p)};
  return {rows, wmma_columns(p, rows), sum_bits(p, matrix)};
}

unsigned wmma_registers(const Product& p, unsigned rows, char matrix) {
  if (matrix <= 'b' && (p.of == Of::F16 || p.of == Of::F16Sums)) return 8;
  const MatrixExtent e = wmma_extent(p, rows, matrix);
  return e.rows * e.columns * e.bits / (32 * (e.bits == 64 ? 64 : 32));
}

std::string factor_name(const Product& p, bool is_signed) {
  if (is_float8(p)) return is_signed ? "e5m2" : "e4m3";
  constexpr const char* kNames[] = {"f16", "f16", "bf16", "tf32", "", "", "f64", "u8", "u4", "b1"};
  std::string name = kNames[static_cast<int>(p.of)];
  if (is_signed && name[0] == 'u') name[0] = 's';
  return name;
}

std::string sum_name(const Product& p, char matrix) {
  if (p.of == Of::F64) return "f64";
  if (!is_float(p)) return "s32";
  const bool half_d = p.of == Of::F16Sums || p.of == Of::Float8Sums;
  return half_d != (matrix == 'c' && p.other_c) ? "f16" : "f32";
}

}  // namespace heddle::compiler::test
