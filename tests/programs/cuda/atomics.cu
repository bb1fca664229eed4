// SPDX-License-Identifier: Apache-2.0
// Atomics on 32 and 64 bits in shared memory, in global memory, and through pointers that point to either, from lane to
// lane: every operation on a thread's own word, against the host; then all threads on the same words.
#include <string.h>

#include <algorithm>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kThreads = 96, kOps = 13, kRounds = 3;

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}
// Operands near the word's value now and then, so that comparisons go both ways.
template <typename T>
__host__ __device__ T operand(unsigned thread, int round, int op, int which) {
  const unsigned r = mix(thread * 131 + (unsigned)(round * kOps + op) * 7 + (unsigned)which);
  const T v = (T)((unsigned long long)mix(r) << (8 * sizeof(T) - 32)) ^ (T)r;
  return r % 3 ? v : (T)(v & 3);
}

// ---- each thread its own word ---------------------------------------------------------------------------------------

// All that CUDA has for 32 bits; for 64 bits inc and dec are 32 bits wide elsewhere, so they are left out.
template <typename T, typename S>
__device__ void every_operation(T* word, T* out, int t) {
  for (int round = 0; round < kRounds; round++) {
    const auto b = [&](int op) { return operand<T>((unsigned)t, round, op, 0); };
    T* o = out + round * kOps;
    o[0] = atomicAdd(word, b(0));
    o[1] = atomicExch(word, b(1));
    o[2] = atomicMin(word, b(2));
    o[3] = atomicMax(word, b(3));
    o[4] = (T)atomicMin((S*)word, (S)b(4));
    o[5] = (T)atomicMax((S*)word, (S)b(5));
    o[6] = atomicAnd(word, b(6) | 0xffff);
    o[7] = atomicOr(word, b(7) & 0xff);
    o[8] = atomicXor(word, b(8));
    o[9] = atomicCAS(word, b(9), b(10));
    o[10] = atomicCAS(word, (T)(o[9] == b(9) ? b(10) : o[9]), b(11));
    if constexpr (sizeof(T) == 4) {
      o[11] = atomicInc(word, b(11) | 1);
      o[12] = atomicDec(word, b(12) | 1);
    }
  }
}

// where: 0 shared, 1 global, 2 odd threads global, even ones shared (a generic pointer), 3 the same by half-warps.
template <typename T, typename S>
__global__ void own_words(T* words, T* out, int where) {
  __shared__ T mine[kThreads];
  const int t = (int)threadIdx.x;
  mine[t] = operand<T>((unsigned)t, 99, 0, 0);
  words[t] = mine[t];
  __syncthreads();
  T* o = out + t * kRounds * kOps;
  const bool far = where == 2 ? t & 1 : t & 16;
  T* generic = far ? words + t : mine + t;
  if (where == 0) every_operation<T, S>(mine + t, o, t);
  else if (where == 1) every_operation<T, S>(words + t, o, t);
  else every_operation<T, S>(generic, o, t);
  __syncthreads();
  if (where == 0 || (where >= 2 && !far)) words[t] = mine[t];
}

template <typename T, typename S>
void every_operation_on_host(T* word, T* out, int t) {
  T w = *word;
  for (int round = 0; round < kRounds; round++) {
    const auto b = [&](int op) { return operand<T>((unsigned)t, round, op, 0); };
    T* o = out + round * kOps;
    const auto step = [&](int at, T now) { o[at] = w, w = now; };
    step(0, w + b(0));
    step(1, b(1));
    step(2, std::min(w, b(2)));
    step(3, std::max(w, b(3)));
    step(4, (T)std::min((S)w, (S)b(4)));
    step(5, (T)std::max((S)w, (S)b(5)));
    step(6, w & (b(6) | 0xffff));
    step(7, w | (b(7) & 0xff));
    step(8, w ^ b(8));
    step(9, w == b(9) ? b(10) : w);
    step(10, b(11));
    if constexpr (sizeof(T) == 4) {
      step(11, w >= (b(11) | 1) ? 0 : w + 1);
      step(12, w == 0 || w > (b(12) | 1) ? b(12) | 1 : w - 1);
    }
  }
  *word = w;
}

template <typename T>
T* device_array(size_t n) {
  T* p = nullptr;
  CHECK(cudaMalloc(&p, n * sizeof(T)));
  CHECK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}
template <typename T>
std::vector<T> from_device(const T* p, size_t n) {
  std::vector<T> v(n);
  CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

template <typename T, typename S>
int check_own_words() {
  int bad = 0;
  const size_t results = (size_t)kThreads * kRounds * kOps;
  for (int where = 0; where < 4; where++) {
    T *words = device_array<T>(kThreads), *out = device_array<T>(results);
    own_words<T, S><<<1, kThreads>>>(words, out, where);
    CHECK_LAUNCH();
    const std::vector<T> got_words = from_device(words, kThreads), got = from_device(out, results);
    std::vector<T> want(results);
    for (int t = 0; t < kThreads; t++) {
      T word = operand<T>((unsigned)t, 99, 0, 0);
      T* o = &want[(size_t)t * kRounds * kOps];
      every_operation_on_host<T, S>(&word, o, t);
      if (word != got_words[(size_t)t] && bad++ < 5)
        printf("%zu bits, where %d, thread %d: word %llx, expected %llx\n", 8 * sizeof(T), where, t,
               (unsigned long long)got_words[(size_t)t], (unsigned long long)word);
    }
    for (size_t i = 0; i < results; i++)
      if (got[i] != want[i] && bad++ < 5)
        printf("%zu bits, where %d, thread %zu, operation %zu: %llx, expected %llx\n", 8 * sizeof(T), where,
               i / (kRounds * kOps), i % kOps, (unsigned long long)got[i], (unsigned long long)want[i]);
    CHECK(cudaFree(words));
    CHECK(cudaFree(out));
  }
  return bad;
}

// ---- all threads on the same words ----------------------------------------------------------------------------------

struct Words {
  unsigned count, tickets, high, bits, around;
  int low;
  float sum, generic_sum;
};

__device__ void together(Words* w, unsigned* olds, unsigned t) {
  olds[t] = atomicAdd(&w->count, 1u);
  atomicMax(&w->high, mix(t) >> 8);
  atomicMin(&w->low, -(int)(mix(t) >> 8));
  atomicOr(&w->bits, 1u << t % 32);
  atomicInc(&w->around, 9u);
  atomicAdd(&w->sum, (float)(t + 1));
  // A ticket by compare and swap: lanes of a warp that fail try again beside those that go on.
  unsigned seen = w->tickets, was;
  do {
    was = seen;
    seen = atomicCAS(&w->tickets, was, was + 3);
  } while (seen != was);
}

__global__ void contention(Words* global, unsigned* olds) {
  __shared__ Words shared;
  const unsigned t = threadIdx.x;
  if (t == 0) memset(&shared, 0, sizeof shared);
  __syncthreads();
  together(&shared, olds, t);
  together(global, olds + kThreads, t);
  Words* either = t & 1 ? global : &shared;
  atomicAdd(&either->generic_sum, 0.5f);
  __syncthreads();
  if (t == 0) global[1] = shared;
}

int check_contention() {
  int bad = 0;
  Words* words = device_array<Words>(2);
  unsigned* olds = device_array<unsigned>(2 * kThreads);
  contention<<<1, kThreads>>>(words, olds);
  CHECK_LAUNCH();
  unsigned high = 0;
  int low = 0;
  float sum = 0;
  for (unsigned t = 0; t < kThreads; t++) {
    high = std::max(high, mix(t) >> 8), low = std::min(low, -(int)(mix(t) >> 8));
    sum += (float)(t + 1);
  }
  std::vector<unsigned> old = from_device(olds, 2 * kThreads);
  for (const Words& w : from_device(words, 2)) {
    bad += w.count != kThreads || w.tickets != 3 * kThreads || w.high != high || w.low != low || w.bits != ~0u ||
           w.around != kThreads % 10 || w.sum != sum || w.generic_sum != kThreads / 4.0f;
    if (bad) printf("count %u tickets %u around %u sum %g %g\n", w.count, w.tickets, w.around, w.sum, w.generic_sum);
  }
  // Each number was given once.
  for (int half = 0; half < 2; half++) {
    std::sort(old.begin() + half * kThreads, old.begin() + (half + 1) * kThreads);
    for (unsigned i = 0; i < kThreads; i++) bad += old[(size_t)half * kThreads + i] != i;
  }
  CHECK(cudaFree(words));
  CHECK(cudaFree(olds));
  return bad;
}

// ---- sums of floating-point numbers -----------------------------------------------------------------------------------

// A subnormal sum: kept in shared memory, flushed to zero in global memory. d: two doubles.
__global__ void small_sums(float* out, float* global, double* d) {
  __shared__ float shared;
  shared = 1e-39f;
  *global = 1e-39f;
  float* generic = threadIdx.x == 0 ? &shared : global;
  out[0] = atomicAdd(&shared, 1e-39f);
  out[1] = atomicAdd(global, 1e-39f);
  out[2] = shared;
  out[3] = *global;
  out[4] = atomicAdd(generic, 1e-39f);
  out[5] = shared;
  d[1] = atomicAdd(d, 0.1);
  atomicAdd(d, 0.2);
}

int check_small_sums() {
  float *out = device_array<float>(6), *global = device_array<float>(1);
  double* d = device_array<double>(2);
  small_sums<<<1, 1>>>(out, global, d);
  CHECK_LAUNCH();
  const std::vector<float> got = from_device(out, 6);
  const std::vector<double> doubles = from_device(d, 2);
  const float tiny = 1e-39f;
  const float want[] = {tiny, tiny, tiny + tiny, 0.0f, tiny + tiny, tiny + tiny + tiny};
  int bad = memcmp(got.data(), want, sizeof want) != 0;
  if (bad) for (int i = 0; i < 6; i++) printf("small sum %d: %g, expected %g\n", i, got[(size_t)i], want[i]);
  bad += doubles[0] != 0.1 + 0.2 || doubles[1] != 0;
  CHECK(cudaFree(out));
  CHECK(cudaFree(global));
  CHECK(cudaFree(d));
  return bad;
}

// Bits of sums: NaN, infinities, zeros of both signs, subnormal numbers, ties, overflow.
struct Sum {
  unsigned old, add, in_global, in_shared;
};
constexpr int kSums = 16;
__constant__ Sum sums[kSums] = {
    {0x7fc00001, 0x3f800000, 0x7fffffff, 0x7fffffff}, {0x3f800000, 0xff800001, 0x7fffffff, 0x7fffffff},
    {0x7f800000, 0xff800000, 0x7fffffff, 0x7fffffff}, {0xff800000, 0x3f800000, 0xff800000, 0xff800000},
    {0x80000000, 0x80000000, 0x80000000, 0x80000000}, {0x80000000, 0x00000000, 0x00000000, 0x00000000},
    {0x3f800000, 0xbf800000, 0x00000000, 0x00000000}, {0x00400000, 0x00400000, 0x00000000, 0x00800000},
    {0x80000001, 0x80000000, 0x80000000, 0x80000001}, {0x00800000, 0x80000001, 0x00800000, 0x007fffff},
    {0x00800000, 0x80c00000, 0x80000000, 0x80400000}, {0x3f800000, 0x33800000, 0x3f800000, 0x3f800000},
    {0x3f800001, 0x33800000, 0x3f800002, 0x3f800002}, {0x7f7fffff, 0x7f7fffff, 0x7f800000, 0x7f800000},
    {0x7f7fffff, 0x73000000, 0x7f800000, 0x7f800000}, {0x4b800000, 0xbf000000, 0x4b800000, 0x4b800000}};

// bad[0]: counts what is wrong. Then all lanes of a warp on one word of global and of shared memory: the lowest first.
__device__ float term(int t) { return (float)((int)mix((unsigned)t + 5) >> t % 4 * 7); }
__global__ void special_sums(unsigned* words, unsigned* bad, float* ordered) {
  __shared__ unsigned shared[kSums];
  __shared__ float total;
  const int t = (int)threadIdx.x;
  if (t < kSums) {
    const Sum s = sums[t];
    const float add = __uint_as_float(s.add);
    words[t] = shared[t] = s.old;
    const unsigned a = __float_as_uint(atomicAdd((float*)words + t, add));
    const unsigned b = __float_as_uint(atomicAdd((float*)shared + t, add));
    if (a != s.old || b != s.old || words[t] != s.in_global || shared[t] != s.in_shared) atomicAdd(bad, 1u);
    words[t] = shared[t] = s.old;
    float* generic = (float*)(t & 1 ? words + t : shared + t);
    atomicAdd(generic, add);
    if (__float_as_uint(*generic) != (t & 1 ? s.in_global : s.in_shared)) atomicAdd(bad, 1u);
  }
  if (t == 0) {
    ordered[0] = total = 0;
    asm volatile("st.global.b32 [%0], %1;" ::"l"(words), "r"(0x00017c00u) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(words), "r"(0x0001fc00u) : "memory");
    if (*(volatile unsigned*)words != 0x00027fff) atomicAdd(bad, 1u);
#if __CUDA_ARCH__ >= 900
    unsigned pair;
    asm volatile("st.shared.b32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(shared)), "r"(0x3f803c00u) : "memory");
    asm volatile("atom.shared.add.noftz.bf16x2 %0, [%1], %2;"
                 : "=r"(pair)
                 : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(0x3f80bc00u)
                 : "memory");
    if (*(volatile unsigned*)shared != 0x40000000 || pair != 0x3f803c00) atomicAdd(bad, 1u);
#endif
  }
  __syncthreads();
  atomicAdd(ordered, term(t));
  atomicAdd(&total, term(t));
  __syncthreads();
  float want = 0;
  for (int n = 0; n < 32; n++) want += term(n);
  if (t == 0 && (*(volatile float*)ordered != want || total != want)) atomicAdd(bad, 1u);
}

int check_special_sums() {
  unsigned *words = device_array<unsigned>(kSums), *bad = device_array<unsigned>(1);
  float* ordered = device_array<float>(1);
  special_sums<<<1, 32>>>(words, bad, ordered);
  CHECK_LAUNCH();
  const int wrong = (int)from_device(bad, 1)[0];
  if (wrong) printf("%d special sums are wrong\n", wrong);
  CHECK(cudaFree(words));
  CHECK(cudaFree(bad));
  CHECK(cudaFree(ordered));
  return wrong;
}

// Halves of words, changed by threads that do not heed each other.
constexpr int kHalves = 5;
__device__ unsigned count_up(unsigned short* p, unsigned by) {
  unsigned short old = *(volatile unsigned short*)p, seen;
  for (; (seen = atomicCAS(p, old, (unsigned short)(old + by))) != old; old = seen) {
  }
  return old;
}
__global__ void halves(unsigned short* global, unsigned* lost) {
  __shared__ unsigned short shared[kHalves];
  const unsigned t = threadIdx.x;
  if (t < kHalves) shared[t] = (unsigned short)(t * 7);
  __syncthreads();
  count_up(&global[t % kHalves], t);
  unsigned short old;
  const unsigned address = (unsigned)__cvta_generic_to_shared(&shared[t % kHalves]);
  for (old = 0;;) {  // in shared memory by name
    unsigned short seen;
    asm volatile("atom.shared.cas.b16 %0, [%1], %2, %3;" : "=h"(seen) : "r"(address), "h"(old), "h"((unsigned short)(old + 3)) : "memory");
    if (seen == old) break;
    old = seen;
  }
  count_up(t & 1 ? &shared[t % kHalves] : &global[t % kHalves], 1);
  if (atomicCAS(&global[kHalves], 0x1234, 7) != 0xabcd) atomicAdd(lost, 1u);  // not what is there
  __syncthreads();
  if (t < kHalves) global[kHalves + 1 + t] = shared[t];
}
int check_halves() {
  unsigned short* d = device_array<unsigned short>(2 * kHalves + 1);
  unsigned* lost = device_array<unsigned>(1);
  unsigned short h[2 * kHalves + 1] = {10, 0xfffe, 30, 40, 50, 0xabcd}, want[2 * kHalves + 1];
  CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(lost, 0, sizeof *lost));
  std::copy(h, h + 2 * kHalves + 1, want);
  for (int n = 0; n < kHalves; n++) want[kHalves + 1 + n] = (unsigned short)(n * 7);
  for (unsigned t = 0; t < kThreads; t++) {
    unsigned short &global = want[t % kHalves], &shared = want[kHalves + 1 + t % kHalves];
    global = (unsigned short)(global + t), shared = (unsigned short)(shared + 3);
    if (t & 1) shared++;
    else global++;
  }
  halves<<<1, kThreads>>>(d, lost);
  CHECK_LAUNCH();
  unsigned others = 0;
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&others, lost, sizeof others, cudaMemcpyDeviceToHost));
  int bad = others != 0;
  for (int n = 0; n < 2 * kHalves + 1; n++)
    if (h[n] != want[n] && ++bad) printf("half word %d: %x, expected %x\n", n, h[n], want[n]);
  CHECK(cudaFree(d));
  CHECK(cudaFree(lost));
  return bad;
}

}  // namespace

int main() {
  int bad = check_own_words<unsigned, int>();
  bad += check_halves();
  bad += check_own_words<unsigned long long, long long>();
  bad += check_contention();
  bad += check_small_sums();
  bad += check_special_sums();
  return verdict(bad);
}
