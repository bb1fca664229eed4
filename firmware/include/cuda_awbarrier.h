// SPDX-License-Identifier: Apache-2.0
// nvcuda::experimental::awbarrier: a barrier in shared memory as a class.
#if !defined(_CUDA_AWBARRIER_H_)
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE __device__ __forceinline__

namespace nvcuda {
namespace experimental {

class awbarrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;
    ~arrival_token() = default;
    // Before the arrival.
    HEDDLE_DEVICE unsigned int pending_count() const { return __mbarrier_token_pending_count(token_); }

   private:
    HEDDLE_DEVICE arrival_token(__mbarrier_token_t token) : token_(token) {}
    __mbarrier_token_t token_;
    friend awbarrier;
  };

  awbarrier() = default;
  awbarrier(const awbarrier&) = delete;
  awbarrier& operator=(const awbarrier&) = delete;
  ~awbarrier() = default;

  HEDDLE_DEVICE arrival_token arrive() { return __mbarrier_arrive(&bar_); }
  HEDDLE_DEVICE arrival_token arrive_and_drop() { return __mbarrier_arrive_and_drop(&bar_); }
  // At most about so many cycles.
  HEDDLE_DEVICE bool timed_wait(arrival_token token, unsigned int hint_cycles) {
    return looked_for(hint_cycles, [&] { return __mbarrier_test_wait(&bar_, token.token_); });
  }
  HEDDLE_DEVICE bool timed_wait_parity(bool phase, unsigned int hint_cycles) {
    return looked_for(hint_cycles, [&] { return __mbarrier_test_wait_parity(&bar_, phase); });
  }
  HEDDLE_DEVICE bool try_wait(arrival_token token, unsigned int max_sleep_nanosec) {
    return __mbarrier_try_wait(&bar_, token.token_, max_sleep_nanosec);
  }
  HEDDLE_DEVICE bool try_wait_parity(bool phase, unsigned int max_sleep_nanosec) {
    return __mbarrier_try_wait_parity(&bar_, phase, max_sleep_nanosec);
  }
  HEDDLE_DEVICE void wait(arrival_token token) {
    heddle::barriers::wait_until([&] { return __mbarrier_test_wait(&bar_, token.token_); });
  }
  HEDDLE_DEVICE void arrive_and_wait() { wait(arrive()); }
  static __host__ HEDDLE_DEVICE constexpr unsigned int max() { return __mbarrier_maximum_count(); }

 private:
  template <typename Look>
  static HEDDLE_DEVICE bool looked_for(unsigned int cycles, const Look& look) {
    const long long start = clock64();
    while (!look()) {
      if (clock64() - start >= cycles) return false;
      heddle::barriers::rest();
    }
    return true;
  }
  friend HEDDLE_DEVICE void init(awbarrier* barrier, unsigned int expected_count) {
    __mbarrier_init(&barrier->bar_, expected_count);
  }
  friend HEDDLE_DEVICE void inval(awbarrier* barrier) { __mbarrier_inval(&barrier->bar_); }
  friend class pipeline;
  __mbarrier_t bar_;
};
// Also for who names them in full.
HEDDLE_DEVICE void init(awbarrier* barrier, unsigned int expected_count);
HEDDLE_DEVICE void inval(awbarrier* barrier);

}  // namespace experimental
}  // namespace nvcuda

#pragma pop_macro("HEDDLE_DEVICE")

#endif  // __cplusplus && __CUDACC__

#endif  // _CUDA_AWBARRIER_H_
