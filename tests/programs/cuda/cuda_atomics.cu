// SPDX-License-Identifier: Apache-2.0
// Atomics of CUDA C++, as programs use them: cuda::atomic and atomic_ref of every scope, of 1 to 16 bytes, on the host too; locks, messages,
// lists and waits made of them; semaphores and latches. And cuda::ptx: mbarriers, copies in bulk, reductions, clusters.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/ptx>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <new>

#include "../../../examples/common/example.h"

// NVIDIA's header of CUDA 13.0 fails to compile a compare-and-swap of 16 bytes.
#if defined(__clang__)
#define WITH_WIDE 1
#else
#define WITH_WIDE 0
#endif

namespace {

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr unsigned kThreads = 64, kBlocks = 2, kAll = kThreads * kBlocks, kTurns = 5;

__device__ unsigned failures[64];

__device__ void check(unsigned number, bool holds) {
  if (!holds) atomicAdd(&failures[number], 1u);
}

// ---- arithmetic, on cells that are no atomics themselves ----

// What thread t has for each operation of the cells.
template <typename T>
__host__ __device__ T operand_of(unsigned t) {
  return static_cast<T>(static_cast<int>(t * 37 % 101) - 50);
}
// A power of two as divisor: clang 16 rotates 64 bits by 64 and more wrongly.
template <typename T>
__host__ __device__ T bit_of(unsigned t) {
  return static_cast<T>(1ull << (t % (sizeof(T) * 4)));
}
template <typename T>
__host__ __device__ T masked_of(unsigned t) {
  return t % 7 < 3 ? static_cast<T>(~bit_of<T>(t)) : static_cast<T>(~T(0));
}

enum Cell { kAdd, kSubtract, kAnd, kOr, kXor, kMin, kMax, kExchange, kSwap, kCells };

template <typename T, cuda::thread_scope scope>
__device__ T arithmetic(T* cells, unsigned t) {
  const T value = operand_of<T>(t);
  cuda::atomic_ref<T, scope> add(cells[kAdd]), swap(cells[kSwap]);
  add.fetch_add(value, cuda::memory_order_relaxed);
  cuda::atomic_ref<T, scope>(cells[kSubtract]).fetch_sub(value, cuda::std::memory_order_acq_rel);
  cuda::atomic_ref<T, scope>(cells[kAnd]).fetch_and(masked_of<T>(t), cuda::memory_order_acquire);
  cuda::atomic_ref<T, scope>(cells[kOr]) |= bit_of<T>(t);
  cuda::atomic_ref<T, scope>(cells[kXor]).fetch_xor(value, cuda::memory_order_release);
  cuda::atomic_ref<T, scope>(cells[kMin]).fetch_min(value);
  cuda::atomic_ref<T, scope>(cells[kMax]).fetch_max(value, cuda::memory_order_relaxed);
  T old = swap.load(cuda::memory_order_relaxed);
  while (!swap.compare_exchange_weak(old, static_cast<T>(old * 3 + 1), cuda::memory_order_acq_rel, cuda::memory_order_relaxed)) {}
  return cuda::atomic_ref<T, scope>(cells[kExchange]).exchange(value, cuda::memory_order_relaxed);
}

template <typename T>
__global__ void in_global(T* cells, T* exchanged) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  exchanged[t] = arithmetic<T, cuda::thread_scope_device>(cells, t);
}
template <typename T>
__global__ void in_shared(T* cells, T* exchanged) {
  __shared__ __align__(8) T own[kCells];
  if (threadIdx.x < kCells) own[threadIdx.x] = cells[threadIdx.x];
  __syncthreads();
  exchanged[threadIdx.x] = arithmetic<T, cuda::thread_scope_block>(own, threadIdx.x);
  __syncthreads();
  if (threadIdx.x < kCells) cells[threadIdx.x] = own[threadIdx.x];
}

// ---- counters ----

struct Counters {
  cuda::atomic<unsigned, cuda::thread_scope_device> of_device;
  cuda::atomic<unsigned> of_system;
  cuda::std::atomic<long long> of_std;
  cuda::std::atomic_flag flag;
  cuda::atomic<float, cuda::thread_scope_device> floats;
  cuda::atomic<double, cuda::thread_scope_device> doubles;
  cuda::atomic<bool, cuda::thread_scope_device> seen;
  unsigned first;  // of those that set the flag
};

__device__ cuda::atomic<int, cuda::thread_scope_device> initialized(17);

__global__ void counters(Counters* c) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> of_block;
  const unsigned t = threadIdx.x;
  if (t == 0) of_block.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  cuda::atomic<unsigned, cuda::thread_scope_thread> own(t);
  ++own;
  own.fetch_add(2);
  check(0, own == t + 3 && own.exchange(7) == t + 3 && own.load() == 7);
  unsigned words[4] = {t, t + 1, t + 2, t + 3};  // of the thread's own, where an atom cannot reach them
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> local(words[t % 4]);
  local.fetch_add(5);
  local.store(local.load() + 1);
  cuda::atomic<unsigned short, cuda::thread_scope_device> half(static_cast<unsigned short>(t));
  check(15, words[t % 4] == t + t % 4 + 6 && local.exchange(1) == t + t % 4 + 6 && words[t % 4] == 1 && (half |= 64) == (t | 64));
  of_block++;
  check(1, of_block.load() >= 1 && of_block <= kThreads && of_block.is_lock_free());
  c->of_device += own.load() - 6;
  c->of_system.fetch_add(1, cuda::memory_order_seq_cst);
  --c->of_std;
  cuda::std::atomic_fetch_add_explicit(&c->of_std, 3ll, cuda::std::memory_order_relaxed);
  c->floats.fetch_add(0.5f, cuda::memory_order_relaxed);
  c->doubles -= 0.25;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> first(c->first);
  if (!c->flag.test_and_set()) ++first;
  check(2, c->flag.test());
  if (!c->seen.exchange(true)) initialized += 5;
  __syncthreads();
  if (t == 0) check(3, of_block.load() == kThreads);
}

// ---- locks ----

struct Lock {
  cuda::atomic<int, cuda::thread_scope_device> held;
  unsigned guarded, also;
};

__global__ void locks(Lock* lock) {
  for (unsigned n = 0; n < kTurns; ++n) {
    int free = 0;
    while (!lock->held.compare_exchange_strong(free, 1, cuda::memory_order_acquire)) free = 0;
    const unsigned was = lock->guarded;
    check(4, lock->also == 3 * was);
    lock->guarded = was + 1;
    lock->also = 3 * (was + 1);
    lock->held.store(0, cuda::memory_order_release);
  }
}

// ---- messages: each block to the next one, by release and acquire and by fences ----

struct Mail {
  cuda::atomic<unsigned, cuda::thread_scope_device> sent;
  unsigned words[kThreads];
};

__global__ void messages(Mail* mail, unsigned* out) {
  const unsigned t = threadIdx.x, block = blockIdx.x;
  unsigned word = 1000 + t;
  if (block > 0) {
    if (t == 0) {
      if (block % 2) {
        while (mail[block - 1].sent.load(cuda::memory_order_acquire) == 0) {}
      } else {
        while (mail[block - 1].sent.load(cuda::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
      }
    }
    __syncthreads();
    word = mail[block - 1].words[kThreads - 1 - t] + block;
  }
  mail[block].words[t] = word;
  __syncthreads();
  if (t == 0) {
    if (block % 2) {
      cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
      mail[block].sent.store(1, cuda::memory_order_relaxed);
    } else {
      mail[block].sent.store(1, cuda::memory_order_release);
    }
  }
  out[block * kThreads + t] = word;
}

// Threads of a block wait for each other's turn.
__global__ void turns(unsigned* out) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> turn;
  __shared__ unsigned sum;
  const unsigned t = threadIdx.x;
  if (t == 0) turn.store(0), sum = 0;
  __syncthreads();
  for (unsigned now = turn.load(cuda::memory_order_acquire); now != t; now = turn.load(cuda::memory_order_acquire)) {
    turn.wait(now, cuda::memory_order_relaxed);
  }
  sum = sum * 3 + t;
  turn.store(t + 1, cuda::memory_order_release);
  turn.notify_all();
  turn.notify_one();
  __syncthreads();
  out[t] = sum;
}

// ---- compare and exchange: structs, enums, pointers ----

struct Pair {
  int count;
  float largest;
};
enum class Color : unsigned short { kRed = 3, kGreen, kBlue };
struct Node {
  Node* next;
  unsigned value;
};
struct alignas(16) Wide {
  unsigned long long count, sum;
};

struct Exchanged {
  cuda::atomic<Pair, cuda::thread_scope_device> pair;
  cuda::atomic<Color, cuda::thread_scope_device> color;
  cuda::atomic<Node*, cuda::thread_scope_device> top;
  cuda::atomic<Node*, cuda::thread_scope_device> next_free;
  Node nodes[kAll];
  Wide wide;
};

__global__ void exchanges(Exchanged* e) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = static_cast<float>(t * 29 % kAll);
  Pair old = e->pair.load();
  Pair changed;
  do {
    changed.count = old.count + 1;
    changed.largest = mine > old.largest ? mine : old.largest;
  } while (!e->pair.compare_exchange_weak(old, changed));
  Color color = e->color.load(cuda::memory_order_relaxed);
  while (!e->color.compare_exchange_strong(color, color == Color::kBlue ? Color::kRed : static_cast<Color>(static_cast<int>(color) + 1),
                                           cuda::memory_order_acq_rel, cuda::memory_order_acquire)) {}
  Node* const node = e->next_free.fetch_add(1, cuda::memory_order_relaxed);
  node->value = t * t;
  node->next = e->top.load(cuda::memory_order_relaxed);
  while (!e->top.compare_exchange_weak(node->next, node, cuda::memory_order_release, cuda::memory_order_relaxed)) {}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && WITH_WIDE
  cuda::atomic_ref<Wide, cuda::thread_scope_device> wide(e->wide);
  Wide before = wide.load();
  while (!wide.compare_exchange_weak(before, Wide{before.count + 1, before.sum + t})) {}
#endif
}

// ---- semaphores and latches ----

using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 3>;
using Latch = cuda::latch<cuda::thread_scope_block>;

__global__ void semaphores(unsigned* out) {
  __shared__ __align__(16) char memory[3][32];
  __shared__ cuda::atomic<int, cuda::thread_scope_block> inside, most;
  static_assert(sizeof(Semaphore) <= 32 && sizeof(Latch) <= 32 && Semaphore::max() >= 3, "");
  Semaphore* const semaphore = reinterpret_cast<Semaphore*>(memory[0]);
  Latch* const latch = reinterpret_cast<Latch*>(memory[1]);
  auto* const once = reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_block>*>(memory[2]);
  const unsigned t = threadIdx.x;
  if (t == 0) {
    new (semaphore) Semaphore(3);
    new (latch) Latch(kThreads);
    new (once) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    inside.store(0), most.store(0);
  }
  __syncthreads();
  semaphore->acquire();
  most.fetch_max(++inside);
  --inside;
  semaphore->release();
  if (once->try_acquire()) out[0] = kThreads;
  latch->arrive_and_wait();
  check(5, latch->try_wait() && inside.load() == 0 && most.load() >= 1 && most.load() <= 3);
  check(6, !once->try_acquire() && !once->try_acquire_for(cuda::std::chrono::nanoseconds(100)));
}

// ---- cuda::ptx ----

__global__ void registers(unsigned* out) {
  check(7, ptx::get_sreg_tid_x() == threadIdx.x && ptx::get_sreg_ntid_x() == blockDim.x && ptx::get_sreg_ctaid_x() == blockIdx.x);
  check(8, ptx::get_sreg_nctaid_x() == gridDim.x && ptx::get_sreg_tid_y() == 0 && ptx::get_sreg_nctaid_z() == 1);
  check(9, ptx::get_sreg_laneid() == threadIdx.x % 32 && ptx::get_sreg_lanemask_eq() == 1u << threadIdx.x % 32);
  check(10, (ptx::get_sreg_lanemask_lt() | ptx::get_sreg_lanemask_ge()) == ~0u && ptx::get_sreg_smid() < ptx::get_sreg_nsmid());
  const auto start = ptx::get_sreg_clock64();
  ptx::fence(ptx::sem_sc, ptx::scope_gpu);
  ptx::fence(ptx::sem_acq_rel, ptx::scope_cta);
  check(11, ptx::get_sreg_clock64() > start && ptx::get_sreg_globaltimer() != 0);
  out[threadIdx.x] = ptx::get_sreg_ntid_x();
}

// Phases by state and by parity, and copies of the threads that arrive.
__global__ void arrivals(const unsigned* in, unsigned* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __shared__ cuda::std::uint64_t bar;
  __shared__ unsigned row[kThreads];
  const unsigned t = threadIdx.x;
  if (t == 0) ptx::mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  row[t] = t * t;
  const auto state = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_test_wait(&bar, state)) {}
  unsigned sum = row[kThreads - 1 - t];
  (void)ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_test_wait_parity(&bar, 1)) {}
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&row[t]))), "l"(in + t)
               : "memory");
  ptx::cp_async_mbarrier_arrive_noinc(&bar);
  while (!ptx::mbarrier_test_wait_parity(&bar, 0)) {}
  sum += row[(t + 1) % kThreads];
  __syncthreads();
  if (t == 0) {
    (void)ptx::mbarrier_arrive_no_complete(&bar, kThreads - 1);
    (void)ptx::mbarrier_arrive(&bar);
    check(12, ptx::mbarrier_test_wait_parity(&bar, 1));
  }
  out[t] = sum;
#endif
}

// In bulk: in, out again, and added to what is there.
__global__ void bulk(const unsigned* in, unsigned* out, unsigned* sums, unsigned* least) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ cuda::std::uint64_t bar;
  __shared__ __align__(128) unsigned row[kThreads];
  const unsigned t = threadIdx.x;
  if (t == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, row, in, sizeof row, &bar);
    const auto state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof row);
    while (!ptx::mbarrier_try_wait(&bar, state, 1000)) {}
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0)) {}
  row[t] = row[t] % 1000 + t;
  ptx::fence_proxy_async();
  __syncthreads();
  if (t == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, row, sizeof row);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, row, sizeof row);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, least, row, sizeof row);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// In the next block of the cluster.
template <typename T>
__device__ T* there(T* here, unsigned rank) {
#if defined(__clang__)
  return ptx::mapa(ptx::space_cluster, here, rank);
#else
  return cg::this_cluster().map_shared_rank(here, rank);
#endif
}
#endif

// Stores, reductions, copies and arrivals at the next block's mbarrier.
__global__ void neighbours(unsigned* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using cuda::std::uint64_t;
  __shared__ uint64_t bar;
  __shared__ __align__(16) unsigned words[kThreads], row[16], taken[16];
  __shared__ unsigned sum, bits;
  __shared__ __align__(16) unsigned many[4];
  const unsigned t = threadIdx.x, rank = ptx::get_sreg_cluster_ctarank(), next = (rank + 1) % ptx::get_sreg_cluster_nctarank();
  const unsigned bytes = kThreads * 12 + sizeof row + sizeof many;
  if (t == 0) {
    ptx::mbarrier_init(&bar, 2);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    (void)ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, bytes);
    sum = bits = 0;
  }
  if (t < 16) row[t] = rank * 100 + t;
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
  uint64_t* const far = there(&bar, next);
  check(13, ptx::getctarank(ptx::space_cluster, there(words, next)) == next);
  ptx::st_async(there(words, next) + t, rank * 1000 + t, far);
  ptx::red_async(ptx::op_add, there(&sum, next), t + rank, far);
  ptx::red_async(ptx::op_or_op, there(&bits, next), 1u << t % 32, far);
  if (t == 0) {
    const unsigned four[4] = {rank, 5, 6, 7};
    ptx::st_async(there(many, next), four, far);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, there(taken, next), row, sizeof row, far);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, far);
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0, 1000)) {}
  check(14, bits == ~0u && many[1] == 5 && many[3] == 7);
  out[blockIdx.x * kThreads + t] = words[t] + sum + many[0] + taken[t % 16];
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
#endif
}

// ---- the host ----

int mismatches = 0;

void expect(const char* what, long place, long long got, long long expected) {
  if (got != expected && mismatches++ < 10) printf("%s: %lld at %ld, expected %lld\n", what, got, place, expected);
}

template <typename T>
struct Managed {
  T* at;
  explicit Managed(size_t count = 1) {
    CHECK(cudaMallocManaged(&at, count * sizeof(T)));
    memset(static_cast<void*>(at), 0, count * sizeof(T));
  }
  ~Managed() { CHECK(cudaFree(at)); }
  T* operator->() const { return at; }
  T& operator[](size_t i) const { return at[i]; }
};

template <typename T>
void test_arithmetic(const char* what) {
  for (const bool shared : {false, true}) {
    const unsigned threads = shared ? kThreads : kAll;
    Managed<T> cells(kCells), exchanged(kAll);
    T expected[kCells];
    for (int i = 0; i < kCells; ++i) expected[i] = cells[i] = static_cast<T>(i * 3 + 1);
    expected[kAnd] = cells[kAnd] = static_cast<T>(~T(0));
    if (shared) in_shared<<<1, kThreads>>>(cells.at, exchanged.at);
    else in_global<<<kBlocks, kThreads>>>(cells.at, exchanged.at);
    CHECK_LAUNCH();
    T values = 0;
    for (unsigned t = 0; t < threads; ++t) {
      const T value = operand_of<T>(t);
      expected[kAdd] = static_cast<T>(expected[kAdd] + value);
      expected[kSubtract] = static_cast<T>(expected[kSubtract] - value);
      expected[kAnd] = static_cast<T>(expected[kAnd] & masked_of<T>(t));
      expected[kOr] = static_cast<T>(expected[kOr] | bit_of<T>(t));
      expected[kXor] = static_cast<T>(expected[kXor] ^ value);
      if (value < expected[kMin]) expected[kMin] = value;
      if (value > expected[kMax]) expected[kMax] = value;
      expected[kSwap] = static_cast<T>(static_cast<unsigned long long>(expected[kSwap]) * 3 + 1);
      values = static_cast<T>(values + value - exchanged[t]);
    }
    expected[kExchange] = static_cast<T>(expected[kExchange] + values);
    for (int i = 0; i < kCells; ++i) expect(what, i, static_cast<long long>(cells[i]), static_cast<long long>(expected[i]));
  }
}

void test_counters() {
  Managed<Counters> c;
  c->of_system.store(100);
  counters<<<kBlocks, kThreads>>>(c.at);
  CHECK_LAUNCH();
  c->of_system.fetch_add(1);
  expect("of the device", 0, c->of_device.load(), kAll);
  expect("of the system", 0, c->of_system.load(), kAll + 101);
  expect("of cuda::std", 0, c->of_std.load(), 2 * kAll);
  expect("floats", 0, static_cast<long long>(c->floats.load() * 4), 2 * kAll);
  expect("doubles", 0, static_cast<long long>(c->doubles.load() * 4), -static_cast<long long>(kAll));
  expect("first", 0, c->first, 1);
  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, initialized, sizeof value));
  expect("initialized", 0, value, 22);
}

void test_locks_and_messages() {
  Managed<Lock> lock;
  locks<<<kBlocks, kThreads>>>(lock.at);
  CHECK_LAUNCH();
  expect("guarded", 0, lock->guarded, kAll * kTurns);
  expect("also guarded", 0, lock->also, 3 * kAll * kTurns);
  constexpr unsigned kChain = 5;
  Managed<Mail> mail(kChain);
  Managed<unsigned> out(kChain * kThreads);
  messages<<<kChain, kThreads>>>(mail.at, out.at);
  CHECK_LAUNCH();
  for (unsigned block = 0; block < kChain; ++block)
    for (unsigned t = 0; t < kThreads; ++t) {
      const unsigned from = block % 2 ? kThreads - 1 - t : t;
      expect("message", block * kThreads + t, out[block * kThreads + t], 1000 + from + block * (block + 1) / 2);
    }
  turns<<<1, kThreads>>>(out.at);
  CHECK_LAUNCH();
  unsigned sum = 0;
  for (unsigned t = 0; t < kThreads; ++t) sum = sum * 3 + t;
  for (unsigned t = 0; t < kThreads; ++t) expect("turns", t, out[t], sum);
}

void test_exchanges(bool with_wide) {
  Managed<Exchanged> e;
  e->next_free.store(e->nodes);
  e->color.store(Color::kGreen);
  exchanges<<<kBlocks, kThreads>>>(e.at);
  CHECK_LAUNCH();
  const Pair pair = e->pair.load();
  expect("pairs", 0, pair.count, kAll);
  expect("largest", 0, static_cast<long long>(pair.largest), kAll - 1);
  expect("color", 0, static_cast<long long>(e->color.load()), 3 + (1 + kAll) % 3);
  unsigned nodes = 0, sum = 0, squares = 0;
  for (const Node* node = e->top.load(); node; node = node->next) ++nodes, sum += node->value;
  for (unsigned t = 0; t < kAll; ++t) squares += t * t;
  expect("nodes", 0, nodes, kAll);
  expect("values of nodes", 0, sum, squares);
  expect("nodes taken", 0, e->next_free.load() - e->nodes, kAll);
  if (!with_wide) return;
  expect("count of 16 bytes", 0, static_cast<long long>(e->wide.count), kAll);
  expect("sum of 16 bytes", 0, static_cast<long long>(e->wide.sum), kAll * (kAll - 1) / 2);
}

void test_on_host() {
  cuda::atomic<int, cuda::thread_scope_system> n(5);
  int expected = 4;
  expect("fails", 0, n.compare_exchange_strong(expected, 9), 0);
  expect("was", 0, expected, 5);
  expect("succeeds", 0, n.compare_exchange_weak(expected, 9, cuda::memory_order_acq_rel, cuda::memory_order_acquire), 1);
  expect("old", 0, n++ + --n + (n -= 2) + n.fetch_max(40) + n.fetch_min(-3), 9 + 9 + 7 + 7 + 40);
  expect("last", 0, n = 12, 12);
  cuda::std::atomic<double> d(1.5);
  d += 2;
  expect("double", 0, static_cast<long long>(d.load() * 2), 7);
  short words[3] = {1, 2, 3};
  cuda::atomic_ref<short, cuda::thread_scope_system> middle(words[1]);
  middle ^= 7;
  expect("words", 0, words[0] * 100 + words[1] * 10 + words[2], 153);
  cuda::atomic<short*, cuda::thread_scope_device> p(words);
  expect("pointer", 0, (p += 2) - p.fetch_sub(1), 0);
  expect("pointer", 1, *p.load(), 5);
  static_assert(cuda::atomic<long long>::is_always_lock_free && sizeof(cuda::atomic<Pair>) == 8, "");
  cuda::counting_semaphore<cuda::thread_scope_system> semaphore(1);
  cuda::std::latch latch(2);
  semaphore.acquire();
  expect("semaphore", 0, semaphore.try_acquire(), 0);
  semaphore.release(2);
  latch.count_down();
  expect("latch", 0, latch.try_wait(), 0);
  latch.arrive_and_wait();
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
}

void test_ptx(int architecture) {
  constexpr unsigned kSize = 4;  // blocks of the cluster
  Managed<unsigned> in(kThreads), out(kSize * kThreads), sums(kThreads), least(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) in[t] = t * 2654435761u + 12345, sums[t] = t, least[t] = 500;
  registers<<<1, kThreads>>>(out.at);
  CHECK_LAUNCH();
  if (architecture < 80) return;
  arrivals<<<1, kThreads>>>(in.at, out.at);
  CHECK_LAUNCH();
  for (unsigned t = 0; t < kThreads; ++t)
    expect("arrivals", t, out[t], in[(t + 1) % kThreads] + (kThreads - 1 - t) * (kThreads - 1 - t));
  if (architecture < 90) return;
  bulk<<<1, kThreads>>>(in.at, out.at, sums.at, least.at);
  CHECK_LAUNCH();
  for (unsigned t = 0; t < kThreads; ++t) {
    const unsigned value = in[t] % 1000 + t;
    expect("bulk", t, out[t], value);
    expect("sums", t, sums[t], t + value);
    expect("least", t, least[t], value < 500 ? value : 500);
  }
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kSize;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kSize);
  config.blockDim = dim3(kThreads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, neighbours, out.at));
  CHECK_LAUNCH();
  for (unsigned i = 0; i < kSize * kThreads; ++i) {
    const unsigned t = i % kThreads, from = (i / kThreads + kSize - 1) % kSize;
    const unsigned sum = kThreads * (kThreads - 1) / 2 + kThreads * from;
    expect("neighbours", i, out[i], from * 1000 + t + sum + from + from * 100 + t % 16);
  }
}

}  // namespace

int main() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, bulk));
  test_arithmetic<signed char>("bytes");
  test_arithmetic<unsigned char>("unsigned bytes");
  test_arithmetic<short>("shorts");
  test_arithmetic<unsigned short>("unsigned shorts");
  test_arithmetic<int>("ints");
  test_arithmetic<unsigned>("unsigned");
  test_arithmetic<long long>("long longs");
  test_arithmetic<unsigned long long>("unsigned long longs");
  test_counters();
  test_locks_and_messages();
  test_exchanges(WITH_WIDE && attributes.ptxVersion >= 90);
  Managed<unsigned> out(1);
  semaphores<<<1, kThreads>>>(out.at);
  CHECK_LAUNCH();
  expect("once", 0, out[0], kThreads);
  test_on_host();
  test_ptx(attributes.ptxVersion);
  unsigned failed[64];
  CHECK(cudaMemcpyFromSymbol(failed, failures, sizeof failed));
  for (unsigned n = 0; n < 64; ++n) expect("failures of step", n, failed[n], 0);
  return verdict(mismatches);
}
