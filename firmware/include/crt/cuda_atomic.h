// SPDX-License-Identifier: Apache-2.0
// <cuda/atomic> and <cuda/std/atomic>: cuda::atomic and atomic_ref of every scope, fences, and cuda::std's of the whole
// system. A program that brings its own libcu++ finds that first, and nothing here.
//
// T has 1, 2, 4, 8 or 16 bytes. On the device it is a word of atomic_words.h; what no instruction does is a loop of
// compare-and-swap. Objects of thread scope and those in local memory are plain memory.
#if !defined(HEDDLE_CUDA_ATOMIC_H_)
#define HEDDLE_CUDA_ATOMIC_H_

#include "atomic_words.h"
#include "cuda_scope.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#include <cstddef>
#include <cstdint>
#include <type_traits>

#pragma push_macro("HEDDLE_BOTH")
#pragma push_macro("HEDDLE_READS")
#pragma push_macro("HEDDLE_WRITES")
#pragma push_macro("HEDDLE_OPERATION")
#undef HEDDLE_BOTH
#undef HEDDLE_READS
#undef HEDDLE_WRITES
#undef HEDDLE_OPERATION
#define HEDDLE_BOTH __host__ __device__ __forceinline__

namespace cuda {

namespace std {
enum class memory_order : int {
  relaxed = heddle::atomics::relaxed,
  consume = heddle::atomics::consume,
  acquire = heddle::atomics::acquire,
  release = heddle::atomics::release,
  acq_rel = heddle::atomics::acq_rel,
  seq_cst = heddle::atomics::seq_cst
};
static constexpr memory_order memory_order_relaxed = memory_order::relaxed;
static constexpr memory_order memory_order_consume = memory_order::consume;
static constexpr memory_order memory_order_acquire = memory_order::acquire;
static constexpr memory_order memory_order_release = memory_order::release;
static constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
static constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;
}  // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace details {

HEDDLE_BOTH constexpr memory_order on_failure(memory_order order) {
  return order == memory_order_acq_rel   ? memory_order_acquire
         : order == memory_order_release ? memory_order_relaxed
                                         : order;
}

template <::std::size_t>
struct word_of;
template <>
struct word_of<1> {
  typedef heddle::atomics::word8 type, signed_type;
};
template <>
struct word_of<2> {
  typedef heddle::atomics::word16 type, signed_type;
};
template <>
struct word_of<4> {
  typedef heddle::atomics::word32 type;
  typedef int signed_type;
};
template <>
struct word_of<8> {
  typedef heddle::atomics::word64 type;
  typedef long long signed_type;
};
template <>
struct word_of<16> {
  typedef heddle::atomics::word128 type, signed_type;
};

// ---- operations: what they make of two values, and the instruction ----

#if defined(__CUDA_ARCH__)
#define HEDDLE_OPERATION(function)                                                     \
  template <int among, typename Word>                                                  \
  static __device__ __forceinline__ Word instruction(Word* p, Word value, int order) { \
    return heddle::atomics::function<among>(p, value, order);                          \
  }
#else
#define HEDDLE_OPERATION(function)
#endif

struct adds {
  static constexpr bool of_floats = true, by_sign = false;
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b) {
    return of(a, b, ::std::is_integral<T>());
  }
  // Integers wrap.
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b, ::std::true_type) {
    return static_cast<T>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
  }
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b, ::std::false_type) {
    return a + b;
  }
  HEDDLE_OPERATION(add)
};
struct ands {
  static constexpr bool of_floats = false, by_sign = false;
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b) {
    return static_cast<T>(a & b);
  }
  HEDDLE_OPERATION(bit_and)
};
struct ors {
  static constexpr bool of_floats = false, by_sign = false;
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b) {
    return static_cast<T>(a | b);
  }
  HEDDLE_OPERATION(bit_or)
};
struct xors {
  static constexpr bool of_floats = false, by_sign = false;
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
  HEDDLE_OPERATION(bit_xor)
};
struct least_of {
  static constexpr bool of_floats = false, by_sign = true;
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b) {
    return b < a ? b : a;
  }
  HEDDLE_OPERATION(least)
};
struct most_of {
  static constexpr bool of_floats = false, by_sign = true;
  template <typename T>
  static HEDDLE_BOTH T of(T a, T b) {
    return a < b ? b : a;
  }
  HEDDLE_OPERATION(most)
};

// ---- a value of type T in memory ----

template <typename T, thread_scope Scope>
struct atomic_access {
  static_assert(__is_trivially_copyable(T), "values are copied as bytes");
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "1, 2, 4, 8 or 16 bytes");
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) <= 8 || __CUDA_ARCH__ >= 900 || Scope == thread_scope_thread,
                "16 bytes need compute capability 9.0");
#endif

  typedef typename word_of<sizeof(T)>::type word;
  typedef word __attribute__((__may_alias__)) word_there;
  typedef typename ::std::conditional<::std::is_pointer<T>::value, ::std::ptrdiff_t, T>::type difference_type;
#if defined(__CUDA_ARCH__)
  // What no other thread can reach: atom takes no address in local memory.
  static __device__ __forceinline__ bool plain(const T* p) { return Scope == thread_scope_thread || __isLocal(p); }
#endif
  static HEDDLE_BOTH word_there* words(T* p) { return reinterpret_cast<word_there*>(p); }
  static HEDDLE_BOTH bool same(const T& a, const T& b) {
    return __builtin_bit_cast(word, a) == __builtin_bit_cast(word, b);
  }

  static HEDDLE_BOTH T load(T* p, int order) {
#if defined(__CUDA_ARCH__)
    if (plain(p)) return *p;
    return __builtin_bit_cast(T, heddle::atomics::load<Scope>(static_cast<const word*>(words(p)), order));
#else
    word value;
    __atomic_load(words(p), &value, order);
    return __builtin_bit_cast(T, value);
#endif
  }
  static HEDDLE_BOTH void store(T* p, T value, int order) {
#if defined(__CUDA_ARCH__)
    if (plain(p)) *p = value;
    else heddle::atomics::store<Scope>(static_cast<word*>(words(p)), __builtin_bit_cast(word, value), order);
#else
    word given = __builtin_bit_cast(word, value);
    __atomic_store(words(p), &given, order);
#endif
  }
  static HEDDLE_BOTH T exchange(T* p, T value, int order) {
#if defined(__CUDA_ARCH__)
    if (plain(p)) {
      const T old = *p;
      *p = value;
      return old;
    }
    return __builtin_bit_cast(
        T, heddle::atomics::exchange<Scope>(static_cast<word*>(words(p)), __builtin_bit_cast(word, value), order));
#else
    word given = __builtin_bit_cast(word, value), old;
    __atomic_exchange(words(p), &given, &old, order);
    return __builtin_bit_cast(T, old);
#endif
  }
  static HEDDLE_BOTH bool compare_exchange(T* p, T& expected, T desired, int success, int failure) {
    word old = __builtin_bit_cast(word, expected);
    bool was;
#if defined(__CUDA_ARCH__)
    if (plain(p)) {
      was = same(*p, expected);
      if (was) *p = desired;
      else expected = *p;
      return was;
    }
    was = heddle::atomics::compare_exchange<Scope>(static_cast<word*>(words(p)), old, __builtin_bit_cast(word, desired),
                                                   heddle::atomics::both(success, failure));
#else
    word given = __builtin_bit_cast(word, desired);
    was = __atomic_compare_exchange(words(p), &old, &given, false, success, failure);
#endif
    if (!was) expected = __builtin_bit_cast(T, old);
    return was;
  }

  // What was there before.
  template <typename Operation>
  static HEDDLE_BOTH T fetch(T* p, T value, int order) {
#if defined(__CUDA_ARCH__)
    if (plain(p)) {
      const T old = *p;
      *p = Operation::of(old, value);
      return old;
    }
    constexpr bool wide = sizeof(T) == 4 || sizeof(T) == 8;
    return fetch_by<Operation>(
        p, value, order, ::std::integral_constant < bool,
        wide && (::std::is_integral<T>::value || (::std::is_floating_point<T>::value && Operation::of_floats)) > ());
#else
    return fetch_by<Operation>(p, value, order, ::std::false_type());
#endif
  }
#if defined(__CUDA_ARCH__)
  template <typename Operation>
  static __device__ __forceinline__ T fetch_by(T* p, T value, int order, ::std::true_type) {
    typedef typename ::std::conditional<Operation::by_sign&& ::std::is_signed<T>::value,
                                        typename word_of<sizeof(T)>::signed_type, word>::type integer;
    typedef typename ::std::conditional<::std::is_floating_point<T>::value, T, integer>::type operand;
    return static_cast<T>(
        Operation::template instruction<Scope>(reinterpret_cast<operand*>(p), static_cast<operand>(value), order));
  }
#endif
  template <typename Operation>
  static HEDDLE_BOTH T fetch_by(T* p, T value, int order, ::std::false_type) {
    T old = load(p, heddle::atomics::relaxed);
    while (!compare_exchange(p, old, Operation::of(old, value), order, heddle::atomics::relaxed)) {
    }
    return old;
  }

  static HEDDLE_BOTH difference_type negative(difference_type value) {
    return negative(value, ::std::is_integral<difference_type>());
  }
  static HEDDLE_BOTH difference_type negative(difference_type value, ::std::true_type) {
    return static_cast<difference_type>(0 - static_cast<unsigned long long>(value));
  }
  static HEDDLE_BOTH difference_type negative(difference_type value, ::std::false_type) { return -value; }
  static HEDDLE_BOTH T sum(T a, difference_type b) { return sum(a, b, ::std::is_pointer<T>()); }
  static HEDDLE_BOTH T sum(T a, difference_type b, ::std::true_type) { return a + b; }
  static HEDDLE_BOTH T sum(T a, difference_type b, ::std::false_type) { return adds::of(a, b); }
  static HEDDLE_BOTH T fetch_add(T* p, difference_type value, int order) {
    return fetch_add(p, value, order, ::std::is_pointer<T>());
  }
  static HEDDLE_BOTH T fetch_add(T* p, difference_type value, int order, ::std::false_type) {
    return fetch<adds>(p, value, order);
  }
  // Pointers: in bytes.
  static HEDDLE_BOTH T fetch_add(T* p, difference_type value, int order, ::std::true_type) {
    typedef atomic_access<heddle::atomics::word64, Scope> bytes;
    typedef heddle::atomics::word64 __attribute__((__may_alias__)) address;
    const ::std::ptrdiff_t step = value * static_cast<::std::ptrdiff_t>(sizeof(*T()));
    return reinterpret_cast<T>(
        bytes::template fetch<adds>(reinterpret_cast<address*>(p), static_cast<heddle::atomics::word64>(step), order));
  }
};

}  // namespace details

// ---- objects ----

template <typename T, thread_scope Scope = thread_scope_system>
struct atomic {
 private:
  using access = details::atomic_access<T, Scope>;
  alignas(sizeof(T) > alignof(T) ? sizeof(T) : alignof(T)) T value_;
  HEDDLE_BOTH T* place() const volatile noexcept { return const_cast<T*>(&value_); }

 public:
  atomic() noexcept = default;
  HEDDLE_BOTH constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  atomic& operator=(const atomic&) volatile = delete;
  HEDDLE_BOTH T operator=(T value) noexcept {
    store(value);
    return value;
  }
  HEDDLE_BOTH T operator=(T value) volatile noexcept {
    store(value);
    return value;
  }

#define HEDDLE_READS const volatile
#define HEDDLE_WRITES volatile
#include "atomic_members.inc"
#undef HEDDLE_READS
#undef HEDDLE_WRITES
};

// Of a variable that is no atomic itself, aligned to its size.
template <typename T, thread_scope Scope = thread_scope_system>
struct atomic_ref {
 private:
  using access = details::atomic_access<T, Scope>;
  T* at_;
  HEDDLE_BOTH T* place() const noexcept { return at_; }

 public:
  static constexpr ::std::size_t required_alignment = sizeof(T);

  HEDDLE_BOTH explicit constexpr atomic_ref(T& there) : at_(&there) {}
  atomic_ref(const atomic_ref&) noexcept = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  atomic_ref& operator=(const atomic_ref&) const = delete;
  HEDDLE_BOTH T operator=(T value) const noexcept {
    store(value);
    return value;
  }

#define HEDDLE_READS const
#define HEDDLE_WRITES const
#include "atomic_members.inc"
#undef HEDDLE_READS
#undef HEDDLE_WRITES
};

HEDDLE_BOTH void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
#if defined(__CUDA_ARCH__)
  const int word = static_cast<int>(order);
  if (scope == thread_scope_system) heddle::atomics::fence<heddle::atomics::reach_system>(word);
  else if (scope == thread_scope_device) heddle::atomics::fence<heddle::atomics::reach_device>(word);
  else if (scope == thread_scope_block) heddle::atomics::fence<heddle::atomics::reach_block>(word);
  else heddle::atomics::fence<heddle::atomics::reach_thread>(word);
#else
  (void)scope;
  __atomic_thread_fence(static_cast<int>(order));
#endif
}
HEDDLE_BOTH void atomic_signal_fence(memory_order order) {
  if (order != memory_order_relaxed) asm volatile("" ::: "memory");
}

// ---- cuda::std ----

namespace std {

template <typename T>
struct atomic : ::cuda::atomic<T, thread_scope_system> {
  atomic() noexcept = default;
  HEDDLE_BOTH constexpr atomic(T value) noexcept : ::cuda::atomic<T, thread_scope_system>(value) {}
  using ::cuda::atomic<T, thread_scope_system>::operator=;
};
template <typename T>
struct atomic_ref : ::cuda::atomic_ref<T, thread_scope_system> {
  HEDDLE_BOTH explicit constexpr atomic_ref(T& there) : ::cuda::atomic_ref<T, thread_scope_system>(there) {}
  using ::cuda::atomic_ref<T, thread_scope_system>::operator=;
};

struct atomic_flag {
  atomic_flag() noexcept = default;
  HEDDLE_BOTH constexpr atomic_flag(bool set) noexcept : set_(set) {}
  atomic_flag(const atomic_flag&) = delete;
  atomic_flag& operator=(const atomic_flag&) = delete;
  HEDDLE_BOTH bool test(memory_order order = memory_order_seq_cst) const volatile noexcept {
    return set_.load(order) != 0;
  }
  HEDDLE_BOTH bool test_and_set(memory_order order = memory_order_seq_cst) volatile noexcept {
    return set_.exchange(1, order) != 0;
  }
  HEDDLE_BOTH void clear(memory_order order = memory_order_seq_cst) volatile noexcept { set_.store(0, order); }
  HEDDLE_BOTH void wait(bool old, memory_order order = memory_order_seq_cst) const volatile noexcept {
    set_.wait(old, order);
  }
  HEDDLE_BOTH void notify_one() volatile noexcept {}
  HEDDLE_BOTH void notify_all() volatile noexcept {}

 private:
  ::cuda::atomic<unsigned int, thread_scope_system> set_;
};

HEDDLE_BOTH void atomic_thread_fence(memory_order order) { ::cuda::atomic_thread_fence(order); }
using ::cuda::atomic_signal_fence;

using atomic_bool = atomic<bool>;
using atomic_char = atomic<char>;
using atomic_int = atomic<int>;
using atomic_uint = atomic<unsigned int>;
using atomic_long = atomic<long>;
using atomic_ulong = atomic<unsigned long>;
using atomic_llong = atomic<long long>;
using atomic_ullong = atomic<unsigned long long>;
using atomic_int32_t = atomic<::std::int32_t>;
using atomic_uint32_t = atomic<::std::uint32_t>;
using atomic_int64_t = atomic<::std::int64_t>;
using atomic_uint64_t = atomic<::std::uint64_t>;
using atomic_size_t = atomic<::std::size_t>;

// Functions of the members' names.
template <typename T>
HEDDLE_BOTH T atomic_load(const volatile atomic<T>* a) noexcept {
  return a->load();
}
template <typename T>
HEDDLE_BOTH T atomic_load_explicit(const volatile atomic<T>* a, memory_order order) noexcept {
  return a->load(order);
}
template <typename T>
HEDDLE_BOTH void atomic_store(volatile atomic<T>* a, typename atomic<T>::value_type value) noexcept {
  a->store(value);
}
template <typename T>
HEDDLE_BOTH void atomic_store_explicit(volatile atomic<T>* a, typename atomic<T>::value_type value,
                                       memory_order order) noexcept {
  a->store(value, order);
}
#undef HEDDLE_OPERATION
#define HEDDLE_OPERATION(member, operand)                                                            \
  template <typename T>                                                                              \
  HEDDLE_BOTH T atomic_##member(volatile atomic<T>* a, typename atomic<T>::operand value) noexcept { \
    return a->member(value);                                                                         \
  }                                                                                                  \
  template <typename T>                                                                              \
  HEDDLE_BOTH T atomic_##member##_explicit(volatile atomic<T>* a, typename atomic<T>::operand value, \
                                           memory_order order) noexcept {                            \
    return a->member(value, order);                                                                  \
  }
HEDDLE_OPERATION(exchange, value_type)
HEDDLE_OPERATION(fetch_add, difference_type)
HEDDLE_OPERATION(fetch_sub, difference_type)
HEDDLE_OPERATION(fetch_and, value_type)
HEDDLE_OPERATION(fetch_or, value_type)
HEDDLE_OPERATION(fetch_xor, value_type)

}  // namespace std

}  // namespace cuda

#pragma pop_macro("HEDDLE_BOTH")
#pragma pop_macro("HEDDLE_READS")
#pragma pop_macro("HEDDLE_WRITES")
#pragma pop_macro("HEDDLE_OPERATION")

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_CUDA_ATOMIC_H_
