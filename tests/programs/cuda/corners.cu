// SPDX-License-Identifier: Apache-2.0
// What other programs seldom do: blocks and grids of three dimensions, barriers that reduce, both predicates of a comparison,
// conversions beyond the largest integers, clocks whose values are used at once, more misses in one set of a cache than it
// has ways, and a line that is read by plain, volatile and acquiring loads while another block writes it.
#include <limits.h>

#include <vector>

#include "../../../examples/common/example.h"

namespace {

int wrong = 0;
void expect(bool right, const char* what) {
  if (!right) printf("%s: wrong\n", what), wrong++;
}

// ---- three dimensions: every thread writes its number at its place -------------------------------------------
__global__ void places(unsigned* out) {
  const dim3 g = gridDim, b = blockDim;
  const unsigned block = (blockIdx.z * g.y + blockIdx.y) * g.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * b.y + threadIdx.y) * b.x + threadIdx.x;
  out[block * (b.x * b.y * b.z) + thread] =
      blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 | threadIdx.x << 12 | threadIdx.y << 18 | threadIdx.z << 24;
}

void three_dimensions() {
  const dim3 grid(2, 3, 2), block(5, 7, 4);
  const unsigned threads = block.x * block.y * block.z, count = grid.x * grid.y * grid.z * threads;
  std::vector<unsigned> out(count);
  unsigned* device;
  CHECK(cudaMalloc(&device, 4 * count));
  places<<<grid, block>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), device, 4 * count, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (unsigned i = 0; i < count; i++) {
    const unsigned b = i / threads, t = i % threads;
    const unsigned x = b % grid.x, y = b / grid.x % grid.y, z = b / grid.x / grid.y;
    const unsigned tx = t % block.x, ty = t / block.x % block.y, tz = t / block.x / block.y;
    right = right && out[i] == (x | y << 4 | z << 8 | tx << 12 | ty << 18 | tz << 24);
  }
  expect(right, "three dimensions");
}

// ---- barriers that reduce, comparisons with two results, conversions -----------------------------------------
__global__ void reductions(unsigned* out) {
  const int t = (int)threadIdx.x;
  const unsigned all = __syncthreads_and(t != 70), some = __syncthreads_or(t == 70), ones = __syncthreads_count(t % 3 == 0);
  const unsigned none = __syncthreads_or(t > 1000), whole = __syncthreads_and(t >= 0);
  out[t] = all | some << 1 | none << 2 | whole << 3 | ones << 4;
}

__global__ void predicates(unsigned* out) {
  const int t = (int)threadIdx.x;
  unsigned both;
  asm("{ .reg .pred p, q, r; .reg .b32 a, b;\n"
      "setp.lt.s32 r, %1, 20;\n"
      "setp.gt.and.s32 p|q, %1, 9, r;\n"  // p: t > 9 and t < 20; q: t <= 9 and t < 20
      "selp.u32 a, 1, 0, q;\n"
      "selp.u32 b, 2, 0, p;\n"
      "setp.eq.xor.s32 p|q, %1, 5, q;\n"
      "@q add.u32 b, b, 4;\n"
      "@!p add.u32 a, a, 8;\n"
      "add.u32 %0, a, b;\n"
      // What the second one guards comes one instruction later, for only that depends on no more than the comparison.
      "setp.gt.and.u32 p|q, %0, 11, r;\n"
      "xor.b32 b, %0, 5;\n"
      "@q add.u32 %0, %0, b;\n"
      "setp.lt.and.u32 p|q, %0, 24, r;\n"
      "xor.b32 b, %0, 6;\n"
      "@q add.u32 %0, %0, b;\n"
      "setp.lt.and.u32 p|q, %0, 30, r;\n"
      "xor.b32 b, %0, 7;\n"
      "@q add.u32 %0, %0, b; }"
      : "=&r"(both)
      : "r"(t));
  out[t] = both;
}

__global__ void conversions(const double* in, int* narrow, long long* wide, unsigned* plain) {
  const unsigned t = threadIdx.x;
  narrow[t] = __double2int_rz(in[t]);
  wide[t] = __double2ll_rz(in[t]);
  plain[t] = __double2uint_rz(in[t]);
}

void values() {
  unsigned out[96], *device;
  CHECK(cudaMalloc(&device, sizeof out));
  reductions<<<1, 96>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  bool right = true;
  for (unsigned v : out) right = right && v == (0 | 2 | 0 | 8 | 32 << 4);
  expect(right, "barriers that reduce");

  predicates<<<1, 32>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out, device, 32 * 4, cudaMemcpyDeviceToHost));
  right = true;
  for (int t = 0; t < 32; t++) {
    bool p = t > 9 && t < 20, q = t <= 9 && t < 20;
    unsigned a = q ? 1 : 0, b = p ? 2 : 0;
    const bool old = q;
    p = (t == 5) != old, q = (t != 5) != old;
    if (q) b += 4;
    if (!p) a += 8;
    unsigned both = a + b;
    if (both <= 11 && t < 20) both += both ^ 5;
    if (both >= 24 && t < 20) both += both ^ 6;
    if (both >= 30 && t < 20) both += both ^ 7;
    right = right && out[t] == both;
  }
  expect(right, "two predicates");
  CHECK(cudaFree(device));

  const double in[8] = {-1e300, -9.3e18, -2147483649.0, -2147483648.5, -0.9, 2147483648.0, 9.3e18, 1e300};
  const int narrow[8] = {INT_MIN, INT_MIN, INT_MIN, INT_MIN, 0, INT_MAX, INT_MAX, INT_MAX};
  const long long wide[8] = {LLONG_MIN, LLONG_MIN, -2147483649ll, -2147483648ll, 0, 2147483648ll, LLONG_MAX, LLONG_MAX};
  const unsigned plain[8] = {0, 0, 0, 0, 0, 2147483648u, UINT_MAX, UINT_MAX};
  double* numbers;
  int *d_narrow, got_narrow[8];
  long long *d_wide, got_wide[8];
  unsigned *d_plain, got_plain[8];
  CHECK(cudaMalloc(&numbers, sizeof in));
  CHECK(cudaMalloc(&d_narrow, sizeof narrow));
  CHECK(cudaMalloc(&d_wide, sizeof wide));
  CHECK(cudaMalloc(&d_plain, sizeof plain));
  CHECK(cudaMemcpy(numbers, in, sizeof in, cudaMemcpyHostToDevice));
  conversions<<<1, 8>>>(numbers, d_narrow, d_wide, d_plain);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got_narrow, d_narrow, sizeof narrow, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(got_wide, d_wide, sizeof wide, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(got_plain, d_plain, sizeof plain, cudaMemcpyDeviceToHost));
  expect(memcmp(got_narrow, narrow, sizeof narrow) == 0 && memcmp(got_wide, wide, sizeof wide) == 0 &&
             memcmp(got_plain, plain, sizeof plain) == 0,
         "conversions");
  for (void* p : {(void*)numbers, (void*)d_narrow, (void*)d_wide, (void*)d_plain}) CHECK(cudaFree(p));
}

// ---- one set of a cache: lanes read and write words `stride` apart -------------------------------------------
__global__ void stride_apart(unsigned* data, unsigned stride, unsigned* sums) {
  const unsigned t = threadIdx.x;
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; i++) {
    sum += data[(t % 32) * stride + 8 * i + t / 32];
    data[(t % 32) * stride + 8 * i + t / 32 + 32] = sum;
  }
  sums[t] = sum;
}

void one_set() {
  for (const unsigned stride : {1024u, 4096u, 16384u}) {  // words
    const unsigned words = 32 * stride;
    std::vector<unsigned> data(words), sums(128);
    for (unsigned i = 0; i < words; i++) data[i] = i * 2654435761u;
    unsigned *device, *d_sums;
    CHECK(cudaMalloc(&device, 4 * words));
    CHECK(cudaMalloc(&d_sums, sizeof(unsigned) * sums.size()));
    CHECK(cudaMemcpy(device, data.data(), 4 * words, cudaMemcpyHostToDevice));
    stride_apart<<<1, 128>>>(device, stride, d_sums);
    CHECK_LAUNCH();
    std::vector<unsigned> left(words);
    CHECK(cudaMemcpy(left.data(), device, 4 * words, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sums.data(), d_sums, sizeof(unsigned) * sums.size(), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    CHECK(cudaFree(d_sums));
    bool right = true;
    for (unsigned t = 0; t < 128; t++) {
      unsigned sum = 0;
      for (unsigned i = 0; i < 4; i++) {
        const unsigned at = (t % 32) * stride + 8 * i + t / 32;
        sum += data[at];
        right = right && left[at] == data[at] && left[at + 32] == sum;
      }
      right = right && sums[t] == sum;
    }
    expect(right, "one set");
  }
}

// ---- a line that another block writes ------------------------------------------------------------------------
// Block 0 keeps the line in its cache; block 1 writes it and releases a flag. A volatile load must not leave the old copy for
// the plain load behind it, and the fence of an acquire must drop it.
__global__ void message(volatile unsigned* line, unsigned* flags, unsigned* seen) {
  const unsigned* plain = (const unsigned*)line;
  const auto set = [](unsigned* flag) { asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(flag) : "memory"); };
  const auto get = [](unsigned* flag) {
    unsigned v;
    do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
    while (v == 0);
  };
  const auto read = [](const unsigned* from) {
    unsigned v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    return v;
  };
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    seen[0] = read(plain) + read(plain + 1);  // 0: the line is here now
    set(flags);
    get(flags + 32);
    seen[1] = read(plain);  // 1
    set(flags + 64);
    seen[4] = read(plain + 1);  // most likely 0: the line is here again
    unsigned v;
    do v = line[1];  // volatile, until the other block has written it
    while (v == 0);
    seen[2] = read(plain + 1);  // 2, as the volatile load saw
    seen[3] = v;
  } else {
    get(flags);
    line[0] = 1;
    __threadfence();
    set(flags + 32);
    get(flags + 64);
    unsigned late = 0;
    for (int i = 0; i < 8; i++) late += line[8 * (i + 1) + late];  // zeros, one after the other: time passes
    line[1] = 2 + late;
  }
}

void one_line() {
  unsigned *memory, seen[5], *d_seen;
  CHECK(cudaMalloc(&memory, 1024));
  CHECK(cudaMalloc(&d_seen, sizeof seen));
  CHECK(cudaMemset(memory, 0, 1024));
  message<<<2, 32>>>(memory, memory + 128, d_seen);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  CHECK(cudaFree(d_seen));
  expect(seen[0] == 0 && seen[1] == 1 && seen[2] == 2 && seen[3] == 2 && seen[4] <= 2, "one line");
}

// ---- the clock, used at once: it rises, and each value is used as it was read -----------------------------------------
__global__ void clocks(unsigned* rises) {
  unsigned bad = 0;
  for (int i = 0; i < 40; i++) {
    unsigned low, twice, high, next;
    unsigned long long wide, later, timer;
    asm volatile("mov.u32 %0, %%clock; add.u32 %1, %0, %0; mov.u64 %2, %%clock64; sub.u64 %3, %2, 1;\n"
                 "mov.u32 %4, %%clock_hi; add.u32 %5, %4, 1; mov.u64 %6, %%globaltimer;"
                 : "=r"(low), "=r"(twice), "=l"(wide), "=l"(later), "=r"(high), "=r"(next), "=l"(timer));
    bad |= twice != 2 * low || later != wide - 1 || next != high + 1 || (unsigned)wide - low - 1 > 100000 || timer == 0;
  }
  rises[threadIdx.x] = !bad;
}

void each_clock() {
  unsigned rises[32], *device;
  CHECK(cudaMalloc(&device, sizeof rises));
  clocks<<<1, 32>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(rises, device, sizeof rises, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  for (const unsigned r : rises) expect(r, "clocks");
}

}  // namespace

int main() {
  three_dimensions();
  values();
  each_clock();
  one_set();
  one_line();
  printf(wrong ? "FAIL\n" : "PASS\n");
  return wrong ? 1 : 0;
}
