// SPDX-License-Identifier: Apache-2.0
// <cuda/barrier>: cuda::barrier, copies that arrive at one, and what comes with them. A program that brings its own
// libcu++ finds that first, and nothing here.
//
// A barrier of a block's threads in shared memory is an mbarrier from compute capability 8.0 on. Every other one, with
// a completion function too, is a counted word (barrier_words.h), which works on the host as well.
#if !defined(HEDDLE_CUDA_BARRIER_H_)
#define HEDDLE_CUDA_BARRIER_H_

#include "barrier_words.h"
#include "cuda_runtime.h"
#include "cuda_scope.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#pragma push_macro("HEDDLE_DEVICE")
#pragma push_macro("HEDDLE_BOTH")
#undef HEDDLE_DEVICE
#undef HEDDLE_BOTH
#define HEDDLE_DEVICE __device__ __forceinline__
#define HEDDLE_BOTH __host__ __device__ __forceinline__

namespace cuda {

// Bytes, from and to addresses that are multiples of Alignment.
template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  HEDDLE_BOTH explicit constexpr aligned_size_t(::std::size_t bytes) : value(bytes) {}
  HEDDLE_BOTH constexpr operator ::std::size_t() const { return value; }
};

enum async_contract_fulfillment { none, async };

namespace details {

struct no_completion {
  HEDDLE_BOTH void operator()() const {}
};
// Empty for the barrier that has none.
template <typename Completion>
struct completion_of {
  Completion completion;
  completion_of() = default;
  HEDDLE_BOTH explicit completion_of(const Completion& called) : completion(called) {}
  HEDDLE_BOTH void keep(const Completion& called) {
    ::new (const_cast<void*>(static_cast<const void*>(&completion))) Completion(called);
  }
  HEDDLE_BOTH void call() { completion(); }
};
template <>
struct completion_of<no_completion> {
  completion_of() = default;
  HEDDLE_BOTH explicit completion_of(const no_completion&) {}
  HEDDLE_BOTH void keep(const no_completion&) {}
  HEDDLE_BOTH void call() {}
};

// A thread's own copy is that of a group of one.
struct only_thread {
  static HEDDLE_BOTH constexpr ::std::size_t thread_rank() { return 0; }
  static HEDDLE_BOTH constexpr ::std::size_t size() { return 1; }
};

}  // namespace details

template <thread_scope Scope, typename Completion = details::no_completion>
class barrier : private details::completion_of<Completion> {
 public:
  using arrival_token = ::std::uint64_t;

  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  ~barrier() = default;
  HEDDLE_BOTH barrier(::std::ptrdiff_t expected, Completion completion = Completion())
      : details::completion_of<Completion>(completion) {
    start(expected);
  }
  HEDDLE_BOTH friend void init(barrier* bar, ::std::ptrdiff_t expected, Completion completion = Completion()) {
    bar->keep(completion);
    bar->start(expected);
  }

  [[nodiscard]] HEDDLE_BOTH arrival_token arrive(::std::ptrdiff_t update = 1) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (is_mbarrier()) return heddle::barriers::arrive_at_mbarrier(&word_, static_cast<unsigned int>(update));
#endif
    return count(update, false);
  }
  HEDDLE_BOTH void arrive_and_drop() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (is_mbarrier()) {
      heddle::barriers::drop_from_mbarrier(&word_);
      return;
    }
#endif
    count(1, true);
  }
  HEDDLE_BOTH void arrive_and_wait() { wait(arrive()); }
  HEDDLE_BOTH void wait(arrival_token&& token) const {
    const arrival_token phase = token;
    heddle::barriers::wait_until([&] { return is_past(phase); });
  }
  // Until the phase of this parity has completed.
  HEDDLE_BOTH void wait_parity(bool parity) const {
    heddle::barriers::wait_until([&] { return is_past_parity(parity); });
  }

  template <typename Rep, typename Period>
  [[nodiscard]] HEDDLE_BOTH bool try_wait_for(arrival_token&& token,
                                              const ::std::chrono::duration<Rep, Period>& duration) const {
    const arrival_token phase = token;
    return heddle::barriers::wait_for(details::nanoseconds_of(duration), [&] { return is_past(phase); });
  }
  template <typename Clock, typename Duration>
  [[nodiscard]] HEDDLE_BOTH bool try_wait_until(arrival_token&& token,
                                                const ::std::chrono::time_point<Clock, Duration>& time) const {
    return try_wait_for(static_cast<arrival_token&&>(token), time - Clock::now());
  }
  template <typename Rep, typename Period>
  [[nodiscard]] HEDDLE_BOTH bool try_wait_parity_for(bool parity,
                                                     const ::std::chrono::duration<Rep, Period>& duration) const {
    return heddle::barriers::wait_for(details::nanoseconds_of(duration), [&] { return is_past_parity(parity); });
  }
  template <typename Clock, typename Duration>
  [[nodiscard]] HEDDLE_BOTH bool try_wait_parity_until(bool parity,
                                                       const ::std::chrono::time_point<Clock, Duration>& time) const {
    return try_wait_parity_for(parity, time - Clock::now());
  }

  static HEDDLE_BOTH constexpr ::std::ptrdiff_t max() noexcept {
    return can_be_mbarrier ? heddle::barriers::mbarrier_max : heddle::barriers::counted_max;
  }

  // The word of a barrier that is an mbarrier; null of another.
  HEDDLE_BOTH heddle::barriers::word* heddle_mbarrier() { return is_mbarrier() ? &word_ : nullptr; }
  HEDDLE_BOTH heddle::barriers::word* heddle_word() { return &word_; }

 private:
  static constexpr bool can_be_mbarrier = Scope == thread_scope_block && __is_same(Completion, details::no_completion);

  HEDDLE_BOTH bool is_mbarrier() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return can_be_mbarrier && __isShared(&word_);
#else
    return false;
#endif
  }
  HEDDLE_BOTH void start(::std::ptrdiff_t expected) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (is_mbarrier()) return heddle::barriers::init_mbarrier(&word_, static_cast<unsigned int>(expected));
#endif
    heddle::barriers::store(&word_, heddle::barriers::fresh_word(static_cast<heddle::barriers::word>(expected)));
  }
  HEDDLE_BOTH arrival_token count(::std::ptrdiff_t update, bool drops) {
    return heddle::barriers::arrive<Scope>(&word_, static_cast<heddle::barriers::word>(update), drops,
                                           [&] { this->call(); });
  }
  HEDDLE_BOTH bool is_past(arrival_token phase) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (is_mbarrier()) return heddle::barriers::test_mbarrier(&word_, phase);
#endif
    return heddle::barriers::test<Scope>(&word_, phase);
  }
  HEDDLE_BOTH bool is_past_parity(bool parity) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (is_mbarrier()) return heddle::barriers::test_mbarrier_parity(&word_, parity);
#endif
    return !heddle::barriers::has_parity<Scope>(&word_, parity);
  }

  alignas(8) heddle::barriers::word word_;
};

// ---- copies ----

namespace details {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// The thread's part of a copy to shared memory, which goes on while it returns.
template <unsigned int Piece, typename Group>
HEDDLE_DEVICE void copy_pieces(const Group& group, void* to, const void* from, ::std::size_t bytes) {
  const unsigned int there = heddle::barriers::shared_address(to);
  const ::std::size_t source = __cvta_generic_to_global(from);
  for (::std::size_t i = group.thread_rank() * Piece; i < bytes; i += group.size() * Piece) {
    const unsigned int place = there + static_cast<unsigned int>(i);
    if (Piece == 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(source + i) : "memory");
    } else if (Piece == 8) {
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(place), "l"(source + i) : "memory");
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(source + i) : "memory");
    }
  }
}
#endif

// The thread's part of a copy. `async`: it is done when the thread's cp.async are.
template <typename Group>
HEDDLE_BOTH async_contract_fulfillment copy(const Group& group, void* to, const void* from, ::std::size_t bytes) {
  const ::std::size_t odd = (reinterpret_cast<::std::size_t>(to) | reinterpret_cast<::std::size_t>(from) | bytes) & 15;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if (odd % 4 == 0 && __isShared(to) && __isGlobal(from)) {
    if (odd == 0) copy_pieces<16>(group, to, from, bytes);
    else if (odd == 8) copy_pieces<8>(group, to, from, bytes);
    else copy_pieces<4>(group, to, from, bytes);
    return async;
  }
#endif
  const ::std::size_t rank = group.thread_rank(), step = group.size();
  if (odd % 4 == 0) {
    for (::std::size_t i = rank; i < bytes / 4; i += step)
      static_cast<unsigned int*>(to)[i] = static_cast<const unsigned int*>(from)[i];
  } else {
    for (::std::size_t i = rank; i < bytes; i += step) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  }
  return none;
}

HEDDLE_BOTH void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The phase of `bar` does not complete before the thread's cp.async so far have.
template <thread_scope Scope, typename Completion>
HEDDLE_BOTH void bind_copies(barrier<Scope, Completion>& bar) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if (auto* mbarrier = bar.heddle_mbarrier()) return heddle::barriers::copies_arrive_beside(mbarrier);
#endif
  wait_for_copies();
}

}  // namespace details

// By all threads of a group, or by one thread. `size`: bytes, a number or an aligned_size_t.
template <typename Group, typename Size, thread_scope Scope, typename Completion>
HEDDLE_BOTH async_contract_fulfillment memcpy_async(const Group& group, void* destination, const void* source,
                                                    Size size, barrier<Scope, Completion>& bar) {
  const async_contract_fulfillment how = details::copy(group, destination, source, static_cast<::std::size_t>(size));
  if (how == async) details::bind_copies(bar);
  return how;
}
template <typename Size, thread_scope Scope, typename Completion>
HEDDLE_BOTH async_contract_fulfillment memcpy_async(void* destination, const void* source, Size size,
                                                    barrier<Scope, Completion>& bar) {
  return memcpy_async(details::only_thread(), destination, source, size, bar);
}

namespace device {

HEDDLE_DEVICE ::std::uint64_t* barrier_native_handle(barrier<thread_scope_block>& bar) {
  return reinterpret_cast<::std::uint64_t*>(bar.heddle_word());
}

// Bytes that copies in bulk bring: of a barrier in shared memory, from compute capability 9.0 on.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
[[nodiscard]] HEDDLE_DEVICE barrier<thread_scope_block>::arrival_token barrier_arrive_tx(
    barrier<thread_scope_block>& bar, ::std::ptrdiff_t arrive_count_update, ::std::ptrdiff_t transaction_count_update) {
#if defined(__CUDA_ARCH__)
  const auto bytes = static_cast<unsigned int>(transaction_count_update);
  if (arrive_count_update == 1) return heddle::barriers::arrive_and_expect_bytes(bar.heddle_word(), bytes);
  heddle::barriers::expect_bytes(bar.heddle_word(), bytes);
#else
  (void)transaction_count_update;
#endif
  return bar.arrive(arrive_count_update);
}
HEDDLE_DEVICE void barrier_expect_tx(barrier<thread_scope_block>& bar, ::std::ptrdiff_t transaction_count_update) {
#if defined(__CUDA_ARCH__)
  heddle::barriers::expect_bytes(bar.heddle_word(), static_cast<unsigned int>(transaction_count_update));
#else
  (void)bar, (void)transaction_count_update;
#endif
}
template <typename Element, ::std::size_t Alignment>
HEDDLE_DEVICE async_contract_fulfillment memcpy_async_tx(Element* destination, const Element* source,
                                                         aligned_size_t<Alignment> size,
                                                         barrier<thread_scope_block>& bar) {
  static_assert(__is_trivially_copyable(Element), "bytes are copied");
  static_assert(Alignment >= 16, "copies in bulk go by 16 bytes");
#if defined(__CUDA_ARCH__)
  heddle::barriers::copy_in_bulk(destination, source, static_cast<unsigned int>(size.value), bar.heddle_word());
#else
  (void)destination, (void)source, (void)size, (void)bar;
#endif
  return async;
}
#endif

}  // namespace device

}  // namespace cuda

#pragma pop_macro("HEDDLE_DEVICE")
#pragma pop_macro("HEDDLE_BOTH")

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_CUDA_BARRIER_H_
