// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/rtl/tensor/mma_tile.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <sstream>

namespace heddle::test {
namespace {

__extension__ using Wide = __int128;

struct Number {
  bool nan, infinite, negative;
  int exponent;  // of the bit before the fraction
  int last;      // of the significand's last place
  Wide significand;
};

Number number(const MmaNumberFormat& f, std::uint32_t x) {
  x >>= f.unused;
  const auto field = static_cast<int>(x >> f.fraction & static_cast<std::uint32_t>(f.most()));
  const std::uint32_t fraction = x & ((1u << f.fraction) - 1);
  const bool special = field == f.most();
  const int exponent = std::max(field, 1) - f.bias();
  return {special && fraction != 0,
          special && fraction == 0,
          (x >> (f.exponent + f.fraction) & 1) != 0,
          exponent,
          exponent - f.fraction,
          special      ? 1
          : field == 0 ? fraction
                       : fraction | 1u << f.fraction};
}

// The silicon's rule: terms are cut off 25 places below the largest exponent, then added exactly.
std::uint32_t sum_of_floats(const Number* a, const Number* b, int n, const Number& c, const MmaNumberFormat& d) {
  const std::uint32_t sign = 1u << (d.exponent + d.fraction), infinity = static_cast<std::uint32_t>(d.most())
                                                                         << d.fraction;
  bool nan = c.nan, infinite[2] = {c.infinite && !c.negative, c.infinite && c.negative};
  int top = c.significand != 0 ? std::max(c.exponent, -133) : -133;
  for (int k = 0; k < n; k++) {
    const bool special = a[k].nan || a[k].infinite || b[k].nan || b[k].infinite;
    if (a[k].nan || b[k].nan || (special && (a[k].significand == 0 || b[k].significand == 0))) nan = true;
    else if (special) infinite[a[k].negative != b[k].negative] = true;
    else if (a[k].significand != 0 && b[k].significand != 0) top = std::max(top, a[k].exponent + b[k].exponent);
  }
  if (nan || (infinite[0] && infinite[1])) return sign - 1;
  if (infinite[0] || infinite[1]) return infinity | (infinite[1] ? sign : 0);

  const int unit = top - 25;  // the sum's last place
  const auto term = [unit](bool negative, Wide value, int last) {
    if (value == 0) return Wide{0};  // wherever its last place is
    const int right = unit - last;
    value = right <= 0 ? value << -right : right < 120 ? value >> right : 0;
    return negative ? -value : value;
  };
  Wide sum = term(c.negative, c.significand, c.last);
  for (int k = 0; k < n; k++)
    sum += term(a[k].negative != b[k].negative, a[k].significand * b[k].significand, a[k].last + b[k].last);

  const bool negative = sum < 0;
  const Wide magnitude = negative ? -sum : sum;
  const int leading = 63 - std::countl_zero(static_cast<std::uint64_t>(magnitude)) + unit;
  const int last = std::max(leading, 1 - d.bias()) - d.fraction, right = last - unit;
  if (magnitude == 0 || right > 120) return 0;
  Wide kept = right > 0 ? magnitude >> right : magnitude << -right;
  if (d.bits == 16 && right > 0) {
    const Wide twice_rest = (magnitude - (kept << right)) * 2, whole = Wide{1} << right;
    if (twice_rest > whole || (twice_rest == whole && (kept & 1) != 0)) kept++;
  }
  if (kept == 0) return 0;
  // The bit before the fraction counts up the exponent by one, as does what rounding carries.
  const Wide bits = (static_cast<Wide>(last + d.fraction + d.bias() - 1) << d.fraction) + kept;
  return static_cast<std::uint32_t>(std::min<Wide>(bits, infinity)) | (negative ? sign : 0);
}

// Metadata of the group of columns that element k of a sparse A's row comes from; `bits` as of an element.
int metadata_of(const MmaTile& t, int row, int k, int bits) {
  const int g = row % 8, h = row / 8, stored = (t.half_k() ? 128 : 256) / bits;
  const auto selector = static_cast<int>(t.flag("selector"));
  // Groups of four columns, two of them stored; of tf32 groups of two, one of them stored.
  const int x = bits == 32 ? k : k / 2, groups = bits == 32 ? stored : stored / 2;
  int lane = 4 * g, nibble = 0;
  if (groups == 4) lane += selector, nibble = 4 * h + x;
  else if (groups == 16) lane += 2 * (x / 8) + h, nibble = x % 8;
  else if (bits == 8) lane += 2 * (selector % 2) + h, nibble = x;
  else lane += 2 * (selector % 2) + x / 4, nibble = 4 * h + x % 4;
  return static_cast<int>(t.metadata[static_cast<std::size_t>(lane)] >> 4 * nibble & 15);
}

// Which row of B the element is multiplied by; not of tf32.
int row_of_b(const MmaTile& t, int row, int k, int bits) {
  const int n = metadata_of(t, row, k, bits);
  return k / 2 * 4 + (k % 2 == 0 ? n & 3 : n >> 2);
}

// What of a column of B a tf32 is multiplied by: of four halves those that the metadata say, 0 and 1 or 2 and 3 by the
// words of the manual.
std::uint32_t word_of_b(const MmaTile& t, int row, int k, int column) {
  const int n = metadata_of(t, row, k, 32);
  const auto half = [&](int which) {
    return mma_element(t.b, mma_place_in_b(2 * k + which / 2, column, 1), 32) >> 16 * (which % 2) & 0xffff;
  };
  return half(n >> 2) << 16 | half(n & 3);
}

std::uint32_t sum_of_integers(const MmaTile& t, int row, int column, std::uint32_t c) {
  const int words = t.half_k() ? 4 : 8;
  Wide sum = static_cast<std::int32_t>(c);
  if (!t.bytes()) {
    for (int w = 0; w < words; w++) {
      const std::uint32_t x = mma_element(t.a, mma_place_in_a(row, w, 1, t.flag("m8")), 32),
                          y = mma_element(t.b, mma_place_in_b(w, column, 1), 32);
      sum += std::popcount(t.flag("xor") ? x ^ y : x & y);
    }
    return static_cast<std::uint32_t>(sum);
  }
  const auto value = [](std::uint32_t x, bool is_signed) {
    return is_signed && x > 127 ? static_cast<int>(x) - 256 : static_cast<int>(x);
  };
  for (int k = 0; k < 4 * words; k++) {
    const int from = t.flag("sparse") ? row_of_b(t, row, k, 8) : k;
    sum += value(mma_element(t.a, mma_place_in_a(row, k, 4, t.flag("m8")), 8), t.flag("sign_a")) *
           value(mma_element(t.b, mma_place_in_b(from, column, 4), 8), t.flag("sign_b"));
  }
  if (t.flag("sat")) sum = std::clamp<Wide>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

void MmaTile::set(std::string_view name, std::uint32_t value) {
  for (const isa::FieldInfo& f : isa::info(static_cast<std::uint8_t>(op))->fields) {
    if (f.name != name) continue;
    mod = (mod & ~(((1u << f.width) - 1) << f.lsb)) | value << f.lsb;
    return;
  }
  std::abort();  // isa.def has another name for it
}

std::uint32_t MmaTile::flag(std::string_view name) const {
  for (const isa::FieldInfo& f : isa::info(static_cast<std::uint8_t>(op))->fields) {
    if (f.name == name) return mod >> f.lsb & ((1u << f.width) - 1);
  }
  return 0;
}

MmaNumberFormat MmaTile::format() const {
  constexpr MmaNumberFormat kFormats[] = {kMmaF16, kMmaBf16, kMmaTf32};
  return kFormats[flag("format")];
}

MmaPlace mma_place_in_a(int row, int k, int per, bool m8) {
  const int registers = m8 ? 1 : 2;
  return {4 * (row % 8) + k % (4 * per) / per, (k / (4 * per) * registers + row / 8) * per + k % per};
}

MmaPlace mma_place_in_b(int k, int column, int per) {
  return {4 * column + k % (4 * per) / per, k / (4 * per) * per + k % per};
}

MmaPlace mma_place_in_c(int row, int column) { return {4 * (row % 8) + column / 2, row / 8 * 2 + column % 2}; }

std::uint32_t mma_element(const WarpRows& rows, MmaPlace p, int bits) {
  const int per = 32 / bits;
  const std::uint32_t word = rows[static_cast<std::size_t>(p.element / per)][static_cast<std::size_t>(p.lane)];
  return bits == 32 ? word : word >> bits * (p.element % per) & ((1u << bits) - 1);
}

std::string MmaTile::text() const {
  std::ostringstream out;
  out << isa::info(static_cast<std::uint8_t>(op))->mnemonic;
  for (const isa::FieldInfo& f : isa::info(static_cast<std::uint8_t>(op))->fields) {
    if (flag(f.name) != 0 && f.name != "metadata") out << ' ' << f.name << '=' << flag(f.name);
  }
  return out.str();
}

std::uint32_t mma_sum(const MmaNumberFormat& ab, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                      std::uint32_t c, const MmaNumberFormat& cd) {
  std::array<Number, 16> x, y;
  for (std::size_t k = 0; k < a.size(); k++) x[k] = number(ab, a[k]), y[k] = number(ab, b[k]);
  return sum_of_floats(x.data(), y.data(), static_cast<int>(a.size()), number(cd, c), cd);
}

WarpRows mma_reference(const MmaTile& t) {
  WarpRows d{};
  const bool f16_d = t.flag("f16_d") != 0, sparse = t.flag("sparse") != 0;
  const int rows = t.flag("m8") ? 8 : 16, bits_d = f16_d ? 16 : 32;
  const MmaNumberFormat ab = t.format(), cd = f16_d ? kMmaF16 : kMmaF32;
  const int n = (t.half_k() ? 128 : 256) / ab.bits, per = 32 / ab.bits;  // of floats
  std::array<std::array<Number, 32>, 8> columns;
  for (int j = 0; t.floats() && j < 8; j++)
    for (int k = 0; k < n << sparse; k++)
      columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)] =
          number(ab, mma_element(t.b, mma_place_in_b(k, j, per), ab.bits));
  for (int i = 0; i < rows; i++) {
    std::array<Number, 16> a, b;
    std::array<std::size_t, 16> from;
    for (int k = 0; t.floats() && k < n; k++) {
      a[static_cast<std::size_t>(k)] = number(ab, mma_element(t.a, mma_place_in_a(i, k, per, false), ab.bits));
      from[static_cast<std::size_t>(k)] = static_cast<std::size_t>(sparse && per > 1 ? row_of_b(t, i, k, ab.bits) : k);
    }
    for (int j = 0; j < 8; j++) {
      const MmaPlace p = mma_place_in_c(i, j);
      const std::uint32_t c = mma_element(t.c, p, bits_d);
      std::uint32_t r = 0;
      if (t.floats()) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); k++)
          b[k] = sparse && per == 1 ? number(ab, word_of_b(t, i, static_cast<int>(k), j))
                                    : columns[static_cast<std::size_t>(j)][from[k]];
        r = sum_of_floats(a.data(), b.data(), n, number(cd, c), cd);
      } else {
        r = sum_of_integers(t, i, j, c);
      }
      const int at = f16_d ? p.element / 2 : p.element, shift = f16_d ? 16 * (p.element % 2) : 0;
      d[static_cast<std::size_t>(at)][static_cast<std::size_t>(p.lane)] |= r << shift;
    }
  }
  return d;
}

}  // namespace heddle::test
