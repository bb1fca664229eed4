// SPDX-License-Identifier: Apache-2.0
// The kernels of `heddle bench` for machines with a tensor unit. bench/tensor.ptx is what clang 19 makes of this file:
//   clang++-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 -O3 -S
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

typedef _Float16 Half;
typedef unsigned Words __attribute__((ext_vector_type(4)));  // eight numbers
typedef float Pair __attribute__((ext_vector_type(2)));

// Columns of A that are in shared memory at a time. There the chunks of a row change places, by the row's number, so that what eight
// lanes store or load at once lies in different banks.
constexpr int kDepth = 32;
constexpr int kChunk = 8;  // numbers that a thread brings at a time
constexpr int kTile = 16;  // rows of A, and columns of B that are loaded together; columns of A

__device__ inline unsigned shared_address(const Half* p) {
  return (unsigned)(unsigned long)(const __attribute__((address_space(3))) Half*)p;
}
__device__ inline void store_words(unsigned to, Words w) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w) : "memory");
}
__device__ inline Words load_matrices(unsigned row) {
  Words w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
               : "r"(row)
               : "memory");
  return w;
}
__device__ inline Words load_transposed(unsigned row) {
  Words w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
               : "r"(row)
               : "memory");
  return w;
}
__device__ inline void multiply(float (&d)[4], Words a, unsigned b_upper, unsigned b_lower) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b_upper), "r"(b_lower));
}

// C = A B, of n x n results, n a multiple of kHeight and kWidth, and n * kDeep columns of A; all row by row. A block makes kHeight x
// kWidth results, each of its warps kRows x kColumns of
// them; neighbouring threads bring neighbouring chunks. Two buffers in shared memory. All the time chunks go from registers to the
// buffer that nobody reads, one after so many products, and each register is loaded again at once, so that no queue fills: in the
// second step, behind the barrier, the first half of them, of the columns after the next; in the first step the others. The operands
// of a step of 16 columns are loaded among the products of the step before.
template <int kHeight, int kWidth, int kRows, int kColumns, int kDeep = 1>
__device__ __attribute__((always_inline)) inline void hgemm(const Half* a, const Half* b, float* c, int n) {
  constexpr int kAcross = kWidth / kColumns, kA = kRows / kTile, kB = kColumns / kTile, kProducts = kA * kB;
  constexpr int kThreads = 32 * kAcross * (kHeight / kRows);
  constexpr int kRowsA = kThreads * kChunk / kDepth, kRowsB = kThreads * kChunk / kWidth;  // brought at a time
  constexpr int kChunksA = kHeight / kRowsA, kChunksB = kDepth / kRowsB;                   // of a thread
  constexpr unsigned kRowA = kDepth * sizeof(Half), kRowB = kWidth * sizeof(Half);         // bytes of a row
  constexpr unsigned kBufferA = kHeight * kRowA, kBufferB = kDepth * kRowB;
  static_assert(kDepth == 2 * kTile, "two steps a buffer");
  __shared__ __attribute__((aligned(2 * kBufferA))) Half tiles_a[2 * kBufferA / sizeof(Half)];
  __shared__ __attribute__((aligned(2 * kBufferB))) Half tiles_b[2 * kBufferB / sizeof(Half)];
  const int depth = kDeep * n;
  const int thread = __nvvm_read_ptx_sreg_tid_x(), lane = thread % 32, warp = thread / 32;
  const int first_row = __nvvm_read_ptx_sreg_ctaid_y() * kHeight, first_column = __nvvm_read_ptx_sreg_ctaid_x() * kWidth;
  const int a_row = thread / (kDepth / kChunk), a_column = thread % (kDepth / kChunk) * kChunk;
  const int b_row = thread / (kWidth / kChunk), b_column = thread % (kWidth / kChunk) * kChunk;
  const Half *next_a[kChunksA], *next_b[kChunksB];
#pragma unroll
  for (int i = 0; i < kChunksA; ++i) next_a[i] = a + (first_row + a_row + i * kRowsA) * depth + a_column;
#pragma unroll
  for (int i = 0; i < kChunksB; ++i) next_b[i] = b + (b_row + i * kRowsB) * n + first_column + b_column;
  const int row = warp / kAcross * kRows, column = warp % kAcross * kColumns;  // the warp's part
  const int lane_row = lane % 16, lane_column = lane / 16 * kChunk;
  const unsigned base_a = shared_address(tiles_a), base_b = shared_address(tiles_b);
  unsigned to_a = base_a + a_row * kRowA + (a_column ^ a_row / 2 % 4 * kChunk) * sizeof(Half);
  unsigned to_b = base_b + b_row * kRowB + (b_column ^ b_row % 8 * kChunk) * sizeof(Half);
  unsigned from_a = base_a + (row + lane_row) * kRowA + (lane_column ^ lane_row / 2 % 4 * kChunk) * sizeof(Half);
  unsigned from_b[kB];
#pragma unroll
  for (int j = 0; j < kB; ++j)
    from_b[j] = base_b + lane_row * kRowB + ((column + kTile * j + lane_column) ^ lane_row % 8 * kChunk) * sizeof(Half);

  constexpr int kChunks = kChunksA + kChunksB, kFirst = kChunks / 2;  // those of A, then B; of the second step
  constexpr int kBehind = kB / 2;  // products of the second step, in pairs, that need not wait for the barrier
  Words of_next[kChunks], of_a[kA], of_b[2][kB];
  float sums[kA][2 * kB][4] = {};
  // Chunk `number` of the columns from `column` on; beyond the last the same come again.
  const auto load = [&](int number, int column) __attribute__((always_inline)) {
    const bool more = column < depth;
    if (number < kChunksA) {
      const Words w = *(const Words*)next_a[number];
      next_a[number] += more ? kDepth : 0;
      return w;
    }
    const Words w = *(const Words*)next_b[number - kChunksA];
    next_b[number - kChunksA] += more ? kDepth * n : 0;
    return w;
  };
  const auto store = [&](int number, unsigned other, Words w) __attribute__((always_inline)) {
    if (number < kChunksA) store_words((to_a ^ other * kBufferA) + number * kRowsA * kRowA, w);
    else store_words((to_b ^ other * kBufferB) + (number - kChunksA) * kRowsB * kRowB, w);
  };
  Words of_first[kChunks];
#pragma unroll
  for (int i = 0; i < kChunks; ++i) of_first[i] = load(i, kDepth);
#pragma unroll
  for (int i = 0; i < kChunks; ++i) of_next[i] = load(i, 2 * kDepth);
#pragma unroll
  for (int i = 0; i < kChunks; ++i) store(i, 0, of_first[i]);
#pragma unroll
  for (int i = 0; i < kFirst; ++i) store(i, 1, of_next[i]), of_next[i] = load(i, 3 * kDepth);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kA; ++i) of_a[i] = load_matrices(from_a + i * kTile * kRowA);
#pragma unroll
  for (int j = 0; j < kB; ++j) of_b[0][j] = load_transposed(from_b[j]);

  int k = 0;
  do {
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      if (step == 0) to_a ^= kBufferA, to_b ^= kBufferB;
#pragma unroll
      for (int i = 0; i < kA; ++i) {
#pragma unroll
        for (int j = 0; j < kB; ++j) {
          const int place = i * kB + j, free = step == 0 ? 0 : kBehind;  // places from `free` on may use shared memory
          if (step == 1 && place == kBehind) {
            __syncthreads();
            from_a ^= kBufferA;
#pragma unroll
            for (int b = 0; b < kB; ++b) from_b[b] ^= kBufferB;
          }
          multiply(sums[i][2 * j], of_a[i], of_b[step][j].x, of_b[step][j].y);
          multiply(sums[i][2 * j + 1], of_a[i], of_b[step][j].z, of_b[step][j].w);
          if (free <= place && place < free + kB)
            of_b[step ^ 1][place - free] = load_transposed(from_b[place - free] + (step == 0 ? kTile * kRowB : 0));
          const int first = step == 0 ? kFirst : 0, chunks = step == 0 ? kChunks - kFirst : kFirst, places = kProducts - free;
          // Which is next, where this place is its own.
          const int number = ((place - free) * chunks + places - 1) / places;
          if (free <= place && number < chunks && number * places / chunks == place - free) {
            store(first + number, step, of_next[first + number]);
            of_next[first + number] = load(first + number, k + (step == 0 ? 3 : 4) * kDepth);
          }
          asm volatile("" ::: "memory");
        }
        of_a[i] = load_matrices((step == 0 ? from_a ^ kTile * sizeof(Half) : from_a) + i * kTile * kRowA);
      }
    }
    k += kDepth;
  } while (k < depth);
#pragma unroll
  for (int i = 0; i < kA; ++i)
#pragma unroll
    for (int j = 0; j < 2 * kB; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *(Pair*)&c[(first_row + row + kTile * i + 8 * half + lane / 4) * n + first_column + column + 8 * j + lane % 4 * 2] =
            Pair{sums[i][j][2 * half], sums[i][j][2 * half + 1]};
}

// A block of the small one makes 64 x 64 results; of the large ones 256 x 128, with 48 KiB of shared memory.
extern "C" __global__ void hgemm_tensor(const Half* a, const Half* b, float* c, int n) { hgemm<64, 64, 32, 32>(a, b, c, n); }
extern "C" __global__ __attribute__((launch_bounds(256, 1))) void hgemm_tensor_large(const Half* a, const Half* b, float* c, int n) {
  hgemm<256, 128, 64, 64>(a, b, c, n);
}
extern "C" __global__ __attribute__((launch_bounds(256, 1))) void hgemm_tensor_deep(const Half* a, const Half* b, float* c, int n) {
  hgemm<256, 128, 64, 64, 16>(a, b, c, n);
}
