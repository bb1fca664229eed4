// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix, movmatrix in every form, with rows anywhere in shared memory, against the manual's rule; and a
// product of matrices that they load and store.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "tests/programs/ptx/device.h"

namespace heddle::test {
namespace {

constexpr size_t kLanes = 32, kShared = 256, kRows = 62;            // words of shared memory; rows that a lane may name
constexpr size_t kOffset = kShared, kRegisters = kShared + kLanes;  // in `in`
constexpr size_t kDisplacement = 32;

// One warp with the first words of `in` in shared memory. %s, %g: the shared and the generic address of `rows`, plus
// the lane's offset; %in: the lane's first word; %out: the lane's word of `out`.
std::string kernel(const std::string& body) {
  std::string text = R"(
.version 8.4
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 in)
{
  .reg .b32 %t, %s, %w, %zero, %r<8>, %d<4>;
  .reg .b64 %in, %out, %g;
  .shared .align 16 .b8 rows[1024];
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  mov.u32 %t, %laneid;
  mov.u32 %zero, 0;
  mad.wide.u32 %in, %t, 4, %in;
  mad.wide.u32 %out, %t, 4, %out;
  mov.u32 %s, rows;
  mad.lo.u32 %s, %t, 4, %s;
)";
  for (size_t i = 0; i < kShared / kLanes; i++) {
    const std::string at = std::to_string(4 * kLanes * i);
    text += "ld.global.u32 %w, [%in+" + at + "]; st.shared.u32 [%s+" + at + "], %w;\n";
  }
  return text + "ld.global.u32 %w, [%in+" + std::to_string(4 * kOffset) + R"(];
  mov.u32 %s, rows;
  add.u32 %s, %s, %w;
  cvt.u64.u32 %g, %s;
  cvta.shared.u64 %g, %g;
  bar.sync 0;
)" + body +
         "ret;\n}\n";
}

std::string list_of(size_t registers) {
  std::string text = "{%r0";
  for (size_t i = 1; i < registers; i++) text += ", %r" + std::to_string(i);
  return text + "}";
}

// All of shared memory to `out`.
std::string copy_out() {
  std::string text = "bar.sync 0;\nmov.u32 %s, rows;\nmad.lo.u32 %s, %t, 4, %s;\n";
  for (size_t i = 0; i < kShared / kLanes; i++) {
    const std::string at = std::to_string(4 * kLanes * i);
    text += "ld.shared.u32 %w, [%s+" + at + "]; st.global.u32 [%out+" + at + "], %w;\n";
  }
  return text;
}

// Random words, and in each lane the offset of a row of its own.
Data random_rows(uint64_t seed) {
  std::mt19937_64 random(seed);
  Data data = random_data(seed, kRegisters + 4 * kLanes);
  std::vector<uint32_t> row(kRows);
  std::iota(row.begin(), row.end(), 0u);
  std::shuffle(row.begin(), row.end(), random);
  for (size_t lane = 0; lane < kLanes; lane++) data[kOffset + lane] = 16 * row[lane];
  return data;
}

uint32_t half_of(uint32_t word, size_t upper) { return word >> 16 * upper & 0xffff; }

// Number `column` of row `row` of matrix `i`: the place in memory, as a word and its half.
struct Place {
  size_t word, upper;
};
Place place_of(const Data& in, size_t i, size_t row, size_t column) {
  return {(in[kOffset + 8 * i + row] + kDisplacement) / 4 + column / 2, column % 2};
}

// Of the lane's two numbers, the first and second: row and column.
std::pair<size_t, size_t> number_of(size_t lane, size_t second, bool transposed) {
  const std::pair<size_t, size_t> at{lane / 4, 2 * (lane % 4) + second};
  return transposed ? std::pair{at.second, at.first} : at;
}

struct Form {
  size_t matrices;
  bool transposed;
  const char* space;
  std::string instruction(const std::string& opcode) const {
    return opcode + ".sync.aligned.m8n8.x" + std::to_string(matrices) + (transposed ? ".trans" : "") + space + ".b16";
  }
  // Without a state space, a generic address.
  std::string address() const {
    return std::string(*space ? "[%s" : "[%g") + "+" + std::to_string(kDisplacement) + "]";
  }
};

class Matrices : public testing::TestWithParam<std::tuple<size_t, bool, const char*, unsigned>> {
 protected:
  Form form() const { return {std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam())}; }
  unsigned optimization() const { return std::get<3>(GetParam()); }
};

void run(const std::string& body, unsigned optimization, Data& in, Data& out) {
  Device device(kernel(body), {.blocks = 1, .threads = kLanes}, optimization);
  ASSERT_EQ(device.error(), "");
  in = random_rows(device.seed());
  out.assign(kShared, 0);
  Data given = in;
  const Status status = device.run(out, given);
  ASSERT_TRUE(status.ok()) << status.error().message();
}

TEST_P(Matrices, AreLoaded) {
  const Form form = this->form();
  std::string body = form.instruction("ldmatrix") + " " + list_of(form.matrices) + ", " + form.address() + ";\n";
  for (size_t i = 0; i < form.matrices; i++)
    body += "st.global.u32 [%out+" + std::to_string(4 * kLanes * i) + "], %r" + std::to_string(i) + ";\n";
  Data in, out;
  ASSERT_NO_FATAL_FAILURE(run(body, optimization(), in, out));
  for (size_t i = 0; i < form.matrices; i++)
    for (size_t lane = 0; lane < kLanes; lane++)
      for (size_t second = 0; second < 2; second++) {
        const auto [row, column] = number_of(lane, second, form.transposed);
        const Place place = place_of(in, i, row, column);
        ASSERT_EQ(half_of(out[kLanes * i + lane], second), half_of(in[place.word], place.upper))
            << "matrix " << i << ", lane " << lane;
      }
}

TEST_P(Matrices, AreStored) {
  const Form form = this->form();
  std::string body;
  for (size_t i = 0; i < form.matrices; i++)
    body += "ld.global.u32 %r" + std::to_string(i) + ", [%in+" + std::to_string(4 * (kRegisters + kLanes * i)) + "];\n";
  body += form.instruction("stmatrix") + " " + form.address() + ", " + list_of(form.matrices) + ";\n" + copy_out();
  Data in, out;
  ASSERT_NO_FATAL_FAILURE(run(body, optimization(), in, out));
  Data expected(in.begin(), in.begin() + kShared);
  for (size_t i = 0; i < form.matrices; i++)
    for (size_t lane = 0; lane < kLanes; lane++)
      for (size_t second = 0; second < 2; second++) {
        const auto [row, column] = number_of(lane, second, form.transposed);
        const Place place = place_of(in, i, row, column);
        uint32_t& word = expected[place.word];
        word = (word & ~(0xffffu << 16 * place.upper)) | half_of(in[kRegisters + kLanes * i + lane], second)
                                                             << 16 * place.upper;
      }
  for (size_t n = 0; n < kShared; n++) ASSERT_EQ(out[n], expected[n]) << "word " << n;
}

INSTANTIATE_TEST_SUITE_P(Ptx, Matrices,
                         testing::Combine(testing::Values(1, 2, 4), testing::Bool(),
                                          testing::Values("", ".shared", ".shared::cta"), testing::Values(0u, 2u)));

TEST(MatrixPrograms, AreTransposedInRegisters) {
  Data in, out;
  ASSERT_NO_FATAL_FAILURE(run("ld.global.u32 %r0, [%in+" + std::to_string(4 * kRegisters) +
                                  "];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r0, %r0;\nst.global.u32 [%out], %r0;\n",
                              2, in, out));
  for (size_t lane = 0; lane < kLanes; lane++)
    for (size_t second = 0; second < 2; second++) {
      const auto [row, column] = number_of(lane, second, true);
      ASSERT_EQ(half_of(out[lane], second), half_of(in[kRegisters + 4 * row + column / 2], column % 2))
          << "lane " << lane;
    }
}

// A small integer as f16.
uint32_t f16(int n) {
  if (n == 0) return 0;
  const auto size = static_cast<uint32_t>(std::abs(n));
  const auto exponent = static_cast<uint32_t>(std::bit_width(size)) - 1;
  return (n < 0 ? 0x8000u : 0) | (15 + exponent) << 10 | (size << (10 - exponent) & 0x3ff);
}

// A 16 x 16 and B 16 x 8, both by rows, B turned as it is loaded; D 16 x 8 by rows after them.
TEST(MatrixPrograms, AreLoadedMultipliedAndStored) {
  constexpr int kM = 16, kN = 8, kK = 16;
  constexpr size_t kB = 128, kD = 192;  // words of shared memory
  const std::string body = R"(
  and.b32 %r6, %t, 15;
  shr.u32 %r7, %t, 4;
  mov.u32 %s, rows;
  shl.b32 %r7, %r7, 4;
  mad.lo.u32 %r7, %r6, 32, %r7;
  add.u32 %r7, %r7, %s;
  mad.lo.u32 %s, %r6, 16, %s;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r7];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r4, %r5}, [%s+512];
  mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%d0, %d1}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%zero, %zero};
  stmatrix.sync.aligned.m8n8.x2.shared.b16 [%s+768], {%d0, %d1};
)" + copy_out();
  if (!has_tensor_unit()) GTEST_SKIP() << "no tensor unit";
  Device device(kernel(body), {.blocks = 1, .threads = kLanes}, 2);
  ASSERT_EQ(device.error(), "");
  std::mt19937_64 random(device.seed());
  int a[kM][kK], b[kK][kN];
  Data in(kRegisters + 4 * kLanes, 0), out(kShared, 0);
  const auto put = [&in](size_t first, size_t number, int value) {
    in[first + number / 2] |= f16(value) << number % 2 * 16;
  };
  const auto small = [&random] { return static_cast<int>(random() % 9) - 4; };
  for (size_t m = 0; m < kM; m++)
    for (size_t k = 0; k < kK; k++) put(0, m * kK + k, a[m][k] = small());
  for (size_t k = 0; k < kK; k++)
    for (size_t n = 0; n < kN; n++) put(kB, k * kN + n, b[k][n] = small());
  const Status status = device.run(out, in);
  ASSERT_TRUE(status.ok()) << status.error().message();
  for (size_t m = 0; m < kM; m++)
    for (size_t n = 0; n < kN; n++) {
      int sum = 0;
      for (size_t k = 0; k < kK; k++) sum += a[m][k] * b[k][n];
      const size_t number = m * kN + n;
      ASSERT_EQ(half_of(out[kD + number / 2], number % 2), f16(sum)) << "row " << m << ", column " << n;
    }
}

}  // namespace
}  // namespace heddle::test
