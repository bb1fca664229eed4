// SPDX-License-Identifier: Apache-2.0
// The tensor core's instructions against the host's arithmetic: a sum's terms are cut off as f64 numbers, which hold
// them all exactly. Matrices are laid across the warp by the words of the PTX manual.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <utility>

#include "sim/model/decode.h"
#include "sim/model/float_environment.h"
#include "sim/model/ops.h"
#include "tests/unit/model/program.h"

namespace heddle::test {
namespace {

using model::Row;

// Registers of a warp: A from R0, B from R4, C from R8, D from R12, metadata in R16.
constexpr int kA = 0, kB = 4, kC = 8, kD = 12, kMetadata = 16;

class Mma : public ::testing::Test {
 protected:
  void run(const std::string& text, uint32_t mask = model::kAllLanes) {
    const model::Decoded d = model::decode(assemble(text).at(0));
    ASSERT_EQ(d.kind, model::Kind::Alu) << text;
    model::Lanes lanes{rows, predicates, &rows[d.rb == isa::kRz ? 255 : d.rb], mask, mask, nullptr};
    d.execute(d, lanes);
  }
  void fill() {
    for (int r = 0; r <= kMetadata; r++)
      for (uint32_t& lane : rows[r].lane) lane = static_cast<uint32_t>(random());
  }
  // Element i of a lane's registers from `first` on, `bits` wide.
  uint64_t element(int first, int lane, int i, int bits) const {
    if (bits == 64) return rows[first + 2 * i].lane[lane] | uint64_t{rows[first + 2 * i + 1].lane[lane]} << 32;
    const int per = 32 / bits;
    const uint32_t word = rows[first + i / per].lane[lane] >> bits * (i % per);
    return bits == 32 ? word : word & ((1u << bits) - 1);
  }
  void set(int first, int lane, int i, int bits, uint32_t value) {
    const int per = 32 / bits;
    uint32_t& word = rows[first + i / per].lane[lane];
    const uint32_t mask = (bits == 32 ? ~0u : (1u << bits) - 1) << bits * (i % per);
    word = (word & ~mask) | value << bits * (i % per);
  }
  // Where element (row, column) of A lies, by the manual: of `per` elements a register, a lane holds that many
  // neighbours of a row, then as many of the row 8 below, then both 4 * per columns on.
  struct Place {
    int lane, i;
  };
  static Place in_a(int row, int k, int per, bool m8 = false) {
    const int registers = m8 ? 1 : 2;
    return {4 * (row % 8) + k % (4 * per) / per, (k / (4 * per) * registers + row / 8) * per + k % per};
  }
  static Place in_b(int k, int column, int per) {
    return {4 * column + k % (4 * per) / per, k / (4 * per) * per + k % per};
  }
  static Place in_c(int row, int column) { return {4 * (row % 8) + column / 2, row / 8 * 2 + column % 2}; }

  model::FloatEnvironment environment;
  std::mt19937_64 random{random_seed()};
  Row rows[256] = {};
  uint32_t predicates[8] = {0, 0, 0, 0, 0, 0, 0, model::kAllLanes};
};

struct Format {
  const char* name;
  int bits, exponent, fraction;  // tf32: the lower 13 bits of its 32 do not count
};
constexpr Format kF16{"F16", 16, 5, 10}, kBf16{"BF16", 16, 8, 7}, kTf32{"TF32", 32, 8, 10}, kF32{"", 32, 8, 23};

double value_of(const Format& f, uint64_t x) {
  if (f.bits == 32 && f.fraction == 10) x >>= 13;
  const int bias = (1 << (f.exponent - 1)) - 1, field = static_cast<int>(x >> f.fraction) & ((1 << f.exponent) - 1);
  const auto fraction = static_cast<double>(x & ((1u << f.fraction) - 1)) / (1 << f.fraction);
  double v = field == (1 << f.exponent) - 1 ? (fraction != 0 ? std::nan("") : INFINITY)
             : field                        ? std::ldexp(1 + fraction, field - bias)
                                            : std::ldexp(fraction, 1 - bias);
  return x >> (f.exponent + f.fraction) & 1 ? -v : v;
}
int exponent_of(const Format& f, double v) { return std::max(std::ilogb(v), 2 - (1 << (f.exponent - 1))); }

uint32_t f32_toward_zero(double v) {
  auto r = static_cast<float>(v);
  if (std::abs(static_cast<double>(r)) > std::abs(v)) r = std::nextafter(r, 0.0f);
  if (std::abs(v) >= 0x1p128) r = v < 0 ? -INFINITY : INFINITY;
  return r == 0 ? 0 : std::bit_cast<uint32_t>(r);
}
uint32_t f16_to_nearest(double v) {
  const int e = std::max(std::ilogb(v), -14);
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(std::abs(v), 10 - e)));
  const uint32_t bits = std::min(static_cast<uint32_t>((e + 14) << 10) + units, 0x7c00u);
  return bits == 0 ? 0 : bits | (v < 0 ? 0x8000 : 0);
}

uint32_t expected(const Format& ab, const Format& cd, const double* a, const double* b, int n, double c) {
  double plain = c;
  int top = c != 0 && std::isfinite(c) ? exponent_of(cd, c) : -133;
  for (int k = 0; k < n; k++) plain += a[k] * b[k];
  const uint32_t sign = 1u << (cd.bits - 1), infinity = ((1u << cd.exponent) - 1) << cd.fraction;
  if (std::isnan(plain)) return sign - 1;
  if (std::isinf(plain)) return infinity | (plain < 0 ? sign : 0);
  for (int k = 0; k < n; k++)
    if (a[k] * b[k] != 0) top = std::max(top, exponent_of(ab, a[k]) + exponent_of(ab, b[k]));
  top = std::max(top, -133);
  double sum = std::trunc(std::ldexp(c, 25 - top));
  for (int k = 0; k < n; k++) sum += std::trunc(std::ldexp(a[k] * b[k], 25 - top));
  if (sum == 0) return 0;
  return cd.bits == 16 ? f16_to_nearest(std::ldexp(sum, top - 25)) : f32_toward_zero(std::ldexp(sum, top - 25));
}

struct Hmma {
  Format ab, cd;
  int k;
};

class MmaFloat : public Mma, public ::testing::WithParamInterface<Hmma> {
 protected:
  // Numbers whose exponents lie within `spread` of a middle one; some are special.
  void numbers(int first, int registers, const Format& f, int middle, int spread, int special) {
    const int most = (1 << f.exponent) - 2;
    for (int r = 0; r < registers; r++) {
      for (int lane = 0; lane < 32; lane++) {
        uint32_t word = 0;
        for (int i = 0; i < 32 / f.bits; i++) {
          const auto e = middle - spread + static_cast<int>(random() % (2 * spread + 1));
          uint32_t x =
              static_cast<uint32_t>(std::clamp(e, 0, most)) << f.fraction | (random() & ((1u << f.fraction) - 1));
          if (special && random() % special == 0)
            x = random() % 2 ? 0 : static_cast<uint32_t>(most + 1) << f.fraction | random() % 2;
          x |= static_cast<uint32_t>(random() % 2) << (f.exponent + f.fraction);
          if (f.bits == 32 && f.fraction == 10) x = x << 13 | (random() & 0x1fff);
          word |= x << f.bits * i;
        }
        rows[first + r].lane[lane] = word;
      }
    }
  }
};

TEST_P(MmaFloat, IsOneSumCutOffAt25Places) {
  const auto& [ab, cd, k] = GetParam();
  const bool half = k * ab.bits < 256;
  const std::string text =
      std::string("HMMA.") + ab.name + (cd.bits == 16 ? ".F16_D" : "") + (half ? ".HALF_K" : "") + " R12, R0, R4, R8";
  const int bias = (1 << (ab.exponent - 1)) - 1, bias_c = (1 << (cd.exponent - 1)) - 1;
  for (int tile = 0; tile < 400; tile++) {
    const int spread = 1 << tile % 7, special = tile % 5 == 4 ? 16 : 0;
    // Products about as large as C; or near the smallest numbers.
    const int middle = tile % 3 == 2 ? 0 : bias, at = static_cast<int>(random() % 64) - 32;
    numbers(kA, 4, ab, middle, spread, special);
    numbers(kB, 2, ab, tile % 3 == 1 ? bias + at : bias, spread, special);
    numbers(kC, 4, cd, tile % 3 == 2 ? 1 : bias_c + at, spread, tile % 4 == 3 ? 2 : special);
    run(text);
    for (int row = 0; row < 16; row++) {
      for (int column = 0; column < 8; column++) {
        double a[16], b[16];
        for (int i = 0; i < k; i++) {
          const Place pa = in_a(row, i, 32 / ab.bits), pb = in_b(i, column, 32 / ab.bits);
          a[i] = value_of(ab, element(kA, pa.lane, pa.i, ab.bits));
          b[i] = value_of(ab, element(kB, pb.lane, pb.i, ab.bits));
        }
        const Place p = in_c(row, column);
        const double c = value_of(cd, element(kC, p.lane, p.i, cd.bits));
        ASSERT_EQ(element(kD, p.lane, p.i, cd.bits), expected(ab, cd, a, b, k, c))
            << text << " tile " << tile << " row " << row << " column " << column;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MmaFloat,
                         ::testing::Values(Hmma{kF16, kF32, 16}, Hmma{kF16, kF32, 8}, Hmma{kF16, kF16, 16},
                                           Hmma{kF16, kF16, 8}, Hmma{kBf16, kF32, 16}, Hmma{kBf16, kF32, 8},
                                           Hmma{kTf32, kF32, 8}, Hmma{kTf32, kF32, 4}));

TEST_F(Mma, ASumThatIsCutOffToZeroIsPositive) {
  // -2^-149 * 2^-1 in bf16, and -0 from everywhere.
  set(kA, 0, 0, 16, 0x8001);  // -2^-133
  set(kB, 0, 0, 16, 0x3780);  // 2^-16
  run("HMMA.BF16 R12, R0, R4, R8");
  EXPECT_EQ(rows[kD].lane[0], 0x80000001u);
  set(kB, 0, 0, 16, 0x3700);  // 2^-17
  run("HMMA.BF16 R12, R0, R4, R8");
  EXPECT_EQ(rows[kD].lane[0], 0u);
  for (int r = 0; r < 4; r++)
    for (int lane = 0; lane < 32; lane++) rows[kA + r].lane[lane] = 0x80008000, rows[kC + r].lane[lane] = 0x80000000;
  run("HMMA.BF16 R12, R0, R4, R8");
  for (const uint32_t lane : rows[kD].lane) EXPECT_EQ(lane, 0u);
}

TEST_F(Mma, RzIsAMatrixOfZerosAndDMayBeC) {
  fill();
  const Row before = rows[kC];
  run("IMMA R8, RZ, R4, R8");
  for (int lane = 0; lane < 32; lane++) EXPECT_EQ(rows[kC].lane[lane], before.lane[lane]);
  run("IMMA R12, R0, RZ, RZ");
  for (const uint32_t lane : rows[kD].lane) EXPECT_EQ(lane, 0u);
}

TEST_F(Mma, AllLanesAreReadAndThoseThatExecuteWritten) {
  fill();
  Row before[4], all[4];
  for (int r = 0; r < 4; r++) before[r] = rows[kD + r];
  run("HMMA.F16 R12, R0, R4, R8");
  for (int r = 0; r < 4; r++) all[r] = std::exchange(rows[kD + r], before[r]);
  run("HMMA.F16 R12, R0, R4, R8", 0x00ff0f01);
  for (int r = 0; r < 4; r++)
    for (int lane = 0; lane < 32; lane++)
      EXPECT_EQ(rows[kD + r].lane[lane], (0x00ff0f01u >> lane & 1 ? all : before)[r].lane[lane]);
}

struct Imma {
  const char* text;
  int m, k;
  bool sign_a, sign_b, sat;
};

class MmaInteger : public Mma, public ::testing::WithParamInterface<Imma> {};

TEST_P(MmaInteger, IsExactAndWrapsOrIsClampedOnce) {
  const Imma& p = GetParam();
  for (int tile = 0; tile < 100; tile++) {
    fill();
    if (tile % 2)
      for (int r = 0; r < 4; r++)
        for (uint32_t& c : rows[kC + r].lane) c = 0x7fffff00u + static_cast<uint32_t>(random() % 512);
    run(p.text);
    for (int row = 0; row < p.m; row++) {
      for (int column = 0; column < 8; column++) {
        const Place at = in_c(row, column);
        int64_t sum = static_cast<int32_t>(element(kC, at.lane, at.i, 32));
        for (int k = 0; k < p.k; k++) {
          const Place pa = in_a(row, k, 4, p.m == 8), pb = in_b(k, column, 4);
          const auto a = static_cast<int>(element(kA, pa.lane, pa.i, 8)),
                     b = static_cast<int>(element(kB, pb.lane, pb.i, 8));
          sum += (p.sign_a && a > 127 ? a - 256 : a) * (p.sign_b && b > 127 ? b - 256 : b);
        }
        if (p.sat) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
        ASSERT_EQ(element(kD, at.lane, at.i, 32), static_cast<uint32_t>(sum)) << p.text;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MmaInteger,
                         ::testing::Values(Imma{"IMMA R12, R0, R4, R8", 16, 32, false, false, false},
                                           Imma{"IMMA.SIGN_A R12, R0, R4, R8", 16, 32, true, false, false},
                                           Imma{"IMMA.SIGN_B.HALF_K R12, R0, R4, R8", 16, 16, false, true, false},
                                           Imma{"IMMA.SIGN_A.SIGN_B.SAT R12, R0, R4, R8", 16, 32, true, true, true},
                                           Imma{"IMMA.SAT.HALF_K R12, R0, R4, R8", 16, 16, false, false, true},
                                           Imma{"IMMA.SIGN_A.SIGN_B.M8 R12, R0, R4, R8", 8, 16, true, true, false}));

TEST_F(Mma, BitsAreCounted) {
  fill();
  for (const bool is_xor : {false, true}) {
    run(is_xor ? "IMMA.BITS.XOR R12, R0, R4, R8" : "IMMA.BITS R12, R0, R4, R8");
    for (int row = 0; row < 16; row++) {
      for (int column = 0; column < 8; column++) {
        const Place at = in_c(row, column);
        auto sum = static_cast<uint32_t>(element(kC, at.lane, at.i, 32));
        for (int k = 0; k < 256; k++) {
          const Place pa = in_a(row, k, 32), pb = in_b(k, column, 32);
          const uint64_t a = element(kA, pa.lane, pa.i, 1), b = element(kB, pb.lane, pb.i, 1);
          sum += static_cast<uint32_t>(is_xor ? a ^ b : a & b);
        }
        ASSERT_EQ(element(kD, at.lane, at.i, 32), sum);
      }
    }
  }
}

struct Sparse {
  const char* text;
  int k, bits, selector;
};

class MmaSparse : public Mma, public ::testing::WithParamInterface<Sparse> {
 protected:
  // The two columns of group x that row g + 8 h of A has, by the manual's places of metadata.
  std::array<int, 2> columns(const Sparse& p, int row, int x) const {
    const int g = row % 8, h = row / 8, groups = p.k / 4;
    int lane = 4 * g, nibble = 0;
    if (groups == 4) lane += p.selector, nibble = 4 * h + x;
    else if (groups == 16) lane += 2 * (x / 8) + h, nibble = x % 8;
    else if (p.bits == 8) lane += 2 * p.selector + h, nibble = x;
    else lane += 2 * p.selector + x / 4, nibble = 4 * h + x % 4;
    const uint32_t n = rows[kMetadata].lane[lane] >> 4 * nibble;
    return {static_cast<int>(4 * x + (n & 3)), static_cast<int>(4 * x + (n >> 2 & 3))};
  }
};

TEST_P(MmaSparse, MultipliesWhatIsStoredByTheRowsThatMetadataName) {
  const Sparse& p = GetParam();
  const int per = 32 / p.bits;
  for (int tile = 0; tile < 100; tile++) {
    fill();
    run(p.text);
    for (int row = 0; row < 16; row++) {
      for (int column = 0; column < 8; column++) {
        const Place at = in_c(row, column);
        uint64_t a[32], b[32];
        for (int i = 0; i < p.k / 2; i++) {
          const Place pa = in_a(row, i, per),
                      pb = in_b(columns(p, row, i / 2)[static_cast<size_t>(i % 2)], column, per);
          a[i] = element(kA, pa.lane, pa.i, p.bits), b[i] = element(kB, pb.lane, pb.i, p.bits);
        }
        const auto c = static_cast<uint32_t>(element(kC, at.lane, at.i, 32));
        uint32_t d = c;
        if (p.bits == 8) {
          for (int i = 0; i < p.k / 2; i++) d += static_cast<uint32_t>(a[i] * b[i]);
        } else {
          double x[16], y[16];
          for (int i = 0; i < p.k / 2; i++) x[i] = value_of(kF16, a[i]), y[i] = value_of(kF16, b[i]);
          d = expected(kF16, kF32, x, y, p.k / 2, value_of(kF32, c));
        }
        ASSERT_EQ(element(kD, at.lane, at.i, 32), d) << p.text << " row " << row << " column " << column;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MmaSparse,
    ::testing::Values(Sparse{"IMMA.SPARSE.HALF_K.SELECTOR=1.METADATA=16 R12, R0, R4, R8", 32, 8, 1},
                      Sparse{"IMMA.SPARSE.METADATA=16 R12, R0, R4, R8", 64, 8, 0},
                      Sparse{"HMMA.F16.SPARSE.HALF_K.SELECTOR=3.METADATA=16 R12, R0, R4, R8", 16, 16, 3},
                      Sparse{"HMMA.F16.SPARSE.SELECTOR=1.METADATA=16 R12, R0, R4, R8", 32, 16, 1}));

TEST(MmaDecode, RefusesWhatThereIsNot) {
  const auto kind = [](const std::string& text, const Features& has = {}) {
    return model::decode(assemble(text).at(0), isa::kRz, has).kind;
  };
  using model::Kind;
  EXPECT_EQ(kind("HMMA.F16 R12, R0, R4, R8"), Kind::Alu);
  EXPECT_EQ(kind("HMMA.FORMAT=3 R12, R0, R4, R8"), Kind::Illegal);
  EXPECT_EQ(kind("HMMA.BF16.F16_D R12, R0, R4, R8"), Kind::Illegal);
  EXPECT_EQ(kind("HMMA.F16 R12, R2, R4, R8"), Kind::Illegal);     // A is a quad,
  EXPECT_EQ(kind("HMMA.F16.HALF_K R12, R2, R5, R8"), Kind::Alu);  // or a pair, and B one register
  EXPECT_EQ(kind("HMMA.F16 R12, R0, R5, R8"), Kind::Illegal);
  EXPECT_EQ(kind("HMMA.F16 R14, R0, R4, R8"), Kind::Illegal);
  EXPECT_EQ(kind("HMMA.F16.F16_D R14, R0, R4, R10"), Kind::Alu);
  EXPECT_EQ(kind("IMMA.M8 R14, R1, R3, R10"), Kind::Alu);
  EXPECT_EQ(model::decode(assemble("HMMA.F16 R12, R0, R4, R8").at(0), 14).kind, Kind::Illegal);  // R15 is outside
  EXPECT_EQ(kind("HMMA.F16.SPARSE R12, R0, R6, R8"), Kind::Illegal);                             // B is a quad
  EXPECT_EQ(kind("IMMA.M8.SPARSE R12, R0, R4, R8"), Kind::Illegal);
  EXPECT_EQ(model::decode(assemble("IMMA.SPARSE.METADATA=16 R12, R0, R4, R8").at(0), 16).kind, Kind::Illegal);
  Features none;
  none.tensor = false;
  EXPECT_EQ(kind("HMMA.F16 R12, R0, R4, R8", none), Kind::Illegal);
  none = {};
  none.fp64 = false;
  EXPECT_EQ(kind("IMMA R12, R0, R4, R8", none), Kind::Alu);
}

}  // namespace
}  // namespace heddle::test
