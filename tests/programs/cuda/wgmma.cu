// SPDX-License-Identifier: Apache-2.0
// Warpgroups' products (wgmma) against mma.sync's, bit by bit: every type but those of 8 bits with an exponent, several numbers of columns,
// A in registers and in shared memory, rows of K and of M or N, all four ways of swizzling addresses, descriptors moved on along K,
// patterns that begin anywhere, negative factors, and sums kept or not. The arguments are how many blocks, each with numbers of its own, and of how many cases one is tried.
#include "../../../examples/common/example.h"

namespace {

using Word = unsigned long long;

constexpr int kThreads = 128, kRows = 64, kSteps = 4, kRowBytes = 32 * kSteps;  // a product takes 32 bytes of K
constexpr unsigned kArea = 16384, kMemory = 1024 + kArea + 40960;               // of A, and of all

// ---- numbers ----

enum Numbers { kF16, kBf16, kTf32, kInteger, kF32, kF16Sums };

__host__ __device__ unsigned hash(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352d;
  x ^= x >> 15, x *= 0x846ca68b;
  return x ^ x >> 16;
}

// Bits of one number, near one but for few that may be anything.
__device__ unsigned number(unsigned bits, int exponent_bits, int mantissa_bits) {
  if (bits % 509 == 0) return hash(bits);
  const unsigned h = hash(bits), exponent = (1u << (exponent_bits - 1)) - 6 + (h >> 8) % 10;
  return h << 31 >> (31 - exponent_bits - mantissa_bits) | exponent << mantissa_bits | (h >> 9 & ((1u << mantissa_bits) - 1));
}

__device__ unsigned numbers(int what, unsigned place) {
  const unsigned h = hash(place);
  switch (what) {
    case kF16: return (number(h, 5, 10) & 0xffff) | number(h + 1, 5, 10) << 16;
    case kBf16: return (number(h, 8, 7) & 0xffff) | number(h + 1, 8, 7) << 16;
    case kTf32:
    case kF32: return number(h, 8, 23);
    case kF16Sums: return (number(h, 5, 10) & 0xffff) | number(h + 1, 5, 10) << 16;
    default: return h;
  }
}

// ---- the instructions ----

// A list of registers, the operands that they are, and the numbers of those that follow.
#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define OUT2(i) "+r"(d[i]), "+r"(d[(i) + 1])
#define OUT4(i) OUT2(i), OUT2((i) + 2)
#define OUT16(i) OUT4(i), OUT4((i) + 4), OUT4((i) + 8), OUT4((i) + 12)
#define OUT64(i) OUT16(i), OUT16((i) + 16), OUT16((i) + 32), OUT16((i) + 48)
#define REGISTERS_2 "%0, %1", (OUT2(0)), 2, 3, 4, 5, 6, 7, 8, 9, 10
#define REGISTERS_4 "%0, %1, %2, %3", (OUT4(0)), 4, 5, 6, 7, 8, 9, 10, 11, 12
#define REGISTERS_6 "%0, %1, %2, %3, %4, %5", (OUT4(0), OUT2(4)), 6, 7, 8, 9, 10, 11, 12, 13, 14
#define REGISTERS_12 TEN() ", %10, %11", (OUT4(0), OUT4(4), OUT4(8)), 12, 13, 14, 15, 16, 17, 18, 19, 20
#define REGISTERS_16 TEN() ", %10, %11, %12, %13, %14, %15", (OUT16(0)), 16, 17, 18, 19, 20, 21, 22, 23, 24
#define REGISTERS_32 TEN() ", " TEN(1) ", " TEN(2) ", %30, %31", (OUT16(0), OUT16(16)), 32, 33, 34, 35, 36, 37, 38, 39, 40
#define REGISTERS_64                                                                                                  \
  TEN() ", " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", %60, %61, %62, %63", (OUT64(0)), 64, 65, 66, 67, 68, 69, 70, 71, 72
#define REGISTERS_128                                                                                                 \
  TEN() ", " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", " TEN(6) ", " TEN(7) ", " TEN(8) ", " TEN(9) ", " TEN(10) ", " TEN( \
      11) ", %120, %121, %122, %123, %124, %125, %126, %127",                                                         \
      (OUT64(0), OUT64(64)), 128, 129, 130, 131, 132, 133, 134, 135, 136

// What follows the descriptors of types with layouts, with signs alone, and of integers.
#define LAYOUTS_2(sa, sb, ta, tb) ", %" #sa ", %" #sb ", %" #ta ", %" #tb
#define LAYOUTS_1(sa, sb, tb) ", %" #sa ", %" #sb ", %" #tb
#define LAYOUTS_IN_2 , "n"(kSignA), "n"(kSignB), "n"(kAcrossA), "n"(kAcrossB)
#define LAYOUTS_IN_1 , "n"(kSignA), "n"(kSignB), "n"(kAcrossB)
#define SIGNS_2(sa, sb, ta, tb) ", %" #sa ", %" #sb
#define SIGNS_1(sa, sb, tb) ", %" #sa ", %" #sb
#define SIGNS_IN_2 , "n"(kSignA), "n"(kSignB)
#define SIGNS_IN_1 SIGNS_IN_2
#define PLAIN_2(sa, sb, ta, tb)
#define PLAIN_1(sa, sb, tb)
#define PLAIN_IN_2
#define PLAIN_IN_1

#define EXPAND(...) __VA_ARGS__
#define BOTH_SHARED(shape, kind, list, outs, i0, i1, i2, i3, i4, i5, i6, i7, i8)                                      \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #i2 ", 0;\nwgmma.mma_async.sync.aligned." shape " {" list "}, %" #i0 ", %" #i1 \
               ", p" kind##_2(i3, i4, i5, i6) ";\n}"                                                                  \
               : EXPAND outs                                                                                          \
               : "l"(a), "l"(b), "r"(keep) kind##_IN_2                                                                \
               : "memory")
#define A_IN_REGISTERS(shape, kind, list, outs, i0, i1, i2, i3, i4, i5, i6, i7, i8)                                   \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #i5 ", 0;\nwgmma.mma_async.sync.aligned." shape " {" list "}, {%" #i0 ", %" #i1 \
               ", %" #i2 ", %" #i3 "}, %" #i4 ", p" kind##_1(i6, i7, i8) ";\n}"                                       \
               : EXPAND outs                                                                                          \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep) kind##_IN_1                            \
               : "memory")
#define CALL(macro, ...) macro(__VA_ARGS__)

template <int kType, int kColumns>
struct Product;

// `registers`: of a thread's sums.
#define PRODUCT(type, columns, shape, kind, registers)                                                                \
  template <>                                                                                                         \
  struct Product<type, columns> {                                                                                     \
    static constexpr int kRegisters = registers;                                                                      \
    template <int kSignA, int kSignB, int kAcrossA, int kAcrossB>                                                     \
    static __device__ void group(unsigned* d, Word a, Word b, int keep) {                                             \
      CALL(BOTH_SHARED, shape, kind, REGISTERS_##registers);                                                          \
    }                                                                                                                 \
    template <int kSignA, int kSignB, int kAcrossA, int kAcrossB>                                                     \
    static __device__ void group(unsigned* d, const unsigned (&a)[4], Word b, int keep) {                             \
      CALL(A_IN_REGISTERS, shape, kind, REGISTERS_##registers);                                                       \
    }                                                                                                                 \
  };
#define PRODUCTS(type, k, types, kind, r8, r24, r64, r256) \
  PRODUCT(type, 8, "m64n8" k types, kind, r8)              \
  PRODUCT(type, 24, "m64n24" k types, kind, r24)           \
  PRODUCT(type, 64, "m64n64" k types, kind, r64)           \
  PRODUCT(type, 256, "m64n256" k types, kind, r256)
PRODUCTS(0, "k16", ".f32.f16.f16", LAYOUTS, 4, 12, 32, 128)
PRODUCTS(1, "k16", ".f16.f16.f16", LAYOUTS, 2, 6, 16, 64)
PRODUCTS(2, "k16", ".f32.bf16.bf16", LAYOUTS, 4, 12, 32, 128)
PRODUCTS(3, "k8", ".f32.tf32.tf32", SIGNS, 4, 12, 32, 128)
PRODUCTS(4, "k32", ".s32.s8.s8", PLAIN, 4, 12, 32, 128)
PRODUCTS(5, "k32", ".s32.s8.u8", PLAIN, 4, 12, 32, 128)
PRODUCTS(6, "k32", ".satfinite.s32.u8.s8", PLAIN, 4, 12, 32, 128)
PRODUCTS(7, "k32", ".satfinite.s32.u8.u8", PLAIN, 4, 12, 32, 128)
PRODUCTS(8, "k256", ".s32.b1.b1.and.popc", PLAIN, 4, 12, 32, 128)

// The same of one warp, 16 rows and 8 columns, and what the numbers are.
template <int kType>
struct Tile;

#define TILE4(type, factors, kSums_, signs, shape)                                                                    \
  template <>                                                                                                         \
  struct Tile<type> {                                                                                                 \
    static constexpr int kRegisters = 4, kNumbers = factors, kSums = kSums_;                                          \
    static constexpr unsigned kSigns = signs;                                                                         \
    static __device__ void product(unsigned* d, const unsigned* a, const unsigned* b) {                               \
      asm volatile("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                   \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                               \
    }                                                                                                                 \
  };
#define FLOATS(type, factors, signs, shape)                                                                           \
  template <>                                                                                                         \
  struct Tile<type> {                                                                                                 \
    static constexpr int kRegisters = 4, kNumbers = factors, kSums = kF32;                                            \
    static constexpr unsigned kSigns = signs;                                                                         \
    static __device__ void product(unsigned* d, const unsigned* a, const unsigned* b) {                               \
      float s[4];                                                                                                     \
      for (int i = 0; i < 4; ++i) s[i] = __uint_as_float(d[i]);                                                       \
      asm volatile("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
                   : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])                                                   \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                               \
      for (int i = 0; i < 4; ++i) d[i] = __float_as_uint(s[i]);                                                       \
    }                                                                                                                 \
  };
FLOATS(0, kF16, 0x80008000, "m16n8k16.row.col.f32.f16.f16.f32")
FLOATS(2, kBf16, 0x80008000, "m16n8k16.row.col.f32.bf16.bf16.f32")
FLOATS(3, kTf32, 0x80000000, "m16n8k8.row.col.f32.tf32.tf32.f32")
TILE4(4, kInteger, kInteger, 0, "m16n8k32.row.col.s32.s8.s8.s32")
TILE4(5, kInteger, kInteger, 0, "m16n8k32.row.col.s32.s8.u8.s32")
TILE4(6, kInteger, kInteger, 0, "m16n8k32.row.col.satfinite.s32.u8.s8.s32")
TILE4(7, kInteger, kInteger, 0, "m16n8k32.row.col.satfinite.s32.u8.u8.s32")
TILE4(8, kInteger, kInteger, 0, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
template <>
struct Tile<1> {
  static constexpr int kRegisters = 2, kNumbers = kF16, kSums = kF16Sums;
  static constexpr unsigned kSigns = 0x80008000;
  static __device__ void product(unsigned* d, const unsigned* a, const unsigned* b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// ---- matrices in shared memory ----

// Of `rows` rows of M or N, and 128 bytes of K in each. swizzle: 0 none, 1 of 128 bytes, 2 64, 3 32.
struct Matrix {
  unsigned start;
  int rows, swizzle;
  bool across;  // memory has rows of K, of numbers of 16 bits
  int begins;   // the pattern, after so many 128 bytes

  __device__ unsigned width() const { return swizzle ? 256u >> swizzle : 16; }
  __device__ unsigned leading() const {
    if (across) return swizzle ? 64 * width() : 128;
    return swizzle ? 16 : rows * 16 + 128;
  }
  __device__ unsigned stride() const {
    if (across && !swizzle) return 1152;
    return 8 * width();
  }
  // Where 16 bytes begin: of `row` those of number `chunk` in K, or across of row `row` of K number `chunk`.
  __device__ unsigned place(unsigned row, unsigned chunk) const {
    const unsigned chunks = width() / 16;
    if (!swizzle && across) return row % 8 * 16 + row / 8 * leading() + chunk * stride();
    if (!swizzle) return row % 8 * 16 + row / 8 * stride() + chunk * leading();
    if (across) return row % 8 * width() + row / 8 * stride() + chunk % chunks * 16 + chunk / chunks * leading();
    return chunk / chunks * rows * width() + row * width() + chunk % chunks * 16;
  }
  __device__ unsigned address(unsigned row, unsigned chunk) const {
    const unsigned at = place(row, chunk);
    return start + 128 * begins + (at ^ (at >> 3 & (width() - 16)));
  }
  __device__ Word descriptor(unsigned step) const {
    const unsigned from = start + 128 * begins + (across ? place(16 * step, 0) : place(0, 2 * step));
    return Word(from >> 4 & 0x3fff) | Word(leading() >> 4) << 16 | Word(stride() >> 4) << 32 | Word(begins) << 49 | Word(swizzle) << 62;
  }
  // Word `k` of row `row`.
  __device__ void put(unsigned char* memory, unsigned base, unsigned row, unsigned k, unsigned word) const {
    if (!across) {
      *reinterpret_cast<unsigned*>(memory + address(row, k / 4) - base + k % 4 * 4) = word;
      return;
    }
    for (unsigned half = 0; half < 2; ++half)
      *reinterpret_cast<unsigned short*>(memory + address(2 * k + half, row / 8) - base + row % 8 * 2) =
          static_cast<unsigned short>(word >> 16 * half);
  }
};

struct Case {
  int swizzle_a, swizzle_b, begins_a, begins_b;
  bool registers, keep;
  unsigned seed;
};

__device__ unsigned failures;

// The compiler must not move what uses the sums past the products' begin and end.
template <int n>
__device__ void hold(unsigned (&d)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

// kSwizzle: both, as a constant; -1: as the case says.
template <int kType, int kColumns, int kSignA, int kSignB, int kAcrossA, int kAcrossB, int kSwizzle>
__global__ void __launch_bounds__(kThreads) compare(Case what) {
  using Group = Product<kType, kColumns>;
  using One = Tile<kType>;
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory)), start = (base + 1023) & ~1023u;
  const Matrix a{start, kRows, kSwizzle < 0 ? what.swizzle_a : kSwizzle, kAcrossA != 0, kSwizzle < 0 ? what.begins_a : 0};
  const Matrix b{start + kArea, kColumns, kSwizzle < 0 ? what.swizzle_b : kSwizzle, kAcrossB != 0, kSwizzle < 0 ? what.begins_b : 0};
  const unsigned seed = hash(what.seed * 65536 + blockIdx.x);
  const auto word_a = [&](unsigned row, unsigned k) { return numbers(One::kNumbers, seed + row * 64 + k); };
  const auto word_b = [&](unsigned row, unsigned k) { return numbers(One::kNumbers, ~seed - row * 64 - k); };
  for (unsigned i = threadIdx.x; i < kRows * kRowBytes / 4; i += kThreads) a.put(memory, base, i / 32, i % 32, word_a(i / 32, i % 32));
  for (unsigned i = threadIdx.x; i < kColumns * kRowBytes / 4; i += kThreads) b.put(memory, base, i / 32, i % 32, word_b(i / 32, i % 32));
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
  unsigned d[Group::kRegisters];
#pragma unroll
  for (int i = 0; i < Group::kRegisters; ++i) d[i] = numbers(One::kSums, seed ^ (0x80000000 + threadIdx.x * 128 + i));
  hold(d);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int keep = step > 0 || what.keep;
    if (what.registers) {
      unsigned row[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) row[i] = word_a(16 * warp + g + i % 2 * 8, 8 * step + q + i / 2 * 4);
      hold(row);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      Group::template group<kSignA, kSignB, kAcrossA, kAcrossB>(d, row, b.descriptor(step), keep);
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
      hold(row);
      hold(d);
    } else {
      Group::template group<kSignA, kSignB, kAcrossA, kAcrossB>(d, a.descriptor(step), b.descriptor(step), keep);
    }
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  hold(d);

  unsigned different = 0;
#pragma unroll
  for (int tile = 0; tile < kColumns / 8; ++tile) {
    unsigned sums[One::kRegisters];
    for (int i = 0; i < One::kRegisters; ++i)
      sums[i] = what.keep ? numbers(One::kSums, seed ^ (0x80000000 + threadIdx.x * 128 + tile * One::kRegisters + i)) : 0;
    for (int step = 0; step < kSteps; ++step) {
      unsigned rows[4], columns[2];
      for (int i = 0; i < 4; ++i) rows[i] = word_a(16 * warp + g + i % 2 * 8, 8 * step + q + i / 2 * 4) ^ (kSignA < 0 ? One::kSigns : 0);
      for (int i = 0; i < 2; ++i) columns[i] = word_b(8 * tile + g, 8 * step + q + i * 4) ^ (kSignB < 0 ? One::kSigns : 0);
      One::product(sums, rows, columns);
    }
    for (int i = 0; i < One::kRegisters; ++i) different += sums[i] != d[tile * One::kRegisters + i];
  }
  if (different) atomicAdd(&failures, different);
}

// ---- all of them ----

int blocks, every, mismatches;
unsigned cases;

template <int kType, int kColumns, int kSignA, int kSignB, int kAcrossA, int kAcrossB, int kSwizzle = -1>
void run(const Case& what) {
  const auto kernel = compare<kType, kColumns, kSignA, kSignB, kAcrossA, kAcrossB, kSwizzle>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMemory));
  Case one = what;
  one.seed = ++cases;
  if (cases % static_cast<unsigned>(every) != 0) return;
  kernel<<<blocks, kThreads, kMemory>>>(one);
  CHECK_LAUNCH();
  unsigned failed = 0;
  CHECK(cudaMemcpyFromSymbol(&failed, failures, sizeof failed));
  if (!failed) return;
  printf("type %d, %d columns, signs %d %d, across %d %d, swizzled %d %d, from %d %d, registers %d, kept %d: %u sums differ\n", kType, kColumns,
         kSignA, kSignB, kAcrossA, kAcrossB, one.swizzle_a, one.swizzle_b, one.begins_a, one.begins_b, one.registers, one.keep, failed);
  mismatches += static_cast<int>(failed);
  failed = 0;
  CHECK(cudaMemcpyToSymbol(failures, &failed, sizeof failed));
}

// Every way to swizzle either; A in registers, then from shared memory.
template <int kType, int kColumns, int kSignA, int kSignB, int kAcrossA = 0, int kAcrossB = 0>
void run_layouts() {
  for (int i = 0; i < 4; ++i) {
    if (!kAcrossA) run<kType, kColumns, kSignA, kSignB, kAcrossA, kAcrossB>({0, i, 0, 0, true, i % 2 == 0, 0});
    for (int j = 0; j < 4; ++j)
      if (kColumns < 256 || i == j) run<kType, kColumns, kSignA, kSignB, kAcrossA, kAcrossB>({i, j, 0, 0, false, (i + j) % 3 != 0, 0});
  }
  // Patterns that begin after 128 bytes, 3 and 5 times that.
  run<kType, kColumns, kSignA, kSignB, kAcrossA, kAcrossB>({1, 1, 3, 5, false, true, 0});
  run<kType, kColumns, kSignA, kSignB, kAcrossA, kAcrossB>({2, 1, 1, 7, false, true, 0});
}

template <int kType, int kColumns>
void run_signs_and_layouts() {
  run_layouts<kType, kColumns, 1, 1, 0, 0>();
  run_layouts<kType, kColumns, -1, 1, 0, 1>();
  run_layouts<kType, kColumns, 1, -1, 1, 0>();
  run_layouts<kType, kColumns, -1, -1, 1, 1>();
}

// Descriptors that are a constant but for the address.
template <int kColumns, int kSwizzle>
void run_constant() {
  run<0, kColumns, 1, 1, 0, 0, kSwizzle>({kSwizzle, kSwizzle, 0, 0, false, true, 0});
  run<0, kColumns, 1, 1, 0, 1, kSwizzle>({kSwizzle, kSwizzle, 0, 0, true, true, 0});
  run<0, kColumns, 1, 1, 1, 1, kSwizzle>({kSwizzle, kSwizzle, 0, 0, false, true, 0});
}

template <int kColumns>
void run_types() {
  run_signs_and_layouts<0, kColumns>();
  run_signs_and_layouts<1, kColumns>();
  run_signs_and_layouts<2, kColumns>();
  run_layouts<3, kColumns, 1, 1>();
  run_layouts<3, kColumns, -1, 1>();
  run_layouts<4, kColumns, 1, 1>();
  run_layouts<5, kColumns, 1, 1>();
  run_layouts<6, kColumns, 1, 1>();
  run_layouts<7, kColumns, 1, 1>();
  run_layouts<8, kColumns, 1, 1>();
}

}  // namespace

int main(int argc, char** argv) {
  blocks = example_argument(argc, argv, 1, 1);
  every = example_argument(argc, argv, 2, 1);
  run_types<8>();
  run_types<24>();
  run_types<64>();
  run_types<256>();
  run_constant<64, 0>();
  run_constant<64, 1>();
  run_constant<64, 2>();
  run_constant<64, 3>();
  run_constant<256, 1>();
  printf("%u cases\n", cases);
  return verdict(mismatches);
}
