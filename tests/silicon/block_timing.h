// SPDX-License-Identifier: Apache-2.0
// What programs share that measure the cycles of one thread block: the clock, arrays, launches and checks, the JSON
// that they print.
//
//   program [NAME [LAUNCHES]]     only the kernels whose name holds NAME; timed launches (9)
//
// Plain CUDA: no headers but these three, no libraries.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

using u8 = unsigned char;
using u32 = unsigned;
using i64 = long long;

#define BLOCK_LOOP(i, n) for (int i = threadIdx.x; i < int(n); i += blockDim.x)

// ---------------------------------------------------------------------------------------------- the clock
__device__ __forceinline__ i64 now() {
  i64 t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

// Times its own scope: cycles from the first warp's start to the last warp's end. Stores may still be on their way.
struct BlockTimer {
  i64 start, *cycles;
  __device__ __forceinline__ explicit BlockTimer(i64* c) : start(now()), cycles(c) {}
  __device__ __forceinline__ ~BlockTimer() {
    __shared__ i64 starts[32], ends[32];
    __syncwarp();
    const i64 end = now();
    if (threadIdx.x % 32 == 0) starts[threadIdx.x / 32] = start, ends[threadIdx.x / 32] = end;
    __syncthreads();
    if (threadIdx.x != 0) return;
    i64 first = start, last = end;
#pragma unroll 1
    for (u32 w = 1; w < (blockDim.x + 31) / 32; ++w) {
      if (starts[w] < first) first = starts[w];
      if (ends[w] > last) last = ends[w];
    }
    *cycles = last - first;
  }
};

// ---------------------------------------------------------------------------------------------- host side
static const char* g_filter = "";
static int g_launches = 9;
static bool g_first = true, g_all_ok = true;
static i64* g_cycles;  // device memory

static void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

// The same numbers everywhere
static u32 random_bits(u32 i) {
  u32 x = (i + 1) * 0x9e3779b1u;
  for (int k = 0; k < 3; ++k) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return x;
}
static float random_real(u32 i) { return float(random_bits(i) >> 8) / 16777216.0f; }  // in [0, 1)
static bool near(double a, double b, double tolerance = 1e-4) { return fabs(a - b) <= tolerance * (1 + fabs(b)); }

// An array on both sides: inputs are filled by a function of the index, outputs are poisoned before a run.
template <class T>
struct Array {
  T* device = nullptr;
  std::vector<T> host;
  explicit Array(int n) : host(n) { check(cudaMalloc(reinterpret_cast<void**>(&device), n * sizeof(T)), "cudaMalloc"); }
  template <class F>
  Array(int n, F value) : Array(n) {
    for (int i = 0; i < n; ++i) host[i] = value(i);
    check(cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "input");
  }
  Array(const Array&) = delete;
  ~Array() { cudaFree(device); }
  operator T*() const { return device; }
  T operator[](int i) const { return host[i]; }
  void poison() { check(cudaMemset(device, 0xcc, host.size() * sizeof(T)), "output"); }
  void fetch() { check(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost), "result"); }
};

template <class T>
static std::vector<T> sorted(std::vector<T> v) {  // by insertion
  for (size_t i = 1; i < v.size(); ++i)
    for (size_t j = i; j > 0 && v[j] < v[j - 1]; --j) {
      const T t = v[j];
      v[j] = v[j - 1], v[j - 1] = t;
    }
  return v;
}

// For each block size: launches once to warm up and g_launches times for the figures; ok(i) checks out[i].
template <class T, class Launch, class Ok>
static void run(const char* name, const char* variant, std::initializer_list<int> sizes, Array<T>& out, Launch launch,
                Ok ok) {
  if (!strstr(name, g_filter)) return;
  for (int threads : sizes) {
    std::vector<i64> cycles(g_launches + 1);
    out.poison();
    for (i64& value : cycles) {
      launch(threads, g_cycles);
      check(cudaGetLastError(), name);
      check(cudaMemcpy(&value, g_cycles, sizeof value, cudaMemcpyDeviceToHost), name);
    }
    cycles = sorted(std::vector<i64>(cycles.begin() + 1, cycles.end()));
    out.fetch();
    int wrong = 0;
    for (size_t i = 0; i < out.host.size(); ++i) wrong += !ok(int(i));
    if (wrong) g_all_ok = false;
    printf("%s\n    {\"name\": \"%s\", \"variant\": \"%s\", \"threads\": %d, ", g_first ? "" : ",", name, variant,
           threads);
    printf("\"cycles_min\": %lld, \"cycles_median\": %lld, \"check\": \"%s\"}", cycles[0], cycles[cycles.size() / 2],
           wrong ? "WRONG" : "ok");
    g_first = false;
    fflush(stdout);
  }
}
// The last two arguments of run(): a launch with `threads` threads and `t` for the cycles; what holds for each i
#define LAUNCH(...) [&](int threads, i64* t) { __VA_ARGS__; }
#define EACH(...) [&](int i) { return __VA_ARGS__; }

// Runs them all; the program's exit status.
static int time_kernels(int argc, char** argv, std::initializer_list<void (*)()> all) {
  if (argc > 1) g_filter = argv[1];
  if (argc > 2 && atoi(argv[2]) > 0) g_launches = atoi(argv[2]);
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "properties");
  check(cudaMalloc(reinterpret_cast<void**>(&g_cycles), sizeof(i64)), "cudaMalloc");
  printf("{\n  \"device\": \"%s\", \"compute_capability\": \"%d.%d\", \"launches\": %d,\n  \"kernels\": [", device.name,
         device.major, device.minor, g_launches);
  for (auto* kernels : all) kernels();
  printf("\n  ],\n  \"all_ok\": %s\n}\n", g_all_ok ? "true" : "false");
  return g_all_ok ? 0 : 1;
}
