// SPDX-License-Identifier: Apache-2.0
// wmma of every shape and type: matrices of small integers loaded, multiplied and stored, against a plain product.
// Layouts, strides and state spaces of all kinds; what lies between a matrix' rows must stay as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "tests/programs/ptx/device.h"

namespace heddle::test {
namespace {

// Bytes of `in`, and of shared memory: where the matrices are.
constexpr size_t kPlace = 2048, kD = 3 * kPlace, kBytes = 4 * kPlace;
constexpr uint32_t kUntouched = 0xdeadbeef;

int bits_of(const std::string& type) {
  return type == "f16" || type == "bf16" ? 16 : type == "tf32" ? 32 : std::stoi(type.substr(1));
}

// A small integer as a number of the type.
uint64_t encoded(const std::string& type, int64_t n) {
  const uint64_t wide = std::bit_cast<uint64_t>(static_cast<double>(n));
  const uint32_t single = std::bit_cast<uint32_t>(static_cast<float>(n));
  if (type == "f64") return wide;
  if (type == "f32" || type == "tf32") return single;
  if (type == "bf16") return single >> 16;
  if (type == "f16") return n == 0 ? 0 : (single >> 31) << 15 | ((single >> 13 & 0x3ffff) - ((127u - 15) << 10));
  const uint64_t mask = (uint64_t{1} << bits_of(type)) - 1;
  return static_cast<uint64_t>(n) & mask;
}

struct Case {
  const char* name;
  int m, n, k;
  const char *a, *b, *c, *d;
  const char* suffix = "";  // .satfinite
  const char* count = "";   // .xor.popc
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string shape_of(const Case& c) {
  return ".m" + std::to_string(c.m) + "n" + std::to_string(c.n) + "k" + std::to_string(c.k);
}

// A matrix in memory: `stride` numbers from one row, or column, to the next.
struct Matrix {
  std::string type;
  int rows, columns;
  bool by_columns;
  int pad;
  std::vector<int64_t> numbers;

  int bits() const { return bits_of(type); }
  int stride() const { return (by_columns ? rows : columns) + pad; }
  int64_t& at(int row, int column) { return numbers[static_cast<size_t>(row * columns + column)]; }
  // Its bits among words of memory.
  void put(Data& words, size_t byte) {
    for (int row = 0; row < rows; row++)
      for (int column = 0; column < columns; column++) {
        const uint64_t number = encoded(type, at(row, column));
        const auto place = static_cast<size_t>(by_columns ? column * stride() + row : row * stride() + column);
        const size_t bit = 8 * byte + place * static_cast<size_t>(bits());
        for (size_t n = 0; n < static_cast<size_t>(bits()); n++) {
          uint32_t& word = words[(bit + n) / 32];
          word = (word & ~(1u << (bit + n) % 32)) | static_cast<uint32_t>(number >> n & 1) << (bit + n) % 32;
        }
      }
  }
  std::string layout() const { return by_columns ? ".col" : ".row"; }
};

std::string list_of(const std::string& name, const std::string& type, int count) {
  std::string text = "{";
  for (int i = 0; i < count; i++)
    text += (i ? ", %" : "%") + std::string(type == "f64" ? "wide_" : "") + name + std::to_string(i);
  return text + "}";
}

// A lane's registers, as the manual has them.
int registers_of(const Case& c, char matrix) {
  const std::string type = matrix == 'a' ? c.a : matrix == 'b' ? c.b : matrix == 'c' ? c.c : c.d;
  if (matrix <= 'b' && type == "f16") return 8;
  const int numbers = (matrix == 'a' ? c.m * c.k : matrix == 'b' ? c.k * c.n : c.m * c.n) / 32;
  return std::max(1, type == "f64" ? numbers : numbers * bits_of(type) / 32);
}

enum class Stride { None, Constant, Register };
struct Memory {
  Stride stride;
  const char* space;  // "": generic
};

std::string kernel(const Case& c, const Memory& memory, const Matrix& a, const Matrix& b, const Matrix& c_in,
                   const Matrix& d) {
  const bool shared = std::string(memory.space).starts_with(".shared");
  const auto access = [&](const char* what, char matrix, const Matrix& x, size_t byte) {
    const std::string address = "[%base" + std::string(matrix == 'd' ? "_d" : "") + "+" + std::to_string(byte) + "]";
    const std::string registers = list_of(std::string(1, matrix), x.type, registers_of(c, matrix));
    const std::string number = std::to_string(x.stride());
    const std::string stride = memory.stride == Stride::None       ? ""
                               : memory.stride == Stride::Constant ? ", " + number
                                                                   : ", %stride";
    return (memory.stride == Stride::Register ? "mov.u32 %stride, " + number + ";\n" : "") + "wmma." + what + "." +
           matrix + ".sync.aligned" + x.layout() + shape_of(c) + memory.space + "." + x.type + " " +
           (matrix == 'd' ? address + ", " + registers : registers + ", " + address) + stride + ";\n";
  };
  std::string text = R"(
.version 8.4
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 in)
{
  .reg .b32 %t, %s, %w, %stride, %a<8>, %b<8>, %c<8>, %d<8>;
  .reg .b64 %in, %out, %base, %base_d, %from, %to, %wide_a<2>, %wide_b<2>, %wide_c<2>, %wide_d<2>;
  .reg .pred %more;
  .shared .align 16 .b8 space[8192];
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  mov.u64 %base, %in;
  mov.u64 %base_d, %out;
  mov.u32 %t, %laneid;
)";
  // Shared memory is filled from `in`, and its last part goes to `out`.
  const auto copy = [](const std::string& load, const std::string& store, size_t bytes, const std::string& label) {
    return "mov.u32 %s, 0;\n" + label + ":\n" + load + " %w, [%from];\n" + store +
           " [%to], %w;\nadd.u64 %from, %from, 128;\n" +
           "add.u64 %to, %to, 128;\nadd.u32 %s, %s, 128;\nsetp.lt.u32 %more, %s, " + std::to_string(bytes) +
           ";\n@%more bra " + label + ";\nbar.sync 0;\n";
  };
  if (shared)
    text +=
        "mad.wide.u32 %from, %t, 4, %in;\nmov.u64 %base, space;\nmov.u64 %base_d, %base;\nmad.wide.u32 %to, %t, 4, "
        "%base;\n" +
        copy("ld.global.u32", "st.shared.u32", kBytes, "fill");
  text += access("load", 'a', a, 0) + access("load", 'b', b, kPlace) + access("load", 'c', c_in, 2 * kPlace);
  const bool plain = std::string(c.a) == "f16";
  const std::string types = "." + std::string(c.d) + (plain ? "" : "." + std::string(c.a) + "." + c.b) + "." + c.c;
  text += "wmma.mma" + std::string(c.count) + ".sync.aligned" + a.layout() + b.layout() + shape_of(c) + types +
          c.suffix + " ";
  for (const auto& [matrix, type] : {std::pair{'d', c.d}, {'a', c.a}, {'b', c.b}, {'c', c.c}})
    text += (matrix == 'd' ? "" : ", ") + list_of(std::string(1, matrix), type, registers_of(c, matrix));
  text += ";\n" + access("store", 'd', d, shared ? kD : 0);
  if (shared)
    text += "bar.sync 0;\nmad.wide.u32 %from, %t, 4, %base;\nadd.u64 %from, %from, " + std::to_string(kD) +
            ";\nmad.wide.u32 %to, %t, 4, %out;\n" + copy("ld.shared.u32", "st.global.u32", kPlace, "drain");
  return text + "ret;\n}\n";
}

int64_t product_of(const Case& c, int64_t a, int64_t b) {
  const std::string count = c.count;
  return count == ".xor.popc" ? a ^ b : count == ".and.popc" ? a & b : a * b;
}

class Wmma : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!has_tensor_unit()) GTEST_SKIP() << "no tensor unit";
  }
  void check(const Memory& memory, unsigned layouts) {
    const Case& c = GetParam();
    const bool pads = memory.stride != Stride::None;
    constexpr int kPadding = 128;  // bits
    const auto matrix = [&](const char* type, int rows, int columns, bool by_columns) {
      const auto size = static_cast<size_t>(rows * columns);
      return Matrix{type, rows, columns, by_columns, pads ? kPadding / bits_of(type) : 0, std::vector<int64_t>(size)};
    };
    const bool small = bits_of(c.a) < 8;  // of bits and nibbles the layouts are given
    Matrix a = matrix(c.a, c.m, c.k, !small && (layouts & 1)), b = matrix(c.b, c.k, c.n, small || (layouts & 2));
    Matrix c_in = matrix(c.c, c.m, c.n, layouts & 4), d = matrix(c.d, c.m, c.n, layouts & 8);
    Device device(kernel(c, memory, a, b, c_in, d), {.blocks = 1, .threads = 32}, layouts & 1 ? 0 : 2);
    ASSERT_EQ(device.error(), "");
    std::mt19937_64 random(device.seed());
    const auto fill = [&random](Matrix& x) {
      const bool is_bits = x.type == "b1", is_unsigned = is_bits || x.type[0] == 'u';
      for (int64_t& n : x.numbers) n = static_cast<int64_t>(random() % (is_bits ? 2 : 9)) - (is_unsigned ? 0 : 4);
    };
    fill(a), fill(b), fill(c_in);
    const bool clamps = *c.suffix != 0;
    if (clamps)
      for (int64_t& n : c_in.numbers) n += random() % 2 ? 0x7fffffff - 8 : -0x7fffffff + 8;
    for (int row = 0; row < c.m; row++)
      for (int column = 0; column < c.n; column++) {
        int64_t& sum = d.at(row, column) = c_in.at(row, column);
        for (int k = 0; k < c.k; k++) sum += product_of(c, a.at(row, k), b.at(k, column));
        if (clamps) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      }
    Data in(kBytes / 4, kUntouched), out(kPlace / 4, kUntouched), expected = out;
    a.put(in, 0), b.put(in, kPlace), c_in.put(in, 2 * kPlace), d.put(expected, 0);
    const Status status = device.run(out, in);
    ASSERT_TRUE(status.ok()) << status.error().message();
    for (size_t i = 0; i < out.size(); i++) ASSERT_EQ(out[i], expected[i]) << "word " << i << " layouts " << layouts;
  }
};

TEST_P(Wmma, MultipliesMatricesInEveryLayout) {
  constexpr Stride kStrides[] = {Stride::None, Stride::Constant, Stride::Register};
  for (unsigned layouts = 0; layouts < 16; layouts++)
    ASSERT_NO_FATAL_FAILURE(check({kStrides[layouts % 3], ".global"}, layouts));
}

TEST_P(Wmma, MultipliesMatricesInEveryStateSpace) {
  for (const char* space : {"", ".shared", ".shared::cta"})
    for (const Stride stride : {Stride::None, Stride::Constant, Stride::Register})
      ASSERT_NO_FATAL_FAILURE(check({stride, space}, stride == Stride::None ? 6 : stride == Stride::Constant ? 9 : 15));
}

constexpr Case kCases[] = {
    {"f16", 16, 16, 16, "f16", "f16", "f32", "f32"},
    {"f16_tall", 32, 8, 16, "f16", "f16", "f32", "f32"},
    {"f16_wide", 8, 32, 16, "f16", "f16", "f32", "f32"},
    {"f16_sums", 16, 16, 16, "f16", "f16", "f16", "f16"},
    {"f16_sums_tall", 32, 8, 16, "f16", "f16", "f16", "f16"},
    {"f16_sums_wide", 8, 32, 16, "f16", "f16", "f16", "f16"},
    {"f16_widened", 16, 16, 16, "f16", "f16", "f16", "f32"},
    {"f16_narrowed", 8, 32, 16, "f16", "f16", "f32", "f16"},
    {"bf16", 16, 16, 16, "bf16", "bf16", "f32", "f32"},
    {"bf16_tall", 32, 8, 16, "bf16", "bf16", "f32", "f32"},
    {"bf16_wide", 8, 32, 16, "bf16", "bf16", "f32", "f32"},
    {"tf32", 16, 16, 8, "tf32", "tf32", "f32", "f32"},
    {"s8", 16, 16, 16, "s8", "s8", "s32", "s32"},
    {"s8_tall", 32, 8, 16, "s8", "s8", "s32", "s32", ".satfinite"},
    {"u8_wide", 8, 32, 16, "u8", "u8", "s32", "s32"},
    {"s8_u8_wide", 8, 32, 16, "s8", "u8", "s32", "s32"},
    {"s4", 8, 8, 32, "s4", "s4", "s32", "s32"},
    {"u4", 8, 8, 32, "u4", "u4", "s32", "s32", ".satfinite"},
    {"b1_xor", 8, 8, 128, "b1", "b1", "s32", "s32", "", ".xor.popc"},
    {"b1_and", 8, 8, 128, "b1", "b1", "s32", "s32", "", ".and.popc"},
    {"f64", 8, 8, 4, "f64", "f64", "f64", "f64"},
};
INSTANTIATE_TEST_SUITE_P(Ptx, Wmma, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
