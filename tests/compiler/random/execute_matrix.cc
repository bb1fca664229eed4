// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/compiler/random/compute.h"
#include "tests/compiler/random/execute.h"
#include "tests/compiler/random/matrix.h"
#include "tests/unit/rtl/tensor/mma_tile.h"

namespace heddle::compiler::test {
namespace {

using heddle::test::mma_element, heddle::test::mma_place_in_a, heddle::test::mma_place_in_b,
    heddle::test::mma_place_in_c;
using heddle::test::MmaPlace;
using heddle::test::MmaTile;
using heddle::test::WarpRows;
using Of = Product::Of;
using Size = Product::Size;

constexpr unsigned kLanes = 32;

uint64_t& nth(State& s, File f, unsigned first, unsigned n) {
  return s.reg(f, (first + n) % kRegisters[static_cast<int>(f)]);
}

// ---- products ------------------------------------------------------------------------------------------------

// Every other nibble of each word as a byte: the even ones, or the odd.
WarpRows bytes_of_nibbles(WarpRows rows, bool odd, bool is_signed) {
  for (auto& row : rows)
    for (uint32_t& word : row) {
      uint32_t bytes = 0;
      for (unsigned n = 0; n < 4; n++) {
        const uint64_t nibble = word >> (8 * n + (odd ? 4 : 0)) & 15;
        bytes |= static_cast<uint32_t>((is_signed ? static_cast<uint64_t>(extend(nibble, 4)) : nibble) & 255) << 8 * n;
      }
      word = bytes;
    }
  return rows;
}

// D, of the tile's A, B, C and metadata.
WarpRows multiply(const Product& p, MmaTile t) {
  t.op = is_float(p) ? isa::Opcode::Hmma : isa::Opcode::Imma;
  t.set("half_k", p.size == Size::Half);
  t.set("sparse", p.sparse);
  t.set("selector", p.selector);
  if (is_float(p)) {
    t.set("format", p.of == Of::Bf16 ? 1 : p.of == Of::Tf32 ? 2 : 0);
    t.set("f16_d", p.of == Of::F16Sums);
    return mma_reference(t);
  }
  t.set("m8", p.size == Size::Small);
  if (p.of == Of::Bits) {
    t.set("bits", 1), t.set("xor", p.is_xor);
    return mma_reference(t);
  }
  t.set("sign_a", p.sign_a), t.set("sign_b", p.sign_b);
  if (p.of == Of::Bytes) {
    t.set("sat", p.clamps);
    return mma_reference(t);
  }
  // The products alone do not overflow.
  const WarpRows a = t.a, b = t.b, c = t.c;
  t.c = {};
  for (const bool odd : {false, true}) {
    t.a = bytes_of_nibbles(a, odd, p.sign_a), t.b = bytes_of_nibbles(b, odd, p.sign_b);
    t.c = mma_reference(t);
  }
  for (size_t r = 0; r < c.size(); r++)
    for (size_t lane = 0; lane < kLanes; lane++) {
      const int64_t sum = extend(t.c[r][lane], 32) + extend(c[r][lane], 32);
      t.c[r][lane] = static_cast<uint32_t>(p.clamps ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    }
  return t.c;
}

void mma(const Instruction& i, State* warp) {
  const Product& p = i.product;
  MmaTile t;
  for (unsigned lane = 0; lane < kLanes; lane++) {
    State& s = warp[lane];
    const auto read = [&](WarpRows& to, char matrix, File file, unsigned first) {
      for (unsigned n = 0; n < registers_of(p, matrix); n++)
        to[n][lane] = static_cast<uint32_t>(nth(s, file, first, n));
    };
    read(t.a, 'a', File::W, i.a.reg);
    read(t.b, 'b', File::W, i.b.reg);
    read(t.c, 'c', file_of(i.type), i.c.reg);
    t.metadata[lane] = static_cast<uint32_t>(s.reg(File::W, p.metadata));
    // Of tf32 one of two is kept: two nibbles alone say which.
    const uint32_t second = t.metadata[lane] & 0x88888888;
    if (p.of == Of::Tf32) t.metadata[lane] = 0x44444444 | second | second >> 2;
  }
  const WarpRows d = multiply(p, t);
  for (unsigned lane = 0; lane < kLanes; lane++)
    for (unsigned n = 0; n < registers_of(p, 'd'); n++) nth(warp[lane], file_of(i.to), i.dst, n) = d[n][lane];
}

// ---- moves ---------------------------------------------------------------------------------------------------

// Of a matrix of 8 x 8 the lane's first and second number: row and column.
struct Number {
  unsigned row, column;
};
Number number_of(unsigned lane, unsigned second, bool transposed) {
  const unsigned a = lane / 4, b = 2 * (lane % 4) + second;
  return transposed ? Number{b, a} : Number{a, b};
}

uint64_t half_of(uint64_t word, unsigned second) { return word >> 16 * second & 0xffff; }

void move_matrix(const Instruction& i, State* warp) {
  const bool transposed = i.op == Op::MoveMatrix || i.variant & kTransposed;
  const auto row = [&](unsigned matrix, unsigned n) {
    State& s = warp[8 * matrix + n];
    const uint64_t which = i.op == Op::StoreMatrix ? s.thread ^ i.a.bits : s.read(File::W, i.a);
    return warp[which & 31].shared.bytes + (which & 32) / 2;
  };
  uint64_t results[4][kLanes] = {};
  for (unsigned m = 0; m < i.words; m++)
    for (unsigned lane = 0; lane < kLanes; lane++)
      for (unsigned second = 0; second < 2; second++) {
        const Number at = number_of(lane, second, transposed);
        uint64_t number = 0;
        if (i.op == Op::StoreMatrix) {
          number = half_of(nth(warp[lane], File::W, i.b.reg, m), second);
          std::memcpy(row(m, at.row) + 2 * at.column, &number, 2);
          continue;
        }
        if (i.op == Op::MoveMatrix)
          number = half_of(warp[4 * at.row + at.column / 2].reg(File::W, i.a.reg), at.column % 2);
        else std::memcpy(&number, row(m, at.row) + 2 * at.column, 2);
        results[m][lane] |= number << 16 * second;
      }
  if (i.op == Op::StoreMatrix) return;
  for (unsigned m = 0; m < i.words; m++)
    for (unsigned lane = 0; lane < kLanes; lane++) nth(warp[lane], File::W, i.dst, m) = results[m][lane];
}

// ---- wmma ----------------------------------------------------------------------------------------------------

// A matrix of wmma, in memory and as numbers.
struct Matrix {
  const MatrixPlace& place;
  int rows, columns, bits;
  std::vector<uint32_t> numbers;

  Matrix(const Instruction& i, char matrix) : place(i.places[matrix - 'a']) {
    const MatrixExtent extent = wmma_extent(i.product, i.extra, matrix);
    rows = static_cast<int>(extent.rows), columns = static_cast<int>(extent.columns);
    bits = static_cast<int>(extent.bits);
    numbers.resize(extent.rows * extent.columns);
  }
  uint32_t& number(int row, int column) { return numbers[static_cast<size_t>(row * columns + column)]; }
  // Nothing outside of the matrix.
  uint32_t at(int row, int column) { return row < rows && column < columns ? number(row, column) : 0; }
  // f(number, the bit where it lies in memory)
  template <typename F>
  void each(F f) {
    constexpr int kLineBits = 8 * kSliceBytes;
    for (int row = 0; row < rows; row++)
      for (int column = 0; column < columns; column++) {
        const int line = place.by_columns ? column : row, in_line = place.by_columns ? row : column;
        f(number(row, column), kLineBits * (static_cast<int>(place.first) + line) + bits * in_line);
      }
  }
  void load(State* warp, const Memory& memory) {
    const auto* bytes = place.space == Space::Input ? reinterpret_cast<const uint8_t*>(memory.input.data())
                                                    : warp[0].slice(place.space).bytes;
    each([&](uint32_t& x, int bit) {
      std::memcpy(&x, bytes + bit / 8, static_cast<size_t>(std::max(1, bits / 8)));
      x = x >> bit % 8 & static_cast<uint32_t>(mask(static_cast<unsigned>(bits)));
    });
  }
  void store(State* warp) {
    uint8_t* bytes = warp[0].slice(place.space).bytes;
    each([&](uint32_t x, int bit) { std::memcpy(bytes + bit / 8, &x, static_cast<size_t>(bits / 8)); });
  }
};

void put(WarpRows& rows, MmaPlace place, int bits, uint32_t number) {
  const int per = 32 / bits;
  rows[static_cast<size_t>(place.element / per)][static_cast<size_t>(place.lane)] |= number
                                                                                     << bits * (place.element % per);
}

void wmma(const Instruction& i, State* warp, const Memory& memory) {
  const Product& p = i.product;
  Matrix a(i, 'a'), b(i, 'b'), c(i, 'c'), d(i, 'd');
  for (Matrix* x : {&a, &b, &c}) x->load(warp, memory);
  const bool small = p.size == Size::Small;
  const int height = small ? 8 : 16, bits = a.bits, per = 32 / bits, depth = static_cast<int>(columns_of_a(p));
  for (int row = 0; row < d.rows; row += height)
    for (int column = 0; column < d.columns; column += 8) {
      WarpRows sum{};
      for (int m = 0; m < height; m++)
        for (int n = 0; n < 8; n++) put(sum, mma_place_in_c(m, n), c.bits, c.at(row + m, column + n));
      for (int first = 0; first < a.columns; first += depth) {
        MmaTile t;
        t.c = sum;
        for (int k = 0; k < depth; k++) {
          for (int m = 0; m < height; m++) put(t.a, mma_place_in_a(m, k, per, small), bits, a.at(row + m, first + k));
          for (int n = 0; n < 8; n++) put(t.b, mma_place_in_b(k, n, per), bits, b.at(first + k, column + n));
        }
        sum = multiply(p, t);
      }
      for (int m = 0; m < height && row + m < d.rows; m++)
        for (int n = 0; n < 8; n++) d.number(row + m, column + n) = mma_element(sum, mma_place_in_c(m, n), d.bits);
    }
  d.store(warp);
}

// ---- numbers -------------------------------------------------------------------------------------------------

void make_numbers(const Instruction& i, State* warp) {
  const Pattern& p = i.pattern;
  uint32_t results[kLanes];
  for (unsigned lane = 0; lane < kLanes; lane++) {
    const unsigned from = p.pairs ? lane & ~1u : lane;
    uint32_t word = (static_cast<uint32_t>(warp[from].reg(File::W, i.a.reg)) + from * kLaneFactor) ^ i.extra;
    for (const ScrambleStep step : kScramble) word = (word ^ word >> step.shift) * step.factor;
    const bool is_rare = word * kRareFactor < p.rare;
    word = is_rare ? p.special : (word & p.keep) ^ p.flip;
    results[lane] = lane % 2 ? word ^ p.opposite : word;
  }
  for (unsigned lane = 0; lane < kLanes; lane++) warp[lane].reg(file_of(i.to), i.dst) = results[lane];
}

}  // namespace

void execute_by_whole_warp(const Instruction& i, State* warp, const Memory& memory) {
  const auto count = std::count_if(warp, warp + kLanes, [&](const State& s) { return s.holds(i.guard); });
  if (i.variant & kGuardOfAll ? count < kLanes : count == 0) return;
  switch (i.op) {
    case Op::Numbers: return make_numbers(i, warp);
    case Op::Mma: return mma(i, warp);
    case Op::Wmma: return wmma(i, warp, memory);
    default: return move_matrix(i, warp);
  }
}

}  // namespace heddle::compiler::test
