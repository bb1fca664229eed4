// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory whose arrivals and waits are apart: mbarriers, and below compute capability 8.0 atomics.
#if !defined(_CUDA_AWBARRIER_PRIMITIVES_H_)
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#endif

#include "crt/barrier_words.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE static __device__ __forceinline__

typedef __UINT64_TYPE__ __mbarrier_t;
typedef __UINT64_TYPE__ __mbarrier_token_t;

static __host__ __device__ __forceinline__ constexpr unsigned int __mbarrier_maximum_count() {
  return heddle::barriers::mbarrier_max;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

HEDDLE_DEVICE void __mbarrier_init(__mbarrier_t* bar, unsigned int expected_count) {
  heddle::barriers::init_mbarrier(bar, expected_count);
}
HEDDLE_DEVICE void __mbarrier_inval(__mbarrier_t* bar) { heddle::barriers::inval_mbarrier(bar); }
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* bar) {
  return heddle::barriers::arrive_at_mbarrier(bar);
}
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* bar) {
  return heddle::barriers::drop_from_mbarrier(bar);
}
HEDDLE_DEVICE unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return heddle::barriers::pending_of_mbarrier(token);
}
HEDDLE_DEVICE bool __mbarrier_test_wait(__mbarrier_t* bar, __mbarrier_token_t token) {
  return heddle::barriers::test_mbarrier(bar, token);
}
HEDDLE_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t* bar, bool phase_parity) {
  return heddle::barriers::test_mbarrier_parity(bar, phase_parity);
}

#else

namespace heddle {
namespace barriers {
struct nothing {
  __host__ __device__ void operator()() const {}
};
static __device__ __forceinline__ word* of(__mbarrier_t* bar) { return reinterpret_cast<word*>(bar); }
}  // namespace barriers
}  // namespace heddle

HEDDLE_DEVICE void __mbarrier_init(__mbarrier_t* bar, unsigned int expected_count) {
  *bar = heddle::barriers::fresh_word(expected_count);
}
HEDDLE_DEVICE void __mbarrier_inval(__mbarrier_t*) {}
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* bar) {
  namespace b = heddle::barriers;
  return b::arrive<b::reach_block>(b::of(bar), 1, false, b::nothing());
}
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* bar) {
  namespace b = heddle::barriers;
  return b::arrive<b::reach_block>(b::of(bar), 1, true, b::nothing());
}
HEDDLE_DEVICE unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return static_cast<unsigned int>(token & heddle::barriers::counted_max);
}
HEDDLE_DEVICE bool __mbarrier_test_wait(__mbarrier_t* bar, __mbarrier_token_t token) {
  namespace b = heddle::barriers;
  return b::test<b::reach_block>(b::of(bar), token);
}
HEDDLE_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t* bar, bool phase_parity) {
  namespace b = heddle::barriers;
  return !b::has_parity<b::reach_block>(b::of(bar), phase_parity);
}

#endif

// They look for at most so long.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
HEDDLE_DEVICE bool __mbarrier_try_wait(__mbarrier_t* bar, __mbarrier_token_t token, unsigned int max_sleep_nanosec) {
  return heddle::barriers::try_mbarrier(bar, token, max_sleep_nanosec);
}
HEDDLE_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t* bar, bool phase_parity, unsigned int max_sleep_nanosec) {
  return heddle::barriers::try_mbarrier_parity(bar, phase_parity, max_sleep_nanosec);
}
#else
HEDDLE_DEVICE bool __mbarrier_try_wait(__mbarrier_t* bar, __mbarrier_token_t token, unsigned int max_sleep_nanosec) {
  return heddle::barriers::wait_for(max_sleep_nanosec, [&] { return __mbarrier_test_wait(bar, token); });
}
HEDDLE_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t* bar, bool phase_parity, unsigned int max_sleep_nanosec) {
  return heddle::barriers::wait_for(max_sleep_nanosec, [&] { return __mbarrier_test_wait_parity(bar, phase_parity); });
}
#endif

#pragma pop_macro("HEDDLE_DEVICE")

#endif  // __cplusplus && __CUDACC__

#endif  // _CUDA_AWBARRIER_PRIMITIVES_H_
