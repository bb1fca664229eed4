// SPDX-License-Identifier: Apache-2.0
// The kernels of `heddle bench` that have one limit each. bench/peaks.ptx is what clang 19 makes of this file:
//   clang++-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 -O3 -S
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

typedef float Four __attribute__((ext_vector_type(4)));
typedef unsigned Words __attribute__((ext_vector_type(4)));

constexpr int kThreads = 256;  // a block
constexpr int kUnroll = 8;

__device__ inline int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline int global_thread() { return __nvvm_read_ptx_sreg_ctaid_x() * kThreads + thread(); }

// Eight chains of n products and sums a thread; n is a multiple of kUnroll.
extern "C" __global__ void fma_stream(const float* a, const float* b, float* c, int n) {
  const float factor = a[thread()], summand = b[thread()];
  float x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = i;
  for (int k = 0; k < n; k += kUnroll)
#pragma unroll
    for (int j = 0; j < kUnroll * 8; ++j) x[j % 8] = __builtin_fmaf(x[j % 8], factor, summand);
  c[global_thread()] = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

// n Fours.
extern "C" __global__ void copy(const Four* a, const Four*, Four* c, int n) {
  const int i = global_thread();
  if (i < n) c[i] = a[i];
}

// n x n, where n is a multiple of kSide; blocks of kSide x kThreads / kSide threads.
extern "C" __global__ void transpose(const float* a, const float*, float* c, int n) {
  constexpr int kSide = 32, kStep = kThreads / kSide;
  __shared__ float tile[kSide][kSide + 1];
  const int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
  const int column = __nvvm_read_ptx_sreg_ctaid_x() * kSide, row = __nvvm_read_ptx_sreg_ctaid_y() * kSide;
#pragma unroll
  for (int i = 0; i < kSide; i += kStep) tile[ty + i][tx] = a[(row + ty + i) * n + column + tx];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSide; i += kStep) c[(column + ty + i) * n + row + tx] = tile[tx][ty + i];
}

// Reads n Words, a power of two, `passes` times: four a thread, which other threads read, too. The sum of a number of
// each tells whether they were read; sums of all numbers would keep the lanes busy.
template <typename Load>
__device__ inline unsigned sums(int n, int passes, Load load) {
  const int step = n / 4, first = thread() & (step - 1);
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    Words v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = load(first + i * step);
    sum += v[0].x + v[1].y;
    sum += v[2].z + v[3].w;
  }
  return sum;
}

extern "C" __global__ void l2_reads(const Words* a, const int* b, unsigned* c, int n) {
  c[global_thread()] = sums(n, *b, [&](int i) {
    Words v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(a + i));
    return v;
  });
}

extern "C" __global__ void l1_reads(const Words* a, const int* b, unsigned* c, int n) {
  c[global_thread()] = sums(n, *b, [&](int i) {
    Words v;
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(a + i));
    return v;
  });
}

template <typename T>
__device__ inline unsigned shared_address(const T* p) {
  return (unsigned)(unsigned long)(const __attribute__((address_space(3))) T*)p;
}

// n is kThreads.
extern "C" __global__ void shared_reads(const Words* a, const int* b, unsigned* c, int n) {
  __shared__ __attribute__((aligned(16))) Words copied[kThreads];
  copied[thread()] = a[thread()];
  __syncthreads();
  const unsigned to = shared_address(copied);
  c[global_thread()] = sums(n, *b, [&](int i) {
    Words v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(to + (unsigned)sizeof v * i));
    return v;
  });
}

// A bin for each thread of a block. Each thread counts n pseudorandom numbers, those after its number of a; n is a
// multiple of kUnroll. A block's bins go to c.
extern "C" __global__ void histogram(const unsigned* a, const unsigned*, unsigned* c, int n) {
  __shared__ unsigned bins[kThreads];
  bins[thread()] = 0;
  unsigned x = a[global_thread()];
  const unsigned to = shared_address(bins);
  __syncthreads();
  for (int i = 0; i < n; i += kUnroll)
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) {
      x = x * 1664525u + 1013904223u;
      asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(to + (x >> 24) * 4) : "memory");
    }
  __syncthreads();
  c[global_thread()] = bins[thread()];
}

extern "C" __global__ void gather(const float* a, const unsigned* b, float* c, int n) {
  const int i = global_thread();
  if (i < n) c[i] = a[b[i]];
}

// Accelerations by the first n bodies, a multiple of kThreads: a body is x, y, z and its mass.
extern "C" __global__ void nbody(const Four* a, const float*, Four* c, int n) {
  __shared__ Four tile[kThreads];
  const Four mine = a[global_thread()];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += kThreads) {
    tile[thread()] = a[first + thread()];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kThreads; ++j) {
      const Four other = tile[j];
      const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
      const float squares = __builtin_fmaf(dz, dz, __builtin_fmaf(dy, dy, __builtin_fmaf(dx, dx, 1.0f)));
      const float inverse = __nvvm_rsqrt_approx_f(squares);
      const float pull = other.w * inverse * inverse * inverse;
      x = __builtin_fmaf(dx, pull, x);
      y = __builtin_fmaf(dy, pull, y);
      z = __builtin_fmaf(dz, pull, z);
    }
    __syncthreads();
  }
  c[global_thread()] = Four{x, y, z, 0};
}

// n additions a thread to the first kWords words of c; n is a multiple of kUnroll.
extern "C" __global__ void atomics(const float* a, const float*, float* c, int n) {
  constexpr int kWords = 64;
  const float summand = a[global_thread()];
  for (int i = 0; i < n; i += kUnroll)
#pragma unroll
    for (int j = 0; j < kUnroll; ++j)
      asm volatile("red.global.add.f32 [%0], %1;" ::"l"(c + thread() % kWords), "f"(summand) : "memory");
}
