// SPDX-License-Identifier: Apache-2.0
// <cuda/semaphore>, <cuda/latch> and theirs of <cuda/std/...>: counts that threads wait for, over cuda::atomic.
#if !defined(HEDDLE_CUDA_SEMAPHORE_H_)
#define HEDDLE_CUDA_SEMAPHORE_H_

#include "cuda_atomic.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_BOTH")
#undef HEDDLE_BOTH
#define HEDDLE_BOTH __host__ __device__ __forceinline__

namespace cuda {

template <thread_scope Scope, ::std::ptrdiff_t Least = 0x7fffffff>
class counting_semaphore {
 public:
  HEDDLE_BOTH constexpr counting_semaphore(::std::ptrdiff_t count = 0) : count_(count) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  static HEDDLE_BOTH constexpr ::std::ptrdiff_t max() noexcept { return Least; }
  HEDDLE_BOTH void release(::std::ptrdiff_t update = 1) { count_.fetch_add(update, memory_order_release); }
  HEDDLE_BOTH void acquire() {
    heddle::barriers::wait_until([&] { return try_acquire(); });
  }
  HEDDLE_BOTH bool try_acquire() noexcept {
    ::std::ptrdiff_t count = count_.load(memory_order_relaxed);
    while (count > 0) {
      if (count_.compare_exchange_weak(count, count - 1, memory_order_acquire, memory_order_relaxed)) return true;
    }
    return false;
  }
  template <typename Rep, typename Period>
  HEDDLE_BOTH bool try_acquire_for(const ::std::chrono::duration<Rep, Period>& duration) {
    return heddle::barriers::wait_for(details::nanoseconds_of(duration), [&] { return try_acquire(); });
  }
  template <typename Clock, typename Duration>
  HEDDLE_BOTH bool try_acquire_until(const ::std::chrono::time_point<Clock, Duration>& time) {
    return try_acquire_for(time - Clock::now());
  }

 private:
  atomic<::std::ptrdiff_t, Scope> count_;
};
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

template <thread_scope Scope>
class latch {
 public:
  HEDDLE_BOTH constexpr explicit latch(::std::ptrdiff_t expected) : left_(expected) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  static HEDDLE_BOTH constexpr ::std::ptrdiff_t max() noexcept { return __PTRDIFF_MAX__; }
  HEDDLE_BOTH void count_down(::std::ptrdiff_t update = 1) { left_.fetch_sub(update, memory_order_release); }
  HEDDLE_BOTH bool try_wait() const noexcept { return left_.load(memory_order_acquire) == 0; }
  HEDDLE_BOTH void wait() const {
    heddle::barriers::wait_until([&] { return try_wait(); });
  }
  HEDDLE_BOTH void arrive_and_wait(::std::ptrdiff_t update = 1) {
    count_down(update);
    wait();
  }

 private:
  atomic<::std::ptrdiff_t, Scope> left_;
};

namespace std {
template <::std::ptrdiff_t Least = 0x7fffffff>
using counting_semaphore = ::cuda::counting_semaphore<thread_scope_system, Least>;
using binary_semaphore = ::cuda::binary_semaphore<thread_scope_system>;
using latch = ::cuda::latch<thread_scope_system>;
}  // namespace std

}  // namespace cuda

#pragma pop_macro("HEDDLE_BOTH")

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_CUDA_SEMAPHORE_H_
