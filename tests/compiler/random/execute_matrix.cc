// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/compiler/random/compute.h"
#include "tests/compiler/random/execute.h"
#include "tests/compiler/random/matrix.h"
#include "tests/compiler/random/numbers.h"
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

void put(WarpRows& rows, MmaPlace place, int bits, uint32_t number) {
  const int per = 32 / bits;
  rows[static_cast<size_t>(place.element / per)][static_cast<size_t>(place.lane)] |= number
                                                                                     << bits * (place.element % per);
}

// Of 8-bit floating point: numbers of f16; the products of every other pair of A's columns (of a sparse A: of every
// other four), to their sum the others, and to that C, rounded to nearest.
WarpRows multiply_float8(const Product& p, const MmaTile& t) {
  const bool half_sums = p.of == Of::Float8Sums;
  const int bits = half_sums ? 16 : 32, stored = p.size == Size::Full ? 32 : 16;
  const auto factor = [](const WarpRows& rows, MmaPlace place, bool is_signed) {
    const Format f = is_signed ? Format::E5m2 : Format::E4m3;
    return static_cast<uint32_t>(encode(Format::F16, decode(f, mma_element(rows, place, 8))));
  };
  WarpRows d{};
  for (int row = 0; row < 16; row++)
    for (int column = 0; column < 8; column++) {
      std::vector<uint32_t> a[2], b[2];
      for (int k = 0; k < stored; k++) {
        int from = k;
        if (p.sparse) {
          const int four = k / 2;  // columns of A; the row's metadata are in two lanes
          const int lane = 4 * (row % 8) + 2 * (four / 8) + row / 8;
          const uint32_t two = t.metadata[static_cast<size_t>(lane)] >> 4 * (four % 8);
          from = 4 * four + static_cast<int>(k % 2 ? two >> 2 & 3 : two & 3);
        }
        const int second = k / 2 % 2;
        a[second].push_back(factor(t.a, mma_place_in_a(row, k, 4, false), p.sign_a));
        b[second].push_back(factor(t.b, mma_place_in_b(from, column, 4), p.sign_b));
      }
      uint32_t sum = 0;
      for (const int second : {0, 1})
        sum = mma_sum(heddle::test::kMmaF16, a[second], b[second], sum,
                      half_sums ? heddle::test::kMmaF16 : heddle::test::kMmaF32);
      const MmaPlace place = mma_place_in_c(row, column);
      const uint64_t all =
          heddle::compiler::test::sum(half_sums ? Format::F16 : Format::F32, sum, mma_element(t.c, place, bits), {});
      put(d, place, bits, static_cast<uint32_t>(all));
    }
  return d;
}

// D, of the tile's A, B, C and metadata.
WarpRows multiply(const Product& p, MmaTile t) {
  if (is_float8(p)) return multiply_float8(p, t);
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

// Of f64 each result is a chain of sums over ascending k.
Fragment multiply_double(const Product& p, MmaOperands& o) {
  const bool small = p.size == Size::Small;
  const auto number = [](Fragment& of, MmaPlace place) -> uint64_t& {
    return of[static_cast<size_t>(place.element)][static_cast<size_t>(place.lane)];
  };
  Fragment d{};
  for (int row = 0; row < (small ? 8 : 16); row++)
    for (int column = 0; column < 8; column++) {
      uint64_t& sum = number(d, mma_place_in_c(row, column)) = number(o.c, mma_place_in_c(row, column));
      for (int k = 0; k < static_cast<int>(columns_of_a(p)); k++)
        sum = fused(Format::F64, number(o.a, mma_place_in_a(row, k, 1, small)),
                    number(o.b, mma_place_in_b(k, column, 1)), sum, {});
    }
  return d;
}

// As silicon has it: in f32, one product after the other, then C; with D of f16 the first two, C, and the sum of the
// other two.
uint64_t quads_result(bool half_d, const uint64_t* a, const uint64_t* b, uint64_t c) {
  constexpr Format kF32 = Format::F32;
  const uint64_t two = fused(kF32, a[1], b[1], product(kF32, a[0], b[0], {}), {});
  if (!half_d) return sum(kF32, fused(kF32, a[3], b[3], fused(kF32, a[2], b[2], two, {}), {}), c, {});
  const uint64_t others = fused(kF32, a[3], b[3], product(kF32, a[2], b[2], {}), {});
  return encode(Format::F16, decode(kF32, sum(kF32, sum(kF32, two, c, {}), others, {})));
}

// Of four products the one by lanes 4 quad + 0..3, which hold the upper rows of A and D and the left columns of B, and
// by those 16 on, which hold the others.
Fragment multiply_quads(const Product& p, const MmaOperands& o) {
  const auto lane_of = [](size_t quad, size_t line) { return 4 * quad + line % 4 + 16 * (line / 4); };
  const auto f32_of = [](const Fragment& of, size_t lane, size_t n) {
    return encode(Format::F32, decode(Format::F16, of[n / 2][lane] >> 16 * (n % 2) & 0xffff));
  };
  // Number `k` of row `line` of A, or of column `line` of B. `turned`: a lane has number k of four lines.
  const auto factor = [&](const Fragment& of, bool turned, size_t quad, size_t line, size_t k) {
    return turned ? f32_of(of, lane_of(quad, line / 4 * 4 + k), line % 4) : f32_of(of, lane_of(quad, line), k);
  };
  Fragment d{};
  for (size_t quad = 0; quad < 4; quad++)
    for (size_t row = 0; row < 8; row++)
      for (size_t column = 0; column < 8; column++) {
        uint64_t a[4], b[4];
        for (size_t k = 0; k < 4; k++)
          a[k] = factor(o.a, p.column_a, quad, row, k), b[k] = factor(o.b, p.row_b, quad, column, k);
        // Of C and D: of f32, and of f16.
        const size_t f32_lane = lane_of(quad, row / 4 * 4 + row % 2 + (column & 2)),
                     f32_register = (column & 5) | (row & 2), f16_lane = lane_of(quad, row);
        const bool half_d = sum_bits(p, 'd') == 16;
        const uint64_t c = sum_bits(p, 'c') == 16 ? f32_of(o.c, f16_lane, column) : o.c[f32_register][f32_lane];
        const uint64_t result = quads_result(half_d, a, b, c);
        if (half_d) d[column / 2][f16_lane] |= result << 16 * (column % 2);
        else d[f32_register][f32_lane] = result;
      }
  return d;
}

void mma(const Instruction& i, State* warp) {
  const Product& p = i.product;
  const File factors = p.of == Of::F64 ? File::D : File::W;
  MmaOperands o;
  for (unsigned lane = 0; lane < kLanes; lane++) {
    State& s = warp[lane];
    const auto read = [&](Fragment& to, char matrix, File file, unsigned first) {
      for (unsigned n = 0; n < registers_of(p, matrix); n++) to[n][lane] = nth(s, file, first, n);
    };
    read(o.a, 'a', factors, i.a.reg);
    read(o.b, 'b', factors, i.b.reg);
    read(o.c, 'c', file_of(i.type), i.c.reg);
    o.metadata[lane] = static_cast<uint32_t>(s.reg(File::W, p.metadata));
  }
  const Fragment d = mma_results(p, o);
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
  int rows, columns, bits, line_slices;
  std::vector<uint64_t> numbers;

  Matrix(const Instruction& i, char matrix) : place(i.places[matrix - 'a']) {
    const MatrixExtent extent = wmma_extent(i.product, i.extra, matrix);
    rows = static_cast<int>(extent.rows), columns = static_cast<int>(extent.columns);
    bits = static_cast<int>(extent.bits), line_slices = static_cast<int>(extent.line_slices(place));
    numbers.resize(extent.rows * extent.columns);
  }
  uint64_t& number(int row, int column) { return numbers[static_cast<size_t>(row * columns + column)]; }
  // Nothing outside of the matrix.
  uint32_t at(int row, int column) {
    return row < rows && column < columns ? static_cast<uint32_t>(number(row, column)) : 0;
  }
  // f(number, the bit where it lies in memory)
  template <typename F>
  void each(F f) {
    constexpr int kLineBits = 8 * kSliceBytes;
    for (int row = 0; row < rows; row++)
      for (int column = 0; column < columns; column++) {
        const int line = place.by_columns ? column : row, in_line = place.by_columns ? row : column;
        f(number(row, column), kLineBits * (static_cast<int>(place.first) + line * line_slices) + bits * in_line);
      }
  }
  void load(State* warp, const Memory& memory) {
    const auto* bytes = place.space == Space::Input ? reinterpret_cast<const uint8_t*>(memory.input.data())
                                                    : warp[0].slice(place.space).bytes;
    each([&](uint64_t& x, int bit) {
      std::memcpy(&x, bytes + bit / 8, static_cast<size_t>(std::max(1, bits / 8)));
      x = x >> bit % 8 & mask(static_cast<unsigned>(bits));
    });
  }
  void store(State* warp) {
    uint8_t* bytes = warp[0].slice(place.space).bytes;
    each([&](uint64_t x, int bit) { std::memcpy(bytes + bit / 8, &x, static_cast<size_t>(bits / 8)); });
  }
};

void wmma(const Instruction& i, State* warp, const Memory& memory) {
  Product p = i.product;
  Matrix a(i, 'a'), b(i, 'b'), c(i, 'c'), d(i, 'd');
  for (Matrix* x : {&a, &b, &c}) x->load(warp, memory);
  if (p.of == Of::F64) {
    for (int row = 0; row < d.rows; row++)
      for (int column = 0; column < d.columns; column++) {
        uint64_t& sum = d.number(row, column) = c.number(row, column);
        for (int k = 0; k < a.columns; k++) sum = fused(Format::F64, a.number(row, k), b.number(k, column), sum, {});
      }
    return d.store(warp);
  }
  // Where C and D are of two formats, sums are of f32.
  if (p.other_c) p.of = Of::F16;
  if (p.other_c && c.bits == 16) {
    for (uint64_t& x : c.numbers) x = encode(Format::F32, decode(Format::F16, x));
    c.bits = 32;
  }
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
        for (int n = 0; n < 8; n++) {
          const uint32_t result = mma_element(sum, mma_place_in_c(m, n), c.bits);
          const bool narrow = d.bits < c.bits;
          d.number(row + m, column + n) = narrow ? encode(Format::F16, decode(Format::F32, result)) : result;
        }
    }
  d.store(warp);
}

// ---- numbers -------------------------------------------------------------------------------------------------

void make_numbers(const Instruction& i, State* warp) {
  const Pattern& p = i.pattern;
  uint64_t results[kLanes];
  for (unsigned lane = 0; lane < kLanes; lane++) {
    const unsigned from = p.pairs ? lane & ~1u : lane;
    uint32_t word = (static_cast<uint32_t>(warp[from].reg(File::W, i.a.reg)) + from * kLaneFactor) ^ i.extra;
    for (const ScrambleStep step : kScramble) word = (word ^ word >> step.shift) * step.factor;
    const bool is_rare = word * kRareFactor < p.rare;
    const uint64_t low = is_rare ? 0 : word * kRareFactor & p.low;
    word = is_rare ? p.special : (word & p.keep) ^ p.flip;
    if (lane % 2) word ^= p.opposite;
    results[lane] = i.to == Type::U64 ? uint64_t{word} << 32 | low : word;
  }
  for (unsigned lane = 0; lane < kLanes; lane++) warp[lane].reg(file_of(i.to), i.dst) = results[lane];
}

}  // namespace

Fragment mma_results(const Product& p, MmaOperands o) {
  if (p.of == Of::F64) return multiply_double(p, o);
  if (is_quads(p)) return multiply_quads(p, o);
  MmaTile t;
  for (size_t n = 0; n < t.a.size(); n++)
    for (size_t lane = 0; lane < kLanes; lane++) {
      t.a[n][lane] = static_cast<uint32_t>(o.a[n][lane]);
      t.b[n][lane] = static_cast<uint32_t>(o.b[n][lane]);
      t.c[n][lane] = static_cast<uint32_t>(o.c[n][lane]);
    }
  t.metadata = o.metadata;
  const WarpRows results = multiply(p, t);
  Fragment d{};
  for (size_t n = 0; n < results.size(); n++) std::copy(results[n].begin(), results[n].end(), d[n].begin());
  return d;
}

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
