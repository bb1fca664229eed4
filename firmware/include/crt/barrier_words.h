// SPDX-License-Identifier: Apache-2.0
// Barriers as words of 64 bits, below cuda_awbarrier_primitives.h, cuda_awbarrier.h and <cuda/barrier>:
//
//   mbarrier  in shared memory, from compute capability 8.0 on: PTX's instructions; it counts bytes from 9.0 on
//   counted   in any memory, on the host too: atomics. Bits 0-30 count the pending arrivals of the phase, bits 31-61
//   those
//             that the next one expects, bit 63 is the phase's parity
//
// The token that an arrival gives is the word before it. Waits by parity take that of the phase that is to have
// completed: of a fresh barrier the one before, 1, has.
#if !defined(HEDDLE_BARRIER_WORDS_H_)
#define HEDDLE_BARRIER_WORDS_H_

#include "cuda_runtime_api.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#if !defined(__CUDACC_RTC__)
#include <chrono>
#endif

#pragma push_macro("HEDDLE_DEVICE")
#pragma push_macro("HEDDLE_BOTH")
#undef HEDDLE_DEVICE
#undef HEDDLE_BOTH
#define HEDDLE_DEVICE static __device__ __forceinline__
#define HEDDLE_BOTH static __host__ __device__ __forceinline__

namespace heddle {
namespace barriers {

typedef unsigned long long word;

HEDDLE_DEVICE unsigned int shared_address(const volatile void* p) {
  return static_cast<unsigned int>(__cvta_generic_to_shared(const_cast<const void*>(p)));
}

// ---- time ----

// In nanoseconds, since some time or other.
HEDDLE_BOTH long long now() {
#if defined(__CUDA_ARCH__)
  long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
#elif defined(__CUDACC_RTC__)
  return 0;
#else
  return ::std::chrono::duration_cast< ::std::chrono::nanoseconds>(
             ::std::chrono::steady_clock::now().time_since_epoch())
      .count();
#endif
}

HEDDLE_BOTH void rest() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __nanosleep(32);
#endif
}

// Until look() holds.
template <typename Look>
HEDDLE_BOTH void wait_until(const Look& look) {
  while (!look()) rest();
}
// At most so long; at least one look.
template <typename Look>
HEDDLE_BOTH bool wait_for(long long nanoseconds, const Look& look) {
  const long long start = now();
  while (!look()) {
    if (now() - start >= nanoseconds) return false;
    rest();
  }
  return true;
}

// ---- mbarriers ----

constexpr unsigned int mbarrier_max = (1u << 20) - 1;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
HEDDLE_DEVICE void init_mbarrier(void* bar, unsigned int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}
HEDDLE_DEVICE void inval_mbarrier(void* bar) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
HEDDLE_DEVICE word arrive_at_mbarrier(void* bar, unsigned int count = 1) {
  word token;
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(shared_address(bar)), "r"(count)
               : "memory");
#else
  if (count > 1) {
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(shared_address(bar)), "r"(count - 1)
                 : "memory");
  }
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(bar)) : "memory");
#endif
  return token;
}
HEDDLE_DEVICE word drop_from_mbarrier(void* bar) {
  word token;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(bar)) : "memory");
  return token;
}
HEDDLE_DEVICE unsigned int pending_of_mbarrier(word token) {
  unsigned int count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  return count;
}
HEDDLE_DEVICE bool test_mbarrier(const void* bar, word token) {
  unsigned int done;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(bar)), "l"(token)
               : "memory");
  return done != 0;
}
HEDDLE_DEVICE bool test_mbarrier_parity(const void* bar, bool parity) {
  unsigned int done;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(bar)), "r"(static_cast<unsigned int>(parity))
               : "memory");
  return done != 0;
}
// The thread's cp.async so far arrive: beside its own arrival, or as it.
HEDDLE_DEVICE void copies_arrive_beside(void* bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
HEDDLE_DEVICE void copies_arrive(void* bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
HEDDLE_DEVICE bool try_mbarrier(const void* bar, word token, unsigned int nanoseconds) {
  unsigned int done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.shared.b64 p, [%1], %2, %3;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(bar)), "l"(token), "r"(nanoseconds)
               : "memory");
  return done != 0;
}
HEDDLE_DEVICE bool try_mbarrier_parity(const void* bar, bool parity, unsigned int nanoseconds) {
  unsigned int done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2, %3;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(bar)), "r"(static_cast<unsigned int>(parity)), "r"(nanoseconds)
               : "memory");
  return done != 0;
}
HEDDLE_DEVICE void expect_bytes(void* bar, unsigned int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
               : "memory");
}
HEDDLE_DEVICE word arrive_and_expect_bytes(void* bar, unsigned int bytes) {
  word token;
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(shared_address(bar)), "r"(bytes)
               : "memory");
  return token;
}
// From global memory; the bytes complete at `bar`.
HEDDLE_DEVICE void copy_in_bulk(void* to, const void* from, unsigned int bytes, void* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(bar))
               : "memory");
}
#endif

// ---- counted words ----

// Among which threads: as cuda::thread_scope has it.
enum reach { reach_system = 0, reach_device = 1, reach_block = 2, reach_thread = 10 };

constexpr word counted_max = (word{1} << 31) - 1;

HEDDLE_BOTH constexpr word fresh_word(word count) { return count << 31 | count; }

template <int among>
HEDDLE_BOTH void fence() {
#if defined(__CUDA_ARCH__)
  if (among == reach_system) __threadfence_system();
  else if (among == reach_device) __threadfence();
  else __threadfence_block();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
HEDDLE_BOTH word load(const word* bar) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile word*>(bar);
#else
  return __atomic_load_n(bar, __ATOMIC_RELAXED);
#endif
}
HEDDLE_BOTH void store(word* bar, word value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile word*>(bar) = value;
#else
  __atomic_store_n(bar, value, __ATOMIC_RELAXED);
#endif
}
template <int among>
HEDDLE_BOTH word add(word* bar, word value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
  return among == reach_system ? atomicAdd_system(bar, value) : atomicAdd(bar, value);
#elif defined(__CUDA_ARCH__)
  return atomicAdd(bar, value);
#else
  return __atomic_fetch_add(bar, value, __ATOMIC_RELAXED);
#endif
}

// The last of a phase calls completion() and starts the next one: until then nobody arrives at that.
template <int among, typename Completion>
HEDDLE_BOTH word arrive(word* bar, word count, bool drops, const Completion& completion) {
  const word dropped = drops ? count : 0;
  fence<among>();
  const word before = add<among>(bar, 0 - (count + (dropped << 31)));
  if ((before & counted_max) == count) {
    fence<among>();
    completion();
    fence<among>();
    const word parity = ~before >> 63 << 63, expected = (before >> 31 & counted_max) - dropped;
    store(bar, parity | fresh_word(expected));
  }
  return before;
}
template <int among>
HEDDLE_BOTH bool has_parity(const word* bar, bool parity) {
  const bool has = (load(bar) >> 63 != 0) == parity;
  fence<among>();
  return has;
}
template <int among>
HEDDLE_BOTH bool test(const word* bar, word token) {
  return !has_parity<among>(bar, token >> 63 != 0);
}

}  // namespace barriers
}  // namespace heddle

#pragma pop_macro("HEDDLE_DEVICE")
#pragma pop_macro("HEDDLE_BOTH")

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_BARRIER_WORDS_H_
