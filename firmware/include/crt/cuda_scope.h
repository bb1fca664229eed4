// SPDX-License-Identifier: Apache-2.0
// What <cuda/barrier>, <cuda/pipeline>, <cuda/atomic>, <cuda/semaphore>, <cuda/latch> and <cuda/ptx> share: scopes of
// threads, and of libcu++'s own standard library what programs name beside them.
#if !defined(HEDDLE_CUDA_SCOPE_H_)
#define HEDDLE_CUDA_SCOPE_H_

#include "barrier_words.h"
#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#pragma push_macro("HEDDLE_BOTH")
#undef HEDDLE_BOTH
#define HEDDLE_BOTH __host__ __device__ __forceinline__

namespace cuda {

// Its clock also works on the device.
namespace std {
using ::std::forward;
using ::std::int32_t;
using ::std::int64_t;
using ::std::move;
using ::std::ptrdiff_t;
using ::std::size_t;
using ::std::uint16_t;
using ::std::uint32_t;
using ::std::uint64_t;
using ::std::uint8_t;
namespace chrono {
using namespace ::std::chrono;
struct system_clock {
  using duration = nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = ::std::chrono::time_point<system_clock>;
  static constexpr bool is_steady = false;
  static HEDDLE_BOTH time_point now() { return time_point(duration(heddle::barriers::now())); }
};
using high_resolution_clock = system_clock;
}  // namespace chrono
}  // namespace std

enum thread_scope {
  thread_scope_system = heddle::barriers::reach_system,
  thread_scope_device = heddle::barriers::reach_device,
  thread_scope_block = heddle::barriers::reach_block,
  thread_scope_thread = heddle::barriers::reach_thread
};

namespace details {
template <typename Duration>
HEDDLE_BOTH long long nanoseconds_of(const Duration& duration) {
  return ::std::chrono::duration_cast<::std::chrono::nanoseconds>(duration).count();
}
}  // namespace details

}  // namespace cuda

#pragma pop_macro("HEDDLE_BOTH")

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_CUDA_SCOPE_H_
