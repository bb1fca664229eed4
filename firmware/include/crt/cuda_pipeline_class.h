// SPDX-License-Identifier: Apache-2.0
// <cuda/pipeline>: stages that producers fill, with memcpy_async among others, and consumers empty, in turns.
//
//   pipeline<thread_scope_thread>   one thread's own: groups of cp.async
//   every other                     several threads': two barriers a stage in the shared state, by parity. A producer
//                                   waits for those that consumed the stage, its commit arrives for those that wait
#if !defined(HEDDLE_CUDA_PIPELINE_CLASS_H_)
#define HEDDLE_CUDA_PIPELINE_CLASS_H_

#include "cuda_barrier.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_BOTH")
#undef HEDDLE_BOTH
#define HEDDLE_BOTH __host__ __device__ __forceinline__

namespace cuda {

enum class pipeline_role { producer, consumer };

namespace details {

template <thread_scope Scope>
struct pipeline_stage {
  barrier<Scope> produced, consumed;
};

HEDDLE_BOTH unsigned int add_to(unsigned int* number, unsigned int value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(number, value);
#else
  return __atomic_fetch_add(number, value, __ATOMIC_SEQ_CST);
#endif
}

}  // namespace details

template <thread_scope Scope, ::std::uint8_t Stages>
class pipeline_shared_state {
 public:
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
  pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;

  // For make_pipeline().
  details::pipeline_stage<Scope> heddle_stages[Stages];
  unsigned int heddle_threads;

  HEDDLE_BOTH void heddle_start(::std::size_t producers, ::std::size_t consumers, ::std::size_t threads) {
    for (auto& stage : heddle_stages) {
      init(&stage.produced, static_cast<::std::ptrdiff_t>(producers));
      init(&stage.consumed, static_cast<::std::ptrdiff_t>(consumers));
    }
    heddle_threads = static_cast<unsigned int>(threads);
  }
};

template <thread_scope Scope>
class pipeline {
 public:
  // For make_pipeline().
  HEDDLE_BOTH pipeline(details::pipeline_stage<Scope>* stages, ::std::uint8_t count, unsigned int* threads)
      : stages_(stages), threads_(threads), count_(count) {}
  HEDDLE_BOTH pipeline(pipeline&& other)
      : stages_(other.stages_),
        threads_(other.threads_),
        count_(other.count_),
        head_(other.head_),
        tail_(other.tail_),
        produced_(other.produced_),
        consumed_(other.consumed_) {
    other.threads_ = nullptr;
  }
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  HEDDLE_BOTH ~pipeline() {
    if (threads_) quit();
  }

  // The thread takes part no more. True for the last one: the shared state is free.
  HEDDLE_BOTH bool quit() {
    const bool last = details::add_to(threads_, 0u - 1u) == 1;
    threads_ = nullptr;
    return last;
  }

  HEDDLE_BOTH void producer_acquire() { stages_[head_].consumed.wait_parity(consumed_); }
  HEDDLE_BOTH void producer_commit() {
    barrier<Scope>& bar = stages_[head_].produced;
    arrive_with_copies(bar);
    if (++head_ == count_) head_ = 0, consumed_ = !consumed_;
  }
  HEDDLE_BOTH void consumer_wait() { stages_[tail_].produced.wait_parity(produced_); }
  template <typename Rep, typename Period>
  HEDDLE_BOTH bool consumer_wait_for(const ::std::chrono::duration<Rep, Period>& duration) {
    return stages_[tail_].produced.try_wait_parity_for(produced_, duration);
  }
  template <typename Clock, typename Duration>
  HEDDLE_BOTH bool consumer_wait_until(const ::std::chrono::time_point<Clock, Duration>& time) {
    return stages_[tail_].produced.try_wait_parity_until(produced_, time);
  }
  HEDDLE_BOTH void consumer_release() {
    (void)stages_[tail_].consumed.arrive();
    if (++tail_ == count_) tail_ = 0, produced_ = !produced_;
  }

 private:
  static HEDDLE_BOTH void arrive_with_copies(barrier<Scope>& bar) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (auto* mbarrier = bar.heddle_mbarrier()) return heddle::barriers::copies_arrive(mbarrier);
#endif
    details::wait_for_copies();
    (void)bar.arrive();
  }

  details::pipeline_stage<Scope>* stages_;
  unsigned int* threads_;  // that take part; null: this one no more
  ::std::uint8_t count_, head_ = 0, tail_ = 0;
  bool produced_ = false, consumed_ = true;  // parities; at first every stage counts as consumed
};

template <>
class pipeline<thread_scope_thread> {
 public:
  HEDDLE_BOTH pipeline() {}  // for make_pipeline()
  pipeline(pipeline&&) = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  HEDDLE_BOTH bool quit() { return true; }
  HEDDLE_BOTH void producer_acquire() {}
  HEDDLE_BOTH void producer_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    ++committed_;
  }
  // For the oldest stage that was not waited for.
  HEDDLE_BOTH void consumer_wait() {
    if (committed_ == waited_) return;
    ++waited_;
    wait_prior(committed_ - waited_);
  }
  template <typename Rep, typename Period>
  HEDDLE_BOTH bool consumer_wait_for(const ::std::chrono::duration<Rep, Period>&) {
    consumer_wait();
    return true;
  }
  template <typename Clock, typename Duration>
  HEDDLE_BOTH bool consumer_wait_until(const ::std::chrono::time_point<Clock, Duration>&) {
    consumer_wait();
    return true;
  }
  HEDDLE_BOTH void consumer_release() {}

 private:
  // All stages but the last `prior`; of more than four, all but four.
  static HEDDLE_BOTH void wait_prior(unsigned int prior) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    switch (prior) {
      case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
      case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
      case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
      case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
      default: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    }
#else
    (void)prior;
#endif
  }
  template <::std::uint8_t Prior>
  friend HEDDLE_BOTH void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe);

  unsigned int committed_ = 0, waited_ = 0;  // stages
};

// ---- who makes one ----

HEDDLE_BOTH pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }

// By all threads of the group: each produces and consumes.
template <typename Group, thread_scope Scope, ::std::uint8_t Stages>
HEDDLE_BOTH pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
  if (group.thread_rank() == 0) state->heddle_start(group.size(), group.size(), group.size());
  group.sync();
  return pipeline<Scope>(state->heddle_stages, Stages, &state->heddle_threads);
}
// The first `producers` threads produce, the others consume.
template <typename Group, thread_scope Scope, ::std::uint8_t Stages>
HEDDLE_BOTH pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                          ::std::size_t producers) {
  if (group.thread_rank() == 0) state->heddle_start(producers, group.size() - producers, group.size());
  group.sync();
  return pipeline<Scope>(state->heddle_stages, Stages, &state->heddle_threads);
}
// Each thread says what it does.
template <typename Group, thread_scope Scope, ::std::uint8_t Stages>
HEDDLE_BOTH pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                          pipeline_role role) {
  if (group.thread_rank() == 0) state->heddle_threads = 0;
  group.sync();
  if (role == pipeline_role::producer) details::add_to(&state->heddle_threads, 1);
  group.sync();
  if (group.thread_rank() == 0) {
    const ::std::size_t producers = state->heddle_threads;
    state->heddle_start(producers, group.size() - producers, group.size());
  }
  group.sync();
  return pipeline<Scope>(state->heddle_stages, Stages, &state->heddle_threads);
}

// All stages but the last Prior that the thread committed.
template <::std::uint8_t Prior>
HEDDLE_BOTH void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe) {
  pipe.wait_prior(Prior);
  pipe.waited_ = pipe.committed_ - Prior;
}

// The phase of `bar` does not complete before the thread's copies so far have.
template <thread_scope Scope>
HEDDLE_BOTH void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope>& bar) {
  details::bind_copies(bar);
}

// ---- copies ----

template <typename Group, typename Size, thread_scope Scope>
HEDDLE_BOTH async_contract_fulfillment memcpy_async(const Group& group, void* destination, const void* source,
                                                    Size size, pipeline<Scope>&) {
  return details::copy(group, destination, source, static_cast<::std::size_t>(size));
}
template <typename Size, thread_scope Scope>
HEDDLE_BOTH async_contract_fulfillment memcpy_async(void* destination, const void* source, Size size,
                                                    pipeline<Scope>&) {
  return details::copy(details::only_thread(), destination, source, static_cast<::std::size_t>(size));
}

}  // namespace cuda

#pragma pop_macro("HEDDLE_BOTH")

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_CUDA_PIPELINE_CLASS_H_
