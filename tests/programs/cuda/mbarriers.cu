// SPDX-License-Identifier: Apache-2.0
// Mbarriers: what each operation makes of one, by a single thread; phases of a whole block, with shared and generic addresses; a ring of
// stages between producers and consumers; threads that drop out; cp.async that arrives; and from compute capability 9.0 on copies and
// reductions in bulk to shared memory, which count their bytes, and arrivals, stores and sums at another block's mbarrier.
#include <cooperative_groups.h>

#include <cstring>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr unsigned kThreads = 256;

using Word = unsigned long long;

__device__ unsigned shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// ---- the instructions ----

__device__ void init(unsigned bar, unsigned count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory"); }
__device__ void inval(unsigned bar) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(bar) : "memory"); }

#define ARRIVAL(name, instruction)                                                            \
  __device__ Word name(unsigned bar) {                                                        \
    Word token;                                                                               \
    asm volatile(instruction " %0, [%1];" : "=l"(token) : "r"(bar) : "memory");               \
    return token;                                                                             \
  }
#define COUNTED_ARRIVAL(name, instruction)                                                    \
  __device__ Word name(unsigned bar, unsigned n) {                                            \
    Word token;                                                                               \
    asm volatile(instruction " %0, [%1], %2;" : "=l"(token) : "r"(bar), "r"(n) : "memory");   \
    return token;                                                                             \
  }
ARRIVAL(arrive, "mbarrier.arrive.shared.b64")
ARRIVAL(arrive_drop, "mbarrier.arrive_drop.shared.b64")
COUNTED_ARRIVAL(arrive_incomplete, "mbarrier.arrive.noComplete.shared.b64")
COUNTED_ARRIVAL(drop_incomplete, "mbarrier.arrive_drop.noComplete.shared.b64")

__device__ unsigned pending_count(Word token) {
  unsigned n;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(token));
  return n;
}

#define TEST(name, instruction, type, constraint)                                             \
  __device__ bool name(unsigned bar, type phase) {                                            \
    unsigned done;                                                                            \
    asm volatile("{\n.reg .pred p;\n" instruction " p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"   \
                 : "=r"(done) : "r"(bar), constraint(phase) : "memory");                      \
    return done;                                                                              \
  }
TEST(test_wait, "mbarrier.test_wait.shared.b64", Word, "l")
TEST(test_parity, "mbarrier.test_wait.parity.shared.b64", unsigned, "r")

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define WITH_BYTES
COUNTED_ARRIVAL(arrive_several, "mbarrier.arrive.shared.b64")
COUNTED_ARRIVAL(drop_several, "mbarrier.arrive_drop.release.cta.shared::cta.b64")
COUNTED_ARRIVAL(arrive_expect, "mbarrier.arrive.expect_tx.shared.b64")
COUNTED_ARRIVAL(drop_expect, "mbarrier.arrive_drop.expect_tx.relaxed.cta.shared::cta.b64")
TEST(try_wait, "mbarrier.try_wait.shared.b64", Word, "l")
TEST(try_parity, "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64", unsigned, "r")
__device__ void expect_tx(unsigned bar, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ void complete_tx(unsigned bar, unsigned bytes) {
  asm volatile("mbarrier.complete_tx.shared::cluster.b64 [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
#endif

__device__ void wait_parity(unsigned bar, unsigned parity) {
#ifdef WITH_BYTES
  while (!try_parity(bar, parity)) {}
#else
  while (!test_parity(bar, parity)) {}
#endif
}

// ---- one thread, step by step ----

__device__ unsigned failures[64];

__device__ void check(unsigned number, bool holds) {
  if (!holds) atomicAdd(&failures[number], 1u);
}

__global__ void steps() {
  __shared__ Word word;
  const unsigned bar = shared(&word);
  if (threadIdx.x % 32 != 0 || threadIdx.x / 32 != 3) return;
  init(bar, 5);
  check(0, !test_parity(bar, 0) && test_parity(bar, 1));
  Word token = arrive(bar);
  check(1, pending_count(token) == 5 && !test_wait(bar, token));
  token = arrive_incomplete(bar, 2);
  check(2, pending_count(token) == 4);
  token = drop_incomplete(bar, 1);
  check(3, pending_count(token) == 2 && !test_wait(bar, token) && !test_parity(bar, 0));
  Word last = arrive_drop(bar);  // four are left, then three
  check(4, pending_count(last) == 1 && test_wait(bar, last) && test_wait(bar, token) && test_parity(bar, 0) && !test_parity(bar, 1));
  token = arrive(bar);
  check(5, pending_count(token) == 3 && !test_wait(bar, token));
  arrive_incomplete(bar, 1);
  arrive(bar);
  check(6, test_wait(bar, token) && test_parity(bar, 1) && !test_parity(bar, 0));
  inval(bar);
  init(bar, 1);
  for (unsigned n = 0; n < 7; ++n) {
    check(7, !test_parity(bar, n % 2));
    token = arrive(bar);
    check(8, pending_count(token) == 1 && test_wait(bar, token) && test_parity(bar, n % 2));
  }
  inval(bar);
  init(bar, (1u << 20) - 1);
  check(9, pending_count(arrive(bar)) == (1u << 20) - 1);
#ifdef WITH_BYTES
  inval(bar);
  init(bar, 100);
  check(10, pending_count(arrive_several(bar, 40)) == 100);
  token = drop_several(bar, 59);
  check(11, pending_count(token) == 60 && !try_wait(bar, token));
  check(12, pending_count(arrive_several(bar, 1)) == 1 && try_wait(bar, token));
  token = arrive_several(bar, 41);
  check(13, pending_count(token) == 41 && try_parity(bar, 1) && !try_parity(bar, 0));
  // Bytes hold a phase that everybody has arrived at, also those that come before they are expected.
  token = arrive_expect(bar, 1000);
  check(14, pending_count(token) == 41);
  expect_tx(bar, 24);
  last = arrive_several(bar, 40);
  check(15, pending_count(last) == 40 && !try_wait(bar, last));
  complete_tx(bar, 1000);
  check(16, !try_wait(bar, last));
  complete_tx(bar, 24);
  check(17, try_wait(bar, last) && try_parity(bar, 0));
  complete_tx(bar, 48);
  arrive_several(bar, 40);
  check(18, !try_parity(bar, 1));
  token = drop_expect(bar, 48);
  check(19, pending_count(token) == 1 && try_wait(bar, token));
  check(20, pending_count(arrive(bar)) == 40);
  expect_tx(bar, (1u << 20) - 1);
  arrive_several(bar, 39);
  check(21, !try_parity(bar, 0));
  for (unsigned n = 0; n < 15; ++n) complete_tx(bar, 1u << 16);
  complete_tx(bar, 65534);
  check(22, !try_parity(bar, 0));
  complete_tx(bar, 1);
  check(23, try_parity(bar, 0));
#endif
}

// ---- all threads of a block, phase by phase ----

template <bool generic>
__global__ void phases(unsigned* out, unsigned turns) {
  __shared__ Word word;
  __shared__ unsigned values[kThreads];
  const unsigned bar = shared(&word), t = threadIdx.x;
  if (t == 0) init(bar, kThreads);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < 2 * turns; ++n) {
    if (n % 2 == 0) values[t] = n * kThreads + t;
    else sum += values[(t * 37 + n) % kThreads];
    if (generic) {
      Word token;
      asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(token) : "l"(&word) : "memory");
      unsigned done = 0;
      while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.acquire.cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done) : "l"(&word), "l"(token) : "memory");
    } else {
      const Word token = arrive(bar);
      while (!test_wait(bar, token)) {}
      check(24, test_parity(bar, n % 2));  // nobody can be two phases ahead
    }
  }
  out[blockIdx.x * kThreads + t] = sum;
}

// ---- producers and consumers ----

constexpr unsigned kStages = 3, kHalf = kThreads / 2;

__global__ void ring(unsigned* out, unsigned items) {
  __shared__ Word full[kStages], empty[kStages];
  __shared__ unsigned stage[kStages][kHalf];
  const unsigned t = threadIdx.x % kHalf;
  if (threadIdx.x < kStages) init(shared(&full[threadIdx.x]), kHalf), init(shared(&empty[threadIdx.x]), kHalf);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < items; ++n) {
    const unsigned s = n % kStages, turn = n / kStages % 2;
    if (threadIdx.x < kHalf) {
      wait_parity(shared(&empty[s]), turn ^ 1);  // at first the phase before, which has completed
      stage[s][t] = n * 1000 + t * t;
      arrive(shared(&full[s]));
    } else {
      wait_parity(shared(&full[s]), turn);
      sum += stage[s][kHalf - 1 - t] ^ n;
      arrive(shared(&empty[s]));
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// ---- threads that drop out: thread t after its phase t % 8 ----

__global__ void drops(unsigned* out) {
  __shared__ Word word;
  __shared__ unsigned counts[8];
  const unsigned bar = shared(&word), t = threadIdx.x;
  if (t == 0) init(bar, kThreads);
  if (t < 8) counts[t] = 0;
  __syncthreads();
  for (unsigned n = 0;; ++n) {
    atomicAdd(&counts[n], 1u);
    if (n == t % 8) {
      arrive_drop(bar);
      break;
    }
    arrive(bar);
    wait_parity(bar, n % 2);
    check(25, counts[n] == kThreads / 8 * (8 - n));
  }
  __syncthreads();
  if (t < 8) out[t] = counts[t];
}

// ---- cp.async ----

template <bool counted>
__global__ void copies(const uint4* in, unsigned* out, unsigned turns) {
  __shared__ Word word;
  __shared__ __align__(16) uint4 buffer[2][kThreads];
  const unsigned bar = shared(&word), t = threadIdx.x;
  if (t == 0) init(bar, kThreads);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < turns; ++n) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&buffer[n % 2][t])), "l"(in + n * kThreads + t) : "memory");
    if (counted) {
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory");
    } else {
      asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"l"(&word) : "memory");
      arrive(bar);
    }
    wait_parity(bar, n % 2);
    const uint4 got = buffer[n % 2][(t + 33 * n + 1) % kThreads];
    sum += got.x + 3 * got.y + 5 * got.z + 7 * got.w;
  }
  out[t] = sum;
}

// ---- in bulk ----

#ifdef WITH_BYTES
__device__ void load(unsigned to, const void* from, unsigned bytes, unsigned bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes),
               "r"(bar)
               : "memory");
}
// From shared to shared memory, `to` and `bar` of any block of the cluster.
__device__ void send(unsigned to, unsigned from, unsigned bytes, unsigned bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(from),
               "r"(bytes), "r"(bar)
               : "memory");
}
#define REDUCTION(name, operation)                                                                                            \
  __device__ void name(unsigned to, unsigned from, unsigned bytes, unsigned bar) {                                            \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." operation                   \
                 " [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(bar) : "memory");                             \
  }
REDUCTION(send_add, "add.u32")
REDUCTION(send_add64, "add.u64")
REDUCTION(send_min, "min.s32")
REDUCTION(send_max, "max.u32")
REDUCTION(send_and, "and.b32")
REDUCTION(send_or, "or.b32")
REDUCTION(send_xor, "xor.b32")
REDUCTION(send_inc, "inc.u32")
REDUCTION(send_dec, "dec.u32")
#endif

// Rows of many lengths, each brought by one thread while the others add up the one before.
constexpr unsigned kRow = 512;  // words

__global__ void rows(const unsigned* in, unsigned* out, unsigned turns) {
#ifdef WITH_BYTES
  __shared__ Word bars[2];
  __shared__ __align__(128) unsigned buffer[2][kRow];
  const unsigned t = threadIdx.x;
  if (t < 2) init(shared(&bars[t]), 1);
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const auto fetch = [&](unsigned n) {
    const unsigned bytes = 16 * (1 + n * 37 % (kRow / 4)), bar = shared(&bars[n % 2]), half = bytes / 32 * 16;
    arrive_expect(bar, bytes);
    load(shared(buffer[n % 2]), in + n * kRow, half, bar);
    load(shared(buffer[n % 2]) + half, in + n * kRow + half / 4, bytes - half, bar);
  };
  unsigned sum = 0;
  if (t == 0) fetch(0);
  for (unsigned n = 0; n < turns; ++n) {
    if (t == 0 && n + 1 < turns) fetch(n + 1);
    wait_parity(shared(&bars[n % 2]), n / 2 % 2);
    for (unsigned i = t; i < 4 * (1 + n * 37 % (kRow / 4)); i += kThreads) sum += buffer[n % 2][i] * (i + n + 1);
    __syncthreads();
  }
  out[t] = sum;
#endif
}

#ifdef WITH_BYTES
__device__ unsigned in_block(unsigned address, unsigned rank) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}
#endif

// Of two blocks every thread copies 16 bytes to the other's memory, reduces onto them, and all wait for the whole.
__global__ void reductions(unsigned* out) {
#ifdef WITH_BYTES
  __shared__ Word word;
  __shared__ __align__(16) uint4 from[kThreads], to[kThreads];
  const cooperative_groups::cluster_group pair = cooperative_groups::this_cluster();
  const unsigned bar = shared(&word), t = threadIdx.x, other = (t * 5 + 1) % kThreads;
  if (t == 0) init(bar, kThreads);
  from[t] = make_uint4(t * 3, ~t, t << 28, 0x12345678u + t);
  to[t] = make_uint4(5, 6, 7, 8);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  pair.sync();
  const unsigned next = pair.block_rank() ^ 1, place = in_block(shared(&to[other]), next), source = shared(&from[t]);
  unsigned n = 0;
  const auto turn = [&](void (*send_so)(unsigned, unsigned, unsigned, unsigned)) {
    arrive_expect(bar, 16);
    send_so(place, source, 16, in_block(bar, next));
    wait_parity(bar, n++ % 2);
    const uint4 got = to[t];
    unsigned* const mine = out + ((n - 1) * kThreads + t) * 4;
    mine[0] = got.x, mine[1] = got.y, mine[2] = got.z, mine[3] = got.w;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    pair.sync();
  };
  turn(send_add), turn(send_min), turn(send_max), turn(send_and), turn(send), turn(send_or), turn(send_xor), turn(send_inc), turn(send_dec);
  turn(send_add64);
#endif
}

// ---- clusters: every thread arrives at the next block's mbarrier, one thread sends it words ----

__global__ void neighbours(unsigned* out, unsigned turns) {
#ifdef WITH_BYTES
  namespace cg = cooperative_groups;
  __shared__ Word arrived, sent;
  __shared__ unsigned values[kThreads];
  __shared__ __align__(16) unsigned own[kThreads], given[kThreads];
  __shared__ uint4 stored[kThreads];
  __shared__ unsigned added;
  __shared__ Word added_long;
  const cg::cluster_group c = cg::this_cluster();
  const unsigned t = threadIdx.x, rank = c.block_rank(), next = (rank + 1) % c.num_blocks();
  const auto of_next = [&](const void* p) {
    return in_block(shared(p), next);
  };
  if (t == 0) init(shared(&arrived), kThreads + 2), init(shared(&sent), 1), added = 0, added_long = 0;
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  own[t] = blockIdx.x * 10000 + t;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  c.sync();
  unsigned sum = 0;
  for (unsigned n = 0; n < turns; ++n) {
    if (t == 0) {
      arrive_expect(shared(&sent), sizeof own);
      send(of_next(given), shared(own), sizeof own, of_next(&sent));
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 2;" ::"r"(of_next(&arrived)) : "memory");
    }
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(of_next(values + t)), "r"(blockIdx.x * 1000 + t + n) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(of_next(&arrived)) : "memory");
    unsigned done = 0;
    while (!done)
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2, 2000;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done) : "r"(shared(&arrived)), "r"(n % 2) : "memory");
    sum += values[kThreads - 1 - t];
    wait_parity(shared(&sent), 0);  // two phases a turn
    sum += given[t ^ 5] * (n + 1);
    c.sync();
    // Every thread stores 16 bytes and adds 4 and 8 that count.
    if (t == 0) arrive_expect(shared(&sent), 28 * kThreads);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(of_next(stored + t)),
                 "r"(blockIdx.x + t), "r"(n), "r"(t * t), "r"(7u), "r"(of_next(&sent))
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(of_next(&added)),
                 "r"(t + blockIdx.x), "r"(of_next(&sent))
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(of_next(&added_long)),
                 "l"(Word(t) << 30), "r"(of_next(&sent))
                 : "memory");
    wait_parity(shared(&sent), 1);
    const uint4 got = stored[kThreads - 1 - t];
    sum += got.x + 3 * got.y + 5 * got.z + 7 * got.w + added + static_cast<unsigned>(added_long >> 30);
    c.sync();
  }
  out[blockIdx.x * kThreads + t] = sum;
#endif
}

// ---- the host ----

int mismatches = 0;

void expect(const char* what, long place, long got, long expected) {
  if (got != expected && mismatches++ < 10) printf("%s: %ld at %ld, expected %ld\n", what, got, place, expected);
}

struct Words {
  explicit Words(size_t n) : host(n) {
    CHECK(cudaMalloc(&device, n * 4));
    CHECK(cudaMemset(device, 0xee, n * 4));
  }
  ~Words() { CHECK(cudaFree(device)); }
  void write() { CHECK(cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice)); }
  const std::vector<unsigned>& read() {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, host.size() * 4, cudaMemcpyDeviceToHost));
    return host;
  }
  unsigned* device;
  std::vector<unsigned> host;
};

template <typename... Parameters, typename... Arguments>
void in_clusters(void (*kernel)(Parameters...), unsigned blocks, unsigned size, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks, config.blockDim = kThreads, config.attrs = &attribute, config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

void test_phases() {
  constexpr unsigned kBlocks = 3, kTurns = 6;
  for (const bool generic : {false, true}) {
    Words out(kBlocks * kThreads);
    (generic ? phases<true> : phases<false>)<<<kBlocks, kThreads>>>(out.device, kTurns);
    out.read();
    for (unsigned i = 0; i < out.host.size(); ++i) {
      unsigned sum = 0;
      for (unsigned n = 1; n < 2 * kTurns; n += 2) sum += (n - 1) * kThreads + (i % kThreads * 37 + n) % kThreads;
      expect(generic ? "phases of a generic address" : "phases", i, out.host[i], sum);
    }
  }
}

void test_ring() {
  constexpr unsigned kBlocks = 2, kItems = 20;
  Words out(kBlocks * kThreads);
  ring<<<kBlocks, kThreads>>>(out.device, kItems);
  out.read();
  for (unsigned i = 0; i < out.host.size(); ++i) {
    const unsigned t = kHalf - 1 - i % kHalf;
    unsigned sum = 0;
    for (unsigned n = 0; n < kItems && i % kThreads >= kHalf; ++n) sum += (n * 1000 + t * t) ^ n;
    expect("ring", i, out.host[i], sum);
  }
}

void test_drops() {
  Words out(8);
  drops<<<1, kThreads>>>(out.device);
  out.read();
  for (unsigned n = 0; n < 8; ++n) expect("drops", n, out.host[n], kThreads / 8 * (8 - n));
}

void test_copies() {
  constexpr unsigned kTurns = 5;
  Words in(kTurns * kThreads * 4), out(kThreads);
  for (unsigned i = 0; i < in.host.size(); ++i) in.host[i] = i * 2654435761u;
  in.write();
  for (const bool counted : {false, true}) {
    (counted ? copies<true> : copies<false>)<<<1, kThreads>>>(reinterpret_cast<const uint4*>(in.device), out.device, kTurns);
    out.read();
    for (unsigned t = 0; t < kThreads; ++t) {
      unsigned sum = 0;
      for (unsigned n = 0; n < kTurns; ++n) {
        const unsigned* const w = &in.host[(n * kThreads + (t + 33 * n + 1) % kThreads) * 4];
        sum += w[0] + 3 * w[1] + 5 * w[2] + 7 * w[3];
      }
      expect(counted ? "copies that are counted" : "copies", t, out.host[t], sum);
    }
  }
}

void test_rows() {
  constexpr unsigned kTurns = 9;
  Words in(kTurns * kRow), out(kThreads);
  for (unsigned i = 0; i < in.host.size(); ++i) in.host[i] = i * 40503u + 7;
  in.write();
  rows<<<1, kThreads>>>(in.device, out.device, kTurns);
  out.read();
  for (unsigned t = 0; t < kThreads; ++t) {
    unsigned sum = 0;
    for (unsigned n = 0; n < kTurns; ++n)
      for (unsigned i = t; i < 4 * (1 + n * 37 % (kRow / 4)); i += kThreads) sum += in.host[n * kRow + i] * (i + n + 1);
    expect("rows", t, out.host[t], sum);
  }
}

void test_reductions() {
  const char* const names[] = {"add", "min", "max", "and", "copy", "or", "xor", "inc", "dec", "add of 64 bits"};
  Words out(10 * kThreads * 4);
  in_clusters(reductions, 2, 2, out.device);
  out.read();
  for (unsigned t = 0; t < kThreads; ++t) {
    const unsigned other = (t * 5 + 1) % kThreads, from[] = {t * 3, ~t, t << 28, 0x12345678u + t};
    unsigned to[] = {5, 6, 7, 8};
    for (unsigned n = 0; n < 10; ++n) {
      const unsigned carry = n == 9 && to[0] + from[0] < from[0], upper = n == 9 && to[2] + from[2] < from[2];
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned x = from[i], y = to[i];
        to[i] = n == 0   ? x + y
                : n == 1 ? (int(x) < int(y) ? x : y)
                : n == 2 ? (x > y ? x : y)
                : n == 3 ? x & y
                : n == 4 ? x
                : n == 5 ? x | y
                : n == 6 ? x ^ y
                : n == 7 ? (y >= x ? 0 : y + 1)
                : n == 8 ? (y == 0 || y > x ? x : y - 1)
                         : x + y + (i == 1 ? carry : i == 3 ? upper : 0);
        expect(names[n], other * 4 + i, out.host[(n * kThreads + other) * 4 + i], to[i]);
      }
    }
  }
}

void test_neighbours(unsigned size) {
  constexpr unsigned kClusters = 2, kTurns = 5;
  Words out(kClusters * size * kThreads);
  in_clusters(neighbours, kClusters * size, size, out.device, kTurns);
  out.read();
  for (unsigned i = 0; i < out.host.size(); ++i) {
    const unsigned block = i / kThreads, t = i % kThreads, before = block / size * size + (block % size + size - 1) % size;
    unsigned sum = 0;
    constexpr unsigned kAll = kThreads * (kThreads - 1) / 2;
    for (unsigned n = 0; n < kTurns; ++n) {
      const unsigned other = kThreads - 1 - t;
      sum += before * 1000 + other + n + (before * 10000 + (t ^ 5)) * (n + 1);
      sum += before + other + 3 * n + 5 * other * other + 49 + (n + 1) * (kAll + before * kThreads) + (n + 1) * kAll;
    }
    expect("neighbours", i, out.host[i], sum);
  }
}

}  // namespace

int main() {
  int clusters = 0;
  cudaFuncAttributes attributes;
  CHECK(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 0));
  CHECK(cudaFuncGetAttributes(&attributes, steps));
  const bool with_bytes = attributes.ptxVersion >= 90;
  steps<<<1, kThreads>>>();
  CHECK(cudaGetLastError());
  test_phases();
  test_ring();
  test_drops();
  test_copies();
  if (with_bytes) {
    test_rows();
    if (clusters) test_reductions();
    for (const unsigned size : {1u, 2u, 4u})
      if (clusters) test_neighbours(size);
  }
  unsigned failed[64];
  CHECK(cudaMemcpyFromSymbol(failed, failures, sizeof failed));
  for (unsigned n = 0; n < 64; ++n) expect("failures of step", n, failed[n], 0);
  return verdict(mismatches);
}
