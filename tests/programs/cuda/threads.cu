// SPDX-License-Identifier: Apache-2.0
// Every thread makes progress, whatever the others of its warp do: locks, messages and waiting inside a warp; loops, ends,
// recursion and calls in which lanes part; lanes that meet again coming from different places. A machine that runs one side
// of a branch to its end first never finishes here.
#include <algorithm>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr unsigned kAll = 0xffffffffu;
constexpr int kThreads = 96;

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}

// ---- locks ------------------------------------------------------------------------------------------------------------

struct Guarded {
  unsigned lock, value, visits;
};

// Threads of the same warp want the same lock; what it guards is changed in two steps.
__device__ void with_lock(Guarded* g, int times) {
  for (int i = 0; i < times; i++) {
    while (atomicCAS(&g->lock, 0u, 1u) != 0) {
    }
    __threadfence();
    volatile unsigned *value = &g->value, *visits = &g->visits;
    *value = *value * 3 + 1;
    *visits = *visits + 1;
    __threadfence();
    atomicExch(&g->lock, 0u);
  }
}

// The same, tried once a round, as many write it: with work of its own for who fails.
__device__ unsigned with_trylock(Guarded* g, int times) {
  unsigned misses = 0;
  while (times > 0) {
    if (atomicExch(&g->lock, 1u) == 0) {
      volatile unsigned* visits = &g->visits;
      *visits = *visits + 1;
      __threadfence();
      g->value = g->value * 3 + 1;
      __threadfence();
      *(volatile unsigned*)&g->lock = 0;
      times--;
    } else {
      misses++;
    }
  }
  return misses;
}

__global__ void locks(Guarded* global) {
  __shared__ Guarded shared[2];
  const unsigned t = threadIdx.x;
  if (t < 2) shared[t] = {};
  __syncthreads();
  if (t % 16 == 3 || t % 16 == 8) with_lock(&shared[0], 2);  // pairs of each warp, and some of others
  with_lock(&global[0], 1);
  if (t < 32) with_trylock(&shared[1], 1);
  with_trylock(&global[1], 1);
  __syncthreads();
  if (t < 2) global[2 + t] = shared[t];
}

int check_locks(void) {
  Guarded *d, h[4];
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemset(d, 0, sizeof h));
  locks<<<1, kThreads>>>(d);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d));
  const unsigned visits[4] = {kThreads, kThreads, 2 * kThreads / 8, 32};
  int bad = 0;
  for (int i = 0; i < 4; i++) {
    unsigned value = 0;
    for (unsigned v = 0; v < visits[i]; v++) value = value * 3 + 1;
    if (h[i].lock || h[i].visits != visits[i] || h[i].value != value) {
      printf("lock %d: %u visits, value %x; expected %u, %x\n", i, h[i].visits, h[i].value, visits[i], value);
      bad++;
    }
  }
  return bad;
}

// ---- programs that leave a word a thread --------------------------------------------------------------------------------

// Lane 2k makes, lane 2k + 1 takes, through a place for one item.
__global__ void producer_consumer(unsigned* out) {
  __shared__ volatile unsigned item[kThreads / 2], full[kThreads / 2];
  const unsigned t = threadIdx.x, pair = t / 2;
  full[pair] = 0;
  __syncthreads();
  unsigned sum = t;
  if (t % 2 == 0) {
    for (unsigned i = 0; i < 5; i++) {
      while (full[pair]) {
      }
      item[pair] = mix(t * 16 + i);
      __threadfence_block();
      full[pair] = 1;
    }
  } else {
    for (unsigned i = 0; i < 5; i++) {
      while (!full[pair]) {
      }
      __threadfence_block();
      sum = sum * 5 + item[pair];
      full[pair] = 0;
    }
  }
  out[t] = sum;
}
unsigned producer_consumer_on_host(unsigned t) {
  unsigned sum = t;
  if (t % 2 == 1)
    for (unsigned i = 0; i < 5; i++) sum = sum * 5 + mix((t - 1) * 16 + i);
  return sum;
}

// A token goes round the lanes of each warp, against their order.
__global__ void token(unsigned* out) {
  __shared__ volatile unsigned turn[kThreads / 32], value[kThreads / 32];
  const unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (lane == 0) turn[warp] = 31, value[warp] = warp;
  __syncthreads();
  while (turn[warp] != lane) {
  }
  __threadfence_block();
  const unsigned v = value[warp] * 7 + lane;
  value[warp] = v;
  __threadfence_block();
  turn[warp] = lane - 1;
  out[t] = v;
}
unsigned token_on_host(unsigned t) {
  unsigned v = t / 32;
  for (unsigned lane = 31; lane + 1 > t % 32; lane--) v = v * 7 + lane;
  return v;
}

__host__ __device__ inline unsigned loops(unsigned t) {
  unsigned sum = 0;
  for (unsigned i = 0; i < t % 7 + 2; i++) {
    for (unsigned j = 0;; j++) {
      const unsigned r = mix(t * 1024 + i * 32 + j);
      if (r % 5 == 0) break;
      if (r % 7 == 0) continue;
      if (j > 12) goto next;
      for (unsigned k = r % 4; k < 4; k++) {
        if (mix(r + k) % 9 == 0) goto out;
        sum += r ^ k;
      }
    }
    sum ^= i;
  next:
    sum = sum * 3 + 1;
  }
out:
  return sum;
}
__global__ void nested_breaks(unsigned* out) { out[threadIdx.x] = loops(threadIdx.x); }

// Threads end one after the other, in loops and inside a function, while the rest goes on and meets.
__device__ __noinline__ void end_here(unsigned t) {
  if (t % 5 == 1) asm volatile("exit;");
}
__global__ void early_exit(unsigned* out) {
  __shared__ unsigned alive;
  const unsigned t = threadIdx.x;
  if (t == 0) alive = 0;
  out[t] = 1;
  __syncthreads();
  for (unsigned i = 0; i < 8; i++) {
    if (mix(t * 8 + i) % 6 == 0) return;
    out[t] = out[t] * 2 + (mix(t + i) & 1);
    if (i == 3) end_here(t);
  }
  atomicAdd(&alive, 1u);
  __syncthreads();
  out[t] = alive;
}
unsigned early_exit_on_host(unsigned thread) {
  unsigned alive = 0, mine = 0;
  for (unsigned t = 0; t < kThreads; t++) {
    unsigned v = 1;
    bool ended = false;
    for (unsigned i = 0; i < 8 && !ended; i++) {
      ended = mix(t * 8 + i) % 6 == 0;
      if (ended) break;
      v = v * 2 + (mix(t + i) & 1);
      ended = i == 3 && t % 5 == 1;
    }
    alive += !ended;
    if (t == thread) mine = ended ? v : 0;
  }
  return mine ? mine : alive;
}

__host__ __device__ unsigned tree(unsigned depth, unsigned x) {
  if (depth == 0) return x;
  const unsigned left = tree(depth - 1, mix(x + 1));
  return x & 1 ? left + tree(depth / 2, mix(x + 2)) : left * 3;
}
__global__ void recursion(unsigned* out) { out[threadIdx.x] = tree(threadIdx.x % 8, threadIdx.x); }
unsigned recursion_on_host(unsigned t) { return tree(t % 8, t); }

using Step = unsigned (*)(unsigned, unsigned);
__host__ __device__ __noinline__ unsigned step_add(unsigned x, unsigned y) { return x + y; }
__host__ __device__ __noinline__ unsigned step_xor(unsigned x, unsigned y) { return (x ^ y) * 9; }
__host__ __device__ __noinline__ unsigned step_loop(unsigned x, unsigned y) {
  for (unsigned i = y % 6; i > 0; i--) x = mix(x);
  return x;
}
__host__ __device__ __noinline__ unsigned step_tree(unsigned x, unsigned y) { return tree(y % 5, x); }
__device__ Step steps[4] = {step_add, step_xor, step_loop, step_tree};

__global__ void indirect(unsigned* out) {
  unsigned x = threadIdx.x;
  for (unsigned i = 0; i < 6; i++) x = steps[mix(x + i) % 4](x, i + threadIdx.x);
  out[threadIdx.x] = x;
}
unsigned indirect_on_host(unsigned t) {
  const Step all[4] = {step_add, step_xor, step_loop, step_tree};
  unsigned x = t;
  for (unsigned i = 0; i < 6; i++) x = all[mix(x + i) % 4](x, i + t);
  return x;
}

// The halves of a warp are in different branches, and wait for each other there.
__global__ void halves(unsigned* out) {
  __shared__ volatile unsigned left[kThreads], right[kThreads];
  const unsigned t = threadIdx.x;
  unsigned v = mix(t);
  if (t % 32 < 16) {
    left[t + 16] = v;
    __syncwarp();
    v += right[t];
    __syncwarp();
    left[t + 16] = v * 3;
    __syncwarp();
  } else {
    for (unsigned i = 0; i < t % 4; i++) v = mix(v);
    right[t - 16] = v;
    __syncwarp();
    const unsigned theirs = left[t];
    __syncwarp();
    v ^= theirs;
    __syncwarp();
    v += left[t];
  }
  out[t] = v;
}
unsigned halves_on_host(unsigned t) {
  const unsigned low = t % 32 < 16 ? t : t - 16, high = low + 16;
  unsigned v = mix(high);
  for (unsigned i = 0; i < high % 4; i++) v = mix(v);
  const unsigned sum = mix(low) + v;
  return t == low ? sum : (v ^ mix(low)) + sum * 3;
}

// Lanes come to a shuffle of all lanes from four places, at different times.
__global__ void shuffle_from_anywhere(unsigned* out) {
  const unsigned t = threadIdx.x;
  unsigned v = mix(t), got;
  switch (t % 4) {
    case 0:
      got = __shfl_sync(kAll, v, (int)(t + 1) % 32);
      break;
    case 1:
      for (unsigned i = 0; i < t % 9; i++) v = mix(v);
      got = __shfl_sync(kAll, v, (int)(t * 3) % 32);
      break;
    case 2:
      v = tree(t % 5, v);
      got = __shfl_sync(kAll, v, (int)(t + 7) % 32);
      break;
    default:
      v += 5;
      if (t & 8) v *= 3;
      got = __shfl_sync(kAll, v, (int)(t ^ 2) % 32);
      break;
  }
  out[t] = got + __popc(__ballot_sync(kAll, v & 1));
}
unsigned shuffle_from_anywhere_on_host(unsigned thread) {
  const auto value = [](unsigned t) {
    unsigned v = mix(t);
    if (t % 4 == 1) for (unsigned i = 0; i < t % 9; i++) v = mix(v);
    if (t % 4 == 2) v = tree(t % 5, v);
    if (t % 4 == 3) v = (v + 5) * (t & 8 ? 3 : 1);
    return v;
  };
  const unsigned from[4] = {thread + 1, thread * 3, thread + 7, thread ^ 2}, warp = thread & ~31u;
  unsigned ones = 0;
  for (unsigned lane = 0; lane < 32; lane++) ones += value(warp + lane) & 1;
  return value(warp + from[thread % 4] % 32) + ones;
}

// A lock behind a call, which hides that the loops wait: who has got it meets, behind its loop, those who still try, while
// others try in another loop.
__device__ __noinline__ bool taken(unsigned* lock) { return atomicCAS(lock, 0u, 1u) != 0; }
__device__ __noinline__ unsigned work(unsigned x, unsigned n) {
  for (unsigned i = 0; i < n; i++) x = mix(x);
  return x;
}
__global__ void two_loops(unsigned* out) {
  __shared__ Guarded g;
  const unsigned t = threadIdx.x;
  if (t == 0) g = {};
  __syncthreads();
  if (t < 4) {
    unsigned x = t;
    if (t & 1) {
      while (taken(&g.lock)) x = work(x, 2);
    } else {
      while (taken(&g.lock)) x = work(x + 1, 3);
    }
    __threadfence_block();
    *(volatile unsigned*)&g.visits = *(volatile unsigned*)&g.visits + (x != 0x12345u);
    __threadfence_block();
    atomicExch(&g.lock, 0u);
  }
  __syncthreads();
  out[t] = g.visits;
}
unsigned two_loops_on_host(unsigned) { return 4; }

struct Program {
  const char* name;
  void (*kernel)(unsigned*);
  unsigned (*on_host)(unsigned thread);
};
const Program kPrograms[] = {
    {"producer and consumer", producer_consumer, producer_consumer_on_host},
    {"token", token, token_on_host},
    {"nested loops with breaks", nested_breaks, loops},
    {"early exit", early_exit, early_exit_on_host},
    {"two loops that wait for one lock", two_loops, two_loops_on_host},
    {"recursion", recursion, recursion_on_host},
    {"calls through pointers", indirect, indirect_on_host},
    {"__syncwarp between halves", halves, halves_on_host},
    {"__shfl_sync from several places", shuffle_from_anywhere, shuffle_from_anywhere_on_host},
};

}  // namespace

int main() {
  int bad = check_locks();
  unsigned* d = nullptr;
  CHECK(cudaMalloc(&d, kThreads * sizeof *d));
  for (const Program& p : kPrograms) {
    std::vector<unsigned> got(kThreads);
    CHECK(cudaMemset(d, 0, kThreads * sizeof *d));
    p.kernel<<<1, kThreads>>>(d);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), d, kThreads * sizeof *d, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < kThreads; t++)
      if (got[t] != p.on_host(t) && bad++ < 5)
        printf("%s, thread %u: %x, expected %x\n", p.name, t, got[t], p.on_host(t));
  }
  CHECK(cudaFree(d));
  return verdict(bad);
}
