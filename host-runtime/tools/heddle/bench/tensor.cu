// SPDX-License-Identifier: Apache-2.0
// The kernels of `heddle bench` for machines with a tensor unit. bench/tensor.ptx is what clang 19 makes of this file:
//   clang++-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 -O3 -S
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

typedef _Float16 Half;
typedef unsigned Words __attribute__((ext_vector_type(4)));  // eight numbers
typedef float Pair __attribute__((ext_vector_type(2)));

// Columns of A that are in shared memory at a time. Rows there have eight numbers more, so that those of a matrix lie in
// different banks.
constexpr int kDepth = 32, kPadding = 8;
constexpr int kChunk = 8;  // numbers that a thread brings at a time
constexpr int kTile = 16;  // rows of A, and columns of B that are loaded together; columns of A

__device__ inline unsigned shared_address(const Half* p) {
  return (unsigned)(unsigned long)(const __attribute__((address_space(3))) Half*)p;
}
// A pointer of its own: of an element's address clang knows only that it is an element's, and stores one by one.
__device__ inline void store_words(Half* to, Words w) { *(Words*)to = w; }
__device__ inline Words load_matrices(const Half* row) {
  Words w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
               : "r"(shared_address(row))
               : "memory");
  return w;
}
__device__ inline Words load_transposed(const Half* row) {
  Words w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
               : "r"(shared_address(row))
               : "memory");
  return w;
}
__device__ inline void multiply(float (&d)[4], Words a, unsigned b_upper, unsigned b_lower) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b_upper), "r"(b_lower));
}

// C = A B, n x n row by row, n a multiple of kBlock. A block makes kBlock x kBlock results, each of its warps kRows x kColumns of
// them; neighbouring threads bring neighbouring chunks.
template <int kBlock, int kRows, int kColumns>
__device__ __attribute__((always_inline)) inline void hgemm(const Half* a, const Half* b, float* c, int n) {
  constexpr int kAcross = kBlock / kColumns, kA = kRows / kTile, kB = kColumns / kTile;
  constexpr int kThreads = 32 * kAcross * (kBlock / kRows), kBrought = kBlock * kDepth / kChunk / kThreads;  // chunks of each a thread
  constexpr int kRowsA = kThreads * kChunk / kDepth, kRowsB = kThreads * kChunk / kBlock;                    // brought at a time
  __shared__ __attribute__((aligned(16))) Half as[2][kBlock][kDepth + kPadding], bs[2][kDepth][kBlock + kPadding];
  const int thread = __nvvm_read_ptx_sreg_tid_x(), lane = thread % 32, warp = thread / 32;
  const int first_row = __nvvm_read_ptx_sreg_ctaid_y() * kBlock, first_column = __nvvm_read_ptx_sreg_ctaid_x() * kBlock;
  const int a_row = thread / (kDepth / kChunk), a_column = thread % (kDepth / kChunk) * kChunk;
  const int b_row = thread / (kBlock / kChunk), b_column = thread % (kBlock / kChunk) * kChunk;
  const Half* next_a = a + (first_row + a_row) * n + a_column;
  const Half* next_b = b + b_row * n + first_column + b_column;
  const int row = warp / kAcross * kRows, column = warp % kAcross * kColumns;  // the warp's part
  const int lane_row = lane % 16, lane_column = lane / 16 * 8;
  Words of_next_a[kBrought], of_next_b[kBrought];
#pragma unroll
  for (int i = 0; i < kBrought; ++i) {
    of_next_a[i] = *(const Words*)(next_a + i * kRowsA * n);
    of_next_b[i] = *(const Words*)(next_b + i * kRowsB * n);
  }
  float sums[kA][2 * kB][4] = {};
  for (int k = 0, buffer = 0; k < n; k += kDepth, buffer ^= 1) {
#pragma unroll
    for (int i = 0; i < kBrought; ++i) {
      store_words(&as[buffer][a_row + i * kRowsA][a_column], of_next_a[i]);
      store_words(&bs[buffer][b_row + i * kRowsB][b_column], of_next_b[i]);
    }
    __syncthreads();
    // Of the last columns there are no next ones: any do.
    const int next = k + kDepth < n ? k + kDepth : 0;
#pragma unroll
    for (int step = 0; step < kDepth; step += kTile) {
      Words of_a[kA], of_b[kB];
#pragma unroll
      for (int i = 0; i < kA; ++i) of_a[i] = load_matrices(&as[buffer][row + kTile * i + lane_row][step + lane_column]);
#pragma unroll
      for (int j = 0; j < kB; ++j) of_b[j] = load_transposed(&bs[buffer][step + lane_row][column + kTile * j + lane_column]);
#pragma unroll
      for (int i = 0; i < kA; ++i)
#pragma unroll
        for (int j = 0; j < kB; ++j) {
          multiply(sums[i][2 * j], of_a[i], of_b[j].x, of_b[j].y);
          multiply(sums[i][2 * j + 1], of_a[i], of_b[j].z, of_b[j].w);
          // The next chunks are on their way while these are multiplied; one after the other, so that no queue fills.
          constexpr int kEvery = kA * kB / kBrought;
          if ((i * kB + j) % kEvery == 0 && step == 0) of_next_a[(i * kB + j) / kEvery] = *(const Words*)(next_a + ((i * kB + j) / kEvery * kRowsA * n + next));
          if ((i * kB + j) % kEvery == 0 && step != 0) of_next_b[(i * kB + j) / kEvery] = *(const Words*)(next_b + ((i * kB + j) / kEvery * kRowsB + next) * n);
          asm volatile("" ::: "memory");
        }
    }
  }
#pragma unroll
  for (int i = 0; i < kA; ++i)
#pragma unroll
    for (int j = 0; j < 2 * kB; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *(Pair*)&c[(first_row + row + kTile * i + 8 * half + lane / 4) * n + first_column + column + 8 * j + lane % 4 * 2] =
            Pair{sums[i][j][2 * half], sums[i][j][2 * half + 1]};
}

// Both have 128 threads a block. The large one makes four times as many results, with half as many bytes of shared memory and of
// device memory each; two blocks an SM.
extern "C" __global__ void hgemm_tensor(const Half* a, const Half* b, float* c, int n) { hgemm<64, 32, 32>(a, b, c, n); }
extern "C" __global__ __attribute__((launch_bounds(128, 2))) void hgemm_tensor_large(const Half* a, const Half* b, float* c, int n) {
  hgemm<128, 64, 64>(a, b, c, n);
}
