// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that a thread waits for later. Here each is a load and a store at once, which is
// allowed: nothing says that a copy is not done before it is waited for.
#if !defined(_CUDA_PIPELINE_PRIMITIVES_H_)
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_awbarrier_primitives.h"
#include "cuda_runtime_api.h"

#if defined(__CUDACC__)

// `size_and_align`: 4, 8 or 16 bytes, of which the last `zfill` are zeros and not read.
static __device__ __forceinline__ void __pipeline_memcpy_async(void* __restrict__ dst_shared,
                                                               const void* __restrict__ src_global,
                                                               size_t size_and_align, size_t zfill = 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  size_t to, from;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(to) : "l"(dst_shared));
  asm("cvta.to.global.u64 %0, %1;" : "=l"(from) : "l"(src_global));
  const unsigned int there = static_cast<unsigned int>(to), bytes = static_cast<unsigned int>(size_and_align - zfill);
#define HEDDLE_COPY(cache, size)                                                                                  \
  if (zfill == 0) {                                                                                               \
    asm volatile("cp.async." cache ".shared.global [%0], [%1], " size ";" ::"r"(there), "l"(from) : "memory");    \
  } else {                                                                                                        \
    asm volatile("cp.async." cache ".shared.global [%0], [%1], " size ", %2;" ::"r"(there), "l"(from), "r"(bytes) \
                 : "memory");                                                                                     \
  }
  if (size_and_align == 16) {
    HEDDLE_COPY("cg", "16")
  } else if (size_and_align == 8) {
    HEDDLE_COPY("ca", "8")
  } else if (size_and_align == 4) {
    HEDDLE_COPY("ca", "4")
  } else {
    __builtin_trap();
  }
#undef HEDDLE_COPY
#else
  auto* to = static_cast<char*>(dst_shared);
  const auto* from = static_cast<const char*>(src_global);
  for (size_t i = 0; i < size_and_align; ++i) to[i] = i < size_and_align - zfill ? from[i] : char{0};
#endif
}

static __device__ __forceinline__ void __pipeline_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// All batches but the last `prior` that were committed. (An instruction would want a constant; all are done.)
static __device__ __forceinline__ void __pipeline_wait_prior(size_t prior) {
  (void)prior;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The thread's copies so far arrive at an mbarrier when they are done; what is pending otherwise stays.
static __device__ __forceinline__ void __pipeline_arrive_on(__mbarrier_t* bar) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  heddle::barriers::copies_arrive_beside(bar);
#else
  (void)bar;  // they are done
#endif
}

#endif  // __CUDACC__

#endif
