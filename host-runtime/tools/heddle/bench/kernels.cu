// SPDX-License-Identifier: Apache-2.0
// The kernels of `heddle bench`. bench/kernels.ptx is what clang 19 makes of this file:
//   clang++-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 -O3 -S
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

constexpr int kTile = 16;

extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) c[i] = a[i] + b[i];
}

// c = b (2^-a + 2^-(a+1) + ...), twice 16 terms by way of reciprocals and of roots: exact for small whole numbers.
extern "C" __global__ void special(const float* a, const float* b, float* c, int n) {
  const int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    float power, square, inverse, root;
    asm("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"(a[i] + k));
    asm("rcp.approx.f32 %0, %1;" : "=f"(inverse) : "f"(power));
    asm("ex2.approx.f32 %0, %1;" : "=f"(square) : "f"(2 * (a[i] + k)));
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(square));
    sum += inverse + root;
  }
  c[i] = b[i] * sum;
}

// C = A B, n x n row by row, n a multiple of kTile; blocks of kTile x kTile threads.
template <typename T>
__device__ inline void gemm(const T* a, const T* b, T* c, int n, T (*as)[kTile], T (*bs)[kTile]) {
  const int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
  const int row = __nvvm_read_ptx_sreg_ctaid_y() * kTile + ty;
  const int column = __nvvm_read_ptx_sreg_ctaid_x() * kTile + tx;
  T sum = 0;
  for (int tile = 0; tile < n; tile += kTile) {
    as[ty][tx] = a[row * n + tile + tx];
    bs[ty][tx] = b[(tile + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  gemm(a, b, c, n, as, bs);
}

extern "C" __global__ void dgemm(const double* a, const double* b, double* c, int n) {
  __shared__ double as[kTile][kTile], bs[kTile][kTile];
  gemm(a, b, c, n, as, bs);
}

// The same in f16, two columns a thread: blocks of kTile x kTile threads make kTile rows of 2 kTile columns.
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
extern "C" __global__ void hgemm(const _Float16* a, const half2* b, half2* c, int n) {
  __shared__ half2 as[kTile][kTile], bs[kTile][kTile];
  const int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y(), pairs = n / 2;
  const int row = __nvvm_read_ptx_sreg_ctaid_y() * kTile + ty;
  const int column = __nvvm_read_ptx_sreg_ctaid_x() * kTile + tx;
  half2 sum = {0, 0};
  for (int tile = 0; tile < n; tile += kTile) {
    as[ty][tx] = half2(a[row * n + tile + tx]);
    bs[ty][tx] = b[(tile + ty) * pairs + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * pairs + column] = sum;
}

// As a function: where clang sees the array it forgets that these four are aligned, and loads them one by one.
typedef float Four __attribute__((ext_vector_type(4)));
__device__ inline Four four(const float* from) { return *(const Four*)from; }

// 64 x kColumns results a block of as many threads, 8 x 8 a thread; while a tile of 16 columns of A is used the next one is
// loaded. At most 170 registers: twelve warps on an SM of 65,536. Inlined by order: clang's own choice, later, makes worse code.
template <int kColumns>
__device__ __attribute__((always_inline)) inline void large_gemm(const float* a, const float* b, float* c, int n) {
  constexpr int kRows = 64, kStep = 16, kAcross = kColumns / 64, kLoads = 4 / kAcross;
  __shared__ __attribute__((aligned(16))) float left[2][kStep][kRows + 4], right[2][kStep][kColumns];
  const int thread = __nvvm_read_ptx_sreg_tid_x(), warp = thread / 32, lane = thread % 32;
  const int tx = (warp % kAcross * 8 + lane % 8) * 4, ty = (warp / kAcross * 4 + lane / 8) * 4;
  const int line = thread / (kColumns / 4), place = thread % (kColumns / 4) * 4;
  const float* const rows = a + (__nvvm_read_ptx_sreg_ctaid_y() * kRows + thread / 4) * n + thread % 4 * 4;
  const float* const columns = b + line * n + __nvvm_read_ptx_sreg_ctaid_x() * kColumns + place;
  Four row[kLoads], column[4];
  float sum[8][8] = {};
  const auto load = [&](int k, int i) {
    if (i < kLoads) row[i] = *(const Four*)(rows + k + kRows / kLoads * i * n);
    column[i] = *(const Four*)(columns + (k + 4 * i) * n);
  };
  const auto store = [&](int into, int i) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (i < kLoads) left[into][thread % 4 * 4 + j][thread / 4 + kRows / kLoads * i] = row[i][j];
    *(Four*)&right[into][line + 4 * i][place] = column[i];
  };
#pragma unroll
  for (int i = 0; i < 4; i++) load(0, i);
#pragma unroll
  for (int i = 0; i < 4; i++) store(0, i);
  for (int k = 0; k < n; k += kStep) {
    const int at = k / kStep % 2, next = k + kStep < n ? k + kStep : k;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < kStep; q++) {
      // The next tile, among the products of the first steps and of the last.
      if (q >= 1 && q <= 4) load(next, q - 1);
      if (q >= kStep - 4) store(1 - at, q - (kStep - 4));
      const Four x[2] = {four(left[at][q] + ty), four(left[at][q] + ty + kRows / 2)};
      const Four y[2] = {four(right[at][q] + tx), four(right[at][q] + tx + kColumns / 2)};
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) sum[i][j] = __builtin_fmaf(x[i / 4][i % 4], y[j / 4][j % 4], sum[i][j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    float* const to = c + (__nvvm_read_ptx_sreg_ctaid_y() * kRows + i / 4 * (kRows / 2) + ty + i % 4) * n +
                      __nvvm_read_ptx_sreg_ctaid_x() * kColumns + tx;
    for (int j = 0; j < 2; j++)
      *(Four*)(to + kColumns / 2 * j) = Four{sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]};
  }
}

extern "C" __global__ __attribute__((launch_bounds(64, 6))) void sgemm_large(const float* a, const float* b, float* c, int n) {
  large_gemm<64>(a, b, c, n);
}

// A warp on each of four schedulers, so that none has more of the last blocks than another; three blocks on a multiprocessor of
// 65,536 registers, or, with fewer registers, four.
extern "C" __global__ __attribute__((launch_bounds(128, 3))) void sgemm_wide(const float* a, const float* b, float* c, int n) {
  large_gemm<128>(a, b, c, n);
}
extern "C" __global__ __attribute__((launch_bounds(128, 4))) void sgemm_wide_four(const float* a, const float* b, float* c, int n) {
  large_gemm<128>(a, b, c, n);
}
