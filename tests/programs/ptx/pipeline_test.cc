// SPDX-License-Identifier: Apache-2.0
// pipeline.ptx, a product of matrices in the form in which compilers of tensor programs write them, against a product
// in integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>

#include "tests/programs/ptx/device.h"

namespace heddle::test {
namespace {

struct Size {
  uint32_t m, n, k;
};
void PrintTo(const Size& s, std::ostream* out) { *out << s.m << " x " << s.n << " x " << s.k; }

constexpr uint32_t kBlock = 32, kShared = 3 * 2 * kBlock * kBlock * 2, kHeader = 64;  // bytes
constexpr uint32_t kPadding = 0x7e007e00, kUntouched = 0xdeadbeef;                    // NaNs; no result

// f16 of a whole number below 65504, to nearest.
uint32_t half(int number) {
  const uint32_t sign = number < 0 ? 0x8000 : 0;
  auto v = static_cast<uint32_t>(std::abs(number));
  if (v == 0) return 0;
  const int exponent = std::bit_width(v) - 1, drop = exponent - 10;
  if (drop <= 0) return sign + (static_cast<uint32_t>(exponent + 14) << 10) + (v << -drop);
  v += (1u << (drop - 1)) - 1 + (v >> drop & 1);
  return sign + (static_cast<uint32_t>(exponent + 14) << 10) + (v >> drop);  // a carry goes into the exponent
}

// Rows of halves that begin at multiples of 16 bytes.
class Halves {
 public:
  Halves(Data& data, size_t first, uint32_t stride) : data_(data), first_(first), stride_(stride) {}

  void put(uint32_t row, uint32_t column, uint32_t value) {
    const size_t at = size_t{row} * stride_ + column, shift = at % 2 * 16;
    uint32_t& word = data_[first_ + at / 2];
    word = (word & ~(0xffffu << shift)) | value << shift;
  }

 private:
  Data& data_;
  size_t first_;
  uint32_t stride_;
};

class PipelinedProduct : public testing::TestWithParam<std::tuple<Size, unsigned>> {};

TEST_P(PipelinedProduct, HasItsBordersMasked) {
  if (!has_tensor_unit()) GTEST_SKIP() << "no tensor unit";
  const auto& [size, optimization] = GetParam();
  const auto& [m, n, k] = size;
  const auto blocks = [](uint32_t of) { return (of + kBlock - 1) / kBlock; };
  const uint32_t stride_a = (k + 7) / 8 * 8, stride_b = n + 8, stride_c = n + 16;
  const uint32_t first_a = kHeader / 4, first_b = first_a + m * stride_a / 2;
  const uint32_t first_bias = first_b + (k + kBlock) * stride_b / 2;  // rows that must not be multiplied lie between
  Shape shape{.blocks = blocks(m) * blocks(n), .threads = 128, .dynamic_shared = kShared};
  Device device(source("pipeline"), shape, optimization);
  ASSERT_EQ(device.error(), "");

  std::mt19937_64 random(device.seed());
  const auto small = [&] { return static_cast<int>(random() % 31) - 15; };
  Data in{m, n, k, stride_a, stride_b, stride_c, first_b * 4, first_bias * 4};
  in.resize(first_bias + n, kPadding);
  std::vector<int> a(size_t{m} * k), b(size_t{k} * n), bias(n);
  Halves a_in(in, first_a, stride_a), b_in(in, first_b, stride_b);
  for (uint32_t i = 0; i < m * k; i++) a_in.put(i / k, i % k, half(a[i] = small()));
  for (uint32_t i = 0; i < k * n; i++) b_in.put(i / n, i % n, half(b[i] = small()));
  for (uint32_t j = 0; j < n; j++)
    in[first_bias + j] = std::bit_cast<uint32_t>(static_cast<float>(bias[j] = 50 * small()));

  Data expected(size_t{m} * stride_c / 2, kUntouched), out = expected;
  Halves c(expected, 0, stride_c);
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t j = 0; j < n; j++) {
      int sum = bias[j];
      for (uint32_t q = 0; q < k; q++) sum += a[i * k + q] * b[q * n + j];
      c.put(i, j, half(std::max(sum, 0)));
    }
  const Status status = device.run(out, in);
  ASSERT_TRUE(status.ok()) << status.error().message();
  for (size_t i = 0; i < out.size(); i++)
    ASSERT_EQ(out[i], expected[i]) << "row " << i * 2 / stride_c << ", column " << i * 2 % stride_c;
}

INSTANTIATE_TEST_SUITE_P(Ptx, PipelinedProduct,
                         testing::Combine(testing::Values(Size{32, 32, 32}, Size{70, 72, 171}, Size{33, 8, 96},
                                                          Size{5, 40, 3}, Size{96, 64, 65}),
                                          testing::Values(0u, 2u)),
                         [](const auto& info) {
                           const Size& s = std::get<0>(info.param);
                           return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) + "_O" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace heddle::test
