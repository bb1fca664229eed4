// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/compiler/random/generate_instruction.h"
#include "tests/compiler/random/matrix.h"
#include "tests/unit/rtl/tensor/mma_tile.h"

namespace heddle::compiler::test {
namespace {

using Of = Product::Of;
using Size = Product::Size;

using NumberFormat = heddle::test::MmaNumberFormat;
using heddle::test::kMmaF16, heddle::test::kMmaF32;

constexpr NumberFormat kE4m3{4, 3, 8, 0}, kE5m2{5, 2, 8, 0};
constexpr NumberFormat kUpperF64{11, 20, 32, 0};  // the upper half of f64

NumberFormat factor_format(const Product& p, bool is_signed) {
  if (is_float8(p)) return is_signed ? kE5m2 : kE4m3;
  return p.of == Of::Bf16   ? heddle::test::kMmaBf16
         : p.of == Of::Tf32 ? heddle::test::kMmaTf32
         : p.of == Of::F64  ? kUpperF64
                            : kMmaF16;
}
NumberFormat sum_format(const Product& p) {
  return p.of == Of::F64 ? kUpperF64 : sum_bits(p, 'c') == 16 ? kMmaF16 : kMmaF32;
}
uint32_t fraction(const NumberFormat& f) { return (1u << f.fraction) - 1; }
uint32_t sign(const NumberFormat& f) { return 1u << (f.exponent + f.fraction); }

// In each number of a word.
uint32_t word_of(const NumberFormat& f, uint32_t x) {
  return f.bits == 8 ? x * 0x01010101 : f.bits == 16 ? x | x << 16 : x << f.unused;
}

// Magnitudes from 2^exponent on, their exponents so many bits apart.
Pattern magnitudes(const NumberFormat& f, int exponent, unsigned spread) {
  const int field = std::clamp(exponent + f.bias(), 0, f.most() - 1);
  const uint32_t apart = (1u << spread) - 1, first = static_cast<uint32_t>(field) & ~apart;
  Pattern p;
  p.keep = word_of(f, sign(f) | apart << f.fraction | fraction(f)) | ((1u << f.unused) - 1);
  p.flip = word_of(f, first << f.fraction);
  return p;
}

// Zeros, infinities, NaN, the smallest and the largest numbers.
uint32_t special(const NumberFormat& f, unsigned which) {
  constexpr uint32_t kOfE4m3[] = {0, 0x80, 0x7e, 0xfe, 0x7f, 1, 7, 0x77};  // it has no infinities
  if (f.exponent == kE4m3.exponent) return kOfE4m3[which];
  const uint32_t infinity = static_cast<uint32_t>(f.most()) << f.fraction;
  const uint32_t words[] = {0, sign(f), infinity, infinity | sign(f), infinity | 1, 1, fraction(f), infinity - 1};
  return words[which];
}

}  // namespace

Product InstructionGenerator::product(bool float8) {
  Product p;
  p.of = pick({Of::F16, Of::F16, Of::F16Sums, Of::F16Sums, Of::Bf16, Of::Bf16, Of::Tf32, Of::Tf32, Of::Bytes, Of::Bytes,
               Of::Nibbles, Of::Bits, Of::F64, Of::F64, Of::Float8, Of::Float8, Of::Float8Sums});
  if (p.of == Of::F64 && !f64_matrices_) p.of = Of::F16;
  if (is_float8(p) && !float8) p.of = p.of == Of::Float8 ? Of::F16 : Of::F16Sums;
  if (is_float8(p)) p.sign_a = chance(50), p.sign_b = chance(50);
  if (!is_float(p) && p.of != Of::Bits) p.sign_a = chance(50), p.sign_b = chance(50), p.clamps = chance(50);
  p.is_xor = p.of == Of::Bits && chance(50);
  return p;
}

// mma, mostly with numbers made for it: sums of which much, little or nothing is left, of what is near the ends of the
// format, of anything.
std::vector<Instruction> InstructionGenerator::mma_instructions() {
  Instruction i;
  i.op = Op::Mma;
  Product& p = i.product = product(true);
  p.size = is_float(p) ? pick({Size::Half, Size::Full, Size::Full}) : pick({Size::Small, Size::Half, Size::Full});
  if (p.of == Of::F64) {
    p.size = pick({Size::Small, Size::Full, Size::Full});
    if (p.size == Size::Full) p.steps = pick({1u, 2u, 4u});
  } else if (p.of <= Of::F16Sums && chance(25)) {
    p.size = Size::Small, p.column_a = chance(50), p.row_b = chance(50);
    p.other_c = p.of == Of::F16 && chance(50);
  }
  const bool may_be_sparse =
      p.of != Of::Bits && p.of != Of::F64 && p.size != Size::Small && (!is_float8(p) || p.size == Size::Full);
  p.sparse = may_be_sparse && chance(30);
  p.metadata = reg(File::W);
  const File factors = p.of == Of::F64 ? File::D : File::W;
  if (p.sparse) p.selector = below(selectors(p));
  const unsigned a_count = registers_of(p, 'a'), b_count = registers_of(p, 'b'), c_count = registers_of(p, 'c');
  i.a = only_register(factors);
  if (p.of == Of::F64 || chance(20)) i.b = only_register(factors);  // perhaps of A's
  else i.b = {false, (i.a.reg + a_count + below(8 - a_count - b_count + 1)) % kRegisters[1], 0};
  const auto type_of = [&](char matrix, bool all_apart) {
    if (p.of == Of::F64) return Type::U64;
    const bool fits = !all_apart || registers_of(p, matrix) <= kRegisters[static_cast<int>(File::F)];
    return sum_name(p, matrix) == "f32" && fits && chance(50) ? Type::F32 : Type::U32;
  };
  i.type = type_of('c', false);
  i.to = type_of('d', true);
  i.c = only_register(file_of(i.type));
  i.dst = reg(file_of(i.to));

  Pattern a, b, c;
  if (is_float(p)) {
    const NumberFormat of_a = factor_format(p, p.sign_a), of_b = factor_format(p, p.sign_b), cd = sum_format(p);
    const auto within = [this](int low, int high) {
      return low + static_cast<int>(below(static_cast<unsigned>(high - low + 1)));
    };
    int x = within(-3, 3), y = within(-3, 3), z = x + y + within(-12, 12);
    unsigned spread = below(4), spread_c = below(4);
    const unsigned style = is_quads(p) && chance(40) ? 8 : below(8);
    if (style == 1) {  // the smallest
      if (p.of == Of::F64) x = within(-600, -400), y = within(-1080, -1010) - x;
      else if (of_a.exponent <= 5) x = within(-25, -8), y = within(-25, -8);
      else x = within(-90, -40), y = within(-155, -118) - x;
      z = p.of == Of::F64 ? within(-1080, -1010) : cd.exponent == 5 ? within(-25, -12) : within(-152, -118);
    } else if (style == 2) {  // pairs of products with opposite signs
      z = x + y + within(-40, 4);
    } else if (style == 3) {  // C far away
      z = x + y + within(-36, 36), spread = spread_c = 0;
    } else if (style == 4) {  // the largest
      const int largest = cd.bias();
      x = std::min(largest / 2 + within(-2, 2), of_a.bias());
      y = std::min(largest - x + within(-4, 1), of_b.bias());
      z = largest - within(0, 4), spread = spread_c = 0;
    } else if (style == 5) {  // ties
      x = within(-1, 1), y = within(-1, 1), z = x + y + within(6, 13), spread = spread_c = 0;
      if (p.of == Of::F64) z += within(0, 45);
    } else if (style == 8) {  // so far apart that the order of sums shows
      x = y = -1, z = within(-8, 0), spread = 4, spread_c = 2;
    }
    a = magnitudes(of_a, x, spread), b = magnitudes(of_b, y, spread), c = magnitudes(cd, z, spread_c);
    if (style == 5 || style == 8 || chance(20)) {  // few significant bits
      const auto shorten = [](Pattern& pattern, const NumberFormat& f) {
        pattern.keep &= ~word_of(f, fraction(f) >> 2), pattern.low = 0;
      };
      shorten(a, of_a), shorten(b, of_b), shorten(c, cd);
    }
    if (style == 2) a.pairs = b.pairs = true, b.opposite = word_of(of_b, sign(of_b));
    if (style == 6) a = b = c = {};  // any bits
    const auto word = [&](const NumberFormat& f) {
      uint32_t out = 0;
      for (int at = 0; at < 32; at += f.bits) out |= special(f, below(8)) << f.unused << at;
      return out;
    };
    a.special = word(of_a), b.special = word(of_b), c.special = word(cd);
  } else {
    constexpr uint32_t kEnds[] = {0x80808080, 0x7f7f7f7f, ~0u, 0, 0x88888888, 0x77777777};
    for (Pattern* factor : {&a, &b}) factor->special = pick_from(kEnds);
    if (chance(60)) c.keep = pick({0x7fffu, 0x3ffffu}), c.flip = pick({0x7fffffffu, 0x80000000u});  // near an end
  }
  std::vector<Instruction> out;
  const auto make = [&](Pattern pattern, Type type, unsigned first, unsigned count) {
    if (chance(15)) return;  // what they happen to hold
    constexpr uint32_t kRare[] = {0, 0, 1u << 27, 1u << 29};
    pattern.rare = pick_from(kRare);
    const Value source = only_register(File::W);
    for (unsigned n = 0; n < count; n++) {
      Instruction number;
      number.op = Op::Numbers;
      number.pattern = pattern;
      number.to = type;
      number.a = source;
      number.extra = static_cast<unsigned>(random_());
      number.dst = (first + n) % kRegisters[static_cast<int>(file_of(type))];
      out.push_back(number);
    }
  };
  make(c, i.type, i.c.reg, c_count);
  const Type factor = p.of == Of::F64 ? Type::U64 : Type::U32;
  make(a, factor, i.a.reg, a_count);
  make(b, factor, i.b.reg, b_count);
  if (p.sparse && chance(30)) p.metadata = i.a.reg;
  out.push_back(i);
  return out;
}

Instruction InstructionGenerator::wmma_instruction() {
  Instruction i;
  i.op = Op::Wmma;
  Product& p = i.product = product(false);
  p.size = p.of >= Of::Nibbles || p.of == Of::F64  ? Size::Small
           : p.of == Of::Tf32 || p.of == Of::Bytes ? Size::Half
                                                   : Size::Full;
  p.other_c = p.of <= Of::F16Sums && chance(50);
  i.extra = p.size == Size::Small ? 8 : p.of == Of::Tf32 ? 16 : pick({8u, 16u, 32u});
  for (const char matrix : {'a', 'b', 'c', 'd'}) {
    MatrixPlace& place = i.places[matrix - 'a'];
    const MatrixExtent extent = wmma_extent(p, i.extra, matrix);
    place.space =
        matrix == 'd' ? pick({Space::Shared, Space::Global}) : pick({Space::Shared, Space::Global, Space::Input});
    place.by_columns = chance(50);
    if (extent.bits < 8) place.by_columns = matrix == 'b';  // the only layouts
    // The upper half of a slice may have NaN, whose bits are open.
    const bool bits_matter = matrix <= 'b' || (matrix == 'c' && sum_name(p, 'c') != "f32");
    if (bits_matter && extent.line_bytes(place) > kSliceBytes / 2) place.space = Space::Input;
    place.first = below(32 - extent.lines(place) * extent.line_slices(place) + 1);
    place.generic = chance(30);
  }
  return i;
}

Instruction InstructionGenerator::move_matrix_instruction() {
  Instruction i;
  i.op = pick({Op::LoadMatrix, Op::LoadMatrix, Op::StoreMatrix, Op::StoreMatrix, Op::MoveMatrix});
  i.words = i.op == Op::MoveMatrix ? 1 : pick({1u, 2u, 4u});
  i.generic = chance(30);
  i.a = i.op == Op::StoreMatrix ? Value{true, 0, below(64)} : only_register(File::W);
  i.b = only_register(File::W);
  i.dst = reg(File::W);
  return i;
}

std::vector<Instruction> InstructionGenerator::matrix_instructions() {
  const unsigned kind = below(100);
  std::vector<Instruction> out;
  if (kind < 60) out = mma_instructions();
  else out.push_back(kind < 75 ? wmma_instruction() : move_matrix_instruction());
  Instruction& last = out.back();
  last.variant = below(kWholeWarpVariants);
  if (chance(20)) last.guard = predicate();
  return out;
}

}  // namespace heddle::compiler::test
