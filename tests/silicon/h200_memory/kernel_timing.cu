// SPDX-License-Identifier: Apache-2.0
// Cycles of one thread block for patterns of addresses: gathers from the L1, stores in part, copies in halves, atomics. Each kernel
// checks its result (../block_timing.h).
#include "../block_timing.h"

constexpr int kRounds = 32;

// ---------------------------------------------------------------------------------------------- gathers
// A table of 2,048 words, which the L1 holds before the clock starts, as the registers do a lane's places: each round it reads the next.
constexpr int kTable = 2048;

template <class T> __global__ void gather(const T* table, const int* places, T* out, i64* cycles) {
  T sum = 0;
  BLOCK_LOOP(i, kTable) sum += table[i];
  out[threadIdx.x] = sum;
  const T* mine[kRounds / 2];
#pragma unroll
  for (int r = 0; r < kRounds / 2; ++r) {
    mine[r] = table + places[r * blockDim.x + threadIdx.x];
    asm volatile("" : "+l"(mine[r])::"memory");
  }
  __syncthreads();
  sum = 0;
  {
    const BlockTimer timer(cycles);
#pragma unroll
    for (int r = 0; r < kRounds / 2; ++r) sum += *mine[r];
    if (sum < 0) out[0] = sum;   // never; the sum is known before the clock is read
  }
  out[threadIdx.x] = sum;
}

// Places of a warp's lanes in `lines` lines. Apart: lane l has bank l. Together: lanes of different lines have the same banks.
enum Pattern { kApart, kTogether, kRandom };
static int place(int i, int lines, Pattern pattern) {
  const int lane = i % 32, warp = i / 32;
  if (pattern == kRandom) return int(random_bits(i) % (32 * lines));
  const int line = (lane % lines + warp * 7) % (kTable / 32);
  return 32 * line + (pattern == kApart ? lane : lane / lines);
}

template <class T> static void run_gather(const char* name, const char* variant, int lines, Pattern pattern) {
  Array<T> table(kTable, [](int i) { return T(i % 97); });
  Array<int> places(kRounds * 1024, [&](int i) { return place(i, lines, pattern); });
  for (int threads : {256, 1024}) {
    Array<T> out(threads);
    run(name, variant, {threads}, out, LAUNCH(gather<T><<<1, threads>>>(table, places, out, t)), [&](int i) {
      T sum = 0;
      for (int r = 0; r < kRounds / 2; ++r) sum += table[places[r * threads + i]];
      return out[i] == sum;
    });
  }
}

static void run_gathers() {
  run_gather<float>("gather", "1 line", 1, kApart);
  run_gather<float>("gather", "2 lines, banks apart", 2, kApart);
  run_gather<float>("gather", "4 lines, banks apart", 4, kApart);
  run_gather<float>("gather", "8 lines, banks apart", 8, kApart);
  run_gather<float>("gather", "32 lines, banks apart", 32, kApart);
  run_gather<float>("gather", "4 lines, same banks", 4, kTogether);
  run_gather<float>("gather", "32 lines, same banks", 32, kTogether);
  run_gather<float>("gather", "random, 512 bytes", 4, kRandom);
  run_gather<float>("gather", "random, 2 KB", 16, kRandom);
  run_gather<float>("gather", "random, 8 KB", 64, kRandom);
  run_gather<double>("gather f64", "random, 8 KB", 32, kRandom);
}

// ---------------------------------------------------------------------------------------------- stores
// Each thread stores `bytes` of every 16 bytes of its own.
template <class T> __global__ void store_part(T* out, int stride, int n, i64* cycles) {
  const BlockTimer timer(cycles);
  BLOCK_LOOP(i, n) out[i * stride] = T(i);
}

// Copies 16 bytes a thread as a compiler may: two halves, the first stored before the second is read.
__global__ void copy_halves(const double2* in, double2* out, int n, i64* cycles) {
  const BlockTimer timer(cycles);
  BLOCK_LOOP(i, n) {
    double x, y;
    asm volatile("ld.global.f64 %0, [%1];" : "=d"(x) : "l"(&in[i].x) : "memory");
    asm volatile("st.global.f64 [%0], %1;" ::"l"(&out[i].x), "d"(x) : "memory");
    asm volatile("ld.global.f64 %0, [%1];" : "=d"(y) : "l"(&in[i].y) : "memory");
    asm volatile("st.global.f64 [%0], %1;" ::"l"(&out[i].y), "d"(y) : "memory");
  }
}
__global__ void copy_whole(const double2* in, double2* out, int n, i64* cycles) {
  const BlockTimer timer(cycles);
  BLOCK_LOOP(i, n) {
    double x, y;
    asm volatile("ld.global.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(&in[i]) : "memory");
    asm volatile("st.global.v2.f64 [%0], {%1, %2};" ::"l"(&out[i]), "d"(x), "d"(y) : "memory");
  }
}
// Two words of each thread's sector, one instruction after the other.
__global__ void store_twice(float* out, int n, i64* cycles) {
  const BlockTimer timer(cycles);
  BLOCK_LOOP(i, n) {
    asm volatile("st.global.f32 [%0], %1;" ::"l"(out + 8 * i), "f"(float(i)) : "memory");
    asm volatile("st.global.f32 [%0], %1;" ::"l"(out + 8 * i + 4), "f"(float(-i)) : "memory");
  }
}

static void run_stores() {
  const int n = 4096;
  Array<float> out(8 * n);
  const auto at = [&](int stride) { return [&out, stride](int i) { return i % stride || i / stride >= n || out[i] == float(i / stride); }; };
  run("store", "every word", {256, 1024}, out, LAUNCH(store_part<<<1, threads>>>(out.device, 1, n, t)), at(1));
  run("store", "every second word", {256, 1024}, out, LAUNCH(store_part<<<1, threads>>>(out.device, 2, n, t)), at(2));
  run("store", "every fourth word", {256, 1024}, out, LAUNCH(store_part<<<1, threads>>>(out.device, 4, n, t)), at(4));
  run("store", "every eighth word", {256, 1024}, out, LAUNCH(store_part<<<1, threads>>>(out.device, 8, n, t)), at(8));
  run("store", "two words of a sector", {256, 1024}, out, LAUNCH(store_twice<<<1, threads>>>(out, n, t)),
      EACH(i % 4 || out[i] == float(i % 8 ? -(i / 8) : i / 8)));

  Array<double2> from(n, [](int i) { return make_double2(i, -i); }), to(n);
  run("copy 16 bytes", "whole", {256, 1024}, to, LAUNCH(copy_whole<<<1, threads>>>(from, to, n, t)), EACH(to[i].x == i && to[i].y == -i));
  run("copy 16 bytes", "halves", {256, 1024}, to, LAUNCH(copy_halves<<<1, threads>>>(from, to, n, t)), EACH(to[i].x == i && to[i].y == -i));
}

// ---------------------------------------------------------------------------------------------- atomics
enum Words { kOwn, kNeighbours, kSpread, kOne };   // of the block's threads, a word each; 64 words; random ones; one
__device__ __host__ inline int word_of(int i, Words words, int r) {
  return words == kOwn ? i : words == kNeighbours ? i % 64 : words == kSpread ? (i * 37 + r * 101) % 1021 : 0;
}

// Ends when all sums are in memory.
template <class T, Words words, bool Reads> __global__ void add(T* sums, T* out, i64* cycles) {
  T found = 0;
  {
    const BlockTimer timer(cycles);
    for (int r = 0; r < kRounds; ++r) {
      const T old = atomicAdd(&sums[word_of(threadIdx.x, words, r)], T(1));
      if (Reads) found += old;
    }
    __threadfence();
  }
  out[threadIdx.x] = found;
}

// All lanes add to one word: an instruction that no compiler joins.
__global__ void add_one(u32* sums, i64* cycles) {
  const BlockTimer timer(cycles);
  for (int r = 0; r < kRounds; ++r) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(sums) : "memory");
  __threadfence();
}

template <class T, Words words, bool Reads> static void run_add(const char* name, const char* variant) {
  for (int threads : {256, 1024}) {
    Array<T> sums(1024), out(threads);
    const auto launch = [&](int block, i64* t) {
      check(cudaMemset(sums.device, 0, 1024 * sizeof(T)), "sums");
      add<T, words, Reads><<<1, block>>>(sums.device, out.device, t);
    };
    std::vector<T> want(1024);
    for (int i = 0; i < threads; ++i)
      for (int r = 0; r < kRounds; ++r) want[word_of(i, words, r)] += T(1);
    run(name, variant, {threads}, sums, launch, EACH(sums[i] == want[i]));
  }
}

static void run_atomics() {
  run_add<u32, kOwn, false>("red u32", "a word a thread");
  run_add<u32, kNeighbours, false>("red u32", "64 words");
  run_add<u32, kSpread, false>("red u32", "random of 1021 words");
  run_add<u32, kOne, false>("red u32", "one word");
  for (int threads : {256, 1024}) {
    Array<u32> sums(1);
    run("red u32", "one word, each lane", {threads}, sums, [&](int block, i64* t) {
      check(cudaMemset(sums.device, 0, sizeof(u32)), "sums");
      add_one<<<1, block>>>(sums, t);
    }, EACH(sums[i] == u32(kRounds * threads)));
  }
  run_add<float, kOwn, false>("red f32", "a word a thread");
  run_add<float, kNeighbours, false>("red f32", "64 words");
  run_add<u32, kOwn, true>("atom u32", "a word a thread");
  run_add<u32, kNeighbours, true>("atom u32", "64 words");
  run_add<u32, kSpread, true>("atom u32", "random of 1021 words");
  run_add<float, kOwn, true>("atom f32", "a word a thread");
}

int main(int argc, char** argv) { return time_kernels(argc, argv, {run_gathers, run_stores, run_atomics}); }
