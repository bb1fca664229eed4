// SPDX-License-Identifier: Apache-2.0
// The tensor core's instructions but DMMA (ops_f64.cc). A matrix lies across the warp as PTX mma lays it, in words of
// 32 bits: of g = lane / 4 and q = lane % 4,
//
//   A          register r of a lane is word q + 4 (r / 2) of row g + 8 (r % 2)        (8 rows: r = 0, row g)
//   B          register r is word q + 4 r of column g
//   C, D       element e of a lane is that of row g + 8 (e / 2), column 2 q + e % 2: register e, or half e % 2 of
//   register e / 2
//
// so what a word holds (2 f16, 4 bytes, 32 bits) concerns only the product of two words. Registers of all lanes are
// read, those of the mask written.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "sim/model/lanes.h"
#include "sim/model/mma.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

constexpr int kColumns = 8;
using Words = std::array<uint32_t, 16>;  // of a row of A, or of a column of B

// Registers first, first + 1, …; RZ: zeros.
const uint32_t* fragment(const Lanes& l, uint8_t first, int r) {
  return first == isa::kRz ? kZeroRow.lane : l.rows[first + r].lane;
}

Words row_of_a(const Decoded& d, const Lanes& l, int row, int words) {
  Words out{};
  for (int w = 0; w < words; w++) out[w] = fragment(l, d.ra, row / 8 + 2 * (w / 4))[4 * (row % 8) + w % 4];
  return out;
}

Words column_of_b(const Decoded& d, const Lanes& l, int column, int words) {
  Words out{};
  for (int w = 0; w < words; w++) out[w] = fragment(l, d.rb, w / 4)[4 * column + w % 4];
  return out;
}

struct Place {
  int lane, element;
};
Place place_of_c(int row, int column) { return {4 * (row % 8) + column / 2, 2 * (row / 8) + column % 2}; }

void write_rows(const Decoded& d, Lanes& l, const Row* results) {
  if (d.rd == isa::kRz) return;
  for (int r = 0; r < d.rows; r++) write(l, static_cast<uint8_t>(d.rd + r), results[r]);
}

// D from C, element by element; result(row, column, c): one of 32 bits, or (halves) of the low 16.
template <typename F>
void each_result(const Decoded& d, Lanes& l, int rows, bool halves, F result) {
  Row out[4] = {};
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < kColumns; column++) {
      const auto [lane, e] = place_of_c(row, column);
      const int r = halves ? e / 2 : e, shift = halves ? 16 * (e % 2) : 0;
      const uint32_t c = fragment(l, d.rc, r)[lane] >> shift;
      out[r].lane[lane] |= result(row, column, halves ? c & 0xffff : c) << shift;
    }
  }
  write_rows(d, l, out);
}

// Of a sparse A: which two of each group of four bytes, or of four 16-bit halves, of a column of B a row's words are
// multiplied by.
using Choice = std::array<uint8_t, 32>;

Choice choice_of(const Decoded& d, const Lanes& l, int row, int groups, bool bytes) {
  const uint32_t* metadata = fragment(l, static_cast<uint8_t>(d.get(field::Hmma_metadata)), 0);
  const int selector = static_cast<int>(d.get(field::Hmma_selector)), g = row % 8, h = row / 8;
  Choice out{};
  for (int x = 0; x < groups; x++) {
    const int lane = groups == 4    ? selector
                     : groups == 16 ? 2 * (x / 8) + h
                     : bytes        ? 2 * selector + h
                                    : 2 * selector + x / 4;
    const int nibble = groups == 16 ? x % 8 : bytes ? x : 4 * h + x % 4;
    const uint32_t group = metadata[4 * g + lane % 4] >> 4 * nibble;
    out[2 * x] = static_cast<uint8_t>(4 * x + (group & 3));
    out[2 * x + 1] = static_cast<uint8_t>(4 * x + (group >> 2 & 3));
  }
  return out;
}

// The chosen pieces of `bits` bits, one after the other.
Words chosen(const Words& column, const Choice& choice, int words, int bits) {
  Words out{};
  const int per = 32 / bits;
  for (int k = 0; k < per * words; k++) {
    const uint32_t piece = column[choice[k] / per] >> bits * (choice[k] % per) & ((1u << bits) - 1);
    out[k / per] |= piece << bits * (k % per);
  }
  return out;
}

void hmma(const Decoded& d, Lanes& l) {
  const auto format = static_cast<isa::MmaFormat>(d.get(field::Hmma_format));
  const bool f16 = d.get(field::Hmma_f16_d);
  const int words = d.get(field::Hmma_half_k) ? 4 : 8;
  std::array<MmaVector, 16> a;
  for (int i = 0; i < 16; i++) a[i] = mma_vector(format, row_of_a(d, l, i, words));
  if (d.get(field::Hmma_sparse)) {
    std::array<Words, kColumns> b;
    std::array<Choice, 16> choice;
    for (int i = 0; i < 16; i++) choice[i] = choice_of(d, l, i, words, false);
    for (int j = 0; j < kColumns; j++) b[j] = column_of_b(d, l, j, 2 * words);
    return each_result(d, l, 16, f16, [&](int i, int j, uint32_t c) {
      return mma_sum(a[i], mma_vector(format, chosen(b[j], choice[i], words, 16)), c, f16);
    });
  }
  std::array<MmaVector, kColumns> b;
  for (int j = 0; j < kColumns; j++) b[j] = mma_vector(format, column_of_b(d, l, j, words));
  each_result(d, l, 16, f16, [&](int i, int j, uint32_t c) { return mma_sum(a[i], b[j], c, f16); });
}

// The sum of four products of bytes.
int64_t byte_products(uint32_t a, bool sign_a, uint32_t b, bool sign_b) {
  const auto byte = [](uint32_t word, int i, bool sign) {
    const auto value = static_cast<uint8_t>(word >> 8 * i);
    return sign ? int{static_cast<int8_t>(value)} : int{value};
  };
  int64_t sum = 0;
  for (int i = 0; i < 4; i++) sum += byte(a, i, sign_a) * byte(b, i, sign_b);
  return sum;
}

void imma(const Decoded& d, Lanes& l) {
  const bool m8 = d.get(field::Imma_m8), bits = d.get(field::Imma_bits), is_xor = d.get(field::Imma_xor);
  const bool sign_a = d.get(field::Imma_sign_a), sign_b = d.get(field::Imma_sign_b);
  const bool sat = d.get(field::Imma_sat) && !bits;
  const int rows = m8 ? 8 : 16, words = m8 || d.get(field::Imma_half_k) ? 4 : 8;
  std::array<Words, 16> a;
  std::array<Words, kColumns> b;
  for (int i = 0; i < rows; i++) a[i] = row_of_a(d, l, i, words);
  const bool sparse = d.get(field::Imma_sparse);
  for (int j = 0; j < kColumns; j++) b[j] = column_of_b(d, l, j, sparse ? 2 * words : words);
  std::array<Choice, 16> choice;
  for (int i = 0; i < rows && sparse; i++) choice[i] = choice_of(d, l, i, 2 * words, true);
  each_result(d, l, rows, false, [&](int i, int j, uint32_t c) {
    const Words factors = sparse ? chosen(b[j], choice[i], words, 8) : b[j];
    int64_t sum = static_cast<int32_t>(c);
    for (int w = 0; w < words; w++) {
      const uint32_t x = a[i][w], y = factors[w];
      sum += bits ? std::popcount(is_xor ? x ^ y : x & y) : byte_products(x, sign_a, y, sign_b);
    }
    using Limits = std::numeric_limits<int32_t>;
    return static_cast<uint32_t>(sat ? std::clamp<int64_t>(sum, Limits::min(), Limits::max()) : sum);
  });
}

}  // namespace

void add_mma(OpTable& table) {
  table[static_cast<uint8_t>(isa::Opcode::Hmma)] = hmma;
  table[static_cast<uint8_t>(isa::Opcode::Imma)] = imma;
}

}  // namespace heddle::model::HEDDLE_OPS
