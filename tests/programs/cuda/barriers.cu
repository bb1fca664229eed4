// SPDX-License-Identifier: Apache-2.0
// Barriers and pipelines of CUDA C++, as programs use them: __mbarrier_*, nvcuda::experimental::awbarrier, cuda::barrier of a block, of several
// blocks, of the host and with a completion function; copies that arrive at a barrier, in bulk too; cuda::pipeline of a thread, of a block and
// between its warps. With NVIDIA's headers of before 9.0 a wait by parity is a trap.
#include <cooperative_groups.h>
#include <cuda_awbarrier.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <utility>
#include <vector>

#include "../../../examples/common/example.h"

#if defined(__NVCC__)
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace {

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

constexpr unsigned kThreads = 128, kHalf = kThreads / 2, kTurns = 7;

__device__ unsigned failures[64];

__device__ void check(unsigned number, bool holds) {
  if (!holds) atomicAdd(&failures[number], 1u);
}

// Where a block's turn n leaves a thread's value, and where another reads it.
__device__ unsigned value_of(unsigned n, unsigned t) { return n * 1000 + t * t; }

// ---- primitives ----

__global__ void primitives(const int4* in, unsigned* out) {
  __shared__ __mbarrier_t bar, copied;
  __shared__ unsigned values[kThreads];
  __shared__ int4 place[kThreads];
  const unsigned t = threadIdx.x;
  check(0, __mbarrier_maximum_count() >= kThreads);
  if (t == 0) __mbarrier_init(&bar, kThreads), __mbarrier_init(&copied, kThreads);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < 2 * kTurns; n += 2) {
    values[t] = value_of(n, t);
    const __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token)) {}
    sum += values[kThreads - 1 - t];
    check(1, __mbarrier_test_wait_parity(&bar, false) && !__mbarrier_test_wait_parity(&bar, true));
    (void)__mbarrier_arrive(&bar);
    while (!__mbarrier_try_wait_parity(&bar, true, 1000)) {}
  }
  __pipeline_memcpy_async(&place[t], &in[t], sizeof(int4));
  __pipeline_arrive_on(&copied);
  const __mbarrier_token_t token = __mbarrier_arrive(&copied);
  while (!__mbarrier_try_wait(&copied, token, 1000)) {}
  sum += static_cast<unsigned>(place[(t + 1) % kThreads].z);
  __syncthreads();
  // Odd threads drop out: the phase after this one is of the even threads alone.
  if (t % 2) {
    (void)__mbarrier_arrive_and_drop(&bar);
  } else {
    const __mbarrier_token_t last = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, last)) {}
    (void)__mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait_parity(&bar, true)) {}
  }
  __syncthreads();
  if (t == 0) {
    const __mbarrier_token_t open = __mbarrier_arrive(&bar);
    check(2, !__mbarrier_test_wait(&bar, open) && !__mbarrier_try_wait(&bar, open, 100) && !__mbarrier_try_wait_parity(&bar, false, 100));
    __mbarrier_inval(&bar);
    __mbarrier_inval(&copied);
  }
  out[t] = sum;
}

__global__ void awbarriers(const int4* in, unsigned* out) {
  using nvcuda::experimental::awbarrier;
  __shared__ awbarrier bar;
  __shared__ unsigned values[kThreads];
  __shared__ int4 place[kThreads];
  const unsigned t = threadIdx.x;
  static_assert(awbarrier::max() >= kThreads, "");
  if (t == 0) init(&bar, kThreads);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < kTurns; ++n) {
    values[t] = value_of(n, t);
    awbarrier::arrival_token token = bar.arrive();
    check(3, token.pending_count() >= 1 && token.pending_count() <= kThreads);
    if (n % 3 == 0) bar.wait(token);
    if (n % 3 == 1)
      while (!bar.timed_wait(token, 1000)) {}
    if (n % 3 == 2)
      while (!bar.try_wait(token, 1000)) {}
    sum += values[kThreads - 1 - t];
    bar.arrive_and_wait();
  }
  nvcuda::experimental::pipeline pipe;
  nvcuda::experimental::memcpy_async(place[t], in[t], pipe);
  pipe.arrive_on(bar);
  (void)bar.arrive();
  while (!bar.timed_wait_parity(false, 1000)) {}
  check(4, bar.try_wait_parity(false, 10));
  sum += static_cast<unsigned>(place[(t + 1) % kThreads].z);
  out[t] = sum;
  if (t >= kHalf) {
    (void)bar.arrive_and_drop();
    return;
  }
  bar.arrive_and_wait();
  bar.arrive_and_wait();
  if (t % 2) (void)bar.arrive();
  __syncwarp();
  check(5, !bar.timed_wait_parity(true, 100));
}

// ---- cuda::barrier ----

__global__ void splits(unsigned* out) {
  __shared__ BlockBarrier bar;
  __shared__ unsigned values[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  if (t == 0) init(&bar, block.size());
  block.sync();
  unsigned sum = 0;
  for (unsigned n = 0; n < kTurns; ++n) {
    values[t] = value_of(n, t);
    BlockBarrier::arrival_token token = bar.arrive();
    sum += n;  // what needs nobody else
    if (n % 3 == 0) bar.wait(std::move(token));
    if (n % 3 == 1)
      while (!bar.try_wait_for(BlockBarrier::arrival_token(token), cuda::std::chrono::microseconds(1))) {}
    if (n % 3 == 2)
      while (!bar.try_wait_until(BlockBarrier::arrival_token(token), cuda::std::chrono::system_clock::now() + cuda::std::chrono::microseconds(2))) {
      }
    sum += values[kThreads - 1 - t];
    bar.arrive_and_wait();
  }
  // By parity, and several arrivals by one thread.
  block.sync();
  check(6, bar.try_wait_parity_for(true, cuda::std::chrono::nanoseconds(0)) && !bar.try_wait_parity_for(false, cuda::std::chrono::nanoseconds(200)));
  block.sync();
  values[t] = 3 * t;
  block.sync();
  if (t == 5) (void)bar.arrive(kThreads);
  bar.wait_parity(false);
  sum += values[kThreads - 1 - t];
  out[blockIdx.x * kThreads + t] = sum;
}

__global__ void drops(unsigned* out) {
  __shared__ BlockBarrier bar;
  __shared__ unsigned counts[8];
  const unsigned t = threadIdx.x;
  if (t == 0) init(&bar, kThreads);
  if (t < 8) counts[t] = 0;
  __syncthreads();
  for (unsigned n = 0;; ++n) {
    atomicAdd(&counts[n], 1u);
    if (n == t % 8) {
      bar.arrive_and_drop();
      break;
    }
    bar.arrive_and_wait();
    check(7, counts[n] == kThreads / 8 * (8 - n));
  }
  __syncthreads();
  if (t < 8) out[t] = counts[t];
}

// The last thread of each phase adds up what the others stored.
struct AddUp {
  unsigned *values, *total;
  __host__ __device__ void operator()() const {
    for (unsigned i = 0; i < kThreads; ++i) *total += values[i];
  }
};

__global__ void completions(unsigned* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block, AddUp>;
  __shared__ __align__(alignof(Barrier)) char memory[sizeof(Barrier)];
  __shared__ unsigned values[kThreads], total;
  Barrier* const bar = reinterpret_cast<Barrier*>(memory);
  const unsigned t = threadIdx.x;
  if (t == 0) total = 0, new (bar) Barrier(kThreads, AddUp{values, &total});
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < kTurns; ++n) {
    values[t] = value_of(n, t);
    bar->arrive_and_wait();
    sum += total;
    bar->arrive_and_wait();
    if (t == 0) total = 0;
    bar->wait(bar->arrive());
    if (t == 0) total = 0;
    __syncthreads();
  }
  out[t] = sum;
}

// Threads of several blocks; and a barrier of the device in a block's shared memory.
using DeviceBarrier = cuda::barrier<cuda::thread_scope_device>;

__global__ void start(DeviceBarrier* bar, unsigned threads) { init(bar, threads); }

__global__ void among_blocks(DeviceBarrier* bar, unsigned* values, unsigned* out) {
  __shared__ DeviceBarrier own;
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  if (threadIdx.x == 0) init(&own, blockDim.x);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < kTurns; ++n) {
    values[t] = value_of(n, t);
    bar->arrive_and_wait();
    sum += static_cast<volatile unsigned*>(values)[threads - 1 - t];
    own.arrive_and_wait();
    bar->wait(bar->arrive());
  }
  out[t] = sum;
}

// ---- producers and consumers, with two buffers ----

__device__ void produce(BlockBarrier* ready, BlockBarrier* filled, unsigned (*buffer)[kHalf], unsigned items) {
  for (unsigned n = 0; n < items; ++n) {
    ready[n % 2].arrive_and_wait();
    buffer[n % 2][threadIdx.x] = value_of(n, threadIdx.x);
    (void)filled[n % 2].arrive();
  }
}

__device__ unsigned consume(BlockBarrier* ready, BlockBarrier* filled, unsigned (*buffer)[kHalf], unsigned items) {
  unsigned sum = 0;
  (void)ready[0].arrive();
  (void)ready[1].arrive();
  for (unsigned n = 0; n < items; ++n) {
    filled[n % 2].arrive_and_wait();
    sum += buffer[n % 2][kThreads - 1 - threadIdx.x] ^ n;
    (void)ready[n % 2].arrive();
  }
  return sum;
}

__global__ void two_buffers(unsigned* out, unsigned items) {
  __shared__ BlockBarrier bars[4];  // ready and filled
  __shared__ unsigned buffer[2][kHalf];
  if (threadIdx.x < 4) init(&bars[threadIdx.x], kThreads);
  __syncthreads();
  unsigned sum = 0;
  if (threadIdx.x < kHalf) produce(bars, bars + 2, buffer, items);
  else sum = consume(bars, bars + 2, buffer, items);
  out[threadIdx.x] = sum;
}

// ---- copies that arrive ----

constexpr unsigned kRow = 512;  // words

// Rows of odd lengths by the block, and by each thread a part of its own.
__global__ void copies(const unsigned* in, unsigned* out) {
  __shared__ BlockBarrier bars[2];
  __shared__ __align__(16) unsigned row[2][kRow];
  __shared__ __align__(16) uint4 own[kThreads];
  __shared__ char bytes[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  if (t < 2) init(&bars[t], block.size());
  block.sync();
  const auto length = [](unsigned n) { return 1 + n * 101 % (kRow - 1); };
  unsigned sum = 0;
  cuda::memcpy_async(block, row[0], in, length(0) * sizeof(unsigned), bars[0]);
  for (unsigned n = 0; n < kTurns; ++n) {
    if (n + 1 < kTurns) cuda::memcpy_async(block, row[(n + 1) % 2], in + (n + 1) * kRow, length(n + 1) * sizeof(unsigned), bars[(n + 1) % 2]);
    bars[n % 2].arrive_and_wait();
    for (unsigned i = t; i < length(n); i += kThreads) sum += row[n % 2][i] * (i + n);
    block.sync();
  }
  cuda::memcpy_async(&own[t], reinterpret_cast<const uint4*>(in) + t, cuda::aligned_size_t<16>(sizeof(uint4)), bars[0]);
  cuda::memcpy_async(block, bytes, reinterpret_cast<const char*>(in) + 3, kThreads - 3, bars[0]);
  bars[0].arrive_and_wait();
  sum += own[(t + 1) % kThreads].y;
  if (t < kThreads - 3) sum += static_cast<unsigned char>(bytes[t]);
  block.sync();
  cuda::memcpy_async(block, row[0], in + kRow, cuda::aligned_size_t<16>(kRow * sizeof(unsigned)), bars[0]);
  bars[0].wait(bars[0].arrive());
  sum += row[0][kRow - 1 - t];
  out[t] = sum;
}

// In bulk: one thread copies, in two parts, and says how many bytes come.
__global__ void bulk(const unsigned* in, unsigned* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ BlockBarrier bar;
  __shared__ __align__(128) unsigned row[kRow];
  const unsigned t = threadIdx.x;
  if (t == 0) {
    init(&bar, kThreads);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    check(8, cuda::device::barrier_native_handle(bar) == reinterpret_cast<const void*>(&bar));
  }
  __syncthreads();
  unsigned sum = 0;
  for (unsigned n = 0; n < kTurns; ++n) {
    BlockBarrier::arrival_token token;
    if (t == 0) {
      constexpr unsigned kPart = kRow / 4 * 3;
      cuda::device::memcpy_async_tx(row, in + n * kRow, cuda::aligned_size_t<16>(kPart * 4), bar);
      cuda::device::memcpy_async_tx(row + kPart, in + n * kRow + kPart, cuda::aligned_size_t<16>((kRow - kPart) * 4), bar);
      if (n % 2) {
        token = cuda::device::barrier_arrive_tx(bar, 1, kRow * 4);
      } else {
        cuda::device::barrier_expect_tx(bar, kRow * 4);
        token = bar.arrive();
      }
    } else {
      token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (unsigned i = t; i < kRow; i += kThreads) sum += row[i] * (i + n);
    __syncthreads();
  }
  out[t] = sum;
#endif
}

// ---- cuda::pipeline ----

__global__ void of_threads(const unsigned* in, unsigned* out) {
  __shared__ unsigned stage[3][kThreads];
  const unsigned t = threadIdx.x;
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  unsigned sum = 0;
  for (unsigned n = 0, copied = 0; n < kTurns; ++n) {
    for (; copied < kTurns && copied < n + 3; ++copied) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[copied % 3][t], in + copied * kRow + t, sizeof(unsigned), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stage[n % 3][t] * (n + 1);
    pipe.consumer_release();
  }
  for (unsigned n = 0; n < 2; ++n) {
    cuda::memcpy_async(&stage[n][t], in + (n + 1) * kRow + t, cuda::aligned_size_t<4>(sizeof(unsigned)), pipe);
    pipe.producer_commit();
  }
  cuda::pipeline_consumer_wait_prior<1>(pipe);
  sum += stage[0][t];
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  out[t] = sum + stage[1][t];
}

template <unsigned stages>
__global__ void of_a_block(const unsigned* in, unsigned* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ __align__(16) unsigned row[stages][kRow];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  auto pipe = cuda::make_pipeline(block, &state);
  unsigned sum = 0;
  for (unsigned n = 0, copied = 0; n < kTurns; ++n) {
    for (; copied < kTurns && copied < n + stages; ++copied) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, row[copied % stages], in + copied * kRow, cuda::aligned_size_t<16>(kRow * sizeof(unsigned)), pipe);
      pipe.producer_commit();
    }
    if (n % 2) pipe.consumer_wait();
    else
      while (!pipe.consumer_wait_for(cuda::std::chrono::microseconds(1))) {}
    for (unsigned i = 0; i < kRow; i += kThreads) sum += row[n % stages][kRow - 1 - t - i] * (n + 1);
    pipe.consumer_release();
  }
  out[t] = sum;
}

// Some threads of the block fill two stages, the others empty them; every thread of the second kernel says which it is.
template <typename Pipe>
__device__ unsigned in_turns(Pipe& pipe, bool producer, unsigned rank, unsigned producers, unsigned (*stage)[kRow], const unsigned* in) {
  unsigned sum = 0;
  for (unsigned n = 0; n < kTurns; ++n) {
    if (producer) {
      pipe.producer_acquire();
      for (unsigned i = rank; i < kRow; i += producers) cuda::memcpy_async(&stage[n % 2][i], in + n * kRow + i, sizeof(unsigned), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (unsigned i = rank; i < kRow; i += kThreads - producers) sum += stage[n % 2][i] * (i + n);
      pipe.consumer_release();
    }
  }
  return sum;
}

__device__ unsigned last_to_quit;

__global__ void between_warps(const unsigned* in, unsigned* out) {
  constexpr unsigned kProducers = 32;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ unsigned stage[2][kRow];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  const bool producer = t < kProducers;
  auto pipe = cuda::make_pipeline(block, &state, kProducers);
  out[t] = in_turns(pipe, producer, producer ? t : t - kProducers, kProducers, stage, in);
  if (pipe.quit()) atomicAdd(&last_to_quit, 1u);
}

__global__ void between_roles(const unsigned* in, unsigned* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ unsigned stage[2][kRow];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank(), warp = t / 32, rank = warp / 2 * 32 + t % 32;
  const bool producer = warp % 2 == 1;
  auto pipe = cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  out[t] = in_turns(pipe, producer, rank, kHalf, stage, in);
}

// ---- the host ----

int mismatches = 0;

void expect(const char* what, long place, long got, long expected) {
  if (got != expected && mismatches++ < 10) printf("%s: %ld at %ld, expected %ld\n", what, got, place, expected);
}

unsigned host_value(unsigned n, unsigned t) { return n * 1000 + t * t; }

constexpr unsigned kWords = kTurns * kRow;

struct Run {
  unsigned *in, *out;
  std::vector<unsigned> words, got;
  Run() : words(kWords), got(4 * kThreads) {
    CHECK(cudaMalloc(&in, kWords * 4));
    CHECK(cudaMalloc(&out, got.size() * 4));
    for (unsigned i = 0; i < kWords; ++i) words[i] = i * 2654435761u + 12345;
    CHECK(cudaMemcpy(in, words.data(), kWords * 4, cudaMemcpyHostToDevice));
  }
  ~Run() {
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
  }
  // What each thread has to have.
  template <typename Expected>
  void compare(const char* what, unsigned threads, const Expected& expected) {
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < threads; ++t) expect(what, t, got[t], expected(t));
    CHECK(cudaMemset(out, 0xee, got.size() * 4));
  }
};

unsigned opposite_values(unsigned t, unsigned step) {
  unsigned sum = 0;
  for (unsigned n = 0; n < kTurns; ++n) sum += host_value(n * step, kThreads - 1 - t);
  return sum;
}

void test_early_ones(Run& run) {
  const auto* const in = reinterpret_cast<const int4*>(run.in);
  const auto expected = [&](unsigned t, unsigned step) { return opposite_values(t, step) + run.words[(t + 1) % kThreads * 4 + 2]; };
  primitives<<<1, kThreads>>>(in, run.out);
  run.compare("primitives", kThreads, [&](unsigned t) { return expected(t, 2); });
  awbarriers<<<1, kThreads>>>(in, run.out);
  run.compare("awbarriers", kThreads, [&](unsigned t) { return expected(t, 1); });
}

void test_barriers(Run& run) {
  splits<<<2, kThreads>>>(run.out);
  run.compare("splits", 2 * kThreads, [&](unsigned i) {
    const unsigned t = i % kThreads;
    return opposite_values(t, 1) + kTurns * (kTurns - 1) / 2 + 3 * (kThreads - 1 - t);
  });
  drops<<<1, kThreads>>>(run.out);
  run.compare("drops", 8, [](unsigned n) { return kThreads / 8 * (8 - n); });
  completions<<<1, kThreads>>>(run.out);
  run.compare("completions", kThreads, [](unsigned) {
    unsigned sum = 0;
    for (unsigned n = 0; n < kTurns; ++n)
      for (unsigned t = 0; t < kThreads; ++t) sum += host_value(n, t);
    return sum;
  });
  two_buffers<<<1, kThreads>>>(run.out, 9);
  run.compare("two buffers", kThreads, [](unsigned t) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 9 && t >= kHalf; ++n) sum += host_value(n, kThreads - 1 - t) ^ n;
    return sum;
  });
}

void test_among_blocks(Run& run) {
  constexpr unsigned kBlocks = 2, kSize = 32;
  DeviceBarrier* bar = nullptr;
  unsigned* values = nullptr;
  CHECK(cudaMalloc(&bar, sizeof(DeviceBarrier)));
  CHECK(cudaMalloc(&values, kBlocks * kSize * 4));
  start<<<1, 1>>>(bar, kBlocks * kSize);
  among_blocks<<<kBlocks, kSize>>>(bar, values, run.out);
  run.compare("among blocks", kBlocks * kSize, [](unsigned t) {
    unsigned sum = 0;
    for (unsigned n = 0; n < kTurns; ++n) sum += host_value(n, kBlocks * kSize - 1 - t);
    return sum;
  });
  CHECK(cudaFree(bar));
  CHECK(cudaFree(values));
}

void test_on_host() {
  unsigned completed = 0;
  const auto count = [&] { ++completed; };
  cuda::barrier<cuda::thread_scope_system, decltype(count)> counted(3, count);
  cuda::barrier<cuda::thread_scope_system> bar(2);
  for (unsigned n = 0; n < 3; ++n) {
    (void)counted.arrive(2);
    expect("completed before", n, completed, n);
    counted.arrive_and_wait();
    expect("completed after", n, completed, n + 1);
    auto token = bar.arrive();
    (void)bar.arrive();
    bar.wait(std::move(token));
  }
  bar.arrive_and_drop();
  bar.arrive_and_wait();
  bar.arrive_and_wait();
}

unsigned weighted_row(const Run& run, unsigned n, unsigned length, unsigned t, unsigned step) {
  unsigned sum = 0;
  for (unsigned i = t; i < length; i += step) sum += run.words[n * kRow + i] * (i + n);
  return sum;
}

void test_copies(Run& run, bool with_bytes) {
  copies<<<1, kThreads>>>(run.in, run.out);
  run.compare("copies", kThreads, [&](unsigned t) {
    unsigned sum = run.words[(t + 1) % kThreads * 4 + 1] + run.words[2 * kRow - 1 - t];
    if (t < kThreads - 3) sum += run.words[(t + 3) / 4] >> (t + 3) % 4 * 8 & 0xff;
    for (unsigned n = 0; n < kTurns; ++n) sum += weighted_row(run, n, 1 + n * 101 % (kRow - 1), t, kThreads);
    return sum;
  });
  if (!with_bytes) return;
  bulk<<<1, kThreads>>>(run.in, run.out);
  run.compare("bulk", kThreads, [&](unsigned t) {
    unsigned sum = 0;
    for (unsigned n = 0; n < kTurns; ++n) sum += weighted_row(run, n, kRow, t, kThreads);
    return sum;
  });
}

void test_pipelines(Run& run) {
  of_threads<<<1, kThreads>>>(run.in, run.out);
  run.compare("pipelines of threads", kThreads, [&](unsigned t) {
    unsigned sum = run.words[kRow + t] + run.words[2 * kRow + t];
    for (unsigned n = 0; n < kTurns; ++n) sum += run.words[n * kRow + t] * (n + 1);
    return sum;
  });
  for (const bool more : {false, true}) {
    (more ? of_a_block<3> : of_a_block<1>)<<<1, kThreads>>>(run.in, run.out);
    run.compare("pipeline of a block", kThreads, [&](unsigned t) {
      unsigned sum = 0;
      for (unsigned n = 0; n < kTurns; ++n)
        for (unsigned i = 0; i < kRow; i += kThreads) sum += run.words[n * kRow + kRow - 1 - t - i] * (n + 1);
      return sum;
    });
  }
  const auto of_consumer = [&](unsigned rank, unsigned consumers) {
    unsigned sum = 0;
    for (unsigned n = 0; n < kTurns; ++n) sum += weighted_row(run, n, kRow, rank, consumers);
    return sum;
  };
  between_warps<<<1, kThreads>>>(run.in, run.out);
  run.compare("pipeline between warps", kThreads, [&](unsigned t) { return t < 32 ? 0 : of_consumer(t - 32, kThreads - 32); });
  unsigned last = 0;
  CHECK(cudaMemcpyFromSymbol(&last, last_to_quit, sizeof last));
  expect("last to quit", 0, last, 1);
  between_roles<<<1, kThreads>>>(run.in, run.out);
  run.compare("pipeline between roles", kThreads,
              [&](unsigned t) { return t / 32 % 2 ? 0 : of_consumer(t / 64 * 32 + t % 32, kHalf); });
}

}  // namespace

int main() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, bulk));
  Run run;
  test_early_ones(run);
  test_barriers(run);
  test_among_blocks(run);
  test_on_host();
  test_copies(run, attributes.ptxVersion >= 90);
  test_pipelines(run);
  unsigned failed[64];
  CHECK(cudaMemcpyFromSymbol(failed, failures, sizeof failed));
  for (unsigned n = 0; n < 64; ++n) expect("failures of step", n, failed[n], 0);
  return verdict(mismatches);
}
