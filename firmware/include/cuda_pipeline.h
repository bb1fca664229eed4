// SPDX-License-Identifier: Apache-2.0
// nvcuda::experimental::pipeline: a thread's asynchronous copies in batches.
#if !defined(_CUDA_PIPELINE_H_)
#define _CUDA_PIPELINE_H_

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#if defined(__cplusplus) && defined(__CUDACC__)

namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  __device__ __forceinline__ pipeline() : batches_(0) {}
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  // The number of the batch that ends here.
  __device__ __forceinline__ size_t commit() {
    __pipeline_commit();
    return batches_++;
  }
  __device__ __forceinline__ void commit_and_wait() {
    commit();
    wait_prior<0>();
  }
  __device__ __forceinline__ void wait(size_t batch) {
    (void)batch;
    __pipeline_wait_prior(0);
  }
  template <unsigned int N>
  __device__ __forceinline__ void wait_prior() {
    __pipeline_wait_prior(N);
  }

  // What is copied so far arrives when it is done.
  __device__ __forceinline__ void arrive_on(awbarrier& barrier) { __pipeline_arrive_on(&barrier.bar_); }

 private:
  size_t batches_;
};

namespace details {
template <size_t size>
__device__ __forceinline__ void copy(void* to, const void* from) {
  constexpr size_t piece = size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : 4;
  for (size_t i = 0; i < size; i += piece)
    __pipeline_memcpy_async(static_cast<char*>(to) + i, static_cast<const char*>(from) + i, piece);
}
}  // namespace details

// `dst` is in shared memory, `src` in global memory.
template <typename T>
__device__ __forceinline__ void memcpy_async(T& dst, const T& src, pipeline&) {
  static_assert(__is_trivially_copyable(T), "bytes are copied");
  if (sizeof(T) % 4 == 0 && alignof(T) >= (sizeof(T) % 16 == 0 ? 16 : sizeof(T) % 8 == 0 ? 8 : 4)) {
    details::copy<sizeof(T) % 4 ? 4 : sizeof(T)>(&dst, &src);
  } else {
    __builtin_memcpy(&dst, &src, sizeof(T));
  }
}
template <typename To, typename From>
__device__ __forceinline__ void memcpy_async(To* __restrict__ dst, const From* __restrict__ src, size_t size,
                                             size_t zfill, pipeline&) {
  __pipeline_memcpy_async(dst, src, size, zfill);
}

}  // namespace experimental
}  // namespace nvcuda

#endif  // __cplusplus && __CUDACC__

#endif
