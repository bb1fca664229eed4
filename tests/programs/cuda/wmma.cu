// SPDX-License-Identifier: Apache-2.0
// mma.h: every shape and type in all layouts, on small integers, whose products and sums are exact in every format, against the host. What lies
// between a matrix' rows in memory must stay as it was. Then numbers changed in fragments, fills, clamped and infinite results, shared memory.
// WITHOUT_F64: for machines that lack double precision in hardware, which refuse matrices of it.
#include <mma.h>

#include <type_traits>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

namespace wmma = nvcuda::wmma;
namespace small = nvcuda::wmma::experimental::precision;
using wmma::precision::tf32;

static_assert(wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>::num_elements == 16, "A of f16");
static_assert(wmma::fragment<wmma::matrix_b, 8, 32, 16, __nv_bfloat16, wmma::col_major>::num_elements == 16, "B of bf16");
static_assert(wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::col_major>::num_elements == 16, "A of bytes");
static_assert(wmma::fragment<wmma::accumulator, 16, 16, 16, __half>::num_elements == 8, "sums of f16");
static_assert(wmma::fragment<wmma::accumulator, 16, 16, 16, float>::num_elements == 8, "sums of f32");
static_assert(wmma::fragment<wmma::matrix_a, 8, 8, 32, small::s4, wmma::row_major>::num_elements == 8, "A of nibbles");
static_assert(wmma::fragment<wmma::matrix_a, 8, 8, 32, small::s4, wmma::row_major>::num_storage_elements == 1, "a register of nibbles");
static_assert(wmma::fragment<wmma::matrix_b, 8, 8, 128, small::b1, wmma::col_major>::num_elements == 32, "B of bits");

ExampleRandom numbers(7);
int mismatches = 0;

// What the host knows of a type: its bits in memory, whether it goes below zero, and how a number is written at a place.
struct Kind {
  int bits;
  bool is_signed;
  void (*put)(unsigned char* memory, size_t place, int value);
};
template <typename T>
void put_whole(unsigned char* memory, size_t place, int value) {
  const T number = static_cast<T>(value);
  memcpy(memory + place * sizeof(T), &number, sizeof(T));
}
template <int bits>
void put_bits(unsigned char* memory, size_t place, int value) {
  const unsigned bit = place * bits % 8, mask = ((1u << bits) - 1) << bit;
  unsigned char& byte = memory[place * bits / 8];
  byte = static_cast<unsigned char>((byte & ~mask) | (static_cast<unsigned>(value) << bit & mask));
}
template <typename T>
constexpr Kind kKind = {8 * sizeof(T), !std::is_same<T, unsigned char>::value, put_whole<T>};
template <>
constexpr Kind kKind<tf32> = {32, true, put_whole<float>};
template <>
constexpr Kind kKind<small::s4> = {4, true, put_bits<4>};
template <>
constexpr Kind kKind<small::u4> = {4, false, put_bits<4>};
template <>
constexpr Kind kKind<small::b1> = {1, false, put_bits<1>};

// A matrix in memory, its rows (or columns) 16 bytes further apart than they are long. Numbers from -2 to 2, or from 0 to 4 or to 1.
struct Matrix {
  Kind kind;
  int rows, columns;
  bool by_columns;
  std::vector<int> values;

  Matrix(const Kind& of, int r, int c, bool by) : kind(of), rows(r), columns(c), by_columns(by), values(static_cast<size_t>(r * c)) {
    for (int& v : values) v = static_cast<int>(numbers.bits() >> 8) % (kind.bits == 1 ? 2 : 5) - (kind.is_signed ? 2 : 0);
  }
  int& at(int row, int column) { return values[static_cast<size_t>(row * columns + column)]; }
  unsigned stride() const { return static_cast<unsigned>((by_columns ? rows : columns) + 128 / kind.bits); }
  // Its bytes; what is between rows is 0x5a.
  std::vector<unsigned char> bytes(bool is_empty = false) {
    std::vector<unsigned char> out(stride() * static_cast<unsigned>(by_columns ? columns : rows) * static_cast<unsigned>(kind.bits) / 8, 0x5a);
    for (int row = 0; row < rows && !is_empty; ++row)
      for (int column = 0; column < columns; ++column)
        kind.put(out.data(), static_cast<size_t>(by_columns ? column : row) * stride() + static_cast<size_t>(by_columns ? row : column),
                 at(row, column));
    return out;
  }
};

// Bytes on the device.
struct Buffer {
  void* data = nullptr;
  size_t size;
  explicit Buffer(const std::vector<unsigned char>& bytes) : size(bytes.size()) {
    CHECK(cudaMalloc(&data, size));
    CHECK(cudaMemcpy(data, bytes.data(), size, cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::vector<unsigned char> bytes() const {
    std::vector<unsigned char> out(size);
    CHECK(cudaMemcpy(out.data(), data, size, cudaMemcpyDeviceToHost));
    return out;
  }
};

void expect(const char* what, const std::vector<unsigned char>& got, const std::vector<unsigned char>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    if (mismatches++ < 20) printf("%s: byte %zu is %02x, expected %02x\n", what, i, got[i], expected[i]);
    return;
  }
}

// ---- D = A * B + C in every layout, with numbers changed on the way ----
enum class Product { Plain, Xor, And };

// Of a factor's numbers, before the product: doubled, and those of less than a byte inverted in all their bits.
int changed(const Kind& kind, int v) {
  if (kind.bits >= 8) return 2 * v;
  return kind.is_signed ? ~v : v ^ ((1 << kind.bits) - 1);
}
template <typename Fragment>
__device__ void change(Fragment& f) {
  if constexpr (Fragment::num_elements != Fragment::num_storage_elements) {
    for (int i = 0; i < Fragment::num_storage_elements; ++i) f.x[i] = ~f.x[i];
  } else {
#pragma unroll
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = f.x[i] + f.x[i];
  }
}

struct Places {
  const void *a, *b, *c, *e;
  void* d;
  unsigned lda, ldb, ldc, lde, ldd;
  bool c_by_columns, d_by_columns;
};
__device__ wmma::layout_t layout(bool by_columns) { return by_columns ? wmma::mem_col_major : wmma::mem_row_major; }

// 2 (2 A B + C + 1) - E
template <int m, int n, int k, typename T, typename LayoutA, typename LayoutB, typename C, typename D, Product product>
__global__ void multiply(Places p) {
  using A = typename wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA>::storage_element_type;
  wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> a;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> b;
  wmma::fragment<wmma::accumulator, m, n, k, C> c;
  wmma::fragment<wmma::accumulator, m, n, k, D> d, e;
  wmma::load_matrix_sync(a, static_cast<const A*>(p.a), p.lda);
  wmma::load_matrix_sync(b, static_cast<const A*>(p.b), p.ldb);
  wmma::load_matrix_sync(c, static_cast<const C*>(p.c), p.ldc, layout(p.c_by_columns));
  wmma::load_matrix_sync(e, static_cast<const D*>(p.e), p.lde, layout(p.d_by_columns));
  change(a);
  for (int i = 0; i < c.num_elements; ++i) c.x[i] = c.x[i] + C(1);
  if constexpr (product == Product::Plain) {
    wmma::mma_sync(d, a, b, c);
  } else if constexpr (product == Product::Xor) {
    wmma::bmma_sync(d, a, b, c);
  } else {
    wmma::experimental::bmma_sync(d, a, b, c, wmma::experimental::bmmaBitOpAND, wmma::experimental::bmmaAccumulateOpPOPC);
  }
  for (int i = 0; i < d.num_elements; ++i) d.x[i] = D(2) * d.x[i] - e.x[i];
  wmma::store_matrix_sync(static_cast<D*>(p.d), d, p.ldd, layout(p.d_by_columns));
}

struct Case {
  const char* name;
  int m, n, k;
  Kind factor, addend, result;
  bool a_by_columns, b_by_columns;
  Product product;
  void (*kernel)(Places);
};
void test_case(const Case& t) {
  for (int layouts = 0; layouts < 4; ++layouts) {
    const bool c_by_columns = layouts & 1, d_by_columns = layouts & 2;
    Matrix a(t.factor, t.m, t.k, t.a_by_columns), b(t.factor, t.k, t.n, t.b_by_columns), c(t.addend, t.m, t.n, c_by_columns);
    Matrix e(t.result, t.m, t.n, d_by_columns), d = e;
    for (int row = 0; row < t.m; ++row)
      for (int column = 0; column < t.n; ++column) {
        int sum = c.at(row, column) + 1;
        for (int i = 0; i < t.k; ++i) {
          const int x = changed(t.factor, a.at(row, i)), y = b.at(i, column);
          sum += t.product == Product::Xor ? x ^ y : t.product == Product::And ? x & y : x * y;
        }
        d.at(row, column) = 2 * sum - e.at(row, column);
      }
    const Buffer of_a(a.bytes()), of_b(b.bytes()), of_c(c.bytes()), of_e(e.bytes()), of_d(d.bytes(true));
    t.kernel<<<1, 32>>>({of_a.data, of_b.data, of_c.data, of_e.data, of_d.data, a.stride(), b.stride(), c.stride(), e.stride(), d.stride(),
                         c_by_columns, d_by_columns});
    CHECK_LAUNCH();
    char what[80];
    snprintf(what, sizeof what, "%s m%dn%dk%d, layouts %d%d%d%d", t.name, t.m, t.n, t.k, t.a_by_columns, t.b_by_columns, c_by_columns,
             d_by_columns);
    expect(what, of_d.bytes(), d.bytes());
  }
}

template <int m, int n, int k, typename T, bool a_by_columns, bool b_by_columns, typename C, typename D, Product product = Product::Plain>
void test_layout(const char* name) {
  using LayoutA = std::conditional_t<a_by_columns, wmma::col_major, wmma::row_major>;
  using LayoutB = std::conditional_t<b_by_columns, wmma::col_major, wmma::row_major>;
  test_case({name, m, n, k, kKind<T>, kKind<C>, kKind<D>, a_by_columns, b_by_columns, product,
             multiply<m, n, k, T, LayoutA, LayoutB, C, D, product>});
}

template <int m, int n, int k, typename T, typename C, typename D>
void test_layouts(const char* name) {
  test_layout<m, n, k, T, false, false, C, D>(name);
  test_layout<m, n, k, T, false, true, C, D>(name);
  test_layout<m, n, k, T, true, false, C, D>(name);
  test_layout<m, n, k, T, true, true, C, D>(name);
}

template <int m, int n>
void test_shapes() {
  test_layouts<m, n, 16, __half, float, float>("f16, sums f32");
  test_layouts<m, n, 16, __half, __half, __half>("f16, sums f16");
  test_layouts<m, n, 16, __half, __half, float>("f16, widened");
  test_layouts<m, n, 16, __half, float, __half>("f16, narrowed");
  test_layouts<m, n, 16, __nv_bfloat16, float, float>("bf16");
  test_layouts<m, n, 16, signed char, int, int>("s8");
  test_layouts<m, n, 16, unsigned char, int, int>("u8");
}

// ---- fills; results that do not fit ----
template <int m, int n, int k, typename T, typename C, typename V>
__global__ void filled(V a_value, V b_value, C c_value, bool saturates, C* out) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, m, n, k, C> c[1];
  wmma::fill_fragment(a, a_value);
  wmma::fill_fragment(b, b_value);
  wmma::fill_fragment(c[0], c_value);
  const auto before = c[0];
  if constexpr (std::is_same<T, small::b1>::value) {
    wmma::bmma_sync(c[0], a, b, before, wmma::experimental::bmmaBitOpAND);
  } else {
    wmma::mma_sync(c[0], a, b, before, saturates);
  }
  wmma::store_matrix_sync(out, c[0], n, wmma::mem_row_major);
}

template <int m, int n, int k, typename T, typename C, typename V>
void test_fill(const char* name, V a, V b, C c, bool saturates, C expected) {
  std::vector<unsigned char> all(m * n * sizeof(C));
  for (size_t i = 0; i < all.size(); i += sizeof(C)) memcpy(&all[i], &expected, sizeof(C));
  const Buffer out(std::vector<unsigned char>(all.size(), 0x5a));
  filled<m, n, k, T, C, V><<<1, 32>>>(a, b, c, saturates, static_cast<C*>(out.data));
  CHECK_LAUNCH();
  expect(name, out.bytes(), all);
}

void test_fills() {
  const float infinity = INFINITY;
  const auto half = [](float v) { return __float2half(v); };
  test_fill<16, 16, 16, __half, float>("fill f16", half(3), half(-2), 1.0f, false, -95.0f);
  test_fill<16, 16, 16, __half, __half>("f16 above all", half(256), half(16), half(0), false, half(infinity));
  test_fill<16, 16, 16, __half, __half>("f16 above all, finite", half(256), half(16), half(0), true, half(65504));
  test_fill<8, 32, 16, __half, __half>("f16 below all, finite", half(-256), half(16), half(0), true, half(-65504));
  test_fill<32, 8, 16, __half, float>("infinity, finite", half(1), half(1), -infinity, true, -3.402823466e38f);
  test_fill<32, 8, 16, __half, float>("infinity", half(1), half(1), -infinity, false, -infinity);
  test_fill<16, 16, 16, __half, float>("NaN, finite", half(infinity), half(1), -infinity, true, 0.0f);
  test_fill<16, 16, 16, __nv_bfloat16, float>("fill bf16", __float2bfloat16(3), __float2bfloat16(0.5f), 1.0f, true, 25.0f);
  test_fill<16, 16, 8, tf32, float>("fill tf32", 1.5f, 2.0f, -4.0f, false, 20.0f);
#ifndef WITHOUT_F64
  double sum = 0.5;
  for (int k = 0; k < 4; ++k) sum = fma(1e10, 3e-10, sum);
  test_fill<8, 8, 4, double, double>("fill f64", 1e10, 3e-10, 0.5, false, sum);
#endif
  test_fill<16, 16, 16, signed char, int>("s8, wrapped", (signed char)-128, (signed char)-128, INT32_MAX, false, INT32_MIN + 16 * 16384 - 1);
  test_fill<16, 16, 16, signed char, int>("s8, clamped", (signed char)-128, (signed char)-128, INT32_MAX, true, INT32_MAX);
  test_fill<32, 8, 16, signed char, int>("s8, clamped below", (signed char)-128, (signed char)127, INT32_MIN, true, INT32_MIN);
  test_fill<8, 32, 16, unsigned char, int>("u8, clamped", (unsigned char)255, (unsigned char)255, INT32_MAX - 9, true, INT32_MAX);
  test_fill<8, 8, 32, small::s4, int>("fill s4", -3, 5, 7, false, 7 - 32 * 15);
  test_fill<8, 8, 32, small::s4, int>("s4, clamped", -8, 7, INT32_MIN + 5, true, INT32_MIN);
  test_fill<8, 8, 32, small::u4, int>("fill u4", 15u, 14u, 1, false, 32 * 210 + 1);
  test_fill<8, 8, 128, small::b1, int>("fill b1", 1u, 3u, 5, false, 133);
  test_fill<8, 8, 128, small::b1, int>("fill b1 with 0", 2u, 1u, 5, false, 5);
}

// ---- tf32 rounds what it does not hold; a product of larger matrices by way of shared memory ----
__global__ void to_tf32(float* x) { x[threadIdx.x] = wmma::__float_to_tf32(x[threadIdx.x]); }

void test_tf32() {
  std::vector<unsigned char> in(32 * 4), expected(32 * 4);
  for (size_t i = 0; i < 32; ++i) {
    uint32_t bits = 0x3f800000u + (numbers.bits() >> 9) % 0x3000000u, rounded = (bits + 0x1000u) & ~0x1fffu;
    if (i == 0) bits = 0x3f801000u, rounded = 0x3f802000u;
    memcpy(&in[4 * i], &bits, 4), memcpy(&expected[4 * i], &rounded, 4);
  }
  const Buffer x(in);
  to_tf32<<<1, 32>>>(static_cast<float*>(x.data));
  CHECK_LAUNCH();
  expect("__float_to_tf32", x.bytes(), expected);
}

constexpr int kSize = 32, kTile = 16, kStride = kTile + 8;

// A block has four warps, each of which has a tile of the result.
__global__ void shared_product(const __half* a, const __half* b, float* c) {
  __shared__ __align__(32) __half of_a[kSize * kStride];
  __shared__ __align__(32) __half of_b[kTile * (kSize + 8)];
  const int warp = threadIdx.x / 32, top = warp / 2 * kTile, left = warp % 2 * kTile;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < kSize; k += kTile) {
    for (int i = threadIdx.x; i < kSize * kTile; i += blockDim.x) {
      of_a[i / kTile * kStride + i % kTile] = a[i / kTile * kSize + k + i % kTile];
      of_b[i / kSize * (kSize + 8) + i % kSize] = b[(k + i / kSize) * kSize + i % kSize];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __half, wmma::row_major> y;
    wmma::load_matrix_sync(x, of_a + top * kStride, kStride);
    wmma::load_matrix_sync(y, of_b + left, kSize + 8);
    wmma::mma_sync(sum, x, y, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(c + top * kSize + left, sum, kSize, wmma::mem_row_major);
}

void test_shared() {
  std::vector<__half> a(kSize * kSize), b(kSize * kSize);
  std::vector<float> c(kSize * kSize);
  for (auto* x : {&a, &b})
    for (__half& v : *x) v = __float2half(static_cast<float>(static_cast<int>(numbers.bits() >> 8) % 9 - 4));
  for (int i = 0; i < kSize * kSize; ++i)
    for (int k = 0; k < kSize; ++k)
      c[static_cast<size_t>(i)] += __half2float(a[static_cast<size_t>(i / kSize * kSize + k)]) *
                                   __half2float(b[static_cast<size_t>(k * kSize + i % kSize)]);
  const auto bytes = [](const auto& v) {
    const auto* first = reinterpret_cast<const unsigned char*>(v.data());
    return std::vector<unsigned char>(first, first + v.size() * sizeof(v[0]));
  };
  const Buffer of_a(bytes(a)), of_b(bytes(b)), of_c(std::vector<unsigned char>(4 * kSize * kSize));
  shared_product<<<1, 128>>>(static_cast<const __half*>(of_a.data), static_cast<const __half*>(of_b.data), static_cast<float*>(of_c.data));
  CHECK_LAUNCH();
  expect("shared memory", of_c.bytes(), bytes(c));
}

// ---- numbers that show how a sum is rounded -------------------------------------------------------------------
template <typename C>
__global__ void one_product(const __half* a, const __half* b, C* c) {
  wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __half, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, C> sum;
  wmma::fill_fragment(sum, C(0.0f));
  wmma::load_matrix_sync(x, a, kTile);
  wmma::load_matrix_sync(y, b, kTile);
  wmma::mma_sync(sum, x, y, sum);
  wmma::store_matrix_sync(c, sum, kTile, wmma::mem_row_major);
}

// Every row of A begins with a0, a1, every column of B with b0, b1, the rest is zero; every element of the product is `wanted`.
template <typename C>
void test_two_terms(const char* what, float a0, float a1, float b0, float b1, float wanted) {
  std::vector<__half> a(kTile * kTile), b(kTile * kTile);
  for (int i = 0; i < kTile; ++i) {
    a[static_cast<size_t>(i * kTile)] = __float2half(a0), a[static_cast<size_t>(i * kTile + 1)] = __float2half(a1);
    b[static_cast<size_t>(i)] = __float2half(b0), b[static_cast<size_t>(kTile + i)] = __float2half(b1);
  }
  const std::vector<C> c(kTile * kTile, C(wanted));
  const auto bytes = [](const auto& v) {
    const auto* first = reinterpret_cast<const unsigned char*>(v.data());
    return std::vector<unsigned char>(first, first + v.size() * sizeof(v[0]));
  };
  const Buffer of_a(bytes(a)), of_b(bytes(b)), of_c(std::vector<unsigned char>(sizeof(C) * kTile * kTile));
  one_product<<<1, 32>>>(static_cast<const __half*>(of_a.data), static_cast<const __half*>(of_b.data), static_cast<C*>(of_c.data));
  CHECK_LAUNCH();
  expect(what, of_c.bytes(), bytes(c));
}

void test_rounding() {
  test_two_terms<__half>("a tie rounds to even", 1.0f, 0x1p-11f, 1.0f, 1.0f, 1.0f);
  test_two_terms<__half>("a tie rounds up to even", 1.0f, 3 * 0x1p-11f, 1.0f, 1.0f, 1.0f + 0x1p-9f);
  test_two_terms<float>("a product 33 places lower is lost", 0x1p10f, 0x1p-7f, 0x1p10f, 0x1p-6f, 0x1p20f);
  test_two_terms<float>("one 20 places lower is not", 0x1p10f, 0x1p-1f, 0x1p10f, 0x1p1f, 0x1p20f + 1.0f);
}

}  // namespace

int main() {
  test_shapes<16, 16>();
  test_shapes<32, 8>();
  test_shapes<8, 32>();
  test_layouts<16, 16, 8, tf32, float, float>("tf32");
#ifndef WITHOUT_F64
  test_layouts<8, 8, 4, double, double, double>("f64");
#endif
  test_layout<8, 8, 32, small::s4, false, true, int, int>("s4");
  test_layout<8, 8, 32, small::u4, false, true, int, int>("u4");
  test_layout<8, 8, 128, small::b1, false, true, int, int, Product::Xor>("b1, xor");
  test_layout<8, 8, 128, small::b1, false, true, int, int, Product::And>("b1, and");
  test_fills();
  test_tf32();
  test_shared();
  test_rounding();
  return verdict(mismatches);
}
